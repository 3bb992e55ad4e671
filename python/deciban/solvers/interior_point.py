"""Piecewise linear losses, and the squared hinge, of few features, by a primal–dual interior point method.

    min over w, b of   Σ c_i ℓ(y_i, x_i·w + b + o_i) + λ₁‖w‖₁ + ½λ₂‖w‖²,      ℓ = max(0, m − y·s)   or   ℓ = |y − s|

A loss of this kind is the larger of two lines: c_i ℓ = max over u_i in [lo_i, hi_i] of u_i (t_i − s_i), and so is
λ₁|w_j|, which is one more row e_j with t = 0 and u in [−λ₁, λ₁]. With A = [X; I] and z, q ≥ 0 the multipliers of hi and
lo the optimum is where

    λ₂w = Aᵀu,   Σ u_i = 0 (over the rows of X),   t − Aw − b = z − q,   z(hi − u) = 0 = q(u − lo)

Newton's steps go along the same equations with μ → 0 in place of the last zeros, each step predicted and corrected:
Mehrotra, SIAM J. Optim. 2 (1992); of support vector machines Ferris & Munson, SIAM J. Optim. 13 (2003). A few lines
that would hold all others back are left behind, and come after. Some 13 to 30 steps whatever C is and however columns
are scaled, up to 60 where columns are discrete. The path is the core's
(`crates/core/src/solve/interior_point.rs`). Cost of a step: the system AᵀDA + λ₂I (N·m² for m values a row, d³/3) and
six passes over X.

The squared hinge is a line with a curve, c ℓ = max over y·u ≥ 0 of u (y − s) − u²/4c: the third equation gains u/2c on
its right. That no example loses more than all do without weights, c ℓ ≤ P₀, bounds u without a change of the optimum.

The ε-insensitive loss is two hinges:

    max(0, |y − s| − ε)  =  max(0, 1 − (s + o))  +  max(0, 1 + (s + o')),      o = 1 − (y − ε),   o' = −1 − (y + ε)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix, vstack

from deciban import _core
from deciban.certificates.certificate import is_within
from deciban.certificates.duality import balance, prove
from deciban.losses import Absolute, EpsilonInsensitive, Floats, Hinge, Perceptron, SquaredHinge

from . import hessian
from .limits import Watch
from .problem import Limits, Problem, Solution, Status, price_of_errors
from .reduction import Turned


def refuse_curved(problem: Problem) -> str | None:
    """Return what the loss lacks, or None."""
    if isinstance(problem.loss, Absolute | Perceptron):
        return None
    return f"needs a piecewise linear loss: 'absolute', 'hinge' or 'perceptron'; {problem.loss.name!r} is not"


def lines(problem: Problem) -> tuple[Floats, Floats, Floats]:
    """Return t, lo and hi (N,) for which c_i ℓ(y_i, s_i + o_i) = max over u in [lo_i, hi_i] of u (t_i − s_i):

    t = y and |u| ≤ c of ℓ = |y − s|,     t = m·y and 0 ≤ y·u ≤ c of ℓ = max(0, m − y·s),     both less the offset o.
    """
    y, c = problem.y, problem.c
    t, lo, hi = y, -c, c
    if isinstance(problem.loss, Perceptron):
        t, lo, hi = problem.loss.reach * y, np.minimum(0.0, c * y), np.maximum(0.0, c * y)
    return (t if problem.offset is None else t - problem.offset), lo, hi


def _bounded_curves(problem: Problem) -> tuple[Floats, Floats, Floats]:
    """Return t, lo and hi (N,) of the squared hinge, as `lines` does; twice as far as u can be at the optimum."""
    y, c = problem.y, problem.c
    most = 4.0 * np.sqrt(c * problem.null)
    return (y if problem.offset is None else y - problem.offset), np.minimum(0.0, most * y), np.maximum(0.0, most * y)


def solve_as_hinges(
    problem: Problem, limits: Limits, seed: int, solve: Callable[[Problem, Limits, Solution | None, int], Solution]
) -> Solution:
    """Return the solution of a problem with the loss 'epsilon_insensitive', which `solve` finds as one of hinges."""
    assert isinstance(problem.loss, EpsilonInsensitive)
    y, epsilon, N = problem.y, problem.loss.epsilon, len(problem.y)
    given = np.zeros(N) if problem.offset is None else problem.offset
    doubled = replace(
        problem,
        rows=_double_rows(problem),
        y=np.repeat([1.0, -1.0], N),
        c=np.append(problem.c, problem.c),
        loss=Hinge(),
        offset=np.append(1.0 - (y - epsilon) + given, -1.0 - (y + epsilon) + given),
    )
    found = solve(doubled, limits, None, seed)
    return found if found.dual is None else replace(found, dual=found.dual[:N] + found.dual[N:])


def _double_rows(problem: Problem) -> object:
    if not problem.sparse:
        return np.concatenate([problem.rows, problem.rows])
    X = csr_matrix(problem.rows[:3], shape=problem.shape)
    X = vstack([X, X], format="csr")
    index = problem.rows[1].dtype
    return X.data, X.indices.astype(index), X.indptr.astype(problem.rows[2].dtype), problem.rows[3]


NAME = "interior-point"
EXACT = True
CUBIC = True
# The answer depends, within the tolerance, on the order of the examples and on how many there are.
ORDERED = True
# Dual ascent visits examples as often as in so many whole passes, at a price of errors of 1 (`price_of_errors`) to 1e-6
# with an intercept; as often as the root of the price tells, the fourth root of the tolerance, and `FREE` of it without
# an intercept. Judged on hinges of 28 sets, of 2 to 900 features, 1,500 to 100,000 rows, and prices of 1e-13 to 1e14.
PASSES = 100.0
FREE = 0.5
# Steps of this, of classes of one size; with an intercept the more, the rarer one is, and without one so many.
STEPS, RARER = 15.0, 0.3
STEPS_FREE = 13.0
# Nanoseconds of a core, as measured on one with AVX-512: of a step, and of a pass of dual ascent, for each row and each
# value that is stored; of a step for each product of two columns of a row, for each of the factor, and, where rows are
# sparse, for each number of the system.
STEP_OF_ROW, STEP_OF_VALUE, PRODUCT, FACTOR = 70.0, 3.5, 0.027, 0.06
STEP_OF_SPARSE_ROW, STEP_OF_SPARSE_VALUE, SPARSE_PRODUCT, SPARSE_SYSTEM = 150.0, 5.0, 1.0, 10.0
PASS_OF_ROW, PASS_OF_VALUE, PASS_OF_SPARSE_VALUE = 55.0, 0.4, 1.8


def is_quicker(problem: Problem, limits: Limits) -> bool:
    """Return whether this takes less time than dual ascent, as the price of errors and the shape of the rows tell."""
    root: float = price_of_errors(problem) ** 0.5 * min(Limits.tol / limits.tol, 1.0) ** 0.25
    return PASSES * (1.0 if problem.intercept else FREE) * root > count_passes_instead(problem)


def count_passes_instead(problem: Problem) -> float:
    """Return how many passes of dual ascent over all examples take as long as this."""
    (N, d), values = problem.shape, float(problem.stored)
    pairs, factor = values * values / N / 2.0, FACTOR * d**3 / 3.0
    if problem.sparse:
        of_rows = STEP_OF_SPARSE_ROW * N + STEP_OF_SPARSE_VALUE * values
        a_step = of_rows + SPARSE_PRODUCT * pairs + SPARSE_SYSTEM * d * d + factor
        a_pass = PASS_OF_ROW * N + PASS_OF_SPARSE_VALUE * values
    else:
        a_step = STEP_OF_ROW * N + STEP_OF_VALUE * values + PRODUCT * pairs + factor
        a_pass = PASS_OF_ROW * N + PASS_OF_VALUE * values
    steps = STEPS / max(_evenness(problem), 1.0 / N) ** RARER if problem.intercept else STEPS_FREE
    return float(steps * a_step / a_pass)


def _evenness(problem: Problem) -> float:
    """Return 4·p·(1 − p) for the share p of a class, 1 for classes of one size and where there are no classes."""
    if not problem.loss.margin:
        return 1.0
    p = float(problem.c[problem.y > 0.0].sum()) / float(problem.c.sum())
    return 4.0 * p * (1.0 - p)


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    if not isinstance(problem.loss, EpsilonInsensitive | SquaredHinge) and refuse_curved(problem):
        return (
            "needs a piecewise linear loss or the squared hinge: 'absolute', 'epsilon_insensitive', 'hinge', "
            f"'perceptron' or 'squared_hinge'; {problem.loss.name!r} is another"
        )
    if not (problem.penalty.l1 or problem.penalty.l2):
        return "needs a penalty, which keeps the path to the optimum bounded"
    if problem.shape[1] > hessian.DIRECT and not Turned.suits(problem):
        return f"needs at most {hessian.DIRECT:,} features, whose system it factors; there are {problem.shape[1]:,}"
    return None


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum. A path begins in the middle: of `start` only a proof that nothing is left to do is used, and
    nothing is random."""
    if isinstance(problem.loss, EpsilonInsensitive):
        return solve_as_hinges(problem, limits, seed, solve)
    watch = Watch(limits)
    if start is not None and start.dual is not None:
        there = prove(problem, start.w, start.b, start.dual)
        if there.is_enough(problem, limits.tol):
            watch(0, there.primal, there.gap)
            return Solution(start.w, start.b, Status.CONVERGED, 0, NAME, there.dual_point, tuple(watch.trace))
    alone = _reach_all(problem)
    if alone is not None:
        watch(0, 0.0, 0.0)
        return replace(alone, trace=tuple(watch.trace))
    given, away = _lines(problem)

    def prove_end(w: Floats, b: float, u: Floats) -> bool:
        return prove(problem, *_clean(problem, w, b, u)).is_enough(problem, limits.tol)

    w, b, u, iterations, ending = _core.interior_point(
        problem.rows,
        *given,
        away=away,
        strength=problem.penalty.l2,
        intercept=problem.intercept,
        proof=prove_end,
        **watch.limits_for_core(problem),
    )
    best, status = _clean(problem, w, b, u), watch.ended(ending)
    if status is Status.OVERFLOW:  # of a gap at the rounding of P nothing is left to be gained
        lost = prove(problem, *best)
        status = Status.CONVERGED if is_within(lost.gap, lost.primal, limits.tol) else Status.EXHAUSTED
    w, intercepts, dual = best
    return Solution(w, intercepts, status, iterations, NAME, dual, tuple(watch.trace))


def _reach_all(problem: Problem) -> Solution | None:
    """Return the intercept that costs nothing where all examples are of one class: no dual lies within the bounds."""
    y, loss = problem.y, problem.loss
    if not problem.intercept or not isinstance(loss, Perceptron | SquaredHinge) or (y != y[0]).any():
        return None
    far = getattr(loss, "reach", 1.0) - (0.0 if problem.offset is None else y * problem.offset)
    b = np.array([y[0] * float(np.max(far))])
    return Solution(np.zeros((1, problem.shape[1])), b, Status.CONVERGED, 0, NAME, np.zeros(len(y)))


def _lines(problem: Problem) -> tuple[list[Floats], float]:
    """Return t, lo, hi, curve and a middle u of rows and, for λ₁, of weights; and from what multipliers stay away."""
    (N, d), l1 = problem.shape, problem.penalty.l1
    corners, curved = d if l1 else 0, isinstance(problem.loss, SquaredHinge)
    t, lo, hi = _bounded_curves(problem) if curved else lines(problem)
    middle = balance(problem, problem.y if curved else 0.5 * (lo + hi) / problem.c) * problem.c
    curve = 0.5 / problem.c if curved else np.zeros(N)
    rest = np.zeros(corners), np.full(corners, -l1), np.full(corners, l1), np.zeros(corners), np.zeros(corners)
    each = [np.append(*pair) for pair in zip((t, lo, hi, curve, middle), rest, strict=True)]
    return each, float(np.abs(each[0]).mean()) or 1.0


def _clean(problem: Problem, w: Floats, b: float, u: Floats) -> tuple[Floats, Floats, Floats]:
    """Return w (1, d), b (1,) and a (N,) of w, b and u, where what tends to a bound, or to 0, is there."""
    N = len(problem.y)
    if len(u) > N:
        w = np.where(np.abs(u[N:]) < problem.penalty.l1, 0.0, w)
    return w[None, :], np.array([b]), problem.loss.feasible(problem.y, u[:N] / problem.c)
