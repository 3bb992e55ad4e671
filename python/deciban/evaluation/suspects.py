"""Suspects: examples whose labels are probably wrong, by near-duplicates and by out-of-fold probabilities.

`label_noise` says which labels are wrong beyond what the features leave open, and how many. Confident learning says
between which classes, by probabilities of a model that did not learn the examples:

    t_j  = mean of p_j(x) over the examples labelled j               how sure the model is of class j
    ĵ(x) = argmax of p_j(x) over the classes with p_j(x) ≥ t_j       none, where it is sure of none
    C_ij = how many examples labelled i have ĵ = j                   the confident joint
    Q_ij = C_ij / Σ_j C_ij · n_i / n                                 its rows brought to the counts of the labels

Σ_{i≠j} Q_ij takes for wrong whatever is misjudged with confidence, where classes overlap, too.
Northcutt, Jiang & Chuang, Confident learning: estimating uncertainty in dataset labels, JAIR 70, 2021, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from deciban.conventions import DECIBANS_PER_NAT
from deciban.errors import DataError

from ..data.copies import Copies
from ..data.folds import deal_grouped
from .label_noise import label_noise

Floats = NDArray[np.float64]

# A mean of equal numbers may be above them by what rounding adds.
_NEARLY = 1e-9


@dataclass(frozen=True)
class ConfidentJoint:
    """The confident joint of N given labels and predicted probabilities, every example by its weight.

    thresholds  (C,) t_j
    counts      (C, C) C_ij: row i as labelled, column j as the model is sure of
    joint       (C, C) Q_ij, summing to 1
    sure        (N,) ĵ(x), −1 where the model is sure of no class
    """

    thresholds: Floats
    counts: Floats
    joint: Floats
    sure: NDArray[np.intp]

    @property
    def share(self) -> float:
        """The share of labels that are wrong."""
        return float(max(0.0, 1.0 - np.trace(self.joint)))


def confident_joint(y: NDArray[np.intp], p: Floats, weight: Floats) -> ConfidentJoint:
    """Estimate the joint of given and true labels, from labels y (N,), indices of C classes that all occur, out-of-fold
    probabilities p (N, C) and weight (N,) > 0.

    A class that no example is surely of keeps its labels.

    >>> y, p = np.array([0, 0, 0, 1, 1]), np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.2, 0.8], [0.1, 0.9]])
    >>> found = confident_joint(y, p, np.ones(5))
    >>> found.thresholds.round(2).tolist(), found.counts.tolist()
    ([0.6, 0.85], [[2.0, 1.0], [0.0, 1.0]])
    >>> round(found.share, 2)
    0.2
    """
    N, C = p.shape
    own = p[np.arange(N), y]
    n = np.bincount(y, weight, minlength=C)
    thresholds = np.bincount(y, weight * own, minlength=C) / n
    reached = p >= thresholds - _NEARLY
    sure = np.where(reached.any(axis=1), np.where(reached, p, -1.0).argmax(axis=1), -1)
    counts = np.zeros((C, C))
    np.add.at(counts, (y[sure >= 0], sure[sure >= 0]), weight[sure >= 0])
    rows = counts.sum(axis=1)
    believed = np.where(rows[:, None] > 0.0, counts, np.eye(C))
    joint = believed / believed.sum(axis=1, keepdims=True) * n[:, None] / n.sum()
    return ConfidentJoint(thresholds, counts, joint, sure)


Integers = NDArray[np.intp]
Kind = Literal["duplicate", "confident", "likelier"]
KINDS: tuple[Kind, ...] = ("duplicate", "confident", "likelier")


@dataclass(frozen=True)
class Suspect:
    """An example whose label is probably wrong.

    Parameters
    ----------
    place : int
        Index of the example.
    label : label
        The label that it was given.
    suggested : label
        The label that it probably should have.
    decibans : float
        Evidence for the suggested label against the given one, by a model that was not trained on the example.
    probability : float
        Probability of the given label, by the same model.
    kind : {"duplicate", "confident", "likelier"}
        Most near-duplicates have the suggested label; the model is as sure of it as of those that have it, on average;
        or it is not that sure.
    reason : str
        The same in words.
    copies : tuple of int, default=()
        Indices of near-duplicates that have the suggested label, at most five.

    Examples
    --------
    >>> Suspect(8, "low", "high", 30.0, 0.001, "confident", "").to_json()["suggested"]
    'high'
    """

    place: int
    label: Any
    suggested: Any
    decibans: float
    probability: float
    kind: Kind
    reason: str
    copies: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain Python objects, with keys that scripts rely on.

        Returns
        -------
        dict
            The fields by their names.
        """
        return {
            "place": self.place,
            "label": self.label,
            "suggested": self.suggested,
            "decibans": self.decibans,
            "probability": self.probability,
            "kind": self.kind,
            "reason": self.reason,
            "copies": list(self.copies),
        }


@dataclass(frozen=True, eq=False)
class Suspects(Sequence[Suspect]):
    """Suspect examples, the strongest first.

    Near-duplicates come first, then examples whose label is more probably wrong than right: not those that the features
    leave open.

    Parameters
    ----------
    suspects : tuple of Suspect
        The examples.
    n : float
        Weight of all examples, their number where none has a weight.
    wrong : float
        Estimated number of wrong labels, beyond the errors that the features leave open.
    classes : tuple
        Labels, sorted.
    thresholds : ndarray of shape (n_classes,)
        Mean probability of each label over the examples that have it.
    joint : ndarray of shape (n_classes, n_classes)
        Confident joint of given and suggested labels.
    order : ndarray of int of shape (n_samples,)
        Indices of all examples of weight > 0, from the most suspect to the least.
    false_alarms : float, default=0.0
        Expected number of suspects whose label is right, among those that the model names.

    Examples
    --------
    >>> from deciban import NaiveBayes, find_label_errors
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3], [5.4]]
    >>> found = find_label_errors(NaiveBayes("gaussian"), X, ["low"] * 4 + ["high"] * 4 + ["low"], folds=2)
    >>> len(found), found.classes
    (1, ('high', 'low'))
    """

    suspects: tuple[Suspect, ...]
    n: float
    wrong: float
    classes: tuple[Any, ...]
    thresholds: Floats
    joint: Floats
    order: Integers
    false_alarms: float = 0.0

    def __len__(self) -> int:
        return len(self.suspects)

    @overload
    def __getitem__(self, at: int) -> Suspect: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Suspect]: ...
    def __getitem__(self, at: int | slice) -> Suspect | Sequence[Suspect]:
        return self.suspects[at]

    def __iter__(self) -> Iterator[Suspect]:
        return iter(self.suspects)

    def __str__(self) -> str:
        copies = sum(each.kind == "duplicate" for each in self)
        found = f"{len(self):,} {'suspect' if len(self) == 1 else 'suspects'}"
        labels = f"about {self.wrong:,.0f} of {self.n:,.0f} labels wrong"
        return f"{found}, {copies:,} for near-duplicates under another label; {labels}"

    def at(self, places: Integers) -> Suspects:
        """Return the same suspects for examples that are part of others.

        Parameters
        ----------
        places : ndarray of int of shape (n_samples,)
            Index of each example among the others.

        Returns
        -------
        Suspects
            The suspects, with those indices.
        """
        moved = tuple(
            replace(each, place=int(places[each.place]), copies=tuple(places[[*each.copies]].tolist()))
            for each in self.suspects
        )
        return replace(self, suspects=moved, order=places[self.order])

    def to_json(self) -> dict[str, Any]:
        """Return the suspects as plain Python objects, with keys that scripts rely on.

        Returns
        -------
        dict
            The fields by their names.
        """
        return {
            "n": self.n,
            "wrong": self.wrong,
            "false_alarms": self.false_alarms,
            "classes": list(self.classes),
            "thresholds": self.thresholds.tolist(),
            "joint": self.joint.tolist(),
            "suspects": [each.to_json() for each in self],
        }


# Nats; a model that holds something for impossible is not believed beyond this.
_IMPOSSIBLE = -1e4
# Near-duplicates that are named.
_NAMED = 5


@dataclass(frozen=True, eq=False)
class Labelled:
    """N examples as the search sees them: y (N,) indices into `classes`, their near-duplicates, weight (N,) > 0."""

    y: Integers
    classes: tuple[Any, ...]
    copies: Copies
    weight: Floats

    def fold(self, folds: int, seed: int) -> Integers:
        """Return (N,) a fold for every example, near-duplicates together; DataError where a class has too few."""
        for c, label in enumerate(self.classes):
            n = len(np.unique(self.copies.group[self.y == c]))
            if n < folds:
                raise DataError(_too_few(label, n, folds))
        return deal_grouped(self.y, self.copies.group, self.weight, folds, seed)

    def suspects(self, log_p: Floats) -> Suspects:
        """Return the suspects by log p(c | x), (N, C) in nats, of models that did not learn x, whose scale is theirs.

        Near-duplicates whose label is not that of most come first, then those whose label is more probably wrong than
        right, by `label_noise`; both by its log-odds, the most suspect first.
        """
        log_p = np.maximum(log_p, _IMPOSSIBLE)
        log_p -= np.logaddexp.reduce(log_p, axis=1, keepdims=True)
        found, noise = confident_joint(self.y, np.exp(log_p), self.weight), label_noise(log_p, self.y, self.weight)
        total = float(self.weight.sum())
        group = self._votes(log_p)
        likeliest, own = log_p.argmax(axis=1), log_p[np.arange(len(self.y)), self.y]
        copied, misjudged = group.wanted >= 0, likeliest != self.y
        sure = misjudged & (found.sure >= 0) & (found.sure != self.y)
        suggested = np.select([copied, sure], [group.wanted, found.sure], likeliest)
        kind = np.select([copied, sure], [0, 1], 2)
        named = ~copied & misjudged & (noise.wrong >= 0.5)
        order = np.lexsort((own, -noise.wrong, np.select([copied, named, misjudged], [0, 1, 2], 3)))
        listed = order[(copied | named)[order]].tolist()
        return Suspects(
            tuple(self._suspect(i, int(suggested[i]), int(kind[i]), log_p[i], group) for i in listed),
            total,
            noise.share * total,
            self.classes,
            found.thresholds,
            found.joint,
            order,
            float(self.weight[named] @ (1.0 - noise.wrong[named])),
        )

    def _votes(self, log_p: Floats) -> Votes:
        """Return the label of most; of equally many the one that the model holds for likelier."""
        _, member = np.unique(self.copies.group, return_inverse=True)
        member = member.reshape(-1)
        votes, belief = np.zeros((2, int(member.max()) + 1, len(self.classes)))
        np.add.at(votes, (member, self.y), self.weight)
        np.add.at(belief, member, self.weight[:, None] * log_p)
        most = votes == votes.max(axis=1, keepdims=True)
        winner = np.where(most, belief, -np.inf).argmax(axis=1)[member]
        return Votes(np.where(self.copies.telling & (winner != self.y), winner, -1), votes[member])

    def _suspect(self, i: int, suggested: int, kind: int, log_p: Floats, group: Votes) -> Suspect:
        given = int(self.y[i])
        label, other = self.classes[given], self.classes[suggested]
        decibans, p = DECIBANS_PER_NAT * float(log_p[suggested] - log_p[given]), float(np.exp(log_p[given]))
        if kind:
            reason = f"a model that did not learn it gives {other!r} {_odds(decibans)}"
            return Suspect(i, label, other, decibans, p, KINDS[kind], reason)
        alike = np.flatnonzero((self.copies.group == self.copies.group[i]) & (self.y == suggested))[:_NAMED]
        for_, against = group.votes[i, suggested], group.votes[i, given]
        reason = f"near-duplicates labelled {other!r}: {for_:g}, {label!r}: {against:g}"
        if for_ == against:
            reason += f"; a model that learnt neither prefers {other!r}"
        return Suspect(i, label, other, decibans, p, KINDS[0], reason, tuple(alike.tolist()))


@dataclass(frozen=True, eq=False)
class Votes:
    """What its near-duplicates say of every example: wanted (N,) their label, −1 where it is the example's own or
    nothing is said, and votes (N, C) the weight of those with each label."""

    wanted: Integers
    votes: Floats


def _odds(decibans: float) -> str:
    """Format odds.

    >>> _odds(3.0), _odds(23.0), _odds(300.0)
    ('odds of 2.0 to 1', 'odds of 200 to 1', 'odds above 1,000 to 1')
    """
    odds = 10 ** (min(decibans, 100.0) / 10)
    return "odds above 1,000 to 1" if odds > 1000 else f"odds of {odds:.{1 if odds < 9.95 else 0}f} to 1"


def _too_few(label: object, n: int, folds: int) -> str:
    return (
        f"expected, for {folds} folds, at least {folds} examples of every class that are no copies of one another; "
        f"{label!r} has {n}. Take fewer folds, or leave that class out."
    )
