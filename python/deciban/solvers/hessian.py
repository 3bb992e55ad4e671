"""The linear systems of Newton's method: XᵀDX + λI, bordered by the intercept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.sparse import csr_matrix

from deciban._core import gram, gram_diagonals
from deciban.blas import lower_gram
from deciban.inner_product import dot
from deciban.losses import Floats
from deciban.threads import check_halted

from .problem import Problem

# So many features at most that the Hessian itself is formed.
DIRECT = 1000
# So many values a row, of dense and of sparse rows, make XᵀDX dearer than some ten products with it.
_DEAR = (256, 100)
# So many rows a feature are drawn, and the residual of a step is to shrink so far.
_SAMPLE = 8
_FORCED = 0.03
# A factor that needs more steps than these of conjugate gradients is of weights too far off, and is made anew.
_OLD = 6
# Steps of conjugate gradients where nothing else can follow, and how many must cost less than the factor where it can.
_MOST, _FEW = 250, 10
# Nanoseconds of a step beside its products, of a product with a sparse X, of one in the factor, and of a number of H,
# which is written some ten times.
_STEP, _PRODUCT, _OF_FACTOR, _OF_H = 60_000.0, 1.0, 0.1, 10.0


class Scaled:
    """Cholesky's factor of H (n, n), of which the lower triangle is given and overwritten: columns are scaled to one
    length first, and what rounding makes indefinite gets a small ridge. Cost: n³/3."""

    def __init__(self, H: Floats) -> None:
        diagonal = H.diagonal()
        self.scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        H *= self.scale[:, None]
        H *= self.scale
        least, refused = 1e-14, 1
        while refused:
            ridged = H.copy(order="F")
            ridged.reshape(-1, order="F")[:: len(H) + 1] += least
            self._factor, refused = dpotrf(ridged, lower=1, clean=0, overwrite_a=1)
            least *= 10.0

    def solve(self, g: Floats) -> Floats:
        """Return H⁻¹g (n,)."""
        found: Floats = self.scale * dpotrs(self._factor, self.scale * g, lower=1)[0]
        return found


class Factor:
    """The factor of [[XᵀDX + diag(ridge), XᵀD1], [1ᵀDX, 1ᵀD1]], b eliminated; without an intercept, of the first block.

    Cost: N·m² for m values a row, and d³/3.
    """

    def __init__(self, problem: Problem, D: Floats, ridge: Floats) -> None:
        H, d = lower_gram_of_rows(problem.rows, D, problem.n_jobs), len(ridge)
        self.mean, self.total = np.zeros(d), float(D.sum())
        self.border = problem.intercept and self.total > 0.0
        if self.border:
            self.mean = problem.combination(D)[0] / self.total
            H -= self.total * np.outer(self.mean, self.mean)
        H[np.diag_indices(d)] += ridge
        self._scaled = Scaled(H)

    def solve(self, g: Floats, border: float = 0.0) -> tuple[Floats, float]:
        """Return dw (d,) and db for the right-hand side (g, border)."""
        dw = self._scaled.solve(g - border * self.mean)
        return dw, (border / self.total if self.border else 0.0) - dot(self.mean, dw)


def _only(problem: Problem, rows: NDArray[np.intp]) -> Problem:
    """Return the problem of these rows."""
    X = problem.rows
    if isinstance(X, tuple):
        part = csr_matrix(X[:3], shape=problem.shape)[rows]
        X = (part.data, part.indices, part.indptr, X[3])
    else:
        X = X[rows]
    return replace(problem, rows=X, y=problem.y[rows], c=problem.c[rows], offset=None)


def lower_gram_of_rows(rows: Any, D: Floats, n_jobs: int | None = None) -> Floats:
    """Return the lower triangle of XᵀDX, of rows as the core takes them; what is above it may be anything."""
    return gram(rows, D, n_jobs=n_jobs) if isinstance(rows, tuple) else lower_gram(rows, D)


def _steps_of_factor(problem: Problem) -> int:
    """Return how many steps of conjugate gradients over sparse rows take half as long as the factor; 0 for dense ones,
    of which a step costs a good part of it."""
    if not problem.sparse:
        return 0
    N, d = problem.shape
    values = problem.stored
    factor = _PRODUCT * values * (values / max(N, 1)) + _OF_FACTOR * d**3 / 3 + _OF_H * d * d
    return int(factor / (_STEP + 4.0 * _PRODUCT * values) / 2)


def _forced(rz: float) -> float:
    """Return by how much the residual of a step is to shrink: the more, the nearer the optimum is."""
    return min(0.1, float(rz**0.25))


class Hessian:
    """Solves H (dw, db) = (g, 0) for H = [[XᵀDX + λI, XᵀD1], [1ᵀDX, 1ᵀD1]], b being minimised out already.

    Of at most `DIRECT` features by Cholesky's factor, of more by conjugate gradients, preconditioned by the diagonal;
    by these too, while they are quicker, where sparse rows are few: 300 short texts of 900 words take 1 ms, their
    factor 35. Where rows are many and have many values, so that XᵀDX costs more than dozens of passes over X, a sample
    of them makes the factor, and that preconditions conjugate gradients over all rows (Erdogdu & Montanari, NIPS
    2015): of n rows drawn, its condition is about ((1 + √(d/n))/(1 − √(d/n)))².
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.direct = problem.shape[1] <= DIRECT
        self.dear = problem.stored >= _DEAR[problem.sparse] * problem.shape[0]
        self.steps = 0  # of conjugate gradients, in the last solution
        self._most = _steps_of_factor(problem) if self.direct else _MOST
        self._factor: Factor | None = None

    def solve(self, D: Floats, g: Floats) -> tuple[Floats, float]:
        """Return dw (d,) and db."""
        l2, self.steps = self.problem.penalty.l2, 0
        if self._most >= _FEW:
            diagonal = gram_diagonals(self.problem.rows, D[:, None], n_jobs=self.problem.n_jobs)[0]
            scale = 1.0 / (diagonal + max(l2, 1e-12))
            dw, db, solved = self._by_gradients(D, g, lambda r: scale * r, _forced, self._most)
            if solved or not self.direct:
                return dw, db
            self._most = 0
        kept, d = np.flatnonzero(D), len(g)
        ridge = np.full(d, l2)
        if not self.dear or len(kept) <= 2 * _SAMPLE * d:
            return Factor(self.problem, D, ridge).solve(g)
        if self._factor is None:
            drawn = np.sort(np.random.default_rng(0).choice(kept, _SAMPLE * d, replace=False))
            self._factor = Factor(_only(self.problem, drawn), D[drawn] * (D.sum() / D[drawn].sum()), ridge)
        factor = self._factor
        dw, db, _ = self._by_gradients(D, g, lambda r: factor.solve(r)[0], lambda _: _FORCED, _MOST)
        if self.steps > _OLD:
            self._factor = None
        return dw, db

    def _by_gradients(
        self, D: Floats, g: Floats, nearly: Callable[[Floats], Floats], forced: Callable[[float], float], most: int
    ) -> tuple[Floats, float, bool]:
        """Solve by conjugate gradients: `nearly` solves the system roughly, `forced` says by how much the residual is
        to shrink; return dw, db, and whether `most` steps were enough."""
        problem, l2 = self.problem, self.problem.penalty.l2
        total = float(D.sum())
        border = problem.intercept and total > 0.0
        mean = problem.combination(D)[0] / total if border else np.zeros_like(g)

        def times(p: Floats) -> Floats:
            return problem.gram_times(D, p) - total * dot(mean, p) * mean + l2 * p

        x, r = np.zeros_like(g), g.copy()
        z = nearly(r)
        p, rz = z.copy(), dot(r, z)
        enough = forced(rz) ** 2 * rz
        for _ in range(most):
            if rz <= enough:
                break
            check_halted()
            q = times(p)
            self.steps += 1
            pq = dot(p, q)
            if pq <= 0.0:
                break
            x += rz / pq * p
            r -= rz / pq * q
            z = nearly(r)
            rz, before = dot(r, z), rz
            p = z + rz / before * p
        if not x.any():
            x = nearly(g)
        return x, -dot(mean, x), rz <= enough
