"""The examples of a picture: which class each is of, which zone it is in, and which hold the boundary in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.rows import is_sparse
from ..errors import DataError
from ..losses import Floats
from ..models.zones import INSIDE, OUTSIDE, WRONG
from .canvas import ZONES, Canvas, cross, mark, ring, select_drawn, short, size_for
from .palette import INK
from .plane import Plane, Space

Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Examples:
    """at (N, 2) where they fall on the plane; kind (N,) their class, by number; labels (C,) what classes are called.

    zone (N,) of `models.zones`, or None; held (m,) which of them are support vectors, or None where none is among them;
    then `props` (m, 2) is where the support vectors fall, if there are any.
    """

    at: Floats
    kind: Places
    labels: list[str]
    zone: NDArray[np.int8] | None = None
    held: Places | None = None
    props: Floats | None = None

    @classmethod
    def of(cls, model: Any, space: Space, plane: Plane, y: Any, classes: Sequence[Any], labels: object) -> Self:
        """Make the examples; without y their classes are those that the model predicts."""
        kind = _kinds(model.predict(space.examples) if y is None else y, classes, space.rows.shape[0])
        zone, held = _zones(model, space, kind, len(classes)), find_support(model, space)
        if held is None and zone is not None and not hasattr(model, "support_vectors_"):
            held = np.flatnonzero(zone != OUTSIDE)
        props = None
        if held is None and hasattr(model, "support_vectors_"):
            props = plane.shadows(model.support_vectors_)
        return cls(plane.shadows(space.rows), kind, _name_classes(model, classes, labels), zone, held, props)

    @property
    def counts(self) -> list[int]:
        """(C,) number of examples of each class."""
        counts: list[int] = np.bincount(self.kind, minlength=len(self.labels)).tolist()
        return counts

    @property
    def zones(self) -> dict[str, int]:
        """Number of examples in each zone; nothing where these are not known."""
        if self.zone is None:
            return {}
        counts = np.bincount(self.zone, minlength=len(ZONES)).tolist()
        return dict(zip(ZONES.values(), counts, strict=True))

    @property
    def support(self) -> int | None:
        """Number of support vectors."""
        known = self.held if self.held is not None else self.props
        return None if known is None else len(known)

    def _count_all(self) -> list[tuple[str, int]]:
        return list(zip(self.labels, self.counts, strict=True))

    def classes_in_words(self) -> str:
        """Describe the classes, and how many examples each has."""
        counts = [f"'{label}' ({n:,}{' examples' if c == 0 else ''})" for c, (label, n) in enumerate(self._count_all())]
        return ", ".join(counts[:8]) + (f" and {len(counts) - 8:,} more" if len(counts) > 8 else "")

    def street_in_words(self) -> list[str]:
        """Describe the number of support vectors, and of examples in each zone, where this is known."""
        told = [] if self.support is None else [f"{self.support:,} support vectors"]
        return [*told, ", ".join(f"{name} {n:,}" for name, n in self.zones.items())] if self.zone is not None else told

    def draw(self, on: Canvas) -> None:
        """Draw the marks, and add their entries to the legend."""
        few = select_drawn(len(self.at))
        size = size_for(len(few))
        for c, (label, n) in enumerate(self._count_all()):
            own = few[self.kind[few] == c]
            if self.zone is None:
                on.marks(self.at[own], mark(c, size), f"class-{c}")
            else:
                for zone in ZONES:
                    on.marks(self.at[own[self.zone[own] == zone]], mark(c, size, zone), f"class-{c}-zone-{zone}")
            on.region(c, f"{label}: {n:,}")
        if self.zone is not None:
            on.marks(self.at[few[self.zone[few] == WRONG]], cross(size), "wrong")
        for zone, (name, n) in enumerate(self.zones.items()):
            over = [cross(6.0)] if zone == WRONG else []
            on.entry(f"{name}: {n:,}", mark(0, 6.0, zone, INK), *over)
        ringed = self.props if self.held is None else self.at[np.intersect1d(few, self.held)]
        if ringed is not None:
            on.marks(ringed, ring(size), "support-vectors")
            on.entry(f"support vectors: {self.support:,}", ring(5.0))


def _kinds(y: ArrayLike, classes: Sequence[Any], N: int) -> Places:
    """Return (N,) the indices of the classes of y."""
    known = {label: c for c, label in enumerate(np.asarray(classes).tolist())}
    given = np.asarray(y).tolist()
    if not isinstance(given, list) or len(given) != N:
        raise ValueError(f"y: {N:,} labels are expected, one for each row of X, got {np.size(y):,}")
    unknown = next((label for label in given if label not in known), None)
    if unknown is not None:
        raise DataError(f"y: labels {list(known)[:10]} are expected, which the model tells apart, got {unknown!r}")
    return np.array([known[label] for label in given], dtype=np.intp)


def _name_classes(model: Any, classes: Sequence[Any], labels: Any) -> list[str]:
    if labels is None:
        labels = classes if hasattr(model, "classes_") else ["outliers", "normal"]
    if len(labels) != len(classes):
        raise ValueError(f"labels: {len(classes)} are expected, one for each class, got {len(labels)}")
    return [short(label) for label in np.asarray(labels, dtype=object).tolist()]


def _zones(model: Any, space: Space, kind: Places, C: int) -> NDArray[np.int8] | None:
    """Return the zones of the examples, where the model has those of as many, and they fit to the slack of these."""
    known = getattr(model, "zones_", None)
    each = known[0].each if known and C == 2 else None
    if each is None or len(each) != len(kind):
        return None
    slack = 1.0 - np.where(kind == 1, 1.0, -1.0) * model.decision_function(space.examples)
    grain = 1e-6 * max(1.0, float(np.abs(slack).max()))
    fits = (slack[each == WRONG] > 1.0 - grain).all() and (slack[each == INSIDE] <= 1.0 + grain).all()
    return each if fits and (not hasattr(model, "support_vectors_") or find_support(model, space) is not None) else None


def find_support(model: Any, space: Space) -> Places | None:
    """Return (m,) which examples are the support vectors; None where X are not the training examples."""
    places, vectors = getattr(model, "support_", None), getattr(model, "support_vectors_", None)
    if places is None or vectors is None or is_sparse(vectors) != is_sparse(space.rows):
        return None
    if len(places) and int(places.max()) >= space.rows.shape[0]:
        return None
    same = space.rows[places] != vectors
    return None if (same.nnz if is_sparse(vectors) else same.any()) else np.asarray(places)
