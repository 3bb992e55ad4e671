"""The sheet that a picture is drawn on: axes, a legend below them, and words in fonts that are here."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from ..losses import Floats
from .fonts import family
from .marks import TINT, colour, faint, hatch, mark
from .plane import Plane
from .terminal import fit, name
from .vector import INK, NOTE, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: as wide as a phone held upright shows without making letters small.
_WIDTH, _SHAPE = 4.0, 0.82
_LINE = 0.19
_LONGEST = 20  # columns of a name
_WRAP = 52  # characters of a title
_ENTRIES = 40
# More examples than this would hide the regions, and make a picture slow to look at.
_MOST = 2000
# Of the range of the examples, on each side.
_MARGIN = 0.08


@dataclass(eq=False)
class Canvas:
    """A figure with one pair of axes; `entries` are the legend's, each with the artists that stand before it."""

    figure: Figure
    axes: Axes
    fonts: list[str]
    missing: str
    entries: list[tuple[tuple[Any, ...], str]] = field(default_factory=list)

    @classmethod
    def framed(cls, x: str, y: str, texts: Iterable[str] = ()) -> Self:
        """A canvas whose axes are called x and y, on which texts can be written."""
        from matplotlib.figure import Figure

        fonts, missing = family([*texts, x, y])
        with styled():
            figure = Figure(figsize=(_WIDTH, _WIDTH), layout="constrained")
            axes = figure.add_subplot()
            axes.set_box_aspect(_SHAPE)
            axes.set_xlabel(x, family=fonts)
            axes.set_ylabel(y, family=fonts)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        return cls(figure, axes, fonts, missing)

    @classmethod
    def over(cls, at: Floats, plane: Plane, texts: Iterable[str], names: tuple[str, str] | None = None) -> Self:
        """A canvas on which all points at (N, 2) have room."""
        first, second = (short(each) for each in names or plane.names)
        seen = cls.framed(first, second, texts)
        with styled():
            for axis, low, high in zip("xy", at.min(axis=0), at.max(axis=0), strict=True):
                spread = high - low
                pad = _MARGIN * spread if spread > 0.0 else max(1.0, abs(low))
                getattr(seen.axes, f"set_{axis}lim")(low - pad, high + pad)
        return seen

    def along(self, axis: int, steps: int) -> Floats:
        """(steps,) places from one end of an axis to the other."""
        return np.linspace(*(self.axes.get_xlim() if axis == 0 else self.axes.get_ylim()), steps)

    def marks(self, at: Floats, look: dict[str, Any], gid: str) -> None:
        """A mark at each place (n, 2)."""
        if len(at):
            over = 3.0 if look["color" if "color" in look else "markeredgecolor"] == INK else 2.0
            self.axes.plot(at[:, 0], at[:, 1], gid=gid, zorder=over, **look)

    def path(self, x: Any, y: Any, gid: str, **look: Any) -> None:
        """A line through places, or marks at them."""
        with styled():
            self.axes.plot(x, y, gid=gid, **look)

    def entry(self, label: str, *looks: dict[str, Any]) -> None:
        """A line of the legend, with marks one upon the other."""
        from matplotlib.lines import Line2D

        with styled():
            self.entries.append((tuple(Line2D([], [], **look) for look in looks), label))

    def region(self, c: int, label: str) -> None:
        """A line of the legend for a class: its mark on its region."""
        from matplotlib.colors import to_rgba
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        with styled():
            tint = Patch(facecolor=to_rgba(colour(c), TINT), edgecolor=faint(c), hatch=hatch(c), lw=0.0)
            self.entries.append(((tint, Line2D([], [], **mark(c, 6.0))), label))

    def line(self, label: str, look: dict[str, Any]) -> None:
        """A line of the legend for lines."""
        plain = {"color": look["colors"], "linewidth": look["linewidths"], "linestyle": look["linestyles"]}
        self.entry(label, plain)

    def finish(self, title: str, says: str, notes: Iterable[str] = (), shape: float = _SHAPE) -> None:
        """Title, legend and the height that they need; `says` is the whole in words, `shape` the height of the axes."""
        lines = [line for text in (title, *notes) for line in textwrap.wrap(text, _WRAP)]
        with styled():
            self.axes.set_title("\n".join(lines), loc="left", family=self.fonts)
            rows = legend(self.figure, self.entries, self.fonts) if self.entries else 0
            note(self.figure, self.missing)
            height = shape * (_WIDTH - 0.6) + 0.75 + _LINE * (rows + len(lines))
            self.figure.set_size_inches(_WIDTH, height)
            self.figure.set_label(says)


def legend(figure: Figure, entries: Sequence[tuple[tuple[Any, ...], str]], fonts: list[str]) -> int:
    """A legend below the axes, of artists and what they are called; how many rows it has."""
    left = entries[:_ENTRIES]  # of hundreds of classes the rest has no room
    widest = max(cell_len(label) for _, label in left)
    columns = min(len(left), 3 if widest <= 10 else 2 if widest <= 27 else 1)
    handles: list[Any] = [marks[0] if len(marks) == 1 else marks for marks, _ in left]
    drawn = figure.legend(
        handles, ["·"] * len(left), loc="outside lower center", ncols=columns, handlelength=2.0, columnspacing=1.2
    )
    for text, (_, label) in zip(drawn.get_texts(), left, strict=True):
        text.set(text=label, family=fonts)
    return ceil(len(left) / columns)


def note(figure: Figure, missing: str) -> None:
    """Above all else, which letters no font here has, if there are such."""
    if missing:
        figure.suptitle("\n".join(textwrap.wrap(missing, _WRAP)), fontsize=8, gid=NOTE)


def drawn(N: int) -> NDArray[np.intp]:
    """Which of N examples are drawn: all, or so many at even steps."""
    return np.arange(N) if N <= _MOST else np.unique(np.linspace(0, N - 1, _MOST).astype(np.intp))


def few(N: int) -> str:
    """What to say where not all of N examples are drawn."""
    return f"{_MOST:,} of {N:,} examples are drawn" if N > _MOST else ""


def short(value: Any) -> str:
    """A stranger's word, safe to draw, and cut where it is long."""
    told = name(value) or "(empty)"
    return fit(told, _LONGEST).rstrip() if cell_len(told) > _LONGEST else told


def called(model: Any) -> str:
    """What a model is called."""
    known = getattr(model, "called_", None)
    if known is not None:
        return str(known)
    kernel = getattr(model, "kernel_", None)
    return type(model).__name__ + ("" if kernel is None else f", kernel {kernel.name}")
