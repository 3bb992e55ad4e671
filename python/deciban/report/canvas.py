"""The sheet that a picture is drawn on: axes, labels beside their curves, a legend of marks, and fonts that are here.

Marks tell classes and zones apart: what colours say, shapes, fillings and hatches say in grey. Fonts are those that are
here, for names in any script.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.cells import cell_len

from ..losses import Floats
from ..models.zones import INSIDE, ON, OUTSIDE, WRONG
from .direct_labels import Label, place_labels
from .palette import COLOURS, INK, PAPER
from .plane import Plane
from .terminal import fit, name
from .vector import NOTE, use_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


TINT = 0.16
"""How much of a class's colour its region has."""
_SHAPES = ("o", "s", "^", "D", "v", "P", "p", "*", "<", "h")
_HATCHES = ("", "////", "....", "\\\\\\\\", "----", "xxxx", "||||", "oooo", "++++", "**")

ZONES = {
    OUTSIDE: "outside the margin",
    ON: "on the margin",
    INSIDE: "inside the margin",
    WRONG: "on the wrong side",
}
"""What the zones of `models.zones` are called."""


def colour(c: int) -> str:
    """Return the colour of class c."""
    return COLOURS[c % len(COLOURS)]


def faint(c: int) -> tuple[float, float, float, float]:
    """Return the colour of the hatch of class c."""
    from matplotlib.colors import to_rgba

    return to_rgba(colour(c), 0.4)


def hatch(c: int) -> str:
    """Return the hatch of the region of class c."""
    return _HATCHES[c % len(_HATCHES)]


def mark(c: int, size: float, zone: int | None = None, paint: str | None = None) -> dict[str, Any]:
    """Return the mark of class c in a zone: small outside, full on the margin, half inside, hollow beyond."""
    paint = paint or colour(c)
    look: dict[str, Any] = {"marker": _SHAPES[c % len(_SHAPES)], "linestyle": "none", "color": paint}
    look |= {"markersize": size, "markeredgecolor": PAPER, "markeredgewidth": 0.4}
    if zone == OUTSIDE:
        look |= {"markersize": 0.75 * size}
    if zone == INSIDE:
        look |= {"fillstyle": "left", "markerfacecoloralt": PAPER, "markeredgecolor": paint, "markeredgewidth": 0.8}
    if zone == WRONG:
        look |= {"markerfacecolor": PAPER, "markeredgecolor": paint, "markeredgewidth": 1.1}
    return look


def cross(size: float) -> dict[str, Any]:
    """Return the mark over an example on the wrong side."""
    return {"marker": "x", "linestyle": "none", "markersize": 0.7 * size, "color": INK, "markeredgewidth": 0.9}


def ring(size: float) -> dict[str, Any]:
    """Return the mark around a support vector."""
    look = {"marker": "o", "linestyle": "none", "markersize": 1.9 * size, "fillstyle": "none"}
    return {**look, "markeredgecolor": INK, "markeredgewidth": 0.13 * size}


BOUNDARY = {"colors": INK, "linewidths": 1.4, "linestyles": "solid"}
MARGIN = {"colors": INK, "linewidths": 0.9, "linestyles": "dashed"}


def size_for(count: int) -> float:
    """Return the size of marks, in points, for so many examples."""
    return 6.0 if count <= 150 else 5.0 if count <= 500 else 4.0 if count <= 1000 else 3.2


OWN = "DejaVu Sans"
"""The font that comes with Matplotlib."""

# Fonts of many scripts, the ones made for screens first; after them, whatever else is here.
_PREFERRED = (
    "Noto Sans CJK KR",
    "Noto Sans KR",
    "NanumGothic",
    "Apple SD Gothic Neo",
    "AppleGothic",
    "Malgun Gothic",
    "UnDotum",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans",
    "Arial Unicode MS",
)
# Blocks whose letters are seen most, and a font that has them.
_REMEDIES = {"HANGUL": "NanumGothic or Noto Sans CJK", "CJK": "Noto Sans CJK", "HIRAGANA": "Noto Sans CJK"}


def family(texts: Iterable[str]) -> tuple[list[str], str]:
    """Return the fonts that write the texts, letter by letter the first that has it, and a remark on letters without
    one.

    >>> family(["abc"])
    (['DejaVu Sans', 'sans-serif'], '')
    """
    wanted = {c for text in texts for c in text if unicodedata.category(c)[0] not in "CZ"} - letters(None)
    chosen: list[str] = []
    for known, path in _others() if wanted else ():
        if not wanted:
            break
        if wanted & letters(path):
            chosen.append(known)
            wanted -= letters(path)
    return [OWN, *chosen, "sans-serif"], _describe_missing(wanted)


def _describe_missing(wanted: set[str]) -> str:
    if not wanted:
        return ""
    few = ", ".join(f"U+{ord(c):04X}" for c in sorted(wanted)[:4]) + (", …" if len(wanted) > 4 else "")
    script = unicodedata.name(min(wanted), "").split(" ")[0].split("-")[0]
    remedy = _REMEDIES.get(script, "a font that has them")
    return f"no font here has {few}: install {remedy}, or write an SVG, which its reader's fonts draw"


@lru_cache(maxsize=1)
def _others() -> tuple[tuple[str, str], ...]:
    """Return the names and files of all upright fonts, the preferred ones first; not those of boxes only."""
    from matplotlib.font_manager import fontManager

    found = {
        (font.name, font.fname)
        for font in fontManager.ttflist
        if font.style == "normal" and "Last Resort" not in font.name
    }
    first = {known: place for place, known in enumerate(_PREFERRED)}
    return tuple(sorted(found, key=lambda font: (first.get(font[0], len(first)), font)))


@lru_cache(maxsize=256)
def letters(path: str | None) -> frozenset[str]:
    """Return the characters of the font in a file; without a file, of Matplotlib's own.

    None where it cannot be read.
    """
    from matplotlib.font_manager import findfont, get_font

    try:
        return frozenset(map(chr, get_font(path or findfont(OWN)).get_charmap()))
    except (OSError, RuntimeError):
        return frozenset()


# Inches: as wide as a phone held upright shows without making letters small.
_WIDTH, _SHAPE = 4.0, 0.82
_AXES = 230.0  # points: of the axes, at least
_LINE = 0.19
_LONGEST = 20  # columns of a name
_WRAP = 52  # characters of a title
_ENTRIES = 40
# More examples than this would hide the regions, and make a picture slow to look at.
_MOST = 2000
# Of the range of the examples, on each side.
_MARGIN = 0.08


Box = tuple[float, float, float, float]


@dataclass(eq=False)
class Canvas:
    """A figure with one pair of axes; `entries` are the legend's, each with the artists that stand before it.

    `labels` are written beside their curves, clear of the boxes `taken`, as shares of the axes.
    """

    figure: Figure
    axes: Axes
    fonts: list[str]
    missing: str
    entries: list[tuple[tuple[Any, ...], str]] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    taken: list[Box] = field(default_factory=list)

    @classmethod
    def make_framed(cls, x: str, y: str, texts: Iterable[str] = ()) -> Self:
        """Make a canvas with labels x and y of its axes, on which texts can be written."""
        from matplotlib.figure import Figure

        fonts, missing = family([*texts, x, y])
        with use_style():
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
        """Make a canvas on which all points (N, 2) have room."""
        first, second = (short(each) for each in names or plane.names)
        seen = cls.make_framed(first, second, texts)
        with use_style():
            for axis, low, high in zip("xy", at.min(axis=0), at.max(axis=0), strict=True):
                spread = high - low
                pad = _MARGIN * spread if spread > 0.0 else max(1.0, abs(low))
                getattr(seen.axes, f"set_{axis}lim")(low - pad, high + pad)
        return seen

    def along(self, axis: int, steps: int) -> Floats:
        """Return (steps,) places from one end of an axis to the other."""
        return np.linspace(*(self.axes.get_xlim() if axis == 0 else self.axes.get_ylim()), steps)

    def marks(self, at: Floats, look: dict[str, Any], gid: str) -> None:
        """Draw a mark at each place (n, 2)."""
        if len(at):
            over = 3.0 if look["color" if "color" in look else "markeredgecolor"] == INK else 2.0
            self.axes.plot(at[:, 0], at[:, 1], gid=gid, zorder=over, **look)

    def path(self, x: Any, y: ArrayLike, gid: str, **look: Any) -> None:
        """Draw a line through places, or marks at them."""
        with use_style():
            self.axes.plot(x, y, gid=gid, **look)

    def label(self, text: str, x: ArrayLike, y: ArrayLike, sign: dict[str, Any] | None = None) -> None:
        """Add a label beside the curve through x, y (n,), after its mark."""
        self.labels.append(Label.of(text, x, y, sign))

    def entry(self, label: str, *looks: dict[str, Any]) -> None:
        """Add a line to the legend, with marks one upon the other."""
        from matplotlib.lines import Line2D

        with use_style():
            self.entries.append((tuple(Line2D([], [], **look) for look in looks), label))

    def region(self, c: int, label: str) -> None:
        """Add a line to the legend for a class: its mark on its region."""
        from matplotlib.colors import to_rgba
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        with use_style():
            tint = Patch(facecolor=to_rgba(colour(c), TINT), edgecolor=faint(c), hatch=hatch(c), lw=0.0)
            self.entries.append(((tint, Line2D([], [], **mark(c, 6.0))), label))

    def line(self, label: str, look: dict[str, Any]) -> None:
        """Add a line to the legend for lines."""
        plain = {"color": look["colors"], "linewidth": look["linewidths"], "linestyle": look["linestyles"]}
        self.entry(label, plain)

    def finish(self, title: str, says: str, notes: Iterable[str] = (), shape: float = _SHAPE) -> None:
        """Add title and legend, and set the height. `says` describes the figure, `shape` is the height of the axes."""
        lines = [line for text in (title, *notes) for line in textwrap.wrap(text, _WRAP)]
        with use_style():
            self.axes.set_title("\n".join(lines), loc="left", family=self.fonts)
            place_labels(self.axes, self.labels, (_AXES, shape * _AXES), self.fonts, self.taken)
            rows = legend(self.figure, self.entries, self.fonts) if self.entries else 0
            rows += note(self.figure, self.missing)
            height = shape * (_WIDTH - 0.6) + 0.75 + _LINE * (rows + len(lines))
            self.figure.set_size_inches(_WIDTH, height)
            self.figure.set_label(says)


def legend(figure: Figure, entries: Sequence[tuple[tuple[Any, ...], str]], fonts: list[str]) -> int:
    """Draw a legend of artists and their names below the axes, and return its number of rows."""
    left = entries[:_ENTRIES]  # of hundreds of classes the rest has no room
    widest = max(cell_len(label) for _, label in left)
    columns = min(len(left), 3 if widest <= 10 else 2 if widest <= 27 else 1)
    handles: list[Any] = [marks[0] if len(marks) == 1 else marks for marks, _ in left]
    box = figure.legend(
        handles, ["·"] * len(left), loc="outside lower center", ncols=columns, handlelength=2.0, columnspacing=1.2
    )
    for text, (_, label) in zip(box.get_texts(), left, strict=True):
        text.set(text=label, family=fonts)
    return ceil(len(left) / columns)


def note(figure: Figure, missing: str) -> int:
    """Write above the figure which letters no font here has, if there are such, and return the number of lines."""
    lines = textwrap.wrap(missing, _WRAP)
    if lines:
        figure.suptitle("\n".join(lines), fontsize=8, gid=NOTE)
    return len(lines)


def select_drawn(N: int) -> NDArray[np.intp]:
    """Return which of N examples are drawn: all, or some at even steps."""
    return np.arange(N) if N <= _MOST else np.unique(np.linspace(0, N - 1, _MOST).astype(np.intp))


def few(N: int) -> str:
    """Return the remark that not all of N examples are drawn, where so."""
    return f"{_MOST:,} of {N:,} examples are drawn" if N > _MOST else ""


def short(value: object) -> str:
    """Return a stranger's word, safe to draw, and cut where it is long."""
    told = name(value) or "(empty)"
    return fit(told, _LONGEST).rstrip() if cell_len(told) > _LONGEST else told


def name_model(model: Any) -> str:
    """Return the name of a model."""
    known = getattr(model, "called_", None)
    if known is not None:
        return str(known)
    kernel = getattr(model, "kernel_", None)
    return type(model).__name__ + ("" if kernel is None else f", kernel {kernel.name}")
