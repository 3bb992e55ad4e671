"""Rows of a matrix a block at a time, and their sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import as_rows, is_sparse

from ..data.refusal import StatisticError, first
from . import parts
from .counts import Floats
from .moments import moments
from .support import check

# Numbers in a block: enough for the matrix product to run at its best, few enough to stay in memory.
_BLOCK = 2**22
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

    def sums(self) -> tuple[Floats, Floats, Floats]:
        """w (L, C), Σ w x (L, C, d) and Σ w x² in parts; a value that is none, or has no square, is refused."""
        self._check()
        found = moments(self.X, self.y, self.weight, self.C)
        return found.w, found.s, found.q

    def only(self, c: int) -> Batch:
        """The rows of one class."""
        rows = np.flatnonzero(self.y == c)
        return Batch(self.X[rows], self.y[rows], self._weight(rows), self.C)

    def blocks(self) -> Iterator[tuple[Floats, NDArray[np.intp], Floats | None]]:
        """X (b, d) dense in C order, y and weights, a few rows at a time."""
        size = max(_BLOCK // max(self.d, 1), 256)
        for i in range(0, len(self.y), size):
            rows = slice(i, i + size)
            block = self.X[rows].toarray() if is_sparse(self.X) else self.X[rows]
            yield np.ascontiguousarray(block, dtype=np.float64), self.y[rows], self._weight(rows)

    def summed(self, of: Callable[[Floats, Floats | None], Floats]) -> Floats:
        """The sum of `of(X, weight)`, which is in parts, over all blocks."""
        found = [of(X, weight) for X, _, weight in self.blocks()]
        return parts.total(found) if found else np.zeros((2, self.d, self.d))

    def _check(self) -> None:
        values = self.X.data if is_sparse(self.X) else self.X
        if values.size and values.dtype.kind == "f" and not float(np.abs(values).max()) <= _FARTHEST:
            self.refuse()

    def refuse(self) -> None:
        """Say which value is none, or is beyond what can be squared; sums that are finite need not ask."""
        largest, place, start = 0.0, (0, 0), 0
        for values, _, _ in self.blocks():
            if not np.isfinite(values).all():
                row, feature = first(~np.isfinite(values))
                raise _refusal(start + row, feature, float(values[row, feature]))
            row, feature = (int(k) for k in np.unravel_index(np.abs(values).argmax(), values.shape))
            if abs(values[row, feature]) >= abs(largest):
                largest, place = float(values[row, feature]), (start + row, feature)
            start += len(values)
        raise _refusal(*place, largest)

    def _weight(self, rows: Any) -> Floats | None:
        return None if self.weight is None else np.ascontiguousarray(self.weight[rows])


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
