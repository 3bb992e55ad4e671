"""Typed columns as the numbers of a linear model: standardised measurements, an indicator for each label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deciban.data.columns import Columns
from deciban.data.rows import is_sparse, stretches
from deciban.distributions.moments import Moments, moments
from deciban.lazy import cached_property

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
        exponents = exponents_of(matrix)
        return cls.of_moments(columns, exponents, scaled_moments(matrix, exponents), is_sparse(matrix))

    @classmethod
    def of_moments(cls, columns: Columns, exponents: NDArray[np.intp], found: Moments, sparse: bool) -> Self:
        """Make the coding from moments of rows in units of 2^exponents (d,): the same in whatever order and parts they
        were counted."""
        numbers, n = ~columns.of_kind("category"), found.seen[0]
        spread = np.sqrt(np.divide(found.scatter()[0], n, out=np.zeros_like(n), where=n > 0.0))
        with np.errstate(under="ignore"):
            mean, spread = np.ldexp(found.mean()[0], exponents), np.ldexp(spread, exponents)
        none = np.zeros(len(columns.names))
        return cls(
            columns, none if sparse else np.where(numbers, mean, 0.0), np.where(numbers & (spread > 0.0), spread, 1.0)
        )

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
        values = self.deviation[matrix.indices]
        with np.errstate(over="ignore"):
            np.divide(matrix.data, values, out=values)
        np.clip(np.nan_to_num(values, copy=False), -FARTHEST, FARTHEST, out=values)
        shares = bool(values.all()) and matrix.has_sorted_indices  # what is neither shortened nor sorted needs no copy
        rows = sparse.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape, copy=not shares)
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


def exponents_of(matrix: Any) -> NDArray[np.intp]:
    """Return (d,) exponents of two above the largest of each column, NaN left out: squares of large numbers are beyond
    a float64."""
    n, d = matrix.shape
    largest = np.zeros(d)
    if is_sparse(matrix):
        for part in stretches(matrix):
            rows = matrix[part]
            np.fmax.at(largest, rows.indices, np.abs(rows.data))
    else:
        step = max(1, _CELLS // max(1, d))
        for at in range(0, n, step):
            np.fmax(largest, np.fmax.reduce(np.abs(matrix[at : at + step]), axis=0), out=largest)
    exponents: NDArray[np.intp] = np.frexp(largest)[1].astype(np.intp)
    return exponents


def scaled_moments(matrix: Any, exponents: NDArray[np.intp]) -> Moments:
    """Return the moments of rows (N, d) in units of 2^exponents; they add up exactly."""
    if is_sparse(matrix):
        values = np.ldexp(matrix.data, -exponents[matrix.indices])
        return moments(sparse.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape), *_of_one(matrix))
    step = max(1, _CELLS // max(1, matrix.shape[1]))
    blocks = (matrix[at : at + step] for at in range(0, max(1, matrix.shape[0]), step))
    return reduce(add, (moments(np.ldexp(block, -exponents), *_of_one(block)) for block in blocks))


def _of_one(matrix: Any) -> tuple[NDArray[np.intp], None, int]:
    return np.zeros(matrix.shape[0], np.intp), None, 1


# Beyond so many deviations the squares of a model would overflow.
FARTHEST = 1e100
