"""Priors: pseudo-counts, one number for all, one a feature, or one a class and feature; and π_c of the classes.

Shares of outcomes under a Dirichlet prior: the estimates, how good they are, and how sure.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from ..data.refusal import check_prior
from .counts import Floats


def sum_weighted_logs(a: Floats, p: Floats) -> float:
    """Return Σ a·log p, with 0·log 0 = 0."""
    return float((a * np.log(p, where=a > 0.0, out=np.zeros(np.broadcast_shapes(a.shape, p.shape)))).sum())


class Optimum(NamedTuple):
    """The distance of parameters from the best ones.

    Parameters
    ----------
    primal : float
        Objective at the parameters.
    dual : float
        Lower bound on its minimum.
    violation : float
        Violation of the stationarity conditions.

    Examples
    --------
    >>> Optimum(1.0, 1.0, 0.0).violation
    0.0
    """

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
    primal = -sum_weighted_logs(a, phi)
    dual = sum_weighted_logs(A, A) - sum_weighted_logs(a, a)
    violation = float((np.abs(a - A * phi) / np.maximum(1.0, A)).max(initial=0.0))
    return Optimum(primal, min(primal, dual), violation)


# A gamma or Dirichlet parameter of 0 knows nothing; this one as good as nothing.
_NOTHING = 1e-6


def log_moments(a: Floats) -> tuple[Floats, Floats]:
    """Return ψ(a) and ψ′(a): mean and variance of log g for g ~ Gamma(a, 1), of which Dirichlet shares are made."""
    from scipy.special import digamma, polygamma

    a = np.maximum(a, _NOTHING)
    return digamma(a), polygamma(1, a)


PseudoCounts = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
"""α for every feature, (d,) one a feature, or (C, d) one a class, in the order of `classes_`, and feature."""

_ESTIMATES = ("bayes", "predictive", "map", "ml")


def check_pseudo_counts(name: str, value: Any) -> Any:
    """Return pseudo-counts as a number, or as tuples of floats, which can be compared and kept in a file.

    A ValueError for what is negative, infinite, no number or of more than two dimensions.
    """
    if np.ndim(value) == 0:
        value = value[()] if isinstance(value, np.ndarray) else value
        check_prior(name, value)
        return float(value)
    try:
        counts = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        counts = np.zeros(0)
    if counts.ndim > 2 or counts.size == 0 or not (np.isfinite(counts) & (counts >= 0.0)).all():
        raise ValueError(
            f"{name} must be a finite number ≥ 0, one a feature, or one a class and feature, got {value!r}"
        )
    if counts.ndim == 1:
        return tuple(counts.tolist())
    return tuple(map(tuple, counts.tolist()))


def is_vector(alpha: object) -> bool:
    """Return whether these are pseudo-counts of several features."""
    return isinstance(alpha, tuple)


def select_pseudo_counts(alpha: object, columns: list[int]) -> Any:
    """Return the pseudo-counts of some features."""
    if not is_vector(alpha):
        return alpha
    return check_pseudo_counts("alpha", np.asarray(alpha)[..., columns])


def pseudo_counts(alpha: object, estimate: str) -> Any:
    """Return what an estimate adds to a count before taking shares, for a Dirichlet or Beta prior alpha: a number or an
    array.

    "bayes" and "predictive" alpha (the posterior mean), "map" alpha − 1 (the posterior mode), "ml" 0 (the raw ratio).
    """
    if estimate not in _ESTIMATES:
        raise ValueError(f"estimate must be one of {', '.join(map(repr, _ESTIMATES))}, got {estimate!r}")
    if estimate == "ml":
        return 0.0
    counts: Any = np.array(alpha) if is_vector(alpha) else alpha
    return counts - 1.0 if estimate == "map" else counts


def count_at(alpha: object, c: int, j: int) -> float:
    """Return the pseudo-count of class c and feature j."""
    counts: Floats = np.asarray(alpha, dtype=np.float64)
    return float(counts if counts.ndim == 0 else counts[j] if counts.ndim == 1 else counts[c, j])


def check_shapes(family: Any, C: int, d: int) -> None:
    """Raise a ValueError unless the pseudo-counts of `family` are those of d features, or of C classes and these."""
    for columns, part in getattr(family, "parts", ((range(d), family),)):
        for field in fields(part):
            value = getattr(part, field.name)
            if field.name != "sizes" and is_vector(value):
                check_shape(field.name, np.shape(value), C, len(columns))


def check_shape(name: str, shape: tuple[int, ...], C: int, d: int) -> None:
    """Raise a ValueError unless an array of this shape holds pseudo-counts of d features, or of C classes and these."""
    if shape in ((d,), (C, d)):
        return
    if shape[-1] != d:
        raise ValueError(
            f"{name} has pseudo-counts of {shape[-1]} features, but X has {d} features. Expected one number, one a "
            f"feature, ({d},), or one a class and feature, ({C}, {d}). Give {name} for these features."
        )
    raise ValueError(
        f"{name} has pseudo-counts of {shape[0]} classes, but {C} {'is' if C == 1 else 'are'} known. Expected one row "
        f"a class, ({C}, {d}), in the order of classes_. Declare all classes in the first partial_fit (classes=), or "
        "give one pseudo-count a feature."
    )


# Pseudo-counts a class, Dirichlet(1, …, 1) when smoothed.
_LEARNT = {"empirical": 0.0, "smoothed": 1.0}


def class_prior(option: object, n: Floats) -> Floats:
    """Return π (C,) from the weights n (C,) of the classes.

        "empirical"    π_c = n_c / N, the raw ratio
        "smoothed"  π_c = (n_c + 1) / (N + C), Laplace's rule
        "uniform"   π_c = 1 / C
        a number    π_c = (n_c + α) / (N + Cα), the mean of the posterior of π ~ Dirichlet(α, …, α)
        an array    in the order of `classes_`: (C,) probabilities ≥ 0 that sum to 1; or (C,) pseudo-counts α_c ≥ 0, one
                    of them 1 or more, which cannot be probabilities: π_c = (n_c + α_c) / (N + Σ α_c)

    A class that was declared and never seen has π_c = 0 when fitted; one of π_c = 0 is never predicted.

    >>> class_prior("smoothed", np.array([3.0, 0.0])).tolist()
    [0.8, 0.2]
    >>> class_prior([1, 2], np.array([3.0, 0.0])).round(2).tolist()
    [0.67, 0.33]
    """
    learnt, given = _read(option, n)
    if not learnt:
        return given
    a = n + given
    pi: Floats = a / a.sum()
    return pi


def prior_weights(option: object, n: Floats) -> Floats:
    """Return (C,) what an example of each class weighs, so that the classes come as often as their prior says.

    >>> prior_weights("uniform", np.array([3.0, 1.0])).round(2).tolist()
    [0.67, 2.0]
    """
    share = class_prior(option, n) / np.where(n > 0.0, n / n.sum(), 1.0)
    weights: Floats = np.where(np.abs(share - 1.0) < 1e-9, 1.0, share)
    return weights


def prior_optimum(option: object, n: Floats) -> Optimum:
    """Return the distance of π from the best; one that is given leaves nothing to improve on."""
    learnt, given = _read(option, n)
    if learnt:
        return share_optimum(n + given, class_prior(option, n))
    possible = given > 0.0  # that examples of an impossible class were seen is no fault of the parameters
    value = 0.0 - sum_weighted_logs(n[possible], given[possible])
    return Optimum(value, value, 0.0)


def prior_doubt(option: object, n: Floats) -> tuple[Floats, Floats]:
    """Return (C,) mean and variance of log π_c over the posterior π ~ Dirichlet(n + pseudo-counts), up to a common
    constant.

    The differences of two classes have the mean ψ(a) − ψ(b) and the variance ψ′(a) + ψ′(b); a prior that is given
    is not in doubt.
    """
    learnt, given = _read(option, n)
    if learnt:
        return log_moments(n + given)
    with np.errstate(divide="ignore"):
        return np.log(given), np.zeros(len(n))


def _read(option: object, n: Floats) -> tuple[bool, Floats]:
    """Return whether π (C,) is estimated, with the pseudo-counts α (C,) that are added; else π itself."""
    C = len(n)
    if isinstance(option, str):
        if option == "uniform":
            return False, np.full(C, 1.0 / C)
        if option in _LEARNT:
            return True, np.full(C, _LEARNT[option])
        raise ValueError(_describe_options(option, C))
    try:
        given = np.array(option, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(_describe_options(option, C)) from None
    if not ((given >= 0.0) & (given < np.inf)).all() or isinstance(option, bool | np.bool_):
        raise ValueError(_describe_options(option, C))
    if given.ndim == 0:
        return True, np.full(C, float(given))
    if given.shape == n.shape:
        if abs(given.sum() - 1.0) <= 1e-9:
            return False, given
        if (given >= 1.0).any():
            return True, given
    raise ValueError(_describe_options(option, C))


def _describe_options(option: object, C: int) -> str:
    return (
        f"class_prior must be 'empirical', 'smoothed', 'uniform' or {C} probabilities ≥ 0 that sum to 1 "
        f"(or pseudo-counts: a number ≥ 0, or {C}, one of them 1 or more), got {option!r}"
    )
