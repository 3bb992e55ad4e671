"""Sums that are known to the last bit: a number is the unevaluated sum of L float64, an array of them is (L, …).

Each part is the float64 nearest to what the parts before it leave, so that there is one way to write a sum, and equal
sums are equal arrays; L is 2, or as many as the longest takes. Sums add and subtract exactly, in any order. Shewchuk,
Discrete & Computational Geometry 18, 1997, section 2; `crates/core/src/learn/exact.rs`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deciban._core import total_of_parts

Floats = NDArray[np.float64]


def flat(parts: Floats) -> Floats:
    """(L, …) as (L, size)."""
    return np.ascontiguousarray(parts.reshape(len(parts), -1))


def exactly(values: Floats) -> Floats:
    """Numbers as sums of one term."""
    return np.stack([values, np.zeros_like(values)])


def total(terms: Sequence[Floats], less: Sequence[Floats] = ()) -> Floats:
    """The sum of arrays (L, …) of one shape, less that of others."""
    shape = terms[0].shape[1:]
    found = total_of_parts([flat(each) for each in (*terms, *less)], len(terms))
    return found.reshape(len(found), *shape)


def add(a: Floats, b: Floats) -> Floats:
    """a + b."""
    return total([a, b])


def subtract(a: Floats, b: Floats) -> Floats:
    """a − b."""
    return total([a], [b])


def pooled(a: Floats, axis: int = 0) -> Floats:
    """The sum along an axis of the numbers; that of none is 0."""
    terms = np.moveaxis(a, axis + 1, 0)
    return total([*terms]) if len(terms) else np.zeros((2, *terms.shape[2:]))


def trimmed(a: Floats) -> Floats:
    """The same sums without parts that are all zero."""
    used = np.flatnonzero(a.any(axis=tuple(range(1, a.ndim)))).max(initial=1)
    return a[: max(2, int(used) + 1)]
