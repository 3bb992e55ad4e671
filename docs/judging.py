"""Models on data held out, ours and scikit-learn's: errors, log loss, times, and the page that tells of them."""

from __future__ import annotations

import sys
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import sklearn
from data_sets import HELD_OUT, SEED, MissingError, Split, View, as_it_is, machine
from sklearn.exceptions import ConvergenceWarning

from deciban.certificates.intervals import clopper_pearson

RUNS, SHORT_S = 5, 1.0
TITLES = ("model", "error, %", "log loss", "scikit-learn", "error, %", "log loss", "fit ×", "predict ×")


@dataclass(frozen=True)
class Case:
    """How our model is made, and scikit-learn's counterpart, if it has one.

    `view` makes what both read; `bare` is ours as it is timed, where the counterpart does less.
    """

    model: str
    ours: Callable[[], Any]
    rival: str = ""
    theirs: Callable[[], Any] | None = None
    view: View = as_it_is
    bare: Callable[[], Any] | None = None


@dataclass(frozen=True)
class Judged:
    """What a model did on the rows held out: errors of n; the mean of −log p(y | x) in nats, NaN where there are no
    probabilities; its times to fit and to predict; and whether its solver ended by itself."""

    errors: int
    n: int
    log_loss: float
    seconds: tuple[float, float]
    ended: bool = True

    def __add__(self, other: Judged) -> Judged:
        n = self.n + other.n
        loss = (self.n * self.log_loss + other.n * other.log_loss) / n
        seconds = (self.seconds[0] + other.seconds[0], self.seconds[1] + other.seconds[1])
        return Judged(self.errors + other.errors, n, loss, seconds, self.ended and other.ended)

    @property
    def error(self) -> str:
        return f"{100 * self.errors / self.n:.1f}\N{NO-BREAK SPACE}%"

    @property
    def accuracy(self) -> str:
        return f"{100 - 100 * self.errors / self.n:.2f}\N{NO-BREAK SPACE}%"

    @property
    def loss(self) -> str:
        if np.isnan(self.log_loss):
            return ""
        return f"{self.log_loss:.3f}" if self.log_loss < 10 else f"{self.log_loss:,.0f}"

    def __str__(self) -> str:
        low, high = clopper_pearson(self.errors, self.n)
        stopped = "" if self.ended else "†"
        return f"{100 * self.errors / self.n:.2f}{stopped} ({100 * low:.2f}–{100 * high:.2f}) | {self.loss}"


@dataclass(frozen=True)
class Row:
    """A model on a data set, its counterpart, and how many times as long that took to fit and to predict."""

    model: str
    ours: Judged
    rival: str = ""
    theirs: Judged | None = None
    times: tuple[float, float] = (1.0, 1.0)

    def __str__(self) -> str:
        ours = f"| {self.model} | {self.ours} |"
        if self.theirs is None:
            return f"{ours} {self.rival} | refuses | | | |" if self.rival else f"{ours} | | | | |"
        return f"{ours} {self.rival} | {self.theirs} | {ratio(self.times[0])} | {ratio(self.times[1])} |"


Found = dict[str, dict[str, Row]]
"""Rows by data set and model."""
LogPosterior = Callable[[Any, Any], Any]
"""(N, C) of a model and rows; None where the model has none."""


def ratio(times: float) -> str:
    """Two digits, and no powers of ten."""
    return f"{times:.2g}" if times < 100 else f"{times:,.0f}"


def own(model: Any, X: Any) -> Any:
    """As the model says; None where it has no probabilities."""
    return model.predict_log_proba(X) if hasattr(model, "predict_log_proba") else None


def timed(make: Callable[[], Any], split: Split) -> tuple[Any, Any, tuple[float, float]]:
    """The fitted model, its labels for what was held out, and the seconds of both."""
    train, y, test, _ = split
    started = perf_counter()
    model = make().fit(train, y)
    fitted = perf_counter()
    labels = model.predict(test)
    return model, labels, (fitted - started, perf_counter() - fitted)


def judged(make: Callable[[], Any], split: Split, log_posterior: LogPosterior) -> Judged:
    """Learn, and judge what was held out."""
    _, _, test, truth = split
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model, labels, seconds = timed(make, split)
    log_p = log_posterior(model, test)
    loss = np.nan if log_p is None else -log_p[np.arange(len(truth)), np.searchsorted(model.classes_, truth)].mean()
    ended = not any(issubclass(each.category, ConvergenceWarning) for each in told)
    return Judged(int((labels != truth).sum()), len(truth), float(loss), seconds, ended)


def judged_in_turn(make: Callable[[], Any], splits: list[Split], log_posterior: LogPosterior) -> Judged:
    """All that was held out."""
    first, *others = (judged(make, split, log_posterior) for split in splits)
    return sum(others, first)


def seconds(make: Callable[[], Any], splits: list[Split]) -> Any:
    """(2,) to fit and to predict, all splits together."""
    return np.sum([timed(make, split)[2] for split in splits], axis=0)


def row(case: Case, splits: list[Split], log_posterior: LogPosterior) -> Row:
    """One line of a table. What is short is timed RUNS times more, both sides in turn."""
    splits = [case.view(split) for split in splits]
    ours = judged_in_turn(case.ours, splits, log_posterior)
    if case.theirs is None:
        return Row(case.model, ours)
    try:
        theirs = judged_in_turn(case.theirs, splits, log_posterior)
    except np.linalg.LinAlgError:
        return Row(case.model, ours, case.rival)
    bare = ours.seconds if case.bare is None else seconds(case.bare, splits)
    runs = [(theirs.seconds, bare)]
    if sum(map(sum, runs[0])) < SHORT_S:
        runs = [tuple(seconds(make, splits) for make in (case.theirs, case.bare or case.ours)) for _ in range(RUNS)]
    middle = np.median(runs, axis=0)
    return Row(case.model, ours, case.rival, theirs, tuple(middle[0] / middle[1]))


def table(rows: list[Row]) -> str:
    """One data set."""
    return "\n".join([f"| {' | '.join(TITLES)} |", f"|{' --- |' * len(TITLES)}", *map(str, rows)])


def about(splits: list[Split]) -> str:
    """How much there is."""
    train, y, test, _ = splits[0]
    size = f"{train.shape[0]:,} × {train.shape[1]:,}" if hasattr(train, "shape") else f"{len(train):,} texts"
    turns = f" in each of {len(splits)} folds" if len(splits) > 1 else ""
    held_out = len(test) if isinstance(test, list) else test.shape[0]
    return f"{size} to learn from, {held_out:,} held out{turns}, {len(np.unique(y))} classes."


def measure(sets: dict[str, Any], log_posterior: LogPosterior = own) -> tuple[Found, list[str]]:
    """The rows by data set and model, and a chapter of each set: (title, load, cases)."""
    found: Found = {}
    chapters = []
    for name, (title, load, cases) in sets.items():
        loaded = load()
        splits = loaded if isinstance(loaded, list) else [loaded]
        rows = found[name] = {}
        for case in cases:
            rows[case.model] = row(case, splits, log_posterior)
            print(f"{name}: {rows[case.model]}", file=sys.stderr, flush=True)
        chapters.append(f"## {title}\n\n{about(splits)}\n\n{table(list(rows.values()))}")
    return found, chapters


def facts(found: Found) -> dict[str, Any]:
    """What the prose names."""
    compared = [row for rows in found.values() for row in rows.values() if row.theirs]
    times = np.array([row.times for row in compared])
    return {
        **found,
        **machine(),
        "scikit": sklearn.__version__,
        "held_out": f"{100 * HELD_OUT:g} %",
        "seed": SEED,
        "runs": RUNS,
        "guess": {classes: f"{np.log(classes):.2f}" for classes in (2, 10, 20)},
        "rows": len(compared),
        "equal": sum(row.ours.errors == row.theirs.errors for row in compared if row.theirs),
        "quicker": (times > 1).sum(axis=0),
        "middle": [f"{ratio:.1f}" for ratio in np.median(times, axis=0)],
    }


def prose(template: str, known: dict[str, Any]) -> str:
    """Paragraphs and list items, filled in and wrapped."""
    parts = (part.replace("\n", " ").format(**known) for part in template.strip().split("\n\n"))
    return "\n\n".join(
        textwrap.fill(part, 118, subsequent_indent="  " if part.startswith("- ") else "", break_on_hyphens=False)
        for part in parts
    )


def write(
    page: Path,
    sets: dict[str, Any],
    texts: tuple[str, ...],
    more: Callable[[Found], dict[str, Any]] = lambda found: {},
    log_posterior: LogPosterior = own,
) -> None:
    """Measure the sets, and write the page: the texts, which may name what `facts` and `more` know, and the tables."""
    warnings.simplefilter("ignore")  # scikit-learn's, of columns that do not vary; judged() hears those it shows
    try:
        found, chapters = measure(sets, log_posterior)
    except MissingError as missing:
        sys.exit(f"{missing}; nothing is written")
    known = {**facts(found), **more(found)}
    page.write_text("\n\n".join([*(prose(text, known) for text in texts), *chapters]) + "\n", encoding="utf-8")
