"""Fonts for names in any script: those that are here, and what none of them has."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from unicodedata import category, name

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
    """The fonts that write the texts, letter by letter the first that has it; and what to say of letters without one.

    >>> family(["abc"])
    (['DejaVu Sans', 'sans-serif'], '')
    """
    wanted = {c for text in texts for c in text if category(c)[0] not in "CZ"} - letters(None)
    chosen: list[str] = []
    for known, path in _others() if wanted else ():
        if not wanted:
            break
        if wanted & letters(path):
            chosen.append(known)
            wanted -= letters(path)
    return [OWN, *chosen, "sans-serif"], _told(wanted)


def _told(wanted: set[str]) -> str:
    if not wanted:
        return ""
    few = ", ".join(f"U+{ord(c):04X}" for c in sorted(wanted)[:4]) + (", …" if len(wanted) > 4 else "")
    script = name(min(wanted), "").split(" ")[0].split("-")[0]
    remedy = _REMEDIES.get(script, "a font that has them")
    return f"no font here has {few}: install {remedy}, or write an SVG, which its reader's fonts draw"


@lru_cache(maxsize=1)
def _others() -> tuple[tuple[str, str], ...]:
    """The names and files of all upright fonts that are here, the preferred ones first; not those of boxes only."""
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
    """The characters that the font in a file has; without a file, Matplotlib's own. None where it cannot be read."""
    from matplotlib.font_manager import findfont, get_font

    try:
        return frozenset(map(chr, get_font(path or findfont(OWN)).get_charmap()))
    except (OSError, RuntimeError):
        return frozenset()
