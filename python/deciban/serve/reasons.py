"""Why a message is rated so, in a few words and in a report, in decibans."""

from __future__ import annotations

from typing import Any

from ..verdict import Explanation, print_name
from .rating import REQUIRED, Rating

_NAMED = 5
_REPORTED = 13
_LONGEST = 40  # characters of a word


def summarise(why: Explanation, spam: str) -> str:
    """Return the verdict and its strongest evidence on one line.

    >>> from deciban.verdict import Term
    >>> why = Explanation("spam", "ham", 0.99, 20.0, -1.5, [Term("pills", 18.25, 1.0), Term("lunch", -2.0, 1.0)])
    >>> summarise(why, "spam")
    'spam 20.0 dB against ham; pills +18.2, lunch -2.0'
    """
    sign = 1.0 if why.label == spam else -1.0
    words = [term for term in why.terms[: _NAMED + 1] if not is_sum(term)][:_NAMED]
    strongest = [f"{_cut(print_name(term.feature))} {sign * term.decibans:+.1f}" for term in words]
    return f"{why.label} {why.decibans:.1f} dB against {why.against}; {', '.join(strongest) or 'no evidence'}"


def report(why: Explanation, rating: Rating, spam: str) -> str:
    """Return a report of some lines: the rating, and the strongest words with their evidence for spam."""
    sign = 1.0 if why.label == spam else -1.0
    answer = "spam" if rating.is_spam else "not spam"
    lines = [
        f"deciban rates this message {answer}: {rating.score:.1f} points, {REQUIRED:.1f} required.",
        f"Evidence: {why.decibans:.1f} dB for {why.label} against {why.against}.",
        "",
        f"dB for {spam}  word",
        f"{sign * why.prior_decibans:+9.1f}  (prior)",
    ]
    lines += [f"{sign * t.decibans:+9.1f}  {_cut(print_name(t.feature))}" for t in why.terms[: _REPORTED + 1]]
    others = why.terms[_REPORTED + 1 :]
    if others:
        lines.append(f"{sign * sum(t.decibans for t in others):+9.1f}  ({len(others):,} more words)")
    return "\n".join(lines) + "\n"


def is_sum(term: Any) -> bool:
    """Return whether a term is of several words together."""
    return str(term.feature).startswith("(") and str(term.feature).endswith(" more words)")


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
