"""Tables of which most cells are 0, as svmlight has them: what stands in the file, and no more."""

from __future__ import annotations

from array import array
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
    indices: array[int]
    values: array[float]
    ends: array[int]

    @classmethod
    def new(cls) -> _Batch:
        return cls([], [], array("q"), array("d"), array("q", [0]))

    def columns(self) -> SparseColumns:
        """Return the rows, without the zeros that the file wrote."""
        flat = np.frombuffer(self.indices, np.int64)
        indices, place = np.unique(flat, return_inverse=True)
        data = np.array(self.values)
        shape = len(self.labels), len(indices)
        matrix = sparse.csr_array((data, place.reshape(-1), np.array(self.ends)), shape=shape)
        matrix.eliminate_zeros()
        return SparseColumns(self.labels, indices, matrix)


def sparse_batches(rows: Iterator[Row]) -> Iterator[tuple[list[int], SparseColumns]]:
    """Yield rows of svmlight in batches: the lines, and the columns."""
    batch = _Batch.new()
    for number, label, features, values in rows:
        batch.labels.append(label)
        batch.places.append(number)
        batch.indices.extend(features)
        batch.values.extend(values)
        batch.ends.append(len(batch.values))
        if len(batch.places) == _ROWS or len(batch.values) >= _VALUES:
            yield batch.places, batch.columns()
            batch = _Batch.new()
    if batch.places:
        yield batch.places, batch.columns()


def together(parts: Sequence[SparseColumns]) -> SparseColumns:
    """Return batches of rows as one."""
    indices = np.unique(np.concatenate([part.indices for part in parts]))
    matrix = sparse.csr_array(sparse.vstack([part.over(indices) for part in parts], format="csr"))
    return SparseColumns([label for part in parts for label in part.labels], indices, matrix)


def is_small(rows: int, columns: int) -> bool:
    """Return whether a table takes little enough to be kept cell by cell."""
    return rows * columns <= _CELLS and columns <= _COLUMNS
