"""Newton's method with a trust region of conjugate gradients, or with the Hessian itself where features are few.

    min over w, b of   P(w, b) = Σ c_i ℓ(y_i, x_i·w + b) + ½λ‖w‖²,      ∇P = λw − Σ c_i a_i x_i,  a = −∂ℓ/∂s
                       H = XᵀDX + λI,  D = diag(c_i ∂²ℓ/∂s²)

Lin, Weng & Keerthi, JMLR 9 (2008), "Trust region Newton method for large-scale logistic regression"; squared hinge by
its generalised Hessian (Mangasarian 2002; Keerthi & DeCoste, JMLR 6, 2005). Here the step is taken whole and then
searched along the line, which costs no pass over X: the scores are linear in the step. b is minimised out exactly
after every step, so that a is feasible for the dual and the gap is known at no cost.

Of few features the core does all of it (`crates/core/src/solve/newton.rs`).

Cost: an iteration is two passes over X, and either XᵀDX (N·m² for m values a row) and d³/3, or a pass for every
conjugate gradient; which, `hessian.Hessian` says.

Many scores learnt together:

    min over W (K, d), b (K,) of   P = Σ c_i [log Σ_k e^(s_ik) − s_iy] + ½λ‖W‖²,      s_i = W x_i + b

The step is that of `softmax_hessian`, searched along its line, where scores are linear and no pass over X is needed.

Cost: four passes over X for every iteration, and the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from deciban import _core
from deciban.certificates.certificate import is_within
from deciban.certificates.duality import balance, conjugate_within_reach
from deciban.inner_product import dot
from deciban.losses import Floats, Huber, Logistic, Softmax, Squared, SquaredEpsilonInsensitive, SquaredHinge
from deciban.threads import check_halted

from .hessian import DIRECT, Hessian
from .limits import Watch
from .problem import Limits, Problem, Solution, Status, best_shift
from .softmax_hessian import SoftmaxHessian

NAME = "newton"
EXACT = True
# It solves systems of d equations, and passes over rows.
CUBIC = True
BY_ROWS = True
LOSSES = (Logistic, SquaredHinge, Squared, Huber, SquaredEpsilonInsensitive)
# Of so few features the core does all of it. Its time over that of this, logistic loss and squared hinge, to 1e-6:
# 20,000 × 16 and 4,600 × 57 0.4, 0.4; 10,000 × 200 0.2, 0.7; 5,000 × 400 0.2, 0.5; 40,000 × 300 0.9, 1.2; 15,000 × 784
# 2.5, 1.3, as BLAS multiplies faster and a sample of the rows makes a factor that is good enough.
FEW = 400


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    if not isinstance(problem.loss, LOSSES if problem.K == 1 else Softmax):
        return f"needs a smooth loss, which {problem.loss.name!r} is not"
    if problem.penalty.l1:
        return f"needs a smooth penalty, which {problem.penalty.name!r} is not"
    return None


@dataclass
class _Point:
    """Weights, their scores, and what follows from them."""

    w: Floats
    b: float
    s: Floats
    primal: float = np.nan
    a: Floats | None = None
    h: Floats | None = None
    v: Floats | None = None
    gap: float = np.inf


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum; `start` may bring weights to begin from. Nothing here is random: `seed` is not used."""
    if problem.K > 1:
        return (_solve_few_together if _is_formed(problem) else _solve_many)(problem, limits, start)
    if problem.penalty.l2 and problem.shape[1] <= FEW:
        return _solve_few(problem, limits, start)
    watch = Watch(limits)
    d = problem.shape[1]
    w = np.zeros(d) if start is None else start.w[0].copy()
    b = 0.0 if start is None else float(start.b[0])
    s = problem.scores(w[None, :], np.array([b]))
    point = _Point(w, b, s)
    hessian = Hessian(problem)
    status, iteration = Status.EXHAUSTED, 0
    try:
        _look(problem, point)
        while True:
            if problem.is_enough(point.gap, point.primal, limits.tol):
                status = Status.CONVERGED
                watch(iteration, point.primal, point.gap)
                break
            if watch(iteration, point.primal, point.gap) or iteration >= limits.max_iter:
                status = watch.status or status
                break
            iteration += 1
            if not _step(problem, point, hessian):
                done = is_within(point.gap, point.primal, max(limits.tol, 1e-9))
                status = Status.CONVERGED if done else Status.OVERFLOW
                break
            _look(problem, point)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return Solution(point.w[None, :], np.array([point.b]), status, iteration, NAME, point.a, tuple(watch.trace))


def _solve_few(problem: Problem, limits: Limits, start: Solution | None) -> Solution:
    """Return the optimum over few features, which the core finds by itself (`crates/core/src/solve/newton.rs`)."""
    watch = Watch(limits)
    w, b, dual, iterations, ending = _core.newton(
        problem.rows,
        problem.y,
        problem.c,
        problem.loss.name,
        delta=getattr(problem.loss, "delta", getattr(problem.loss, "epsilon", 1.0)),
        strength=problem.penalty.l2,
        intercept=problem.intercept,
        offset=problem.offset,
        w=None if start is None else np.ascontiguousarray(start.w[0]),
        b=0.0 if start is None else float(start.b[0]),
        **watch.limits_for_core(problem),
    )
    status = _end_at_rounding(watch.ended(ending), watch, limits)
    return Solution(w[None, :], np.array([b]), status, iterations, NAME, dual, tuple(watch.trace))


def _look(problem: Problem, point: _Point) -> None:
    """Compute primal, dual point and gap, b minimised out."""
    if problem.intercept:
        shift = best_shift(problem, point.s)
        point.b, point.s = point.b + shift, point.s + shift
    penalty = problem.penalty
    total, a, point.h = problem.look(point.s)
    point.primal = total + penalty.value(point.w)
    point.a = balance(problem, a)
    point.v = problem.combination(problem.c * point.a)[0]
    conjugate = penalty.conjugate(point.v) if penalty.l2 else conjugate_within_reach(point.w, point.v)
    gap = point.primal + problem.total_conjugate(point.a) + conjugate
    point.gap = gap if not gap < 0.0 else 0.0  # NaN stays NaN, and is never small enough


def _step(problem: Problem, point: _Point, hessian: Hessian) -> bool:
    """Make one step of Newton, searched along its line; return False where no step goes down."""
    assert point.v is not None
    assert point.h is not None
    gradient = problem.penalty.l2 * point.w - point.v
    dw, db = hessian.solve(point.h, -gradient)
    ds = problem.product(dw[None, :], np.array([db]))
    t = _search(problem, point, dw, ds)
    if t == 0.0:
        return False
    point.w, point.b, point.s = point.w + t * dw, point.b + t * db, point.s + t * ds
    return True


def _search(problem: Problem, point: _Point, dw: Floats, ds: Floats) -> float:
    """Return the t ≥ 0 that minimises P along the step, by Newton's method within a bracket: no pass over X."""
    l2 = problem.penalty.l2
    ww, wd = l2 * dot(point.w, dw), l2 * dot(dw, dw)

    def slopes(t: float) -> tuple[float, float]:
        first, second = problem.along(point.s, ds, t)
        return first + ww + t * wd, second + wd

    downhill = slopes(0.0)[0]
    if not np.isfinite(downhill) or downhill >= 0.0:
        return 0.0
    return _root(slopes, -downhill)


def _root(slopes: Callable[[float], tuple[float, float]], scale: float) -> float:
    """Return a t > 0 near 1 where the rising first slope is small against `scale`, its size at 0."""
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(50):
        first, second = slopes(t)
        if abs(first) <= 1e-2 * scale:
            break
        low, high = (t, high) if first < 0.0 else (low, t)
        t = t - first / second if second > 0.0 else np.inf
        if not low < t < high:
            t = 0.5 * (low + high) if np.isfinite(high) else 2.0 * max(low, 1.0)
    return t


@dataclass
class _ManyPoint:
    W: Floats
    b: Floats
    s: Floats
    primal: float = np.nan
    gap: float = np.inf


def _is_formed(problem: Problem) -> bool:
    """Return whether the Hessian of all scores is small enough to be formed, of dense rows."""
    return not problem.sparse and bool(problem.penalty.l2) and problem.K * (problem.shape[1] + 1) <= DIRECT


def _solve_few_together(problem: Problem, limits: Limits, start: Solution | None) -> Solution:
    """Return the optimum of many scores over few features, which the core finds by itself
    (`crates/core/src/solve/softmax.rs`)."""
    watch, (_, d), K = Watch(limits), problem.shape, problem.K
    w, b, iterations, ending = _core.newton_softmax(
        problem.rows,
        problem.y,
        problem.c,
        K,
        strength=problem.penalty.l2,
        intercept=problem.intercept,
        w=None if start is None else np.ascontiguousarray(start.w).reshape(-1),
        b=None if start is None else np.ascontiguousarray(start.b),
        **watch.limits_for_core(problem),
    )
    status = _end_at_rounding(watch.ended(ending), watch, limits)
    return Solution(w.reshape(K, d), b - b.mean(), status, iterations, NAME, None, tuple(watch.trace))


def _end_at_rounding(status: Status, watch: Watch, limits: Limits) -> Status:
    """Return how a solver ended where no step went down: at the optimum, as far as rounding tells."""
    if status is not Status.OVERFLOW or not watch.trace:
        return status
    *_, (_, primal, gap, _) = watch.trace
    return Status.CONVERGED if is_within(gap, primal, max(limits.tol, 1e-9)) else status


def _solve_many(problem: Problem, limits: Limits, start: Solution | None = None) -> Solution:
    """Return the optimum; `start` may bring weights to begin from."""
    watch = Watch(limits)
    K, d = problem.K, problem.shape[1]
    W, b = (np.zeros((K, d)), np.zeros(K)) if start is None else (start.w.copy(), start.b.copy())
    point = _ManyPoint(W, b, problem.scores(W, b))
    status, iteration = Status.EXHAUSTED, 0
    hessian = SoftmaxHessian(problem)
    try:
        while True:
            slope, V = _look_at_many(problem, point)
            if problem.is_enough(point.gap, point.primal, limits.tol):
                status = Status.CONVERGED
                watch(iteration, point.primal, point.gap)
                break
            if watch(iteration, point.primal, point.gap) or iteration >= limits.max_iter:
                status = watch.status or status
                break
            iteration += 1
            if not _step_many(problem, point, hessian, slope, V):
                done = is_within(point.gap, point.primal, max(limits.tol, 1e-9))
                status = Status.CONVERGED if done else Status.OVERFLOW
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    # All intercepts may move together without changing anything: they sum to 0.
    return Solution(point.W, point.b - point.b.mean(), status, iteration, NAME, None, tuple(watch.trace))


def _look_at_many(problem: Problem, point: _ManyPoint) -> tuple[Floats, Floats]:
    """Return primal and gap; the slopes and the gradient of the loss."""
    slope = problem.loss.slope(problem.y, point.s)
    point.primal = problem.primal(point.W, point.s)
    a = balance(problem, -slope)
    V = problem.combination(problem.c[:, None] * a)
    conjugate = problem.penalty.conjugate(V) if problem.penalty.l2 else conjugate_within_reach(point.W, V)
    gap = point.primal + problem.total(problem.loss.conjugate(problem.y, -a)) + conjugate
    point.gap = gap if not gap < 0.0 else 0.0  # NaN stays NaN, and is never small enough
    return slope, problem.combination(problem.c[:, None] * slope)


def _step_many(problem: Problem, point: _ManyPoint, hessian: SoftmaxHessian, slope: Floats, V: Floats) -> bool:
    """Make one step of Newton, searched along its line; return False where no step goes down."""
    assert isinstance(problem.loss, Softmax)
    c, free = problem.c[:, None], float(problem.intercept)
    r = -np.column_stack([V + problem.penalty.l2 * point.W, free * (c * slope).sum(axis=0)])
    dW, db = hessian.solve(problem.loss.weights(point.s), r)
    return _advance(problem, point, dW, db)


def _advance(problem: Problem, point: _ManyPoint, dW: Floats, db: Floats) -> bool:
    """Return the best step along the line, by Newton's method on its length; False where nothing goes down."""
    assert isinstance(problem.loss, Softmax)
    ds = problem.product(dW, db)
    l2 = problem.penalty.l2
    ww, wd = l2 * dot(point.W, dW), l2 * dot(dW, dW)
    truth = ds[np.arange(len(ds)), problem.y]
    t, low, high, first = 1.0, 0.0, np.inf, -np.inf
    for trial in range(40):
        check_halted()
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
