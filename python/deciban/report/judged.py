"""Shared parts of figures of predictions: a positive class against others, names, and curves in the unit square."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Self

import numpy as np
from rich.cells import cell_len

from ..certificates.intervals import clopper_pearson
from ..conventions import percent
from ..evaluation.judgements import Judgements
from ..evaluation.roc import OperatingPoints, operating_points
from ..losses import Floats
from .canvas import Canvas, colour, mark
from .figure_words import Say, speaking
from .palette import INK, PAPER
from .terminal import fit, name
from .vector import use_style

MOST = 500
INVISIBLE = 1e-4  # of the length of the axes


def thin(x: Floats, y: Floats, most: int = MOST, tolerance: float = INVISIBLE) -> tuple[Floats, Floats]:
    """Return at most so many points of a curve within the unit square, x, y (n,), that are as near to it as can be.

    Both ends stay; where a chord is farthest from the points between its ends, the farthest point is added, until all
    are within the tolerance, which cannot be seen. Ramer 1972; Douglas & Peucker 1973. Cost: O(n) for each point that
    is far from where the curve went so far, so O(n log n) of curves that bend evenly, and O(most·n) at worst.

    >>> x = np.linspace(0.0, 1.0, 10001)
    >>> [len(each) for each in thin(x, np.minimum(x, 0.5))]
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
    """Return the point that is farthest from the segment between the ends, and its distance."""
    dx, dy = x[-1] - x[0], y[-1] - y[0]
    px, py = x - x[0], y - y[0]
    length = dx * dx + dy * dy
    t = np.clip((px * dx + py * dy) / length, 0.0, 1.0) if length > 0.0 else 0.0
    distance = np.hypot(px - t * dx, py - t * dy)
    place = int(distance.argmax())
    return place, float(distance[place])


_LONGEST, _LONGEST_LISTED = 10, 20  # columns of a name on an axis, and in a list
_CURVES = 8  # as many as there are colours
_MARKS = 4  # on a curve
_CORNERS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)  # widths

CURVE: dict[str, Any] = {"color": colour(0), "linewidth": 1.5, "linestyle": "solid"}
OTHER: dict[str, Any] = {"color": colour(1), "linewidth": 1.2, "linestyle": (0, (4.0, 2.0))}
PLAIN: dict[str, Any] = {"color": INK, "linewidth": 0.8, "linestyle": "dotted"}
POINT: dict[str, Any] = {"color": INK, "marker": "o", "markersize": 5.0, "linestyle": "none", "markeredgecolor": PAPER}
SPREAD: dict[str, Any] = {"color": INK, "linewidth": 0.8, "linestyle": "solid"}


@dataclass(frozen=True, eq=False)
class Sides:
    """The ways to decide between a class and the others, and what both are called."""

    ways: OperatingPoints
    way: int
    positive: str
    others: str
    threshold: str

    @classmethod
    def of(cls, said: Judgements, positive: Any, threshold: float, language: str) -> Self:
        """Make the sides: of the positive class, by default the second of two, and the threshold, a probability."""
        say = speaking(language)
        ways = operating_points(said, positive)
        way = ways.at(threshold)
        rest = [c for c in said.classes if c != ways.positive]
        others = clip_name(rest[0]) if len(rest) == 1 else say("rest")
        told = say("threshold", threshold=f"{threshold:.3g}")
        return cls(ways, way, clip_name(ways.positive), others, told)

    @property
    def found(self) -> tuple[int, int]:
        """Number of positive examples that are found, of all positive ones."""
        return int(self.ways.found[self.way]), self.ways.positives

    @property
    def alarms(self) -> tuple[int, int]:
        """Number of other examples that are called positive, of all others."""
        return int(self.ways.alarms[self.way]), self.ways.negatives

    @property
    def right(self) -> tuple[int, int]:
        """Number of positive examples among those called positive."""
        return int(self.ways.found[self.way]), int(self.ways.found[self.way] + self.ways.alarms[self.way])

    def named(self) -> dict[str, str]:
        """Return the values for texts of the catalogue."""
        return {"positive": self.positive, "others": self.others, "threshold": self.threshold}


def abbreviate(values: Sequence[Any], longest: int = _LONGEST_LISTED) -> list[str]:
    """Return names of classes for a list: cut at their ends or, where that makes two alike, in the middle.

    >>> abbreviate(["comp.sys.ibm", "comp.sys.mac", "sci.med"], 8)
    ['com….ibm', 'com….mac', 'sci.med']
    """
    told = [name(value) or "(empty)" for value in values]
    cut = [each if cell_len(each) <= longest else fit(each, longest).rstrip() for each in told]
    if len(set(cut)) == len(cut):
        return cut
    return [each if cell_len(each) <= longest else _without_middle(each, longest) for each in told]


def _without_middle(text: str, longest: int) -> str:
    end = len(text)
    while cell_len(text[end - 1 :]) <= longest // 2:
        end -= 1
    return fit(text, longest - cell_len(text[end:])).rstrip() + text[end:]


def clip_name(value: object) -> str:
    """Return the name of a class for an axis."""
    told = name(value) or "(empty)"
    return fit(told, _LONGEST).rstrip() if cell_len(told) > _LONGEST else told


def many(said: Judgements, positive: object) -> bool:
    """Return whether each class is to be shown against the rest."""
    return len(said.classes) > 2 and positive is None


def examples(n: int, say: Say) -> str:
    """Return the number of examples in words."""
    return say("one") if n == 1 else say("many", n=f"{n:,}")


def nearly_one(area: float) -> str:
    """Format an area with four digits, and more where it is nearly 1; never rounded to it.

    >>> nearly_one(0.98765), nearly_one(0.999912), nearly_one(1.0 - 1e-9), nearly_one(1.0)
    ('0.9877', '0.999912', '>0.999999', '1.0000')
    """
    left = 1.0 - area
    if 0.0 < left < 5e-7:
        return ">0.999999"
    return f"{area:.6f}" if 0.0 < left < 1e-3 else f"{area:.4f}"


def share(counted: tuple[int, int]) -> str:
    """Format a share in per cent; of none a dash."""
    return percent(counted[0] / counted[1]) if counted[1] else "–"


def unit_square(seen: Canvas) -> None:
    """Set the axes from 0 to 1 with a little room for lines at the ends."""
    seen.axes.set_xlim(-0.02, 1.02)
    seen.axes.set_ylim(-0.02, 1.02)


def point(seen: Canvas, across: tuple[int, int], up: tuple[int, int], label: str) -> tuple[float, float] | None:
    """Draw the threshold with the intervals of both its rates, and return where it is; None where one has no rate."""
    if not (across[1] and up[1]):
        return None
    x, y = across[0] / across[1], up[0] / up[1]
    seen.path(clopper_pearson(*across), [y, y], gid="interval-across", zorder=2.5, **SPREAD)
    seen.path([x, x], clopper_pearson(*up), gid="interval-up", zorder=2.5, **SPREAD)
    seen.path([x], [y], gid="chosen", zorder=3.0, clip_on=False, **POINT)
    seen.label(label, [x], [y])
    return x, y


def nothing(seen: Canvas, text: str) -> None:
    """Write why there is no curve, in its place."""
    with use_style():
        seen.axes.text(0.5, 0.5, text, ha="center", va="center", family=seen.fonts, transform=seen.axes.transAxes)


Box = tuple[float, float, float, float]


def corner(
    seen: Canvas, box: Box, curve: tuple[Floats, Floats], at: tuple[float, float] | None, title: str, left: bool
) -> None:
    """Draw the upper corner of a good curve larger, in a box of its own, where that shows more."""
    x, y = curve
    across = x if left else 1.0 - x
    gap = float(np.maximum(across, 1.0 - y).min())
    wide = next((each for each in _CORNERS if 2.5 * gap <= each), None)
    if wide is None or gap == 0.0:
        return
    inside = np.convolve((across <= wide) & (y >= 1.0 - wide), [1, 1, 1], "same") > 0
    seen.taken.append((box[0] - 0.1, box[1] - 0.09, box[2] + 0.14, box[3] + 0.18))
    with use_style():
        inset = seen.axes.inset_axes(box)
        inset.plot(*thin(x[inside], y[inside], tolerance=INVISIBLE * wide), gid="corner", zorder=2.0, **CURVE)
        first, last = (0.0, wide) if left else (1.0 - wide, 1.0)
        edge = 0.04 * wide
        inset.set(xlim=(first - edge, last + edge), ylim=(1.0 - wide - edge, 1.0 + edge))
        inset.set(xticks=[first, last], yticks=[1.0 - wide, 1.0])
        inset.xaxis.set_major_formatter("{x:g}")
        inset.yaxis.set_major_formatter("{x:g}")
        inset.tick_params(labelsize=6.5, length=2.0, pad=1.5)
        if at is not None and (at[0] <= wide if left else at[0] >= 1.0 - wide) and at[1] >= 1.0 - wide:
            inset.plot([at[0]], [at[1]], gid="corner-chosen", zorder=3.0, **{**POINT, "markersize": 4.0})
        inset.set_title(title, fontsize=6.5, pad=2.0, family=seen.fonts)


Curve = Callable[[OperatingPoints], tuple[Floats, Floats]]


def each(
    seen: Canvas, ways: Sequence[OperatingPoints], curve: Curve, areas: Sequence[float | None], say: Say
) -> list[str]:
    """Draw a curve for each class against the rest, or those of least area; return a remark on classes left out."""
    known = [c for c, area in enumerate(areas) if area is not None]
    chosen = sorted(sorted(known, key=lambda c: float(areas[c] or 0.0))[:_CURVES])
    called = abbreviate([each.positive for each in ways])
    for place, c in enumerate(chosen):
        x, y = curve(ways[c])
        every = max(1, len(x) // _MARKS)
        look = {**CURVE, **{k: v for k, v in mark(place, 4.0).items() if k not in ("linestyle",)}}
        seen.path(x, y, gid=f"class-{c}", markevery=(place * every // _CURVES, every), **look)
        sign = {key: value for key, value in look.items() if key not in ("linewidth", "linestyle")}
        seen.label(say("each.area", name=called[c], area=nearly_one(areas[c] or 0.0)), x, y, sign)
    if not known:
        nothing(seen, say("one-sided"))
    if len(chosen) == len(known):
        return []
    return [say("worst", shown=len(chosen), all=f"{len(ways):,}")]


def areas_in_words(said: Judgements, areas: Sequence[float | None]) -> str:
    """Describe the eight smallest areas, the smallest first."""
    known = sorted((area, c) for c, area in enumerate(areas) if area is not None)
    called = abbreviate(said.classes)
    told = ", ".join(f"{called[c]} {nearly_one(area)}" for area, c in known[:_CURVES])
    return (told or "–") + (", …" if len(known) > _CURVES else "")
