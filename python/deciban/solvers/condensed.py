"""Least squares of many rows, seen as one of as many rows as columns and one more.

Of Z = √c (X − x̄) and t = √c (y − ȳ), or √c X and √c y without an intercept, only the normal equations matter: with
ZᵀZ = RᵀR and u = R⁻ᵀZᵀt

    Σ c_i (y_i − x_i·w − b)²  =  ‖u − R w‖² + (‖t‖² − ‖u‖²)

at the best b: d rows of R with the targets u, and a row of zeros whose target is the root of what no weights explain.
Where penalties have corners, solvers that visit columns many times pass d numbers of each instead of N. A dual a' of
these rows is, with v = R⁻¹a'_{1…d}, the dual a_i = (x_i − x̄)·(v − τ R⁻¹u) + τ (y_i − ȳ), τ = a'_{d+1}/√(‖t‖² − ‖u‖²).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from deciban.losses import Floats, Squared

from .closed_form import WELL_CONDITIONED
from .problem import Limits, Problem, Solution
from .reduction import Reduction
from .second_moments import LAST_BITS, Factor, Normal, equations_of_rows

# Rows for each column, and values, from which on that brings something, and columns up to which.
_ROWS = 4
_VALUES = 1 << 15
_COLUMNS = 1000
# What no weights explain is to be so many times what rounding takes from it, as the tolerance counts.
_CERTAIN = 100.0


@dataclass(frozen=True)
class Condensed(Reduction):
    """The problem of R and u, with what leads back.

    given   the problem as it came
    normal  its normal equations
    factor  R
    rest    ‖t‖² − ‖u‖²
    """

    given: Problem
    normal: Normal
    factor: Factor
    rest: float

    @staticmethod
    def suits(problem: Problem) -> bool:
        """Return whether the loss is squared, and dense rows are many beside the columns."""
        N, d = problem.shape
        plain = isinstance(problem.loss, Squared) and problem.K == 1 and problem.scale is None
        many = N * d >= _VALUES and _ROWS * (d + 1) <= N
        return plain and not problem.sparse and d <= _COLUMNS and many

    @classmethod
    def of(cls, problem: Problem, limits: Limits) -> Self | None:
        """Return the problem condensed; None where it does not suit, columns are nearly combinations of others, or so
        much is explained that rounding would show. Cost: N·d²/2 multiplications."""
        if not cls.suits(problem):
            return None
        given = problem.without_offset()
        with np.errstate(over="ignore", invalid="ignore"):
            normal = equations_of_rows(given.rows, given.y[:, None], given.c, given.intercept)
        if not (np.isfinite(normal.G).all() and np.isfinite(normal.z).all() and np.isfinite(normal.tt).all()):
            return None
        factor = Factor.of_gram(normal.G, normal.floor)
        if factor.rank < len(normal.G) or factor.condition() > WELL_CONDITIONED:
            return None
        u, total = factor.whiten(normal.z)[:, 0], float(normal.tt[0])
        rest = total - float(u @ u)
        if not rest * limits.tol > _CERTAIN * LAST_BITS * total:
            return None
        return cls(_problem_of(given, factor, np.append(u, np.sqrt(rest))), given, normal, factor, rest)

    def inward(self, solution: Solution) -> Solution:
        """Return the same weights, whose intercept follows from them."""
        return replace(solution, b=np.zeros_like(solution.b), dual=None)

    def outward(self, solution: Solution) -> Solution:
        """Return the intercept and the dual that go with the weights."""
        b = self.normal.intercept(solution.w.T)
        return replace(solution, b=b, dual=None if solution.dual is None else self._dual(solution.dual))

    def _dual(self, found: Floats) -> Floats:
        tau = float(found[-1]) / np.sqrt(self.rest)
        v = self.factor.solve((found - tau * self.problem.y)[:-1, None]).T
        shift = -self.normal.mean @ np.append(v, tau)
        dual: Floats = self.given.product(v, np.array([shift])) + tau * self.given.y
        return dual


def _problem_of(given: Problem, factor: Factor, targets: Floats) -> Problem:
    """Return the problem of R, its columns in their own order and length, and one row of zeros."""
    R = np.zeros((len(targets), len(factor.order)))
    R[:-1, factor.order] = factor.T
    R *= factor.scale
    ones = np.ones(len(targets))
    return replace(given, rows=R, y=targets, c=ones, intercept=False, offset=None, siblings=None)
