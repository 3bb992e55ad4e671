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
    low, high = np.where(known, mean - half, -np.inf), np.where(known, mean + half, np.inf)
    return np.column_stack([low, high])
