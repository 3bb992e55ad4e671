"""Marks that tell classes and zones apart: what colours say, shapes, fillings and hatches say in grey."""

from __future__ import annotations

from typing import Any

from ..models.zones import INSIDE, ON, OUTSIDE, WRONG
from .vector import COLOURS, INK, PAPER

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
"""What the zones of SPEC S5 are called."""


def colour(c: int) -> str:
    """Of class c."""
    return COLOURS[c % len(COLOURS)]


def faint(c: int) -> tuple[float, float, float, float]:
    """Of the hatch of class c."""
    from matplotlib.colors import to_rgba

    return to_rgba(colour(c), 0.4)


def hatch(c: int) -> str:
    """Of the region of class c."""
    return _HATCHES[c % len(_HATCHES)]


def mark(c: int, size: float, zone: int | None = None, paint: str | None = None) -> dict[str, Any]:
    """How an example of class c is drawn, in a zone: small outside, full on the margin, half inside, hollow beyond."""
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
    """Over an example on the wrong side."""
    return {"marker": "x", "linestyle": "none", "markersize": 0.7 * size, "color": INK, "markeredgewidth": 0.9}


def ring(size: float) -> dict[str, Any]:
    """Around a support vector."""
    look = {"marker": "o", "linestyle": "none", "markersize": 1.9 * size, "fillstyle": "none"}
    return {**look, "markeredgecolor": INK, "markeredgewidth": 0.13 * size}


BOUNDARY = {"colors": INK, "linewidths": 1.4, "linestyles": "solid"}
MARGIN = {"colors": INK, "linewidths": 0.9, "linestyles": "dashed"}


def size_for(count: int) -> float:
    """How large examples are drawn, in points, when there are so many."""
    return 6.0 if count <= 150 else 5.0 if count <= 500 else 4.0 if count <= 1000 else 3.2
