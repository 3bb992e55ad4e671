"""The area under the receiver operating characteristic, by counting pairs in the wrong order.

    1 − ROCA = #{(positive, negative) : the negative scores higher} / (positives · negatives), ties count half

Hanley & McNeil, Radiology 143, 1982. Reported in per cent, as by the TREC spam track: Cormack & Lynam 2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

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
    """The number (or weight) of pairs in the wrong order, ties counting half. Exact below 2^53 pairs.

    `scores` (N,), higher for the positive class; `positive` (N,); `weight` (N,), how often an item counts.
    Cost: a sort.

    >>> inversions(np.array([0.1, 0.4, 0.4]), np.array([True, True, False]))
    1.5
    """
    groups, group = np.unique(scores, return_inverse=True)
    weight = np.ones(len(scores)) if weight is None else weight
    above, below = (np.bincount(group, weight * side, len(groups)) for side in (positive, ~positive))
    return _inverted(above, below)


def roc(scores: Array, positive: npt.NDArray[np.bool_], seed: int = 0) -> Roc:
    """1 − ROCA, and its interval from 100 bootstrap samples, drawn with `seed` within each class.

    The interval is normal on the logit scale; half an inversion is added to each sample's count, so that a
    sample without any is not at −∞. Where the order is perfect, or perfectly wrong, there is no interval.
    """
    groups, group = np.unique(scores, return_inverse=True)
    members = group[positive], group[~positive]
    pairs = len(members[0]) * len(members[1])
    if pairs == 0:
        return Roc(None, None, ("The ROC area needs items of both classes; there are only those of one.",))
    above, below = (np.bincount(side, minlength=len(groups)).astype(np.float64) for side in members)
    inverted = _inverted(above, below)
    share = inverted / pairs
    if inverted in (0, pairs) or min(map(len, members)) < 2:
        why = "no two items are in doubt" if inverted in (0, pairs) else "a class has one item only"
        return Roc(share, None, (f"The ROC area has no bootstrap interval: {why}.",))
    random = np.random.default_rng(seed)
    drawn = [
        _inverted(*(np.bincount(random.choice(side, len(side)), minlength=len(groups)) for side in members))
        for _ in range(BOOTSTRAP_SAMPLES)
    ]
    spread = _Z * np.std(logit((np.array(drawn) + 0.5) / (pairs + 1)), ddof=1)
    low, high = expit(logit(share) + np.array([-spread, spread]))
    return Roc(share, (float(low), float(high)))


def _inverted(positives: npt.NDArray[Any], negatives: npt.NDArray[Any]) -> float:
    """Both by group of equal scores, in ascending order."""
    higher = negatives.sum() - np.cumsum(negatives)
    return float(positives @ (higher + 0.5 * negatives))


def one_against_rest(scores: Array, truth: npt.NDArray[np.int64], names: tuple[object, ...]) -> Roc:
    """The mean over the classes of 1 − ROCA of each against the rest; scores (N, C), truth (N,) columns."""
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
