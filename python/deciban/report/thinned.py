"""Curves of many points with few, for drawing."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from ..losses import Floats

MOST = 500
INVISIBLE = 1e-4  # of the length of the axes


def thinned(x: Floats, y: Floats, most: int = MOST, tolerance: float = INVISIBLE) -> tuple[Floats, Floats]:
    """At most so many points of a curve within the unit square, x, y (n,), that are as near to it as can be.

    Both ends stay; where a chord is farthest from the points between its ends, the farthest point is added, until all
    are within the tolerance, which cannot be seen. Ramer 1972; Douglas & Peucker 1973. Cost: O(n) for each point that
    is far from where the curve went so far, so O(n log n) of curves that bend evenly, and O(most·n) at worst.

    >>> x = np.linspace(0.0, 1.0, 10001)
    >>> [len(each) for each in thinned(x, np.minimum(x, 0.5))]
    [3, 3]
    """
    kept = np.zeros(len(x), dtype=np.bool_)
    kept[[0, -1]] = True
    waiting: list[tuple[float, int, int, int]] = []

    def look(first: int, last: int) -> None:
        if last - first > 1:
            place, distance = _farthest(x[first : last + 1], y[first : last + 1])
            if distance > tolerance:
                heappush(waiting, (-distance, first, first + place, last))

    look(0, len(x) - 1)
    for _ in range(most - 2):
        if not waiting:
            break
        _, first, middle, last = heappop(waiting)
        kept[middle] = True
        look(first, middle)
        look(middle, last)
    return x[kept], y[kept]


def _farthest(x: Floats, y: Floats) -> tuple[int, float]:
    """The point that is farthest from the segment between the ends, and how far."""
    dx, dy = x[-1] - x[0], y[-1] - y[0]
    px, py = x - x[0], y - y[0]
    length = dx * dx + dy * dy
    t = np.clip((px * dx + py * dy) / length, 0.0, 1.0) if length > 0.0 else 0.0
    distance = np.hypot(px - t * dx, py - t * dy)
    place = int(distance.argmax())
    return place, float(distance[place])
