"""Losses of a residual y − s, y any number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .loss import Floats, Loss


@dataclass(frozen=True)
class Squared(Loss):
    """(y − s)² (Legendre 1805, Gauss 1809).     ℓ*(y, u) = u·y + u²/4.

    >>> Squared().value(np.array([3.0]), np.array([1.0])).tolist()
    [4.0]
    """

    name = "squared"
    margin = False
    curvature_bound = 2.0

    def value(self, y: Floats, s: Floats) -> Floats:
        return np.square(y - s)

    def slope(self, y: Floats, s: Floats) -> Floats:
        return 2.0 * (s - y)

    def curvature(self, y: Floats, s: Floats) -> Floats:
        return np.full_like(s, 2.0)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        return u * (y + 0.25 * u)


@dataclass(frozen=True)
class Absolute(Loss):
    """|y − s| (Laplace 1793).     ℓ*(y, u) = u·y for |u| ≤ 1.

    >>> Absolute().value(np.array([3.0]), np.array([1.0])).tolist()
    [2.0]
    """

    name = "absolute"
    margin = False

    def value(self, y: Floats, s: Floats) -> Floats:
        return np.abs(y - s)

    def slope(self, y: Floats, s: Floats) -> Floats:
        return np.sign(s - y)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        return np.where(np.abs(u) <= 1.0, u * y, np.inf)

    def feasible(self, y: Floats, a: Floats) -> Floats:
        return np.clip(a, -1.0, 1.0)


@dataclass(frozen=True)
class Huber(Loss):
    """½r² for |r| ≤ δ, δ(|r| − ½δ) beyond, r = y − s (Huber 1964).     ℓ*(y, u) = u·y + ½u² for |u| ≤ δ.

    >>> Huber(1.0).value(np.array([0.5, 3.0]), np.zeros(2)).tolist()
    [0.125, 2.5]
    """

    delta: float = 1.35
    name = "huber"
    margin = False
    curvature_bound = 1.0

    def value(self, y: Floats, s: Floats) -> Floats:
        r = np.abs(y - s)
        small = np.minimum(r, self.delta)
        return small * (r - 0.5 * small)

    def slope(self, y: Floats, s: Floats) -> Floats:
        return np.clip(s - y, -self.delta, self.delta)

    def curvature(self, y: Floats, s: Floats) -> Floats:
        return (np.abs(y - s) < self.delta).astype(np.float64)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        return np.where(np.abs(u) <= self.delta, u * (y + 0.5 * u), np.inf)

    def feasible(self, y: Floats, a: Floats) -> Floats:
        return np.clip(a, -self.delta, self.delta)
