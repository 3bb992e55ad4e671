"""Newton's method for many scores learnt together.

    min over W (K, d), b (K,) of   P = Σ c_i [log Σ_k e^(s_ik) − s_iy] + ½λ‖W‖²,      s_i = W x_i + b

The Hessian times a direction (V, v): Σ c_i [p_i ∘ t_i − p_i (p_i·t_i)] x_iᵀ + λV, t_i = V x_i + v, p_i = softmax(s_i).
Conjugate gradients on it, preconditioned by its diagonal, stopped early as in Lin, Weng & Keerthi, JMLR 9 (2008),
§4; the step is searched along its line, where scores are linear and no pass over X is needed.

Cost: four passes over X for every iteration, two for every conjugate gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban._core import combination
from deciban.certificates.duality import balanced, reach
from deciban.certificates.gap import is_within
from deciban.inner_product import dot
from deciban.losses import Floats, Softmax

from .problem import Limits, Problem, Solution, Status
from .watch import Watch


@dataclass
class _Point:
    W: Floats
    b: Floats
    s: Floats
    primal: float = np.nan
    gap: float = np.inf


def solve(problem: Problem, limits: Limits, name: str, start: Solution | None = None) -> Solution:
    """The optimum; `start` may bring weights to begin from."""
    watch = Watch(limits)
    K, d = problem.K, problem.shape[1]
    W, b = (np.zeros((K, d)), np.zeros(K)) if start is None else (start.w.copy(), start.b.copy())
    point = _Point(W, b, problem.scores(W, b))
    status, iteration = Status.EXHAUSTED, 0
    squares = _squares(problem)
    try:
        while True:
            slope, V = _look(problem, point)
            if problem.is_enough(point.gap, point.primal, limits.tol):
                status = Status.CONVERGED
                watch(iteration, point.primal, point.gap)
                break
            if watch(iteration, point.primal, point.gap) or iteration >= limits.max_iter:
                status = watch.status or status
                break
            iteration += 1
            dW, db = _direction(problem, point, slope, V, squares)
            if not _advance(problem, point, dW, db):
                done = is_within(point.gap, point.primal, max(limits.tol, 1e-9))
                status = Status.CONVERGED if done else Status.OVERFLOW
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    # All intercepts may move together without changing anything: they sum to 0.
    return Solution(point.W, point.b - point.b.mean(), status, iteration, name, None, tuple(watch.trace))


def _squares(problem: Problem) -> Any:
    X = problem.rows
    return (np.square(X[0]), *X[1:]) if isinstance(X, tuple) else np.square(X)


def _look(problem: Problem, point: _Point) -> tuple[Floats, Floats]:
    """Primal and gap; the slopes and the gradient of the loss."""
    slope = problem.loss.slope(problem.y, point.s)
    point.primal = problem.primal(point.W, point.s)
    a = balanced(problem, -slope)
    V = problem.combination(problem.c[:, None] * a)
    conjugate = problem.penalty.conjugate(V) if problem.penalty.l2 else reach(point.W, V)
    gap = point.primal + problem.total(problem.loss.conjugate(problem.y, -a)) + conjugate
    point.gap = gap if not gap < 0.0 else 0.0  # NaN stays NaN, and is never small enough
    return slope, problem.combination(problem.c[:, None] * slope)


def _direction(problem: Problem, point: _Point, slope: Floats, V: Floats, squares: Any) -> tuple[Floats, Floats]:
    """Conjugate gradients from zero on H (dW, db) = −gradient; weights and intercept in one table (K, d + 1)."""
    assert isinstance(problem.loss, Softmax)
    c, l2, free = problem.c[:, None], problem.penalty.l2, float(problem.intercept)
    p = problem.loss.weights(point.s)
    curved = c * p * (1.0 - p)
    diagonal = np.column_stack([combination(squares, curved, n_jobs=problem.n_jobs) + l2, curved.sum(axis=0)])
    scale = 1.0 / np.maximum(diagonal, 1e-12 * max(1.0, float(diagonal.max())))

    def times(q: Floats) -> Floats:
        t = problem.product(q[:, :-1], q[:, -1].copy())
        u = c * p * (t - (p * t).sum(axis=1, keepdims=True))
        return np.column_stack([problem.combination(u) + l2 * q[:, :-1], free * u.sum(axis=0)])

    r = -np.column_stack([V + l2 * point.W, free * (c * slope).sum(axis=0)])
    x, z = np.zeros_like(r), scale * r
    z[:, -1] *= free
    q, rz = z.copy(), dot(r, z)
    enough = 0.01 * rz
    for _ in range(100):
        if rz <= enough:
            break
        h = times(q)
        curvature = dot(q, h)
        if curvature <= 0.0:
            break
        x += rz / curvature * q
        r -= rz / curvature * h
        z = scale * r
        z[:, -1] *= free
        rz, before = dot(r, z), rz
        q = z + rz / before * q
    return x[:, :-1], x[:, -1].copy()


def _advance(problem: Problem, point: _Point, dW: Floats, db: Floats) -> bool:
    """The best step along the line, by Newton's method on its length; False where nothing goes down."""
    assert isinstance(problem.loss, Softmax)
    ds = problem.product(dW, db)
    l2 = problem.penalty.l2
    ww, wd = l2 * dot(point.W, dW), l2 * dot(dW, dW)
    truth = ds[np.arange(len(ds)), problem.y]
    t, low, high, first = 1.0, 0.0, np.inf, -np.inf
    for trial in range(40):
        length = 0.0 if trial == 0 else t
        p = problem.loss.weights(point.s + length * ds)
        mean = (p * ds).sum(axis=1)
        slope = problem.total(mean - truth) + ww + length * wd
        if trial == 0:
            first = slope
            if not np.isfinite(first) or first >= 0.0:
                return False
            continue
        if abs(slope) <= 0.01 * -first:
            break
        low, high = (t, high) if slope < 0.0 else (low, t)
        curvature = problem.total((p * np.square(ds)).sum(axis=1) - np.square(mean)) + wd
        t = t - slope / curvature if curvature > 0.0 else np.inf
        if not low < t < high:
            t = 0.5 * (low + high) if np.isfinite(high) else 2.0 * max(low, 1.0)
    point.W, point.b, point.s = point.W + t * dW, point.b + t * db, point.s + t * ds
    return True
