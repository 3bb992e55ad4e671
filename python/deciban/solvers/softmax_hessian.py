"""Newton's step of many scores learnt together.

    H (V, v) = Σ c_i [p_i ∘ t_i − p_i (p_i·t_i)] (x_i, 1)ᵀ + λ(V, 0),      t_i = V x_i + v,  p_i = softmax(s_i)

Of few weights of rows that are mostly full H is formed, block by block: Σ c p_k(1 − p_k) x xᵀ for a class, and for two
−Σ c p_k p_l x xᵀ. Of dense rows with a penalty the core does that, and all of Newton's method
(`crates/core/src/solve/softmax.rs`). Else by conjugate gradients, preconditioned by the diagonal and stopped early as
in Lin, Weng & Keerthi, JMLR 9 (2008), section 4.

Cost: N·(K·d)²/2 multiplications and additions and (K·d)³/3 formed; two passes over X for every conjugate gradient.
"""

from __future__ import annotations

import numpy as np

from deciban._core import gram_diagonals
from deciban.blas import add_gram
from deciban.inner_product import dot
from deciban.losses import Floats
from deciban.threads import check_halted

from .hessian import DIRECT, Scaled
from .problem import Problem
from .second_moments import as_matrix

# Numbers of weighted rows that are multiplied at once.
_ROOM = 1 << 21
# Sparse rows that store so much of their columns are made dense, some at once.
_FULL = 0.25


class SoftmaxHessian:
    """Solves H (dW, db) = r (K, d + 1); of the intercepts, which may all move together, the solution that sums to 0."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.width = problem.shape[1] + problem.intercept
        full = problem.stored >= _FULL * problem.shape[0] * problem.shape[1]
        self.direct = full and problem.K * self.width <= DIRECT

    def solve(self, p: Floats, r: Floats) -> tuple[Floats, Floats]:
        """Return dW (K, d) and db (K,), given the probabilities p (N, K)."""
        if self.direct:
            x = np.zeros_like(r)
            x[:, : self.width] = Scaled(self._form(p)).solve(r[:, : self.width].ravel()).reshape(len(r), -1)
            if np.isfinite(x).all() and dot(r, x) > 0.0:
                return x[:, :-1], x[:, -1].copy()
        return self._by_gradients(p, r)

    def _form(self, p: Floats) -> Floats:
        """Return the lower triangle of H, class after class, with what keeps scores from moving together."""
        problem, m = self.problem, self.width
        N, K = p.shape
        H = np.zeros((K * m, K * m), order="F")
        own = [np.zeros((m, m), order="F") for _ in range(K)]
        whole = as_matrix(problem.rows)
        rows = max(256, _ROOM // (K * m))
        for i in range(0, N, rows):
            check_halted()
            part = slice(i, i + rows)
            X = np.ones((len(p[part]), m))
            X[:, : problem.shape[1]] = whole[part].toarray() if problem.sparse else whole[part]
            root = np.sqrt(problem.c[part])[:, None]
            add_gram(H, ((root * p[part])[:, :, None] * X[:, None, :]).reshape(len(X), K * m))
            for k, total in enumerate(own):
                add_gram(total, root * np.sqrt(p[part, k] * (1.0 - p[part, k]))[:, None] * X)
        np.negative(H, out=H)
        free = np.arange(m) >= (problem.shape[1] if problem.penalty.l2 else 0)
        for k, total in enumerate(own):
            total[np.diag_indices(m)] += np.where(np.arange(m) < problem.shape[1], problem.penalty.l2, 0.0)
            H[k * m : (k + 1) * m, k * m : (k + 1) * m] = total
        apart = np.diag(np.where(free, np.mean([total.diagonal() for total in own], axis=0), 0.0))
        for k in range(K):
            for j in range(k + 1):
                H[k * m : (k + 1) * m, j * m : (j + 1) * m] += apart
        return H

    def _by_gradients(self, p: Floats, r: Floats) -> tuple[Floats, Floats]:
        problem, l2, free = self.problem, self.problem.penalty.l2, float(self.problem.intercept)
        c = problem.c[:, None]
        curved = c * p * (1.0 - p)
        squares = gram_diagonals(problem.rows, curved, n_jobs=problem.n_jobs)
        diagonal = np.column_stack([squares + l2, curved.sum(axis=0)])
        scale = 1.0 / np.maximum(diagonal, 1e-12 * max(1.0, float(diagonal.max())))

        def times(q: Floats) -> Floats:
            t = problem.product(q[:, :-1], q[:, -1].copy())
            u = c * p * (t - (p * t).sum(axis=1, keepdims=True))
            return np.column_stack([problem.combination(u) + l2 * q[:, :-1], free * u.sum(axis=0)])

        r = r.copy()
        x, z = np.zeros_like(r), scale * r
        z[:, -1] *= free
        q, rz = z.copy(), dot(r, z)
        enough = 0.01 * rz
        for _ in range(100):
            if rz <= enough:
                break
            check_halted()
            h = times(q)
            curvature = dot(q, h)
            if curvature <= 0.0:
                break
            x += rz / curvature * q
            r -= rz / curvature * h
            z = scale * r
            z[:, -1] *= free
            rz, before = dot(r, z), rz
            q = z + rz / before * q
        return x[:, :-1], x[:, -1].copy()
