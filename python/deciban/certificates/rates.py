"""A share of items, such as an error, with the interval that its binomial distribution gives it exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy.special import betainccinv, betaincinv

Interval = tuple[float, float]


def clopper_pearson(errors: int, n: int, level: float = 0.95) -> Interval:
    """The interval for a share of which `errors` of `n` were seen; each tail beyond it is (1 − level)/2.

    low = Beta⁻¹((1 − level)/2; e, n − e + 1), high = Beta⁻¹((1 + level)/2; e + 1, n − e). (0, 1) where n = 0.
    It covers the true share at least as often as `level` says. Clopper & Pearson, Biometrika 26, 1934.

    >>> [round(end, 4) for end in clopper_pearson(0, 10)]
    [0.0, 0.3085]
    """
    tail = (1 - level) / 2
    return lower_limit(errors, n, tail), upper_limit(errors, n, tail)


def lower_limit(errors: int, n: int, tail: float) -> float:
    """The smallest share of which `errors` of `n` or more are seen with a probability of `tail` at least."""
    return float(betaincinv(errors, n - errors + 1, tail)) if errors > 0 else 0.0


def upper_limit(errors: int, n: int, tail: float) -> float:
    """The largest share of which `errors` of `n` or fewer are seen with a probability of `tail` at least."""
    return float(betainccinv(errors + 1, n - errors, tail)) if errors < n else 1.0


@dataclass(frozen=True)
class Rate:
    """A share of `n` items, with its 95 % interval."""

    errors: int
    n: int

    @property
    def rate(self) -> float:
        return self.errors / self.n

    @property
    def interval(self) -> Interval:
        return clopper_pearson(self.errors, self.n)

    def to_json(self) -> dict[str, Any]:
        return {"errors": self.errors, "n": self.n, "rate": self.rate, "interval": list(self.interval)}
