"""What is said of one item: the verdict, and the evidence for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, inf, log10
from typing import Any

from .attached import Attached
from .conventions import DECIBANS_PER_NAT
from .errors import shown

# Terms that are named where an explanation is printed.
_PRINTED = 8


def decibans_of(probability: float) -> float:
    """10·log10 of the odds p / (1 − p).

    >>> decibans_of(0.5), round(decibans_of(100 / 101), 9), decibans_of(1.0)
    (0.0, 20.0, inf)
    """
    if 0.0 < probability < 1.0:
        return 10.0 * (log10(probability) - log10(1.0 - probability))
    return inf if probability >= 1.0 else -inf


def probability_of(decibans: float) -> float:
    """The probability whose odds these are; 1 from some 160 decibans on.

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
        """The places of the label and of the other class, for scores (2,) in nats."""
        p = self.positive
        odds = (scores[p] - scores[1 - p]) * DECIBANS_PER_NAT
        above = odds > self.high if p else odds >= self.high
        return (p, 1 - p) if above else (1 - p, p)

    def bar(self, label: int) -> float:
        """What the evidence for the label, against the other class, has to exceed for it to be sure."""
        return self.high if label == self.positive else -self.low


class Weighed:
    """What every explanation has, of a text or of a row: `label` and `against`, the two classes that are weighed;
    `probability` of the label; prior_decibans + Σ terms = `decibans`, the evidence for the label against the other.

    `terms` are the strongest first; each has a `feature`, its `decibans` and its value `x`.
    """

    label: Any
    against: Any
    probability: Any
    prior_decibans: float
    decibans: Any
    terms: Any

    def for_label(self, top: int | None = None) -> list[Any]:
        """The `top` terms, all if None, that speak for `label`, the strongest first."""
        return _first((term for term in self.terms if term.decibans > 0.0), top)

    def against_label(self, top: int | None = None) -> list[Any]:
        """The `top` terms, all if None, that speak against `label`, for `against`: the strongest first."""
        return _first((term for term in self.terms if term.decibans < 0.0), top)

    def __str__(self) -> str:
        if self.against is None:
            return f"{self.label}: the only class that is known"
        named, others = self.terms[:_PRINTED], self.terms[_PRINTED:]
        told = [
            f"prior {_tenths(self.prior_decibans)}",
            *(f"{told_as(t.feature)} {_tenths(t.decibans)}" for t in named),
        ]
        told += [f"{len(others):,} more {_tenths(sum(t.decibans for t in others))}"] if others else []
        against = f"{self.decibans:.1f} dB against {self.against}"
        return f"{self.label} {self.probability:.3g}, {against}: {', '.join(told)}"


def _tenths(decibans: float) -> str:
    return f"{round(decibans, 1) + 0.0:+.1f}"


def told_as(feature: Any) -> str:
    """A feature as it is printed: its name, or its number; what a terminal would obey is escaped."""
    return shown(feature) if isinstance(feature, str) else f"feature {feature}"


def _first(terms: Iterable[Any], top: int | None) -> list[Any]:
    if top is not None and (isinstance(top, bool) or not isinstance(top, int) or top < 0):
        raise ValueError(f"top must be a whole number from 0, or None for all, got {top!r}")
    return list(terms)[:top]


def places_of(pair: tuple[Any, Any] | None, classes: Sequence[Any]) -> tuple[int, int] | None:
    """Where the two labels of `pair` stand among `classes`; ValueError for what is not two different ones of them."""
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

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            "label": self.label,
            "probability": self.probability,
            "decibans": self.decibans,
            "against": self.against,
            "unsure": self.unsure,
            "interval": None if self.interval is None else list(self.interval),
        }


@dataclass(frozen=True, slots=True)
class TextTerm:
    """One piece of evidence: a word, its weight in decibans, how often it occurs, and where in the text.

    Places are (start, end) in characters of the explanation's text. A word that is absent has count 0.
    """

    term: str
    decibans: float
    count: int
    places: tuple[tuple[int, int], ...]

    @property
    def feature(self) -> str:
        """The word, by the name that terms of rows have for it."""
        return self.term

    @property
    def x(self) -> float:
        """How often it occurs, by the name that terms of rows have for it."""
        return float(self.count)

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            "term": self.term,
            "decibans": self.decibans,
            "count": self.count,
            "places": [list(place) for place in self.places],
        }


@dataclass(frozen=True)
class TextExplanation(Weighed):
    """A verdict and why: prior_decibans + Σ terms = verdict.decibans. Strongest evidence first.

    `text` is the item as a reader sees it: a message decoded, with its remarks; plain text as it stands.
    """

    verdict: Verdict
    prior_decibans: float
    terms: tuple[TextTerm, ...]
    text: str

    @property
    def label(self) -> Any:
        """The verdict's."""
        return self.verdict.label

    @property
    def against(self) -> Any:
        """The runner-up."""
        return self.verdict.against

    @property
    def probability(self) -> float:
        """That of the label."""
        return self.verdict.probability[self.verdict.label]

    @property
    def decibans(self) -> float:
        """prior_decibans + Σ terms, the evidence for the verdict's label against its runner-up."""
        return self.verdict.decibans

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            **self.verdict.to_json(),
            "prior_decibans": self.prior_decibans,
            "terms": [term.to_json() for term in self.terms],
            "text": self.text,
        }

    _repr_html_ = Attached("html of an explanation")
