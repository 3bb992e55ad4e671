"""The hard margin: no example may lie inside the street."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from deciban.errors import NotSeparableError
from deciban.losses import Floats, Hinge
from deciban.solvers import Limits, Problem, Solution, Status, dual_coordinate

# Prices of an error that are tried in turn; once no example pays it, the margin is hard.
_PRICES = 10.0 ** np.arange(0, 13, 2)
# Whoever said so does not want another price tried.
_ENDED = (Status.STOPPED, Status.INTERRUPTED, Status.OUT_OF_TIME)


def solve_hard(problem: Problem, limits: Limits, seed: int) -> Solution:
    """min ½‖w‖² subject to y_i (x_i·w + b) ≥ 1: the soft margin at a price that nobody pays is the hard one."""
    limits = replace(limits, tol=min(limits.tol, 1e-10), max_iter=max(limits.max_iter, 20_000))
    begun = perf_counter()
    solution: Solution | None = None
    for price in _PRICES:
        soft = replace(problem, loss=Hinge(), c=np.full(len(problem.y), price))
        start = None if solution is None or solution.dual is None else replace(solution, dual=solution.dual / 100.0)
        solution = dual_coordinate.solve(soft, _left(limits, begun), start, seed)
        assert solution.dual is not None
        if solution.status in _ENDED:
            return replace(solution, dual=price * solution.dual)
        slack = 1.0 - problem.y * problem.scores(solution.w, solution.b)
        if np.abs(solution.dual).max() < 1.0 - 1e-9 and slack.max() <= 1e-6:
            return replace(solution, dual=price * solution.dual)
        if slack.max() > 1e-6 and (found := witness(problem)) is not None:
            raise NotSeparableError(*found)
    assert solution is not None
    assert solution.dual is not None
    return replace(solution, dual=_PRICES[-1] * solution.dual)


def _left(limits: Limits, begun: float) -> Limits:
    """The same limits with what is left of the time."""
    if limits.time_limit is None:
        return limits
    return replace(limits, time_limit=max(limits.time_limit - (perf_counter() - begun), 1e-9))


def priced(problem: Problem, solution: Solution) -> tuple[Problem, Solution]:
    """The soft margin whose optimum the hard one is, every error at a price above each α, and a = α / price."""
    assert solution.dual is not None
    price = 2.0 * float(np.abs(solution.dual).max(initial=0.0)) or 1.0
    soft = replace(problem, loss=Hinge(), c=np.full(len(problem.y), price))
    return soft, replace(solution, dual=solution.dual / price)


def witness(problem: Problem) -> tuple[Floats, Floats] | None:
    """A point in the convex hulls of both classes and its mixture (N,), or None where a hyperplane separates them.

        find u ≥ 0 with   Σ_+ u_i x_i = Σ_− u_i x_i,   Σ_+ u_i = Σ_− u_i = 1      (Farkas 1902)

    Without an intercept the hyperplane goes through the origin: then u with Σ_i y_i u_i x_i = 0, Σ u_i = 1.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    X: Any = problem.rows
    X = sparse.csr_array((X[0], X[1], X[2]), shape=(len(problem.y), X[3])) if isinstance(X, tuple) else X
    y = problem.y
    signed = X.multiply(y[:, None]).T.tocsr() if sparse.issparse(X) else sparse.csr_array((X * y[:, None]).T)
    one = sparse.csr_array(np.ones((1, len(y))))
    sides = [sparse.csr_array((y > 0.0)[None, :].astype(float)), sparse.csr_array((y < 0.0)[None, :].astype(float))]
    rows = [signed, *(sides if problem.intercept else [one])]
    size = [np.zeros(signed.shape[0]), np.ones(len(rows) - 1)]
    found = linprog(np.zeros(len(y)), A_eq=sparse.vstack(rows), b_eq=np.concatenate(size), method="highs")
    if found.status != 0:
        return None
    mixture: Floats = found.x
    positive = np.where(y > 0.0, mixture, 0.0)
    return np.asarray(X.T @ positive).ravel(), mixture
