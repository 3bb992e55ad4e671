"""Sparse rows as the first layer reads them: some places of a CSR, never cut out and never made dense.

    rows @ W = X·W          rows.T @ Δ = Xᵀ·Δ

are passes of the core over the stored values (`crates/core/src/layer.rs`), on all cores, with the same bits on any
number of them. Floor: a multiplication and an addition a stored value and unit. SciPy's rows with 64-bit indices stay
SciPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban import _core
from deciban.data.devices import elsewhere
from deciban.data.rows import is_sparse

# Dense rows are read as sparse ones where at most this share of a table is not zero. On two cores with AVX2 a batch of
# 128 × 784 and 128 units takes forward and back as long as BLAS with 13 % and 8 %; the 19 % of MNIST are BLAS's.
SHARE = 0.05


@dataclass(frozen=True)
class SparseRows:
    """The rows of a CSR (data, indices, ends), of `columns` features, at `places` (n,)."""

    data: NDArray[Any]
    indices: NDArray[np.int32]
    ends: NDArray[np.int32]
    columns: int
    places: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return len(self.places), self.columns

    @property
    def dtype(self) -> Any:
        """Of the values."""
        return self.data.dtype

    @property
    def T(self) -> Turned:  # noqa: N802 (as NumPy has it)
        """What is multiplied by Δ."""
        return Turned(self)

    def __matmul__(self, W: NDArray[Any]) -> NDArray[Any]:
        return _core.rows_times(self.data, self.indices, self.ends, self.places, np.ascontiguousarray(W))

    def __getitem__(self, rows: Any) -> SparseRows:
        places = np.ascontiguousarray(self.places[rows])
        return SparseRows(self.data, self.indices, self.ends, self.columns, places)

    def astype(self, dtype: Any) -> SparseRows:
        """The same values in another type."""
        return SparseRows(_cast(self.data, dtype), self.indices, self.ends, self.columns, self.places)


@dataclass(frozen=True)
class Turned:
    """Xᵀ."""

    rows: SparseRows

    def __matmul__(self, delta: NDArray[Any]) -> NDArray[Any]:
        rows = self.rows
        parts = rows.data, rows.indices, rows.ends, rows.places
        return _core.rows_turned_times(*parts, np.ascontiguousarray(delta), rows.columns)


def readable(X: Any, dtype: Any) -> Any:
    """X as the first layer reads it quickest, in the type of the weights: sparse rows, and dense ones that are mostly
    zeros, as `SparseRows`; others as they are."""
    if elsewhere(X) or isinstance(X, SparseRows):
        return X
    if is_sparse(X):
        X = X if X.has_sorted_indices else X.sorted_indices()
        if X.indices.dtype != np.int32 or X.indptr.dtype != np.int32:
            return X
        return SparseRows(_cast(X.data, dtype), X.indices, X.indptr, X.shape[1], np.arange(X.shape[0]))
    some = X[:: max(1, len(X) // 1000)]
    if np.count_nonzero(some) > SHARE * some.size:
        return X
    found = _core.nonzeros(np.ascontiguousarray(X), int(SHARE * X.size))
    if found is None:
        return X
    data, indices, ends = found
    return SparseRows(_cast(data, dtype), indices, ends, X.shape[1], np.arange(len(X)))


def _cast(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    with np.errstate(over="ignore"):  # what leaves the range is found, and told, by its layer
        return values.astype(dtype, copy=False)
