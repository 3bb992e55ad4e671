"""How common each class is before anything is read of an example: π_c."""

from __future__ import annotations

from typing import Any

import numpy as np

from .counts import Floats
from .shares import Optimum, log_moments, share_optimum, weighted_log

# Pseudo-counts a class, Dirichlet(1, …, 1) when smoothed.
_LEARNT = {"empirical": 0.0, "smoothed": 1.0}


def class_prior(option: Any, n: Floats) -> Floats:
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


def prior_optimum(option: Any, n: Floats) -> Optimum:
    """How far π is from the best; one that is given, not learnt, leaves nothing to improve on."""
    learnt, given = _read(option, n)
    if learnt:
        return share_optimum(n + given, class_prior(option, n))
    possible = given > 0.0  # that examples of an impossible class were seen is no fault of the parameters
    value = 0.0 - weighted_log(n[possible], given[possible])
    return Optimum(value, value, 0.0)


def prior_doubt(option: Any, n: Floats) -> tuple[Floats, Floats]:
    """(C,) mean and variance of log π_c over the posterior π ~ Dirichlet(n + pseudo-counts), up to what is common.

    The differences of two classes have the mean ψ(a) − ψ(b) and the variance ψ′(a) + ψ′(b); a prior that is given
    is not in doubt.
    """
    learnt, given = _read(option, n)
    if learnt:
        return log_moments(n + given)
    with np.errstate(divide="ignore"):
        return np.log(given), np.zeros(len(n))


def _read(option: Any, n: Floats) -> tuple[bool, Floats]:
    """Whether π (C,) is learnt, with the pseudo-counts α (C,) that are added; else π itself."""
    C = len(n)
    if isinstance(option, str):
        if option == "uniform":
            return False, np.full(C, 1.0 / C)
        if option in _LEARNT:
            return True, np.full(C, _LEARNT[option])
        raise ValueError(_wanted(option, C))
    try:
        given = np.array(option, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(_wanted(option, C)) from None
    if not ((given >= 0.0) & (given < np.inf)).all() or isinstance(option, bool | np.bool_):
        raise ValueError(_wanted(option, C))
    if given.ndim == 0:
        return True, np.full(C, float(given))
    if given.shape == n.shape:
        if abs(given.sum() - 1.0) <= 1e-9:
            return False, given
        if (given >= 1.0).any():
            return True, given
    raise ValueError(_wanted(option, C))


def _wanted(option: Any, C: int) -> str:
    return (
        f"class_prior must be 'empirical', 'smoothed', 'uniform' or {C} probabilities ≥ 0 that sum to 1 "
        f"(or pseudo-counts: a number ≥ 0, or {C}, one of them 1 or more), got {option!r}"
    )
