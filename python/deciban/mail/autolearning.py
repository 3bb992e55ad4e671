"""When a filter may learn a message under its own verdict: never from its doubt, and never so that it loses balance.

A filter that teaches itself repeats its errors. It may where all of these hold: the verdict claims `least` decibans and
is not unsure; the message is not known; the class has not more than `BALANCE` times the messages of the rarest; and of
the messages of the class at least half were labelled by others. A filter never claims more than its examples can tell
(see `claims`), so that one of fewer than 500 messages never claims 30 decibans, and learns nothing from itself.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..verdict import Verdict
from .outcomes import Outcome

LEAST = 30.0
"""Decibans of a verdict that claims to be wrong once in a thousand."""
BALANCE = 2.0


@dataclass
class Autolearning:
    """Which verdicts become labels: `known` messages of each class, of which `automatic` were labelled so.

    >>> sure = Verdict("ham", "spam", {"ham": 0.9995, "spam": 0.0005}, 33.0, False, None)
    >>> [Autolearning(30.0, Counter(ham=n, spam=400)).judge(sure) for n in (800, 801)]
    ['learnt', 'held back']
    """

    least: float
    known: Counter[str]
    automatic: Counter[str] = field(default_factory=Counter)

    def judge(self, verdict: Verdict) -> Outcome:
        """Return what becomes of a message that is not known."""
        label = str(verdict.label)
        if verdict.unsure or verdict.decibans < self.least:
            return "unsure"
        crowded = self.known[label] > BALANCE * min(self.known.values())
        if crowded or 2 * self.automatic[label] >= self.known[label]:
            return "held back"
        return "learnt"

    def learn(self, verdict: Verdict) -> None:
        """Count a message that was learnt."""
        self.known[str(verdict.label)] += 1
        self.automatic[str(verdict.label)] += 1
