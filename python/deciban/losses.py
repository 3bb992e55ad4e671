"""Losses: scalar functions of a target and a score. A loss never sees X, never owns weights.

    value ℓ(y, s)     slope ∂ℓ/∂s     curvature ∂²ℓ/∂s²     conjugate ℓ*(y, u) = sup_s u·s − ℓ(y, s)

Each is here as formulas over arrays, and in the core (`crates/core/src/loss.rs`) as the scalar functions that solvers
call in their loops; a law holds the two together. `margin` losses take y ∈ {−1, +1}, the others any number; the
softmax takes class indices. At a kink the slope is that of the flat side. Convex losses have a conjugate; by the
inequality of Fenchel and Young, ℓ(y, s) + ℓ*(y, u) ≥ u·s, it is what bounds every fit from below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Loss(ABC):
    """ℓ(y, s) ≥ 0, place by place over arrays of one shape."""

    name: ClassVar[str]
    margin: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    # Largest curvature; ∞ where the slope jumps.
    curvature_bound: float = np.inf

    @abstractmethod
    def value(self, y: Floats, s: Floats) -> Floats:
        """ℓ(y, s)."""

    @abstractmethod
    def slope(self, y: Floats, s: Floats) -> Floats:
        """∂ℓ/∂s."""

    def curvature(self, y: Floats, s: Floats) -> Floats:
        """∂²ℓ/∂s², 0 at kinks."""
        return np.zeros_like(s)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        """ℓ*(y, u), ∞ outside its domain; of a loss that is not convex ∞ everywhere."""
        return np.full_like(u, np.inf)

    def feasible(self, y: Floats, a: Floats) -> Floats:
        """The a' nearest to a for which ℓ*(y, −a') is finite."""
        return a


@dataclass(frozen=True)
class ZeroOne(Loss):
    """1{sign(s) ≠ y} with sign(0) = +1: the error itself. Not convex; to minimise it is NP-hard.

    >>> ZeroOne().value(np.array([1.0, -1.0]), np.array([0.0, 0.0])).tolist()
    [0.0, 1.0]
    """

    name = "zero_one"
    convex = False

    def value(self, y: Floats, s: Floats) -> Floats:
        wrong: Floats = ((s >= 0.0) != (y > 0.0)).astype(np.float64)
        return wrong

    def slope(self, y: Floats, s: Floats) -> Floats:
        return np.zeros_like(s)


@dataclass(frozen=True)
class Perceptron(Loss):
    """max(0, −y·s) (Rosenblatt 1958): how far on the wrong side.     ℓ*(y, u) = 0 for 0 ≤ −u·y ≤ 1.

    >>> Perceptron().value(np.array([1.0, 1.0]), np.array([-2.0, 3.0])).tolist()
    [2.0, 0.0]
    """

    name = "perceptron"
    reach: ClassVar[float] = 0.0

    def value(self, y: Floats, s: Floats) -> Floats:
        return np.maximum(0.0, self.reach - y * s)

    def slope(self, y: Floats, s: Floats) -> Floats:
        return np.where(y * s < self.reach, -y, 0.0)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        b = -u * y
        return np.where((b >= 0.0) & (b <= 1.0), -self.reach * b, np.inf)

    def feasible(self, y: Floats, a: Floats) -> Floats:
        return y * np.clip(y * a, 0.0, 1.0)


@dataclass(frozen=True)
class Hinge(Perceptron):
    """max(0, 1 − y·s) (Cortes & Vapnik 1995, eq. 12).     ℓ*(y, u) = u·y for 0 ≤ −u·y ≤ 1.

    >>> Hinge().value(np.array([1.0, 1.0]), np.array([0.5, 3.0])).tolist()
    [0.5, 0.0]
    """

    name = "hinge"
    reach = 1.0


@dataclass(frozen=True)
class SquaredHinge(Loss):
    """max(0, 1 − y·s)².     ℓ*(y, u) = b²/4 − b for b = −u·y ≥ 0.

    >>> SquaredHinge().value(np.array([1.0]), np.array([0.5])).tolist()
    [0.25]
    """

    name = "squared_hinge"
    curvature_bound = 2.0

    def value(self, y: Floats, s: Floats) -> Floats:
        return np.square(np.maximum(0.0, 1.0 - y * s))

    def slope(self, y: Floats, s: Floats) -> Floats:
        return -2.0 * y * np.maximum(0.0, 1.0 - y * s)

    def curvature(self, y: Floats, s: Floats) -> Floats:
        return np.where(y * s < 1.0, 2.0, 0.0)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        b = -u * y
        return np.where(b >= 0.0, b * (0.25 * b - 1.0), np.inf)

    def feasible(self, y: Floats, a: Floats) -> Floats:
        return y * np.maximum(y * a, 0.0)


def _x_log_x(x: Floats) -> Floats:
    return x * np.log(np.where(x > 0.0, x, 1.0))


@dataclass(frozen=True)
class Logistic(Loss):
    """ln(1 + e^(−y·s)), the cross-entropy of θ(s) = 1/(1 + e^(−s)) (Cox 1958).

        ℓ*(y, u) = b ln b + (1 − b) ln(1 − b),   0 ≤ b = −u·y ≤ 1

    >>> Logistic().value(np.array([1.0, 1.0]), np.array([0.0, 1e4])).round(4).tolist()
    [0.6931, 0.0]
    """

    name = "logistic"
    curvature_bound = 0.25

    def value(self, y: Floats, s: Floats) -> Floats:
        return np.logaddexp(0.0, -y * s)

    def slope(self, y: Floats, s: Floats) -> Floats:
        from scipy.special import expit

        slope: Floats = -y * expit(-y * s)
        return slope

    def curvature(self, y: Floats, s: Floats) -> Floats:
        e = np.exp(-np.abs(s))
        return e / np.square(1.0 + e)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        b = -u * y
        inside = np.clip(b, 0.0, 1.0)
        return np.where(b == inside, _x_log_x(inside) + _x_log_x(1.0 - inside), np.inf)

    def feasible(self, y: Floats, a: Floats) -> Floats:
        return y * np.clip(y * a, 0.0, 1.0)


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


CATALOGUE: tuple[type[Loss], ...] = (
    ZeroOne,
    Perceptron,
    Hinge,
    SquaredHinge,
    Logistic,
    Squared,
    Absolute,
    Huber,
)


def by_name(name: Any, *among: type[Loss]) -> type[Loss]:
    """The loss called `name`, of those in `among` or of all; a ValueError lists the names there are.

    >>> by_name("hinge")()
    Hinge()
    """
    known = among or CATALOGUE
    for loss in known:
        if isinstance(name, str) and loss.name == name:
            return loss
    raise ValueError(f"loss must be one of {', '.join(repr(loss.name) for loss in known)}, got {name!r}")
