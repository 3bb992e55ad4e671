"""Isotonic calibration: log-odds that never fall with the margin, without a formula."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .targets import Floats, of_two


@dataclass(frozen=True, eq=False)
class Monotone:
    """g(f), the log-odds of a margin f in nats: linear between `at` (k,), which ascend, and constant beyond them.

    >>> Monotone(np.array([-1.0, 0.0, 1.0]), np.array([-3.0, 0.0, 2.0]))(np.array([-5.0, 0.5])).tolist()
    [-3.0, 1.0]
    """

    at: Floats
    nats: Floats

    def __call__(self, f: Floats) -> Floats:
        g: Floats = np.interp(f, self.at, self.nats)
        return g


# Where nothing could be held out, a unit of the margin is a nat, and nothing is worth more than one.
UNKNOWN = Monotone(np.array([-1.0, 0.0, 1.0]), np.array([-1.0, 0.0, 1.0]))


def isotonic(f: Floats, positive: NDArray[np.bool_], weight: Floats, turning: bool = True) -> Monotone:
    """Fit monotone log-odds to margins f (N,) that the model was not trained on.

        min over p, p(f) ≤ p(f') for f ≤ f', of   Σ_i w_i (t_i − p(f_i))²           (Zadrozny & Elkan, KDD 2002)

    The targets t are `corrected`, so that the odds stay finite. The same p is the best by log loss, too, as by every
    proper score (Barlow et al. 1972). Where `turning`, p(0) = ½ besides: the odds turn exactly where the decision does,
    and prediction and probability never disagree. The problem then falls into two, one a side, each with a constant
    bound, whose optimum is the free one cut off at ½ (ibid.). Between margins that were seen log-odds are interpolated.

    >>> isotonic(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]), np.ones(4)).at.tolist()
    [-2.0, -1.0, 0.0, 1.0, 2.0]
    """
    up, down = float(weight[positive].sum()), float(weight[~positive].sum())
    if not (up and down):
        return UNKNOWN
    t = of_two(positive, weight)
    if not turning:
        return _odds(*_steps(f, t, weight, 0.0, 1.0))
    left, right = f < 0.0, f > 0.0  # at 0 the odds are even, whatever the label
    below = _steps(f[left], t[left], weight[left], 0.0, 0.5)
    above = _steps(f[right], t[right], weight[right], 0.5, 1.0)
    return _odds(*(np.concatenate(part) for part in zip(below, ([0.0], [0.5]), above, strict=True)))


def _steps(f: Floats, t: Floats, weight: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Return margins in order and the p of each, without those between two of the same p; nothing of nothing."""
    if not len(f):
        return f, t
    from scipy.optimize import isotonic_regression  # for which nobody waits who only judges

    counted = weight > 0.0
    f, t, weight = f[counted], t[counted], weight[counted]
    order = np.lexsort((t, f))  # sums of equal margins have one order
    at, group = np.unique(f[order], return_inverse=True)
    total = np.bincount(group, weight[order])
    mean = np.bincount(group, weight[order] * t[order]) / total
    p = np.clip(isotonic_regression(mean, weights=total).x, low, high)
    kept = np.ones(len(p), dtype=bool)
    kept[1:-1] = (p[1:-1] != p[:-2]) | (p[1:-1] != p[2:])
    return at[kept], p[kept]


def _odds(at: Floats, p: Floats) -> Monotone:
    return Monotone(at, np.log(p) - np.log1p(-p))


__all__ = ["UNKNOWN", "Monotone", "isotonic"]
