"""Labels, as they come and by their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Whole numbers so close together are told apart by a table, not by sorting.
_NEAR = 1 << 16


def plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels of an object array, which are of one type, as an array of that type; ValueError if of several."""
    if labels.dtype != object:
        return labels
    kinds = sorted({type(label).__name__ for label in labels})
    if len(kinds) > 1:
        raise ValueError(f"labels of one type are expected; got {' and '.join(kinds)}")
    return np.array(labels.tolist())


def union(mine: list[Any], theirs: list[Any]) -> list[Any]:
    """Return the labels of both, sorted; ValueError if some are text and some are not."""
    if len({isinstance(label, str) for label in mine + theirs}) > 1:
        raise ValueError(f"labels like those that were learnt are expected, {mine}; got {theirs}")
    return np.unique(np.array(mine + theirs)).tolist()  # type: ignore[no-any-return]


def storable(classes: Sequence[Any]) -> list[Any]:
    """Return the labels, as a file keeps them; ValueError for those that JSON does not know."""
    foreign = [label for label in classes if not isinstance(label, (str, int, float))]
    if foreign:
        raise ValueError(f"labels that a file can keep are str, int, float or bool; got {foreign[0]!r}")
    return list(classes)


def distinct_texts(y: NDArray[Any]) -> list[Any] | None:
    """Return the texts that y (N,) holds, each once; None where it holds anything else."""
    if y.dtype.kind not in "OUS":
        return None
    try:
        found = list(dict.fromkeys(y.tolist()))
    except TypeError:  # what has no hash
        return None
    return found if len(set(map(type, found))) == 1 and type(found[0]) in (str, bytes) else None


def places(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the labels, sorted, and for each of y its place among them."""
    texts = distinct_texts(y)
    if texts is not None:  # to look them up takes a tenth of what it takes to sort them all
        texts.sort()
        place = {text: k for k, text in enumerate(texts)}
        return np.array(texts, dtype=y.dtype), np.fromiter(map(place.__getitem__, y.tolist()), np.intp, len(y))
    if y.dtype.kind == "f":  # sorting the numbers alone takes a fraction of what it takes to sort places by them
        labels = np.unique(y)
        return labels, np.searchsorted(labels, y)
    if y.dtype.kind not in "iu" or len(y) == 0:
        return np.unique(y, return_inverse=True)
    low, high = int(y.min()), int(y.max())
    if high - low >= _NEAR:
        return np.unique(y, return_inverse=True)
    wide = y if y.dtype.itemsize == 8 else y.astype(np.int64)  # so that no difference leaves the range
    first = wide.dtype.type(low)
    at = (wide - first).astype(np.intp)
    seen = np.bincount(at) > 0
    return (np.flatnonzero(seen).astype(wide.dtype) + first).astype(y.dtype), (np.cumsum(seen) - 1)[at]
