"""Problems of the same optimum that solvers see instead: columns centred, rows turned into few, equal examples merged.

`Centred`: columns far from 0. With an intercept the optimum is the same, but for b.

    x·w + b = (x − m)·w + (b + m·w)

A column of 10⁶ ± 1 has a thousand times the pull of the intercept and costs half of the digits of every system that is
solved; of x − m nothing is lost. Dense columns only: sparse ones would not be sparse any more.

`Turned`: fewer rows than columns. With the penalty ½λ‖w‖² alone the optimum is a combination of rows, w = Q v with
orthonormal Q (d, N) of Xᵀ = Q R, so that ‖w‖ = ‖v‖ and X w = Rᵀ v: a problem of N columns, which costs 4·N²·d once
(Householder's QR) and saves methods that solve systems of d equations nearly all of each.

`Merged`: equal examples as one of their summed weight, in an order of their values: a weight then means repetition
exactly. What a solver that goes from example to example returns depends on their order, and on how many there are,
within its tolerance. Of examples that are merged and sorted by a digest of their values it is the same, to the last
bit, whether one comes three times or with a weight of 3, and in whatever order examples or columns come: vocabularies
number words in one way and tables in another. Examples that digests cannot tell apart stay in the order in which they
came.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.sparse import csr_matrix

from deciban._core import distinct
from deciban.data.folds import hashes
from deciban.losses import CrammerSinger, Floats
from deciban.threads import check_halted

from .hessian import DIRECT
from .problem import Problem, Solution

# A mean so many standard deviations from 0 is far.
_FAR = 100.0
# Binary digits of the spread to which a mean is taken.
_DIGITS = 10
# So many rows tell whether one is.
_LOOKED_AT = 1000


@dataclass(frozen=True)
class Reduction(ABC):
    """A problem that a solver sees instead of another, and the way in and out of it for weights and duals."""

    problem: Problem

    @abstractmethod
    def inward(self, solution: Solution) -> Solution:
        """Return what is known of the other problem as it is known of this one."""

    @abstractmethod
    def outward(self, solution: Solution) -> Solution:
        """Return the optimum of this problem as one of the other."""

    def solve(self, run: Callable[[Problem, Solution | None], Solution], start: Solution | None) -> Solution:
        """Return what `run` makes of this problem, where it starts from what is known of the other."""
        return self.outward(run(self.problem, None if start is None else self.inward(start)))


@dataclass(frozen=True)
class Centred(Reduction):
    """The problem of x − m, and m (d,)."""

    mean: Floats

    @classmethod
    def of(cls, problem: Problem) -> Self | None:
        """Return the problem centred, or None where that would bring nothing: of many scores learnt together it always
        does, as their intercepts are found by steps of first order."""
        X = problem.rows
        if not (problem.intercept and problem.loss.convex) or isinstance(X, tuple) or not X.size:
            return None
        shared = problem.siblings
        known = isinstance(shared, Siblings) and shared.have(problem)
        centred = shared.centred() if known else _centre(problem)
        return None if centred is None else cls(replace(problem, rows=centred[0]), centred[1])

    def inward(self, solution: Solution) -> Solution:
        """Return the same weights for the centred columns."""
        return replace(solution, b=solution.b + solution.w @ self.mean)

    def outward(self, solution: Solution) -> Solution:
        """Return the weights for the columns as they come."""
        return replace(solution, b=solution.b - solution.w @ self.mean)


def _centre(problem: Problem) -> tuple[Floats, Floats] | None:
    """Return x − m and m, or None where no column is far from 0."""
    X = problem.rows
    if not isinstance(problem.loss, CrammerSinger) and not _is_far(X[:: -(-len(X) // _LOOKED_AT)]):
        return None
    mean = _near_mean(X, problem.c)
    # The difference of a float64 column and a number near to all of it is exact.
    return np.ascontiguousarray(X - mean), mean


def _near_mean(X: Floats, c: Floats) -> Floats:
    """Return numbers of few digits near the means, so that weights and repetitions, which round otherwise, have the
    same."""
    share = c / c.sum()
    mean = share @ X.astype(np.float64, copy=False)
    spread = np.sqrt(share @ np.square(X - mean))
    unit = np.exp2(np.floor(np.log2(np.where(spread > 0.0, spread, 1.0))) - _DIGITS)
    near: Floats = np.where(spread > 1e-14 * np.abs(mean), np.round(mean / unit) * unit, mean)
    return near


def _is_far(X: Floats) -> bool:
    """Return whether some column that is not constant lies far from 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
        return bool(((np.abs(mean) > _FAR * spread) & (spread > 1e-14 * np.abs(mean))).any())


@dataclass(frozen=True)
class Turned(Reduction):
    """The problem of Rᵀ (N, N), and Q (d, N)."""

    Q: Floats

    @staticmethod
    def suits(problem: Problem) -> bool:
        """Return whether dense rows are few, and fewer than columns, and w is a combination of them."""
        penalty, (N, d) = problem.penalty, problem.shape
        combined = bool(penalty.l2) and not penalty.l1 and not penalty.nonnegative
        return combined and not problem.sparse and 0 < N < d and N <= DIRECT

    @classmethod
    def of(cls, problem: Problem) -> Self | None:
        """Return the problem turned, or None where it does not suit."""
        if not cls.suits(problem):
            return None
        shared = problem.siblings
        Q, rows = shared.turned() if isinstance(shared, Siblings) and shared.have(problem) else _turn(problem)
        return cls(replace(problem, rows=rows, siblings=None), Q)

    def inward(self, solution: Solution) -> Solution:
        """Return the weights of the combination nearest to what is given."""
        return replace(solution, w=solution.w @ self.Q)

    def outward(self, solution: Solution) -> Solution:
        """Return the weights for the columns as they come."""
        return replace(solution, w=solution.w @ self.Q.T)


def _turn(problem: Problem) -> tuple[Floats, Floats]:
    Q, R = qr(problem.rows.T.astype(np.float64), mode="economic", overwrite_a=True, check_finite=False)
    return Q, np.ascontiguousarray(R.T)


@dataclass(frozen=True)
class Merged(Reduction):
    """The problem of the examples that differ, and which of these each example is (N,)."""

    of: NDArray[np.intp]

    @classmethod
    def of_problem(cls, problem: Problem) -> Self:
        """Merge and sort the examples; for problems of one against the rest, which have the same examples, once.

        Cost: a pass over the values, three more where rows share theirs, and sorting N numbers
        (`crates/core/src/solve/distinct.rs`).
        """
        shared = problem.siblings
        if not (isinstance(shared, Siblings) and shared.have(problem)):
            return cls(*_merge(problem))
        whole, of, kept = shared.merged()
        return cls(replace(problem, rows=whole.rows, y=problem.y[kept], c=whole.c), of)

    def inward(self, solution: Solution) -> Solution:
        """Return the same dual of the examples that differ."""
        if solution.dual is None:
            return solution
        dual = np.zeros((len(self.problem.y), *solution.dual.shape[1:]))
        dual[self.of] = solution.dual
        return replace(solution, dual=dual)

    def outward(self, solution: Solution) -> Solution:
        """Return the same dual of all examples."""
        return solution if solution.dual is None else replace(solution, dual=solution.dual[self.of])


class Siblings:
    """Problems that differ in their targets alone, as one against the rest, class by class, does."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self._first, self._targets = problems[0], [each.y for each in problems]
        self._lock = Lock()
        self._merged: tuple[Problem, NDArray[np.intp], NDArray[np.intp]] | None = None
        self._sums: Floats | None = None
        self._turned: tuple[Floats, Floats] | None = None
        self._centred: list[tuple[Floats, Floats] | None] = []

    @classmethod
    def join(cls, problems: Sequence[Problem]) -> list[Problem]:
        """Return the problems, knowing of each other where they are about the same rows and weights."""
        first = problems[0]
        if first.siblings is not None:
            return list(problems)
        if len(problems) < 2 or not all(each.rows is first.rows and each.c is first.c for each in problems):
            return list(problems)
        shared = cls(problems)
        return [replace(each, siblings=shared) for each in problems]

    def have(self, problem: Problem) -> bool:
        """Return whether these are the problem's rows and weights, as they came."""
        same = problem.rows is self._first.rows and problem.c is self._first.c
        return same and all(each.offset is None and each.scale is None for each in (problem, self._first))

    def combination(self, problem: Problem, u: Floats) -> Floats:
        """Return Σ c_i u_i x_i for a u (N,) that is the same for all examples of a side, from the examples of one side
        and, once for all problems, Σ c_i x_i.

        Threads of the core ask for it where they prove an optimum: nobody may wait here for who waits for them."""
        if self._sums is None:
            self._sums = self._first.combination(self._first.c)
        one = problem.y > 0.0
        both = float(u[one][:1].sum()), float(u[~one][:1].sum())
        own = problem.combination(np.where(one, problem.c, 0.0))
        found: Floats = both[0] * own + both[1] * (self._sums - own)
        return found

    def centred(self) -> tuple[Floats, Floats] | None:
        """Return what `Centred` makes of the rows, if anything, once for all problems."""
        with self._lock:
            if not self._centred:
                self._centred.append(_centre(self._first))
        return self._centred[0]

    def turned(self) -> tuple[Floats, Floats]:
        """Return what `Turned` makes of the rows, once for all problems."""
        with self._lock:
            if self._turned is None:
                self._turned = _turn(self._first)
        return self._turned

    def merged(self) -> tuple[Problem, NDArray[np.intp], NDArray[np.intp]]:
        """Return a problem of the examples that differ in any target or value, which of these each example is (N,), and
        where each of these was first."""
        with self._lock:  # whoever comes first does it for all
            if self._merged is None:
                told = hashes(np.column_stack(self._targets), 0)
                names = np.unique(told, return_inverse=True)[1].astype(np.float64)
                whole, of = _merge(replace(self._first, y=names), np.zeros(len(names)))
                kept = np.empty(len(whole.y), dtype=np.intp)
                kept[of[::-1]] = np.arange(len(of))[::-1]
                self._merged = whole, of, kept
        return self._merged


def _merge(problem: Problem, ranked: Floats | None = None) -> tuple[Problem, NDArray[np.intp]]:
    """Return the problem of the examples that differ, sorted by values and by the numbers `ranked` (N,), and which of
    these each example is; by default they are the targets."""
    y = np.ascontiguousarray(problem.y, dtype=np.float64)
    offset = None if problem.offset is None else np.ascontiguousarray(problem.offset)
    of, kept = distinct(problem.rows, y, y if ranked is None else ranked, offset=offset, n_jobs=problem.n_jobs)
    c = np.bincount(of, problem.c, minlength=len(kept)).astype(np.float64)
    offset = None if offset is None else offset[kept]
    check_halted()  # rows may be many
    rows = _take(problem, kept)
    check_halted()
    return replace(problem, rows=rows, y=problem.y[kept], c=c, offset=offset), of


def _take(problem: Problem, places: NDArray[np.intp]) -> Any:
    if not problem.sparse:
        return np.ascontiguousarray(problem.rows[places])
    X = csr_matrix(problem.rows[:3], shape=problem.shape)[places]
    return X.data, X.indices, X.indptr, problem.rows[3]
