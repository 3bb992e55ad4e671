"""What figures of judgements share: a positive class against others, their names, and curves in the unit square."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..losses import Floats
from ..trust.judgements import Judgements
from ..trust.operating import OperatingPoints, operating_points
from ..trust.rates import clopper_pearson
from .canvas import Canvas, short
from .figure_words import speaking
from .marks import colour, mark
from .terminal import cell_len, fit, name, percent
from .vector import INK, PAPER

_LONGEST = 12  # columns of a name on an axis
_CURVES = 8  # as many as there are colours
_MARKS = 4  # on a curve

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
        """Of the positive class, the second of two unless named, and the threshold chosen, a probability."""
        say = speaking(language)
        ways = operating_points(said, positive)
        way = ways.at(threshold)
        rest = [c for c in said.classes if c != ways.positive]
        others = clipped(rest[0]) if len(rest) == 1 else say("rest")
        told = say("threshold", threshold=f"{threshold:.3g}")
        return cls(ways, way, clipped(ways.positive), others, told)

    @property
    def found(self) -> tuple[int, int]:
        """How many positive examples are found, of how many."""
        return int(self.ways.found[self.way]), self.ways.positives

    @property
    def alarms(self) -> tuple[int, int]:
        """How many others are called positive, of how many."""
        return int(self.ways.alarms[self.way]), self.ways.negatives

    @property
    def right(self) -> tuple[int, int]:
        """How many are positive of those called so."""
        return int(self.ways.found[self.way]), int(self.ways.found[self.way] + self.ways.alarms[self.way])

    def named(self) -> dict[str, str]:
        """What texts of the catalogue put in."""
        return {"positive": self.positive, "others": self.others, "threshold": self.threshold}


def clipped(value: Any) -> str:
    """A class as an axis names it."""
    told = name(value) or "(empty)"
    return fit(told, _LONGEST).rstrip() if cell_len(told) > _LONGEST else told


def many(said: Judgements, positive: Any) -> bool:
    """Whether each class is to be shown against the rest."""
    return len(said.classes) > 2 and positive is None


def share(counted: tuple[int, int]) -> str:
    """In per cent; of none a dash."""
    return percent(counted[0] / counted[1]) if counted[1] else "–"


def unit_square(seen: Canvas) -> None:
    """Axes from 0 to 1 with a little room for lines at the ends."""
    seen.axes.set_xlim(-0.02, 1.02)
    seen.axes.set_ylim(-0.02, 1.02)


def point(seen: Canvas, across: tuple[int, int], up: tuple[int, int], label: str) -> None:
    """What was chosen, with the intervals of both its shares; where one has none it is not drawn."""
    if not (across[1] and up[1]):
        return
    x, y = across[0] / across[1], up[0] / up[1]
    seen.axes.plot(clopper_pearson(*across), [y, y], gid="interval-across", zorder=2.5, **SPREAD)
    seen.axes.plot([x, x], clopper_pearson(*up), gid="interval-up", zorder=2.5, **SPREAD)
    seen.axes.plot([x], [y], gid="chosen", zorder=3.0, clip_on=False, **POINT)
    seen.entry(label, SPREAD, POINT)


def nothing(seen: Canvas, text: str) -> None:
    """Why there is no curve, in its place."""
    seen.axes.text(0.5, 0.5, text, ha="center", va="center", wrap=True, family=seen.fonts)


Curve = Callable[[OperatingPoints], tuple[Floats, Floats]]


def each(seen: Canvas, said: Judgements, curve: Curve, areas: Sequence[float | None], say: Any) -> list[str]:
    """A curve for each class against the rest, or for those with the least area; what to say of classes left out."""
    known = [c for c in range(len(said.classes)) if areas[c] is not None]
    chosen = sorted(sorted(known, key=lambda c: float(areas[c] or 0.0))[:_CURVES])
    for place, c in enumerate(chosen):
        x, y = curve(operating_points(said, said.classes[c]))
        every = max(1, len(x) // _MARKS)
        look = {**CURVE, **{k: v for k, v in mark(place, 4.0).items() if k not in ("linestyle",)}}
        seen.axes.plot(x, y, gid=f"class-{c}", markevery=(place * every // _CURVES, every), **look)
        seen.entry(f"{short(said.classes[c])}: {areas[c]:.3f}", look)
    if not known:
        nothing(seen, say("one-sided"))
    if len(chosen) == len(known):
        return []
    return [say("worst", shown=len(chosen), all=f"{len(said.classes):,}", least="smallest")]


def areas_in_words(said: Judgements, areas: Sequence[float | None]) -> str:
    """The smallest areas first, eight of them."""
    known = sorted((area, c) for c, area in enumerate(areas) if area is not None)
    told = ", ".join(f"{short(said.classes[c])} {area:.3f}" for area, c in known[:_CURVES])
    return (told or "–") + (", …" if len(known) > _CURVES else "")


def at_most(values: Floats) -> Floats:
    """Within the axes."""
    inside: Floats = np.clip(values, 0.0, 1.0)
    return inside
