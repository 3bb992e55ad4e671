"""A message with the words that speak for and against marked in place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from ..verdict import TextTerm
from .terminal import Screen, clean

_FIELD = re.compile(r"[!-9;-~]+:")
_LETTERHEAD = re.compile(r"(?:From|To|Cc|Subject|Date|Reply-To):", re.IGNORECASE)
_INDENT = "  "
_CONTEXT = 60  # characters shown beside a marked word in a long line
_NEAR = 1  # lines shown around one with a marked word
_MOST_LINES = 40
_BODY_LINES = 6  # shown at the beginning of a body, marked or not
_LONGEST = 3  # screen lines that one line of the message may take


_WRAPPER = Console(width=80, color_system=None)  # Text.wrap asks for one; it prints nothing


class Mark(NamedTuple):
    """A place in the text and the evidence there."""

    start: int
    end: int
    decibans: float


def marks(terms: Sequence[TextTerm]) -> list[Mark]:
    """The places of terms in order; where two overlap, the stronger evidence has the place."""
    wanted = [Mark(*place, term.decibans) for term in terms for place in term.places if place[0] < place[1]]
    wanted.sort(key=lambda mark: -abs(mark.decibans))
    taken: list[Mark] = []
    ends: dict[int, bool] = {}
    for mark in wanted:
        if not any(at in ends for at in range(mark.start, mark.end)):
            taken.append(mark)
            ends.update(dict.fromkeys(range(mark.start, mark.end), True))
    return sorted(taken)


def highlighted(
    text: str, terms: Sequence[TextTerm], on: Screen, colours: tuple[str, str], whole: bool = False
) -> list[Text]:
    """The lines of `text` with the places of `terms` marked: [+for+] and [-against-], or in colour.

    Unless `whole`, only what matters is shown: the head of a letter, lines with marked words, what is next to
    them, the beginning of the body; what is left out shows as one line.
    """
    found = marks(terms)
    strongest = max((abs(mark.decibans) for mark in found), default=1.0) or 1.0
    lines = list(lines_of(text, found))
    shown = set(range(len(lines))) if whole else kept(text, lines)
    result: list[Text] = []
    gap = ""
    for number, line in enumerate(lines):
        if number not in shown:
            gap += text[line[0] : line[1]].strip() or "\n"
            continue
        if gap:
            result.append(_cut(gap, on))
            gap = ""
        result.extend(_drawn(text, line, strongest, on, colours, whole))
    if gap.strip():
        result.append(_cut(gap, on))
    return result


def _cut(gap: str, on: Screen) -> Text:
    """What stands for lines that are left out; empty ones stay empty."""
    return Text(_INDENT + on.pick("⋮", "..."), style="dim") if gap.strip() else Text()


Line = tuple[int, int, list[Mark]]
"""Where a line starts and ends, and the marks in it."""


def lines_of(text: str, found: list[Mark]) -> Iterator[Line]:
    """Start, end and marks of each line; a mark that crosses a line end stands in both."""
    start = first = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        while first < len(found) and found[first].end <= start:
            first += 1
        inside = []
        for mark in found[first:]:
            if mark.start >= end:
                break
            inside.append(mark)
        yield start, end, inside
        start = end + 1


def kept(text: str, lines: list[Line], most: int = _MOST_LINES) -> set[int]:
    """Which lines to show; if there are too many, those with the strongest evidence first."""
    body = next((n for n, (start, end, _) in enumerate(lines) if not text[start:end].strip()), -1) + 1
    if not _FIELD.match(text):
        body = 0
    chosen = {n for n in range(body) if _LETTERHEAD.match(text, lines[n][0])}
    chosen.update([n for n in range(body, len(lines)) if text[lines[n][0] : lines[n][1]].strip()][:_BODY_LINES])
    weight = {n: sum(abs(mark.decibans) for mark in inside) for n, (_, _, inside) in enumerate(lines) if inside}
    for n in sorted(weight, key=lambda n: -weight[n]):
        near = {n} if n < body else {k for k in range(n - _NEAR, n + _NEAR + 1) if body <= k < len(lines)}
        if len(chosen | near) <= most:
            chosen |= near
    return chosen


def _drawn(text: str, line: Line, strongest: float, on: Screen, colours: tuple[str, str], whole: bool) -> list[Text]:
    """One line of the message as lines of the screen."""
    start, end, inside = line
    room = on.width - len(_INDENT)
    long = not whole and end - start > _LONGEST * room
    drawn, at = Text(), start
    for mark in inside:
        begin, stop = max(mark.start, start), min(mark.end, end)
        drawn.append(_between(text[at:begin], at > start, True, long, on))
        drawn.append_text(marked(text[begin:stop], mark.decibans, strongest, on, colours))
        at = stop
    drawn.append(_between(text[at:end], at > start, False, long, on))
    wrapped = drawn.wrap(_WRAPPER, room)
    for piece in wrapped:
        piece.rstrip()
    return [Text(_INDENT) + piece for piece in wrapped]


def _between(piece: str, after: bool, before: bool, long: bool, on: Screen) -> str:
    """What stands between two marks; of a long line only what is close to them."""
    if not long or len(piece) <= 2 * _CONTEXT:
        return _plain(piece)
    head = _plain(piece[:_CONTEXT]) if after or not before else ""
    tail = _plain(piece[-_CONTEXT:]) if before else ""
    return head + on.pick(" … ", " ... ") + tail


def _plain(piece: str) -> str:
    return clean(piece.replace("\t", "    ").replace("\r", ""))


def marked(word: str, decibans: float, strongest: float, on: Screen, colours: tuple[str, str]) -> Text:
    """One word, marked by side and, in colour, by weight."""
    word = _plain(word)
    if not on.colour:
        sign = "+" if decibans > 0 else "-"
        return Text(f"[{sign}{word}{sign}]")
    colour = colours[0] if decibans > 0 else colours[1]
    share = abs(decibans) / strongest
    style = f"bold reverse {colour}" if share > 0.6 else f"bold {colour}" if share > 0.25 else colour
    return Text(word, style=style)
