"""Sums over kernels, in tiles: what scores, certificates and gradients are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.losses import Floats

from .problem import KernelProblem, take

# How many values of a kernel are held at once.
_TILE = 1 << 22


def scores(kernel: Any, X: Any, Z: Any, coefficients: Floats, n_jobs: int | None = None) -> Floats:
    """(n, K) Σ_j K(x_i, z_j) coefficients_jk in float64, for X of n rows, Z of m rows, coefficients (m, K).

    Cost: n·m values of the kernel, some millions of them in memory at a time.
    """
    X, Z = _doubles(X), _doubles(Z)
    n, m = _count(X), _count(Z)
    out = np.zeros((n, coefficients.shape[1]))
    step = max(1, _TILE // max(m, 1))
    for first in range(0, n if m else 0, step):
        part = slice(first, first + step)
        out[part] = np.asarray(kernel.tile(take(X, part), Z), dtype=np.float64) @ coefficients
    return out


def scores_within(problem: KernelProblem, beta: Floats) -> Floats:
    """(m,) f = K̃β in float64. Cost: N times the number of rows with β ≠ 0."""
    of_rows = problem.of_rows(beta)
    support = np.flatnonzero(of_rows)
    if problem.precomputed:
        gram = problem.X
        f = np.asarray(gram[:, support], dtype=np.float64) @ of_rows[support]
    else:
        f = scores(problem.kernel, problem.X, take(problem.X, support), of_rows[support, None], problem.n_jobs)[:, 0]
    return np.asarray(f)[problem.row]


def _count(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _doubles(X: Any) -> Any:
    if not hasattr(X, "dtype"):
        return X
    if hasattr(X, "__array_namespace__") and not isinstance(X, np.ndarray):
        space = X.__array_namespace__()
        return space.astype(X, space.float64)
    return X if X.dtype in (np.float64, object) else X.astype(np.float64)
