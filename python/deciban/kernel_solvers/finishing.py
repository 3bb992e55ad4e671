"""Small problems to their optimum: a solver comes near, and what is left is `exact_finish`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deciban.devices import elsewhere
from deciban.errors import DataError
from deciban.inner_product import dot
from deciban.losses import Floats
from deciban.solvers.problem import Limits, Status, Step
from deciban.trust.gap import is_within

from .certificate import intercepts, prove
from .exact_finish import finished
from .gram import gram
from .problem import KernelProblem, KernelSolution

# Rows at most: all of their Gram matrix is made.
ROWS = 1000
# Rounds of a solver, after which a finish is tried.
_ROUNDS = 10
# And after one that rounding, or too many free coefficients, left without a proof.
MORE = 200


def suits(problem: KernelProblem) -> bool:
    """Whether the Gram matrix is small, some megabytes, and at hand, and all bounds are finite."""
    few = 0 < problem.count <= ROWS and not elsewhere(problem.X)
    return bool(few and np.isfinite(problem.lo).all() and np.isfinite(problem.hi).all())


def brief(limits: Limits) -> Limits:
    """As many rounds as are worth their time before a finish is tried."""
    return replace(limits, max_iter=min(limits.max_iter, _ROUNDS))


def is_worth(limits: Limits, solution: KernelSolution) -> bool:
    """Whether a solver that was given brief limits ended as somebody may who is not to be stopped here."""
    cut = solution.status is Status.EXHAUSTED and limits.max_iter > _ROUNDS
    return solution.landmarks is None and (cut or solution.status is Status.CONVERGED)


def gram_of(problem: KernelProblem) -> Floats | None:
    """K (N, N) in float64, or None where it has values that are no numbers."""
    try:
        return gram(problem)
    except DataError:
        return None


def finish(problem: KernelProblem, K: Floats, limits: Limits, solution: KernelSolution) -> KernelSolution:
    """Return the solution at the optimum, and `CONVERGED` where its proof is within the tolerance."""
    middle = _middle(K) if not problem.sums.sum() else np.zeros(len(K))
    near = K - middle[:, None] - middle
    beta = finished(problem, near, solution.beta)
    of_rows = problem.of_rows(beta)
    f = (near @ of_rows + dot(middle, of_rows))[problem.row]
    b = intercepts(problem, beta, f - problem.t)
    proof = prove(problem, beta, b, f)
    gap = proof.primal - proof.dual
    status = Status.CONVERGED if is_within(gap, proof.primal, limits.tol) else Status.EXHAUSTED
    last = solution.trace[-1].seconds if solution.trace else 0.0
    trace = (*solution.trace, Step(solution.iterations, proof.primal, gap, last))
    return replace(solution, beta=beta, b=b, status=status, trace=trace, gradient=f - problem.t)


def _middle(K: Floats) -> Floats:
    """(N,) what to take from K_ij for i and for j, so that it is of the rows about their middle."""
    inner = K.mean(axis=1)
    return np.asarray(inner - 0.5 * inner.mean())
