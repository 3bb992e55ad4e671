"""The terminal: what it can show, and strangers' text made safe for it."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any
from unicodedata import category

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from ..errors import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..data.columns import Columns


WIDEST = 110  # columns; longer lines are hard to follow with the eye


@dataclass(frozen=True)
class Screen:
    """The properties of a terminal: its width, and whether it shows colours, or only ASCII."""

    width: int = 80
    colour: bool = False
    ascii_only: bool = False

    def pick(self, rich: str, plain: str) -> str:
        """Return the character that this screen can show."""
        return plain if self.ascii_only else rich


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave a broken pipe to the caller, as everywhere else: whoever reads has seen enough."""
        raise


def console(file: IO[str] | None = None) -> Console:
    """Return rich's console for `file` (standard output), which knows NO_COLOR, TERM and the width."""
    return _Console(file=file or sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)


def screen(on: Console) -> Screen:
    """Return what `on` can show. A pipe gets lines of 100 columns without colour."""
    colour = on.color_system is not None and not on.no_color
    try:
        "▌−×│·⋮".encode(on.encoding)
    except (UnicodeError, LookupError):
        ascii_only = True
    else:
        ascii_only = False
    width = min(on.width, WIDEST) if on.is_terminal else 100
    return Screen(max(width, 40), colour, ascii_only)


def write(lines: Iterable[Text], on: Console | None = None) -> None:
    """Print lines as they stand."""
    on = on or console()
    for line in lines:
        on.print(line, soft_wrap=True)


# Line ends and tabs are layout, and stay for the caller to deal with.
_SUSPECT = re.compile(r"[^\n\t -~]")


def clean(text: str) -> str:
    """Return a stranger's text without anything that a terminal obeys.

    Controls, lone surrogates and unassigned characters are written as escapes; characters that only steer the
    layout of others (zero-width, direction) are left out; a run of accents on one letter is cut after three.

    >>> clean("a" + chr(27) + "[2Jb" + chr(0x200b) + "c")
    'a\\\\x1b[2Jbc'
    """
    if text.isascii() and text.isprintable():
        return text
    text = _SUSPECT.sub(_safe, text.replace("\r\n", "\n"))
    return _PILE.sub(r"\1", text)


# More than three combining marks in a row would be drawn over the lines above.
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_PILE = re.compile(f"({_MARK}{{3}}){_MARK}+")


def _safe(match: re.Match[str]) -> str:
    character = match[0]
    kind = category(character)
    if kind == "Zs":
        return " " * cell_len(character)
    if kind == "Cf" or character in "\ufe0e\ufe0f":
        return ""
    return escape(character) if kind[0] in "CZ" else character


def name(value: object) -> str:
    """Format a label, a word or a path on one line."""
    return clean(str(value)).replace("\n", "\\n").replace("\t", "\\t")


def fit(text: str, width: int, ellipsis: str = "…") -> str:
    """Return `text` in exactly so many columns: padded, or cut with an ellipsis. Hangul and Han take two columns."""
    if cell_len(text) > width:
        text = set_cell_size(text, max(width - cell_len(ellipsis), 0)).rstrip() + ellipsis
    return text + " " * (width - cell_len(text))


def format_signed(value: float, on: Screen, digits: int = 1) -> str:
    """Format a number as +7.1 or −7.1; zero has no sign.

    >>> format_signed(-7.06, Screen()), format_signed(-0.01, Screen())
    ('−7.1', '0.0')
    """
    rounded = f"{abs(value):.{digits}f}"
    if float(rounded) == 0:
        return rounded
    return ("+" if value > 0 else on.pick("−", "-")) + rounded


def grid(rows: Sequence[Sequence[str]], right: str = "") -> list[str]:
    """Return rows as aligned columns; `right` names those aligned to the right, as in "lrr"."""
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cell_len(cell))
            cells.append(space + cell if right[column : column + 1] == "r" else cell + space)
        lines.append("  ".join(cells).rstrip())
    return lines


_BY_NAME = {"spam": "red", "ham": "green"}
_BY_PLACE = ("cyan", "magenta", "yellow", "blue", "green", "red")


def colour_of(label: object, classes: Sequence[Any]) -> str:
    """Return the colour of a class."""
    known = {str(c) for c in classes}
    if known <= set(_BY_NAME):
        return _BY_NAME[str(label)]
    return _BY_PLACE[list(classes).index(label) % len(_BY_PLACE)]


_PRINTED = 40  # columns


def format_columns(columns: Columns) -> str:
    """Write a line a column: its name, its kind, its labels."""
    rows = [("column", "kind", "categories", "")]
    for own, kind, known in list(zip(columns.names, columns.kinds, columns.categories, strict=True))[:_PRINTED]:
        count = "" if known is None else f"{len(known):,}"
        examples = ", ".join(name(label) for label in (known or ())[:20])
        rows.append((fit(name(own), 24).rstrip(), kind, count, fit(examples, 30).rstrip()))
    more = len(columns.names) - _PRINTED
    return "\n".join(grid(rows, "llr") + ([f"and {more:,} more columns"] if more > 0 else []))
