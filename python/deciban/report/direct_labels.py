"""Labels beside the curves that they name, in place of a legend.

Each label goes where its box covers the fewest points of all curves, does not overlap other labels, and is next to its
own curve. Sizes are estimated from the number of columns of the text, so that the place does not depend on the fonts
of a machine.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from rich.cells import cell_len

from ..losses import Floats
from .palette import PAPER
from .vector import use_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = 8.0  # points of letters
_COLUMN, _LINE, _SIGN = 0.6, 1.3, 12.0  # of a letter and a line, in sizes; points of a sign before the text
_WRAP, _SHORTEST = 34, 12  # columns of a line
_ANCHORS, _STEPS = 33, 240  # places along a curve, and points of it that a label should not cover
_GAPS = (4.0, 9.0, 16.0, 28.0, 44.0, 64.0)  # points between a label and its curve
_CLEAR, _NEAR, _MARGIN = 1.5, 9.0, 4.0  # points around a label: free of curves, of other curves, of labels
_OVERLAP, _FAR, _SIDE, _OTHER = 400.0, 0.15, 0.4, 0.2
"""Costs: of another label, of a point of distance, of a less usual side, of a point of another curve nearby."""
# Where the box lies from its anchor: right, left, above, below, and between.
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1), (1, 1), (-1, -1))

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points from the corner of the axes."""


@dataclass(frozen=True, eq=False)
class Label:
    """A text for the curve through x, y (n,), in units of the data; `sign` is the mark that the curve has."""

    text: str
    x: Floats
    y: Floats
    sign: dict[str, Any] | None = None

    @classmethod
    def of(cls, text: str, x: ArrayLike, y: ArrayLike, sign: dict[str, Any] | None = None) -> Label:
        """Make it, with the text in lines of about one length, which do not part a number from its unit."""
        count = max(1, ceil(cell_len(text) / _WRAP))
        kept = text.replace(" %", "\N{NO-BREAK SPACE}%")
        wrapped = textwrap.wrap(kept, max(_SHORTEST, ceil(1.2 * cell_len(text) / count))) or [kept]
        lines = [line.replace("\N{NO-BREAK SPACE}", " ") for line in wrapped]
        known = np.isfinite(np.asarray(x, dtype=np.float64)) & np.isfinite(np.asarray(y, dtype=np.float64))
        return cls("\n".join(lines), np.asarray(x, np.float64)[known], np.asarray(y, np.float64)[known], sign)

    @property
    def extent(self) -> tuple[float, float]:
        """Width and height in points."""
        lines = self.text.split("\n")
        width = _COLUMN * SIZE * max(map(cell_len, lines)) + (_SIGN if self.sign else 0.0)
        return width, _LINE * SIZE * len(lines)


def place_labels(
    axes: Axes, labels: Iterable[Label], size: tuple[float, float], fonts: list[str], taken: Iterable[Box] = ()
) -> None:
    """Write the labels on axes of a width and height in points, clear of the boxes that are taken, as shares of the
    axes (left, bottom, width, height)."""
    scale = np.array(size)
    boxes: list[Box] = []
    for left, low, wide, high in taken:
        boxes.append((left * size[0], low * size[1], (left + wide) * size[0], (low + high) * size[1]))
    curves = _curves(axes, scale)
    for label in sorted(labels, key=lambda each: len(each.x)):  # points first, which have the fewest places
        if not len(label.x):
            continue
        line = _in_points(axes, np.column_stack([label.x, label.y]), scale)
        own, others = _along(line, _ANCHORS), _apart(curves, _along(line, _STEPS))
        found = [(cost + _cost(box, curves, others, boxes), box) for cost, box in _candidates(own, label.extent, size)]
        box = min(found)[1]
        boxes.append(box)
        _write(axes, label, box, size, fonts, f"{axes.figure.axes.index(axes)}-{len(boxes)}")


def _in_points(axes: Axes, at: Floats, scale: Floats) -> Floats:
    """Return places of the data in points from the corner of the axes."""
    inside: Floats = np.asarray(axes.transLimits.transform(axes.transScale.transform(at))) * scale
    return inside


def _curves(axes: Axes, scale: Floats) -> Floats:
    """Return (n, 2) points along all lines and marks of the axes."""
    found = [np.empty((0, 2))]
    for line in axes.lines:
        at = np.asarray(line.get_xydata(), dtype=np.float64)
        if line.get_transform().contains_branch(axes.transData):
            steps = 1 if line.get_linestyle() == "None" else _STEPS
            at = _in_points(axes, at[np.isfinite(at).all(axis=1)], scale)
            found.append(at if steps == 1 else _along(at, steps))
    for collection in axes.collections:
        for segment in getattr(collection, "get_segments", list)():
            if len(segment):  # of an interval that is not known there is none
                found.append(_along(_in_points(axes, np.asarray(segment, dtype=np.float64), scale), _STEPS // 8))
    return np.concatenate(found)


def _along(at: Floats, count: int) -> Floats:
    """Return `count` places at even steps along a line through places (n, 2)."""
    at = at[np.isfinite(at).all(axis=1)]
    if len(at) < 2:
        return at
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(at, axis=0).T))])
    if lengths[-1] == 0.0:
        return at[:1]
    steps = np.linspace(0.0, lengths[-1], count)
    return np.column_stack([np.interp(steps, lengths, at[:, k]) for k in (0, 1)])


def _apart(curves: Floats, own: Floats) -> Floats:
    """Return the points of curves that are not of this one."""
    near = np.abs(curves[:, None, :] - own[None, :, :]).max(axis=2).min(axis=1) < 2.0
    return np.asarray(curves[~near])


def _candidates(own: Floats, extent: tuple[float, float], size: tuple[float, float]) -> Iterator[tuple[float, Box]]:
    """Yield boxes beside the places of a curve, kept within the axes, with what their place costs."""
    (wide, high), (right, top) = extent, size
    for x, y in own:
        for gap in _GAPS:
            for number, (across, up) in enumerate(_SIDES):
                left = x + across * gap - (wide if across < 0 else 0.5 * wide if across == 0 else 0.0)
                low = y + up * gap - (high if up < 0 else 0.5 * high if up == 0 else 0.0)
                inside = min(max(left, 0.0), max(right - wide, 0.0)), min(max(low, 0.0), max(top - high, 0.0))
                moved = abs(inside[0] - left) + abs(inside[1] - low)
                cost = _FAR * (gap + 2.0 * moved) + _SIDE * (number >= 4)
                yield cost, (inside[0], inside[1], inside[0] + wide, inside[1] + high)


def _cost(box: Box, curves: Floats, others: Floats, boxes: list[Box]) -> float:
    """Return the number of points of curves that a box covers, less for those of other curves near it, and far more
    for the labels that it overlaps."""
    shared = sum(_share(box, other) for other in boxes)
    return _covered(curves, box, _CLEAR) + _OTHER * _covered(others, box, _NEAR) + _OVERLAP * shared


def _share(one: Box, other: Box) -> bool:
    """Return whether two boxes overlap, or nearly."""
    across, up = (min(one[k + 2], other[k + 2]) - max(one[k], other[k]) for k in (0, 1))
    return across > -_MARGIN and up > -_MARGIN


def _covered(at: Floats, box: Box, around: float) -> float:
    """Return the number of points within a box and so many points around it."""
    (left, low, right, top), (x, y) = box, at.T
    inside = (x > left - around) & (x < right + around) & (y > low - around) & (y < top + around)
    return float(np.count_nonzero(inside))


def _write(axes: Axes, label: Label, box: Box, size: tuple[float, float], fonts: list[str], number: str) -> None:
    """Write a label in its box, its sign before it."""
    from matplotlib.lines import Line2D

    left, low, _, top = box
    middle = 0.5 * (low + top) / size[1]
    with use_style():
        if label.sign:
            at = ([(left + 0.5 * _SIGN - 2.0) / size[0]], [middle])
            sign = Line2D(*at, transform=axes.transAxes, zorder=4.1, gid=f"sign-{number}", **label.sign)
            axes.figure.add_artist(sign)
        ground = {"facecolor": PAPER, "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
        start = (left + (_SIGN if label.sign else 0.0)) / size[0]
        written = axes.text(
            start, middle, label.text, transform=axes.transAxes, fontsize=SIZE, family=fonts, va="center", bbox=ground
        )
        written.set(linespacing=_LINE - 0.1, zorder=4.0, gid=f"label-{number}")
