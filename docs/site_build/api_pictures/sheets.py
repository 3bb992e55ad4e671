"""Sheets that the pictures of the API are drawn on, with the axes, marks and labels of all figures of Deciban."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter
from numpy.typing import ArrayLike

from deciban.report.canvas import Canvas, colour, mark
from deciban.report.palette import INK
from deciban.report.vector import use_style

_FLAT = 0.62
"""Height of axes of curves, by their width."""
DASHES: tuple[Any, ...] = ("solid", (0, (4.0, 2.0)), (0, (1.2, 1.2)), (0, (6.0, 1.5, 1.2, 1.5)))


@dataclass(frozen=True)
class Line:
    """A curve through x, y (n,), or only marks at these places, on stems or not; `label` is written beside it."""

    label: str
    x: ArrayLike
    y: ArrayLike
    is_marked: bool = False
    has_stems: bool = False


def draw_lines(x: str, y: str, lines: Sequence[Line], *, log: str = "", names: Sequence[str] = ()) -> Figure:
    """Draw curves, each in its colour and its dashes; `names` stand in place of 0, 1, … on the axis of x."""
    seen = Canvas.make_framed(x, y)
    with use_style():
        for axis in log:
            getattr(seen.axes, f"set_{axis}scale")("log")
        for place, line in enumerate(lines):
            look: dict[str, Any] = {"color": colour(place), "linestyle": DASHES[place % len(DASHES)], "linewidth": 1.6}
            if line.has_stems:
                seen.axes.vlines(line.x, 0.0, line.y, color=colour(place), linewidth=1.0)
            if line.is_marked:
                look = mark(place, 6.0)
            seen.axes.plot(line.x, line.y, **look)
            if line.label:
                short = {"marker": "_", "linestyle": "none", "color": colour(place), "markersize": 8.0, "mew": 1.8}
                seen.label(line.label, line.x, line.y, mark(place, 5.0) if line.is_marked else short)
        if any(line.has_stems for line in lines):
            seen.axes.set_ylim(bottom=0.0)
        for axis in (seen.axes.xaxis, seen.axes.yaxis):
            if axis.get_scale() == "log":
                axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
                axis.set_minor_formatter(NullFormatter())
            getattr(seen.axes, f"set_{axis.axis_name}lim")(getattr(seen.axes, f"get_{axis.axis_name}lim")())
        if names:
            seen.axes.set_xticks(range(len(names)), names)
            name_ticks(seen.axes.get_xticklabels())
    seen.axes.set_box_aspect(_FLAT)
    seen.finish("", "", shape=_FLAT)
    return seen.figure


def draw_bars(
    x: str, names: Sequence[str], values: ArrayLike, spread: ArrayLike | None = None, *, digits: int = 1
) -> Figure:
    """Draw a bar for each name from the top down: to the right blue, to the left orange, with its number."""
    seen, heights = Canvas.make_framed(x, ""), np.arange(len(names))[::-1]
    widths = np.asarray(values, dtype=float)
    reach = np.abs(widths) + (0.0 if spread is None else np.asarray(spread, dtype=float))
    most = float(reach.max())
    with use_style():
        for side, part in ((0, widths >= 0.0), (1, widths < 0.0)):
            look: dict[str, Any] = {"color": colour(side), "alpha": 0.55, "linewidth": 0.0}
            seen.axes.barh(heights[part], widths[part], height=0.62, **look)
        if spread is not None:
            seen.axes.errorbar(widths, heights, xerr=spread, fmt="none", color=INK, elinewidth=0.9, capsize=2.5)
        for height, width, end in zip(heights, widths, reach, strict=True):
            told, side = f"{width:+.{digits}f}" if widths.min() < 0.0 else f"{width:.{digits}f}", np.sign(width) or 1.0
            place = side * (end + 0.02 * most), height
            anchor = "left" if side > 0.0 else "right"
            seen.axes.text(*place, told.replace("-", "−"), ha=anchor, va="center", fontsize=8)
        if widths.min() < 0.0:
            seen.axes.axvline(0.0, color=INK, linewidth=0.8)
        seen.axes.set_xlim((-1.25 * most if widths.min() < 0.0 else 0.0), 1.25 * most)
        seen.axes.set_yticks(heights, names)
        seen.axes.tick_params(axis="y", length=0)
        name_ticks(seen.axes.get_yticklabels())
    shape = 0.1 + 0.075 * len(names)
    seen.axes.set_box_aspect(shape)
    seen.finish("", "", shape=shape)
    return seen.figure


def name_ticks(labels: Iterable[Any]) -> None:
    """Mark the labels of an axis as words of the examples, which are the same in every language."""
    for place, label in enumerate(labels):
        label.set_gid(f"data-{place}")
