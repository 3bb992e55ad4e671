"""Rows of features: the forms people bring, and the forms the core takes without a copy."""

from __future__ import annotations

import sys
from copy import copy
from typing import Any

import numpy as np

from deciban._core import repeats

# What the core counts without a copy; everything else becomes float64.
_DTYPES = ("float64", "float32", "int64", "uint8")


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix; whoever has one has loaded SciPy, so this does not."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def native(X: Any) -> Any:
    """Return X, an array or a sparse matrix, in this machine's byte order; half precision, which SciPy cannot add up,
    as single."""
    if is_sparse(X) and hasattr(X, "data"):
        data = _native(X.data) if isinstance(X.data, np.ndarray) else X.data
        parts = {name: _native(getattr(X, name)) for name in ("indices", "indptr") if hasattr(X, name)}
        if data is X.data and all(part is getattr(X, name) for name, part in parts.items()):
            return X
        X = copy(X)
        X.data = data
        for name, part in parts.items():
            setattr(X, name, part)
        return X
    return _native(X) if isinstance(X, np.ndarray) else X


def _native(values: Any) -> Any:
    if values.dtype.kind == "f" and values.dtype.itemsize == 2:
        return values.astype(np.float32)
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def as_rows(X: Any) -> Any:
    """X as an (N, d) array or as CSR with one entry a place, in any order; no copy where X is one of these already."""
    X = native(X)
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
    return values if values.dtype.name in _DTYPES and values.dtype.isnative else values.astype(np.float64)


def squared(X: Any) -> Any:
    """x² place by place, dense or sparse like X."""
    if not is_sparse(X):
        return np.square(X, dtype=np.float64)
    X = X.copy()
    X.data = np.square(X.data, dtype=np.float64)
    return X
