"""The proof of a convex fit: whoever found the weights, the gap says how good they are.

    P(w, b) = Σ c_i ℓ(y_i, x_i·w + b) + Ω(w)   ≥   D(a) = −Σ c_i ℓ*(y_i, −a_i) − Ω*(v),     v = Σ c_i a_i x_i,

for every a in the domain with Σ c_i a_i = 0 (that is what the unpenalised intercept asks): so no weights reach below
D, and P − D bounds what is left to gain (Fenchel 1949; Rockafellar, Convex Analysis, 1970, §31). From any weights come
such a: a_i = −∂ℓ/∂s_i, made feasible. A solver that keeps its own dual may offer it; the better bound counts.

Without a penalty Ω*(v) is infinite unless v = 0 to the last bit. There the bound is over all weights up to twice as
long as those found, for which Ω*(v) is 2‖w‖·‖v‖; so it is under λ‖w‖₁ where some |v_j| is above λ, by a
share of 10⁻⁴ at most, with 2‖w‖₁·(max |v_j| − λ), unless a scaled to max |v_j| = λ proves more. Where weights may not
be below 0, max v_j stands for max |v_j|, and without a square or λ it is always that bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deciban.inner_product import dot, norm
from deciban.losses import Floats
from deciban.threads import on_threads

from .certificate import relative_gap

if TYPE_CHECKING:
    from deciban.solvers.problem import Problem


@dataclass(frozen=True)
class Proof:
    """P, D (None where the loss is not convex) and the largest violation of the conditions of Karush, Kuhn and Tucker,
    in units of the problem: of v_j ∈ ∂Ω(w_j) against the largest |v_j| at w = 0, b = 0, of Σ c_i a_i = 0 against Σ c_i,
    and of ℓ + ℓ* + a_i s_i = 0 for an example against |P|; and the scores s that it was found from."""

    primal: float
    dual: float | None
    violation: float
    dual_point: Floats | None
    scores: Floats

    @property
    def relative_gap(self) -> float:
        """(P − D) / |P|."""
        return np.inf if self.dual is None else relative_gap(self.primal, self.dual)

    @property
    def gap(self) -> float:
        """P − D."""
        return np.inf if self.dual is None else self.primal - self.dual

    def is_enough(self, problem: Problem, tol: float) -> bool:
        """Return whether the gap is what a solver is to stop at."""
        return problem.is_enough(self.gap, self.primal, tol)


# So far beyond λ₁ at most max |v_j| is bounded by the length of w: little more than rounding.
_NEAR = 1e-4
# A relative gap so small is proof enough, whichever point it comes from.
_ENOUGH = 0.01


@on_threads
def prove(problem: Problem, w: Floats, b: Floats, dual: Floats | None = None) -> Proof:
    """Return P at w (K, d), b (K,), and a dual bound: that of a solver's own `dual`, or where this proves little the
    better of it and the one that w and b lead to.

    Cost: two passes over X, three where a dual is offered that proves little.
    """
    s = problem.scores(w, b)
    primal = problem.primal(w, s)
    if not problem.loss.convex:
        v = problem.combination(_weight(problem, -problem.loss.slope(problem.y, s)))
        return Proof(primal, None, stationarity(problem, w, v), None, s)
    offered = None if dual is None else _at(problem, w, s, primal, dual)
    if offered is not None and offered.relative_gap <= _ENOUGH:
        return offered
    own = _at(problem, w, s, primal, -problem.loss.slope(problem.y, s))
    proofs = [own] if offered is None else [own, offered]
    return max(proofs, key=lambda proof: -np.inf if proof.dual is None else proof.dual)


def _at(problem: Problem, w: Floats, s: Floats, primal: float, a: Floats) -> Proof:
    """Return the bound of the point nearest to a that is in the domain."""
    return _bound(problem, w, s, primal, balance(problem, problem.loss.feasible(problem.y, a)))


def _bound(problem: Problem, w: Floats, s: Floats, primal: float, a: Floats) -> Proof:
    loss, y = problem.loss, problem.y
    v = problem.combination(_weight(problem, a))
    slopes = v if problem.penalty.nonnegative else np.abs(v)
    largest = float(slopes.max(initial=0.0))
    over = largest / problem.penalty.l1 if problem.penalty.l1 else 0.0
    beyond = -np.inf
    if over > 1.0 and not problem.penalty.l2:
        length = float(np.abs(w).sum())
        if length and over < 1.0 + _NEAR:
            excess = 2.0 * length * (largest - problem.penalty.l1)
            beyond = -problem.total(problem.conjugate(a)) - excess
        a, v = a / over, v / over
    conjugate = problem.conjugate(a)
    total = problem.total(conjugate)
    if problem.penalty.l1 or problem.penalty.l2:
        bound = max(beyond, -total - problem.penalty.conjugate(_move_inside(v, problem.penalty.l1)))
    elif problem.penalty.nonnegative:
        bound = -total - conjugate_within_reach(np.abs(w).sum(keepdims=True), np.array([max(largest, 0.0)]))
    else:
        bound = -total - conjugate_within_reach(w, v)
    without_offset = conjugate if problem.offset is None else loss.conjugate(y, -a)
    apart = loss.value(y, s) + without_offset + (a * s if problem.K == 1 else (a * s).sum(axis=1))
    sums = float(np.abs(_weight(problem, a).sum(axis=0)).max(initial=0.0)) if problem.intercept else 0.0
    violation = max(
        share(stationarity(problem, w, v), problem.slopes_at_zero),
        share(sums, float(problem.c.sum())),
        share(float((problem.c * apart).max(initial=0.0)), abs(primal)),
    )
    if _is_exact(problem, primal, bound):
        bound = primal
    return Proof(primal, min(bound, primal) if np.isfinite(bound) else -np.inf, violation, a, s)


def _is_exact(problem: Problem, primal: float, bound: float) -> bool:
    """Return whether residuals are rounding, and what the bound is below P as well: then the optimum is 0 but for
    that."""
    if problem.null <= 1e-15 * problem.null_at_zero:  # examples of one class, which b alone tells
        return primal <= 1e-12 * problem.null_at_zero
    return (
        not problem.loss.margin
        and problem.K == 1
        and primal <= 1e-12 * problem.null
        and primal - bound <= 1e-9 * problem.null
    )


def share(part: float, whole: float) -> float:
    """Return part/whole; a part of nothing is told as it is."""
    return part / whole if whole > 0.0 else part


def conjugate_within_reach(w: Floats, v: Floats) -> float:
    """Return Ω*(v) of no penalty, over weights up to twice as long as w; from w = 0 nothing is proven."""
    length, slope = norm(w), norm(v)
    return np.inf if slope > 0.0 == length else 2.0 * length * slope


def _move_inside(v: Floats, l1: float) -> Floats:
    """Return v with the rounding beyond λ₁ taken off, where it was scaled to lie within."""
    return np.clip(v, -l1, l1) if l1 and np.abs(v).max(initial=0.0) <= l1 * (1.0 + 1e-12) else v


def _weight(problem: Problem, a: Floats) -> Floats:
    return problem.c * a if a.ndim == 1 else problem.c[:, None] * a


def stationarity(problem: Problem, w: Floats, v: Floats) -> float:
    """Return how far v is from the subgradients of the penalty at w."""
    l1, rest = problem.penalty.l1, v - problem.penalty.l2 * w
    if problem.penalty.nonnegative:
        return float(np.where(w > 0.0, np.abs(rest - l1), np.maximum(rest - l1, 0.0)).max(initial=0.0))
    if not l1:
        return float(max(rest.max(initial=0.0), -rest.min(initial=0.0)))
    away = np.where(w != 0.0, np.abs(rest - l1 * np.sign(w)), np.maximum(np.abs(rest) - l1, 0.0))
    return float(away.max(initial=0.0))


def _drop_rounding(c: Floats, a: Floats) -> Floats:
    """Return a with the rounding of Σ c_i a_i taken off one entry, towards 0: times a column far from 0 it would be
    large."""
    parts = c * a
    rest = float(parts.sum())
    wide = np.where(parts * np.sign(rest) > abs(rest), np.abs(parts), np.inf)
    if rest and np.isfinite(wide).any():
        least = int(np.argmin(wide))
        a[least] -= rest / c[least]
    return a


def balance(problem: Problem, a: Floats) -> Floats:
    """Return a with Σ c_i a_i = 0 where there is an intercept, still in the domain of ℓ*.

    Of one score the heavier side shrinks to the lighter. Of a softmax, a_i = e_{y_i} − p_i, all p_i are mixed with as
    little of one distribution t as brings Σ c_i p_i to Σ c_i e_{y_i}.
    """
    if not problem.intercept:
        return a
    c = problem.c
    if problem.K == 1:
        up, down = dot(c, np.maximum(a, 0.0)), dot(c, np.maximum(-a, 0.0))
        if up == down:
            return a
        least = min(up, down)
        return _drop_rounding(
            c, np.where(a > 0.0, a * (least / up if up else 0.0), a * (least / down if down else 0.0))
        )
    truth = np.zeros_like(a)
    truth[np.arange(len(a)), problem.y] = 1.0
    p = truth - a
    wanted, there = (np.einsum("i,ik->k", c, of) for of in (truth, p))
    short = np.divide(there - wanted, there, out=np.zeros_like(there), where=there > wanted)
    mix = float(np.clip(short.max(initial=0.0), 0.0, 1.0))
    t = np.maximum(wanted - (1.0 - mix) * there, 0.0)
    if mix < 1e-15 or not t.any():
        return a
    result: Floats = truth - ((1.0 - mix) * p + mix * t / t.sum())
    return result
