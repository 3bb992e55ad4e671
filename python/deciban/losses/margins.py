"""Losses of a margin y·s, y ∈ {−1, +1}, and of many scores at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .loss import Floats, Loss


@dataclass(frozen=True)
class ZeroOne(Loss):
    """Zero-one loss 1{sign(s) ≠ y} with sign(0) = +1: the classification error itself.

    It is not convex; to minimise it is NP-hard (Höffgen, Simon & Van Horn 1995).

    Examples
    --------
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
    """Perceptron loss max(0, −y·s): how far a score lies on the wrong side.

        ℓ*(y, u) = 0   for 0 ≤ −u·y ≤ 1

    Rosenblatt (1958).

    Examples
    --------
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
    """Hinge loss max(0, 1 − y·s), that of the support vector machine.

        ℓ*(y, u) = u·y   for 0 ≤ −u·y ≤ 1

    Cortes & Vapnik (1995), equation 12.

    Examples
    --------
    >>> Hinge().value(np.array([1.0, 1.0]), np.array([0.5, 3.0])).tolist()
    [0.5, 0.0]
    """

    name = "hinge"
    reach = 1.0


@dataclass(frozen=True)
class SquaredHinge(Loss):
    """Squared hinge loss max(0, 1 − y·s)².

        ℓ*(y, u) = b²/4 − b   for b = −u·y ≥ 0

    Chang, Hsieh & Lin (2008).

    Examples
    --------
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
    """Logistic loss ln(1 + e^(−y·s)), the cross-entropy of θ(s) = 1/(1 + e^(−s)).

        ℓ*(y, u) = b ln b + (1 − b) ln(1 − b)   for 0 ≤ b = −u·y ≤ 1

    Cox (1958).

    Examples
    --------
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
class Softmax(Loss):
    """Softmax cross-entropy log Σ_c e^(s_c) − s_y of class indices y (N,) and scores s (N, C).

        ℓ*(y, u) = Σ_c p_c ln p_c   for p = u + e_y in the simplex;      slope = softmax(s) − e_y

    The second derivative is a matrix for each example, diag(p) − p pᵀ: `weights` returns p instead. Bridle (1990).

    Examples
    --------
    >>> Softmax().value(np.array([0, 1]), np.array([[0.0, 0.0], [1e4, 0.0]])).round(4).tolist()
    [0.6931, 10000.0]
    """

    name = "softmax"
    curvature_bound = 0.5

    def value(self, y: Floats, s: Floats) -> Floats:
        top = s.max(axis=1, keepdims=True)
        value: Floats = np.log(np.exp(s - top).sum(axis=1)) + top[:, 0] - s[np.arange(len(s)), y]
        return value

    def weights(self, s: Floats) -> Floats:
        """Return the probabilities p = softmax(s).

        Parameters
        ----------
        s : ndarray of shape (n_samples, n_classes)
            Scores.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities; each row sums to 1.
        """
        p: Floats = np.exp(s - s.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return p

    def slope(self, y: Floats, s: Floats) -> Floats:
        slope = self.weights(s)
        slope[np.arange(len(s)), y] -= 1.0
        return slope

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        p = u.copy()
        p[np.arange(len(u)), y] += 1.0
        inside = (p >= -1e-12).all(axis=1) & (np.abs(p.sum(axis=1) - 1.0) <= 1e-9)
        p = np.maximum(p, 0.0)
        value: Floats = np.where(inside, (p * np.log(np.where(p > 0.0, p, 1.0))).sum(axis=1), np.inf)
        return value

    def feasible(self, y: Floats, a: Floats) -> Floats:
        return _of_a_mixture(y, a)


@dataclass(frozen=True)
class CrammerSinger(Loss):
    """Hinge loss of many classes, max_c (1{c ≠ y} + s_c) − s_y, of class indices y (N,) and scores s (N, C).

        ℓ*(y, u) = −Σ_{c≠y} p_c   for p = u + e_y in the simplex;      slope = e_c − e_y at the largest 1{c ≠ y} + s_c

    Crammer & Singer, JMLR 2 (2001).

    Examples
    --------
    >>> CrammerSinger().value(np.array([0, 1]), np.array([[0.5, 0.0], [3.0, 0.0]])).tolist()
    [0.5, 4.0]
    """

    name = "crammer_singer"

    def value(self, y: Floats, s: Floats) -> Floats:
        own = s[np.arange(len(s)), y]
        value: Floats = self._raise_others(y, s).max(axis=1) - own
        return value

    def slope(self, y: Floats, s: Floats) -> Floats:
        slope, each = np.zeros_like(s), np.arange(len(s))
        slope[each, self._raise_others(y, s).argmax(axis=1)] = 1.0
        slope[each, y] -= 1.0
        return slope

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        p = u.copy()
        p[np.arange(len(u)), y] += 1.0
        inside = (p >= -1e-12).all(axis=1) & (np.abs(p.sum(axis=1) - 1.0) <= 1e-9)
        value: Floats = np.where(inside, p[np.arange(len(u)), y] - 1.0, np.inf)
        return value

    def feasible(self, y: Floats, a: Floats) -> Floats:
        return _of_a_mixture(y, a)

    def _raise_others(self, y: Floats, s: Floats) -> Floats:
        """Return 1{c ≠ y} + s_c."""
        raised = s + 1.0
        raised[np.arange(len(s)), y] -= 1.0
        return raised


def _of_a_mixture(y: Floats, a: Floats) -> Floats:
    """Return e_y − p for the p ≥ 0, of sum 1, that e_y − a is but for rounding."""
    p = -a
    p[np.arange(len(a)), y] += 1.0
    p = np.maximum(p, 0.0)
    nearest: Floats = -p / p.sum(axis=1, keepdims=True)
    nearest[np.arange(len(a)), y] += 1.0
    return nearest
