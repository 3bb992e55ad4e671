"""Problems to their optimum: a solver comes near, and what it leaves open is closed, or said to be open.

A solver stops where no condition of optimality is violated by much, which proves a gap only where coefficients are
small. What ends here as `CONVERGED` has a relative gap within the tolerance, whatever the machine and its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from deciban import _core
from deciban.certificates.certificate import is_within
from deciban.data.devices import elsewhere
from deciban.errors import DataError
from deciban.losses import Floats
from deciban.solvers.problem import Limits, Status, Step

from . import blocks, smo
from .certificate import KernelProof, intercepts, prove, prove_solution
from .problem import KernelProblem, KernelSolution, gram_of_problem
from .refinement import balance

# Rows at most: all of their Gram matrix is made.
ROWS = 1000
# Rounds of a solver, after which a finish is tried.
ROUNDS = 10
# And after one that rounding, or too many free coefficients, left without a proof.
MORE = 200
# So many rows of the kernel, half of what a block takes, are spent on pairs of coefficients before blocks are: many
# problems of few support vectors need no more.
FEW_ROWS = 512
# They cost little more than in a block where all rows stay in the cache of a core: so many values in floats.
_IN_CACHE = 1 << 19
# So many rounds cost about what the quadratic programme costs, of so many coefficients at most; it takes so many
# matrices of all of them.
_PAIRS, _LARGEST, _MATRICES = 500, 2000, 3
# So many more rounds are spent on smaller violations where no programme is at hand.
_TIGHTENING = 5000
# A coefficient of an interior point that is so near to its bound, for one of 1, is taken to be there.
_NEAR = 1e-6


def suits(problem: KernelProblem) -> bool:
    """Return whether the Gram matrix is small, some megabytes, and at hand, and all bounds are finite."""
    return 0 < problem.count <= ROWS and not elsewhere(problem.X) and _is_bounded(problem)


def _is_bounded(problem: KernelProblem) -> bool:
    return bool(np.isfinite(problem.lo).all() and np.isfinite(problem.hi).all())


def _has_programme(problem: KernelProblem, memory: int) -> bool:
    return _has_room(problem.m, memory) and not elsewhere(problem.X) and _is_bounded(problem)


def _has_room(m: int, memory: int) -> bool:
    return 0 < m <= _LARGEST and 8 * _MATRICES * m**2 <= memory


def first_try(problem: KernelProblem, limits: Limits, memory: int) -> Limits:
    """Return as many rounds of a solver as are worth their time before something else is tried."""
    rounds = ROUNDS if suits(problem) else _PAIRS if _has_programme(problem, memory) else limits.max_iter
    return replace(limits, max_iter=min(limits.max_iter, rounds))


def first_rounds(count: int, limits: Limits, memory: int) -> Limits:
    """Return the same of problems of classification, of finite bounds, whose largest has so many rows."""
    rounds = ROUNDS if count <= ROWS else _PAIRS if _has_room(count, memory) else limits.max_iter
    return replace(limits, max_iter=min(limits.max_iter, rounds))


def to_the_end(
    solver: Any,
    problem: KernelProblem,
    limits: Limits,
    start: KernelSolution | Floats | None,
    seed: int,
    memory: int,
) -> KernelSolution:
    """Return what the solver finds, and what finishes it."""
    started = perf_counter()
    within = first_try(problem, limits, memory)
    found: KernelSolution = solver.solve(problem, within, start=start, seed=seed, memory=memory)
    return finish_solution(solver, problem, limits, found, memory, started)


def may_begin_by_pairs(problem: KernelProblem) -> bool:
    """Return whether single rows of the kernel cost little: the core computes it, of dense rows that a cache holds."""
    X = problem.X
    dense = isinstance(X, np.ndarray) and X.ndim == 2 and blocks.has_tiles(problem)
    return dense and min(problem.m, problem.count) * X.shape[1] <= _IN_CACHE


def begin_by_pairs(problem: KernelProblem, limits: Limits, memory: int) -> KernelSolution:
    """Return the optimum: by pairs of coefficients where few rows of the kernel are enough, else by blocks."""
    started = perf_counter()
    found = smo.solve(problem, limits, memory=memory, rows=FEW_ROWS)
    return go_on_by_blocks(problem, limits, found, memory, started)


def go_on_by_blocks(
    problem: KernelProblem, limits: Limits, found: KernelSolution, memory: int, started: float
) -> KernelSolution:
    """Return the optimum, from what pairs of coefficients found; from where they needed more rows, by blocks."""
    if found.status is not Status.EXHAUSTED or found.iterations >= limits.max_iter:
        return finish_solution(smo, problem, limits, found, memory, started)
    within = _Ending(blocks, problem, limits, memory, started).rest(found)
    more = blocks.solve(problem, within, found.beta, memory=memory, gradient=found.gradient)
    return finish_solution(blocks, problem, limits, found.followed_by(more), memory, started)


def finish_solution(
    solver: Any,
    problem: KernelProblem,
    limits: Limits,
    found: KernelSolution,
    memory: int,
    started: float | None = None,
) -> KernelSolution:
    """Return the optimum, from what the solver found in its first try; `CONVERGED` where its gap is within the
    tolerance."""
    if found.landmarks is not None or not can_finish(found, limits):
        return found
    end = _Ending(solver, problem, limits, memory, perf_counter() if started is None else started)
    return end.of_small(found) if suits(problem) else end.of_large(found)


def can_finish(found: KernelSolution, limits: Limits) -> bool:
    """Return whether a solver ended for what it found, or for the rounds of its first try."""
    cut = found.status is Status.EXHAUSTED and found.iterations < limits.max_iter
    return cut or found.status is Status.CONVERGED


@dataclass(frozen=True)
class _Ending:
    """What is left of the limits of one problem, and who solves it."""

    solver: Any
    problem: KernelProblem
    limits: Limits
    memory: int
    started: float

    def of_small(self, found: KernelSolution) -> KernelSolution:
        """Return the optimum up to rounding, where that has a proof."""
        K = compute_gram(self.problem)
        if K is None:
            return found
        end = finish(self.problem, K, self.limits, found)
        if end.status is not Status.EXHAUSTED or self.limits.max_iter <= found.iterations:
            return end
        more = self.go_on(end, self.rest(end, MORE))
        end = finish(self.problem, K, self.limits, more) if more.status is Status.CONVERGED else more
        return self.by_programme(end, K)

    def of_large(self, found: KernelSolution) -> KernelSolution:
        """Return the optimum within the tolerance."""
        first = found.status is Status.CONVERGED
        found = self.tighten(found, _PAIRS if _has_programme(self.problem, self.memory) else _TIGHTENING)
        if found.status is not Status.EXHAUSTED or found.iterations >= self.limits.max_iter:
            return found
        found = self.by_programme(found)
        if found.status is not Status.EXHAUSTED or first:  # no violation is left to go by
            return found
        return self.tighten(self.go_on(found, self.rest(found)), _TIGHTENING)

    def rest(self, found: KernelSolution, rounds: int | None = None) -> Limits:
        """Return the limits, less what was spent."""
        left = self.limits.after(perf_counter() - self.started, found.iterations)
        return left if rounds is None else replace(left, max_iter=min(left.max_iter, rounds))

    def go_on(self, found: KernelSolution, limits: Limits) -> KernelSolution:
        """Return what the solver makes of it."""
        more: KernelSolution = self.solver.solve(self.problem, limits, start=found, memory=self.memory)
        return found.followed_by(more)

    def tighten(self, found: KernelSolution, rounds: int) -> KernelSolution:
        """Return what smaller and smaller violations lead to, until the gap is within the tolerance, or after so many
        more rounds."""
        if not _is_bounded(self.problem):
            return found
        least, most = np.inf, min(self.limits.max_iter, found.iterations + rounds)
        while found.status in (Status.CONVERGED, Status.EXHAUSTED):
            proof = prove_solution(self.problem, found)
            if is_within(proof.primal - proof.dual, proof.primal, self.limits.tol):
                return replace(found, status=Status.CONVERGED)
            if found.status is Status.EXHAUSTED or found.iterations >= most or not 0.0 < proof.violation < least:
                return replace(found, status=Status.EXHAUSTED)
            least = proof.violation
            tighter = replace(self.rest(found, most - found.iterations), tol=1e-2 * min(self.limits.tol, least))
            found = self.go_on(found, tighter)
        return found

    def by_programme(self, found: KernelSolution, K: Floats | None = None) -> KernelSolution:
        """Return the optimum by an interior point, which no price makes slow; what came where there is no proof of
        it."""
        from .qp import DualQP, read_dual

        problem, limits = self.problem, self.limits
        wanted = found.status is Status.EXHAUSTED and limits.max_iter >= _PAIRS
        if not wanted or not _has_programme(problem, self.memory) or DualQP().refusal(problem) is not None:
            return found
        K = compute_gram(problem) if K is None else K
        if K is None:
            return found
        answer, watch, beta = read_dual(problem, K[np.ix_(problem.row, problem.row)], self.rest(found))
        if watch.status is not None:
            return replace(found, status=watch.status)
        begun = replace(found, beta=_at_bounds(problem, beta), iterations=found.iterations + int(answer.iterations))
        end = finish(problem, K, limits, begun)
        return replace(end, solver=f"{found.solver}, {DualQP.NAME}") if end.status.finished else found


def _at_bounds(problem: KernelProblem, beta: Floats) -> Floats:
    """Return β of an interior point with those at their bounds that are near them."""
    beta, near = np.nan_to_num(beta), _NEAR * (problem.hi - problem.lo)
    beta = np.where(beta - problem.lo <= near, problem.lo, np.where(problem.hi - beta <= near, problem.hi, beta))
    return balance(problem, beta)


def compute_gram(problem: KernelProblem) -> Floats | None:
    """Return K (N, N) in float64, or None where it has values that are no numbers."""
    try:
        return np.ascontiguousarray(gram_of_problem(problem), dtype=np.float64)
    except DataError:
        return None


def finish(problem: KernelProblem, K: Floats, limits: Limits, solution: KernelSolution) -> KernelSolution:
    """Return the solution at the optimum, for the Gram matrix K (N, N), and `CONVERGED` where its proof is within the
    tolerance."""
    beta, gradient, cut = _core.finish_exactly(K, _describe(problem, solution.beta))
    b = intercepts(problem, beta, gradient)
    return _closed(solution, beta, gradient, b, prove(problem, beta, b, gradient + problem.t), limits, cut)


def _describe(problem: KernelProblem, beta: Floats) -> dict[str, Any]:
    """Return one problem as the core takes several."""
    return {
        "t": problem.t,
        "lo": problem.lo,
        "hi": problem.hi,
        "group": problem.group,
        "row": problem.row,
        "start": np.clip(beta, problem.lo, problem.hi),
        "ends": [0, problem.m],
        "rows": np.arange(problem.count),
        "row_ends": [0, problem.count],
        "sums": problem.sums,
    }


def close_together(
    limits: Limits, found: Sequence[KernelSolution], proofs: Sequence[KernelProof], exact: Sequence[bool]
) -> list[KernelSolution]:
    """Return what `smo.solve_together` found, of which it has finished the `exact` ones: these are `CONVERGED` where
    their proofs are within the tolerance."""
    return [
        _closed(each, each.beta, np.asarray(each.gradient), each.b, proof, limits)
        if done and can_finish(each, limits)
        else each
        for each, proof, done in zip(found, proofs, exact, strict=True)
    ]


def _closed(
    solution: KernelSolution,
    beta: Floats,
    gradient: Floats,
    b: Floats,
    proof: KernelProof,
    limits: Limits,
    cut: bool = False,
) -> KernelSolution:
    gap = proof.primal - proof.dual
    status = Status.CONVERGED if is_within(gap, proof.primal, limits.tol) else Status.EXHAUSTED
    status = Status.INTERRUPTED if cut else status
    last = solution.trace[-1].seconds if solution.trace else 0.0
    trace = (*solution.trace, Step(solution.iterations, proof.primal, gap, last))
    return replace(solution, beta=beta, b=b, status=status, trace=trace, gradient=gradient)
