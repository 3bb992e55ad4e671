"""From labels, near-duplicates and out-of-fold probabilities to suspects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.calibration.temperature import temperature
from deciban.conventions import DECIBANS_PER_NAT
from deciban.errors import DataError

from ..data.copies import Copies, dealt_together
from .confident import confident_joint
from .suspect import KINDS, Floats, Integers, Suspect, Suspects

# Nats; a model that holds something for impossible is not believed beyond this.
_IMPOSSIBLE = -1e4
# Decibans; odds of 10 to 1, as for verdicts.
UNSURE_BELOW = 10.0
# Near-duplicates that are named.
_NAMED = 5
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Labelled:
    """N examples as the search sees them: y (N,) indices into `classes`, their near-duplicates, weight (N,) > 0."""

    y: Integers
    classes: tuple[Any, ...]
    copies: Copies
    weight: Floats

    def fold(self, folds: int, seed: int) -> Integers:
        """(N,) a fold for every example, near-duplicates together; DataError where a class has too few."""
        for c, label in enumerate(self.classes):
            n = len(np.unique(self.copies.group[self.y == c]))
            if n < folds:
                raise DataError(_too_few(label, n, folds))
        return dealt_together(self.y, self.copies.group, self.weight, folds, seed)

    def suspects(self, log_p: Floats) -> Suspects:
        """Of log p(c | x), (N, C) in nats, by models that did not learn x; one temperature for all makes them honest.

        Near-duplicates whose label is not that of most come first, then those of which another label is likelier, both
        by log p(label | x), the lowest first. Of the latter are listed all off the diagonal of the confident joint, all
        with ten decibans for another label, and more until as many are listed as the joint says are wrong.
        """
        log_p = np.maximum(log_p, _IMPOSSIBLE)
        log_p = log_p * temperature(log_p, self.y, self.weight)
        log_p -= np.logaddexp.reduce(log_p, axis=1, keepdims=True)
        found = confident_joint(self.y, np.exp(log_p), self.weight)
        total = float(self.weight.sum())
        group = self._votes(log_p)
        likeliest, own = log_p.argmax(axis=1), log_p[np.arange(len(self.y)), self.y]
        copied, misjudged = group.wanted >= 0, likeliest != self.y
        sure = misjudged & (found.sure >= 0) & (found.sure != self.y)
        suggested = np.select([copied, sure], [group.wanted, found.sure], likeliest)
        kind = np.select([copied, sure], [0, 1], 2)
        strong = misjudged & (DECIBANS_PER_NAT * (log_p.max(axis=1) - own) >= UNSURE_BELOW)
        order = np.lexsort((own, np.select([copied, misjudged], [0, 1], 2)))
        before = self.weight[order].cumsum() - self.weight[order]
        within = misjudged[order] & (before < found.share * total - _ROUNDING)
        enough = misjudged & (own <= own[order][within].max(initial=-np.inf) + _ROUNDING)  # copies with their likes
        listed = order[(copied | sure | strong | enough)[order]].tolist()
        return Suspects(
            tuple(self._suspect(i, int(suggested[i]), int(kind[i]), log_p[i], group) for i in listed),
            total,
            found.share * total,
            self.classes,
            found.thresholds,
            found.joint,
            order,
        )

    def _votes(self, log_p: Floats) -> Votes:
        """The label of most; of equally many the one that the model holds for likelier."""
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
    """As people say it.

    >>> _odds(3.0), _odds(23.0), _odds(300.0)
    ('odds of 2.0 to 1', 'odds of 200 to 1', 'odds above 1,000 to 1')
    """
    odds = 10 ** (min(decibans, 100.0) / 10)
    return "odds above 1,000 to 1" if odds > 1000 else f"odds of {odds:.{1 if odds < 9.95 else 0}f} to 1"


def _too_few(label: Any, n: int, folds: int) -> str:
    return (
        f"expected, for {folds} folds, at least {folds} examples of every class that are no copies of one another; "
        f"{label!r} has {n}. Take fewer folds, or leave that class out."
    )
