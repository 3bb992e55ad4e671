"""Statistics that know their labels: the whole state of a model that learns by counting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Tally:
    """Sufficient statistics with one row a label: `classes` (C,) sorted, `counts`, `declared` (≤ C,) sorted.

    + brings in new labels; − takes labels out again when nothing is left of them, unless they were declared.
    """

    classes: Labels
    counts: Any
    declared: Labels

    def nothing(self, declared: Labels) -> Tally:
        """Return a tally of nothing seen of the declared labels."""
        none = self.counts.select_classes(np.zeros(0, dtype=np.intp)).among(np.zeros(0, dtype=np.intp), len(declared))
        return Tally(declared, none, declared)

    def __add__(self, other: Tally) -> Tally:
        classes = union(self.classes, other.classes)
        counts = self._among(classes) + other._among(classes)
        return Tally(classes, counts, union(self.declared, other.declared))

    def __sub__(self, other: Tally) -> Tally:
        known = set(self.classes.tolist())
        strange = [label for label in other.classes.tolist() if label not in known]
        if strange:
            raise ValueError(f"cannot forget {strange[0]!r}: the labels learnt are {self.classes.tolist()}")
        return Tally(self.classes, self.counts - other._among(self.classes), self.declared)

    def without_the_forgotten(self) -> Tally:
        """Return the same without labels of which nothing is left and that nobody declared."""
        kept = np.flatnonzero((self.counts.n > 0.0) | np.isin(self.classes, self.declared))
        return Tally(self.classes[kept], self.counts.select_classes(kept), self.declared)

    def _among(self, classes: Labels) -> Any:
        if np.array_equal(classes, self.classes):
            return self.counts
        return self.counts.among(np.searchsorted(classes, self.classes), len(classes))


def union(a: Labels, b: Labels) -> Labels:
    """Return the labels of both, sorted; labels that cannot be compared (text with numbers) are refused."""
    if len(a) == 0 or len(b) == 0:
        return b if len(a) == 0 else a
    comparable = (a.dtype.kind in "US") == (b.dtype.kind in "US") or "O" in (a.dtype.kind, b.dtype.kind)
    try:
        if comparable:
            return np.union1d(a, b)
    except TypeError:
        pass
    raise ValueError(
        f"labels must be of one kind, but {a.tolist()[0]!r} was learnt before and {b.tolist()[0]!r} came "
        "now: give all labels as text or all as numbers"
    )
