"""Rows as kernels read them: NumPy or another library's arrays by the array API standard, or SciPy's CSR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deciban.blas import matmul
from deciban.data.devices import elsewhere, namespace, parts, take
from deciban.data.rows import Rows, is_sparse
from deciban.errors import DataError

# A tile is finished in parts that stay in the processor's cache: at most this many numbers at once.
_PART = 1 << 16
# A sparse right side becomes dense for the product where it then has at most this many numbers.
_DENSE = 1 << 23
# Numbers that are squared at once on a device.
_SQUARED = 1 << 26


def as_reals(X: Any) -> Any:
    """Return X (n, d) of float32 or float64; other numbers become float64, lists NumPy arrays, sparse matrices CSR."""
    if is_sparse(X):
        X = X.tocsr()
        return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    if elsewhere(X):
        return X
    X = np.asarray(X)
    if X.dtype in (np.float32, np.float64):
        return X
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"X must be rows of numbers for this kernel; it holds {X.dtype} values") from None


def products(X: Rows, Z: Any) -> Any:
    """Return X Zᵀ (n, m), dense and newly made. Cost: n·m·d, or n·m times the values that a sparse row stores."""
    if not (is_sparse(X) or is_sparse(Z)):
        return matmul(X, Z.T) if isinstance(X, np.ndarray) and isinstance(Z, np.ndarray) else X @ Z.T
    if is_sparse(X) and is_sparse(Z) and Z.shape[0] * Z.shape[1] <= _DENSE:
        Z = Z.toarray()
    P = X @ Z.T
    return P.toarray() if is_sparse(P) else np.asarray(P)


def square_norms(X: Any) -> Any:
    """Return ‖x‖² (n,) of each row."""
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).reshape(-1)
    if isinstance(X, np.ndarray):
        return np.einsum("ij,ij->i", X, X)
    xp = namespace(X)
    squares = [xp.sum(part * part, axis=1) for part in (take(X, rows) for rows in parts(X, _SQUARED))]
    return xp.concat(squares) if squares else xp.sum(X * X, axis=1)


def finish_tile(P: Any, finish: Callable[[Any, slice], Any]) -> Any:
    """Return a tile P (n, m) after `finish(P[rows], rows)` of rows that fit a cache; elsewhere of all at once."""
    n = int(P.shape[0])
    if not isinstance(P, np.ndarray):
        return finish(P, slice(0, n))
    step = max(1, _PART // max(1, P.shape[1]))
    for first in range(0, n, step):
        rows = slice(first, first + step)
        part = P[rows]
        done = finish(part, rows)
        if done is not part:
            P[rows] = done
    return P


def exponential(P: Any) -> Any:
    """Return e^P for P ≤ 0, which rounding may have left above 0; in the same memory where that can be."""
    if isinstance(P, np.ndarray):
        np.minimum(P, 0.0, out=P)
        return np.exp(P, out=P)
    xp = namespace(P)
    return xp.exp(xp.clip(P, None, 0.0))


def root(P: Any) -> Any:
    """Return √P for P ≥ 0, which rounding may have left below 0; in the same memory where that can be."""
    if isinstance(P, np.ndarray):
        np.maximum(P, 0.0, out=P)
        return np.sqrt(P, out=P)
    xp = namespace(P)
    return xp.sqrt(xp.clip(P, 0.0, None))


__all__ = ["as_reals", "exponential", "finish_tile", "namespace", "products", "root", "square_norms"]
