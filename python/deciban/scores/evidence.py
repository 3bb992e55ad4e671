"""What every score is: a number a class, made of a prior and of terms that people can read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.claims import UNBOUNDED, Claims
from deciban.conventions import DECIBANS_PER_NAT
from deciban.data.rows import Rows
from deciban.threads import OnThreads
from deciban.verdict import Explanation, Pair, Term, places_of

Floats = NDArray[np.float64]

# Stands for no feature: how far a class spreads over the space, which no single feature says.
VOLUME = -1


class Terms(NamedTuple):
    """The parts of a difference of two scores.

    Parameters
    ----------
    feature : ndarray of int of shape (n_terms,)
        Indices of features, or `VOLUME`.
    x : ndarray of shape (n_terms,)
        Values of the features.
    evidence : ndarray of shape (n_terms,)
        Evidence, in nats.

    Examples
    --------
    >>> terms = Terms(np.array([0, 1]), np.array([1.0, 1.0]), np.array([0.5, -2.0]))
    >>> terms.strongest_first().feature.tolist()
    [1, 0]
    """

    feature: NDArray[np.intp]
    x: Floats
    evidence: Floats

    def strongest_first(self) -> Terms:
        """Return the same terms in the order of their absolute evidence; of equal ones the first comes first.

        Returns
        -------
        Terms
            The terms.
        """
        order = np.argsort(-np.abs(self.evidence), kind="stable")
        return Terms(self.feature[order], self.x[order], self.evidence[order])


NO_TERMS = Terms(np.zeros(0, np.intp), np.zeros(0), np.zeros(0))
"""Nothing, as is weighed where there is one class only."""


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


class Score(OnThreads, ABC):
    """A score for each class and row, in nats; differences between classes are log-odds.

        score(x)_c − score(x)_k = prior_c − prior_k + Σ terms(x, c, k).evidence

    Called with X (N, d), a score returns (N, C).

    Attributes
    ----------
    prior : ndarray of shape (n_classes,)
        Score of each class without evidence, in nats.

    Examples
    --------
    >>> from deciban.scores import AffineScore
    >>> AffineScore(np.eye(2), np.zeros(2)).explain(np.array([1.0, 0.0]), ["a", "b"]).label
    'a'
    """

    prior: Floats

    @abstractmethod
    def __call__(self, X: Any) -> Floats:
        """(N, C) scores of X (N, d)."""

    @abstractmethod
    def terms(self, row: Rows, label: int, against: int) -> Terms:
        """Return the evidence for one class against another, feature by feature.

        With all terms, prior_label − prior_against + Σ evidence = score_label − score_against.

        Parameters
        ----------
        row : array-like or CSR matrix of shape (n_features,) or (1, n_features)
            One example.
        label : int
            Index of the class that the evidence is for.
        against : int
            Index of the class that it is against.

        Returns
        -------
        Terms
            Evidence in nats; features without evidence may be left out.
        """

    def explain(
        self,
        row: Rows,
        labels: Sequence[Hashable],
        names: Sequence[Hashable] | None = None,
        pair: Pair | None = None,
        claims: Claims = UNBOUNDED,
    ) -> Explanation:
        """Explain one row: the winner against its runner-up, in decibans.

        Parameters
        ----------
        row : array-like or CSR matrix of shape (n_features,) or (1, n_features)
            One example.
        labels : sequence of shape (n_classes,)
            Labels of the classes.
        names : sequence of shape (n_features,), optional
            Names of the features. By default their indices.
        pair : tuple of (label, label), optional
            Two labels: the evidence is for the first against the second.
        claims : Claims, default=Claims(examples=inf)
            What may be claimed; by default what the score says.

        Returns
        -------
        Explanation
            The evidence, the strongest terms first.
        """
        label, against, probability, total, prior, terms = self.weigh(row, places_of(pair, labels))
        other = None if against is None else labels[against]
        found = explanation(labels[label], other, probability, total, prior, terms, names)
        if against is None or not claims.bounded:
            return found
        scores = np.atleast_2d(self(row))[0].tolist()
        factor = claims.pair(scores, (label, against)).factor
        sure = float(np.exp(claims.log_p(scores)[label]))
        return replace(found.times(factor), decibans=factor * found.decibans, probability=sure)

    def weigh(self, row: Rows, pair: tuple[int, int] | None = None) -> Weighing:
        """Weigh one row: the winner against its runner-up, in nats.

        Parameters
        ----------
        row : array-like or CSR matrix of shape (n_features,) or (1, n_features)
            One example.
        pair : tuple of (int, int), optional
            Two indices of classes: the evidence is for the first against the second.

        Returns
        -------
        Weighing
            Indices of the classes, probability, evidence and terms.
        """
        score = np.atleast_2d(self(row))[0]
        probability = posterior(score)
        if len(score) == 1:
            return Weighing(0, None, float(probability[0]), 0.0, 0.0, NO_TERMS)
        label, against = pair or (int(c) for c in np.argsort(-score, kind="stable")[:2])
        prior, total = self.prior[label] - self.prior[against], score[label] - score[against]
        return Weighing(
            label, against, float(probability[label]), float(total), float(prior), self.terms(row, label, against)
        )


def explanation(
    label: Any,
    against: Any,
    probability: float,
    total: float,
    prior: float,
    terms: Terms,
    names: Sequence[Hashable] | None,
) -> Explanation:
    """Return what was weighed in nats, in decibans and strongest first."""
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


def _name(feature: int, names: Sequence[Hashable] | None) -> Any:
    if feature == VOLUME:
        return "(volume)"
    return feature if names is None else names[feature]


def log_posterior(b: ArrayLike) -> Floats:
    """Return log posterior probabilities by Bayes' rule, normalised over the last axis.

        log p(c | x) = b_c − [B + log Σ_c' e^(b_c' − B)],      b_c = log p(x | c) + log p(c),  B = max b_c

    The winner's own e^0 = 1 is kept out of the sum and put back by log1p, so that a certain winner gets −Σ of the
    others to full precision, never a rounded zero, and never −0. A class of probability zero (b_c = −∞) stays there.

    Parameters
    ----------
    b : array-like of shape (..., n_classes)
        Scores, in nats; at least one of each row is finite.

    Returns
    -------
    ndarray of shape (..., n_classes)
        Log probabilities.

    Examples
    --------
    >>> log_posterior([-120.0, -121.0]).round(6).tolist()
    [-0.313262, -1.313262]
    """
    return _by_class(b, _log_of_classes)


def posterior(b: ArrayLike) -> Floats:
    """Return posterior probabilities by Bayes' rule, normalised over the last axis.

        p(c | x) = e^(b_c − B) / Σ_c' e^(b_c' − B),      b_c = log p(x | c) + log p(c),  B = max b_c

    Each is right to its last digits, those near 0 as well; what is near 1 has its distance from 1 in `log_posterior`.

    Parameters
    ----------
    b : array-like of shape (..., n_classes)
        Scores, in nats; at least one of each row is finite.

    Returns
    -------
    ndarray of shape (..., n_classes)
        Probabilities.

    Examples
    --------
    >>> posterior([-120.0, -121.0]).round(6).tolist()
    [0.731059, 0.268941]
    """
    return _by_class(b, _of_classes)


def _by_class(b: ArrayLike, of: Callable[[Floats], Floats]) -> Floats:
    """Return what is found of scores (..., C) that lie class by class, (C, N): NumPy is slow along rows so short."""
    b = np.asarray(b, dtype=np.float64)
    flat = np.ascontiguousarray(b.reshape(-1, b.shape[-1]).T)
    return of(flat).T.reshape(b.shape)


def _log_of_two(b: Floats) -> Floats:
    first, second = b
    below = -np.abs(second - first)
    with np.errstate(under="ignore"):
        share = np.log1p(np.exp(below))
    winner, loser, wins = 0.0 - share, below - share, first >= second
    return np.stack([np.where(wins, winner, loser), np.where(wins, loser, winner)])


def _log_of_classes(b: Floats) -> Floats:
    if len(b) == 2:
        return _log_of_two(b)  # the same numbers in three quarters of the time
    below = b - b.max(axis=0)
    with np.errstate(under="ignore"):
        others = np.exp(below)
    wins = below == 0.0
    others[wins] = 0.0
    result: Floats = below - np.log1p(_total(others) + (wins.sum(axis=0) - 1.0))  # of equal winners one is left out
    return result


def _of_classes(b: Floats) -> Floats:
    with np.errstate(under="ignore"):
        p: Floats = np.exp(b - b.max(axis=0))
        p /= _total(p)
    return p


def _total(p: Floats) -> Floats:
    """Return (N,) sums of (C, N) over classes, in an order that other rows do not change: of eight numbers or more that
    lie side by side, as those of a single row do, NumPy adds pairs."""
    total: Floats = p.sum(axis=0) if len(p) < 8 else np.ascontiguousarray(p.T).sum(axis=1)
    return total


def winners(scores: Floats) -> NDArray[np.intp]:
    """Return (N,) the class of the largest of scores (N, C), of equal ones the first.

    >>> winners(np.array([[1.0, 1.0], [0.0, 2.0]])).tolist()
    [0, 1]
    """
    if scores.shape[1] == 2:
        return (scores[:, 1] > scores[:, 0]).astype(np.intp)
    largest: NDArray[np.intp] = scores.argmax(axis=1)
    return largest


def claimed(scores: Floats, claims: Claims) -> Floats:
    """Return (N, C) what scores (N, C) may claim: see `Claims.log_p`.

    >>> claimed(np.array([[0.0, 50.0]]), Claims(1000.0)).round(4).tolist()
    [[-7.6019, -0.0005]]
    """
    if not claims.bounded:
        return scores
    n, there = claims.examples, scores > -np.inf
    even = there / np.maximum(there.sum(axis=1, keepdims=True), 1)
    with np.errstate(divide="ignore"):
        found: Floats = np.log((n * posterior(scores) + even) / (n + 1.0))
    return found
