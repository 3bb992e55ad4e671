"""The explanation of a message, for the terminal: the verdict, the evidence as bars that add up, the text.

Words that speak for and against are marked in place; bars stand to two sides of a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..conventions import sureness
from ..verdict import Explanation, Term, Threshold, Verdict
from .terminal import Screen, clean, colour_of, fit, format_signed, name

_NUMBER = 9  # columns for decibans


@dataclass(frozen=True)
class _Row:
    """One line of the sum, in tenths of a deciban, so that what is printed adds up."""

    label: str
    tenths: int
    count: int | None = None


def explanation(
    found: Explanation,
    source: str,
    on: Screen,
    *,
    top: int | None = 16,
    whole: bool = False,
    threshold: Threshold | None = None,
) -> Iterator[Text]:
    """Return the report on one item, under a threshold. `top` strongest terms are named, all if None; `whole` shows the
    text uncut."""
    verdict = found.as_verdict()
    classes = list(verdict.probability)
    colours = colour_of(verdict.label, classes), colour_of(verdict.against, classes)
    named = found.terms if top is None else found.terms[:top]
    yield from headline(verdict, source, colours[0], on, threshold)
    yield Text()
    if isfinite(verdict.decibans):
        yield from _chart(found, named, on, colours)
    else:
        yield Text(f"The filter knows no {name(verdict.against)}: nothing can weigh for it. Learn some first.")
    yield Text()
    yield from highlight_terms(found.text.rstrip("\n"), named, on, colours, whole)


def headline(verdict: Verdict, source: str, colour: str, on: Screen, threshold: Threshold | None = None) -> list[Text]:
    """Return `spam 99.8 % 27.1 dB against ham 95 %: +12 to +41 mail.eml`; what does not fit stands on the next line.

    Under a threshold, of which the label need not be the most probable one, `unsure spam 99.8 % 27.1 < 30 dB`.
    """
    if threshold is None:
        line = Text(name(verdict.label), style=f"bold {colour}")
        if verdict.unsure:
            line.append("  (unsure)", style="bold")
        line.append(f"   {sureness(verdict.probability[verdict.label])}", style="bold")
        line.append(f"   {verdict.decibans:.1f} dB against {name(verdict.against)}")
    else:
        line = Text("unsure" if verdict.unsure else name(verdict.label), style=f"bold {colour}")
        verdict = verdict.towards(list(verdict.probability)[threshold.positive])
        line.append(f"   {name(verdict.label)} {sureness(verdict.probability[verdict.label])}", style="bold")
        line.append(f"   {verdict.decibans:.1f} {threshold.beside(verdict.decibans)}, the threshold")
    lines = [line]
    for more in (*_interval(verdict, on), Text(name(source), style="dim")):
        if lines[-1].cell_len + 3 + more.cell_len <= on.width:
            lines[-1].append("   ").append_text(more)
        else:
            lines.append(more)
    return lines


def _interval(verdict: Verdict, on: Screen) -> list[Text]:
    """Return `95 %: +12 to +41`, where there is an interval."""
    if verdict.interval is None:
        return []
    low, high = verdict.interval
    if not isfinite(low) or not isfinite(high):
        return []
    return [Text(f"95 %: {format_signed(low, on, 0)} to {format_signed(high, on, 0)}")]


def _rows(found: Explanation, named: Sequence[Term]) -> tuple[list[_Row], int]:
    """Return the prior, the named terms, the sum of the others, which has what rounding leaves, and the total."""
    total = _tenths(found.decibans)
    rows = [_Row(str(term.term), _tenths(term.decibans), term.count) for term in named]
    rows.insert(0, _Row("(prior)", _tenths(found.prior_decibans)))
    others = len(found.terms) - len(named)
    left = total - sum(row.tenths for row in rows)
    if others:
        rows.append(_Row(f"({others:,} others)" if others > 1 else "(1 other)", left))
    elif left:
        rows.append(_Row("(rounding)", left))
    return rows, total


def _tenths(decibans: float) -> int:
    return round(10 * decibans)


def _chart(found: Explanation, named: Sequence[Term], on: Screen, colours: tuple[str, str]) -> Iterator[Text]:
    rows, total = _rows(found, named)
    labels = [name(row.label) + (f" {on.pick('×', 'x')}{row.count}" if (row.count or 0) > 1 else "") for row in rows]
    width = min(max(map(cell_len, labels)), max(on.width // 3, 12))
    half = max((on.width - width - _NUMBER - 5) // 2, 4)
    most = max((abs(row.tenths) for row in rows if row.count is not None), default=0) or 1
    yield _sides(found.as_verdict(), width, half, on, colours)
    for row, label in zip(rows, labels, strict=True):
        colour = colours[0] if row.tenths > 0 else colours[1]
        line = Text(fit(label, width, on.pick("…", "~")), style="dim" if row.count is None else "")
        line.append("  ").append_text(bar(row.tenths, most, half, on, colours, row.count is None)).append("  ")
        line.append(f"{format_signed(row.tenths / 10, on):>{_NUMBER}}", style=colour if row.tenths else "")
        yield line
    yield Text(" " * (width + 2 + 2 * half + 3) + on.pick("─", "-") * _NUMBER, style="dim")
    line = Text(fit("total", width) + " " * (2 * half + 5), style="bold")
    yield line.append(f"{format_signed(total / 10, on):>{_NUMBER}}")


def _sides(verdict: Verdict, width: int, half: int, on: Screen, colours: tuple[str, str]) -> Text:
    against = fit(f"for {name(verdict.against)} {on.pick('◂', '<')}", half).rstrip()
    against = " " * (half - cell_len(against)) + against
    line = Text(fit("evidence", width) + "  ", style="dim").append(against, style=colours[1]).append(" ")
    line.append(fit(f"{on.pick('▸', '>')} for {name(verdict.label)}", half), style=colours[0])
    return line.append(" " * (_NUMBER - 6) + "decibans", style="dim")


def contrast(before: Verdict, after: Verdict, on: Screen, classes: Sequence[Any]) -> Text:
    """Return `ham 91.0 %, 10.0 dB → spam 99.1 %, 20.3 dB`."""
    line = Text()
    for verdict in (before, after):
        if verdict is after:
            line.append(on.pick("  →  ", "  ->  "), style="dim")
        line.append(name(verdict.label), style=f"bold {colour_of(verdict.label, classes)}")
        line.append(f" {sureness(verdict.probability[verdict.label])}, {verdict.decibans:.1f} dB")
    return line


def bar(value: float, most: float, half: int, on: Screen, colours: tuple[str, str], many: bool = False) -> Text:
    """Draw a bar of value/most of `half` columns: to the right in colours[0] if positive, else to the left.

    Half columns are drawn where Unicode can be; whatever is not zero shows at least a sliver. The sum of `many`
    pieces is shaded, and may be more than the bar has room for.
    """
    steps = 1 if on.ascii_only else 2
    length = min(round(abs(value) / most * half * steps), half * steps) if most > 0 else 0
    if value != 0:
        length = max(length, 1)
    whole, part = divmod(length, steps)
    full, sliver = on.pick("█", "+" if value > 0 else "-"), "▌" if value > 0 else "▐"
    if many:
        full, sliver = on.pick("░", "."), " "
    drawn = full * whole + sliver * part
    middle = on.pick("│", "|")
    if value < 0:
        left, right = " " * (half - whole - part) + drawn[::-1], " " * half
    else:
        left, right = " " * half, drawn + " " * (half - whole - part)
    line = Text(left, style=colours[1])
    line.append(middle, style="dim")
    line.append(right, style=colours[0])
    return line


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


def marks(terms: Sequence[Term]) -> list[Mark]:
    """Return the places of terms in order; where two overlap, the stronger evidence has the place."""
    wanted = [Mark(*place, term.decibans) for term in terms for place in term.places if place[0] < place[1]]
    wanted.sort(key=lambda mark: -abs(mark.decibans))
    taken: list[Mark] = []
    ends: dict[int, bool] = {}
    for mark in wanted:
        if not any(at in ends for at in range(mark.start, mark.end)):
            taken.append(mark)
            ends.update(dict.fromkeys(range(mark.start, mark.end), True))
    return sorted(taken)


def highlight_terms(
    text: str, terms: Sequence[Term], on: Screen, colours: tuple[str, str], whole: bool = False
) -> list[Text]:
    """Return the lines of `text` with the places of `terms` marked: [+for+] and [-against-], or in colour.

    Unless `whole`, only what matters is shown: the head of a letter, lines with marked words, what is next to
    them, the beginning of the body; what is left out shows as one line.
    """
    found = marks(terms)
    strongest = max((abs(mark.decibans) for mark in found), default=1.0) or 1.0
    lines = list(lines_of(text, found))
    shown = set(range(len(lines))) if whole else select_lines(text, lines)
    result: list[Text] = []
    gap = ""
    for number, line in enumerate(lines):
        if number not in shown:
            gap += text[line[0] : line[1]].strip() or "\n"
            continue
        if gap:
            result.append(_shorten(gap, on))
            gap = ""
        result.extend(_draw_line(text, line, strongest, on, colours, whole))
    if gap.strip():
        result.append(_shorten(gap, on))
    return result


def _shorten(gap: str, on: Screen) -> Text:
    """Return what stands for lines that are left out; empty ones stay empty."""
    return Text(_INDENT + on.pick("⋮", "..."), style="dim") if gap.strip() else Text()


Line = tuple[int, int, list[Mark]]
"""Where a line starts and ends, and the marks in it."""


def lines_of(text: str, found: list[Mark]) -> Iterator[Line]:
    """Return start, end and marks of each line; a mark that crosses a line end stands in both."""
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


def select_lines(text: str, lines: list[Line], most: int = _MOST_LINES) -> set[int]:
    """Return which lines to show; if there are too many, those with the strongest evidence first."""
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


def _draw_line(
    text: str, line: Line, strongest: float, on: Screen, colours: tuple[str, str], whole: bool
) -> list[Text]:
    """Return one line of the message as lines of the screen."""
    start, end, inside = line
    room = on.width - len(_INDENT)
    long = not whole and end - start > _LONGEST * room
    drawn, at = Text(), start
    for mark in inside:
        begin, stop = max(mark.start, start), min(mark.end, end)
        drawn.append(_format_gap(text[at:begin], at > start, True, long, on))
        drawn.append_text(mark_word(text[begin:stop], mark.decibans, strongest, on, colours))
        at = stop
    drawn.append(_format_gap(text[at:end], at > start, False, long, on))
    wrapped = drawn.wrap(_WRAPPER, room)
    for piece in wrapped:
        piece.rstrip()
    return [Text(_INDENT) + piece for piece in wrapped]


def _format_gap(piece: str, after: bool, before: bool, long: bool, on: Screen) -> str:
    """Return the text between two marks; of a long line only what is close to them."""
    if not long or len(piece) <= 2 * _CONTEXT:
        return _plain(piece)
    head = _plain(piece[:_CONTEXT]) if after or not before else ""
    tail = _plain(piece[-_CONTEXT:]) if before else ""
    return head + on.pick(" … ", " ... ") + tail


def _plain(piece: str) -> str:
    return clean(piece.replace("\t", "    ").replace("\r", ""))


def mark_word(word: str, decibans: float, strongest: float, on: Screen, colours: tuple[str, str]) -> Text:
    """Return one word, marked by side and, in colour, by weight."""
    word = _plain(word)
    if not on.colour:
        sign = "+" if decibans > 0 else "-"
        return Text(f"[{sign}{word}{sign}]")
    colour = colours[0] if decibans > 0 else colours[1]
    share = abs(decibans) / strongest
    style = f"bold reverse {colour}" if share > 0.6 else f"bold {colour}" if share > 0.25 else colour
    return Text(word, style=style)
