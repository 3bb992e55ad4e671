"""Losses of many scores at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .loss import Floats, Loss


@dataclass(frozen=True)
class Softmax(Loss):
    """log Σ_c e^(s_c) − s_y, the cross-entropy of softmax(s); y (N,) class indices, s (N, C).

        ℓ*(y, u) = Σ_c p_c ln p_c   for p = u + e_y in the simplex;      slope = softmax(s) − e_y

    `curvature` would be a matrix, diag(p) − p pᵀ, an example: `weights` gives p instead. Bridle (1990).

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
        """p (N, C) = softmax(s)."""
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
    """max_c (1{c ≠ y} + s_c) − s_y (Crammer & Singer, JMLR 2, 2001); y (N,) class indices, s (N, C).

        ℓ*(y, u) = −Σ_{c≠y} p_c   for p = u + e_y in the simplex;      slope = e_c − e_y at the largest 1{c ≠ y} + s_c

    >>> CrammerSinger().value(np.array([0, 1]), np.array([[0.5, 0.0], [3.0, 0.0]])).tolist()
    [0.5, 4.0]
    """

    name = "crammer_singer"

    def value(self, y: Floats, s: Floats) -> Floats:
        own = s[np.arange(len(s)), y]
        value: Floats = self._raised(y, s).max(axis=1) - own
        return value

    def slope(self, y: Floats, s: Floats) -> Floats:
        slope, each = np.zeros_like(s), np.arange(len(s))
        slope[each, self._raised(y, s).argmax(axis=1)] = 1.0
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

    def _raised(self, y: Floats, s: Floats) -> Floats:
        """1{c ≠ y} + s_c."""
        raised = s + 1.0
        raised[np.arange(len(s)), y] -= 1.0
        return raised


def _of_a_mixture(y: Floats, a: Floats) -> Floats:
    """e_y − p for the p ≥ 0, of sum 1, that e_y − a is but for rounding."""
    p = -a
    p[np.arange(len(a)), y] += 1.0
    p = np.maximum(p, 0.0)
    nearest: Floats = -p / p.sum(axis=1, keepdims=True)
    nearest[np.arange(len(a)), y] += 1.0
    return nearest
