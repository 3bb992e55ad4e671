"""Thresholds chosen on labelled examples: by the largest false-positive rate, with a guarantee, or by what costs least.

A threshold is in decibans of the log-odds of one class against all others; above it the answer is that class, and at it
the class that stands first. The examples must be ones that the model has not learnt, independent, and like those to
come.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, inf, log10
from typing import Any

import numpy as np

from deciban.conventions import DECIBANS_PER_NAT
from deciban.errors import DataError
from deciban.theory.finite_classes import tail
from deciban.theory.statement import check_between, least
from deciban.verdict import probability_of

from ..certificates.intervals import Interval, clopper_pearson, upper_limit
from .conformal import examples_needed
from .costs import Costs, CostThreshold
from .judgements import Floats, Judgements

RATE, CONFIDENCE = 0.001, 0.95
# Decibans beyond which nothing is written with few digits, and beyond which nothing is.
_COARSE, _FAR = 1e9, 1e300


@dataclass(frozen=True)
class RateThreshold:
    """A threshold with a guaranteed false-positive rate: at most `bound` of the negatives lie above it.

    Parameters
    ----------
    positive : label
        The positive class.
    decibans : float
        Log-odds of `positive` at the threshold, in decibans.
    rate : float
        False-positive rate that was asked for.
    confidence : float or None
        Confidence of the guarantee; None where it holds on average.
    bound : float
        Guaranteed false-positive rate.
    allowed : int
        Number of the negatives that may lie above the threshold.
    negatives : int
        Number of negatives.
    above : int
        Number of negatives above the threshold.
    positives : int
        Number of positives.
    found : int
        Number of positives above the threshold.

    Examples
    --------
    >>> threshold = RateThreshold("spam", 20.0, 0.01, 0.95, 0.009, 0, 400, 0, 200, 150)
    >>> [round(end, 2) for end in threshold.recall_interval]
    [0.68, 0.81]
    """

    positive: Any
    decibans: float
    rate: float
    confidence: float | None
    bound: float
    allowed: int
    negatives: int
    above: int
    positives: int
    found: int

    @property
    def probability(self) -> float:
        """Probability of `positive` at the threshold."""
        return probability_of(self.decibans)

    @property
    def recall(self) -> float | None:
        """The share of the positives that is found here; None without any."""
        return self.found / self.positives if self.positives else None

    @property
    def recall_interval(self) -> Interval:
        """Interval of the recall by Clopper & Pearson, with the confidence of the guarantee or 95 %.

        It is exact, because the positives had no part in the choice of the threshold.
        """
        return clopper_pearson(self.found, self.positives, CONFIDENCE if self.confidence is None else self.confidence)

    @property
    def negatives_for_one_more(self) -> int:
        """Number of negatives for which one more of them would be allowed."""
        return negatives_needed(self.rate, self.confidence, self.allowed + 1)

    def to_json(self) -> dict[str, Any]:
        """Return the threshold as plain Python objects.

        Returns
        -------
        dict
            Keys that scripts rely on.
        """
        return {
            "positive": self.positive,
            "decibans": self.decibans,
            "probability": self.probability,
            "rate": self.rate,
            "confidence": self.confidence,
            "bound": self.bound,
            "negatives": self.negatives,
            "allowed": self.allowed,
            "above": self.above,
            "positives": self.positives,
            "found": self.found,
            "recall": self.recall,
            "recall_interval": list(self.recall_interval),
            "negatives_for_one_more": self.negatives_for_one_more,
        }


def rate_threshold(
    said: Judgements, rate: float = RATE, confidence: float | None = CONFIDENCE, positive: object = None
) -> RateThreshold:
    """Return the lowest threshold whose false-positive rate is at most `rate`, as the negatives show.

        t > s_(k+1),    k = max {k : P(Bin(n, r) ≤ k) ≤ 1 − confidence},    s_(1) ≥ … ≥ s_(n) the negatives' scores

    P(FPR(t) > r) ≤ P(Bin(n, r) ≤ k), whatever the distribution of the scores: FPR(t) > r only where s_(k+1) is below
    their upper r-quantile q, and then at most k of n are at q or above, each of which is so with a probability of at
    least r. k depends on n alone, so that t may be chosen on the very examples that it is proven on; `bound` is the
    upper limit of Clopper and Pearson at this k. Tolerance limits: Wilks, Annals of Mathematical Statistics 12 (1941);
    Scheffé & Tukey 16 (1945). t is a number of few digits that is below the next negative's score, which changes no
    guarantee.

    Parameters
    ----------
    said : Judgements
        Labels and predicted log probabilities of held-out examples.
    rate : float, default=0.001
        False-positive rate r.
    confidence : float or None, default=0.95
        Confidence of the guarantee. With None the rate is held on average over such samples, as in conformal
        prediction: k = ⌊r(n + 1)⌋ − 1, for which far fewer examples are enough.
    positive : label, optional
        The positive class; all others are negative. By default the second.

    Returns
    -------
    RateThreshold
        The threshold with its guarantee.

    Raises
    ------
    DataError
        If there are too few negatives.
    ValueError
        If `rate`, `confidence` or `positive` make no sense.

    Examples
    --------
    >>> log_p = np.log([[p, 1.0 - p] for p in (0.999, 0.99, 0.9, 0.6, 0.2, 0.1)])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 0, 0, 1, 1]), log_p)
    >>> found = rate_threshold(said, 0.6, 0.95)
    >>> found.decibans, found.found, round(found.bound, 3), negatives_needed(0.001)
    (-1.76, 2, 0.527, 2995)
    """
    p, (negative, members) = _sides(said, positive)
    rate = check_between("rate", rate, 0.0, 1.0)
    k, n = _count_allowed(len(negative), rate, confidence), len(negative)
    if k < 0:
        raise DataError(too_few(n, rate, confidence, said.classes[p]))
    ordered = np.sort(negative)[::-1]
    t = _tidy(_next(float(ordered[k])), float(ordered[:k][ordered[:k] > ordered[k]].min(initial=inf)))
    return RateThreshold(
        positive=said.classes[p],
        decibans=t,
        rate=rate,
        confidence=confidence,
        bound=(k + 1) / (n + 1) if confidence is None else upper_limit(k, n, 1.0 - confidence),
        allowed=k,
        negatives=n,
        above=_above(negative, t, p),
        positives=len(members),
        found=_above(members, t, p),
    )


def negatives_needed(rate: float, confidence: float | None = CONFIDENCE, above: int = 0) -> int:
    """Return the number of negatives needed to guarantee a false-positive rate.

        min {n : P(Bin(n, r) ≤ above) ≤ 1 − confidence},        for none above it ⌈log(1 − confidence) / log(1 − r)⌉

    On average, with `confidence=None`, these are ⌈(above + 1)/r⌉ − 1.

    Parameters
    ----------
    rate : float
        False-positive rate r.
    confidence : float or None, default=0.95
        Confidence of the guarantee; None for one that holds on average.
    above : int, default=0
        Number of negatives that may lie above the threshold.

    Returns
    -------
    int
        Number of negatives.

    Examples
    --------
    >>> negatives_needed(0.001), negatives_needed(0.01), negatives_needed(0.001, None), negatives_needed(0.01, 0.99, 1)
    (2995, 299, 999, 662)
    """
    rate = check_between("rate", rate, 0.0, 1.0)
    if confidence is None:
        return examples_needed(rate, above)
    doubt = 1.0 - check_between("confidence", confidence, 0.0, 1.0)
    return int(least(lambda n: tail(above, n, rate, "upper") <= doubt, above + 1))


def lowest_rate(n: int, confidence: float | None = CONFIDENCE) -> float:
    """Return the smallest false-positive rate that n negatives can guarantee: with none of them above the threshold.

    >>> round(lowest_rate(299), 5), lowest_rate(999, None)
    (0.00997, 0.001)
    """
    return 1.0 / (n + 1) if confidence is None else upper_limit(0, n, 1.0 - confidence)


def cheapest(said: Judgements, costs: Costs, positive: object = None) -> CostThreshold:
    """Return the threshold of two classes of lowest cost on labelled examples, whatever the probabilities are worth.

        min over t of   Σ_i c(y_i, positive if s_i > t else the other)

    Of thresholds of equal cost it is the nearest to the one that the costs alone give. It is chosen on these examples,
    so its cost on them is optimistic. The cost of computation is a sort.

    Parameters
    ----------
    said : Judgements
        Labels and predicted log probabilities of held-out examples.
    costs : Costs
        Costs of mistakes of the same two classes.
    positive : label, optional
        The positive class. By default the second.

    Returns
    -------
    CostThreshold
        The threshold.

    Raises
    ------
    ValueError
        If the costs are of other classes.

    Examples
    --------
    >>> log_p = np.log([[p, 1.0 - p] for p in (0.9, 0.4, 0.3, 0.2)])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), log_p)
    >>> cheapest(said, Costs.of(["ham", "spam"])).decibans
    2.73
    """
    p, (negative, members) = _sides(said, positive)
    if said.classes != costs.classes:
        raise ValueError(f"costs of the classes {list(said.classes)} are expected, got {list(costs.classes)}")
    own = costs.threshold(said.classes[p]).decibans
    edges = np.unique(np.concatenate([negative, members]))  # between two of them all thresholds are the same
    above = [
        np.concatenate([[len(side)], len(side) - np.searchsorted(np.sort(side), edges, side="right")])
        for side in (negative, members)
    ]
    (c_nn, c_np), (c_pn, c_pp) = (costs.matrix[i, [1 - p, p]] for i in (1 - p, p))
    total = above[0] * (c_np - c_nn) + above[1] * (c_pp - c_pn)
    low, high = np.concatenate([[-inf], edges]), np.concatenate([edges, [inf]])
    total[~(high > -inf if p else low < inf)] = inf  # no threshold parts what is infinitely sure
    best = np.flatnonzero(total <= total.min() + 1e-12 * np.abs(total[np.isfinite(total)]).max())
    finite = np.clip(own, -_FAR, _FAR)
    i = best[np.argmin(np.maximum(np.maximum(low[best] - finite, finite - high[best]), 0.0))]
    return CostThreshold(said.classes, said.classes[p], choose_between(float(low[i]), float(high[i]), own, p))


def _sides(said: Judgements, positive: object) -> tuple[int, tuple[Floats, Floats]]:
    """Return the index of `positive`, and the log-odds for it, in decibans, of negatives and of positives."""
    if positive is not None and positive not in said.classes:
        raise ValueError(f"positive must be one of {list(said.classes)}, got {positive!r}")
    p = 1 if positive is None else said.classes.index(positive)
    odds = DECIBANS_PER_NAT * said.log_odds(p)
    return p, (odds[said.y != p], odds[said.y == p])


def _above(odds: Floats, threshold: float, positive: int) -> int:
    """Count the examples that are called positive: at the threshold the class wins that comes first."""
    return int((odds > threshold if positive else odds >= threshold).sum())


def _next(x: float) -> float:
    return float(np.nextafter(x, inf))


def _count_allowed(n: int, rate: float, confidence: float | None) -> int:
    """Return how many of n negatives may be above the threshold, −1 where there are too few of them."""
    if n < negatives_needed(rate, confidence):
        return -1
    if confidence is None:
        k = floor(rate * (n + 1))
        while (k + 1) / (n + 1) <= rate:
            k += 1
        while k / (n + 1) > rate:
            k -= 1
        return k - 1
    doubt = 1.0 - confidence
    return int(least(lambda k: k >= n or tail(k, n, rate, "upper") > doubt, 0)) - 1


def too_few(n: int, rate: float, confidence: float | None, positive: object) -> str:
    """Return the message about n negatives that cannot guarantee the rate."""
    needed = negatives_needed(rate, confidence)
    sure = "on average" if confidence is None else f"with a confidence of {100 * confidence:g} %"
    can = f", or ask for {_round_up(100 * lowest_rate(n, confidence)):g} %, which {n:,} can hold" if n else ""
    return (
        f"Expected at least {needed:,} examples that are not {positive!r}, for a false-positive rate of "
        f"{100 * rate:g} % {sure}; there are {n:,}. Give {needed - n:,} more{can}."
    )


def _round_up(x: float) -> float:
    """Round up to two significant digits.

    >>> _round_up(7.9801), _round_up(0.01231)
    (8.0, 0.013)
    """
    digits = 1 - floor(log10(x))
    return float(ceil(x * 10.0**digits) / 10.0**digits)


def _tidy(low: float, high: float) -> float:
    """Return the number of fewest decimals, two at least, from `low` to below `high`; `low` where there is none.

    >>> _tidy(1.23456, inf), _tidy(1.23456, 1.235), _tidy(-0.001, 1.0)
    (1.24, 1.2346, 0.0)
    """
    if not abs(low) < _COARSE:
        return low
    for digits in range(2, 10):
        raised = ceil(low * 10.0**digits) / 10.0**digits + 0.0
        if low <= raised < high:
            return raised
    return low


def choose_between(low: float, high: float, wanted: float, positive: int) -> float:
    """Return `wanted` if it is between the two, else a number near their middle; at an end where that is as good."""
    if low < wanted < high or wanted == (low if positive else high):
        return wanted
    if low == high:
        return low
    if not np.isfinite(high):
        return _tidy(_next(low), high)
    if not np.isfinite(low):
        return 0.0 - _tidy(_next(-high), inf)
    middle = _tidy(0.5 * (low + high), high)
    return middle if low < middle else (low if positive else high)
