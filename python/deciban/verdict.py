"""What is said of one item: the verdict, and the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """The winning label and how sure: `decibans` is the evidence for `label` against the runner-up `against`.

    `probability` is by label. `interval` is where the log-odds lie, in decibans, with a probability of 95 % given how
    little was seen: the more that was learnt of the words of the item, the narrower. `decibans` need not lie in the
    middle of it, or in it at all (see `text.served.Belief`). It is None where the model was learnt by minimising, which
    leaves no counts to tell. `unsure` says that the interval is not wholly on the side of `label`, or that the evidence
    is too thin to act upon.
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

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            "term": self.term,
            "decibans": self.decibans,
            "count": self.count,
            "places": [list(place) for place in self.places],
        }


@dataclass(frozen=True)
class TextExplanation:
    """A verdict and why: prior_decibans + Σ terms = verdict.decibans. Strongest evidence first.

    `text` is the item as a reader sees it: a message decoded, with its remarks; plain text as it stands.
    """

    verdict: Verdict
    prior_decibans: float
    terms: tuple[TextTerm, ...]
    text: str

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
