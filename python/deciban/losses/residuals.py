"""Losses of a residual y − s, y any number; some forgive what lies in a tube of width ε about y."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .loss import Floats, Loss


@dataclass(frozen=True)
class Squared(Loss):
    """Squared loss (y − s)².

        ℓ*(y, u) = u·y + u²/4

    Legendre (1805), Gauss (1809).

    Examples
    --------
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
    """Absolute loss |y − s|.

        ℓ*(y, u) = u·y   for |u| ≤ 1

    Laplace (1793).

    Examples
    --------
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
    """Huber loss of the residual r = y − s: ½r² for |r| ≤ δ, δ(|r| − ½δ) beyond.

        ℓ*(y, u) = u·y + ½u²   for |u| ≤ δ

    Huber (1964).

    Parameters
    ----------
    delta : float, default=1.35
        Residual δ > 0 from which the loss grows linearly, in units of y.

    Examples
    --------
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


def _over(y: Floats, s: Floats, epsilon: float) -> Floats:
    """Return y − s moved towards 0 by ε, as far as 0."""
    r = y - s
    over: Floats = np.sign(r) * np.maximum(np.abs(r) - epsilon, 0.0)
    return over


@dataclass(frozen=True)
class EpsilonInsensitive(Loss):
    """Epsilon-insensitive loss max(0, |y − s| − ε), that of support vector regression.

        ℓ*(y, u) = u·y + ε|u|   for |u| ≤ 1

    Vapnik (1995), § 6.1.

    Parameters
    ----------
    epsilon : float, default=0.1
        Largest residual ε ≥ 0 without a loss, in units of y.

    Examples
    --------
    >>> EpsilonInsensitive(0.5).value(np.array([3.0, 1.2]), np.array([1.0, 1.0])).tolist()
    [1.5, 0.0]
    """

    epsilon: float = 0.1
    name = "epsilon_insensitive"
    margin = False

    @property
    def delta(self) -> float:
        """Parameter ε, under the name of the core for the parameter of a loss."""
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
    """Squared epsilon-insensitive loss max(0, |y − s| − ε)².

        ℓ*(y, u) = u·y + ε|u| + u²/4

    Ho & Lin, JMLR 13 (2012).

    Parameters
    ----------
    epsilon : float, default=0.1
        Largest residual ε ≥ 0 without a loss, in units of y.

    Examples
    --------
    >>> SquaredEpsilonInsensitive(0.5).value(np.array([3.0, 1.2]), np.array([1.0, 1.0])).tolist()
    [2.25, 0.0]
    """

    epsilon: float = 0.1
    name = "squared_epsilon_insensitive"
    margin = False
    curvature_bound = 2.0

    @property
    def delta(self) -> float:
        """Parameter ε, under the name of the core for the parameter of a loss."""
        return self.epsilon

    def value(self, y: Floats, s: Floats) -> Floats:
        return np.square(_over(y, s, self.epsilon))

    def slope(self, y: Floats, s: Floats) -> Floats:
        return -2.0 * _over(y, s, self.epsilon)

    def curvature(self, y: Floats, s: Floats) -> Floats:
        return np.where(np.abs(y - s) > self.epsilon, 2.0, 0.0)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        return u * (y + 0.25 * u) + self.epsilon * np.abs(u)
