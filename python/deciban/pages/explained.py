"""An explanation as blocks, the evidence in place and the terms that add up; and examples right and wrong with it.

A row of a table is explained cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..conventions import DECIBANS_PER_NAT, sureness
from ..evaluation.judgements import Judgements
from ..judging import first_two, verdict_of
from ..report.explanation import Line, Mark, lines_of, marks, select_lines
from ..report.terminal import Screen, format_signed, name
from ..verdict import Explanation, Term, Threshold
from .blocks import Bars, Opened, Paragraph, Passage, Piece, Section
from .words import Words

if TYPE_CHECKING:
    from ..table_models.table_model import TableModel

_TERMS = 8
_LINES = 18  # of a message
_FAINTEST = 0.1  # of the strongest evidence: what is weaker is not marked
_LONG, _CONTEXT = 600, 60  # characters: of a line that is cut, and what is shown beside a mark in it


def text_of(why: Explanation, words: Words) -> Passage:
    """Return the parts of the text that matter, with the words for and against the verdict marked."""
    lines, strongest = marked_lines(why)
    shown = select_lines(why.text, lines, _LINES)
    told: list[Sequence[Piece] | None] = []
    for number, (start, end, inside) in enumerate(lines):
        if number in shown:
            told.append(mark_line(why.text, start, end, inside, strongest))
        elif why.text[start:end].strip() and (not told or told[-1] is not None):
            told.append(None)
    return Passage(told, words("samples.gap"))


def marked_lines(why: Explanation) -> tuple[list[Line], float]:
    """Return the lines of the text with the marks that are shown in each, and the strongest evidence."""
    found = marks(why.terms)
    strongest = max((abs(mark.decibans) for mark in found), default=1.0) or 1.0
    shown = [mark for mark in found if abs(mark.decibans) >= _FAINTEST * strongest]
    return list(lines_of(why.text, shown)), strongest


def mark_line(text: str, start: int, end: int, inside: Sequence[Mark], strongest: float) -> list[Piece]:
    """Return a line, cut between its marks where it is long."""
    long = end - start > _LONG
    pieces, at = [], start
    for mark in inside:
        begin, stop = max(mark.start, start), min(mark.end, end)
        pieces.append(Piece(_shorten_gap(text[at:begin], at > start, True, long)))
        share = abs(mark.decibans) / strongest
        strength = 3 if share > 0.6 else 2 if share > 0.25 else 1
        side = "for" if mark.decibans > 0 else "against"
        pieces.append(Piece(text[begin:stop], side, strength, f"{format_signed(mark.decibans, Screen())} dB"))
        at = stop
    pieces.append(Piece(_shorten_gap(text[at:end], at > start, False, long)))
    return [piece for piece in pieces if piece.text]


def _shorten_gap(piece: str, after: bool, before: bool, long: bool) -> str:
    if not long or len(piece) <= 2 * _CONTEXT:
        return piece
    head = piece[:_CONTEXT] if after or not before else ""
    return head + " … " + (piece[-_CONTEXT:] if before else "")


def terms_of(why: Explanation, words: Words, top: int = _TERMS) -> Bars:
    """Return the strongest terms, the prior and the rest: what is printed adds up to what is printed."""
    terms = [(str(each.term if why.verdict else f"{each.feature} = {each.x:.4g}"), each.decibans) for each in why.terms]
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
    bars.append((words("evidence.total"), format_signed(total, Screen()), "", 0))
    return Bars(title, (words("evidence.what"), words("evidence.decibans")), bars)


def bar(term: str, decibans: float, most: float) -> tuple[str, str, str, int]:
    """Return a row of `Bars`: where `most` has the whole width."""
    share = min(abs(decibans) / most, 1.0) if abs(decibans) < float("inf") else 1.0
    side = "for" if decibans > 0 else "against" if decibans < 0 else ""
    return name(term), format_signed(decibans, Screen()), side, round(100 * share)


def _sides(why: Explanation) -> tuple[str, str | None]:
    return name(why.label), None if why.against is None else name(why.against)


_WRONG, _UNSURE, _RIGHT, _MOST_RIGHT = 6, 2, 1, 4


@dataclass(frozen=True)
class Shown:
    """An example: where it came from, its label, and why it was judged as it was."""

    source: str
    label: Any
    why: Explanation


def places(said: Judgements, threshold: Threshold | None = None) -> list[int]:
    """Return which examples to show: the surest errors, the least sure correct ones, and the surest of each class; sure
    is what is far from the threshold.

    >>> log_p = np.log([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.6, 0.4]])
    >>> places(Judgements((0, 1), np.array([0, 1, 1, 0]), log_p))
    [2, 3, 1, 0]
    """
    if threshold is not None and isfinite(threshold.high):
        moved = said.log_p.copy()
        moved[:, threshold.positive] -= threshold.high / DECIBANS_PER_NAT
        said = replace(said, log_p=moved - np.logaddexp.reduce(moved, axis=1, keepdims=True))
    top = np.sort(said.log_p, axis=1)
    with np.errstate(invalid="ignore"):
        lead = np.nan_to_num(top[:, -1] - top[:, -2], nan=0.0, posinf=np.inf)
    wrong = np.flatnonzero(said.errors)
    chosen: list[int] = wrong[np.argsort(-lead[wrong], kind="stable")][:_WRONG].tolist()
    right = np.flatnonzero(~said.errors)
    chosen += right[np.argsort(lead[right], kind="stable")][:_UNSURE].tolist()
    counts = np.bincount(said.y, minlength=len(said.classes))
    for c in np.argsort(-counts, kind="stable")[:_MOST_RIGHT].tolist():
        own = right[said.y[right] == c]
        best = own[np.argsort(-lead[own], kind="stable")].tolist()
        chosen += [place for place in best if place not in chosen][:_RIGHT]
    return chosen


def examples(shown: Sequence[Shown], fresh: bool, words: Words) -> Section:
    """Return the examples, misclassified ones first; `fresh` ones are known not to be training examples."""
    wrong = [each for each in shown if _describe(each) != str(each.label)]
    right = [each for each in shown if _describe(each) == str(each.label)]
    how = words("samples.how") + (" " + words("samples.fresh") if fresh else "")
    blocks: list[Any] = [Paragraph(how, dim=True)]
    for key, some in (("samples.wrong", wrong), ("samples.right", right)):
        blocks.append(Paragraph(words(key) if some else words(f"{key}.none")))
        blocks += [_one(each, words, shut=number > 0) for number, each in enumerate(some)]
    return Section("samples", words("samples"), blocks)


def _describe(each: Shown) -> str:
    why = each.why
    return str(why.label)


def _one(each: Shown, words: Words, shut: bool) -> Opened:
    return Opened(f"{name(each.source)} · {_headline(each, words)}", list(_blocks(each.why, words)), shut)


def _headline(each: Shown, words: Words) -> str:
    why = each.why
    right = str(why.label) == str(each.label)
    key = "samples.told" if right else "samples.mistaken"
    sure = f"{sureness(why.probability)}, {format_signed(why.decibans, Screen())} dB"
    if why.decibans < 0.0 and why.verdict is not None:  # which the threshold says
        sure = f"{sureness(why.verdict.probability[why.against])}, {format_signed(-why.decibans, Screen())} dB"
        sure = words("samples.turned", label=name(why.against), sure=sure)
    return words(key, label=name(why.label), true=name(each.label), sure=sure)


def _blocks(why: Explanation, words: Words) -> Iterator[Any]:
    if why.verdict is not None:
        yield text_of(why, words)
    yield terms_of(why, words)


def explain_row(model: TableModel, x: NDArray[np.float64]) -> Explanation:
    """Explain the verdict on the row x (d,), of numbers and codes of labels."""
    row = x[None]
    scores = model.joint(row)[0].tolist()
    why = model.scorer.explain(model.features(row), model.classes)
    lines, places, cells, at = [], [], [], 0
    for j, own in enumerate(model.columns.names):
        told = _cell(model, j, float(x[j]))
        lines.append(f"{own}: {told}")
        places.append((at + len(lines[-1]) - len(told), at + len(lines[-1])))
        cells.append(f"{own} = {told}")
        at += len(lines[-1]) + 1
    terms = []
    for each in why.terms:
        j = model.column(each.feature)
        terms.append(Term(cells[j], each.decibans, 1.0, (places[j],)))
    pair = first_two(scores)
    verdict = verdict_of(model.classes, scores, pair, None, claims=model.claims)
    found = Explanation.of_verdict(verdict, why.prior_decibans, tuple(terms), "\n".join(lines))
    return found.times(model.claims.pair(scores, pair).factor)


def _cell(model: TableModel, j: int, x: Any) -> str:
    if np.isnan(x):
        return ""
    known = model.columns.categories[j]
    if known is not None:
        return str(known[int(x)]) if 0 <= x < len(known) else ""
    return str(x == 1.0).lower() if model.columns.kinds[j] == "truth" else f"{x:g}"
