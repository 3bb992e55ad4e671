"""What the core gives of columns: which are kept, and rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def most_seen(counts: NDArray[np.int64], hashes: NDArray[np.uint64], size: int) -> NDArray[np.int64]:
    """Return the places of the `size` words seen most often, ascending; ties go to the lower hash."""
    if not size:
        return np.empty(0, np.int64)
    least = np.partition(counts, -size)[-size]
    above, ties = np.flatnonzero(counts > least), np.flatnonzero(counts == least)
    lowest = np.argsort(hashes[ties])[: size - len(above)]
    return np.sort(np.concatenate([above, ties[lowest]]))


def csr_of(
    parts: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]], width: int, places: Any = None
) -> sparse.csr_array:
    """Return the rows that the core gives: where each ends, features, or where these are by `places`, and values."""
    ends, features, values = parts
    index = np.int32 if len(features) < 2**31 else np.int64  # estimators elsewhere take 32 bits only
    starts = np.zeros(len(ends) + 1, index)
    starts[1:] = ends
    if places is not None:
        features = places[features]
    X = sparse.csr_array((values, features.astype(index, copy=False), starts), shape=(len(ends), width))
    if places is None:
        X.has_sorted_indices = X.has_canonical_format = True
    else:
        X.sort_indices()
    return X
