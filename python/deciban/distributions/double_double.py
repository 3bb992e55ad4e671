"""Sums and products of two float64 as two float64, exactly. Dekker, Numerische Mathematik 18, 1971."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SPLIT = 2.0**27 + 1.0


def two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a · b = product + error, exactly, for magnitudes below 10^290."""
    product = a * b
    (a_hi, a_lo), (b_hi, b_lo) = _halves(a), _halves(b)
    return product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a + b = sum + error, exactly."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def _halves(a: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLIT * a
    hi = scaled - (scaled - a)
    return hi, a - hi
