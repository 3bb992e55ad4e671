"""Tables of which most cells are 0, as svmlight has them: what stands in the file, and no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .svmlight import LABEL, Row

# So many values are in a batch of rows, roughly.
_VALUES = 1 << 20
_ROWS = 4096
_PIECE = 1 << 16  # values that are looked up at once
# So many cells, of so many columns, are as soon kept one by one.
_CELLS, _COLUMNS = 1 << 22, 1 << 12


class SparseColumns(Mapping[str, Sequence[Any]]):
    """Consecutive rows of svmlight, column by column: labels, and numbers that are made when one asks for them.

    labels   (N,) the labels
    indices  (d,) the features that some row has, ascending; the name of a column is its index
    matrix   CSR (N, d) of their values; NaN where one is missing
    """

    def __init__(self, labels: list[str], indices: NDArray[np.int64], matrix: sparse.csr_array) -> None:
        self.labels, self.indices, self.matrix = labels, indices, matrix
        self._by_column: sparse.csc_array | None = None

    def __len__(self) -> int:
        return len(self.indices) + 1

    def __iter__(self) -> Iterator[str]:
        yield LABEL
        yield from map(str, self.indices.tolist())

    def __contains__(self, name: object) -> bool:
        return name == LABEL or (isinstance(name, str) and self._place(name) is not None)

    def __getitem__(self, name: str) -> Sequence[Any]:
        if name == LABEL:
            return self.labels
        place = self._place(name)
        if place is None:
            raise KeyError(name)
        if self._by_column is None:
            self._by_column = sparse.csc_array(self.matrix)
        at = slice(self._by_column.indptr[place], self._by_column.indptr[place + 1])
        column = np.zeros(self.matrix.shape[0])
        column[self._by_column.indices[at]] = self._by_column.data[at]
        values: list[float] = column.tolist()
        return values

    def only(self, i: int) -> SparseColumns:
        """Return row i alone."""
        return SparseColumns(self.labels[i : i + 1], self.indices, self.matrix[[i]])

    def over(self, indices: NDArray[np.int64]) -> sparse.csr_array:
        """Return CSR (N, d) of the features `indices` (d,), ascending; those that are not here are 0."""
        place = np.minimum(np.searchsorted(indices, self.indices), max(len(indices) - 1, 0))
        known = indices[place] == self.indices if len(indices) else np.zeros(len(self.indices), np.bool_)
        X = self.matrix
        kept = known[X.indices]
        starts = np.concatenate([[0], np.cumsum(kept)])[X.indptr]
        values = (X.data[kept], place[X.indices[kept]], starts)
        return sparse.csr_array(values, shape=(X.shape[0], len(indices)))

    def _place(self, name: str) -> int | None:
        if not (name.isdecimal() and name.isascii() and len(name) <= 18):
            return None
        place = int(np.searchsorted(self.indices, int(name)))
        return place if place < len(self.indices) and str(self.indices[place]) == name else None


@dataclass
class _Batch:
    labels: list[str]
    places: list[int]
    indices: list[NDArray[np.int64]]
    values: list[NDArray[np.float64]]

    def columns(self) -> SparseColumns:
        """Return the rows, without the zeros that the file wrote."""
        ends = np.cumsum([0, *map(len, self.indices)])
        data, flat = _join(self.values), _join(self.indices)
        indices = flat if len(ends) == 2 else distinct(flat)  # the features of one row ascend
        shape = len(self.labels), len(indices)
        matrix = sparse.csr_array((data, places_among(indices, flat), ends.astype(np.int32)), shape=shape)
        if not data.all():
            matrix.eliminate_zeros()
        return SparseColumns(self.labels, indices, matrix)


def _join(parts: list[Any]) -> Any:
    """Return arrays as one, and leave none of them."""
    joined = parts[0] if len(parts) == 1 else np.concatenate(parts)
    parts.clear()
    return joined


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the values, each once, ascending, in the room of two arrays: `numpy.unique` takes that of eight."""
    values = np.sort(values)
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return values[new]


def places_among(indices: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the places of values among indices, which ascend."""
    places = np.empty(len(values), np.int32)
    for at in range(0, len(values), _PIECE):
        places[at : at + _PIECE] = np.searchsorted(indices, values[at : at + _PIECE])
    return places


def sparse_batches(rows: Iterator[Row]) -> Iterator[tuple[list[int], SparseColumns]]:
    """Yield rows of svmlight in batches: the lines, and the columns."""
    batch, stored = _Batch([], [], [], []), 0
    for number, label, features, values in rows:
        batch.labels.append(label)
        batch.places.append(number)
        batch.indices.append(features)
        batch.values.append(values)
        stored += len(values)
        if len(batch.places) == _ROWS or stored >= _VALUES:
            yield batch.places, batch.columns()
            batch, stored = _Batch([], [], [], []), 0
    if batch.places:
        yield batch.places, batch.columns()


def together(parts: list[SparseColumns], indices: NDArray[np.int64]) -> SparseColumns:
    """Return batches of rows, of these features (d,), as one, and leave none of them: each goes when it was copied."""
    labels = [label for part in parts for label in part.labels]
    if len(parts) == 1:
        return SparseColumns(labels, indices, parts.pop().matrix)
    size = sum(part.matrix.nnz for part in parts)
    data, places, ends = np.empty(size), np.empty(size, np.int32), [np.zeros(1, np.int64)]
    while parts:
        part = parts.pop(0)
        X, start = part.matrix, int(ends[-1][-1])
        own = slice(start, start + X.nnz)
        data[own] = X.data
        np.take(places_among(indices, part.indices), X.indices, out=places[own])
        ends.append(X.indptr[1:].astype(np.int64) + start)
    starts = np.concatenate(ends).astype(np.int32 if size < 2**31 else np.int64)
    return SparseColumns(labels, indices, sparse.csr_array((data, places, starts), shape=(len(labels), len(indices))))


def is_small(rows: int, columns: int) -> bool:
    """Return whether a table takes little enough to be kept cell by cell."""
    return rows * columns <= _CELLS and columns <= _COLUMNS
