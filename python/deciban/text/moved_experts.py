"""Experts whose log-odds others move, word by word: what they say, and why, with the part of the others.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import NamedTuple

from ..conventions import DECIBANS_PER_NAT
from ..judging import first_two
from ..verdict import Explanation, Term, Verdict
from .experts import ServedExperts
from .served import Judged, ServedText


class Move(NamedTuple):
    """What words of an item add to the log-odds of class 1 of two, in nats, by `whose` lessons."""

    whose: str
    words: Sequence[tuple[str, float]]


def move_judged(served: ServedExperts, judged: Judged, nats: float) -> Judged:
    """Return an item as experts of two classes judge it, with log-odds of class 1 so much larger."""
    scores, _, variance = served.heed(judged)
    moved = [scores[0] - 0.5 * nats, scores[1] + 0.5 * nats]
    return moved, first_two(moved), variance


def verdict_moved(served: ServedExperts, judged: Judged, nats: float) -> Verdict:
    """Return the verdict on an item whose log-odds of class 1 are so much larger."""
    return ServedText.verdict(served, move_judged(served, judged, nats))


def explain_moved(
    served: ServedExperts, item: str | bytes, judged: Judged, moves: Sequence[Move], most: int | None = None
) -> Explanation:
    """Return why an item is judged so with all moves: prior + Σ terms = decibans; of more words than `most`, of the
    experts or of one move, the strongest, and one term for the others."""
    moved = move_judged(served, judged, math.fsum(nats for move in moves for _, nats in move.words))
    verdict = ServedText.verdict(served, moved)
    label, against = moved[1]
    prior, shared, text = served.evidence(item, label, against, most)
    is_summed = most is not None and bool(shared) and str(shared[-1].feature).endswith(" more words)")
    slope, unit = served.drift.slope, DECIBANS_PER_NAT if label else -DECIBANS_PER_NAT
    terms = [Term(each.feature, slope * each.decibans, each.x, each.places) for each in shared]
    sums = [terms.pop()] if is_summed else []
    known = {name: (float(count), tuple(places)) for _, name, count, places in served.experts.reasons(item)[1]}
    for move in moves:
        named, rest = _split(move.words, most)
        for word, nats in named:
            terms.append(Term(f"{word} ({move.whose})", unit * nats, *known.get(word, (1.0, ()))))
        if rest:
            total = math.fsum(nats for _, nats in rest)
            sums.append(Term(f"({move.whose}: {len(rest):,} more words)", unit * total, 0.0))
    terms.sort(key=lambda term: (-abs(term.decibans), term.term))
    if {label, against} & {*served.empty}:
        return Explanation.of_verdict(verdict, verdict.decibans, (), text)
    why = Explanation.of_verdict(verdict, slope * prior, (*terms, *sums), text)
    return why.times(served.claims.pair(moved[0], moved[1]).factor)


def _split(
    words: Sequence[tuple[str, float]], most: int | None
) -> tuple[Sequence[tuple[str, float]], Sequence[tuple[str, float]]]:
    """Return the strongest words, so many at most, and the others."""
    strongest = heapq.nsmallest(len(words), words, key=lambda each: (-abs(each[1]), each[0]))
    return strongest[:most], [] if most is None else strongest[most:]
