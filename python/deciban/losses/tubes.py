"""Losses of a residual y − s that forgive what lies in a tube of width ε about y."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .loss import Floats, Loss


def _over(y: Floats, s: Floats, epsilon: float) -> Floats:
    """y − s moved towards 0 by ε, as far as 0."""
    r = y - s
    over: Floats = np.sign(r) * np.maximum(np.abs(r) - epsilon, 0.0)
    return over


@dataclass(frozen=True)
class EpsilonInsensitive(Loss):
    """max(0, |y − s| − ε) (Vapnik 1995, §6.1).     ℓ*(y, u) = u·y + ε|u| for |u| ≤ 1.

    >>> EpsilonInsensitive(0.5).value(np.array([3.0, 1.2]), np.array([1.0, 1.0])).tolist()
    [1.5, 0.0]
    """

    epsilon: float = 0.1
    name = "epsilon_insensitive"
    margin = False

    @property
    def delta(self) -> float:
        """ε, as the core calls the number of a loss."""
        return self.epsilon

    def value(self, y: Floats, s: Floats) -> Floats:
        return np.maximum(np.abs(y - s) - self.epsilon, 0.0)

    def slope(self, y: Floats, s: Floats) -> Floats:
        return np.where(np.abs(y - s) > self.epsilon, np.sign(s - y), 0.0)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        return np.where(np.abs(u) <= 1.0, u * y + self.epsilon * np.abs(u), np.inf)

    def feasible(self, y: Floats, a: Floats) -> Floats:
        return np.clip(a, -1.0, 1.0)


@dataclass(frozen=True)
class SquaredEpsilonInsensitive(Loss):
    """max(0, |y − s| − ε)² (Ho & Lin, JMLR 13, 2012).     ℓ*(y, u) = u·y + ε|u| + u²/4.

    >>> SquaredEpsilonInsensitive(0.5).value(np.array([3.0, 1.2]), np.array([1.0, 1.0])).tolist()
    [2.25, 0.0]
    """

    epsilon: float = 0.1
    name = "squared_epsilon_insensitive"
    margin = False
    curvature_bound = 2.0

    @property
    def delta(self) -> float:
        """ε, as the core calls the number of a loss."""
        return self.epsilon

    def value(self, y: Floats, s: Floats) -> Floats:
        return np.square(_over(y, s, self.epsilon))

    def slope(self, y: Floats, s: Floats) -> Floats:
        return -2.0 * _over(y, s, self.epsilon)

    def curvature(self, y: Floats, s: Floats) -> Floats:
        return np.where(np.abs(y - s) > self.epsilon, 2.0, 0.0)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        return u * (y + 0.25 * u) + self.epsilon * np.abs(u)
