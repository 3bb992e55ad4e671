"""The hard margin: no example may lie inside the street."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from deciban.data.rows import is_sparse, reals_for_core
from deciban.errors import NotSeparableError
from deciban.inner_product import dot
from deciban.losses import Floats, Hinge
from deciban.solvers import Limits, Problem, Solution, Status, dual_coordinate, quadratic_programme
from deciban.solvers.second_moments import as_matrix

# Prices of an error that are tried in turn; once no example pays it, the margin is hard.
_PRICES = 10.0 ** np.arange(0, 13, 2)
# Whoever said so does not want another price tried.
_ENDED = (Status.STOPPED, Status.INTERRUPTED, Status.OUT_OF_TIME)
# Passes over the examples at a price: few where a quadratic programme can take over.
_PASSES = 20_000
_FEW_PASSES = 300
# Sparse rows of up to so many values are moved to their middle, which makes them dense.
_DENSE = 4_000_000


def solve_hard(problem: Problem, limits: Limits, seed: int) -> Solution:
    """Return the solution of min ½‖w‖² subject to y_i (x_i·w + b) ≥ 1, found in units of the examples' own spread.

    Dual ascent on a soft margin, at a price that nobody pays, finds which rows are on the margin; a quadratic
    programme, where it is small enough, makes that exact. NotSeparableError, with a witness, where there is no margin.
    """
    inside = centre_rows(problem)
    exact = quadratic_programme.suits_street(as_matrix(inside.problem.rows))
    solution = _raise_price(inside, limits, seed, _FEW_PASSES if exact else _PASSES)
    if exact and solution.status not in _ENDED:
        solution = _exact(inside, solution)
    return inside.own(solution)


@dataclass(frozen=True)
class Centred:
    """A problem of rows (x − middle) / size, and the problem of the rows x that it is of."""

    problem: Problem
    middle: Floats | None
    size: float
    given: Problem

    def own(self, solution: Solution) -> Solution:
        """Return the solution in the units of the rows x."""
        assert solution.dual is not None
        w = solution.w / self.size
        shift = 0.0 if self.middle is None else dot(w[0], self.middle)
        return replace(solution, w=w, b=solution.b - shift, dual=solution.dual / self.size**2)

    def refuse(self, found: tuple[Floats, Floats]) -> NotSeparableError:
        """Return the error that shows a point and a mixture, in the units of the rows x."""
        point = self.size * found[0] + (0.0 if self.middle is None else self.middle)
        return NotSeparableError(point, found[1])


def centre_rows(problem: Problem) -> Centred:
    """Return the problem with rows of mean 0, where there is an intercept, and of mean length 1."""
    X: Any = as_matrix(problem.rows)
    N, d = X.shape
    middle = None
    if problem.intercept and (not is_sparse(X) or N * d <= _DENSE):
        X = X.toarray() if is_sparse(X) else X
        X = X.astype(np.float64)
        middle = X[0] + (X - X[0]).mean(axis=0)
        X = X - middle
    values = X.data if is_sparse(X) else X.reshape(-1)
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    size = largest * float(np.sqrt(np.square(values / largest).sum() / N)) or 1.0
    X = X / size
    return Centred(replace(problem, rows=reals_for_core(X)), middle, size, problem)


def _raise_price(inside: Centred, limits: Limits, seed: int, passes: int) -> Solution:
    """Return the soft margin at rising prices, until no example pays."""
    problem = inside.problem
    limits = replace(limits, tol=min(limits.tol, 1e-10), max_iter=passes)
    begun = perf_counter()
    solution: Solution | None = None
    parted = False
    for price in _PRICES:
        soft = replace(problem, loss=Hinge(), c=np.full(len(problem.y), price))
        start = None if solution is None or solution.dual is None else replace(solution, dual=solution.dual / 100.0)
        solution = dual_coordinate.solve(soft, limits.after(perf_counter() - begun), start, seed)
        assert solution.dual is not None
        priced = replace(solution, dual=price * solution.dual)
        if solution.status in _ENDED:
            return priced
        slack = 1.0 - problem.y * problem.scores(solution.w, solution.b)
        if np.abs(solution.dual).max() < 1.0 - 1e-9 and slack.max() <= 1e-6:
            return priced
        if slack.max() > 1e-6 and not parted:
            found = witness(problem)
            if found is not None:
                raise inside.refuse(found)
            parted = True
    return priced


def _exact(inside: Centred, solution: Solution) -> Solution:
    """Return the solution of the quadratic programme that begins at what was found."""
    problem = inside.problem
    assert solution.dual is not None
    start = quadratic_programme.Street(solution.w[0], float(solution.b[0]), np.abs(solution.dual), np.inf)
    found = quadratic_programme.widest_street(as_matrix(problem.rows), problem.y, problem.intercept, start)
    if found is None:
        mixed = witness(problem)
        if mixed is not None:
            raise inside.refuse(mixed)
        return solution
    exact = replace(
        solution, w=found.w[None, :], b=np.array([found.b]), dual=problem.y * found.alpha, status=Status.CONVERGED
    )
    return exact if found.violation <= quadratic_programme.STREET_IS_ENOUGH else solution


def as_soft_margin(problem: Problem, solution: Solution) -> tuple[Problem, Solution]:
    """Return the soft margin whose optimum the hard one is, every error at a price above each α, and a = α / price."""
    assert solution.dual is not None
    price = 2.0 * float(np.abs(solution.dual).max(initial=0.0)) or 1.0
    soft = replace(problem, loss=Hinge(), c=np.full(len(problem.y), price))
    return soft, replace(solution, dual=solution.dual / price)


def witness(problem: Problem) -> tuple[Floats, Floats] | None:
    """Return a point in the convex hulls of both classes and its mixture (N,), or None where a hyperplane separates
    them.

        find u ≥ 0 with   Σ_+ u_i x_i = Σ_− u_i x_i,   Σ_+ u_i = Σ_− u_i = 1      (Farkas 1902)

    Without an intercept the hyperplane goes through the origin: then u with Σ_i y_i u_i x_i = 0, Σ u_i = 1. Each column
    is in units of its own size.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    X: Any = as_matrix(problem.rows)
    y = problem.y
    signed = X.multiply(y[:, None]).T.tocsr() if sparse.issparse(X) else sparse.csr_array((X * y[:, None]).T)
    sizes = np.asarray(abs(signed).max(axis=1).todense()).reshape(-1)
    signed = (sparse.diags_array(1.0 / np.where(sizes > 0.0, sizes, 1.0)) @ signed).tocsr()
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
