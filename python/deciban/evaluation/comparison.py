"""Classifiers side by side on the same data, and which differences between them are real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.attached import Attached

from ..certificates.rates import Interval
from .judgements import Judgements
from .paired import CorrectedT, McNemar
from .suspect import Floats, Integers

ENDED = {
    "": "",
    "time": "the time limit was reached",
    "callback": "the callback said stop",
    "interrupt": "Ctrl-C came",
}
"""Why not all was done, by `Comparison.ended`."""


@dataclass(frozen=True)
class Point:
    """A point of a learning curve: the error on all examples, each judged by a model of `n` others."""

    n: int
    error: float
    interval: Interval
    log_loss: float | None
    fit_seconds: float

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {**vars(self), "interval": list(self.interval)}


@dataclass(frozen=True)
class Compared:
    """How one classifier does.

    error            the share of examples judged wrongly, each by a model that did not learn it; the mean over repeats
    interval         of it, 95 %, Clopper & Pearson over the n examples: exact for models like these on new examples;
                     that other examples would have made other models is what `Pair.t` asks
    log_loss         the mean of −log p(y | x) in nats, with its standard error; None without probabilities
    fit_seconds      of one fit, the mean over the folds
    predict_seconds  of one example
    size             bytes, of the .deciban file if `size_of_file`, else of all arrays, numbers and texts it holds
    errors_by_fold   (folds × repeats,)
    curve            smallest first; the last point are the models themselves
    """

    model: str
    n: int
    error: float
    interval: Interval
    log_loss: float | None
    log_loss_error: float | None
    fit_seconds: float
    predict_seconds: float
    size: int
    size_of_file: bool
    errors_by_fold: tuple[float, ...]
    curve: tuple[Point, ...]

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            **vars(self),
            "interval": list(self.interval),
            "errors_by_fold": list(self.errors_by_fold),
            "curve": [point.to_json() for point in self.curve],
        }


@dataclass(frozen=True)
class Pair:
    """Two classifiers: `difference` is the error of a minus that of b.

    mcnemar  of the examples that only one of them judges wrongly, in the first repeat
    p        its exact p by Holm's rule over all pairs: what `real` compares with the level
    t        over folds and repeats, as other training sets would have it; `t_p` is its p by Holm's rule
    """

    a: str
    b: str
    difference: float
    mcnemar: McNemar
    p: float
    t: CorrectedT
    t_p: float
    real: bool

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {**vars(self), "mcnemar": self.mcnemar.to_json(), "t": self.t.to_json()}


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `deciban.compare` found: `rows` as the models were given, simplest first by default, and `pairs` of them.

    train     how many examples a model learnt, the mean over the folds
    left_out  by name, why a model is not among the rows
    ended     empty where all was done, else "time", "callback" or "interrupt"
    y (N,)    places of the labels in `classes`
    copies    how many examples share the fold of a near-duplicate before them

    `str()` tells it as a table; `statement` says who wins.
    """

    rows: tuple[Compared, ...]
    pairs: tuple[Pair, ...]
    classes: tuple[Any, ...]
    y: Integers
    copies: int
    folds: int
    repeats: int
    seed: int
    level: float
    train: int
    left_out: Mapping[str, str]
    ended: str
    _log_p: Mapping[str, Floats | None] = field(repr=False)
    _winners: Mapping[str, Integers] = field(repr=False)

    def __getitem__(self, model: str) -> Compared:
        for row in self.rows:
            if row.model == model:
                return row
        raise KeyError(f"{model!r}; there are {', '.join(row.model for row in self.rows)}")

    def pair(self, a: str, b: str) -> Pair:
        """The two in the order in which they stand in `rows`."""
        for each in self.pairs:
            if {each.a, each.b} == {a, b}:
                return each
        raise KeyError(f"{a!r} and {b!r}; there are {', '.join(row.model for row in self.rows)}")

    def wrong(self, model: str) -> NDArray[np.bool_]:
        """(N,) whether each example is judged wrongly by a model that did not learn it."""
        wrong: NDArray[np.bool_] = self._winners[self[model].model] != self.y
        return wrong

    def judgements(self, model: str) -> Judgements:
        """The out-of-fold probabilities of the first repeat; ValueError for a model that gives none."""
        log_p = self._log_p[self[model].model]
        if log_p is None:
            raise ValueError(f"{model!r} gives no probabilities")
        return Judgements(self.classes, self.y, np.minimum(log_p, 0.0))

    @property
    def best(self) -> str | None:
        """The model of the smallest error; of equal ones the first."""
        return min(self.rows, key=lambda row: row.error).model if self.rows else None

    @property
    def not_distinguishable(self) -> tuple[str, ...]:
        """The others whose difference from the best is not real at the level."""
        best = self.best
        return tuple(row.model for row in self.rows if row.model != best and not self.pair(row.model, str(best)).real)

    @property
    def simplest(self) -> str | None:
        """The first of the rows that the best is not distinguishable from, or the best."""
        return next((row.model for row in self.rows if row.model in (self.best, *self.not_distinguishable)), None)

    @property
    def statement(self) -> str:
        """Who wins, from whom it cannot be told, and who errs more, in words."""
        from .comparison_words import statement

        return statement(self)

    report = Attached("page of a comparison")
    __str__ = Attached("text of a comparison")

    def to_json(self) -> dict[str, Any]:
        """Plain values for json.dumps."""
        return {
            "n": len(self.y),
            "classes": list(self.classes),
            "copies": self.copies,
            "folds": self.folds,
            "repeats": self.repeats,
            "seed": self.seed,
            "level": self.level,
            "train": self.train,
            "models": [row.to_json() for row in self.rows],
            "pairs": [pair.to_json() for pair in self.pairs],
            "best": self.best,
            "not_distinguishable": list(self.not_distinguishable),
            "simplest": self.simplest,
            "statement": self.statement,
            "left_out": dict(self.left_out),
            "ended": self.ended or None,
        }
