"""Labels and weights of texts, as they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels of an object array, which are of one type, as an array of that type; ValueError if of several."""
    if labels.dtype != object:
        return labels
    kinds = sorted({type(label).__name__ for label in labels})
    if len(kinds) > 1:
        raise ValueError(f"labels of one type are expected; got {' and '.join(kinds)}")
    return np.array(labels.tolist())


def union(mine: list[Any], theirs: list[Any]) -> list[Any]:
    """The labels of both, sorted; ValueError if some are text and some are not."""
    if len({isinstance(label, str) for label in mine + theirs}) > 1:
        raise ValueError(f"labels like those that were learnt are expected, {mine}; got {theirs}")
    return np.unique(np.array(mine + theirs)).tolist()  # type: ignore[no-any-return]


def weights_of(weights: ArrayLike, n: int) -> list[float]:
    """`sample_weight` as a list of N numbers from 0, or a ValueError."""
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"sample_weight of {n} numbers, one per text, is expected; its shape is {values.shape}")
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        raise ValueError(f"sample_weight from 0 is expected; that of text {wrong[0]} is {values[wrong[0]]}")
    return values.tolist()  # type: ignore[no-any-return]


def storable(classes: Sequence[Any]) -> list[Any]:
    """The labels, as a file keeps them; ValueError for those that JSON does not know."""
    foreign = [label for label in classes if not isinstance(label, (str, int, float))]
    if foreign:
        raise ValueError(f"labels that a file can keep are str, int, float or bool; got {foreign[0]!r}")
    return list(classes)
