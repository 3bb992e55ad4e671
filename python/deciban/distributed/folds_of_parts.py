"""Folds of rows that are kept in parts: the line that makes scores log-odds is found as it is in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..calibration.lines import fit_line_to_folds
from ..calibration.out_of_fold import limits_of_folds
from ..calibration.scaling import Scaling
from ..certificates.bound import Probabilities
from ..data.estimator import clone
from ..data.folds import Places, hashes
from ..losses import Floats
from ..solvers import Status
from ..text.weighting import mark_words
from .encoding import Survey
from .engines import Engine
from .minimising import reduce_over
from .parts import Block, Part
from .plans import plan_of


def fit_line_in_parts(
    model: Any, engine: Engine, surveys: list[Survey], seed: int, stretch: Callable[[Any], Floats | None]
) -> tuple[Scaling | None, Probabilities]:
    """Return the line that makes scores of a `model` log-odds, which was fitted to the rows that an engine keeps in
    parts, and how it came about, as `calibration.lines` does: the folds are the same.

    `stretch` says of rows how many times as large their scores are when classified than when learnt.
    """
    known: KeptRows = reduce_over(engine, surveys)(LookAtRows(seed, stretch), None)
    ends = np.cumsum([survey.rows for survey in surveys])

    def take_parts(places: Places) -> list[Part]:
        each = zip(surveys, np.split(places, np.searchsorted(places, ends[:-1])), [0, *ends[:-1]], strict=True)
        parts = ((survey.part, own - start) for survey, own, start in each if len(own))
        return [replace(part, load=TakeRows(part.load, own)) for part, own in parts]

    turn = count()

    def fit_and_score(inside: Places, outside: Places) -> tuple[Floats, bool]:
        again = _like(model)
        with engine.apart(f"fold-{next(turn)}"):
            again.__dict__.update(plan_of(again).fit(engine, take_parts(inside)))
        if again.status_ is Status.INTERRUPTED:
            return np.zeros((len(outside), 1)), True
        task = ScoreRows(again)
        scores: Floats = engine.reduce(task, take_parts(outside), task.combine)
        return scores * known.stretch[outside, None], False

    return fit_line_to_folds(model, known.hashed, known.y, known.weight, fit_and_score)


def _like(model: Any) -> Any:
    """Return the estimator of a fold."""
    limits = limits_of_folds(model._limits())
    if not model.status_.finished:  # whoever stopped it does not wait for longer fits of the folds
        limits = replace(limits, max_iter=int(model.n_iter_.max()))
    return clone(model).set_params(tol=limits.tol, max_iter=limits.max_iter, callback=None)


class KeptRows(NamedTuple):
    """Hashes (N,) of rows, the places of their labels, their weights, and how much their scores are stretched."""

    hashed: NDArray[np.uint64]
    y: NDArray[np.intp]
    weight: Floats
    stretch: Floats


@dataclass(frozen=True)
class LookAtRows:
    """What is known of each row of a part."""

    seed: int
    stretch: Callable[[Any], Floats | None]

    def __call__(self, part: Part, arguments: tuple[Any, ...], shared: Any) -> KeptRows:
        """Return what is known of the rows of a part."""
        encoded: Any = part.load(*(arguments or part.arguments))
        ones, stretch = np.ones(len(encoded.y)), self.stretch(encoded.X)
        y = encoded.labels[encoded.y].astype(np.intp)
        weight = ones if encoded.weight is None else np.array(encoded.weight)
        return KeptRows(hashes(mark_words(encoded.X), self.seed), y, weight, ones if stretch is None else stretch)

    def combine(self, left: KeptRows, right: KeptRows) -> KeptRows:
        """Return what is known of the rows of both."""
        return KeptRows(*(np.concatenate(pair) for pair in zip(left, right, strict=True)))


@dataclass(frozen=True)
class TakeRows:
    """Reads some rows of a part that is kept."""

    load: Callable[..., Any]
    places: Places

    def __call__(self, *arguments: Any) -> Block:
        """Return the rows."""
        encoded = self.load(*arguments)
        weight = None if encoded.weight is None else encoded.weight[self.places]
        X = encoded.X[self.places].astype(np.float64)  # parts are kept in the narrowest type that loses nothing
        return Block(X, encoded.labels[encoded.y[self.places]], weight)


@dataclass(frozen=True)
class ScoreRows:
    """Scores of rows by a model."""

    model: Any

    def __call__(self, part: Part, arguments: tuple[Any, ...], shared: Any) -> Floats:
        """Return the scores (N, K) of the rows of a part."""
        block = part.read(*arguments)
        scores: Floats = self.model.decision_function(block.X).reshape(block.size, -1)
        return scores

    def combine(self, left: Floats, right: Floats) -> Floats:
        """Return the scores of the rows of both."""
        return np.concatenate([left, right])
