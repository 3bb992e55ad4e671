"""What is said of one item: the verdict, and the evidence for it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log10
from typing import Any, TypeAlias

from .attached import Attached
from .conventions import DECIBANS_PER_NAT
from .errors import escape

# Terms that are named where an explanation is printed.
_PRINTED = 8


Pair: TypeAlias = tuple[Hashable, Hashable]
"""Two labels: evidence is for the first against the second."""


def decibans_of(probability: float) -> float:
    """Return 10·log10 of the odds p / (1 − p).

    >>> decibans_of(0.5), round(decibans_of(100 / 101), 9), decibans_of(1.0)
    (0.0, 20.0, inf)
    """
    if 0.0 < probability < 1.0:
        return 10.0 * (log10(probability) - log10(1.0 - probability))
    return inf if probability >= 1.0 else -inf


def probability_of(decibans: float) -> float:
    """Return the probability whose odds these are; 1 from some 160 decibans on.

    >>> probability_of(0.0), round(probability_of(20.0), 9), probability_of(-inf)
    (0.5, 0.99009901, 0.0)
    """
    odds = exp(-abs(decibans) / DECIBANS_PER_NAT)
    return 1.0 / (1.0 + odds) if decibans >= 0.0 else odds / (1.0 + odds)


@dataclass(frozen=True)
class Threshold:
    """Where the verdict of two classes turns: to the class at `positive` where the log-odds for it are above `high`.

    In decibans. The other class is the verdict up to there, and unsure above `low`; mostly the two are equal. At the
    threshold the class wins that stands first.
    """

    positive: int
    low: float
    high: float

    def pair(self, scores: Sequence[float]) -> tuple[int, int]:
        """Return the places of the label and of the other class, for scores (2,) in nats."""
        p = self.positive
        odds = (scores[p] - scores[1 - p]) * DECIBANS_PER_NAT
        above = odds > self.high if p else odds >= self.high
        return (p, 1 - p) if above else (1 - p, p)

    def beside(self, decibans: float) -> str:
        """Return the end of the threshold that evidence for the class at `positive` is below or above: `< 30 dB`."""
        end = self.low if decibans <= self.low else self.high
        return f"{'>' if decibans > end else '<'} {end:.12g} dB"

    def bar(self, label: int) -> float:
        """Return what the evidence for the label, against the other class, has to exceed for it to be sure."""
        return self.high if label == self.positive else -self.low


def _tenths(decibans: float) -> str:
    return f"{round(decibans, 1) + 0.0:+.1f}"


def print_name(feature: Any) -> str:
    """Return a feature as it is printed: its name, or its number; what a terminal would obey is escaped."""
    return escape(feature) if isinstance(feature, str) else f"feature {feature}"


def _first(terms: Iterable[Any], top: int | None) -> list[Any]:
    if top is not None and (isinstance(top, bool) or not isinstance(top, int) or top < 0):
        raise ValueError(f"top must be a whole number from 0, or None for all, got {top!r}")
    return list(terms)[:top]


def places_of(pair: Pair | None, classes: Sequence[Any]) -> tuple[int, int] | None:
    """Return where the two labels of `pair` stand among `classes`; ValueError for what is not two different ones of
    them."""
    if pair is None:
        return None
    known = list(classes)
    if isinstance(pair, str | bytes) or len(pair) != 2 or pair[0] == pair[1] or any(c not in known for c in pair):
        raise ValueError(f"pair must be two different labels of {known}, (label, against); got {pair!r}")
    return known.index(pair[0]), known.index(pair[1])


@dataclass(frozen=True)
class Verdict:
    """The winning label and how sure: `decibans` is the evidence for `label` against the runner-up `against`.

    `probability` is by label. `interval` is where the log-odds lie, in decibans, with a probability of 95 % given how
    little was seen: the more that was learnt of the words of the item, and the more words tell of the class, the
    narrower (see `text.belief.Belief`). It contains `decibans`. It is None where the model was learnt by minimising,
    which leaves no counts to tell. `unsure` says that the interval is not wholly on the side of `label`, or that the
    evidence is too thin to act upon. Under a `Threshold` the side is that of the threshold instead of 0, and the
    evidence may be against the label.
    """

    label: Any
    against: Any
    probability: dict[Any, float]
    decibans: float
    unsure: bool
    interval: tuple[float, float] | None

    def towards(self, label: Any) -> Verdict:
        """Return the same evidence as that for a label, of two."""
        if label == self.label or self.against is None:
            return self
        turned = None if self.interval is None else (-self.interval[1], -self.interval[0])
        return replace(self, label=label, against=self.label, decibans=-self.decibans, interval=turned)

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return {
            "label": self.label,
            "probability": self.probability,
            "decibans": self.decibans,
            "against": self.against,
            "unsure": self.unsure,
            "interval": None if self.interval is None else list(self.interval),
        }


@dataclass(frozen=True, slots=True)
class Term:
    """One term of an explanation: a feature of a row, or a word of a text, and its evidence.

    Parameters
    ----------
    feature : object
        Name of the feature, or the word; `term` is the same.
    decibans : float
        Its evidence, in decibans.
    x : float
        Its value; of a word how often it occurs, 0 where it is absent. `count` is the same as a whole number.
    places : tuple of (int, int), default=()
        Where it is in the text of the explanation: start and end, in characters.

    Examples
    --------
    >>> Term("age", 3.0, 42.0).feature, Term("cheap", 9.5, 2, ((0, 5), (9, 14))).count
    ('age', 2)
    """

    feature: Any
    decibans: float
    x: float
    places: tuple[tuple[int, int], ...] = ()

    @property
    def term(self) -> Any:
        """Name of the feature, or the word."""
        return self.feature

    @property
    def count(self) -> int:
        """Number of times that a word occurs."""
        return int(self.x)


@dataclass(frozen=True)
class Explanation:
    """The evidence for a label against another: prior_decibans + Σ terms = decibans.

    Parameters
    ----------
    label : label
        The label with the largest score, or the one that was asked for.
    against : label or None
        The runner-up; None for a model of one class, which has no evidence.
    probability : float
        Probability of the label.
    decibans : float
        Evidence for the label against the other, in decibans.
    prior_decibans : float
        Part of it that no feature has.
    terms : sequence of Term
        Evidence of each feature or word, the strongest first.
    text : str, default=""
        The item as a reader sees it: a message decoded, with its remarks; plain text as it is. Empty for rows.
    verdict : Verdict, optional
        The verdict on a text, with the probability of every label.
    claimed : float, default=1.0
        What became of each deciban by what the examples can tell: evidence divided by it is that of the scores.

    Examples
    --------
    >>> why = Explanation("spam", "ham", 0.9, 9.5, 1.5, [Term("cheap", 8.0, 1.0)])
    >>> [term.feature for term in why.for_label()]
    ['cheap']
    """

    label: Any
    against: Any
    probability: float
    decibans: float
    prior_decibans: float
    terms: Sequence[Term]
    text: str = ""
    verdict: Verdict | None = None
    claimed: float = 1.0

    @classmethod
    def of_verdict(cls, verdict: Verdict, prior_decibans: float, terms: Sequence[Term], text: str) -> Explanation:
        """Return the explanation of a verdict on a text.

        Parameters
        ----------
        verdict : Verdict
            The verdict.
        prior_decibans : float
            Part of its evidence that no word has.
        terms : sequence of Term
            Evidence of each word, the strongest first.
        text : str
            The item as a reader sees it.

        Returns
        -------
        Explanation
            The explanation.
        """
        p = verdict.probability[verdict.label]
        return cls(verdict.label, verdict.against, p, verdict.decibans, prior_decibans, terms, text, verdict)

    def times(self, factor: float) -> Explanation:
        """Return the explanation with all evidence times a factor.

        Parameters
        ----------
        factor : float
            What becomes of a deciban of evidence by what may be claimed: see `claims`.

        Returns
        -------
        Explanation
            The explanation.
        """
        if factor == 1.0:
            return self
        terms = tuple([Term(each.feature, factor * each.decibans, each.x, each.places) for each in self.terms])
        return replace(self, prior_decibans=factor * self.prior_decibans, terms=terms, claimed=factor * self.claimed)

    def as_verdict(self) -> Verdict:
        """Return the verdict; of a row that of its label and probability alone.

        Returns
        -------
        Verdict
            The verdict.
        """
        known = self.verdict
        return known or Verdict(self.label, self.against, {self.label: self.probability}, self.decibans, False, None)

    def for_label(self, top: int | None = None) -> list[Any]:
        """Return the terms that speak for `label`, the strongest first.

        Parameters
        ----------
        top : int, optional
            Number of terms. By default all.

        Returns
        -------
        list of Term
            The terms.
        """
        return _first((term for term in self.terms if term.decibans > 0.0), top)

    def against_label(self, top: int | None = None) -> list[Any]:
        """Return the terms that speak against `label`, for `against`, the strongest first.

        Parameters
        ----------
        top : int, optional
            Number of terms. By default all.

        Returns
        -------
        list of Term
            The terms.
        """
        return _first((term for term in self.terms if term.decibans < 0.0), top)

    def __str__(self) -> str:
        if self.against is None:
            return f"{self.label}: the only class that is known"
        named, others = self.terms[:_PRINTED], self.terms[_PRINTED:]
        told = [
            f"prior {_tenths(self.prior_decibans)}",
            *(f"{print_name(t.feature)} {_tenths(t.decibans)}" for t in named),
        ]
        told += [f"{len(others):,} more {_tenths(sum(t.decibans for t in others))}"] if others else []
        against = f"{self.decibans:.1f} dB against {self.against}"
        return f"{self.label} {self.probability:.3g}, {against}: {', '.join(told)}"

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as plain Python objects, with keys that scripts rely on.

        Returns
        -------
        dict
            Of a row "label", "against", "probability" and "decibans", of a text the fields of the verdict; then
            "prior_decibans" and "terms": of a row each with "feature", "decibans" and "x", of a text with "term",
            "decibans", "count" and "places".
        """
        if self.verdict is None:
            rows = [{"feature": each.feature, "decibans": each.decibans, "x": each.x} for each in self.terms]
            own = {name: getattr(self, name) for name in ("label", "against", "probability", "decibans")}
            return {**own, "prior_decibans": self.prior_decibans, "terms": rows}
        words = [
            {
                "term": each.term,
                "decibans": each.decibans,
                "count": each.count,
                "places": [list(place) for place in each.places],
            }
            for each in self.terms
        ]
        return {**self.verdict.to_json(), "prior_decibans": self.prior_decibans, "terms": words, "text": self.text}

    _repr_html_ = Attached("html of an explanation")
