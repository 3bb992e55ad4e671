"""Blocks of a section. `part` names the macro of `parts.html` that writes a block.

Figures of `deciban.report` are elements of a page, in its language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from html import escape, unescape
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from ..lazy import cached_property
from ..report.vector import inline
from .words import CATALOGUES, Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; what is `dim` is said beside the point, what is a `claim` is the point."""

    text: str
    dim: bool = False
    claim: bool = False
    part: ClassVar[str] = "paragraph"


@dataclass(frozen=True)
class Facts:
    """Headings with what there is to say under each. `foreign` are those whose text is English whatever the page is."""

    rows: Sequence[tuple[str, str]]
    foreign: frozenset[str] = frozenset()
    part: ClassVar[str] = "facts"


@dataclass(frozen=True)
class Table:
    """Columns with a head each; the first cell of a row names it, `right` stand to the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: bool = True
    part: ClassVar[str] = "table"


@dataclass(frozen=True)
class Bars:
    """Evidence: each term, its decibans as a number, and whether its bar stands for or against, of a length in per cent
    of the longest: bars for stand to the right of one line, bars against to its left. The longest for may stand in
    another list, beside which this one is as long as `at_least`."""

    title: str
    head: tuple[str, str]
    rows: Sequence[tuple[str, str, str, int]]
    empty: str = ""
    at_least: int = 0
    part: ClassVar[str] = "bars"

    @cached_property
    def _longest(self) -> tuple[int, int]:
        """The longest bar against and for."""
        longest = {"against": 0, "for": self.at_least, "": 0}
        for _, _, side, length in self.rows:
            longest[side] = max(longest[side], length)
        return longest["against"], longest["for"]

    @property
    def zero(self) -> float:
        """Where the line stands, in per cent of the whole: at an edge where all bars are of one side."""
        return 100.0 * self._longest[0] / (sum(self._longest) or 1)

    def place(self, side: str, length: int) -> str:
        """Return the style of a bar, one of whose ends is at the line."""
        width = 100.0 * length / (sum(self._longest) or 1)
        return f"margin-left: {self.zero - (width if side == 'against' else 0.0):.2f}%; width: {width:.2f}%"


@dataclass(frozen=True)
class Figure:
    """A picture as an element of the page, what it shows in words and, where that is long, the rest of it."""

    element: str
    says: str
    more: str = ""
    part: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Piece:
    """A run of characters of a message: `side` is "" or "for" or "against", `strength` 1 to 3, `told` its decibans."""

    text: str
    side: str = ""
    strength: int = 0
    told: str = ""


@dataclass(frozen=True)
class Passage:
    """A message with its evidence in place: lines of pieces; None is a gap where lines were left out."""

    lines: Sequence[Sequence[Piece] | None]
    gap: str
    part: ClassVar[str] = "passage"


@dataclass(frozen=True)
class Opened:
    """Blocks behind a line that opens them."""

    title: str
    blocks: Sequence[Any]
    shut: bool = False
    part: ClassVar[str] = "opened"


@dataclass(frozen=True)
class Stop:
    """A threshold that the slider stops at, in decibans, the errors there, and between which scores they are the same:
    from `low` to `high`."""

    threshold: float
    low: float
    high: float
    false_positives: int
    false_negatives: int


@dataclass(frozen=True)
class Slider:
    """A threshold to move; `chosen` is the place of the one that is in use, `words` what the script writes."""

    stops: Sequence[Stop]
    chosen: int
    words: dict[str, str]
    labels: dict[str, str]
    part: ClassVar[str] = "slider"

    def stored(self) -> list[list[float | None]]:
        """Return the stops as the script reads them; null for what is infinite."""
        return [[each if isfinite(each) else None for each in astuple(stop)] for stop in self.stops]


@dataclass(frozen=True)
class KeyFigure:
    """A number that matters: what it is, its value, its 95 % interval, and what to compare it with."""

    heading: str
    value: str
    interval: str
    note: str


@dataclass(frozen=True)
class NextStep:
    """Something to do, the section that tells more, and the advice of a solver, which is in English."""

    text: str
    section: str = ""
    advice: str = ""


@dataclass(frozen=True)
class Summary:
    """What a report comes down to, in ten seconds: a verdict, the figures that matter and what to do next.

    `tone` is "good", "open" or "poor"; `warning` says that training did not converge.
    """

    tone: str
    verdict: str
    claim: str
    figures: Sequence[KeyFigure]
    steps: Sequence[NextStep]
    warning: str = ""
    part: ClassVar[str] = "summary"


@dataclass(frozen=True)
class Command:
    """A command for a shell."""

    text: str
    part: ClassVar[str] = "command"


@dataclass(frozen=True)
class Section:
    """A heading, which is also where links go, and its blocks."""

    key: str
    heading: str
    blocks: Sequence[Any]


_TEXT = re.compile(r"(<text\b[^>]*>)([^<]*)(</text>)")
_DRAWN = "drawn."
_LONG = 220  # characters of a caption


def figure(drawn: Drawn, key: str) -> Figure:
    """Return a figure whose ids begin with `key`, with its description in its label: "what: details; details"."""
    says = str(drawn.get_label())
    short, _, more = says.partition("; ") if len(says) > _LONG else (says, "", "")
    return Figure(inline(drawn, says.partition(":")[0], f"{key}-"), short, more)


def translate_figure(drawn: Drawn, key: str, words: Words) -> Figure:
    """Return a figure whose words are English, in the language of the page; `key`.says describes it."""
    if words.language == "en":
        return figure(drawn, key)
    says = words(f"{key}.says")
    for axes in drawn.axes:
        axes.set_title("", loc="left")  # sentences of their own
    return Figure(translate_words(inline(drawn, says, f"{key}-"), words), says)


def translate_words(element: str, words: Words) -> str:
    """Return the same figure with those of its words that the catalogue knows in another language: a word that stands
    alone, or before a number or a colon.

    >>> translate_words('<text x="1">support vectors: 3</text>', Words("ko"))
    '<text x="1">서포트 벡터: 3</text>'
    """
    english, own = (
        {k: v for k, v in CATALOGUES[lang].items() if k.startswith(_DRAWN)} for lang in ("en", words.language)
    )
    known = {text: own[key] for key, text in english.items()}
    longest_first = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    word = re.compile(rf"(?<![\w]){'(?:' + longest_first + ')'}(?![\w])")

    def said(match: re.Match[str]) -> str:
        text = unescape(match[2])
        return match[1] + escape(word.sub(lambda found: known[found[0]], text), quote=False) + match[3]

    return _TEXT.sub(said, element)
