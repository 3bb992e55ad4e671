"""Small pictures as SVG: places across are in per cent, so that they fill the width and letters keep their size.

The content-security policy allows no style in an element: colours are those of classes in `page.css`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from markupsafe import Markup

WIDEST = 60.0
"""Decibans at either end of a scale: what is beyond stands there."""
LOWEST, HIGHEST, STEP = -40, 60, 2
"""Of the histogram of evidence, in decibans."""
_HEIGHT = 132
_BASE = 108  # where bars stand
_TOP = 16
_AXIS = 28  # of a scale


def place(decibans: float, low: float = -WIDEST, high: float = WIDEST) -> float:
    """Return where evidence stands across, in per cent.

    >>> place(0.0), place(-100.0), place(1e9)
    (50.0, 0.0, 100.0)
    """
    return 100.0 * (min(max(decibans, low), high) - low) / (high - low)


@dataclass(frozen=True)
class Scale:
    """Evidence on an axis from one class to the other, with its interval and the threshold."""

    decibans: float
    interval: tuple[float, float] | None
    threshold: float
    side: str
    says: str
    mark: str

    def svg(self) -> Markup:
        """Return the picture."""
        at, bar, y = place(self.decibans), place(self.threshold), _AXIS
        parts = [f'<line class="axis" x1="0" x2="100%" y1="{y}" y2="{y}"/>']
        parts.append(f'<line class="tick" x1="50%" x2="50%" y1="{y - 5}" y2="{y + 5}"/>')
        if self.interval is not None:
            low, high = (place(each) for each in self.interval)
            parts.append(f'<line class="interval {self.side}" x1="{low:.2f}%" x2="{high:.2f}%" y1="{y}" y2="{y}"/>')
        parts.append(f'<line class="threshold" x1="{bar:.2f}%" x2="{bar:.2f}%" y1="{y - 10}" y2="{y + 10}"/>')
        parts.append(_label(bar, y - 15, self.mark, "label"))
        parts.append(f'<circle class="dot {self.side}" cx="{at:.2f}%" cy="{y}" r="6"/>')
        return _picture("scale", y + 14, self.says, parts)


def bars(term: float, most: float) -> Markup:
    """Return the bar of a term, to the right for and to the left against, of the width that `most` has."""
    share = min(abs(term) / most, 1.0) * 50.0 if most else 0.0
    start = 50.0 if term >= 0.0 else 50.0 - share
    side = "spam" if term >= 0.0 else "ham"
    parts = [
        f'<rect class="{side}" x="{start:.2f}%" y="3" width="{max(share, 0.6):.2f}%" height="10"/>',
        '<line class="tick" x1="50%" x2="50%" y1="0" y2="16"/>',
    ]
    return Markup(f'<svg class="beam" height="16" aria-hidden="true">{"".join(parts)}</svg>')


@dataclass(frozen=True)
class Stack:
    """Counts of one place across, in the order in which they are stacked: by class of `page.css`."""

    label: str
    counts: Sequence[tuple[str, int]]

    @property
    def total(self) -> int:
        """Return the sum of the counts."""
        return sum(n for _, n in self.counts)


def columns(stacks: Sequence[Stack], says: str, labels: Sequence[tuple[float, str]], more: str = "") -> Markup:
    """Return stacked columns, the largest with its number if there is no `more` above them, and labels at places in per
    cent below."""
    most = max((each.total for each in stacks), default=0) or 1
    width = 100.0 / max(len(stacks), 1)
    parts = [f'<line class="axis" x1="0" x2="100%" y1="{_BASE}" y2="{_BASE}"/>']
    for number, stack in enumerate(stacks):
        foot = float(_BASE)
        for kind, n in stack.counts:
            height = (_BASE - _TOP) * n / most
            if n:
                foot -= height
                parts.append(
                    f'<rect class="{kind}" x="{number * width + 0.15 * width:.3f}%" width="{0.7 * width:.3f}%" '
                    f'y="{foot:.2f}" height="{height:.2f}"/>'
                )
    highest = max(range(len(stacks)), key=lambda number: stacks[number].total, default=0)
    if stacks and stacks[highest].total and not more:
        parts.append(_label((highest + 0.5) * width, _TOP - 5, f"{stacks[highest].total:,}", "value"))
    parts += [_label(at, _HEIGHT - 8, text, "label") for at, text in labels]
    return _picture("columns", _HEIGHT, says, [*parts, more])


def threshold_mark(decibans: float, text: str, kind: str) -> str:
    """Return the line of a threshold over the histogram of evidence."""
    at = place(decibans, LOWEST, HIGHEST)
    line = f'<line class="{kind}" x1="{at:.2f}%" x2="{at:.2f}%" y1="{_TOP}" y2="{_BASE + 4}"/>'
    return line + (_label(at, _TOP - 5, text, kind) if text else "")


def curve(values: Sequence[float], says: str, low: str, high: str, last: str) -> Markup:
    """Return a line of shares over what came one after the other, with the first and the last label below."""
    most = max([*values, 0.01])
    points = [
        (100.0 * k / max(len(values) - 1, 1), _BASE - (_BASE - _TOP) * value / most) for k, value in enumerate(values)
    ]
    parts = [f'<line class="axis" x1="0" x2="100%" y1="{_BASE}" y2="{_BASE}"/>']
    parts += [
        f'<line class="curve" x1="{x:.2f}%" y1="{y:.2f}" x2="{to:.2f}%" y2="{at:.2f}"/>'
        for (x, y), (to, at) in pairwise(points)
    ]
    x, y = points[-1]
    parts.append(f'<circle class="dot" cx="{x:.2f}%" cy="{y:.2f}" r="4"/>')
    parts.append(_label(100.0, max(y - 10.0, 10.0), last, "value"))
    parts += [_label(0.0, _HEIGHT - 8, low, "label"), _label(100.0, _HEIGHT - 8, high, "label")]
    return _picture("columns", _HEIGHT, says, parts)


def _label(at: float, y: float, text: str, kind: str) -> str:
    anchor = "start" if at < 6.0 else "end" if at > 94.0 else "middle"
    return f'<text class="{kind}" x="{at:.2f}%" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _picture(kind: str, height: int, says: str, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg class="{kind}" height="{height}" role="img" aria-label="{escape(says)}">{"".join(parts)}</svg>'
    )
