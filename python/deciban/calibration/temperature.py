"""Temperature scaling: log-odds by one factor of margins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciban.scores import log_posterior

from .targets import Floats, Targets, log_loss, seldom_wrong

_ROUNDS = 100
_ROUNDING = 1e-13


def temperature(s: Floats, y: NDArray[np.intp], weight: Floats, targets: Targets = seldom_wrong) -> float:
    """Return the A > 0 for which the posterior softmax(A·s) suits labels best that the scores did not learn from.

        min over A of   −Σ_i w_i Σ_c t_ic log softmax(A·s_i)_c

    `s` (N, C) scores, or (N, 1) margins m for the scores (0, m); y (N,) indices, weight (N,). The `targets` t
    are held back, so that A stays finite on scores that separate. Without an offset the odds are even exactly where the
    decision turns: prediction and probability never disagree. One number for all classes: Guo, Pleiss, Sun &
    Weinberger, ICML 2017. Newton's method within a bracket; the objective is convex in A.

    >>> temperature(np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.array([0, 1, 0, 0]), np.ones(4)) > 0.0
    True
    """
    s = np.hstack([np.zeros_like(s), s]) if s.shape[1] == 1 else s
    C = s.shape[1]
    t = targets(y, weight, C)
    size = float(np.abs(s).max(initial=0.0))
    s = s - s.max(axis=1, keepdims=True)
    spread = float(np.abs(s).max())
    if not spread > _ROUNDING * size:  # classes that differ by rounding alone do not separate anything
        return 1.0
    s /= spread  # scores near the ends of the range of doubles have squares, too
    wanted = (t * s).sum(axis=1)
    A, low, high = 1.0, 0.0, np.inf
    for _ in range(_ROUNDS):
        p = np.exp(A * s)
        p /= p.sum(axis=1, keepdims=True)
        mean = (p * s).sum(axis=1)
        slope = float(weight @ (mean - wanted))
        curvature = float(weight @ ((p * np.square(s)).sum(axis=1) - np.square(mean)))
        low, high = (A, high) if slope < 0.0 else (low, A)
        following = A - slope / curvature if curvature > 0.0 else np.inf
        if not low < following < high:
            following = 0.5 * (low + high) if np.isfinite(high) else 4.0 * A
        if abs(following - A) <= 1e-12 * A or following > 1e12:
            break
        A = following
    return float(np.clip(max(A, 1e-12) / spread, np.finfo(float).tiny, np.finfo(float).max))


def loss_of_scores(s: Floats, y: NDArray[np.intp], weight: Floats) -> float | None:
    """Return the mean −log softmax(s_i)_y of scores in nats: s (N, C), or (N, 1) margins m for the scores (0, m); None
    where no double holds it.

    >>> loss_of_scores(np.zeros((2, 1)), np.array([0, 1]), np.ones(2)).__round__(6)
    0.693147
    """
    s = np.hstack([np.zeros_like(s), s]) if s.shape[1] == 1 else s
    with np.errstate(over="ignore", invalid="ignore"):
        mean = log_loss(log_posterior(s), y, weight)
    return mean if np.isfinite(mean) else None
