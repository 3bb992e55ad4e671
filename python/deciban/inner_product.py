"""The inner product, summed in one order whatever the number of threads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def dot(a: Floats, b: Floats) -> float:
    """Return Σ a·b over all places of two arrays of one shape. Not BLAS's, whose threads cost more than they spare and
    change the last bits.

    >>> dot(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    11.0
    """
    return float(np.einsum("i,i->", a.reshape(-1), b.reshape(-1)))


def norm(a: Floats) -> float:
    """Return √(a·a), of a matrix Frobenius's.

    >>> norm(np.array([3.0, -4.0]))
    5.0
    """
    return float(np.sqrt(dot(a, a)))
