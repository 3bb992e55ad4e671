"""Rows of features: the forms people bring, and the forms the core takes without a copy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from copy import copy
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from deciban._core import repeats
from deciban.errors import DataError


class SparseRows(Protocol):
    """A sparse matrix or array of SciPy, in any format."""

    def tocsr(self) -> Any:
        """Return it row by row."""


class FrameRows(Protocol):
    """A data frame of any library."""

    @property
    def columns(self) -> Any:
        """The columns, or their names."""


Rows: TypeAlias = ArrayLike | SparseRows | FrameRows
"""Examples: an array of any library, nested lists, a data frame or a sparse matrix; texts where a model takes them."""


# What the core counts without a copy; everything else becomes float64.
_TYPES = frozenset((("f", 8), ("f", 4), ("i", 8), ("u", 1)))
# Values of a stretch of rows.
_VALUES = 1 << 20


def is_sparse(X: object) -> bool:
    """Return whether X is a SciPy sparse matrix; whoever has one has loaded SciPy, so this does not."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def native(X: Rows) -> Any:
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


def check_sparse(X: Any) -> Any:
    """Return X; a DataError for a sparse matrix whose parts do not fit together, before anything follows its indices.

    SciPy checks them when it makes a matrix, if at all, and never again: what converts one with an index out of range
    writes beyond its memory. The cost is one look at each index.
    """
    if not is_sparse(X) or X.ndim != 2:
        return X
    X = X.tocsr() if X.format in ("lil", "dok") else X
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X)
    elif X.format == "coo":
        for axis, length in zip(("row", "col"), X.shape, strict=True):
            _check_places(f"X.{axis}", getattr(X, axis), length, len(X.data))
    return X


def _check_compressed(X: Any) -> None:
    rows, columns = (n // size for n, size in zip(X.shape, getattr(X, "blocksize", (1, 1)), strict=True))
    major, minor = (columns, rows) if X.format == "csc" else (rows, columns)
    indptr = X.indptr
    _check_places("X.indptr", indptr, len(X.indices) + 1, major + 1)
    if indptr[0] != 0 or indptr[-1] != len(X.indices) or (indptr[1:] < indptr[:-1]).any():
        _refuse_parts(f"X.indptr does not ascend from 0 to the {len(X.indices)} values that X stores")
    _check_places("X.indices", X.indices, minor, len(X.data))


def _check_places(name: str, places: Any, length: int, count: int) -> None:
    """Refuse an array that has not `count` places from 0 below `length`."""
    if places.ndim != 1 or len(places) != count:
        _refuse_parts(f"{name} has the shape {places.shape}, not ({count},)")
    if places.dtype.kind not in "iu":
        _refuse_parts(f"{name} holds {places.dtype} values, not whole numbers")
    bits = _native(places).view(f"u{places.dtype.itemsize}")  # what is below 0 is larger than every length
    if count and int(bits.max()) >= length:
        place = int(np.argmax(bits >= length))
        _refuse_parts(f"{name} is {places[place]} at the place {place}, not from 0 to {length - 1}")


def _refuse_parts(what: str) -> NoReturn:
    raise DataError(
        f"X is not a valid sparse matrix: {what}. Build it anew, such as by "
        "scipy.sparse.csr_array((values, (rows, columns)), shape)."
    )


def as_rows(X: Any) -> Any:
    """Return X as an (N, d) array or as CSR with one entry a place, in any order; no copy where X is one of these
    already."""
    X = native(X)
    if not is_sparse(X):
        return np.asarray(X)
    X = X.tocsr()
    if repeats(for_core(X)):
        X = X.copy()
        X.sum_duplicates()
    return X


def for_core(X: Any) -> Any:
    """Return X (N, d), dense or sparse, as the core's functions take it: an array in C order, or the parts of a CSR."""
    if not is_sparse(X):
        X = np.asarray(X)
        return np.require(_as_core_type(X), requirements=["C", "A"])  # what came over a wire may lie at an odd address
    X = X.tocsr()
    indices, indptr, data = (np.require(part, requirements="A") for part in (X.indices, X.indptr, X.data))
    data = _as_core_type(data)
    if max(X.nnz, *X.shape) < 2**31:
        indices, indptr = indices.astype(np.int32, copy=False), indptr.astype(np.int32, copy=False)
    else:
        indices, indptr = indices.astype(np.int64, copy=False), indptr.astype(np.int64, copy=False)
        data = data.astype(np.float64, copy=False)
    return data, indices, indptr, X.shape[1]


def reals_for_core(X: Rows) -> Any:
    """Return X as the core's solvers take it: like `for_core`, whole numbers and truth values as float64."""
    parts = for_core(X)
    if isinstance(parts, tuple):
        data, *rest = parts
        return (data if data.dtype.kind == "f" else data.astype(np.float64), *rest)
    return parts if parts.dtype.kind == "f" else parts.astype(np.float64)


def _as_core_type(values: Any) -> Any:
    dtype = values.dtype
    if dtype.kind == "b":
        return values.view(np.uint8)
    return values if (dtype.kind, dtype.itemsize) in _TYPES and dtype.isnative else values.astype(np.float64)


def stretches(X: Any) -> Iterator[slice]:
    """Yield stretches of the rows of X (N, d), dense or CSR, of about a million values each, but of one row at least.

    >>> [(part.start, part.stop) for part in stretches(np.zeros((5, 1 << 19)))]
    [(0, 2), (2, 4), (4, 5)]
    """
    N, i = X.shape[0], 0
    while i < N:
        if is_sparse(X):
            j = int(np.searchsorted(X.indptr, X.indptr[i] + _VALUES, side="right")) - 1
        else:
            j = i + _VALUES // max(1, X.shape[1])
        j = min(N, max(j, i + 1))
        yield slice(i, j)
        i = j


def square_values(X: Any) -> Any:
    """Return x² place by place, dense or sparse like X."""
    if not is_sparse(X):
        return np.square(X, dtype=np.float64)
    X = X.copy()
    X.data = np.square(X.data, dtype=np.float64)
    return X
