"""The dual of a kernel machine the slow way: SciPy's general solver, from several starts of precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import LinearConstraint, minimize

from deciban.kernel_solvers import KernelProblem
from deciban.kernel_solvers.problem import feasible_start


def gram(problem: KernelProblem) -> Any:
    """K̃ (m, m) in doubles."""
    K = problem.kernel.tile(problem.X, problem.kernel.centres(problem.X))
    return np.asarray(K)[np.ix_(problem.row, problem.row)]


def objective(problem: KernelProblem, beta: Any) -> float:
    """D(β)."""
    return float(0.5 * beta @ gram(problem) @ beta - problem.t @ beta)


def optimum(problem: KernelProblem) -> float:
    """The least D, by sequential quadratic programming."""
    K, G = gram(problem), len(problem.sums)
    members = (problem.group[None, :] == np.arange(G)[:, None]).astype(float)
    found = minimize(
        lambda b: 0.5 * b @ K @ b - problem.t @ b,
        feasible_start(problem),
        jac=lambda b: K @ b - problem.t,
        bounds=list(zip(problem.lo, problem.hi, strict=True)),
        constraints=[LinearConstraint(members, problem.sums, problem.sums)],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    return float(found.fun)
