"""The divergence of two coins, and how far one may be from the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

Floats = NDArray[np.float64]


def kl(q: Any, p: Any) -> Floats:
    """kl(q‖p) = q ln(q/p) + (1 − q) ln((1 − q)/(1 − p)) in nats, of shares q and p of any shape; at least 0.

    >>> kl([0.0, 0.3], [0.5, 0.3]).round(4).tolist()
    [0.6931, 0.0]
    """
    divergence: Floats = np.maximum(rel_entr(q, p) + rel_entr(1.0 - np.asarray(q), 1.0 - np.asarray(p)), 0.0)
    return divergence


def farthest(q: Any, nats: Any) -> Floats:
    """max {p ≥ q: kl(q‖p) ≤ nats}, by bisection, since kl rises in p. What is rounded makes it
    larger: by some 10⁻⁸ where `nats` is as small as 10⁻¹⁶, by nothing to speak of elsewhere.

    >>> farthest([0.0, 0.1, 1.0], [0.6931471805599453, 0.0, 3.0]).round(6).tolist()
    [0.5, 0.1, 1.0]
    """
    q, nats = np.broadcast_arrays(np.asarray(q, dtype=np.float64), np.asarray(nats, dtype=np.float64))
    low, high = q.copy(), np.ones(q.shape)
    for _ in range(60):
        middle = 0.5 * (low + high)
        beyond = kl(q, middle) > nats
        high = np.where(beyond, middle, high)
        low = np.where(beyond, low, middle)
    return high
