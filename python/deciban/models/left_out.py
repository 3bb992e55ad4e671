"""Scores of examples that a model of statistics had not learnt: those of a part are subtracted from those of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from deciban.calibration.scaling import Scaling, fit_scaling
from deciban.calibration.targets import once_wrong
from deciban.data.folds import hashes
from deciban.data.rows import is_sparse
from deciban.distributions import StatisticError
from deciban.distributions.counts import Floats
from deciban.distributions.priors import prior_weights

if TYPE_CHECKING:
    from .generative import Generative

MOST = 5000
"""So many distinct examples calibrate."""
PARTS = 10
CALIBRATIONS = (None, "affine")


def check_calibration(calibration: object) -> None:
    """Raise ValueError for a calibration that there is not."""
    if calibration not in CALIBRATIONS:
        raise ValueError(f"calibration must be 'affine' or None, got {calibration!r}")


class Drawn(NamedTuple):
    """The rows of lowest hash, at most 5,000 distinct ones, by ascending hash and class: X (M, d), hashes, classes y
    (M,), and weights. They are the same in whatever order, and in whatever parts, rows come."""

    X: Any
    hashed: NDArray[np.uint64]
    y: NDArray[np.intp]
    weight: Floats

    @classmethod
    def of(cls, X: Any, y: NDArray[np.intp], weight: Floats | None) -> Self:
        """Draw from rows (N, d), dense or CSR."""
        return cls(X, hashes(X, 0), y, np.ones(len(y)) if weight is None else weight)._lowest()

    def __add__(self, other: Self) -> Self:  # type: ignore[override]
        from scipy import sparse  # here, because a table that is only classified needs no SciPy

        X = sparse.vstack([self.X, other.X], "csr") if is_sparse(self.X) else np.concatenate([self.X, other.X])
        rest = (np.concatenate(pair) for pair in zip(self[1:], other[1:], strict=True))
        return type(self)(X, *rest)._lowest()

    def _lowest(self) -> Self:
        """Return the rows of lowest hash, equal ones of a class as one that weighs as much."""
        order = np.lexsort((self.y, self.hashed))
        hashed, y = self.hashed[order], self.y[order]
        other = np.ones((2, len(order)), np.bool_)
        other[:, 1:] = hashed[1:] != hashed[:-1], y[1:] != y[:-1]
        first = np.flatnonzero(other.any(axis=0))
        kept = first[np.cumsum(other[0])[first] <= MOST]
        weight = np.add.reduceat(self.weight[order], first)[: len(kept)] if len(kept) else self.weight[:0]
        return type(self)(self.X[order[kept]], hashed[kept], y[kept], weight)


def scaling_of_parts(model: Generative, drawn: Drawn, counts: Any) -> Scaling | None:
    """Return the scaling that makes the scores of a model log-odds, to six digits; None where nothing tells.

    A tenth of the examples after the other is left out, equal rows together, and judged by the statistics of all
    others; in proportions of the classes that the prior says. At most 5,000 distinct rows are, those of lowest hash.
    """
    X, y, weight = drawn.X, drawn.y, drawn.weight
    part = np.unique(drawn.hashed, return_inverse=True)[1].reshape(-1)
    scores = np.full((len(y), len(counts.n)), -np.inf)
    for k in range(PARTS):
        own = np.flatnonzero(part % PARTS == k)
        if len(own):
            scores[own] = _scores_without(model, counts, X[own], y[own], weight[own])
    found = fit_scaling(scores, y, weight * prior_weights(model.class_prior, counts.n)[y], once_wrong)
    return found and found.rounded()


def _scores_without(model: Generative, counts: Any, X: Any, y: NDArray[np.intp], weight: Floats) -> Floats:
    """Return (N, C) what the model without these rows gives them; −∞ of all classes where there is none."""
    family: Any = model._family()
    try:
        left = counts - family.count(X, y, weight, len(counts.n))
        if not left.n.any():
            raise StatisticError("nothing is left")
        scores: Floats = model._compile_counts(left)(family.statistic(X))
    except StatisticError:
        return np.full((len(y), len(counts.n)), -np.inf)
    return scores
