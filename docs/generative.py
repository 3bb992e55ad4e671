"""Writes docs/generative.md: every generative model on real data, beside scikit-learn's counterpart.

python docs/generative.py

The data are read from where the benchmarks read theirs; without them nothing is written.
"""

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
from generative_cases import HELD_OUT, SEED, SETS, Case, MissingError, Split, machine, normalised
from generative_prose import INTRODUCTION, READING
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from deciban.trust.rates import clopper_pearson

RUNS, SHORT_S = 5, 1.0


@dataclass(frozen=True)
class Judged:
    """What a model did on the rows held out: errors of n, and the mean of −log p(y | x) in nats; and its times."""

    errors: int
    n: int
    log_loss: float
    seconds: tuple[float, float]

    @property
    def error(self) -> str:
        return f"{100 * self.errors / self.n:.1f}\N{NO-BREAK SPACE}%"

    @property
    def loss(self) -> str:
        return f"{self.log_loss:.3f}" if self.log_loss < 10 else f"{self.log_loss:,.0f}"

    def __str__(self) -> str:
        low, high = clopper_pearson(self.errors, self.n)
        return f"{100 * self.errors / self.n:.2f} ({100 * low:.2f}–{100 * high:.2f}) | {self.loss}"


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
        return f"{ours} {self.rival} | {self.theirs} | {self.times[0]:.2g} | {self.times[1]:.2g} |"


def log_posterior(model: Any, X: Any) -> Any:
    """(N, C); from the scores where predict_proba would round to 0 or 1."""
    if not isinstance(model, LinearDiscriminantAnalysis | QuadraticDiscriminantAnalysis):
        return model.predict_log_proba(X)
    score = model.decision_function(X)
    return normalised(np.column_stack([np.zeros(len(score)), score]) if score.ndim == 1 else score)


def timed(make: Callable[[], Any], split: Split) -> tuple[Any, Any, tuple[float, float]]:
    """The fitted model, its labels for what was held out, and the seconds of both."""
    train, y, test, _ = split
    started = perf_counter()
    model = make().fit(train, y)
    fitted = perf_counter()
    labels = model.predict(test)
    return model, labels, (fitted - started, perf_counter() - fitted)


def judged(make: Callable[[], Any], split: Split) -> Judged:
    """Learn, and judge what was held out."""
    _, _, test, truth = split
    model, labels, seconds = timed(make, split)
    log_p = log_posterior(model, test)[np.arange(len(truth)), np.searchsorted(model.classes_, truth)]
    return Judged(int((labels != truth).sum()), len(truth), float(-log_p.mean()), seconds)


def row(case: Case, split: Split) -> Row:
    """One line of a table. What is short is timed RUNS times more, both sides in turn."""
    split = case.view(split)
    ours = judged(case.ours, split)
    if case.theirs is None:
        return Row(case.model, ours)
    try:
        theirs = judged(case.theirs, split)
    except np.linalg.LinAlgError:
        return Row(case.model, ours, case.rival)
    runs = [(theirs.seconds, ours.seconds)]
    if sum(map(sum, runs[0])) < SHORT_S:
        runs = [tuple(timed(make, split)[2] for make in (case.theirs, case.ours)) for _ in range(RUNS)]
    middle = np.median(runs, axis=0)
    return Row(case.model, ours, case.rival, theirs, tuple(middle[0] / middle[1]))


def table(rows: list[Row]) -> str:
    """One data set."""
    titles = ("model", "error, %", "log loss", "scikit-learn", "error, %", "log loss", "fit ×", "predict ×")
    return "\n".join([f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}", *map(str, rows)])


def measure() -> tuple[dict[str, dict[str, Row]], list[str]]:
    """The rows by data set and model, and a chapter of each set."""
    found, chapters = {}, []
    for name, (title, load, cases) in SETS.items():
        split = load()
        (n, d), m, C = split[0].shape, split[2].shape[0], len(np.unique(split[1]))
        rows = found[name] = {}
        for case in cases:
            rows[case.model] = row(case, split)
            print(f"{name}: {rows[case.model]}", file=sys.stderr, flush=True)
        about = f"{n:,} × {d:,} to learn from, {m:,} held out, {C} classes."
        chapters.append(f"## {title}\n\n{about}\n\n{table(list(rows.values()))}")
    return found, chapters


def facts(found: dict[str, dict[str, Row]]) -> dict[str, Any]:
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


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # scikit-learn's, of columns that do not vary
    try:
        found, chapters = measure()
    except MissingError as missing:
        sys.exit(f"{missing}; nothing is written")
    known = facts(found)
    text = "\n\n".join([prose(INTRODUCTION, known), prose(READING, known), *chapters])
    Path(__file__).with_suffix(".md").write_text(text + "\n", encoding="utf-8")
