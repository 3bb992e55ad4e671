"""Why a message is judged so, for the terminal: the verdict, the evidence as bars that add up, the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from ..verdict import TextExplanation, TextTerm, Verdict
from .bars import bar
from .highlight import highlighted
from .terminal import Screen, colour_of, fit, name, signed, sureness

_NUMBER = 9  # columns for decibans


@dataclass(frozen=True)
class _Row:
    """One line of the sum, in tenths of a deciban, so that what is printed adds up."""

    label: str
    tenths: int
    count: int | None = None


def explanation(
    found: TextExplanation, source: str, on: Screen, *, top: int | None = 16, whole: bool = False
) -> Iterator[Text]:
    """The report on one item. `top` strongest terms are named, all if None; `whole` shows the text uncut."""
    verdict = found.verdict
    classes = list(verdict.probability)
    colours = colour_of(verdict.label, classes), colour_of(verdict.against, classes)
    named = found.terms if top is None else found.terms[:top]
    yield from headline(verdict, source, colours[0], on)
    yield Text()
    if isfinite(verdict.decibans):
        yield from _chart(found, named, on, colours)
    else:
        yield Text(f"The filter knows no {name(verdict.against)}: nothing can weigh for it. Learn some first.")
    yield Text()
    yield from highlighted(found.text.rstrip("\n"), named, on, colours, whole)


def headline(verdict: Verdict, source: str, colour: str, on: Screen) -> list[Text]:
    """`spam  99.8 %  27.1 dB against ham  95 %: +12 to +41  mail.eml`; what does not fit stands on the next line."""
    line = Text(name(verdict.label), style=f"bold {colour}")
    if verdict.unsure:
        line.append("  (unsure)", style="bold")
    line.append(f"   {sureness(verdict.probability[verdict.label])}", style="bold")
    turned = ", by the threshold" if verdict.decibans < 0.0 else ""
    line.append(f"   {verdict.decibans:.1f} dB against {name(verdict.against)}{turned}")
    lines = [line]
    for more in (*_interval(verdict, on), Text(name(source), style="dim")):
        if lines[-1].cell_len + 3 + more.cell_len <= on.width:
            lines[-1].append("   ").append_text(more)
        else:
            lines.append(more)
    return lines


def _interval(verdict: Verdict, on: Screen) -> list[Text]:
    """`95 %: +12 to +41`, where there is anything to say."""
    if verdict.interval is None:
        return []
    low, high = verdict.interval
    if not isfinite(low) or not isfinite(high):
        return []
    return [Text(f"95 %: {signed(low, on, 0)} to {signed(high, on, 0)}")]


def _rows(found: TextExplanation, named: Sequence[TextTerm]) -> tuple[list[_Row], int]:
    """The prior, the named terms, the sum of the others; and the total. The others take up what rounding leaves."""
    total = _tenths(found.verdict.decibans)
    rows = [_Row(term.term, _tenths(term.decibans), term.count) for term in named]
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


def _chart(found: TextExplanation, named: Sequence[TextTerm], on: Screen, colours: tuple[str, str]) -> Iterator[Text]:
    rows, total = _rows(found, named)
    labels = [name(row.label) + (f" {on.pick('×', 'x')}{row.count}" if (row.count or 0) > 1 else "") for row in rows]
    width = min(max(map(cell_len, labels)), max(on.width // 3, 12))
    half = max((on.width - width - _NUMBER - 5) // 2, 4)
    most = max((abs(row.tenths) for row in rows if row.count is not None), default=0) or 1
    yield _sides(found.verdict, width, half, on, colours)
    for row, label in zip(rows, labels, strict=True):
        colour = colours[0] if row.tenths > 0 else colours[1]
        line = Text(fit(label, width, on.pick("…", "~")), style="dim" if row.count is None else "")
        line.append("  ").append_text(bar(row.tenths, most, half, on, colours, row.count is None)).append("  ")
        line.append(f"{signed(row.tenths / 10, on):>{_NUMBER}}", style=colour if row.tenths else "")
        yield line
    yield Text(" " * (width + 2 + 2 * half + 3) + on.pick("─", "-") * _NUMBER, style="dim")
    line = Text(fit("total", width) + " " * (2 * half + 5), style="bold")
    yield line.append(f"{signed(total / 10, on):>{_NUMBER}}")


def _sides(verdict: Verdict, width: int, half: int, on: Screen, colours: tuple[str, str]) -> Text:
    against = fit(f"for {name(verdict.against)} {on.pick('◂', '<')}", half).rstrip()
    against = " " * (half - cell_len(against)) + against
    line = Text(fit("evidence", width) + "  ", style="dim").append(against, style=colours[1]).append(" ")
    line.append(fit(f"{on.pick('▸', '>')} for {name(verdict.label)}", half), style=colours[0])
    return line.append(" " * (_NUMBER - 6) + "decibans", style="dim")


def contrast(before: Verdict, after: Verdict, on: Screen, classes: Sequence[Any]) -> Text:
    """`ham 91.0 %, 10.0 dB → spam 99.1 %, 20.3 dB`."""
    line = Text()
    for verdict in (before, after):
        if verdict is after:
            line.append(on.pick("  →  ", "  ->  "), style="dim")
        line.append(name(verdict.label), style=f"bold {colour_of(verdict.label, classes)}")
        line.append(f" {sureness(verdict.probability[verdict.label])}, {verdict.decibans:.1f} dB")
    return line
