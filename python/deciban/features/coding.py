"""Typed columns as the numbers of a linear model: standardised measurements, an indicator for each label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deciban.data.columns import Columns
from deciban.data.rows import is_sparse

Floats = NDArray[np.float64]

# A coded row has one value a column; so many times as many features, and zeros are left out.
_SPARSE = 4
# So many cells of CSR are made dense at once.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Coding:
    """A row of d typed columns as one of D features.

        number, whole, truth    (x − mean) / deviation, of the rows learnt from;      missing: 0, as if it were the mean
        category of K labels    K features, 1 for the label and 0 for the others;     missing, or never learnt: all 0

    mean, deviation (d,): 0 and 1 for categories; the deviation of a column that does not vary is 1. Of CSR, where most
    cells are 0 and stay so, the mean is taken to be 0: a model with an intercept is the same.

    >>> columns = Columns(("age", "job"), ("whole", "category"), (None, ("clerk", "judge")))
    >>> coding = Coding.of(columns, np.array([[30.0, 0.0], [50.0, 1.0]]))
    >>> coding(np.array([[60.0, 1.0], [np.nan, np.nan]])).tolist()
    [[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """

    columns: Columns
    mean: Floats
    deviation: Floats

    @classmethod
    def of(cls, columns: Columns, matrix: Floats) -> Self:
        """Make the coding from the rows (N, d) to be learnt from, as `Columns.matrix` gives them."""
        mean, deviation = np.zeros(len(columns.names)), np.ones(len(columns.names))
        if is_sparse(matrix):
            return cls(columns, mean, _deviations(matrix))
        numbers = np.flatnonzero(~columns.of_kind("category"))
        step = max(1, _CELLS // (4 * len(matrix)))
        for at in range(0, len(numbers), step):
            places = numbers[at : at + step]
            mean[places], deviation[places] = _standards(np.ascontiguousarray(matrix[:, places].T))
        return cls(columns, mean, deviation)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """(d + 1,) the first feature of each column, and D."""
        if not self.labels.any():
            return np.arange(len(self.columns.names) + 1)
        widths = [1 if known is None else len(known) for known in self.columns.categories]
        return np.concatenate([[0], np.cumsum(widths)]).astype(np.intp)

    @property
    def labels(self) -> NDArray[np.bool_]:
        """(d,) which columns are categories."""
        return self.columns.of_kind("category")

    def column(self, feature: Any) -> Any:
        """Return the column that a feature codes, or the columns of an array of them."""
        return np.searchsorted(self.starts, feature, side="right") - 1

    def __call__(self, matrix: Floats) -> Any:
        """(N, D) float64, CSR where most of it is 0."""
        n, d = matrix.shape
        if is_sparse(matrix):
            if not self.mean.any() and self.columns.categories.count(None) == d:
                return self._scale(matrix)
            return self._in_parts(matrix)
        labels = self.labels
        with np.errstate(over="ignore"):
            value = np.asarray(matrix, dtype=np.float64) - self.mean
            value /= self.deviation
        np.clip(np.nan_to_num(value, copy=False), -FARTHEST, FARTHEST, out=value)
        if not labels.any():
            return value
        codes, sizes = matrix[:, labels], np.diff(self.starts)[labels]
        there = (codes >= 0.0) & (codes < sizes)
        value[:, labels] = there
        feature = np.tile(self.starts[:-1], (n, 1))
        feature[:, labels] += np.where(there, codes, 0.0).astype(np.intp)
        rows = sparse.csr_array((value.ravel(), feature.ravel(), np.arange(0, n * d + 1, d)), shape=(n, self.width))
        rows.eliminate_zeros()
        return rows if self.width > _SPARSE * d else rows.toarray()

    def _scale(self, matrix: Any) -> Any:
        with np.errstate(over="ignore"):
            values = np.clip(np.nan_to_num(matrix.data / self.deviation[matrix.indices]), -FARTHEST, FARTHEST)
        rows = sparse.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape, copy=True)
        rows.eliminate_zeros()
        return rows

    def _in_parts(self, matrix: Any) -> Any:
        """Return CSR of which some columns are categories, or have a mean: so many rows at a time are dense."""
        step = max(1, _CELLS // matrix.shape[1])
        parts = [self(matrix[at : at + step].toarray()) for at in range(0, matrix.shape[0], step)]
        return sparse.vstack(parts, format="csr") if any(map(is_sparse, parts)) else np.concatenate(parts)

    @property
    def width(self) -> int:
        """D."""
        return int(self.starts[-1])


def _standards(rows: Floats) -> tuple[Floats, Floats]:
    """Return (c,) the mean and the deviation of each row (c, N), NaN left out; 0 and 1 of none, 1 of what does not
    vary."""
    if np.isnan(rows).any():
        each = [_standards(x[None, ~np.isnan(x)]) if np.isnan(x).any() else _standards(x[None]) for x in rows]
        return np.concatenate([mean for mean, _ in each]), np.concatenate([deviation for _, deviation in each])
    if not rows.shape[1]:
        return np.zeros(len(rows)), np.ones(len(rows))
    largest = np.maximum(np.abs(rows).max(axis=1), np.finfo(np.float64).tiny)
    scaled = rows / largest[:, None]  # squares of large numbers are beyond a float64
    mean = largest * scaled.mean(axis=1)
    spread = largest * (scaled - (mean / largest)[:, None]).std(axis=1)
    return mean, np.where(spread > 0.0, spread, 1.0)


def _deviations(matrix: Any) -> Floats:
    """Return (d,) of CSR (N, d), NaN where missing; 1 of what does not vary."""
    d = matrix.shape[1]
    missing = np.isnan(matrix.data)
    column, x = matrix.indices[~missing], matrix.data[~missing]
    n = matrix.shape[0] - np.bincount(matrix.indices[missing], minlength=d).astype(np.float64)
    n = np.maximum(n, 1.0)
    largest = np.full(d, np.finfo(np.float64).tiny)
    np.maximum.at(largest, column, np.abs(x))
    x = x / largest[column]  # squares of large numbers are beyond a float64
    mean = np.bincount(column, x, minlength=d) / n
    zeros = n - np.bincount(column, minlength=d)
    squares = np.bincount(column, np.square(x - mean[column]), minlength=d) + zeros * np.square(mean)
    spread = largest * np.sqrt(squares / n)
    return np.where(spread > 0.0, spread, 1.0)


# Beyond so many deviations the squares of a model would overflow.
FARTHEST = 1e100
