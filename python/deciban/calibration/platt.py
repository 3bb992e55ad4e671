"""From margins to log-odds by a straight line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .newton import constant, logistic
from .targets import Floats, of_two


@dataclass(frozen=True)
class Line:
    """g(z) = slope·z + offset, in nats; slope ≥ 0.

    >>> Line(2.0, -1.0)(np.array([0.0, 1.0])).tolist()
    [-1.0, 1.0]
    """

    slope: float
    offset: float = 0.0

    def __call__(self, z: Floats) -> Floats:
        g: Floats = self.slope * z + self.offset
        return g


def platt(z: Floats, positive: NDArray[np.bool_], weight: Floats) -> Line:
    """The log-odds A·z + B, A ≥ 0, that suit labels best which the margins z (N,) did not learn from.

        min over A ≥ 0, B of   Σ_i w_i [log(1 + e^(g_i)) − t_i g_i],      g_i = A z_i + B

    Platt (1999) with the targets t corrected by one example a class, by the Newton method of Lin, Lin & Weng (Machine
    Learning 68, 2007). A < 0 would turn the order of the scores around: where it would be best, A = 0 and B the
    log-odds of the mean target, which is the minimum under A ≥ 0, as the loss is convex.

    >>> line = platt(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, True, False, True]), np.ones(4))
    >>> line.slope > 0.0, abs(round(line.offset, 9))
    (True, 0.0)
    """
    t = of_two(positive, weight)
    theta, offset, _ = logistic(z[:, None], t, weight)
    if theta[0] > 0.0:
        return Line(float(theta[0]), offset)
    return Line(0.0, constant(t, weight)[0])
