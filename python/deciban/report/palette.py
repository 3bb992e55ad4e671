"""Colours, type and spacing of figures, reports and pages: one palette, safe for colour-blind readers.

The first four colours of classes are those of Okabe & Ito (2008) on light pages; the others were chosen so that any
two of the eight, and the ink, differ by ΔE*ab ≥ 15 (CIE 1976) in normal vision and in protanopia, deuteranopia and
tritanopia as Machado, Oliveira & Fernandes (2009) simulate them, with a contrast of 3 : 1 to the page. Text has a
contrast of 4.5 : 1. Style sheets that cannot read this module have the same values, which the tests compare.
"""

from __future__ import annotations

from typing import NamedTuple

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#9c8a4a", "#1d94ff", "#5c337c", "#64676d")
"""One for each class, and again from the first."""

IN_THE_DARK = ("#65ade4", "#e9935c", "#3cdd9a", "#ea9ec3", "#d2be2c", "#bfdcff", "#8e73f0", "#99818a")
"""The same classes on a dark page."""

INK, PAPER = "#1a1a19", "#fffffe"
"""What figures are written with, and on; a page puts its own colours in their place."""


class Tone(NamedTuple):
    """A colour by its use: on a light page, on a dark one, and in print."""

    light: str
    dark: str
    printed: str


TONES = {
    "paper": Tone("#fbfbfa", "#131417", "#ffffff"),
    "panel": Tone("#ffffff", "#1a1b1f", "#ffffff"),
    "soft": Tone("#f1f1ef", "#24262b", "#f1f1ef"),
    "ink": Tone("#1c1d20", "#ececee", "#000000"),
    "dim": Tone("#5f6269", "#a0a3ab", "#444444"),
    "rule": Tone("#e7e7e4", "#2a2c31", "#bbbbbb"),
    "field": Tone("#8b8e95", "#777b84", "#8b8e95"),
    "blue": Tone(COLOURS[0], IN_THE_DARK[0], COLOURS[0]),
    "orange": Tone("#b34700", IN_THE_DARK[1], "#b34700"),
}
"""Pages and panels, lines, text, and the two sides of evidence, each of which also has a sign that is no colour."""

FONTS = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Apple SD Gothic Neo", "Noto Sans CJK KR", '
    '"Noto Sans KR", "Malgun Gothic", "NanumGothic", sans-serif'
)
MONOSPACED = 'ui-monospace, "SF Mono", "DejaVu Sans Mono", "Nanum Gothic Coding", monospace'

SIZES = {"small": "0.8125rem", "text": "0.9375rem", "large": "1.125rem", "title": "1.5rem", "number": "1.75rem"}
"""Sizes of type."""

SPACES = {"xs": "0.25rem", "s": "0.5rem", "m": "1rem", "l": "1.5rem", "xl": "2.5rem"}
"""Distances, and of corners."""


def variables() -> str:
    """Return the palette as custom properties of a style sheet, for light and dark pages and for print."""
    fixed = {"fonts": FONTS, "mono": MONOSPACED}
    fixed |= {f"size-{key}": size for key, size in SIZES.items()} | {f"space-{key}": s for key, s in SPACES.items()}
    light = _declare({**fixed, **_column(0)})
    dark, printed = (_declare(_column(place)) for place in (1, 2))
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        f"@media print {{ :root {{ color-scheme: light; {printed} }} }}\n"
    )


def _column(place: int) -> dict[str, str]:
    """Return the colours of one kind of page by the names of their properties."""
    classes = IN_THE_DARK if place == 1 else COLOURS
    named = {f"class-{c}": colour for c, colour in enumerate(classes)}
    return {key: tone[place] for key, tone in TONES.items()} | named


def _declare(values: dict[str, str]) -> str:
    return " ".join(f"--{key}: {value};" for key, value in values.items())
