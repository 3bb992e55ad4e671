"""Sums that are known to the last bit: a number is the unevaluated sum of L float64, an array of them is (L, …).

Each part is the float64 nearest to what the parts before it leave, so that there is one way to write a sum, and equal
sums are equal arrays; L is 2, or as many as the longest takes. Sums add and subtract exactly, in any order. Shewchuk,
Discrete & Computational Geometry 18, 1997, section 2; `crates/core/src/learn/exact.rs`. Sums and products of two
float64 as two float64: Dekker, Numerische Mathematik 18, 1971.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deciban._core import total_of_parts

Floats = NDArray[np.float64]


def flatten(parts: Floats) -> Floats:
    """Return (L, …) as (L, size)."""
    return np.require(parts.reshape(len(parts), -1), requirements=["C", "A"])  # a wire aligns nothing


def as_sums(values: Floats) -> Floats:
    """Return numbers as sums of one term."""
    return np.stack([values, np.zeros_like(values)])


def total(terms: Sequence[Floats], less: Sequence[Floats] = ()) -> Floats:
    """Return the sum of arrays (L, …) of one shape, less that of others."""
    shape = terms[0].shape[1:]
    found = total_of_parts([flatten(each) for each in (*terms, *less)], len(terms))
    return found.reshape(len(found), *shape)


def add(a: Floats, b: Floats) -> Floats:
    """Return a + b."""
    return total([a, b])


def subtract(a: Floats, b: Floats) -> Floats:
    """Return a − b."""
    return total([a], [b])


def sum_along(a: Floats, axis: int = 0) -> Floats:
    """Return the sum along an axis of the numbers; that of none is 0."""
    terms = np.moveaxis(a, axis + 1, 0)
    return total([*terms]) if len(terms) else np.zeros((2, *terms.shape[2:]))


def drop_zero_parts(a: Floats) -> Floats:
    """Return the same sums without parts that are all zero."""
    used = np.flatnonzero(a.any(axis=tuple(range(1, a.ndim)))).max(initial=1)
    return a[: max(2, int(used) + 1)]


_SPLIT = 2.0**27 + 1.0


def two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a · b = product + error, exactly, for magnitudes below 10^290."""
    product = a * b
    (a_hi, a_lo), (b_hi, b_lo) = _halves(a), _halves(b)
    return product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a + b = sum + error, exactly."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def _halves(a: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLIT * a
    hi = scaled - (scaled - a)
    return hi, a - hi
