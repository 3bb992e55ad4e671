"""Plots as SVG, of the size and with the axes of the boards that take their place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from contourpy import contour_generator

from deciban.report.palette import COLOURS, INK, PAPER

# Those of all figures, in whose place a page puts its own, as course.css has them for the boards.
PLUS, MINUS, SECOND, LINE = COLOURS[0], COLOURS[1], COLOURS[6], INK
Points = Iterable[Any]


class Plot:
    """A plot with its axes; x and y are the ranges, `log` the axes that are logarithmic."""

    def __init__(
        self, x: tuple[float, float], y: tuple[float, float], height: int = 380, log: str = "", ticked: str = "xy"
    ) -> None:
        self.x, self.y, self.height, self.log = x, y, height, log
        self.parts: list[str] = []
        self.axes = [
            f'<rect x="44" y="12" width="424" height="{height - 50}" fill="none" stroke="{LINE}" stroke-opacity="0.3"/>'
        ]
        for value in choose_ticks(x, "x" in log):
            self.axes.append(write_text(self.place(value, y[0])[0], height - 22, format_number(value), LINE, "middle"))
        for value in choose_ticks(y, "y" in log) if "y" in ticked else []:
            self.axes.append(write_text(39, self.place(x[0], value)[1] + 4, format_number(value), LINE, "end"))

    def name_axes(self, x: str, y: str = "") -> None:
        """Write the names of the axes."""
        self.axes += [write_text(468, self.height - 6, x, LINE, "end"), write_text(50, 27, y, LINE, "start")]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of a point."""
        share = []
        for value, (low, high), name in ((x, self.x, "x"), (y, self.y, "y")):
            a, b, c = np.log10([value, low, high]) if name in self.log else (value, low, high)
            share.append(float((a - b) / (c - b)))
        return 44 + 424 * share[0], 12 + (self.height - 50) * (1 - share[1])

    def path(
        self, points: Points, colour: str = LINE, width: float = 2, dashes: str = "", opacity: float = 1.0
    ) -> None:
        """Draw a curve."""
        d = "M" + "L".join("{:.1f} {:.1f}".format(*self.place(*point)) for point in points)
        self.parts.append(
            f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}" '
            f'stroke-opacity="{opacity}"/>'
        )

    def contour(
        self, f: Callable[[Any], Any], level: float, colour: str = LINE, width: float = 2, dashes: str = ""
    ) -> None:
        """Draw where f of rows (n, 2) has a level."""
        xs, ys = np.linspace(*self.x, 121), np.linspace(*self.y, 101)
        grid = np.stack(np.meshgrid(xs, ys), axis=-1)
        values = np.asarray(f(grid.reshape(-1, 2))).reshape(grid.shape[:2])
        for line in contour_generator(xs, ys, values).lines(level):
            self.path(line, colour, width, dashes)

    def point(self, x: float, y: float, is_plus: bool, radius: float = 7, ring: bool = False) -> None:
        """Draw a circle or a square, with a ring or without."""
        a, b = self.place(x, y)
        r = 0.9 * radius
        square = f'<rect x="{a - r:.1f}" y="{b - r:.1f}" width="{2 * r:.1f}" height="{2 * r:.1f}" fill="{MINUS}"/>'
        self.parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{radius}" fill="{PLUS}"/>' if is_plus else square)
        if ring:
            self.parts.append(
                f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{radius + 5}" fill="none" stroke="{LINE}" stroke-width="1.6"/>'
            )

    def text(self, x: float, y: float, words: str, colour: str = LINE, anchor: str = "start") -> None:
        """Write words at a point."""
        a, b = self.place(x, y)
        self.parts.append(write_text(a, b, words, colour, anchor))

    def bar(self, x: float, y: float, half: float, colour: str) -> None:
        """Draw a bar from 0 to x at a height."""
        (a, top), (b, bottom) = self.place(0, y + half), self.place(x, y - half)
        self.parts.append(
            f'<rect x="{min(a, b):.1f}" y="{top:.1f}" width="{abs(b - a):.1f}" height="{bottom - top:.1f}" '
            f'fill="{colour}"/>'
        )

    def draw(self, top: int) -> list[str]:
        """Return the elements of the plot at a height; what leaves the frame is cut off."""
        frame = f'<clipPath id="c{top}"><rect x="44" y="6" width="430" height="{self.height - 38}"/></clipPath>'
        inner = [f'{frame}<g clip-path="url(#c{top})">', *self.parts, "</g>"]
        return [f'<g transform="translate(0 {top})">', *self.axes, *inner, "</g>"]


def stack_plots(plots: Sequence[Plot]) -> str:
    """Return plots one above the other."""
    tops = [sum(each.height + 10 for each in plots[:k]) for k in range(len(plots) + 1)]
    size = f'viewBox="0 0 480 {tops[-1] - 10}" width="480" height="{tops[-1] - 10}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">'
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    drawn = [line for each, top in zip(plots, tops, strict=False) for line in each.draw(top)]
    return "\n".join([head, paper, *drawn, "</svg>", ""])


def write_text(x: float, y: float, words: str, colour: str, anchor: str) -> str:
    """Return words at a pixel."""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{words}</text>'


def choose_ticks(ends: tuple[float, float], is_log: bool) -> list[float]:
    """Return about five round numbers, or powers of ten."""
    if is_log:
        low, high = np.log10(ends)
        return [10.0**k for k in range(int(np.ceil(low - 1e-9)), int(high + 1e-9) + 1)]
    step = next(s for s in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 500) if (ends[1] - ends[0]) / s <= 6)
    return [k * step for k in range(int(np.ceil(ends[0] / step - 1e-9)), int(ends[1] / step + 1e-9) + 1)]


def format_number(value: float) -> str:
    """Return a tick as it is written."""
    return f"{value:g}".replace("-", "−").replace("e+0", "e")
