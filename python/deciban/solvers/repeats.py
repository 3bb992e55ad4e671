"""Equal examples as one of their summed weight, in an order of their values: a weight then means repetition exactly.

What a solver that goes from example to example returns depends on their order, and on how many there are, within its
tolerance. Of examples that are merged and sorted by a digest of their values it is the same, to the last bit, whether
one comes three times or with a weight of 3, and in whatever order examples or columns come: vocabularies number words
in one way and tables in another. Examples that digests cannot tell apart stay in the order in which they came.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from deciban.data.folds import bits_of, hashes, mixed

from .problem import Problem, Solution

Digests = NDArray[np.uint64]


@dataclass(frozen=True)
class Merged:
    """The problem of the examples that differ, and which of these each example is (N,)."""

    problem: Problem
    of: NDArray[np.intp]

    @classmethod
    def of_problem(cls, problem: Problem) -> Self:
        """Merge and sort the examples. Cost: three passes over X, and sorting N numbers twice."""
        group, kept = _grouped(problem)
        rows = _taken(problem, kept)
        order = np.lexsort((kept, problem.y[kept], _ranks(replace(problem, rows=rows, y=problem.y[kept]))))
        place = np.empty(len(kept), dtype=np.intp)
        place[order] = np.arange(len(kept))
        of, kept = place[group], kept[order]
        c = np.bincount(of, problem.c, minlength=len(kept)).astype(np.float64)
        offset = None if problem.offset is None else problem.offset[kept]
        return cls(replace(problem, rows=_taken(problem, kept), y=problem.y[kept], c=c, offset=offset), of)

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


def _grouped(problem: Problem) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The group of each example (N,), equal ones in one, and of each group (M,) the example that came first."""
    digests = hashes(_matrix(problem) if problem.sparse else problem.rows, 0)
    offset = np.zeros(len(problem.y)) if problem.offset is None else problem.offset
    order = np.lexsort((offset, problem.y, digests))
    same = np.logical_and.reduce([of[order][1:] == of[order][:-1] for of in (digests, problem.y, offset)])
    near = np.flatnonzero(same)
    if len(near):  # of rows that a digest takes for equal
        same[near] = _equal(problem, order[near], order[near + 1])
    new = np.append(True, ~same)
    group = np.empty(len(order), dtype=np.intp)
    group[order] = np.cumsum(new) - 1
    return group, order[new]  # lexsort leaves what is equal in its order


def _ranks(problem: Problem) -> Digests:
    """Digests of the rows (N,) that hang neither on the order of columns nor on that of rows.

    A row's is of its values and their columns; a column's of its values and their rows; the first of a row's values
    alone: two rounds of colour refinement (Weisfeiler & Leman 1968) of the graph whose edges are the values.
    """
    own = _over_rows(problem, np.zeros(problem.shape[1], dtype=np.uint64)) + mixed(bits_of(problem.y))
    return _over_rows(problem, _over_columns(problem, own))


def _over_rows(problem: Problem, columns: Digests) -> Digests:
    """Of each row (N,) the sum, modulo 2⁶⁴ and so in any order, of digests of its values other than 0 and `columns`."""
    if problem.sparse:
        data, indices, indptr, _ = problem.rows
        sums = np.append(np.uint64(0), np.cumsum(_of_values(data, columns[indices])))[indptr]
        return np.asarray(sums[1:] - sums[:-1])
    sums = [_of_values(rows, columns).sum(axis=1) for rows in _blocks(problem.rows)]
    return np.concatenate(sums)


def _over_columns(problem: Problem, rows: Digests) -> Digests:
    """The same of each column (d,) with `rows`."""
    if problem.sparse:
        data, indices, indptr, d = problem.rows
        sums = np.zeros(d, dtype=np.uint64)
        np.add.at(sums, indices, _of_values(data, np.repeat(rows, np.diff(indptr))))
        return sums
    sums, start = np.zeros(problem.shape[1], dtype=np.uint64), 0
    for block in _blocks(problem.rows):
        sums += _of_values(block, rows[start : start + len(block), None]).sum(axis=0)
        start += len(block)
    return sums


def _blocks(X: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The rows in blocks that a cache holds."""
    step = max(1, 2**15 // max(1, X.shape[1]))
    return [X[start : start + step] for start in range(0, len(X), step)]


def _of_values(values: NDArray[np.float64], of: Digests) -> Digests:
    """Digests of values, each with that of its row or column; 0 of the value 0, which sparse rows leave out."""
    return np.where(values == 0.0, np.uint64(0), mixed(mixed(bits_of(values)) + of))


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
