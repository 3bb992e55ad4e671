"""How much a filter's evidence counts when mail has changed: what its verdicts were worth on what was labelled since.

Decibans are calibrated by the examples that a filter has learnt. When mail changes, verdicts are worth less, and the
labels that people give afterwards tell so. Before a label was known the filter said log-odds zᵢ for it. Evidence may
count as before, β = 1, or less, β of some `SLOPES`, of which each is as likely and all together one time in twenty:

    P(β | labels) ∝ P(β) Πᵢ 1 / (1 + exp(−β zᵢ)),      evidence counts E β, and is Var β more uncertain

Where labels make a change no likelier than it was, β is 1. Where verdicts keep what they promise, the odds of a change
exceed 1/(19 α) with a probability of at most α, however many labels come (Ville's inequality). `benchmarks/drift.py`
measures it on mail that came later than what was learnt.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .conventions import DECIBANS_PER_NAT

SLOPES = tuple(1.0 / temperature for temperature in (1.25, 1.5, 2.0, 3.0, 5.0, 8.0))
"""What evidence may count when mail has changed."""
CHANGED = 0.05
"""How likely that is before anything is known."""
WINDOW = 500
"""So many of the last labels tell."""
ENOUGH = 20
"""Labels from which something can be told."""
CONFIRMED = 0.75
"""Who labels mistakes only does not tell how many there are: so large a share of sure verdicts must be confirmed."""
_SURE = 10.0 / DECIBANS_PER_NAT


class Drift(NamedTuple):
    """What evidence counts: a `slope` of 1 or less, whose variance is `doubt`.

    >>> Drift.of([4.0] * 98 + [-4.0] * 2).slope, round(Drift.of([4.0] * 90 + [-4.0] * 10).slope, 2)
    (1.0, 0.56)
    """

    slope: float = 1.0
    doubt: float = 0.0

    @classmethod
    def of(cls, odds: Sequence[float]) -> Drift:
        """Return what evidence counts by the log-odds (n,) of labels, in nats, before they were given, as the filter
        said; the last ones matter."""
        last = odds[-WINDOW:]
        sure = [z > 0.0 for z in last if abs(z) >= _SURE]
        if len(last) < ENOUGH or sum(sure) < CONFIRMED * len(sure):
            return STEADY
        shares = [math.log(1.0 - CHANGED), *[math.log(CHANGED / len(SLOPES))] * len(SLOPES)]
        every = (1.0, *SLOPES)
        told = [share + math.fsum(log_sigmoid(b * z) for z in last) for b, share in zip(every, shares, strict=True)]
        most = max(told)
        weights = [math.exp(each - most) for each in told]
        whole = math.fsum(weights)
        if weights[0] >= (1.0 - CHANGED) * whole:
            return STEADY
        slope = math.fsum(w * b for w, b in zip(weights, every, strict=True)) / whole
        return cls(slope, math.fsum(w * (b - slope) ** 2 for w, b in zip(weights, every, strict=True)) / whole)

    def variance(self, odds: float, variance: float) -> float:
        """Return the variance of what log-odds count, by theirs: evidence counts less, doubt never does."""
        return variance + self.doubt * odds * odds


STEADY = Drift()
"""Evidence counts what it did."""


def log_sigmoid(z: float) -> float:
    """Return log 1 / (1 + exp(−z))."""
    return min(z, 0.0) - math.log1p(math.exp(-abs(z)))
