"""How common each class is before anything is read of an example: π_c."""

from __future__ import annotations

from typing import Any

import numpy as np

from .counts import Floats
from .shares import Optimum, log_moments, share_optimum, weighted_log

# Pseudo-counts a class, Dirichlet(1, …, 1) when smoothed.
_LEARNT = {"fitted": 0.0, "smoothed": 1.0}


def class_prior(option: Any, n: Floats) -> Floats:
    """π (C,) from the weights n (C,) of the classes.

        "fitted"    π_c = n_c / N, the raw ratio
        "smoothed"  π_c = (n_c + 1) / (N + C), Laplace's rule
        "uniform"   π_c = 1 / C
        an array    π (C,), > 0, summing to 1, in the order of `classes_`

    A class that was declared and never seen has π_c = 0 when fitted.

    >>> class_prior("smoothed", np.array([3.0, 0.0])).tolist()
    [0.8, 0.2]
    """
    if isinstance(option, str) and option in _LEARNT:
        a = n + _LEARNT[option]
        pi: Floats = a / a.sum()
        return pi
    if isinstance(option, str) and option == "uniform":
        return np.full(len(n), 1.0 / len(n))
    return _given(option, n)


def prior_optimum(option: Any, n: Floats) -> Optimum:
    """How far π is from the best; one that is given, not learnt, leaves nothing to improve on."""
    pi = class_prior(option, n)
    if isinstance(option, str) and option in _LEARNT:
        return share_optimum(n + _LEARNT[option], pi)
    value = -weighted_log(n, pi)
    return Optimum(value, value, 0.0)


def prior_doubt(option: Any, n: Floats) -> tuple[Floats, Floats]:
    """(C,) mean and variance of log π_c over the posterior π ~ Dirichlet(n + pseudo-counts), up to what is common.

    The differences of two classes have the mean ψ(a) − ψ(b) and the variance ψ′(a) + ψ′(b); a prior that is given
    is not in doubt.
    """
    if isinstance(option, str) and option in _LEARNT:
        return log_moments(n + _LEARNT[option])
    with np.errstate(divide="ignore"):
        return np.log(class_prior(option, n)), np.zeros(len(n))


def _given(option: Any, n: Floats) -> Floats:
    wanted = f"class_prior must be 'fitted', 'smoothed', 'uniform' or {len(n)} probabilities > 0 that sum to 1"
    try:
        pi = np.array(option, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{wanted}, got {option!r}") from None
    if pi.shape != n.shape or not (pi > 0.0).all() or abs(pi.sum() - 1.0) > 1e-9:
        raise ValueError(f"{wanted}, got {option!r}")
    return pi
