"""Significance tests of differences between classifiers on the same examples, and corrections for many of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincc, betaln, stdtr, stdtrit

from ..certificates.intervals import Interval

LEVEL = 0.05
"""How often a difference is called real where there is none, unless another level is asked for."""


@dataclass(frozen=True)
class McNemar:
    """McNemar's test of two classifiers on the same examples, by those that only one of them misclassifies.

    p      exact, two-sided: at most the level where there is no difference, so that it is often far below it
    mid_p  counts half of what was seen: nearer to the level, and sometimes above it
    """

    only_a: int
    only_b: int
    p: float
    mid_p: float

    def to_json(self) -> dict[str, Any]:
        """Return all of it."""
        return asdict(self)


def mcnemar(wrong_a: ArrayLike, wrong_b: ArrayLike) -> McNemar:
    """Test whether two classifiers err equally often, from whether each errs on the same N examples, (N,) each.

        b = #(only a errs), c = #(only b errs), B ~ Bin(b + c, ½), C = b + c − B
        p     = P(|B − C| ≥ |b − c|)
        mid p = P(|B − C| > |b − c|) + ½ P(|B − C| = |b − c|)

    Examples on which both are right, or both wrong, say nothing. It is of these two classifiers on examples that
    neither learnt, independent of each other; what other training sets would have made of them it does not ask:
    `corrected_t` does. McNemar, Psychometrika 12 (1947); mid p: Fagerland, Lydersen & Laake, BMC Medical Research
    Methodology 13:91 (2013). ValueError for what is not (N,) truth values of one length.

    >>> a, b = [True] * 8 + [False] * 92, [False] * 7 + [True, True] + [False] * 91
    >>> found = mcnemar(a, b)
    >>> found.only_a, found.only_b, round(found.p, 4), round(found.mid_p, 4)
    (7, 1, 0.0703, 0.0391)
    """
    a, b = _wrong("wrong_a", wrong_a), _wrong("wrong_b", wrong_b)
    if len(a) != len(b):
        raise ValueError(f"both are expected of the same examples; there are {len(a)} and {len(b)}")
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    m, n = min(only_a, only_b), only_a + only_b
    below = float(betaincc(m + 1, n - m, 0.5)) if m < n else 1.0
    at = float(np.exp(-betaln(n - m + 1, m + 1) - np.log(n + 1) - n * np.log(2.0)))
    p = min(1.0, 2.0 * below)
    return McNemar(only_a, only_b, p, p - at * (0.5 if only_a == only_b else 1.0))


def _wrong(name: str, given: ArrayLike) -> Any:
    found = np.asarray(given)
    if found.ndim != 1 or not (found.dtype == np.bool_ or np.isin(found, (0, 1)).all()):
        raise ValueError(f"{name} must say of each example whether it is judged wrongly, true or false")
    return found.astype(np.bool_)


@dataclass(frozen=True)
class CorrectedT:
    """The mean of differences over resamplings, its 95 % interval, Student's t and its two-sided p."""

    mean: float
    interval: Interval
    t: float
    freedom: int
    p: float

    def to_json(self) -> dict[str, Any]:
        """Return all of it; `t` is None where the differences do not vary."""
        return {**asdict(self), "interval": list(self.interval), "t": self.t if isfinite(self.t) else None}


def corrected_t(differences: ArrayLike, train: float, test: float) -> CorrectedT:
    """Test whether the mean of J differences, one a resampling such as a fold, is 0, though training sets overlap.

        t = d̄ / √((1/J + test/train) s²)        with J − 1 degrees of freedom, s² the variance of the differences

    Training sets that overlap make differences that resemble each other, and the usual √(s²/J) far too small;
    `test`/`train`, numbers of examples judged and learnt in each resampling, stands for their correlation. It asks what
    other training sets of that size would have made of the two; with few folds it seldom sees a difference: repeat.
    Where the differences do not vary, p is 1 if they are 0, else 0. Nadeau & Bengio, Machine Learning 52 (2003),
    eq. 9; Bouckaert & Frank, PAKDD 2004, for repeated folds. ValueError for less than two differences, or none finite.

    >>> found = corrected_t([0.02, 0.03, 0.01, 0.04, 0.02], train=400, test=100)
    >>> round(found.mean, 3), round(found.t, 3), found.freedom, round(found.p, 3)
    (0.024, 3.138, 4, 0.035)
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or len(d) < 2 or not np.isfinite(d).all():
        raise ValueError("two or more finite differences are expected, one a resampling")
    if not (0.0 < train < inf and 0.0 < test < inf):
        raise ValueError(f"train and test must be numbers of examples, got {train!r} and {test!r}")
    J, mean = len(d), float(d.mean())
    s = float(d.std(ddof=1)) if (d != d[0]).any() else 0.0
    error = sqrt(1.0 / J + test / train) * s
    half = float(stdtrit(J - 1, 0.975)) * error
    t = mean / error if error > 0.0 else 0.0 if mean == 0.0 else float(np.copysign(inf, mean))
    p = 2.0 * float(stdtr(J - 1, -abs(t)))
    return CorrectedT(mean, (mean - half, mean + half), t, J - 1, p)


def holm(p: Sequence[float]) -> list[float]:
    """Return what each of m probabilities counts for when all are looked at: real are those that are at most the level.

        of the i-th smallest   max over k ≤ i of min(1, (m − k + 1) p_(k))

    Whichever hypotheses are true, and however they depend on each other, one of those is refused wrongly with a
    probability of at most the level. Holm, Scandinavian Journal of Statistics 6 (1979).

    >>> [round(each, 3) for each in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or not ((given >= 0.0) & (given <= 1.0)).all():
        raise ValueError("probabilities from 0 to 1 are expected")
    order = np.argsort(given, kind="stable")
    adjusted = np.empty(len(given))
    factor = np.arange(len(given), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factor * given[order]))
    return [float(each) for each in adjusted]
