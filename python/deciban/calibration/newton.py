"""Newton's method for a logistic curve in one or two columns.

    min over θ, c of   Σ_i w_i [log(1 + e^(z_i)) − t_i z_i] / Σ_i w_i,      z_i = φ_i·θ + c,      t_i in (0, 1)

With backtracking, as Lin, Lin & Weng (Machine Learning 68, 2007, Algorithm 1) have it for Platt's curve; the loss is
written so that nothing is subtracted from 1 and no exponential overflows (their section 3). Columns are centred and
scaled first, which leaves the minimum where it is. Near the minimum, where the loss no longer tells two points apart,
whole steps are taken until they stop shrinking: the slope is then 0 to rounding.
"""

from __future__ import annotations

import numpy as np

from .targets import Floats

_ROUNDS, _NEAR, _RIDGE, _SHORTEST = 100, 1e-8, 1e-12, 1e-10
_ENOUGH, _ROUNDING = 1e-4, 1e-15


def logistic(columns: Floats, t: Floats, weight: Floats) -> tuple[Floats, float, float]:
    """Return θ (m,), c and the loss at the minimum, for columns φ (N, m), targets t (N,) and weight (N,) > 0.

    A column that does not vary gets θ = 0.

    >>> theta, c, _ = logistic(np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.array([0.2, 0.8, 0.2, 0.8]), np.ones(4))
    >>> theta.round(6).tolist(), abs(round(c, 6))
    ([1.386294], 0.0)
    """
    size = np.abs(columns).max(axis=0)
    size[size == 0.0] = 1.0
    columns = columns / size
    low, high = columns.min(axis=0), columns.max(axis=0)
    middle, reach = 0.5 * (low + high), 0.5 * (high - low)
    reach[reach == 0.0] = 1.0
    phi = np.column_stack([(columns - middle) / reach, np.ones(len(t))])
    w = weight / weight.sum()
    theta = _minimise(phi, t, w)
    value = _loss(phi @ theta, t, w)
    slope = theta[:-1] / reach
    with np.errstate(over="ignore"):
        most = np.finfo(float).max
        return np.clip(slope / size, -most, most), float(theta[-1] - slope @ middle), value


def constant(t: Floats, weight: Floats) -> tuple[float, float]:
    """Return the same without columns: c and the loss."""
    w = weight / weight.sum()
    mean = float(w @ t)
    c = float(np.log(mean) - np.log1p(-mean))
    return c, _loss(np.full(len(t), c), t, w)


def _loss(z: Floats, t: Floats, w: Floats) -> float:
    return float(w @ (np.logaddexp(0.0, z) - t * z))


def _minimise(phi: Floats, t: Floats, w: Floats) -> Floats:
    theta = np.zeros(phi.shape[1])
    theta[-1], value = constant(t, w)
    last = np.inf
    for _ in range(_ROUNDS):
        p = np.exp(-np.logaddexp(0.0, -(phi @ theta)))
        slope = phi.T @ (w * (p - t))
        curvature = (phi * (w * p * (1.0 - p))[:, None]).T @ phi + _RIDGE * np.eye(len(theta))
        step = np.linalg.solve(curvature, slope)
        falls, length = float(slope @ step), float(np.abs(step).max())
        if falls < _NEAR and length < 1.0:
            if not length < 0.5 * last:
                break
            theta, last = theta - step, length
            continue
        part, least = 1.0, _ROUNDING * abs(value)
        while (found := _loss(phi @ (theta - part * step), t, w)) > value - _ENOUGH * part * falls + least:
            part *= 0.5
            if part < _SHORTEST:
                return theta
        theta, value = theta - part * step, found
    return theta
