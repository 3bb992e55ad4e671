"""Equal examples as one of their summed weight, in an order of their values: a weight then means repetition exactly.

What a solver that goes from example to example returns depends on their order, and on how many there are, within its
tolerance. Of examples that are merged and sorted by a random projection of their values it is the same, to the last
bit, in whatever order they come and whether one comes three times or with a weight of 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from deciban._core import scores

from .problem import Problem, Solution


@dataclass(frozen=True)
class Merged:
    """The problem of the examples that differ, and which of these each example is (N,)."""

    problem: Problem
    of: NDArray[np.intp]

    @classmethod
    def of_problem(cls, problem: Problem) -> Self:
        """The problem, merged and sorted. Cost: two passes over X."""
        order, first = _sorted(problem)
        group = np.cumsum(first) - 1
        of = np.empty(len(order), dtype=np.intp)
        of[order] = group
        c = np.bincount(of, problem.c, minlength=int(group[-1]) + 1).astype(np.float64)
        kept = order[first]
        offset = None if problem.offset is None else problem.offset[kept]
        rows = _taken(problem, kept)
        return cls(replace(problem, rows=rows, y=problem.y[kept], c=c, offset=offset), of)

    def inward(self, solution: Solution | None) -> Solution | None:
        """The same dual of the examples that differ."""
        if solution is None or solution.dual is None:
            return solution
        dual = np.zeros((len(self.problem.y), *solution.dual.shape[1:]))
        dual[self.of] = solution.dual
        return replace(solution, dual=dual)

    def outward(self, solution: Solution) -> Solution:
        """The same dual of all examples."""
        return solution if solution.dual is None else replace(solution, dual=solution.dual[self.of])


def _sorted(problem: Problem) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """An order of the examples (N,) by their values, and which of them in this order is not equal to the one before."""
    drawn = np.random.default_rng(0).normal(size=(2, problem.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        keys = scores(problem.rows, drawn, np.zeros(2), n_jobs=problem.n_jobs)
    offset = np.zeros(len(problem.y)) if problem.offset is None else problem.offset
    order = np.lexsort((offset, problem.y, keys[:, 1], keys[:, 0]))
    columns = np.column_stack([keys, problem.y, offset])[order]
    same = (columns[1:] == columns[:-1]).all(axis=1)
    near = np.flatnonzero(same)
    if len(near):  # of rows that a projection takes for equal
        same[near] = _equal(problem, order[near], order[near + 1])
    return order, np.append(True, ~same)


def _equal(problem: Problem, one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether rows have the same values."""
    if not problem.sparse:
        equal: NDArray[np.bool_] = (problem.rows[one] == problem.rows[other]).all(axis=1)
        return equal
    X = _matrix(problem)
    same: NDArray[np.bool_] = np.asarray(abs(X[one] - X[other]).max(axis=1).todense()).ravel() == 0.0
    return same


def _taken(problem: Problem, places: NDArray[np.intp]) -> Any:
    if not problem.sparse:
        return np.ascontiguousarray(problem.rows[places])
    X = _matrix(problem)[places]
    return X.data, X.indices, X.indptr, problem.rows[3]


def _matrix(problem: Problem) -> Any:
    return csr_matrix(problem.rows[:3], shape=problem.shape)
