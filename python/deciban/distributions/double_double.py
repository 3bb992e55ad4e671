"""Sums to twice the digits: a number is the unevaluated sum hi + lo of two float64, |lo| ≤ ulp(hi)/2.

An array of them has the shape (2, …). Errors are about 2^−104 of the magnitudes added, so that sums of values and
of squares can be kept as they are: their differences still have all digits of a float64 when the mean is 10^9 times
the deviation. Dekker, Numerische Mathematik 18, 1971; Knuth, The Art of Computer Programming 2, section 4.2.2.
"""

from __future__ import annotations

import numpy as np

from .counts import Floats

_SPLIT = 2.0**27 + 1.0


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a + b = sum + error, exactly."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a · b = product + error, exactly, for magnitudes below 10^290."""
    product = a * b
    (a_hi, a_lo), (b_hi, b_lo) = _halves(a), _halves(b)
    return product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def _halves(a: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLIT * a
    hi = scaled - (scaled - a)
    return hi, a - hi


def add(a: Floats, b: Floats) -> Floats:
    """a + b, (2, …)."""
    hi, lo = two_sum(a[0], b[0])
    more, least = two_sum(a[1], b[1])
    hi, lo = two_sum(hi, lo + more)
    return np.stack(two_sum(hi, lo + least))


def times(a: Floats, factor: Floats) -> Floats:
    """a · factor, (2, …) by an ordinary number."""
    hi, lo = two_product(a[0], factor)
    return np.stack(two_sum(hi, lo + a[1] * factor))


def total(a: Floats, axis: int) -> Floats:
    """The sum of a (2, …) along an axis of its parts, in order."""
    parts = np.moveaxis(a, axis + 1, 0)
    whole: Floats = np.zeros_like(parts[0])
    for part in parts:
        whole = add(whole, part)
    return whole
