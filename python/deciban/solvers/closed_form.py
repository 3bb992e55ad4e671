"""Least squares and ridge regression in closed form.

    min over w, b of   Σ c_i (y_i − x_i·w − b)² + ½λ‖w‖²,      so that (ZᵀZ + ½λI) w = Zᵀt

with Z = √c (X − x̄) and t = √c (y − ȳ); without intercept nothing is taken off. Where w is not unique (λ = 0 and columns
that are combinations of others) it is the shortest. No inverse is ever formed. The ways, by what the data are:

    d ≤ 4000, well conditioned   where rows are not fewer than columns, or sparse: Cholesky's factor of ZᵀZ + ½λI, then
                                 corrected by the residuals of the data themselves (corrected seminormal equations:
                                 Björck, Linear Algebra Appl. 88/89, 1987)
    dense                        Householder's QR factorisation of Z with λ's rows beneath, then pivoted; where rows are
                                 fewer than columns, ½λ > 0: Cholesky's factor of ZZᵀ + ½λI, else the SVD of Z
    sparse                       LSMR (Fong & Saunders, SIAM J. Sci. Comput. 33, 2011), to 1e-12; X never becomes dense
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, qr, svd

from deciban._core import combination, scores
from deciban.losses import Floats, Squared

from .limits import Watch
from .problem import Limits, Problem, Solution, Status
from .second_moments import LAST_BITS, Factor, Normal, as_matrix, equations_of_rows

NAME = "closed-form"
EXACT = True

# So many features at most for which XᵀX is formed.
DIRECT = 4000
# Up to this condition of Z the factor of ZᵀZ, of twice as many digits lost, is a start that corrections make exact.
WELL_CONDITIONED = 1e4
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Fit:
    """w (d, K), b (K,); the rank of Z and its condition number as given and with columns of length 1, as far as known;
    how many iterations it took, 0 for a closed form, and whether they were enough."""

    w: Floats
    b: Floats
    rank: int | None
    condition: float | None
    scaled_condition: float | None
    iterations: int = 0
    enough: bool = True


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    if not isinstance(problem.loss, Squared):
        return f"needs the loss 'squared', whose slope is linear; that of {problem.loss.name!r} is not"
    if problem.penalty.l1:
        return f"needs the penalty 'l2' or None, whose slopes are linear; that of {problem.penalty.name!r} is not"
    return None


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum; there is nothing to start from and nothing random."""
    return solve_together([problem.without_offset()], limits)[0][0]


def solve_together(
    problems: list[Problem], limits: Limits, normal: Callable[[], Normal] | None = None
) -> tuple[list[Solution], Fit]:
    """Return problems that differ in nothing but y, with one factorisation; `normal` makes their normal equations, of
    what is known already."""
    watch, first = Watch(limits), problems[0]
    Y = np.column_stack([problem.y for problem in problems])
    try:
        fit = least_squares(first.rows, Y, first.c, first.penalty.l2, first.intercept, normal, first.n_jobs)
    except KeyboardInterrupt:
        d = first.shape[1]
        fit, status = Fit(np.zeros((d, Y.shape[1])), np.zeros(Y.shape[1]), None, None, None), Status.INTERRUPTED
    else:
        status = Status.EXHAUSTED if not fit.enough else Status.CONVERGED if fit.iterations else Status.EXACT
    try:
        watch(fit.iterations, np.nan, np.nan)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return [
        Solution(w[None, :], np.array([b]), status, fit.iterations, NAME, None, tuple(watch.trace))
        for w, b in zip(fit.w.T, fit.b, strict=True)
    ], fit


def least_squares(
    rows: Any,
    Y: Floats,
    c: Floats,
    l2: float = 0.0,
    intercept: bool = True,
    normal: Callable[[], Normal] | None = None,
    n_jobs: int | None = None,
) -> Fit:
    """Return the optimum for the columns of Y (N, K), weights c (N,); `rows` is X as the core takes it.

    >>> fit = least_squares(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]]), np.ones(3))
    >>> fit.w.round(12).tolist(), fit.b.round(12).tolist(), fit.rank
    ([[2.0]], [1.0], 1)
    """
    data = _Data(rows, Y, c, 0.5 * l2, intercept, n_jobs)
    factor = None
    if data.d <= DIRECT and (data.d <= data.height or data.sparse):
        known = normal() if normal else equations_of_rows(as_matrix(rows), Y, c, intercept)
        factor = Factor.of_gram(add_ridge(known.G, data.ridge), known.floor)
        if factor.rank == data.d and factor.condition() <= WELL_CONDITIONED:
            return data.correct_by_residuals(known, factor)
    return data.iterate(factor) if data.sparse else data.factorise()


def from_moments(normal: Normal, l2: float) -> Fit:
    """Return the optimum from the normal equations alone: half the digits of X where its columns are nearly
    collinear."""
    factor = Factor.of_gram(add_ridge(normal.G, 0.5 * l2), normal.floor)
    w = factor.solve_normal(normal.z)
    return Fit(w, normal.intercept(w), factor.rank, factor.condition_as_given(), factor.condition())


def add_ridge(G: Floats, ridge: float) -> Floats:
    """Return G + ridge·I."""
    if not ridge:
        return G
    G = G.copy()
    G[np.diag_indices(len(G))] += ridge
    return G


@dataclass(frozen=True, eq=False)
class _Data:
    rows: Any
    Y: Floats
    c: Floats
    ridge: float
    intercept: bool
    n_jobs: int | None

    @property
    def sparse(self) -> bool:
        return isinstance(self.rows, tuple)

    @property
    def height(self) -> int:
        return len(self.Y)

    @property
    def d(self) -> int:
        return int(self.rows[3] if self.sparse else self.rows.shape[1])

    def means(self) -> tuple[Floats, Floats]:
        """Return x̄ (d,) and ȳ (K,), 0 without intercept."""
        if not self.intercept:
            return np.zeros(self.d), np.zeros(self.Y.shape[1])
        n = self.c.sum()
        mean = combination(self.rows, np.ascontiguousarray(self.c[:, None]), n_jobs=self.n_jobs)[0] / n
        return mean, self.c @ self.Y / n

    def varying(self, mean: Floats) -> NDArray[np.bool_]:
        """Return (d,) which columns of a sparse X are more than the rounding of their means x̄."""
        if not self.intercept:
            return np.ones(self.d, dtype=bool)
        data, j, indptr, _ = self.rows
        c, n = np.repeat(self.c, np.diff(indptr)), self.c.sum()
        apart = data - mean[j]
        some_absent = np.bincount(j, minlength=self.d) < self.height
        absent = np.where(some_absent, n - np.bincount(j, c, self.d), 0.0)
        off = np.bincount(j, c * apart, self.d) - absent * mean  # 0, but for the rounding of the mean itself
        square = np.bincount(j, c * np.square(apart), self.d) + absent * np.square(mean) - np.square(off) / n
        floor = LAST_BITS**2 * np.bincount(j, c * np.square(data, dtype=np.float64), self.d)
        varies: NDArray[np.bool_] = square > floor
        return varies

    def correct_by_residuals(self, normal: Normal, factor: Factor) -> Fit:
        """Solve the normal equations, then correct by residuals of the data."""
        w = factor.solve_normal(normal.z)
        b = normal.intercept(w)
        scale = factor.scale[:, None]
        for _ in range(3):
            s = scores(self.rows, np.ascontiguousarray(w.T), b, n_jobs=self.n_jobs)
            r = self.c[:, None] * (self.Y - s)
            missing = combination(self.rows, np.ascontiguousarray(r), n_jobs=self.n_jobs).T
            if self.intercept:
                missing = missing - np.outer(normal.mean[: self.d], r.sum(axis=0))
            step = factor.solve_normal(missing - self.ridge * w)
            w = w + step
            b = normal.intercept(w)
            # As much as the first solution was wrong, each step is of what it corrects.
            if np.abs(scale * step).max(initial=0.0) <= _EPS**0.5 * np.abs(scale * w).max(initial=0.0):
                break
        return Fit(w, b, self.d, factor.condition_as_given(), factor.condition())

    def factorise(self) -> Fit:
        """Solve by an orthogonal factorisation of the data."""
        x, y = self.means()
        root = np.sqrt(self.c)[:, None]
        X = self.rows.astype(np.float64, copy=False)
        Z, t = root * (X - x), root * (self.Y - y)
        if self.d > self.height:
            return self._wide(Z, t, x, y)
        size = np.sqrt(np.einsum("ij,ij->j", Z, Z) + self.c.sum() * np.square(x))
        both = np.vstack([np.hstack([Z, t]), np.zeros((self.d if self.ridge else 0, self.d + t.shape[1]))])
        if self.ridge:
            both[self.height :, : self.d] = np.sqrt(self.ridge) * np.eye(self.d)
        R = qr(np.asfortranarray(both), mode="r", overwrite_a=True, check_finite=False)[0][: self.d]
        factor, Qt = Factor.of(R[:, : self.d], 4.0 * _EPS * size, self.height)
        w = factor.solve(Qt @ R[:, self.d :])
        return Fit(w, y - x @ w, factor.rank, factor.condition_as_given(), factor.condition())

    def _wide(self, Z: Floats, t: Floats, x: Floats, y: Floats) -> Fit:
        if self.ridge:
            K = add_ridge(Z @ Z.T, self.ridge)
            if np.abs(K).sum(axis=1).max() <= self.ridge / _EPS**0.5:
                w = Z.T @ cho_solve(cho_factor(K, lower=True, check_finite=False), t, check_finite=False)
                return Fit(w, y - x @ w, self.d, None, None)
        U, g, V = svd(Z, full_matrices=False, check_finite=False)
        kept = g > max(Z.shape) * _EPS * g.max(initial=0.0)
        U, g, V = U[:, kept], g[kept, None], V[kept]
        w = V.T @ (U.T @ t * g / (np.square(g) + self.ridge))
        condition = float(g.max() / g.min()) if len(g) else 1.0
        return Fit(w, y - x @ w, self.d if self.ridge else int(kept.sum()), condition, None)

    def iterate(self, factor: Factor | None) -> Fit:
        """Solve by LSMR, from 0, so that of all optima it comes to the shortest; columns of full rank are scaled
        first."""
        x, y = self.means()
        root = np.sqrt(self.c)
        whole = factor is not None and factor.rank == self.d and not self.ridge
        scale = 1.0 / factor.scale if factor is not None and whole else np.ones(self.d)
        scale = np.where(self.varying(x), scale, 0.0)
        none = np.zeros(1)

        def times(w: Floats) -> Floats:
            w = scale * w.ravel()
            result: Floats = root * (scores(self.rows, w[None, :], none - x @ w, n_jobs=self.n_jobs)[:, 0])
            return result

        def across(u: Floats) -> Floats:
            u = root * u.ravel()
            sums = combination(self.rows, np.ascontiguousarray(u[:, None]), n_jobs=self.n_jobs)[0]
            result: Floats = scale * (sums - x * u.sum())
            return result

        from scipy.sparse.linalg import LinearOperator, lsmr

        Z = LinearOperator((self.height, self.d), times, across, dtype=np.float64)
        most = 100 + 10 * min(self.height, self.d)
        w, iterations, enough = np.zeros((self.d, self.Y.shape[1])), 0, True
        for k, target in enumerate((self.Y - y).T):
            damp = np.sqrt(self.ridge)
            found = lsmr(Z, root * target, damp=damp, atol=1e-12, btol=1e-12, conlim=1e14, maxiter=most)
            w[:, k], iterations, enough = scale * found[0], max(iterations, found[2]), enough and found[1] != 7
        rank = None if factor is None else factor.rank
        condition = None if factor is None else factor.condition_as_given()
        return Fit(w, y - x @ w, rank, condition, None if factor is None else factor.condition(), iterations, enough)


__all__ = ["DIRECT", "NAME", "Fit", "from_moments", "least_squares", "refusal", "solve", "solve_together"]
