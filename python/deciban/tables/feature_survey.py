"""Finds batch by batch which features of svmlight say nothing: of each how often it is there, its range, whether it
counts the rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .column_kinds import FEW
from .sparse import SparseColumns, distinct, places_among


class FeatureSurvey:
    """The features (d,) of rows so far, ascending, and what their values are.

    Room: 7 numbers a feature; of a batch some arrays as long as its values.
    """

    def __init__(self) -> None:
        self.indices: NDArray[np.int64] = np.zeros(0, np.int64)
        self.n = 0
        # Counts of cells and of NaN, sum of rows; lowest and highest value, and value less row.
        self._sums = np.zeros((3, 0))
        self._low, self._high = np.zeros((2, 0)), np.zeros((2, 0))

    def add(self, columns: SparseColumns) -> None:
        """Add more rows."""
        X = columns.matrix
        self._widen(columns.indices)
        place, d = places_among(self.indices, columns.indices)[X.indices], len(self.indices)
        gone = np.isnan(X.data)
        row = np.repeat(np.arange(self.n, self.n + X.shape[0], dtype=np.float64), np.diff(X.indptr))
        for k, values in enumerate((None, gone, row)):
            self._sums[k] += np.bincount(place, values, minlength=d)
        x = X.data
        if gone.any():
            place, x, row = place[~gone], x[~gone], row[~gone]
        for k in range(2):
            values = x if k == 0 else x - row
            np.minimum.at(self._low[k], place, values)
            np.maximum.at(self._high[k], place, values)
        self.n += X.shape[0]

    def silent(self) -> Iterator[tuple[int, str]]:
        """Yield the places of features that say nothing, ascending, and why: almost all cells are there, or none is."""
        there, gone, rows = self._sums
        low, high, n = self._low, self._high, self.n
        full = there == n
        counts = (low[1] == high[1]) & (gone == 0.0) & (n >= FEW)
        counts &= full | ((there == n - 1) & (low[1] == rows - n * (n - 1) / 2.0))  # the one that is 0 is left out
        empty = full & (gone == n)
        alike = (there == 0.0) | (full & (gone == 0.0) & (low[0] == high[0]))
        for j in np.flatnonzero(empty | alike | counts).tolist():
            yield j, "it is empty" if empty[j] else "it has one value" if alike[j] else "it numbers the rows"

    def _widen(self, more: NDArray[np.int64]) -> None:
        if np.array_equal(self.indices, more):
            return
        both = distinct(np.concatenate([self.indices, more]))
        if len(both) == len(self.indices):
            return
        place = places_among(both, self.indices)
        for name, nothing in (("_sums", 0.0), ("_low", np.inf), ("_high", -np.inf)):
            before = getattr(self, name)
            after = np.full((len(before), len(both)), nothing)
            after[:, place] = before
            setattr(self, name, after)
        self.indices = both
