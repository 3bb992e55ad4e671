"""Losses of a margin y·s, y ∈ {−1, +1}."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .loss import Floats, Loss


@dataclass(frozen=True)
class ZeroOne(Loss):
    """1{sign(s) ≠ y} with sign(0) = +1: the error itself. Not convex; to minimise it is NP-hard (Höffgen, Simon & Van
    Horn 1995).

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
    """max(0, 1 − y·s)² (Chang, Hsieh & Lin 2008).     ℓ*(y, u) = b²/4 − b for b = −u·y ≥ 0.

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
