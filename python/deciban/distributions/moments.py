"""The sufficient statistics of measured data: weight, sum and sum of squares, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban._core import central_squares, class_moments
from deciban.data.rows import Rows, for_core, is_sparse

from ..data.refusal import StatisticError, count_or_refuse, first, refuse_less
from . import exact_sums
from .counts import Floats, class_weights, same

# A sum of squares about the mean below this share of q comes from the last bits of x, or from a file of old.
LAST_BITS = 2.0**-98


@dataclass(frozen=True, eq=False)
class Moments:
    """w (L, C) weight, s (L, C, d) = Σ w x and q (L, C, d) = Σ w x² per class, see `parts`; `gone` (L, C, d) the weight
    of the examples whose feature j is missing, or None.

    They add and subtract exactly, so that any order and any split of the data gives the same bits, and what is taken
    away again was never there. In squares, numbers below 2^−484 count as multiples of 2^−537.
    """

    w: Floats
    s: Floats
    q: Floats
    gone: Floats | None = None

    @property
    def n(self) -> Floats:
        """(C,) the weight of each class."""
        n: Floats = self.w[0]
        return n

    @property
    def missing(self) -> Floats | None:
        """(C, d) the weight of the examples whose feature j is missing; None where none is."""
        return None if self.gone is None else self.gone[0]

    @property
    def known(self) -> Floats:
        """(L, C, d) the weight of the examples whose feature j is known."""
        every = np.broadcast_to(self.w[:, :, None], (len(self.w), *self.s.shape[1:]))
        return every if self.gone is None else exact_sums.subtract(every, self.gone)

    @property
    def seen(self) -> Floats:
        """(C, d) the same, rounded."""
        seen: Floats = self.known[0]
        return seen

    def __add__(self, other: Moments) -> Moments:
        if self.gone is None or other.gone is None:
            gone = other.gone if self.gone is None else self.gone
        else:
            gone = exact_sums.add(self.gone, other.gone)
        return Moments(
            exact_sums.add(self.w, other.w), exact_sums.add(self.s, other.s), exact_sums.add(self.q, other.q), gone
        )

    def __sub__(self, other: Moments) -> Moments:
        w = refuse_less(exact_sums.subtract(self.w, other.w), self.w, other.w)
        gone = self.gone
        if other.gone is not None:
            mine = np.zeros_like(other.gone) if gone is None else gone
            gone = refuse_less(
                exact_sums.subtract(mine, other.gone), mine, other.gone, "examples without {feature} in {label}"
            )
            gone = gone if gone[0].any() else None
        left = Moments(w, exact_sums.subtract(self.s, other.s), exact_sums.subtract(self.q, other.q), gone)
        # Where no example is left, no sum may be; elsewhere no square below zero, and no variance.
        seen, s, q = left.known[0], left.s[0], left.q[0]
        wrong = np.where(seen > 0.0, q < 0.0, (q != 0.0) | (s != 0.0) | (seen < 0.0))
        if wrong.any():
            c, j = first(wrong)
            raise StatisticError(
                f"cannot forget what was not learnt: {{feature}} in {{label}}: squares that sum to {self.q[0, c, j]:g} "
                f"learnt, {other.q[0, c, j]:g} to forget; forget only what was learnt, with the same label and weight",
                feature=j,
                label=c,
            )
        return left

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moments) and same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def among(self, places: NDArray[np.intp], C: int) -> Moments:
        """Return the same statistics as part of C classes: row k moves to row places[k], the others are zero."""
        return self._by_class(lambda values: _spread(values, places, C))

    def select_classes(self, classes: NDArray[np.intp]) -> Moments:
        """Return the statistics of some classes."""
        return self._by_class(lambda values: exact_sums.drop_zero_parts(values[:, classes]))

    def pool(self) -> Moments:
        """Return all classes as one."""
        return self._by_class(lambda values: exact_sums.sum_along(values)[:, None])

    def _by_class(self, change: Any) -> Moments:
        gone = None if self.gone is None else change(self.gone)
        gone = gone if gone is not None and gone.any() else None
        return Moments(change(self.w), change(self.s), change(self.q), gone)

    def arrays(self) -> tuple[Floats, ...]:
        """Return the arrays of all that is known, for a digest."""
        return (self.w, self.s, self.q) if self.gone is None else (self.w, self.s, self.q, self.gone)

    def mean(self) -> Floats:
        """Return the means (C, d); 0 where nothing was seen."""
        n = self.seen
        mean: Floats = np.divide(self.s[0], n, out=np.zeros_like(n), where=n > 0.0)
        return mean

    def scatter(self) -> Floats:
        """Return (C, d) sums of squares about the means, ≥ 0: (n q − s²)/n, exact until it is rounded."""
        about = self.variation()
        return np.where(about < LAST_BITS * self.q[0], 0.0, about)

    def variation(self) -> Floats:
        """Return the same (C, d), below 0 where no data have such sums."""
        flat = (exact_sums.flatten(each) for each in (self.known, self.s, self.q))
        return central_squares(*flat).reshape(self.s.shape[1:])


def _spread(values: Floats, places: NDArray[np.intp], C: int) -> Floats:
    moved = np.zeros((len(values), C, *values.shape[2:]))
    moved[:, places] = values
    return moved


def moments(X: Rows, y: NDArray[np.intp], weight: Floats | None, C: int) -> Moments:
    """Return the statistics of X (N, d) with class indices y (N,) and weights (N,), in one pass over the nonzeros."""
    s, q, missing = count_or_refuse(lambda: class_moments(for_core(X), y, weight, C), _error_expected)
    if not np.isfinite(q[0].sum()):
        c, j = first(~np.isfinite(q[0]))
        raise StatisticError(
            "the squares of {feature} sum to more than a float64 holds in {label}: give it in a larger unit",
            feature=j,
            label=c,
        )
    if weight is None or (weight == np.floor(weight)).all():  # whole numbers: no digits to lose
        n = class_weights(y, weight, C)
        return Moments(exact_sums.as_sums(n), s, q, None if missing is None else exact_sums.as_sums(missing))
    w = class_moments(np.ones((len(y), 1), dtype=np.uint8), y, weight, C)[0][:, :, 0]
    gone = None if missing is None else class_moments(for_core(_where_missing(X)), y, weight, C)[0]
    return Moments(w, s, q, gone)


def _where_missing(X: Any) -> Any:
    """Return 1 where X is NaN, dense or CSR like X."""
    if not is_sparse(X):
        return np.isnan(X).view(np.uint8)
    gone = X.copy()
    gone.data = np.isnan(X.data).view(np.uint8)
    return gone


def _error_expected(value: float) -> str:
    if np.isinf(value):
        return "Input X contains infinity: {place}; a Gaussian feature is a finite number"
    return "{place}, whose square is beyond a float64: give the feature in a larger unit"
