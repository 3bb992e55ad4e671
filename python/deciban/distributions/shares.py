"""Shares of outcomes under a Dirichlet prior: the estimates, how good they are, and how sure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .counts import Floats


def weighted_log(a: Floats, p: Floats) -> float:
    """Σ a·log p, with 0·log 0 = 0."""
    return float((a * np.log(p, where=a > 0.0, out=np.zeros(np.broadcast_shapes(a.shape, p.shape)))).sum())


class Optimum(NamedTuple):
    """How far parameters are from the best ones: the primal, its dual, the stationarity violated."""

    primal: float
    dual: float
    violation: float

    def __add__(self, other: object) -> Optimum:
        if not isinstance(other, Optimum):
            return NotImplemented
        return Optimum(self.primal + other.primal, self.dual + other.dual, max(self.violation, other.violation))


def share_optimum(a: Floats, phi: Floats) -> Optimum:
    """Judge φ (…, K) as a solution of   min_φ −Σ_k a_k log φ_k   subject to Σ_k φ_k = 1,   a ≥ 0.

    The Lagrangian is smallest at φ_k = a_k / λ, and its best multiplier is λ = A = Σ_k a_k, so the dual is
    A log A − Σ_k a_k log a_k, found from the counts alone; a dual above the primal is rounding and is cut.
    Violation: max_k |a_k − A φ_k| / max(1, A).
    """
    A = a.sum(axis=-1, keepdims=True)
    primal = -weighted_log(a, phi)
    dual = weighted_log(A, A) - weighted_log(a, a)
    violation = float((np.abs(a - A * phi) / np.maximum(1.0, A)).max(initial=0.0))
    return Optimum(primal, min(primal, dual), violation)


# A gamma or Dirichlet parameter of 0 knows nothing; this one as good as nothing.
_NOTHING = 1e-6


def log_moments(a: Floats) -> tuple[Floats, Floats]:
    """ψ(a) and ψ′(a): mean and variance of log g for g ~ Gamma(a, 1), of which Dirichlet shares are made."""
    from scipy.special import digamma, polygamma

    a = np.maximum(a, _NOTHING)
    return digamma(a), polygamma(1, a)
