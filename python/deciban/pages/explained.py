"""An explanation as blocks: the text with its evidence in place, and the terms that add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..report.highlight import Mark, kept, lines_of, marks
from ..report.terminal import Screen, name, signed
from ..scores import Explanation
from ..verdict import TextExplanation
from .blocks import Bars, Passage, Piece
from .words import Words

_TERMS = 8
_LINES = 18  # of a message
_FAINTEST = 0.1  # of the strongest evidence: what is weaker is not marked
_LONG, _CONTEXT = 600, 60  # characters: of a line that is cut, and what is shown beside a mark in it


def text_of(why: TextExplanation, words: Words) -> Passage:
    """What matters of the text, with the words that speak for and against the verdict marked."""
    found = marks(why.terms)
    strongest = max((abs(mark.decibans) for mark in found), default=1.0) or 1.0
    lines = list(lines_of(why.text, [mark for mark in found if abs(mark.decibans) >= _FAINTEST * strongest]))
    shown = kept(why.text, lines, _LINES)
    told: list[Sequence[Piece] | None] = []
    for number, (start, end, inside) in enumerate(lines):
        if number in shown:
            told.append(_pieces(why.text, start, end, inside, strongest))
        elif why.text[start:end].strip() and (not told or told[-1] is not None):
            told.append(None)
    return Passage(told, words("samples.gap"))


def _pieces(text: str, start: int, end: int, inside: Sequence[Mark], strongest: float) -> list[Piece]:
    """A line, cut between its marks where it is long."""
    long = end - start > _LONG
    pieces, at = [], start
    for mark in inside:
        begin, stop = max(mark.start, start), min(mark.end, end)
        pieces.append(Piece(_between(text[at:begin], at > start, True, long)))
        share = abs(mark.decibans) / strongest
        strength = 3 if share > 0.6 else 2 if share > 0.25 else 1
        side = "for" if mark.decibans > 0 else "against"
        pieces.append(Piece(text[begin:stop], side, strength, f"{signed(mark.decibans, Screen())} dB"))
        at = stop
    pieces.append(Piece(_between(text[at:end], at > start, False, long)))
    return [piece for piece in pieces if piece.text]


def _between(piece: str, after: bool, before: bool, long: bool) -> str:
    if not long or len(piece) <= 2 * _CONTEXT:
        return piece
    head = piece[:_CONTEXT] if after or not before else ""
    return head + " … " + (piece[-_CONTEXT:] if before else "")


def terms_of(why: TextExplanation | Explanation, words: Words, top: int = _TERMS) -> Bars:
    """The strongest terms, the prior and the rest: what is printed adds up to what is printed."""
    terms = [(str(_name(each)), each.decibans) for each in why.terms]
    shown, others = terms[:top], terms[top:]
    total = round(why.decibans, 1) if abs(why.decibans) < 1e12 else why.decibans
    rows = [(words("evidence.prior"), why.prior_decibans), *shown]
    if others:
        told = sum(round(decibans, 1) for _, decibans in rows)
        rows.append((words("evidence.others", n=f"{len(others):,}"), total - told))
    most = max((abs(decibans) for _, decibans in rows), default=0.0) or 1.0
    label, against = _sides(why)
    title = (
        words("evidence.for", label=label) if against is None else words("evidence.pair", label=label, against=against)
    )
    bars = [bar(term, decibans, most) for term, decibans in rows]
    bars.append((words("evidence.total"), signed(total, Screen()), "", 0))
    return Bars(title, (words("evidence.what"), words("evidence.decibans")), bars)


def bar(term: str, decibans: float, most: float) -> tuple[str, str, str, int]:
    """A row of `Bars`: where `most` has the whole width."""
    share = min(abs(decibans) / most, 1.0) if abs(decibans) < float("inf") else 1.0
    side = "for" if decibans > 0 else "against" if decibans < 0 else ""
    return name(term), signed(decibans, Screen()), side, round(100 * share)


def _name(term: Any) -> Any:
    if hasattr(term, "term"):
        return term.term
    return f"{term.feature} = {term.x:.4g}"


def _sides(why: TextExplanation | Explanation) -> tuple[str, str | None]:
    said = why.verdict if isinstance(why, TextExplanation) else why
    return name(said.label), None if said.against is None else name(said.against)
