"""Rows of a matrix a block at a time, less the mean of their class: no copy of the whole is ever made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.rows import as_rows, is_sparse

from .counts import Floats, class_weights
from .refusal import StatisticError, first
from .support import check

# Numbers in a block: enough for the matrix product to run at its best, few enough to stay in the cache.
_BLOCK = 2**20
# Examples of a class whose mean is taken for the centre of the class in the first place. With k of n the error of the
# sums grows at most by the factor n/k, and by 1 + 1/k where the examples are a fair sample.
_SAMPLE = 16
# Beyond this a value says no more: its square would overflow.
_FARTHEST = 1e150


@dataclass(frozen=True, eq=False)
class Batch:
    """X (N, d) dense or CSR, y (N,) class indices, weight (N,) ≥ 0 or None for 1 each, C classes."""

    X: Any
    y: NDArray[np.intp]
    weight: Floats | None
    C: int

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self.X.shape[1])

    @cached_property
    def n(self) -> Floats:
        """(C,) the weight of each class."""
        return class_weights(self.y, self.weight, self.C)

    @cached_property
    def members(self) -> list[NDArray[np.intp]]:
        """The rows of each class, ascending."""
        # 16 bits are sorted by their digits, in one pass each.
        order = np.argsort(self.y.astype(np.uint16) if self.C < 2**16 else self.y, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.y, minlength=self.C))[:-1])

    @cached_property
    def centres(self) -> Floats:
        """(C, d) near the means of the classes: the mean of a few rows from all over each class."""
        centres = np.zeros((self.C, self.d))
        for c, rows in enumerate(self.members):
            if len(rows):
                few = np.linspace(0, len(rows) - 1, min(_SAMPLE, len(rows))).astype(np.intp)
                centres[c] = self._rows(rows[few]).mean(axis=0, dtype=np.float64)
        return centres

    def blocks(self) -> Iterator[tuple[Floats, Any, Floats | None]]:
        """Z (b, d) = x − centre in the order of the rows, members (C, b) with the weights, and the weights (b,)."""
        size = self._block_rows
        Z, centre = np.empty((2, size, self.d))
        for i in range(0, len(self.y), size):
            rows = slice(i, i + size)
            y, weight = self.y[rows], self._weight(rows)
            np.take(self.centres, y, axis=0, out=centre[: len(y)], mode="clip")
            np.subtract(self._rows(rows), centre[: len(y)], out=Z[: len(y)])
            yield Z[: len(y)], _members(y, weight, self.C), weight

    def blocks_by_class(self) -> Iterator[tuple[int, Floats, Any, Floats | None]]:
        """c, Z (b, d) = x − centre_c, members (1, b) with the weights, and the weights (b,), class after class."""
        size = self._block_rows
        Z, none = np.empty((size, self.d)), np.zeros(size, dtype=np.intp)
        for c, members in enumerate(self.members):
            for i in range(0, len(members), size):
                rows = members[i : i + size]
                weight = self._weight(rows)
                np.subtract(self._rows(rows), self.centres[c], out=Z[: len(rows)])
                yield c, Z[: len(rows)], _members(none[: len(rows)], weight, 1), weight

    def refuse(self) -> None:
        """Say which value is none, or is beyond what can be squared; sums that are finite need not ask."""
        largest, place = 0.0, (0, 0)
        for i in range(0, len(self.y), self._block_rows):
            values = np.asarray(self._rows(slice(i, i + self._block_rows)), dtype=np.float64)
            if not np.isfinite(values).all():
                row, feature = first(~np.isfinite(values))
                raise _refusal(i + row, feature, float(values[row, feature]))
            row, feature = (int(k) for k in np.unravel_index(np.abs(values).argmax(), values.shape))
            if abs(values[row, feature]) >= abs(largest):
                largest, place = float(values[row, feature]), (i + row, feature)
        raise _refusal(*place, largest)

    @property
    def _block_rows(self) -> int:
        return min(max(_BLOCK // self.d, 256), 4096)

    def _rows(self, rows: Any) -> Any:
        """Some rows of X, dense, of its own type."""
        if is_sparse(self.X):
            return self.X[rows].toarray()
        if isinstance(rows, slice):
            return self.X[rows]
        # Where columns are contiguous, one column after the other is gathered.
        return self.X.take(rows, axis=0) if self.X.flags.c_contiguous else self.X.T.take(rows, axis=1).T

    def _weight(self, rows: Any) -> Floats | None:
        return None if self.weight is None else self.weight[rows]


def _members(y: NDArray[np.intp], weight: Floats | None, C: int) -> Any:
    """(C, b) sparse with the weight of row i at (y_i, i): its product with Z sums in the order of the rows."""
    from scipy import sparse

    weight = np.ones(len(y)) if weight is None else weight
    return sparse.csc_array((weight, y, np.arange(len(y) + 1)), shape=(C, len(y)))


def bounded(X: Any) -> Any:
    """X (N, d), dense or CSR, as a score takes it: finite, or a `StatisticError`; ±10^150 where values lie beyond."""
    X = as_rows(X)
    values = (X.data if is_sparse(X) else X).ravel(order="K")
    if values.dtype.kind != "f":
        return X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.vdot(values, values)):
            return X
    check(X, "finite", expected, missing=False)
    if not is_sparse(X):
        return np.clip(X.astype(np.float64), -_FARTHEST, _FARTHEST)
    X = X.astype(np.float64)
    X.data = np.clip(X.data, -_FARTHEST, _FARTHEST)
    return X


def expected(value: float) -> str:
    """What should be at {place} instead of a value that is none, or has no square."""
    if np.isnan(value):
        return (
            "Input X contains NaN: {place}; a covariance needs every value: fill it in, leave the row out, "
            "or use NaiveBayes('gaussian')"
        )
    if np.isinf(value):
        return "Input X contains infinity: {place}; a Gaussian feature is a finite number"
    return "{place}, whose powers, as far as they are needed, are beyond a float64: give the feature in a larger unit"


def _refusal(row: int, feature: int, value: float) -> StatisticError:
    return StatisticError(expected(value).format(place=f"row {row}, {{feature}} is {value:g}"), feature=feature)
