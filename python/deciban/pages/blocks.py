"""What a section is made of. `part` names the macro of `parts.html` that writes a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


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
    """Evidence: each term, its decibans as a number, and whether its bar stands for or against, `width` per cent."""

    title: str
    head: tuple[str, str]
    rows: Sequence[tuple[str, str, str, int]]
    empty: str = ""
    part: ClassVar[str] = "bars"


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
    """A threshold that the slider stops at: what it is, in probability and decibans, and the errors there."""

    threshold: str
    decibans: str
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

    def stored(self) -> list[list[Any]]:
        """The stops as the script reads them."""
        return [[each.threshold, each.decibans, each.false_positives, each.false_negatives] for each in self.stops]


@dataclass(frozen=True)
class Command:
    """What one types in a shell."""

    text: str
    part: ClassVar[str] = "command"


@dataclass(frozen=True)
class Section:
    """A heading, which is also where links go, and its blocks."""

    key: str
    heading: str
    blocks: Sequence[Any]
