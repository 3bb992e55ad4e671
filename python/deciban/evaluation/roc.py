"""The area under the receiver operating characteristic, by counting pairs in the wrong order.

    1 − ROCA = #{(positive, negative) : the negative scores higher} / (positives · negatives), ties count half

Hanley & McNeil, Radiology 143, 1982. Reported in per cent, as by the TREC spam track: Cormack & Lynam 2005.

Operating points are the points of the ROC, of precision and recall, and costs by threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray
from scipy.special import expit, logit

from .judgements import Floats, Integers, Judgements
from .reliability import side_of

Array = npt.NDArray[np.float64]

BOOTSTRAP_SAMPLES = 100  # as in TREC
_Z = 1.959963984540054  # the normal distribution's 97.5 % point


@dataclass(frozen=True)
class Roc:
    """`inverted` is 1 − ROCA; `interval` its 95 % interval; None where there is none, and `notes` say why."""

    inverted: float | None
    interval: tuple[float, float] | None
    notes: tuple[str, ...] = ()


def inversions(scores: Array, positive: npt.NDArray[np.bool_], weight: Array | None = None) -> float:
    """Return the number (or weight) of pairs in the wrong order, ties counting half. Exact below 2^53 pairs.

    `scores` (N,), higher for the positive class; `positive` (N,); `weight` (N,), how often an item counts.
    Cost: a sort.

    >>> inversions(np.array([0.1, 0.4, 0.4]), np.array([True, True, False]))
    1.5
    """
    groups, group = np.unique(scores, return_inverse=True)
    weight = np.ones(len(scores)) if weight is None else weight
    above, below = (np.bincount(group, weight * side, len(groups)) for side in (positive, ~positive))
    return _count_inverted(above, below)


def roc(scores: Array, positive: npt.NDArray[np.bool_], seed: int = 0) -> Roc:
    """Return 1 − ROCA, and its interval from 100 bootstrap samples, drawn with `seed` within each class.

    The interval is normal on the logit scale; half an inversion is added to each sample's count, so that a
    sample without any is not at −∞. Where the order is perfect, or perfectly wrong, there is no interval.
    """
    groups, group = np.unique(scores, return_inverse=True)
    members = group[positive], group[~positive]
    pairs = len(members[0]) * len(members[1])
    if pairs == 0:
        return Roc(None, None, ("The ROC area needs items of both classes; there are only those of one.",))
    above, below = (np.bincount(side, minlength=len(groups)).astype(np.float64) for side in members)
    inverted = _count_inverted(above, below)
    share = inverted / pairs
    if inverted in (0, pairs) or min(map(len, members)) < 2:
        why = "no two items are in doubt" if inverted in (0, pairs) else "a class has one item only"
        return Roc(share, None, (f"The ROC area has no bootstrap interval: {why}.",))
    random = np.random.default_rng(seed)
    drawn = [
        _count_inverted(*(np.bincount(random.choice(side, len(side)), minlength=len(groups)) for side in members))
        for _ in range(BOOTSTRAP_SAMPLES)
    ]
    spread = _Z * np.std(logit((np.array(drawn) + 0.5) / (pairs + 1)), ddof=1)
    low, high = expit(logit(share) + np.array([-spread, spread]))
    return Roc(share, (float(low), float(high)))


def _count_inverted(positives: npt.NDArray[Any], negatives: npt.NDArray[Any]) -> float:
    """Count pairs in the wrong order, from positives and negatives by group of equal scores, in ascending order."""
    higher = negatives.sum() - np.cumsum(negatives)
    return float(positives @ (higher + 0.5 * negatives))


def one_against_rest(scores: Array, truth: npt.NDArray[np.int64], names: tuple[object, ...]) -> Roc:
    """Return the mean over the classes of 1 − ROCA of each against the rest; scores (N, C), truth (N,) columns."""
    shares, absent = [], []
    for column, name in enumerate(names):
        member = truth == column
        pairs = int(member.sum()) * int((~member).sum())
        if pairs:
            shares.append(inversions(scores[:, column], member) / pairs)
        else:
            absent.append(str(name))
    notes = (f"Without an ROC area, for want of items or of others: {', '.join(absent)}.",) if absent else ()
    return Roc(float(np.mean(shares)) if shares else None, None, notes)


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """K + 1 ways to decide between `positive` and the rest, from calling nothing positive to calling all so.

    Way k calls the examples positive whose log-odds are at least odds[k − 1]; `odds` (K,) are those that occur, in
    descending order. `found` and `alarms` (K + 1,) count the examples called so that are positive and that are not.
    Between two neighbours lies what tossing a coin between them does.

    >>> p = np.array([0.1, 0.4, 0.5, 0.8])
    >>> said = Judgements(("ham", "spam"), np.array([0, 1, 0, 1]), np.log([1.0 - p, p]).T)
    >>> ways = operating_points(said)
    >>> ways.found.tolist(), ways.alarms.tolist(), ways.roc_area, ways.at(0.5)
    ([0, 1, 1, 2, 2], [0, 0, 1, 1, 2], 0.75, 1)
    """

    positive: Any
    odds: Floats
    found: Integers
    alarms: Integers
    first: bool = False

    @property
    def positives(self) -> int:
        """Number of positive examples."""
        return int(self.found[-1])

    @property
    def negatives(self) -> int:
        """Number of negative examples."""
        return int(self.alarms[-1])

    @property
    def one_sided(self) -> bool:
        """Whether there are examples of one side only, so that shares of the other are unknown."""
        return not (self.positives and self.negatives)

    @property
    def true_positive_rate(self) -> Floats:
        """(K + 1,) the share of the positive that is found: the recall; NaN where there are none."""
        return _share(self.found, self.positives)

    @property
    def false_positive_rate(self) -> Floats:
        """(K + 1,) the share of the others that is taken for positive; NaN where there are none."""
        return _share(self.alarms, self.negatives)

    @property
    def precision(self) -> Floats:
        """(K + 1,) the share of what is called positive that is so; of nothing called, that of the first called."""
        called = self.found + self.alarms
        share = _share(self.found, np.maximum(called, 1))
        share[0] = share[1]
        return share

    @property
    def roc_area(self) -> float | None:
        """The chance that a positive example has higher odds than another, ties counting half; None if one-sided."""
        if self.one_sided:
            return None
        wrong = np.diff(self.found) @ (self.alarms[:-1] + self.alarms[1:]) / 2.0
        return 1.0 - float(wrong) / (self.positives * self.negatives)

    def at(self, threshold: float) -> int:
        """Return the way that calls positive what has a probability above the threshold; as in `evaluate`, an example
        exactly at it goes to the class that stands first."""
        if not 0.0 <= threshold <= 1.0:
            raise ValueError(f"threshold must be a probability, got {threshold!r}")
        with np.errstate(divide="ignore"):
            least = np.log(threshold) - np.log1p(-threshold)
        return int((self.odds >= least).sum() if self.first else (self.odds > least).sum())

    def precision_recall(self, steps: int = 16) -> tuple[Floats, Floats]:
        """Return recall and precision, (m,) each, with so many places between two points that differ in both counts.

            found = found_k + t,    alarms = alarms_k + t·(alarms_{k+1} − alarms_k)/(found_{k+1} − found_k)

        Between two ways the mixture of both is not on the straight line, which would promise too much. Davis &
        Goadrich, The relationship between precision-recall and ROC curves, ICML 2006. NaN without positive examples.
        """
        gained, wrong = np.diff(self.found), np.diff(self.alarms)
        places = np.where((gained > 0) & (wrong > 0), steps, 1)
        k = np.repeat(np.arange(len(places)), places)
        t = (np.arange(len(k)) - np.repeat(np.cumsum(places) - places, places) + 1.0) / places[k]
        found, alarms = self.found[k] + t * gained[k], self.alarms[k] + t * wrong[k]
        recall = np.concatenate([[0.0], _share(found, self.positives)])
        if not self.positives:
            recall[0] = np.nan
        return recall, np.concatenate([self.precision[:1], found / (found + alarms)])

    @property
    def precision_recall_area(self) -> float | None:
        """The area under precision against recall, interpolated as above, in closed form; None without positives.

        ∫ t/((1 + s)t + c) dt over [found_k, found_{k+1}],    s the slope of the alarms, c = alarms_k − s·found_k
        """
        if not self.positives:
            return None
        gained, wrong = np.diff(self.found).astype(np.float64), np.diff(self.alarms)
        use = gained > 0
        a, b = self.found[:-1][use], self.found[1:][use]
        r = 1.0 + wrong[use] / gained[use]
        c = self.alarms[:-1][use] - (r - 1.0) * a
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = np.where(c == 0.0, 0.0, c / r**2 * np.log((r * b + c) / (r * a + c)))
        return float(((b - a) / r - bend).sum()) / self.positives

    def cost(self, way: int | Integers, x: Any) -> Any:
        """Return the normalised expected cost of a point, between 0 and 1, at values x of the probability-cost
        function.

            cost = (1 − x)·(false-positive rate) + x·(false-negative rate),    x = p₊c₋ / (p₊c₋ + p₋c₊)

        p₊ is the share of positive examples to come and c₋ what one that is missed costs; p₋ is that of the others, c₊
        what a false alarm costs. 1 is the cost of being always wrong. Drummond & Holte, Machine Learning 65 (2006).
        """
        return (1.0 - x) * self.false_positive_rate[way] + x * (1.0 - self.true_positive_rate[way])

    def lower_envelope(self) -> tuple[Floats, Floats]:
        """Return x and cost, (m,) each: the corners of the least cost of any threshold, which mixtures do not lower.

        They are the sides of the convex hull of the ROC (Provost & Fawcett, Machine Learning 42, 2001), found by
        pooling neighbours whose shares of positives do not fall. The threshold is chosen by these same examples.
        """
        ways = self.hull()
        up, right = np.diff(self.true_positive_rate[ways]), np.diff(self.false_positive_rate[ways])
        x = right / (right + up)
        inner = self.cost(ways[:-1], x)
        ends = self.cost(np.array([ways[0], ways[-1]]), np.array([0.0, 1.0]))
        return np.concatenate([[0.0], x, [1.0]]), np.concatenate([ends[:1], inner, ends[1:]])

    def hull(self) -> Integers:
        """Return the points at the corners of the convex hull of the ROC."""
        if self.one_sided:
            raise ValueError("the ROC needs examples of both sides")
        from scipy.optimize import isotonic_regression

        gained, wrong = np.diff(self.found), np.diff(self.alarms)
        pooled = isotonic_regression(gained / (gained + wrong), weights=gained + wrong, increasing=False).x
        corners: Integers = np.concatenate([[0], np.flatnonzero(np.diff(pooled)) + 1, [len(gained)]]).astype(np.intp)
        return corners


def operating_points(said: Judgements, positive: object = None) -> OperatingPoints:
    """Return the counts of each threshold on p(positive | x) on these examples, in O(N log N).

    `positive` is the second of two classes unless named; of more classes it must be named, and the rest is one class.
    ValueError for what is no class. Probabilities that round to 1 are told apart by the log-odds.
    """
    side = side_of(said, positive)
    odds, group = np.unique(-said.log_odds(side), return_inverse=True)
    member = said.y == side
    found, alarms = (np.bincount(group, part, len(odds)).astype(np.intp) for part in (member, ~member))
    found, alarms = (np.concatenate([[0], np.cumsum(each)]).astype(np.intp) for each in (found, alarms))
    return OperatingPoints(said.classes[side], 0.0 - odds, found, alarms, len(said.classes) == 2 and side == 0)


def _share(of: NDArray[Any], among: Any) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        share: Floats = of / np.asarray(among, dtype=np.float64)
    return share


__all__ = ["OperatingPoints", "operating_points"]
