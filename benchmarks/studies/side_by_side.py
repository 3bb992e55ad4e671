"""Models on data held out, ours and scikit-learn's, side by side: errors, log loss and times."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np
import sklearn
from data_sets import HELD_OUT, SEED, Split, View, as_it_is, machine
from recording import report
from sklearn.exceptions import ConvergenceWarning

RUNS, SHORT_S = 5, 1.0


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

    def to_json(self) -> dict[str, Any]:
        """Its fields, with the seconds of both together."""
        return {**asdict(self), "seconds": sum(self.seconds)}


LogPosterior = Callable[[Any, Any], Any]
"""(N, C) of a model and rows; None where the model has none."""


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


def judge(make: Callable[[], Any], split: Split, log_posterior: LogPosterior) -> Judged:
    """Learn, and judge what was held out."""
    _, _, test, truth = split
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model, labels, seconds = timed(make, split)
    log_p = log_posterior(model, test)
    loss = np.nan if log_p is None else -log_p[np.arange(len(truth)), np.searchsorted(model.classes_, truth)].mean()
    ended = not any(issubclass(each.category, ConvergenceWarning) for each in told)
    return Judged(int((labels != truth).sum()), len(truth), float(loss), seconds, ended)


def judge_in_turn(make: Callable[[], Any], splits: list[Split], log_posterior: LogPosterior) -> Judged:
    """All that was held out."""
    first, *others = (judge(make, split, log_posterior) for split in splits)
    return sum(others, first)


def seconds(make: Callable[[], Any], splits: list[Split]) -> Any:
    """(2,) to fit and to predict, all splits together."""
    return np.sum([timed(make, split)[2] for split in splits], axis=0)


def row(case: Case, splits: list[Split], log_posterior: LogPosterior) -> dict[str, Any]:
    """Our model, its counterpart, and how many times as long that took to fit and to predict.

    What is short is timed RUNS times more, both sides in turn."""
    splits = [case.view(split) for split in splits]
    ours = judge_in_turn(case.ours, splits, log_posterior)
    if case.theirs is None:
        return {"ours": ours.to_json()}
    try:
        theirs = judge_in_turn(case.theirs, splits, log_posterior)
    except np.linalg.LinAlgError:
        return {"ours": ours.to_json(), "rival": case.rival}
    bare = ours.seconds if case.bare is None else seconds(case.bare, splits)
    runs = [(theirs.seconds, bare)]
    if sum(map(sum, runs[0])) < SHORT_S:
        runs = [tuple(seconds(make, splits) for make in (case.theirs, case.bare or case.ours)) for _ in range(RUNS)]
    middle = np.median(runs, axis=0)
    times = dict(zip(("fit", "predict"), middle[0] / middle[1], strict=True))
    return {"ours": ours.to_json(), "rival": case.rival, "theirs": theirs.to_json(), "times": times}


def size_of(splits: list[Split]) -> dict[str, Any]:
    """Return how much there is to learn from, and how much is held out, in each of the folds."""
    train, y, test, _ = splits[0]
    shape = train.shape if hasattr(train, "shape") else (len(train), None)
    held_out = len(test) if isinstance(test, list) else test.shape[0]
    sizes = {"learnt": shape[0], "features": shape[1], "held_out": held_out}
    return {**sizes, "folds": len(splits), "classes": len(np.unique(y))}


def measure(sets: dict[str, Any], log_posterior: LogPosterior = own) -> dict[str, Any]:
    """Every model of every set: (load, cases)."""
    found: dict[str, Any] = {}
    for name, (load, cases) in sets.items():
        loaded = load()
        splits = loaded if isinstance(loaded, list) else [loaded]
        models = {}
        for case in cases:
            models[case.model] = row(case, splits, log_posterior)
            report(name, case.model, models[case.model])
        found[name] = {**size_of(splits), "models": models}
    about = {"scikit_learn": sklearn.__version__, "held_out": HELD_OUT, "seed": SEED, "runs": RUNS}
    return {"machine": machine(), **about, "sets": found}
