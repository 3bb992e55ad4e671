"""What the pages show, computed from the review and the filter: numbers and texts, ready for a template."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from time import localtime, strftime, time
from typing import Any

from markupsafe import Markup

from ...pages.blocks import Passage
from ...pages.explained import mark_line, marked_lines
from ...report.terminal import Screen, format_signed, name
from ...text.experts import DISAGREE
from ...verdict import Explanation, Verdict
from ..kept import Kept
from ..rating import Rating
from ..reasons import is_sum
from ..review import Review
from . import charts
from .texts import Texts

_REASONS = 4
_REMARK = "shape:"  # what the names of remarks begin with
_NAMED = 14  # words of the evidence that are shown at once
_MOST_NAMED = 100
_LINES, _PIECES = 400, 4_000  # of a message
_WINDOW, _FEWEST = 50, 10  # labels over which the error is told, and from which on it is


@dataclass(frozen=True)
class Row:
    """A message in a list."""

    each: Kept
    kind: str
    verdict: str
    sender: str
    subject: str
    reasons: list[tuple[str, str, str]]
    score: str
    decibans: str
    time: str
    moment: str
    label: str | None
    label_kind: str
    can_learn: bool


class Views:
    """The views of one review in one language."""

    def __init__(self, review: Review, texts: Texts) -> None:
        self.review, self.texts, self.known = review, texts, review.known

    def class_name(self, label: str) -> str:
        """Return what a class is called."""
        return self.texts.known("class", name(label))

    def verdict_name(self, kind: str) -> str:
        """Return what a verdict is called."""
        if kind == "unsure":
            return self.texts("verdict.unsure")
        return self.class_name(self.known.spam if kind == "spam" else self.known.ham)

    def row(self, each: Kept) -> Row:
        """Return a message of a list, with the strongest words by the filter of now."""
        return Row(
            each,
            each.kind,
            self.verdict_name(each.kind),
            sender_of(each) or self.texts("message.no_sender"),
            each.subject or self.texts("message.no_subject"),
            self._reasons(each),
            f"{each.score:.1f}".replace("-", "−"),
            signed(each.decibans),
            strftime("%H:%M", localtime(each.arrived)),
            self.texts.moment(each.arrived),
            None if each.label is None else self.class_name(each.label),
            "" if each.label is None else "spam" if each.label == self.known.spam else "ham",
            self.known.can_learn and self.review.kept.is_whole(each),
        )

    def days(self, found: Sequence[Kept]) -> list[tuple[str, list[Row]]]:
        """Return messages by the day on which they arrived."""
        rows = [self.row(each) for each in found]
        return [(day, [*some]) for day, some in groupby(rows, key=lambda row: self.texts.day(row.each.arrived))]

    def _reasons(self, each: Kept) -> list[tuple[str, str, str]]:
        message = self.review.kept.content(each.id)
        if message is None:
            return []
        _, why = self.known.explain(message)
        terms = [term for term in towards(why, self.known.spam).terms if not is_sum(term)][:_REASONS]
        return [(self._term(term)[:40], signed(term.decibans), side(term.decibans)) for term in terms]

    def _term(self, term: Any) -> str:
        return self.texts("message.disagree") if term.feature == DISAGREE else name(term.feature)

    # --- one message ---------------------------------------------------------------------------------------

    def evidence(self, message: bytes) -> dict[str, Any]:
        """Return why a message is rated as it is now: the rating on a scale, terms that add up, the text with marks."""
        rating, why = self.review.explain(message)
        why = towards(why, self.known.spam)
        kind = "spam" if rating.is_spam else "unsure" if _is_unsure(rating) else "ham"
        lines = [*self._lines(why)]
        header = next((k for k, line in enumerate(lines) if line is not None and not line), 0)
        is_letter = bool(header) and b":" in message[:200].split(b"\n")[0]
        head, body = (lines[:header], lines[header + 1 :]) if is_letter else ([], lines)
        body, remarks = _split_remarks(body, why)
        return {
            "rating": rating,
            "kind": kind,
            "verdict": self.verdict_name(kind),
            "score": f"{rating.score:.1f}".replace("-", "−"),
            "decibans": signed(rating.verdict.decibans),
            "scale": self._scale(rating, kind),
            "terms": self._terms(why),
            "total": signed(why.decibans),
            "headers": Passage(head, self.texts("message.gap")),
            "marks": sum(piece.side != "" for line in head if line for piece in line),
            "body": Passage(body, self.texts("message.gap")),
            "remarks": Passage(remarks, self.texts("message.gap")),
        }

    def _scale(self, rating: Rating, kind: str) -> Markup:
        verdict: Verdict = rating.verdict
        values: dict[str, Any] = {
            "decibans": signed(verdict.decibans),
            "label": self.class_name(self.known.spam),
            "threshold": f"{self.known.threshold:g}",
        }
        key = "message.scale"
        if verdict.interval is not None:
            key, values["low"], values["high"] = "message.scale.interval", *map(signed, verdict.interval)
        says, mark = self.texts(key, **values), self.texts("message.threshold", threshold=values["threshold"])
        return charts.Scale(verdict.decibans, verdict.interval, self.known.threshold, kind, says, mark).svg()

    def _terms(self, why: Explanation) -> dict[str, Any]:
        """Return the prior and the strongest words with their bars, and what the others add."""
        terms = [(self._term(term), term.decibans) for term in why.terms]
        most = max((abs(decibans) for _, decibans in [*terms, ("", why.prior_decibans)]), default=1.0)
        rows = [(text, signed(decibans), charts.bars(decibans, most)) for text, decibans in terms[:_MOST_NAMED]]
        others = terms[_MOST_NAMED:]
        rest = sum(decibans for _, decibans in others)
        prior = (self.texts("message.prior"), signed(why.prior_decibans), charts.bars(why.prior_decibans, most))
        return {
            "prior": prior,
            "first": rows[:_NAMED],
            "more": rows[_NAMED:],
            "others": (len(others), signed(rest), charts.bars(rest, most)) if others else None,
        }

    def _lines(self, why: Explanation) -> Iterator[list[Any] | None]:
        """Yield the lines of a message as pieces; None where lines are left out."""
        lines, strongest = marked_lines(why)
        left, is_left_out = _PIECES, False
        for number, (start, end, inside) in enumerate(lines):
            if number < _LINES and left > 0:
                pieces = mark_line(why.text, start, end, inside[:left], strongest)
                left -= len(pieces)
                yield pieces
            elif not is_left_out:
                is_left_out = True
                yield None


def _split_remarks(body: list[Any], why: Explanation) -> tuple[list[Any], list[Any]]:
    """Return the lines of a body without what the reader of mail remarks on its form, which stands at the end, and
    these remarks."""
    known = {str(term.feature).removeprefix(_REMARK) for term in why.terms if str(term.feature).startswith(_REMARK)}
    end = len(body)
    while end and body[end - 1] and "".join(piece.text for piece in body[end - 1]) in known:
        end -= 1
    remarks = body[end:]
    while end and body[end - 1] == []:
        end -= 1
    return body[:end], remarks


def sender_of(each: Kept) -> str:
    """Return the name of a sender, or the address where there is none.

    >>> from dataclasses import replace
    >>> each = Kept(1, 1, b"", 0.0, 1, "http", '"Ann B." <a@example.org>', "", 1, 0.0, 0.0, False, False, None, None)
    >>> sender_of(each), sender_of(replace(each, sender="<a@example.org>"))
    ('Ann B.', 'a@example.org')
    """
    called, _, address = each.sender.rpartition("<")
    called = called.strip().strip('"').strip()
    return called or address.strip(" >")


def towards(why: Explanation, label: Any) -> Explanation:
    """Return an explanation of two classes as evidence for one of them."""
    return (
        why if why.label == label else replace(why.times(-1.0), label=label, against=why.label, decibans=-why.decibans)
    )


def side(decibans: float) -> str:
    """Return the side that evidence is on."""
    return "spam" if decibans >= 0.0 else "ham"


def signed(decibans: float) -> str:
    """Return decibans with their sign."""
    return format_signed(decibans, Screen())


def _is_unsure(rating: Rating) -> bool:
    return rating.verdict.unsure or rating.verdict.decibans >= 0.0


# --- the threshold -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Consequences:
    """What a threshold does to the messages that are kept: how many are spam, and errors among those with a label."""

    threshold: float
    spam: int
    false_positives: int
    false_negatives: int

    @property
    def cost(self) -> float:
        """Return what the errors cost, in spam messages let through: by the odds that the threshold is."""
        return self.false_positives * math.pow(10.0, self.threshold / 10.0) + self.false_negatives


def consequences(found: Sequence[Kept], threshold: float, spam: str) -> Consequences:
    """Return what a threshold does."""
    above = [each.decibans >= threshold for each in found]
    labelled = [
        (is_spam, each.label == spam) for is_spam, each in zip(above, found, strict=True) if each.label is not None
    ]
    return Consequences(
        threshold,
        sum(above),
        sum(is_spam and not label for is_spam, label in labelled),
        sum(label and not is_spam for is_spam, label in labelled),
    )


def changed(found: Sequence[Kept], used: float, threshold: float) -> tuple[list[Kept], list[Kept]]:
    """Return the messages that would become spam under another threshold, and those that would no longer be."""
    low, high = sorted((used, threshold))
    between = sorted((each for each in found if low <= each.decibans < high), key=lambda each: -each.decibans)
    return (between, []) if threshold < used else ([], between)


def histogram(found: Sequence[Kept], spam: str) -> list[charts.Stack]:
    """Return the messages by their evidence and their label."""
    places = range(charts.LOWEST, charts.HIGHEST, charts.STEP)
    counts = {start: {"ham": 0, "spam": 0, "none": 0} for start in places}
    for each in found:
        at = min(max(each.decibans, charts.LOWEST), charts.HIGHEST - charts.STEP)
        start = charts.LOWEST + int((at - charts.LOWEST) // charts.STEP) * charts.STEP
        counts[start]["none" if each.label is None else "spam" if each.label == spam else "ham"] += 1
    return [charts.Stack(str(start), [*own.items()]) for start, own in counts.items()]


# --- over time ---------------------------------------------------------------------------------------------


def volume(review: Review, days: int = 30, now: float | None = None) -> list[charts.Stack]:
    """Return how many messages each of the last days had, by verdict; the label is the day of the month."""
    end = time() if now is None else now
    names = [localtime(end - 86400.0 * back)[:3] for back in range(days)][::-1]
    counts = {name_: {"ham": 0, "unsure": 0, "spam": 0} for name_ in names}
    for hour in review.kept.hours(end - 86400.0 * (days + 1)):
        own = counts.get(localtime(hour.begins)[:3])
        if own is not None:
            own["ham"] += hour.ham
            own["unsure"] += hour.unsure
            own["spam"] += hour.spam
    return [charts.Stack(f"{day[2]}", [*own.items()]) for day, own in counts.items()]


def error_over_time(labelled: Sequence[tuple[float, str, str, float]]) -> list[float]:
    """Return the share of wrong verdicts among the last labels, at each of them, 200 places at most."""
    wrong = [label != verdict for _, label, verdict, _ in labelled]
    shares = []
    for end in range(max(min(_FEWEST, len(wrong)), 1), len(wrong) + 1):
        some = wrong[max(end - _WINDOW, 0) : end]
        shares.append(sum(some) / len(some))
    step = -(-len(shares) // 200)
    return shares[::-1][:: step or 1][::-1]
