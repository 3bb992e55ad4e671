"""Temperature scaling: log-odds by one factor of margins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciban import _core
from deciban.scores import log_posterior

from .targets import Floats, Targets, log_loss, seldom_wrong


def temperature(s: Floats, y: NDArray[np.intp], weight: Floats, targets: Targets = seldom_wrong) -> float:
    """Return the A > 0 for which the posterior softmax(A·s) suits labels best that the scores did not learn from.

        min over A of   −Σ_i w_i Σ_c t_ic log softmax(A·s_i)_c

    `s` (N, C) scores, or (N, 1) margins m for the scores (0, m); y (N,) indices, weight (N,). The `targets` t
    are held back, so that A stays finite on scores that separate. Without an offset the odds are even exactly where the
    decision turns: prediction and probability never disagree. One number for all classes: Guo, Pleiss, Sun &
    Weinberger, ICML 2017. Halley's method within a bracket; the objective is convex in A.

    >>> temperature(np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.array([0, 1, 0, 0]), np.ones(4)) > 0.0
    True
    """
    s = _both(s)
    t = targets(y, weight, s.shape[1])
    return _core.temperature(np.ascontiguousarray(s, dtype=np.float64), np.ascontiguousarray(t), weight)


def loss_of_scores(s: Floats, y: NDArray[np.intp], weight: Floats) -> float | None:
    """Return the mean −log softmax(s_i)_y of scores in nats: s (N, C), or (N, 1) margins m for the scores (0, m); None
    where no double holds it.

    >>> loss_of_scores(np.zeros((2, 1)), np.array([0, 1]), np.ones(2)).__round__(6)
    0.693147
    """
    s = _both(s)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = log_loss(log_posterior(s), y, weight)
    return mean if np.isfinite(mean) else None


def _both(s: Floats) -> Floats:
    """Return scores (N, C), where margins m (N, 1) are given those of (0, m)."""
    if s.shape[1] != 1:
        return s
    both = np.zeros((len(s), 2))
    both[:, 1] = s[:, 0]
    return both
