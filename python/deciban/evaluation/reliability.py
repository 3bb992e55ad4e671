"""Calibration of probabilities: of all examples with a probability of 80 %, are 80 in 100 so?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri, xlog1py, xlogy

from ..certificates.intervals import Interval, clopper_pearson
from .judgements import Floats, Integers, Judgements


def mean_interval(values: NDArray[np.float64], level: float = 0.95) -> Interval | None:
    """Return the interval for the mean of the distribution that values (n,) are drawn from, by Hall's transformation.

        T = (x̄ − μ)/s,      g(T) = T + γT²/3 + γ²T³/27 + γ/(6n),      √n·g(T) ~ N(0, 1) up to O(1/n)

    with s the standard deviation and γ the skewness of the values. g grows with T, so its inverse gives the ends. The
    normal interval, which has γ = 0, lies too low for losses: of 100 it misses the mean from below up to three times
    as often as its level says. Hall, Journal of the Royal Statistical Society B 54 (1992). None of one value, and of
    values that are all the same, which say nothing of how they spread.

    >>> low, high = mean_interval(np.array([0.1, 0.1, 0.2, 0.2, 0.3, 2.0]))
    >>> round(low, 2), round(high, 2)
    (0.07, 2.77)
    """
    n = len(values)
    largest = float(np.abs(values).max(initial=0.0))
    if n < 2 or largest == 0.0:
        return None
    x = values / largest  # squares and cubes stay within range
    mean = float(x.mean())
    apart = x - mean
    variance = float(np.square(apart).mean())
    if variance <= (1e-15 * mean) ** 2:
        return None
    skewness = float((apart**3).mean()) / variance**1.5
    s = (variance * n / (n - 1)) ** 0.5
    z = float(ndtri(0.5 + level / 2.0))
    low, high = (mean - s * _invert_skewness(u / n**0.5, skewness, n) for u in (z, -z))
    return min(low, mean) * largest, max(high, mean) * largest


def _invert_skewness(u: float, skewness: float, n: int) -> float:
    """Return the T for which g(T) = u."""
    if abs(skewness) < 1e-9:
        return u
    return 3.0 / skewness * (float(np.cbrt(1.0 + skewness * (u - skewness / (6.0 * n)))) - 1.0)


SAMPLES = 1000
_FEWEST, _MOST, _FULL = 5, 15, 20  # bins; examples in a bin
_LEAST = float(np.log(np.finfo(np.float64).tiny))  # a log p counts as −708.4 at least, as in `evaluate`


@dataclass(frozen=True, eq=False)
class Reliability:
    """What `reliability` found, bin by bin in ascending order: `predicted` (B,) the mean probability, `counts` (B,) how
    many examples, `hits` (B,) of how many it was so. `positive` is the class whose probability it is; None stands for
    the confidence, the probability of the class called. `chance` is the calibration error that exact probabilities
    would show on so many examples on average. An interval is None where the examples say nothing of it.
    """

    positive: Any | None
    predicted: Floats
    counts: Integers
    hits: Integers
    error: float
    error_interval: Interval
    chance: float
    log_loss: float
    log_loss_interval: Interval | None
    brier: float
    seed: int

    @property
    def observed(self) -> Floats:
        """(B,) the share of each bin of which it was so."""
        share: Floats = self.hits / self.counts
        return share

    @property
    def intervals(self) -> Floats:
        """(B, 2) of these shares: 95 %, Clopper–Pearson, which covers at least so often (Hoeffding 1956)."""
        ends = [clopper_pearson(int(k), int(n)) for k, n in zip(self.hits, self.counts, strict=True)]
        return np.array(ends, dtype=np.float64)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for json.dumps."""
        return {
            "positive": self.positive,
            "predicted": self.predicted.tolist(),
            "observed": self.observed.tolist(),
            "intervals": self.intervals.tolist(),
            "counts": self.counts.tolist(),
            "calibration_error": self.error,
            "calibration_error_interval": list(self.error_interval),
            "by_chance": self.chance,
            "log_loss": self.log_loss,
            "log_loss_interval": self.log_loss_interval and list(self.log_loss_interval),
            "brier": self.brier,
            "seed": self.seed,
        }


def reliability(said: Judgements, bins: int | None = None, *, positive: object = None, seed: int = 0) -> Reliability:
    """Measure the distance of probabilities from observed frequencies, and the log loss.

        calibration error   Σ_b (n_b/N)·|predicted_b − observed_b|,     over bins b of n_b of the N examples
        log loss            −(1/N) Σ_i log p(y_i | x_i), in nats, with its 95 % interval by `mean_interval`
        Brier score         (1/N) Σ_i (p_i − [y_i positive])² of two classes; of more Σ over the classes

    Of two classes it is about p(positive), the second one unless named; of more about the confidence, the probability
    of the class called (Guo, Pleiss, Sun & Weinberger, ICML 2017). Bins have equal mass: examples in ascending order
    of their probability are cut into `bins` parts of equal size, and those of equal probability go together, where
    the middle of them falls; bins that stay empty are left out. Without `bins` there are as many as leave 20 examples
    to each, but 5 at least and 15 at most.

    The error of a bin is never negative, so even exact probabilities show an error: `chance` is how much, on average
    (de Moivre's mean deviation of the binomial). The sum is not corrected for it: that is exact for squared errors
    only (Kumar, Liang & Ma, NeurIPS 2019); of absolute ones no unbiased estimate exists. The 95 % interval allows
    for it instead. Let δ_b be the error seen in a bin, k_b of n_b, and η_b its noise: k_b/n_b less a draw, one of 1,000
    with `seed`, of Beta(k_b + ½, n_b − k_b + ½) (Jeffreys), of variance σ_b². Since |δ − η| ≥ |δ| − sign(δ)·η, the
    true sum is at most the one seen and 1.96 standard deviations of Σ_b (n_b/N)·η_b. It is at least the one seen less
    the 97.5 % point of Σ_b (n_b/N)·(|δ'_b + η_b| − |δ'_b|), where δ'_b is δ_b, but 0 if |δ_b| < σ_b·√(2 log N), for
    then all of it may be noise (Andrews & Soares, Econometrica 78, 2010). The interval is that of these bins and these
    probabilities, and holds also where they are exact. Cost: a sort.

    Raises ValueError for bins, positive or a seed that cannot be.

    >>> p = np.array([0.1] * 40 + [0.7] * 60)
    >>> y = np.array([0] * 36 + [1] * 4 + [0] * 12 + [1] * 48)
    >>> found = reliability(Judgements(("ham", "spam"), y, np.log(np.column_stack([1.0 - p, p]))))
    >>> found.predicted.round(3).tolist(), found.observed.tolist(), round(found.error, 3)
    ([0.1, 0.7], [0.1, 0.8], 0.06)
    """
    p, hit, named = _select_class(said, positive)
    if bins is not None and (isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1):
        raise ValueError(f"bins must be a whole number of at least 1, got {bins!r}")
    place = _assign_bins(p, int(bins) if bins is not None else min(_MOST, max(_FEWEST, len(p) // _FULL)))
    counts = np.bincount(place)
    hits = np.bincount(place, hit, len(counts)).astype(np.intp)
    predicted = np.bincount(place, p, len(counts)) / counts
    delta = hits / counts - predicted
    losses = 0.0 - np.maximum(said.log_p[np.arange(len(p)), said.y], _LEAST)
    return Reliability(
        positive=named,
        predicted=predicted,
        counts=counts,
        hits=hits,
        error=float(counts @ np.abs(delta)) / len(p),
        error_interval=_interval(delta, hits, counts, seed),
        chance=float(counts @ _mean_deviation(counts, predicted)) / len(p),
        log_loss=float(losses.mean()),
        log_loss_interval=_above_zero(mean_interval(losses)),
        brier=_brier(said),
        seed=seed,
    )


def _select_class(said: Judgements, positive: object) -> tuple[Floats, NDArray[np.bool_], Any | None]:
    """Return the probability of each example, whether it was so, and the class that it is of."""
    if len(said.classes) > 2 and positive is None:
        return np.exp(said.log_p.max(axis=1)), ~said.errors, None
    side = side_of(said, positive)
    return np.exp(said.log_p[:, side]), said.y == side, said.classes[side]


def side_of(said: Judgements, positive: object) -> int:
    """Return the index of the positive class: the second of two unless named; ValueError for what is none."""
    if positive is None and len(said.classes) == 2:
        return 1
    if positive is None or positive not in said.classes:
        raise ValueError(f"positive must be one of {list(said.classes)}, got {positive!r}")
    return said.classes.index(positive)


def _assign_bins(p: Floats, bins: int) -> Integers:
    """Return (N,) the bin of each, numbered from 0 without gaps."""
    _, group, size = np.unique(p, return_inverse=True, return_counts=True)
    middle = np.cumsum(size) - 0.5 * size
    place = np.floor(bins * (middle / len(p))).astype(np.intp)
    numbered: Integers = np.unique(place, return_inverse=True)[1][group]
    return numbered


def _interval(delta: Floats, hits: Integers, counts: Integers, seed: int) -> Interval:
    """Return the 95 % interval of Σ_b w_b·|δ_b|, from the observed errors."""
    w, N = counts / counts.sum(), int(counts.sum())
    seen = float(w @ np.abs(delta))
    q = (hits + 0.5) / (counts + 1.0)
    sigma = np.sqrt(q * (1.0 - q) / (counts + 2.0))
    drawn = np.random.default_rng(seed).beta(hits + 0.5, counts - hits + 0.5, (SAMPLES, len(counts)))
    noise = hits / counts - drawn
    clear = np.where(np.abs(delta) > sigma * (2.0 * np.log(max(N, 2))) ** 0.5, delta, 0.0)
    above = (np.abs(clear + noise) - np.abs(clear)) @ w
    spread = float(ndtri(0.975)) * float(np.sqrt(np.square(w * sigma).sum()))
    return max(0.0, min(seen, seen - float(np.quantile(above, 0.975)))), min(1.0, seen + spread)


def _mean_deviation(n: Integers, p: Floats) -> Floats:
    """Return (B,) E|X/n − p| where X ~ Bin(n, p): 2p(1 − p)·P(Bin(n − 1, p) = ⌊np⌋), de Moivre 1730."""
    p = np.clip(p, 0.0, 1.0)
    k = np.minimum(np.floor(n * p), n - 1.0)
    log_p = gammaln(n) - gammaln(k + 1.0) - gammaln(n - k) + xlogy(k, p) + xlog1py(n - 1.0 - k, -p)
    deviation: Floats = 2.0 * p * (1.0 - p) * np.exp(log_p)
    return deviation


def _above_zero(interval: Interval | None) -> Interval | None:
    return None if interval is None else (max(0.0, interval[0]), interval[1])


def _brier(said: Judgements) -> float:
    p = np.exp(said.log_p)
    p[np.arange(len(p)), said.y] -= 1.0
    return float(np.square(p).sum(axis=1).mean()) / (2.0 if len(said.classes) == 2 else 1.0)


__all__ = ["SAMPLES", "Reliability", "reliability", "side_of"]
