"""Which examples the problems of several classes are about, and on which side each of these is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from deciban.losses import Floats

from .one_vs_one import pairs

Side = tuple[NDArray[np.intp], Floats]
"""The places of the examples of a problem, and −1 or +1 for each."""


def sides_of(classes: NDArray[np.intp], C: int, style: str) -> Iterator[Side]:
    """Yield for each problem the places of its examples, and −1 or +1 for these."""
    every = np.arange(len(classes))
    if style == "two":
        yield every, np.where(classes == 1, 1.0, -1.0)
    elif style == "ovr":
        for c in range(C):
            yield every, np.where(classes == c, 1.0, -1.0)
    else:
        members = [np.flatnonzero(classes == c) for c in range(C)]
        for i, j in pairs(C):
            rows = np.concatenate([members[i], members[j]])
            y = np.ones(len(rows))
            y[len(members[i]) :] = -1.0
            yield rows, y
