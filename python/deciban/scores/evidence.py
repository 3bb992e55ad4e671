"""What every score is: a number a class, made of a prior and of terms that people can read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.attached import Attached
from deciban.conventions import DECIBANS_PER_NAT
from deciban.threads import OnThreads
from deciban.verdict import Weighed, places_of

Floats = NDArray[np.float64]

# Stands for no feature: how far a class spreads over the space, which no single feature says.
VOLUME = -1


class Terms(NamedTuple):
    """The parts of a score difference: `feature` (m,) indices or `VOLUME`, `x` (m,), `evidence` (m,) nats."""

    feature: NDArray[np.intp]
    x: Floats
    evidence: Floats

    def strongest_first(self) -> Terms:
        """The same in the order of their weight; of equal ones the first comes first."""
        order = np.argsort(-np.abs(self.evidence), kind="stable")
        return Terms(self.feature[order], self.x[order], self.evidence[order])


class Weighing(NamedTuple):
    """One class against another, by their places, in nats: prior + Σ terms = total.

    `against` is None, and nothing is weighed, where there is one class only. `probability` is that of `label`.
    """

    label: int
    against: int | None
    probability: float
    total: float
    prior: float
    terms: Terms


class Term(NamedTuple):
    """One piece of evidence as people read it: the feature's name, its weight in decibans, its value."""

    feature: Any
    decibans: float
    x: float


@dataclass(frozen=True)
class Explanation(Weighed):
    """Why `label` and not `against`: prior_decibans + Σ terms = decibans. Strongest evidence first.

    `against` is the runner-up; it is None when the model knows one class only, and then nothing is weighed.
    """

    label: Any
    against: Any
    probability: float
    decibans: float
    prior_decibans: float
    terms: list[Term]

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            "label": self.label,
            "against": self.against,
            "probability": self.probability,
            "decibans": self.decibans,
            "prior_decibans": self.prior_decibans,
            "terms": [term._asdict() for term in self.terms],
        }

    _repr_html_ = Attached("html of an explanation")


class Score(OnThreads, ABC):
    """A number a class for each row, in nats; differences between classes are log-odds.

    score(x)_c − score(x)_k = prior_c − prior_k + Σ terms(x, c, k).evidence
    """

    prior: Floats

    @abstractmethod
    def __call__(self, X: Any) -> Floats:
        """(N, C) scores of X (N, d)."""

    @abstractmethod
    def terms(self, row: Any, label: int, against: int) -> Terms:
        """Evidence for class `label` against class `against`, feature by feature; `row` is (d,) or (1, d)."""

    def explain(
        self,
        row: Any,
        labels: Sequence[Any],
        names: Sequence[Any] | None = None,
        pair: tuple[Any, Any] | None = None,
    ) -> Explanation:
        """The winner of one row against its runner-up, in decibans, or the first of two labels, `pair`, against the
        second; `names` (d,) default to the indices."""
        label, against, probability, total, prior, terms = self.weigh(row, places_of(pair, labels))
        other = None if against is None else labels[against]
        return explanation(labels[label], other, probability, total, prior, terms, names)

    def weigh(self, row: Any, pair: tuple[int, int] | None = None) -> Weighing:
        """The winner of one row against its runner-up, or the first class of `pair` against the second."""
        score = np.atleast_2d(self(row))[0]
        probability = np.exp(log_posterior(score))
        if len(score) == 1:
            none = np.zeros(0)
            return Weighing(0, None, float(probability[0]), 0.0, 0.0, Terms(none.astype(np.intp), none, none))
        label, against = pair or (int(c) for c in np.argsort(-score, kind="stable")[:2])
        prior, total = self.prior[label] - self.prior[against], score[label] - score[against]
        return Weighing(
            label, against, float(probability[label]), float(total), float(prior), self.terms(row, label, against)
        )


def explanation(
    label: Any, against: Any, probability: float, total: float, prior: float, terms: Terms, names: Sequence[Any] | None
) -> Explanation:
    """What was weighed in nats, in decibans and strongest first."""
    feature, x, evidence = terms.strongest_first()
    return Explanation(
        label=label,
        against=against,
        probability=probability,
        decibans=total * DECIBANS_PER_NAT,
        prior_decibans=prior * DECIBANS_PER_NAT,
        terms=[
            Term(_name(j, names), decibans, value)
            for j, decibans, value in zip(
                feature.tolist(), (evidence * DECIBANS_PER_NAT).tolist(), x.tolist(), strict=True
            )
        ],
    )


def _name(feature: int, names: Sequence[Any] | None) -> Any:
    if feature == VOLUME:
        return "(volume)"
    return feature if names is None else names[feature]


def log_posterior(b: Any) -> Floats:
    """Bayes' rule in logs, normalised over the last axis: the only logsumexp of the package.

        log p(c | x) = b_c − [B + log Σ_c' e^(b_c' − B)],      b_c = log p(x | c) + log p(c),  B = max b_c

    The winner's own e^0 = 1 is kept out of the sum and put back by log1p, so that a certain winner gets
    −Σ of the others to full precision, never a rounded zero, and never −0. A class of probability zero
    (b_c = −∞) stays there; one class at least must be finite.

    >>> log_posterior([-120.0, -121.0]).round(6).tolist()
    [-0.313262, -1.313262]
    """
    b = np.asarray(b, dtype=np.float64)
    winner = np.expand_dims(b.argmax(axis=-1), -1)
    below = b - np.take_along_axis(b, winner, axis=-1)
    with np.errstate(under="ignore"):
        others = np.exp(below)
    np.put_along_axis(others, winner, 0.0, axis=-1)
    result: Floats = below - np.log1p(others.sum(axis=-1, keepdims=True))
    return result
