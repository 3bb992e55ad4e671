"""From scores to verdicts, without NumPy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .claims import UNBOUNDED, Claims
from .conventions import DECIBANS_PER_NAT
from .verdict import Threshold, Verdict

# Below so many decibans, odds of 10 to 1, a verdict is unsure unless the caller says otherwise.
UNSURE_BELOW = 10.0
# So many absent features are named one by one; the others are summed into one term.
NAMED_ABSENT = 20


def verdict_of(
    classes: Sequence[Any],
    scores: list[float],
    pair: tuple[int, int],
    interval: tuple[float, float] | None,
    unsure_below: float = UNSURE_BELOW,
    threshold: Threshold | None = None,
    claims: Claims = UNBOUNDED,
) -> Verdict:
    """Return the verdict of scores (C,) in nats, of which those of `pair` are the first and the next, as far as the
    claims go; interval in nats.

    A threshold, which is of two classes, says which is the label, and what the evidence has to exceed.
    """
    known = claims.pair(scores, pair)
    odds = known.odds(known.raw)
    turned = pair if threshold is None else threshold.pair([odds if c == pair[0] else 0.0 for c in range(len(scores))])
    if interval is not None:
        low, high = (known.odds(end) * DECIBANS_PER_NAT for end in interval)
        interval = (low, high) if turned == pair else (-high, -low)
    label, against = turned
    if label == against:  # there is but one class, and it has no rival
        return Verdict(classes[label], None, {classes[label]: 1.0}, 0.0, True, (0.0, 0.0))
    decibans = (odds if turned == pair else -odds) * DECIBANS_PER_NAT
    probability = {c: math.exp(p) for c, p in zip(classes, claims.log_p(scores), strict=True)}
    bar = 0.0 if threshold is None else threshold.bar(label)
    unsure = decibans - bar < unsure_below or (interval is not None and interval[0] <= bar)
    return Verdict(classes[label], classes[against], probability, decibans, unsure, interval)


def first_two(scores: list[float]) -> tuple[int, int]:
    """Return the class of the largest score and of the next; of equal ones the first."""
    label = max(range(len(scores)), key=scores.__getitem__)
    return label, max((c for c in range(len(scores)) if c != label), key=scores.__getitem__, default=label)
