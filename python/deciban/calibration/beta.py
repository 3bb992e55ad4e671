"""Beta calibration: probabilities that are wrong in different ways on the two sides of ½."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .newton import constant, logistic
from .targets import Floats, of_two


@dataclass(frozen=True)
class Bend:
    """A curve of log-odds with two slopes, g(z) = a·log p − b·log(1 − p) + c, p = 1/(1 + e^(−z)).

    It rises by a per nat far below 0, by b far above; a = b = 1, c = 0 leaves p as it is. Called with z, it returns
    g(z).

    Parameters
    ----------
    a : float
        Slope a ≥ 0 of log p.
    b : float
        Slope b ≥ 0 of −log(1 − p).
    c : float
        Offset c, in nats.

    Examples
    --------
    >>> Bend(1.0, 1.0, 0.0)(np.array([-3.0, 0.0, 500.0])).round(12).tolist()
    [-3.0, 0.0, 500.0]
    """

    a: float
    b: float
    c: float

    def __call__(self, z: Floats) -> Floats:
        g: Floats = self.b * np.logaddexp(0.0, z) - self.a * np.logaddexp(0.0, -z) + self.c
        return g


def beta(z: Floats, positive: NDArray[np.bool_], weight: Floats) -> Bend:
    """Fit a beta calibration curve to log-odds of examples that the model was not trained on.

        min over a, b ≥ 0, c of   Σ_i w_i [log(1 + e^(g_i)) − t_i g_i],      g_i = a·log p_i − b·log(1 − p_i) + c

    The family is right where p of either class is a Beta variable. Kull, Silva Filho & Flach, AISTATS 2017, Proposition
    1 and Algorithm 1; here with Platt's corrected targets t, so that the curve stays finite, and with the exact minimum
    under a, b ≥ 0: the loss is convex, so that where the free minimum is outside, the best of the three edges is it.

    Parameters
    ----------
    z : ndarray of shape (n_samples,)
        Log-odds of the class, in nats.
    positive : ndarray of bool of shape (n_samples,)
        Which examples belong to the class.
    weight : ndarray of shape (n_samples,)
        Weights ≥ 0; a weight means repetition.

    Returns
    -------
    Bend
        The curve from log-odds to log-odds.

    Examples
    --------
    >>> curve = beta(np.array([-9.0, -5.0, 1.0, 2.0]), np.array([False, True, False, True]), np.ones(4))
    >>> curve.a >= 0.0 and curve.b >= 0.0
    True
    """
    t, even = of_two(positive, weight), np.logaddexp(0.0, z) - 0.5 * z  # log p = z/2 − even, −log(1 − p) = z/2 + even
    (together, apart), c, _ = logistic(np.column_stack([z, even]), t, weight)
    if abs(apart) <= 2.0 * together:
        return Bend(float(together - 0.5 * apart), float(together + 0.5 * apart), c)
    edges = []
    for k, column in enumerate((0.5 * z - even, 0.5 * z + even)):
        theta, c, value = logistic(column[:, None], t, weight)
        if theta[0] >= 0.0:
            slope = [0.0, 0.0]
            slope[k] = float(theta[0])
            edges.append((value, Bend(slope[0], slope[1], c)))
    c, value = constant(t, weight)
    return min([*edges, (value, Bend(0.0, 0.0, c))], key=lambda edge: edge[0])[1]
