"""Sums about the class means: statistics of second and higher order that merge without losing digits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import double_double as dd
from .counts import ROUNDING, Floats, less, same, spread
from .refusal import StatisticError, first

# What is left of a spread below this share of what was learnt is the rounding of the subtraction.
_NOTHING = 1e-13

# A sum of squared deviations below this share of the sum of squares comes from the last bits of x.
_LAST_BITS = (4.0 * np.finfo(np.float64).eps) ** 2

Parts = tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class CentralMoments(ABC):
    """n (C,) weight, s (2, C, d) = Σ w x in double-double, and `parts`: sums over the products of z = x − mean_c.

    A group like the sums of powers themselves, without their loss of digits where the mean is large: + moves both
    sides to the common mean, − moves what is forgotten to the mean of the whole and the rest to its own. Errors are
    rounding, relative to what was learnt. Chan, Golub & LeVeque, The American Statistician 37, 1983, eq. 1.5;
    higher orders: Pébay, SAND2008-6212.
    """

    n: Floats
    s: Floats
    parts: Parts

    def __getstate__(self) -> dict[str, Any]:
        return {"n": self.n, "s": self.s, "parts": self.parts}  # without what can be derived again

    @property
    def missing(self) -> None:
        """Every feature of every example is known."""
        return None

    @classmethod
    def about(cls, n: Floats, centres: Floats, rest: Floats, sums: Parts) -> Self:
        """From the sums about any centres (C, d): `rest` (C, d) = Σ w (x − centre_c), and those of the parts."""
        parts = cls._moved(sums, n, rest * _share(np.ones_like(n), n), back=True)
        s = dd.add(np.stack(dd.two_product(n[:, None], centres)), np.stack([rest, np.zeros_like(rest)]))
        return cls(n, s, parts)

    @staticmethod
    @abstractmethod
    def _moved(parts: Parts, n: Floats, shift: Floats, back: bool) -> Parts:
        """The sums over z + shift_c from those over z with Σ z = 0; `back` the other way round. shift is (C, d)."""

    @abstractmethod
    def variation(self) -> Floats:
        """(C, d), or (1, d) where classes are pooled: Σ w z_j²."""

    @abstractmethod
    def _without(self, gone: NDArray[np.bool_]) -> Parts:
        """The parts where no feature marked in `gone`, of the shape of `variation`, has any spread."""

    def __add__(self, other: Self) -> Self:
        self._alike(other)
        n = self.n + other.n
        apart = self._apart(other)
        mine = self._moved(self.parts, self.n, apart * _share(other.n, n), back=False)
        theirs = self._moved(other.parts, other.n, -apart * _share(self.n, n), back=False)
        parts = tuple(a + b for a, b in zip(mine, theirs, strict=True))
        return replace(self, n=n, s=dd.add(self.s, other.s), parts=parts)

    def __sub__(self, other: Self) -> Self:
        self._alike(other)
        n = less(self.n, other.n)
        n = np.where(n <= ROUNDING * self.n, 0.0, n)
        s = np.where(n[:, None] > 0.0, dd.add(self.s, -other.s), 0.0)
        theirs = self._moved(other.parts, other.n, other._apart(self), back=False)
        rest = tuple(a - b for a, b in zip(self.parts, theirs, strict=True))
        left = replace(self, n=n, s=s, parts=rest)
        left = replace(left, parts=self._moved(rest, n, left._apart(self), back=True))
        return left._checked(self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def among(self, places: NDArray[np.intp], C: int) -> Self:
        """The same statistics as part of C classes: row k moves to row places[k], the others are zero."""
        s = np.zeros((2, C, self.s.shape[2]))
        s[:, places] = self.s
        n = spread(self.n, places, C)
        assert n is not None
        return replace(self, n=n, s=s, parts=tuple(self._spread(part, places, C) for part in self.parts))

    def kept(self, classes: NDArray[np.intp]) -> Self:
        """The statistics of some classes."""
        return replace(self, n=self.n[classes], s=self.s[:, classes], parts=tuple(part[classes] for part in self.parts))

    def _spread(self, part: Floats, places: NDArray[np.intp], C: int) -> Floats:
        moved = spread(part, places, C)
        assert moved is not None
        return moved

    def arrays(self) -> tuple[Floats, ...]:
        """All that is known, for a digest."""
        return (self.n, self.s, *self.parts)

    def mean(self) -> Floats:
        """(C, d) the means; 0 where nothing was seen."""
        mean: Floats = np.divide(self.s[0], self.n[:, None], out=np.zeros_like(self.s[0]), where=self.n[:, None] > 0.0)
        return mean

    @cached_property
    def centre(self) -> Floats:
        """(d,) the mean of all examples."""
        centre: Floats = dd.total(self.s, 0)[0] / max(self.n.sum(), np.finfo(np.float64).tiny)
        return centre

    @cached_property
    def from_centre(self) -> Floats:
        """(C, d) the means less the mean of all examples; 0 where nothing was seen."""
        return _apart(self.n, self.s, self.n.sum(keepdims=True), dd.total(self.s, 0)[:, None])

    @cached_property
    def total(self) -> Floats:
        """(d,) Σ w (x_j − centre_j)² over all examples; 0 where that is not more than the rounding of x."""
        total: Floats = self.variation().sum(axis=0) + self.n @ np.square(self.from_centre)
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

    def _apart(self, other: Self) -> Floats:
        return _apart(self.n, self.s, other.n, other.s)

    def _alike(self, other: object) -> None:
        if type(other) is not type(self) or len(other.parts) != len(self.parts):
            raise ValueError("what was learnt with other parameters does not hold what these ask for: fit again")

    def _checked(self, learnt: Self) -> Self:
        """Refuse spreads below nothing; what rounding has left of nothing is nothing."""
        left, before = self.variation(), learnt.variation()
        short = left < -ROUNDING * before
        if short.any():
            c, j = first(short)
            one = len(left) == len(self.n)
            raise StatisticError(
                f"cannot forget more than was learnt: {{feature}}{' in {label}' if one else ''} would have a variance "
                "below zero; forget only what was learnt, with the same label and weight",
                feature=j,
                label=c if one else None,
            )
        return replace(self, parts=self._without(left <= _NOTHING * before))


def _apart(n: Floats, s: Floats, other_n: Floats, other_s: Floats) -> Floats:
    """(C, d) s/n − other_s/other_n, rounded once; 0 where one of them has nothing."""
    apart = dd.add(dd.times(s, other_n[:, None]), -dd.times(other_s, n[:, None]))[0]
    both = (n * other_n)[:, None]
    result: Floats = np.divide(apart, both, out=np.zeros_like(apart), where=both > 0.0)
    return result


def _share(part: Floats, whole: Floats) -> Floats:
    share: Floats = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0)
    return share[:, None]
