"""The linear systems of Newton's method: XᵀDX + λI, bordered by the intercept."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from deciban._core import combination, gram
from deciban.inner_product import dot
from deciban.losses import Floats

from .problem import Problem

# So many features at most that the Hessian itself is formed.
DIRECT = 1000
# Rows of a dense X that are weighted at once.
_ROWS = 4096


class Hessian:
    """Solves H (dw, db) = (g, 0) for H = [[XᵀDX + λI, XᵀD1], [1ᵀDX, 1ᵀD1]], b being minimised out already.

    Of at most `DIRECT` features by Cholesky's factor; of more by conjugate gradients, preconditioned by the diagonal.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.direct = problem.shape[1] <= DIRECT
        self._squares: Any = None

    def solve(self, D: Floats, g: Floats) -> tuple[Floats, float]:
        """dw (d,) and db."""
        return self._by_factor(D, g) if self.direct else self._by_gradients(D, g)

    def _by_factor(self, D: Floats, g: Floats) -> tuple[Floats, float]:
        H = self._gram(D)
        d = len(g)
        mean, total = np.zeros(d), float(D.sum())
        if self.problem.intercept and total > 0.0:
            mean = self.problem.combination(D)[0] / total
            H = H - total * np.outer(mean, mean)
        diagonal = H.diagonal()
        least = 1e-12 * max(float(diagonal.max(initial=0.0)), 1e-300)
        ridge = max(self.problem.penalty.l2, least)
        while True:
            try:
                factor = cho_factor(H + ridge * np.eye(d), lower=True, overwrite_a=True, check_finite=False)
                break
            except LinAlgError:  # columns that are combinations of others, but for rounding
                ridge = max(100.0 * ridge, least)
        dw: Floats = cho_solve(factor, g, check_finite=False)
        return dw, -dot(mean, dw)

    def _gram(self, D: Floats) -> Floats:
        """The lower triangle of XᵀDX."""
        X = self.problem.rows
        if isinstance(X, tuple):
            return gram(X, D, n_jobs=self.problem.n_jobs)
        kept = np.flatnonzero(D)
        total = np.zeros((X.shape[1], X.shape[1]), order="F")
        for i in range(0, len(kept), _ROWS):
            part = kept[i : i + _ROWS]
            weighted = np.sqrt(D[part])[:, None] * X[part]
            total = dsyrk(1.0, weighted.T, beta=1.0, c=total, lower=1, overwrite_c=1)
        return total

    def _by_gradients(self, D: Floats, g: Floats) -> tuple[Floats, float]:
        problem, l2 = self.problem, self.problem.penalty.l2
        total = float(D.sum())
        border = problem.intercept and total > 0.0
        none = np.zeros(1)

        def times(p: Floats) -> tuple[Floats, float]:
            s = D * problem.product(p[None, :], none)
            middle = -float(s.sum()) / total if border else 0.0
            return problem.combination(s + middle * D)[0] + l2 * p, middle

        scale = 1.0 / (self._diagonal(D) + max(l2, 1e-12))
        x, r = np.zeros_like(g), g.copy()
        z = scale * r
        p, rz = z.copy(), dot(r, z)
        enough = min(0.1, rz**0.25) ** 2 * rz
        for _ in range(250):
            if rz <= enough:
                break
            q, _ = times(p)
            pq = dot(p, q)
            if pq <= 0.0:
                break
            x += rz / pq * p
            r -= rz / pq * q
            z = scale * r
            rz, before = dot(r, z), rz
            p = z + rz / before * p
        if not x.any():
            x = scale * g
        return x, times(x)[1] if border else 0.0

    def _diagonal(self, D: Floats) -> Floats:
        """The diagonal of XᵀDX."""
        if self._squares is None:
            X = self.problem.rows
            self._squares = (np.square(X[0]), *X[1:]) if isinstance(X, tuple) else np.square(X)
        diagonal: Floats = combination(self._squares, np.ascontiguousarray(D[:, None]), n_jobs=self.problem.n_jobs)[0]
        return diagonal
