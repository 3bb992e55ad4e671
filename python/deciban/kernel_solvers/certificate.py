"""The proof of a kernel machine: whoever found β, the gap says how good it is.

    P(w, b) ≥ −D(β)   for every w, b and every β that is feasible,

so no machine reaches below −D, and P + D bounds what is left to gain. Everything is computed anew in float64. Where b
is not given it is the mean of −∂D/∂β over the free variables, or the midpoint of its interval.
An infinite bound asks r_i ≤ 0 or r_i ≥ 0; the machine is then scaled up, as little as satisfies all of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deciban.certificates.certificate import relative_gap
from deciban.data.devices import on_host
from deciban.inner_product import dot
from deciban.losses import Floats
from deciban.threads import on_threads

from .problem import KernelProblem, KernelSolution, scores_within

# A share of a sum's terms that is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class KernelProof:
    """P, −D, b (G,), and the largest violation of the conditions of Karush, Kuhn and Tucker in units of the score: how
    far, in some group, the largest −∂D/∂β that may rise is above the smallest that may fall (Keerthi et al. 2001)."""

    primal: float
    dual: float
    violation: float
    b: Floats
    scores: Floats = field(repr=False)

    @property
    def relative_gap(self) -> float:
        """(P + D) / |P|."""
        return relative_gap(self.primal, self.dual)


@on_threads
def prove(problem: KernelProblem, beta: Floats, b: Floats | None = None, scores: Floats | None = None) -> KernelProof:
    """Return P at the w of β (m,) and at b (G,), and −D at β; `scores` f = K̃β (m,) in float64, if they are known
    already.

    Cost: without `scores`, N times the number of rows with β ≠ 0.
    """
    f = scores_within(problem, beta) if scores is None else scores
    gradient = f - problem.t
    violation = violations(problem, beta, gradient)
    b = intercepts(problem, beta, gradient) if b is None else b
    # Where Σ β is 0 a constant in f is of no account, and may be large.
    squared = dot(beta, f) if problem.sums.sum() or not len(f) else dot(beta, f - f[0])
    primal, dual = primal_value(problem, f, b, squared), dot(problem.t, beta) - 0.5 * squared
    if _is_nothing(problem, beta, primal, dual):
        dual = primal
    return KernelProof(primal, dual, float(violation.max(initial=0.0)), b, f)


def prove_solution(problem: KernelProblem, solution: KernelSolution) -> KernelProof:
    """Return the proof of what a solver found, by the gradient in float64 that it ends with, where it keeps one."""
    f = None if solution.gradient is None else solution.gradient + problem.t
    return prove(problem, solution.beta, None if f is None else solution.b, f)


def _is_nothing(problem: KernelProblem, beta: Floats, primal: float, dual: float) -> bool:
    """Return whether P and −D are 0 but for rounding: of machines without targets, whose examples surround the origin
    or do not differ."""
    if problem.t.any() or not abs(primal - dual) > _ROUNDING * abs(primal):
        return False
    lengths = np.sqrt(np.abs(on_host(problem.kernel.diagonal(problem.X), np.float64)))[problem.row]
    return max(abs(primal), abs(primal - dual)) <= _ROUNDING * dot(lengths, np.abs(beta)) ** 2


def primal_value(problem: KernelProblem, f: Floats, b: Floats, squared: float) -> float:
    """Return P at the scores f (m,) without b, ‖w‖² and b (G,); where bounds are infinite, at the nearest multiple of
    (w, b) that satisfies what they ask, or infinity."""
    bounded = np.isfinite(problem.hi) & np.isfinite(problem.lo)
    s = f + b[problem.group]
    scale = 1.0 if bounded.all() else _multiple(problem, s)
    if not np.isfinite(scale):
        return np.inf
    r = problem.t - scale * s
    up = np.where(np.isfinite(problem.hi), problem.hi, 0.0) * np.maximum(r, 0.0)
    down = np.where(np.isfinite(problem.lo), problem.lo, 0.0) * np.minimum(r, 0.0)
    return 0.5 * scale * scale * squared + float((up + down).sum()) + scale * dot(problem.sums, b)


def _multiple(problem: KernelProblem, s: Floats) -> float:
    """Return the smallest k ≥ 1 with t − k s ≤ 0 where hi is infinite and ≥ 0 where lo is, or infinity."""
    side = np.where(np.isposinf(problem.hi), 1.0, 0.0) - np.where(np.isneginf(problem.lo), 1.0, 0.0)
    wanted, there = side * problem.t, side * s
    if (wanted > np.maximum(there, 0.0) * 1e8).any():
        return np.inf
    short = wanted > there
    return float((wanted[short] / there[short]).max(initial=1.0))


def violations(problem: KernelProblem, beta: Floats, gradient: Floats) -> Floats:
    """Return (G,) of each group: the largest −∂D/∂β that may rise less the smallest that may fall, at least 0."""
    top, bottom = _interval(problem, beta, gradient)
    return apart(top, bottom)


def apart(top: Floats, bottom: Floats) -> Floats:
    """Return how far `top` is above `bottom`, at least 0; 0 where one is infinite, as nothing may move there."""
    with np.errstate(invalid="ignore"):
        above = top - bottom
    return np.where(np.isfinite(above), np.maximum(above, 0.0), 0.0)


def intercepts(problem: KernelProblem, beta: Floats, gradient: Floats) -> Floats:
    """Return (G,) b: −∂D/∂β averaged over lo < β < hi, else the midpoint of the interval that the others leave to
    it."""
    free = (beta > problem.lo) & (beta < problem.hi)
    G = len(problem.sums)
    count = np.bincount(problem.group[free], minlength=G)
    total = np.bincount(problem.group[free], weights=-gradient[free], minlength=G).astype(np.float64)
    return average_free(count, total, *_interval(problem, beta, gradient))


def average_free(count: NDArray[np.intp], total: Floats, top: Floats, bottom: Floats) -> Floats:
    """Return b of each problem: the mean of what `count` free variables say, whose `total` is given, else the midpoint
    of the interval from `bottom` to `top`, or its finite end."""
    top, bottom = np.where(np.isfinite(top), top, bottom), np.where(np.isfinite(bottom), bottom, top)
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (top + bottom)
    return np.where(count > 0, total / np.maximum(count, 1), np.where(np.isfinite(middle), middle, 0.0))


def _interval(problem: KernelProblem, beta: Floats, gradient: Floats) -> tuple[Floats, Floats]:
    """Return the largest (G,) −∂D/∂β of what may rise, and the smallest of what may fall: b lies between them."""
    G = len(problem.sums)
    top, bottom = np.full(G, -np.inf), np.full(G, np.inf)
    rising, falling = beta < problem.hi, beta > problem.lo
    if G == 1:  # the most common by far, and numpy's ufunc.at takes ten times as long
        top = np.max(-gradient, initial=-np.inf, where=rising, keepdims=True)
        return top, np.min(-gradient, initial=np.inf, where=falling, keepdims=True)
    np.maximum.at(top, problem.group[rising], -gradient[rising])
    np.minimum.at(bottom, problem.group[falling], -gradient[falling])
    return top, bottom
