"""How far a log-odds can be believed, given how little was seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.distributions.counts import Floats


def interval(mean: Floats, variance: Floats, level: Any) -> Floats:
    """(N, 2) central credible intervals of normal shape, from the mean and variance (N,) of a posterior.

        mean ± z·√variance,      P(|Z| ≤ z) = level,  Z ~ N(0, 1)

    Where a moment is beyond a float64 nothing is known, and the interval is the whole line.

    >>> interval(np.zeros(1), np.ones(1), 0.95).round(2).tolist()
    [[-1.96, 1.96]]
    """
    from scipy.special import ndtri

    number = isinstance(level, int | float | np.integer | np.floating) and not isinstance(level, bool)
    if not number or not 0.0 < level < 1.0:
        raise ValueError(f"level must be a number between 0 and 1, got {level!r}")
    half = ndtri(0.5 + level / 2.0) * np.sqrt(np.maximum(variance, 0.0))
    known = np.isfinite(mean) & np.isfinite(half)
    with np.errstate(invalid="ignore"):
        low, high = np.where(known, mean - half, -np.inf), np.where(known, mean + half, np.inf)
    return np.column_stack([low, high])


def reaching(found: Floats, told: Floats) -> Floats:
    """(N, 2) intervals that reach as far as what is told (N,) of their rows.

    >>> reaching(np.array([[-1.0, 2.0], [-1.0, 2.0]]), np.array([0.5, 3.0])).tolist()
    [[-1.0, 2.0], [-1.0, 3.0]]
    """
    known = np.isfinite(told)
    low = np.where(known, np.minimum(found[:, 0], told), found[:, 0])
    return np.column_stack([low, np.where(known, np.maximum(found[:, 1], told), found[:, 1])])
