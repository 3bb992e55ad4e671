"""Landmarks: the best machine among the functions of a few rows, for more rows than an exact one can bear.

    min over c (m,), b of   ½‖w‖² + Σ_i upper_i max(0, 1 − y_i (f(x_i) + b)),      f = w·φ = Σ_j c_j K(z_j, ·)

for landmarks z_j, m of the rows, drawn by a hash. With Φ = K_XZ·K_ZZ^(−1/2) (Williams & Seeger, NIPS 2001) this is a
linear machine of m features, which dual coordinate ascent solves; c = K_ZZ^(−1/2)·w. Where all rows are landmarks it is
the exact machine. What is lost is measured: `landmarks.prove`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deciban.certificates.gap import relative_gap
from deciban.data.folds import hashes
from deciban.data.rows import reals_for_core
from deciban.inner_product import dot
from deciban.kernels.kernel import check_whole
from deciban.losses import Floats, Hinge
from deciban.penalties import L2
from deciban.solvers import dual_coordinate
from deciban.solvers.problem import Problem, Solution, Status, Step

from .landmarks import Landmarks
from .problem import KernelProblem, KernelSolution, Limits
from .smo import MEMORY
from .start import feasible

# How many landmarks there are where nobody says: what `memory` holds, within these bounds.
FEWEST, MOST = 256, 2000


@dataclass(frozen=True)
class Approximate:
    """A solver of `count` landmarks; None: as many as `memory` holds of their features in float32, 256 to 2,000.

    `SVM(solver="nystroem")` is `SVM(solver=Approximate())`; its `support_` are the landmarks, and `dual_coef_` what
    they weigh. The features are kept in float64 where these fit, too.

    >>> Approximate(500).NAME, Approximate().EXACT
    ('nystroem', False)
    """

    count: int | None = None
    NAME: ClassVar[str] = "nystroem"
    EXACT: ClassVar[bool] = False

    def refusal(self, problem: KernelProblem) -> str | None:
        """What the problem lacks, or None."""
        finite = np.isfinite(problem.lo).all() and np.isfinite(problem.hi).all()
        told_apart = problem.plain and len(problem.sums) == 1 and not problem.sums.any() and (problem.t**2 == 1.0).all()
        if not (finite and told_apart):
            return "needs classes at a finite C: not ν, the hard margin, regression or one class"
        if hasattr(problem.X, "__array_namespace__") and not isinstance(problem.X, np.ndarray):
            return "needs rows of NumPy or SciPy, whose features the core reads"
        return None

    def solve(
        self,
        problem: KernelProblem,
        limits: Limits,
        start: KernelSolution | Floats | None = None,
        seed: int = 0,
        memory: int = MEMORY,
    ) -> KernelSolution:
        """The optimum over landmarks drawn by `seed`; β is its dual, `landmarks` what it is made of."""
        rows = self._drawn(problem, seed, memory)
        from deciban.features.nystroem import Nystroem  # which itself solves nothing, but reads rows as machines do

        features = Nystroem(problem.kernel, landmarks=rows).fit(problem.X)
        fits = 8 * problem.count * len(rows) <= memory
        F = features.features(problem.X, np.float64 if fits else np.float32)
        upper = problem.hi - problem.lo
        linear = Problem(reals_for_core(F), problem.t, upper, Hinge(), L2(1.0), True, 1, problem.n_jobs)
        found, beta = _solved(problem, linear, limits, None if start is None else feasible(problem, start), seed)
        made = Landmarks(rows, features.whitening_ @ found.w[0], features.whitening_, features.error_)
        return KernelSolution(beta, found.b, found.status, found.iterations, self.NAME, found.trace, landmarks=made)

    def _drawn(self, problem: KernelProblem, seed: int, memory: int) -> NDArray[np.intp]:
        """Those with the smallest hashes, whatever the order of the rows; machines that share rows share landmarks."""
        N = problem.count
        if self.count is not None:
            check_whole("count", self.count)
        count = min(MOST, max(FEWEST, memory // (4 * N))) if self.count is None else int(self.count)
        if count >= N:
            return np.arange(N)
        return np.sort(np.argsort(hashes(problem.X, seed + 1), kind="stable")[:count])


# The tolerance of the first look.
_FIRST = 0.1
# Duals this near to a bound, for one of 1, are moved to it.
_NEAR = 1e-7


def _settled(problem: KernelProblem, beta: Floats) -> Floats:
    """β at its bounds where it is near them, and with the sum 0, by what lies between the bounds if that is enough."""
    a = np.abs(beta) / (problem.hi - problem.lo)
    free = (a > _NEAR) & (a < 1.0 - _NEAR)
    beta = np.where(free, beta, np.where(a > 0.5, problem.hi + problem.lo, 0.0))
    missing = -float(beta.sum())
    room = np.where(free, problem.hi - beta if missing > 0.0 else beta - problem.lo, 0.0)
    if float(room.sum()) > abs(missing):
        beta = beta + missing * room / float(room.sum())
    return feasible(problem, beta)


def _solved(
    problem: KernelProblem, linear: Problem, limits: Limits, beta: Floats | None, seed: int
) -> tuple[Solution, Floats]:
    """The solution of the linear problem and its β, begun at another one.

    The linear solver's own bound shrinks one side of its dual as a whole, where `_settled` moves what is free, and
    closes the gap in fewer passes: tolerances tighten step by step until it does.
    """
    tol, passes, ended = max(_FIRST, limits.tol), 0, perf_counter() + (limits.time_limit or np.inf)
    trace: tuple[Step, ...] = ()
    while True:
        left = None if limits.time_limit is None else max(1e-3, ended - perf_counter())
        within = replace(limits, tol=tol, max_iter=limits.max_iter - passes, time_limit=left)
        found = dual_coordinate.solve(linear, within, None if beta is None else _begun(linear, beta), seed)
        assert found.dual is not None
        beta, passes, trace = _settled(problem, linear.c * found.dual), passes + found.iterations, trace + found.trace
        done = tol <= limits.tol or _gap(linear, found, beta) <= limits.tol
        if done or not found.status.finished or passes >= limits.max_iter:
            status = Status.EXHAUSTED if found.status.finished and not done else found.status
            return replace(found, iterations=passes, trace=trace, status=status), beta
        tol = max(limits.tol, 0.25 * tol)


def _gap(linear: Problem, found: Solution, beta: Floats) -> float:
    """The relative gap between the primal at w, b and the dual at β. Cost: two passes over the features."""
    primal, v = linear.primal(found.w, linear.scores(found.w, found.b)), linear.combination(beta)
    return relative_gap(primal, dot(linear.y, beta) - 0.5 * dot(v, v))


def _begun(linear: Problem, beta: Floats) -> Solution:
    start = np.zeros((1, linear.shape[1])), np.zeros(1)
    return Solution(*start, Status.EXHAUSTED, 0, Approximate.NAME, beta / linear.c)
