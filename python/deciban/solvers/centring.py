"""Columns far from 0, which solvers see centred: with an intercept the optimum is the same, but for b.

    x·w + b = (x − m)·w + (b + m·w)

A column of 10⁶ ± 1 has a thousand times the pull of the intercept and costs half of the digits of every system that is
solved; of x − m nothing is lost. Dense columns only: sparse ones would not be sparse any more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from deciban.losses import CrammerSinger, Floats

from .problem import Problem, Solution

# A mean so many standard deviations from 0 is far.
_FAR = 100.0
# Binary digits of the spread to which a mean is taken.
_DIGITS = 10
# So many rows tell whether one is.
_LOOKED_AT = 1000


@dataclass(frozen=True)
class Centred:
    """The problem of x − m, and m (d,)."""

    problem: Problem
    mean: Floats

    @classmethod
    def of(cls, problem: Problem) -> Self | None:
        """The problem centred, or None where that would bring nothing: of many scores learnt together it always does,
        as their intercepts are found by steps of first order."""
        X = problem.rows
        if not (problem.intercept and problem.loss.convex) or isinstance(X, tuple) or not X.size:
            return None
        if not isinstance(problem.loss, CrammerSinger) and not _is_far(X[:: -(-len(X) // _LOOKED_AT)]):
            return None
        mean = _near_mean(X, problem.c)
        # The difference of a float64 column and a number near to all of it is exact.
        return cls(replace(problem, rows=np.ascontiguousarray(X - mean)), mean)

    def inward(self, solution: Solution | None) -> Solution | None:
        """The same weights for the centred columns."""
        return None if solution is None else replace(solution, b=solution.b + solution.w @ self.mean)

    def outward(self, solution: Solution) -> Solution:
        """The weights for the columns as they come."""
        return replace(solution, b=solution.b - solution.w @ self.mean)


def _near_mean(X: Floats, c: Floats) -> Floats:
    """Numbers of few digits near the means, so that weights and repetitions, which round otherwise, have the same."""
    share = c / c.sum()
    mean = share @ X.astype(np.float64, copy=False)
    spread = np.sqrt(share @ np.square(X - mean))
    unit = np.exp2(np.floor(np.log2(np.where(spread > 0.0, spread, 1.0))) - _DIGITS)
    near: Floats = np.where(spread > 1e-14 * np.abs(mean), np.round(mean / unit) * unit, mean)
    return near


def _is_far(X: Floats) -> bool:
    """Whether some column that is not constant lies far from 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
        return bool(((np.abs(mean) > _FAR * spread) & (spread > 1e-14 * np.abs(mean))).any())
