"""Rows of features: the forms people bring, and the forms the core takes without a copy."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from deciban._core import repeats

# What the core counts without a copy; everything else becomes float64.
_DTYPES = ("float64", "float32", "int64", "uint8")


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix; whoever has one has loaded SciPy, so this does not."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def as_rows(X: Any) -> Any:
    """X as an (N, d) array or as CSR with one entry a place, in any order; no copy where X is one of these already."""
    if not is_sparse(X):
        return np.asarray(X)
    X = X.tocsr()
    if repeats(for_core(X)):
        X = X.copy()
        X.sum_duplicates()
    return X


def for_core(X: Any) -> Any:
    """X (N, d), dense or sparse, as the core's functions take it: an array in C order, or the parts of a CSR."""
    if not is_sparse(X):
        X = np.asarray(X)
        return np.ascontiguousarray(_counted(X))
    X = X.tocsr()
    indices, indptr, data = X.indices, X.indptr, _counted(X.data)
    if max(X.nnz, *X.shape) < 2**31:
        indices, indptr = indices.astype(np.int32, copy=False), indptr.astype(np.int32, copy=False)
    else:
        indices, indptr = indices.astype(np.int64, copy=False), indptr.astype(np.int64, copy=False)
        data = data.astype(np.float64, copy=False)
    return data, indices, indptr, X.shape[1]


def reals_for_core(X: Any) -> Any:
    """X as the core's solvers take it: like `for_core`, whole numbers and truth values as float64."""
    parts = for_core(X)
    if isinstance(parts, tuple):
        data, *rest = parts
        return (data if data.dtype.kind == "f" else data.astype(np.float64), *rest)
    return parts if parts.dtype.kind == "f" else parts.astype(np.float64)


def _counted(values: Any) -> Any:
    if values.dtype == bool:
        return values.view(np.uint8)
    return values if values.dtype.name in _DTYPES else values.astype(np.float64)


def squared(X: Any) -> Any:
    """x² place by place, dense or sparse like X."""
    if not is_sparse(X):
        return np.square(X, dtype=np.float64)
    X = X.copy()
    X.data = np.square(X.data, dtype=np.float64)
    return X
