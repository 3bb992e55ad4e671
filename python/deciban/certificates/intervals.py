"""Intervals: of a share of items, such as an error, exactly, and of a log-odds, given how little was seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Interval = tuple[float, float]


def clopper_pearson(errors: int, n: int, level: float = 0.95) -> Interval:
    """Return the interval for a share of which `errors` of `n` were seen; each tail beyond it is (1 − level)/2.

    low = Beta⁻¹((1 − level)/2; e, n − e + 1), high = Beta⁻¹((1 + level)/2; e + 1, n − e). (0, 1) where n = 0.
    It covers the true share at least as often as `level` says. Clopper & Pearson, Biometrika 26, 1934.

    >>> [round(end, 4) for end in clopper_pearson(0, 10)]
    [0.0, 0.3085]
    """
    tail = (1 - level) / 2
    return lower_limit(errors, n, tail), upper_limit(errors, n, tail)


def lower_limit(errors: int, n: int, tail: float) -> float:
    """Return the smallest share of which `errors` of `n` or more are seen with a probability of `tail` at least."""
    from scipy.special import betaincinv

    return float(betaincinv(errors, n - errors + 1, tail)) if errors > 0 else 0.0


def upper_limit(errors: int, n: int, tail: float) -> float:
    """Return the largest share of which `errors` of `n` or fewer are seen with a probability of `tail` at least."""
    from scipy.special import betainccinv

    return float(betainccinv(errors + 1, n - errors, tail)) if errors < n else 1.0


@dataclass(frozen=True)
class Rate:
    """A share of items, with its exact 95 % interval (Clopper & Pearson 1934).

    Parameters
    ----------
    errors : int
        Number of items that are counted, such as errors.
    n : int
        Number of all items.

    Examples
    --------
    >>> share = Rate(1, 10)
    >>> share.rate, [round(end, 3) for end in share.interval]
    (0.1, [0.003, 0.445])
    """

    errors: int
    n: int

    @property
    def rate(self) -> float:
        """The share."""
        return self.errors / self.n

    @property
    def interval(self) -> Interval:
        """Ends of its 95 % interval."""
        return clopper_pearson(self.errors, self.n)

    def to_json(self) -> dict[str, Any]:
        """Return the share as plain Python objects.

        Returns
        -------
        dict
            The keys "errors", "n", "rate" and "interval".
        """
        return {"errors": self.errors, "n": self.n, "rate": self.rate, "interval": list(self.interval)}


def credible_interval(mean: Floats, variance: Floats, level: Any) -> Floats:
    """Return (N, 2) central credible intervals of normal shape, from the mean and variance (N,) of a posterior.

        mean ± z·√variance,      P(|Z| ≤ z) = level,  Z ~ N(0, 1)

    Where a moment is beyond a float64 nothing is known, and the interval is the whole line.

    >>> credible_interval(np.zeros(1), np.ones(1), 0.95).round(2).tolist()
    [[-1.96, 1.96]]
    """
    from scipy.special import ndtri

    number = isinstance(level, int | float | np.integer | np.floating) and not isinstance(level, bool)
    if not number or not 0.0 < level < 1.0:
        raise ValueError(f"level must be a number between 0 and 1, got {level!r}")
    half = ndtri(0.5 + level / 2.0) * np.sqrt(np.maximum(variance, 0.0))
    known = np.isfinite(mean) & np.isfinite(half)
    with np.errstate(invalid="ignore"):
        low, high = np.where(known, mean - half, -np.inf), np.where(known, mean + half, np.inf)
    return np.column_stack([low, high])


def widen_to_include(intervals: Floats, values: Floats) -> Floats:
    """Return intervals (N, 2) that reach as far as the values (N,) of their rows.

    >>> widen_to_include(np.array([[-1.0, 2.0], [-1.0, 2.0]]), np.array([0.5, 3.0])).tolist()
    [[-1.0, 2.0], [-1.0, 3.0]]
    """
    known = np.isfinite(values)
    low = np.where(known, np.minimum(intervals[:, 0], values), intervals[:, 0])
    return np.column_stack([low, np.where(known, np.maximum(intervals[:, 1], values), intervals[:, 1])])
