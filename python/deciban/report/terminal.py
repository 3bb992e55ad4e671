"""What a terminal can show, and strangers' text made safe for it."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any
from unicodedata import category

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from ..errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDEST = 110  # columns; longer lines are hard to follow with the eye


@dataclass(frozen=True)
class Screen:
    """How wide to write, whether colours mean anything there, and whether only ASCII does."""

    width: int = 80
    colour: bool = False
    ascii_only: bool = False

    def pick(self, rich: str, plain: str) -> str:
        """The character that this screen can show."""
        return plain if self.ascii_only else rich


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Whoever reads has seen enough: that is the caller's business, as everywhere else."""
        raise


def console(file: IO[str] | None = None) -> Console:
    """rich's console for `file` (standard output), which knows NO_COLOR, TERM and the width."""
    return _Console(file=file or sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)


def screen(on: Console) -> Screen:
    """What `on` can show. A pipe gets lines of 100 columns without colour."""
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
    """A stranger's text without anything that a terminal obeys.

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
    return shown(character) if kind[0] in "CZ" else character


def name(value: Any) -> str:
    """A label, a word or a path on one line."""
    return clean(str(value)).replace("\n", "\\n").replace("\t", "\\t")


def fit(text: str, width: int, ellipsis: str = "…") -> str:
    """`text` in exactly so many columns: padded, or cut with an ellipsis. Hangul and Han take two columns."""
    if cell_len(text) > width:
        text = set_cell_size(text, max(width - cell_len(ellipsis), 0)).rstrip() + ellipsis
    return text + " " * (width - cell_len(text))


def signed(value: float, on: Screen, digits: int = 1) -> str:
    """+7.1 or −7.1; zero has no sign.

    >>> signed(-7.06, Screen()), signed(-0.01, Screen())
    ('−7.1', '0.0')
    """
    rounded = f"{abs(value):.{digits}f}"
    if float(rounded) == 0:
        return rounded
    return ("+" if value > 0 else on.pick("−", "-")) + rounded


def percent(share: float) -> str:
    """A share in per cent with three digits that mean something, never rounded to a certainty.

    >>> percent(0.0123), percent(0.9999999), percent(1.0), percent(0.5)
    ('1.23 %', '>99.99 %', '100 %', '50.0 %')
    """
    value = 100 * share
    if value in (0, 100):
        return f"{value:.0f} %"
    if value > 99.995:
        return ">99.99 %"
    if value < 0.0005:
        return "<0.001 %"
    return f"{value:.{2 if value >= 99 else 1 if value >= 10 else 2 if value >= 1 else 3}f} %"


def sureness(probability: float) -> str:
    """A probability in per cent that never claims certainty: 1.0 is only what 1 − 10⁻²⁰ rounds to."""
    return ">99.99 %" if probability > 0.99995 else percent(probability)


def grid(rows: Sequence[Sequence[str]], right: str = "") -> list[str]:
    """Rows as columns that line up; `right` says which stand to the right, as in "lrr"."""
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


def colour_of(label: Any, classes: Sequence[Any]) -> str:
    """The colour that stands for a class."""
    known = {str(c) for c in classes}
    if known <= set(_BY_NAME):
        return _BY_NAME[str(label)]
    return _BY_PLACE[list(classes).index(label) % len(_BY_PLACE)]
