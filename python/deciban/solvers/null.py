"""The objective without weights: what a fit is measured against.

    P₀ = min over b of   Σ c_i ℓ(y_i, b + o_i)                     (b = 0 without an intercept)

A small gap relative to |P| says little of the weights where they gain little: for C → 0 almost all of P is P₀. So
solvers go on until the gap is small against P₀ − P, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deciban.inner_product import dot
from deciban.losses import Absolute, EpsilonInsensitive, Floats, Hinge, Softmax

if TYPE_CHECKING:
    from .problem import Problem


def null_value(problem: Problem) -> float:
    """Return P₀; infinity for losses that are 0 or flat there. Cost: a few passes over N."""
    if problem.K > 1:
        return _entropy(problem) if isinstance(problem.loss, Softmax) else _largest(problem)
    start = np.zeros(len(problem.y)) if problem.offset is None else problem.offset
    if not problem.intercept:
        return problem.total(problem.loss.value(problem.y, start))
    if np.isfinite(problem.loss.curvature_bound):
        s = start + best_shift(problem, start)
    elif isinstance(problem.loss, EpsilonInsensitive):
        r, epsilon = problem.y - start, problem.loss.epsilon
        s = start + _quantile(np.append(r - epsilon, r + epsilon), np.append(problem.c, problem.c), 0.5)
    elif isinstance(problem.loss, Absolute):
        s = start + _quantile(problem.y - start, problem.c, 0.5)
    elif isinstance(problem.loss, Hinge):
        s = start + _hinge_shift(problem, start)
    else:
        return np.inf
    return problem.total(problem.loss.value(problem.y, s))


def best_shift(problem: Problem, s: Floats) -> float:
    """Return the shift of all scores that minimises a smooth loss, to the last digits: then Σ c_i a_i = 0."""
    low, high, shift = -np.inf, np.inf, 0.0
    size = float(problem.c.sum())
    for _ in range(100):
        first, second = problem.along(s, None, shift)
        if abs(first) <= 1e-14 * size:
            break
        low, high = (shift, high) if first < 0.0 else (low, shift)
        following = shift - first / second if second > 1e-12 * size else np.nan
        if not low < following < high:
            ends = low if np.isfinite(low) else shift, high if np.isfinite(high) else shift
            wide = max(1.0, abs(shift))
            following = 0.5 * (low + high) if np.isfinite(low + high) else shift + (wide if first < 0 else -wide)
            if ends[0] == ends[1] and np.isfinite(low + high):
                break
        if following == shift:
            break
        shift = following
    return shift


def _hinge_shift(problem: Problem, start: Floats) -> float:
    """b where Σ c max(0, 1 − y(b + o)) has slope 0: the side of the heavier class, or between the kinks."""
    positive = problem.y > 0.0
    heavy, light = problem.c[positive].sum(), problem.c[~positive].sum()
    if problem.offset is None:
        return 1.0 if heavy >= light else -1.0
    # the slope rises by c at every kink, from −(weight of the positive)
    return _quantile(problem.y - start, problem.c, heavy / (heavy + light))


def _quantile(values: Floats, weight: Floats, share: float) -> float:
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weight[order])
    return float(values[order[min(np.searchsorted(total, share * total[-1]), len(order) - 1)]])


def _largest(problem: Problem) -> float:
    """Of Crammer & Singer's loss the lower of its values at equal scores and with the heaviest class 1 ahead."""
    weight = np.bincount(problem.y, problem.c, minlength=problem.K)
    total = float(weight.sum())
    return min(total, 2.0 * (total - float(weight.max()))) if problem.intercept else total


def _entropy(problem: Problem) -> float:
    """Of a softmax: the entropy of the classes' weights, or without an intercept that of equal ones."""
    weight: Floats = np.bincount(problem.y, problem.c, minlength=problem.K).astype(np.float64)
    if not problem.intercept:
        return float(weight.sum() * np.log(problem.K))
    weight = weight[weight > 0.0]
    return -dot(weight, np.log(weight / weight.sum()))
