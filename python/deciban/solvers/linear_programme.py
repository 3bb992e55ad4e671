"""Piecewise linear losses, exactly, as linear programmes.

    min over w, b of   Σ c_i ℓ(y_i, x_i·w + b + o_i) + λ‖w‖₁,      ℓ = |y − s|   or   ℓ = max(0, m − y·s)

by its dual, which has a row a feature and a bounded variable an example:

    max over u of   Σ (t_i − o_i) u_i      subject to   |Σ u_i x_ij| ≤ λ for each j,   Σ u_i = 0 (the intercept),
    t_i = y_i and |u_i| ≤ c_i,   or   t_i = m·y_i and 0 ≤ y_i u_i ≤ c_i

The prices of its rows are w and b, and a_i = u_i/c_i proves them. Charnes, Cooper & Ferguson, Management Science 1
(1955), and of the hinge Zhu, Rosset, Hastie & Tibshirani, NIPS 2003, "1-norm support vector machines"; solved by HiGHS:
Huangfu & Hall, Mathematical Programming Computation 10 (2018). Many w may be optimal; this is a vertex. Cost: grows
with N·d and the number of pivots; to about 10^5 rows of 10^2 features. One "iteration" is one of HiGHS, and no callback
is called meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from deciban.losses import Floats

from . import interior_point
from .limits import Watch
from .problem import Limits, Problem, Solution, Status
from .second_moments import as_matrix

NAME = "linear-programme"
EXACT = True
# Of many optima the vertex depends on the order of the examples and on how many there are.
ORDERED = True


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    wrong = interior_point.refuse_curved(problem)
    if wrong:
        return wrong
    if problem.penalty.l2:
        return f"needs the penalty 'l1' or None, which are piecewise linear; {problem.penalty.name!r} is not"
    return None


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum; nothing to start from is used, and nothing is random."""
    watch = Watch(limits)
    N, d = problem.shape
    try:
        unit = min(1.0, float(problem.c.max()))
        found = _maximum(problem, limits, unit)
    except KeyboardInterrupt:
        return Solution(np.zeros((1, d)), np.zeros(1), Status.INTERRUPTED, 0, NAME)
    w, b, dual = np.zeros((1, d)), np.zeros(1), np.zeros(N)
    status = Status.CONVERGED if found.status == 0 else Status.EXHAUSTED
    if found.x is None:
        status = Status.OUT_OF_TIME if limits.time_limit is not None else Status.OVERFLOW
    else:
        w, b = _prices(problem, found)
        dual = unit * found.x / problem.c
    watch(int(found.nit), -np.inf if found.fun is None else -float(found.fun) * unit, 0.0)
    return Solution(w, b, watch.status or status, int(found.nit), NAME, dual, tuple(watch.trace))


def _maximum(problem: Problem, limits: Limits, unit: float) -> Any:
    """Return the dual as SciPy takes it, of u in units of the largest weight where that is small: HiGHS's tolerances
    are absolute."""
    from scipy.optimize import linprog  # half a second, which only those wait for who solve one

    X, c, strength = as_matrix(problem.rows), problem.c, problem.penalty.l1 / unit
    across = sparse.csc_array(X.T, dtype=np.float64)
    balance = sparse.csc_array(np.ones((1, len(c)))) if problem.intercept else sparse.csc_array((0, len(c)))
    options: dict[str, Any] = {} if limits.time_limit is None else {"time_limit": limits.time_limit}
    gain, least_u, most_u = interior_point.lines(problem)
    bounds = np.column_stack([least_u, most_u]) / unit
    if not strength:
        rows = sparse.vstack([across, balance], format="csc")
        return linprog(-gain, A_eq=rows, b_eq=np.zeros(rows.shape[0]), bounds=bounds, options=options)
    both = sparse.vstack([across, -across], format="csc")
    least = {"A_eq": balance, "b_eq": np.zeros(1)} if problem.intercept else {}
    most = np.full(both.shape[0], strength)
    return linprog(-gain, A_ub=both, b_ub=most, bounds=bounds, options=options, **least)


def _prices(problem: Problem, found: Any) -> tuple[Floats, Floats]:
    """Return w (1, d) and b (1,): how the maximum grows with the right-hand sides."""
    d = problem.shape[1]
    if problem.penalty.l1:
        w = found.ineqlin.marginals[d:] - found.ineqlin.marginals[:d]
        b = found.eqlin.marginals
    else:
        w, b = found.eqlin.marginals[:d], found.eqlin.marginals[d:]
        w = -w
    return np.array(w)[None, :], -np.array(b) if problem.intercept else np.zeros(1)
