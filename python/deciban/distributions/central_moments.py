"""Sums of products, exactly, and what they tell about the class means: statistics that merge to the last bit.

`Batch` has the rows of a matrix a block at a time, centred, and their sums.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import as_rows, is_sparse
from deciban.lazy import cached_property

from ..data.refusal import StatisticError, first, refuse_less
from . import exact_sums
from .counts import Floats, same
from .distribution import check_support
from .exact_sums import two_product
from .moments import moments

# A sum of squared deviations below this share of the sum of squares comes from the last bits of x.
_LAST_BITS = (4.0 * np.finfo(np.float64).eps) ** 2

# Products that no data have are told from rounding by this share of what they may be.
_ROUNDING = 1e-9

Parts = tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class CentralMoments(ABC):
    """w (L, C) weight, s (L, C, d) = Σ w x, and `parts`: sums of products of x, all known to the last bit (`parts`).

    A group: any order and any split of the data gives the same bits, and what is taken away again was never there.
    Moments about the means are derived from them, exact until they are rounded once, so that no digits are lost where
    the mean is large.
    """

    w: Floats
    s: Floats
    parts: Parts

    def __getstate__(self) -> dict[str, Any]:
        return {"w": self.w, "s": self.s, "parts": self.parts}  # without what can be derived again

    @property
    def n(self) -> Floats:
        """(C,) the weight of each class."""
        n: Floats = self.w[0]
        return n

    @property
    def missing(self) -> None:
        """Every feature of every example is known."""
        return None

    @abstractmethod
    def variation(self) -> Floats:
        """Return (C, d), or (1, d) where classes are pooled: Σ w (x_j − mean_j)², below 0 where no data have such
        sums."""

    def __add__(self, other: Self) -> Self:
        self._alike(other)
        parts = tuple(exact_sums.add(a, b) for a, b in zip(self.parts, other.parts, strict=True))
        return replace(self, w=exact_sums.add(self.w, other.w), s=exact_sums.add(self.s, other.s), parts=parts)

    def __sub__(self, other: Self) -> Self:
        self._alike(other)
        w = refuse_less(exact_sums.subtract(self.w, other.w), self.w, other.w)
        parts = tuple(exact_sums.subtract(a, b) for a, b in zip(self.parts, other.parts, strict=True))
        left = replace(self, w=w, s=exact_sums.subtract(self.s, other.s), parts=parts)
        left._refuse_impossible()
        return left

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def among(self, places: NDArray[np.intp], C: int) -> Self:
        """Return the same statistics as part of C classes: row k moves to row places[k], the others are zero."""
        return self._by_class(lambda values: _spread(values, places, C))

    def select_classes(self, classes: NDArray[np.intp]) -> Self:
        """Return the statistics of some classes; the others must be empty, or all go."""
        return self._by_class(lambda values: exact_sums.drop_zero_parts(values[:, classes]))

    def _by_class(self, change: Any) -> Self:
        return replace(self, w=change(self.w), s=change(self.s), parts=tuple(change(part) for part in self.parts))

    def arrays(self) -> tuple[Floats, ...]:
        """Return the arrays of all that is known, for a digest."""
        return (self.w, self.s, *self.parts)

    def mean(self) -> Floats:
        """Return the means (C, d); 0 where nothing was seen."""
        mean: Floats = np.divide(self.s[0], self.n[:, None], out=np.zeros_like(self.s[0]), where=self.n[:, None] > 0.0)
        return mean

    @cached_property
    def centre(self) -> Floats:
        """(d,) the mean of all examples."""
        centre: Floats = exact_sums.sum_along(self.s)[0] / max(
            exact_sums.sum_along(self.w)[0], np.finfo(np.float64).tiny
        )
        return centre

    @cached_property
    def from_centre(self) -> Floats:
        """(C, d) the means less the mean of all examples; 0 where nothing was seen."""
        n, s = self.n, np.zeros((4, *self.s.shape[1:]))
        s[: min(4, len(self.s))] = self.s[:4]
        every, total = exact_sums.sum_along(self.w)[0], exact_sums.sum_along(s)
        # s_c/n_c − s/n = (n s_c − n_c s) / (n n_c), the products exact
        apart = exact_sums.total(
            [
                np.stack(product)
                for part in s
                if part.any()
                for product in [two_product(part, np.broadcast_to(every, part.shape))]
            ]
            or [np.zeros((2, *s.shape[1:]))],
            [np.stack(two_product(np.broadcast_to(part, s.shape[1:]), n[:, None] + 0.0 * s[0])) for part in total],
        )[0]
        both = np.broadcast_to((n * every)[:, None], apart.shape)
        result: Floats = np.divide(apart, both, out=np.zeros_like(apart), where=both > 0.0)
        return result

    @cached_property
    def total(self) -> Floats:
        """(d,) Σ w (x_j − centre_j)² over all examples; 0 where that is not more than the rounding of x."""
        total: Floats = np.maximum(self.variation(), 0.0).sum(axis=0) + self.n @ np.square(self.from_centre)
        square = total + self.n.sum() * np.square(self.centre)
        return np.where(total > _LAST_BITS * square, total, 0.0)

    @cached_property
    def varies(self) -> NDArray[np.bool_]:
        """Of the shape of `variation`: where it is more than the rounding of x."""
        variation, square = self.variation(), self.n[:, None] * np.square(self.mean())
        if len(variation) < len(square):
            square = square.sum(axis=0, keepdims=True)
        result: NDArray[np.bool_] = variation > _LAST_BITS * (variation + square)
        return result

    def _alike(self, other: object) -> None:
        if type(other) is not type(self) or len(other.parts) != len(self.parts):
            raise ValueError("what was learnt with other parameters does not hold what these ask for: fit again")

    def _refuse_impossible(self) -> None:
        """Refuse sums that no data have: of no examples, or with variances below nothing."""
        variation = self.variation()
        one = len(variation) == len(self.n)
        empty = self.n == 0.0
        wrong = variation < 0.0
        if empty.any():
            wrong = wrong | (self.s[0] != 0.0)[empty].any(axis=0)
        if empty.all():
            wrong = wrong | np.broadcast_to(any(part.any() for part in self.parts), wrong.shape)
        if wrong.any():
            c, j = first(wrong)
            self._refuse(j, c if one else None)

    def _refuse(self, j: int, c: int | None) -> None:
        raise StatisticError(
            f"cannot forget more than was learnt: {{feature}}{' in {label}' if c is not None else ''} would have a "
            "variance below zero; forget only what was learnt, with the same label and weight",
            feature=j,
            label=c,
        )


def refuse_indefinite(seen: CentralMoments, scatter: Floats) -> None:
    """Refuse scatter matrices (G, d, d) with a product beyond √(W_jj W_kk), which no data have."""
    for g, W in enumerate(scatter):
        most = np.sqrt(np.maximum(W.diagonal(), 0.0))
        wrong = np.abs(W) > most[:, None] * most * (1.0 + _ROUNDING)
        if wrong.any():
            seen._refuse(first(wrong)[0], g if len(scatter) == len(seen.n) else None)


def _spread(values: Floats, places: NDArray[np.intp], C: int) -> Floats:
    moved = np.zeros((len(values), C, *values.shape[2:]))
    moved[:, places] = values
    return moved


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
        """Return w (L, C), Σ w x (L, C, d) and Σ w x² in parts; a value that is none, or has no square, is refused."""
        self._check()
        found = moments(self.X, self.y, self.weight, self.C)
        return found.w, found.s, found.q

    def rows(self, some: slice) -> Batch:
        """Return some of the rows."""
        return Batch(self.X[some], self.y[some], self._weight(some), self.C)

    def only(self, c: int) -> Batch:
        """Return the rows of one class."""
        rows = np.flatnonzero(self.y == c)
        return Batch(self.X[rows], self.y[rows], self._weight(rows), self.C)

    def blocks(self) -> Iterator[tuple[Floats, NDArray[np.intp], Floats | None]]:
        """Yield X (b, d) dense in C order, y and weights, a few rows at a time."""
        size = max(_BLOCK // max(self.d, 1), 256)
        for i in range(0, len(self.y), size):
            rows = slice(i, i + size)
            block = self.X[rows].toarray() if is_sparse(self.X) else self.X[rows]
            yield np.ascontiguousarray(block, dtype=np.float64), self.y[rows], self._weight(rows)

    def sum_blocks(self, of: Callable[[Floats, Floats | None], Floats]) -> Floats:
        """Return the sum of `of(X, weight)`, which is in parts, over all blocks."""
        found = [of(X, weight) for X, _, weight in self.blocks()]
        return exact_sums.total(found) if found else np.zeros((2, self.d, self.d))

    def _check(self) -> None:
        values = self.X.data if is_sparse(self.X) else self.X
        if values.size and values.dtype.kind == "f":
            least, most = float(values.min()), float(values.max())  # of NaN, too
            if not -_FARTHEST <= least <= most <= _FARTHEST:
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


def check_bounded(X: Any) -> Any:
    """Return X (N, d), dense or CSR, as a score takes it: finite, or a `StatisticError`; ±10^150 where values lie
    beyond."""
    X = as_rows(X)
    values = (X.data if is_sparse(X) else X).ravel(order="K")
    if values.dtype.kind != "f":
        return X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.vdot(values, values)):
            return X
    check_support(X, "finite", describe_expected, missing=False)
    if not is_sparse(X):
        return np.clip(X.astype(np.float64), -_FARTHEST, _FARTHEST)
    X = X.astype(np.float64)
    X.data = np.clip(X.data, -_FARTHEST, _FARTHEST)
    return X


def describe_expected(value: float) -> str:
    """Return what should be at {place} instead of a value that is none, or has no square."""
    if np.isnan(value):
        return (
            "Input X contains NaN: {place}; a covariance needs every value: fill it in, leave the row out, "
            "or use NaiveBayes('gaussian')"
        )
    if np.isinf(value):
        return "Input X contains infinity: {place}; a Gaussian feature is a finite number"
    return "{place}, whose powers, as far as they are needed, are beyond a float64: give the feature in a larger unit"


def _refusal(row: int, feature: int, value: float) -> StatisticError:
    return StatisticError(
        describe_expected(value).format(place=f"row {row}, {{feature}} is {value:g}"), feature=feature
    )
