"""Platt scaling: log-odds by a straight line of margins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .newton import constant, logistic
from .targets import Floats, of_two


@dataclass(frozen=True)
class Line:
    """A straight line of log-odds, g(z) = slope·z + offset. Called with z, it returns g(z).

    Parameters
    ----------
    slope : float
        Slope ≥ 0.
    offset : float, default=0.0
        Offset, in nats.

    Examples
    --------
    >>> Line(2.0, -1.0)(np.array([0.0, 1.0])).tolist()
    [-1.0, 1.0]
    """

    slope: float
    offset: float = 0.0

    def __call__(self, z: Floats) -> Floats:
        g: Floats = self.slope * z + self.offset
        return g


def platt(z: Floats, positive: NDArray[np.bool_], weight: Floats) -> Line:
    """Fit Platt's line A·z + B, A ≥ 0, to margins of examples that the model was not trained on.

        min over A ≥ 0, B of   Σ_i w_i [log(1 + e^(g_i)) − t_i g_i],      g_i = A z_i + B

    Platt (1999) with the targets t corrected by one example a class, by the Newton method of Lin, Lin & Weng (Machine
    Learning 68, 2007). A < 0 would reverse the order of the scores: where it would be best, A = 0 and B is the log-odds
    of the mean target, which is the minimum under A ≥ 0, as the loss is convex.

    Parameters
    ----------
    z : ndarray of shape (n_samples,)
        Margins, or log-odds in nats.
    positive : ndarray of bool of shape (n_samples,)
        Which examples belong to the class.
    weight : ndarray of shape (n_samples,)
        Weights ≥ 0; a weight means repetition.

    Returns
    -------
    Line
        Slope A and offset B.

    Examples
    --------
    >>> line = platt(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, True, False, True]), np.ones(4))
    >>> line.slope > 0.0, abs(round(line.offset, 9))
    (True, 0.0)
    """
    t = of_two(positive, weight)
    theta, offset, _ = logistic(z[:, None], t, weight)
    if theta[0] > 0.0:
        return Line(float(theta[0]), offset)
    return Line(0.0, constant(t, weight)[0])
