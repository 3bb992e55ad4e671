"""Sums of products, exactly, and what they tell about the class means: statistics that merge to the last bit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data.refusal import StatisticError, first, refuse_less
from . import parts as sums
from .counts import Floats, same

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
        """(C, d), or (1, d) where classes are pooled: Σ w (x_j − mean_j)², below 0 where no data have such sums."""

    def __add__(self, other: Self) -> Self:
        self._alike(other)
        parts = tuple(sums.add(a, b) for a, b in zip(self.parts, other.parts, strict=True))
        return replace(self, w=sums.add(self.w, other.w), s=sums.add(self.s, other.s), parts=parts)

    def __sub__(self, other: Self) -> Self:
        self._alike(other)
        w = refuse_less(sums.subtract(self.w, other.w), self.w, other.w)
        parts = tuple(sums.subtract(a, b) for a, b in zip(self.parts, other.parts, strict=True))
        left = replace(self, w=w, s=sums.subtract(self.s, other.s), parts=parts)
        left._refuse_impossible()
        return left

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def among(self, places: NDArray[np.intp], C: int) -> Self:
        """The same statistics as part of C classes: row k moves to row places[k], the others are zero."""
        return self._by_class(lambda values: _spread(values, places, C))

    def kept(self, classes: NDArray[np.intp]) -> Self:
        """The statistics of some classes; the others must be empty, or all go."""
        return self._by_class(lambda values: sums.trimmed(values[:, classes]))

    def _by_class(self, change: Any) -> Self:
        return replace(self, w=change(self.w), s=change(self.s), parts=tuple(change(part) for part in self.parts))

    def arrays(self) -> tuple[Floats, ...]:
        """All that is known, for a digest."""
        return (self.w, self.s, *self.parts)

    def mean(self) -> Floats:
        """(C, d) the means; 0 where nothing was seen."""
        mean: Floats = np.divide(self.s[0], self.n[:, None], out=np.zeros_like(self.s[0]), where=self.n[:, None] > 0.0)
        return mean

    @cached_property
    def centre(self) -> Floats:
        """(d,) the mean of all examples."""
        centre: Floats = sums.pooled(self.s)[0] / max(sums.pooled(self.w)[0], np.finfo(np.float64).tiny)
        return centre

    @cached_property
    def from_centre(self) -> Floats:
        """(C, d) the means less the mean of all examples; 0 where nothing was seen."""
        n, s = self.n, np.zeros((4, *self.s.shape[1:]))
        s[: min(4, len(self.s))] = self.s[:4]
        every, total = sums.pooled(self.w)[0], sums.pooled(s)
        # s_c/n_c − s/n = (n s_c − n_c s) / (n n_c), the products exact
        apart = sums.total(
            [
                np.stack(product)
                for part in s
                if part.any()
                for product in [_two_product(part, np.broadcast_to(every, part.shape))]
            ]
            or [np.zeros((2, *s.shape[1:]))],
            [np.stack(_two_product(np.broadcast_to(part, s.shape[1:]), n[:, None] + 0.0 * s[0])) for part in total],
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


def _two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    from .double_double import two_product

    return two_product(a, b)
