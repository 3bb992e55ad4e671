"""Newton's method whose sums are passes over parts, on whatever engine.

    min over W (K, d), b (K,) of   P = Σ_i c_i ℓ(y_i, W x_i + b) + ½λ‖W‖²

An iteration is a pass for the objective, its gradient and the dual bound, then one for the Hessian itself, where
features are few, or one for each of its products in conjugate gradients, preconditioned by its diagonal and stopped
early (Dembo, Eisenstat & Steihaug, SIAM J. Numer. Anal. 19, 1982). Problems of one class against the rest share the
passes. With λ₁‖w‖₁ in the penalty, a step minimises it with the quadratic of the Hessian (Lee, Sun & Saunders, SIAM
J. Optim. 24, 2014), as least squares over a factor of it. The start is the mean of the solutions of a few parts
(Zhang, Duchi & Wainwright, JMLR 14, 2013).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, eigh, lstsq, solve

from ..certificates.certificate import is_within
from ..certificates.duality import conjugate_within_reach
from ..errors import UsageError
from ..losses import Floats, Squared
from ..penalties import Penalty
from ..solvers import Limits, Problem, Status
from ..solvers import solve as problem_solve
from ..solvers.limits import Watch
from .passes import Along, Direction, Hessians, Look, Objective, Point, Sums, Times

NAME = "newton in partitions"
# Of so many features at most the Hessian itself is summed, where its K tables are no more numbers than this.
_FEW, _NUMBERS = 512, 1 << 23
# With corners in the penalty there is no other way.
_CORNERS = 2048
# Where whole steps do not go down, these lengths are tried in one pass, and so often.
_LENGTHS, _ROUNDS = 0.25 ** np.arange(13), 3
# Where P does not fall any more for rounding, a step counts that leaves so much of a gap at most.
_LESS = 0.999
# Directions of so much less curvature than the diagonal tells are flat.
_FLAT = 1e-10

Reduce = Callable[[Any, Any], Any]
"""The sum of a task over all parts, given what they share."""


class Value(NamedTuple):
    """A point, its objective and dual bound by problem, the dual's Σ c a x, and the gradient (K, d + 1)."""

    point: Point
    sums: Sums
    primal: Floats
    gap: Floats
    v: Floats
    gradient: Floats


class Found(NamedTuple):
    """The best point, how the search ended, after how many iterations and passes, and the largest slope at 0."""

    value: Value
    status: Status
    iterations: int
    passes: int
    slope_at_zero: float
    trace: tuple[Any, ...]


@dataclass
class Search:
    """A search for the minimum; `surrogates` are problems of as many examples as classes, which weigh as all of theirs:
    they say what P is without weights. `spent` iterations were made before."""

    objective: Objective
    penalty: Penalty
    surrogates: list[Problem]
    limits: Limits
    reduce: Reduce
    save: Callable[[Floats, Floats], None]
    passes: int = 0
    spent: int = 0
    short: bool = False
    """Whether the last step was shortened: then the next is, too, before P is looked at there."""
    begun: float = field(default_factory=perf_counter)

    def run(self, d: int, start: Callable[[], tuple[Floats, Floats] | None]) -> Found:
        """Return the minimum, as far as the limits let."""
        watch, K = Watch(self.limits), self.objective.outputs
        corners = bool(self.penalty.l1)
        few = not self.objective.joint and d <= (_CORNERS if corners else _FEW) and K * (d + 1) ** 2 <= _NUMBERS
        if corners and not few:
            raise UsageError(
                f"a penalty with corners needs the Hessian of all features in partitions, which of {d:,} features and "
                f"{K} scores is too large, or of classes together. Expected at most {_CORNERS:,} features, and classes "
                "one against the rest. Choose penalty='l2', multi_class='ovr', or fewer features."
            )
        best = self.look(Point(np.zeros((K, d)), np.zeros(K), 0), not few)
        at_zero = float(np.abs(best.v).max(initial=0.0))
        status, iteration = Status.EXHAUSTED, 0
        try:
            if not self.enough(best).all() and (begun := start()) is not None:
                tried = self.look(Point(*begun, 1), not few)
                best = (
                    tried
                    if tried.primal.sum() < best.primal.sum()
                    else best._replace(point=best.point._replace(number=2))
                )
            while True:
                self.save(best.point.w, best.point.b)
                done = self.enough(best)
                shown = self.show(best)
                primal, gap = float(shown.primal.sum()), float(shown.gap.sum())
                stopped = watch(self.spent + iteration, primal, gap)
                if done.all():
                    status = Status.CONVERGED
                    break
                if stopped or iteration >= self.limits.max_iter:
                    status = watch.status or status
                    break
                iteration += 1
                following = self.step(best, done, few)
                if following is None:
                    near = is_within(gap, primal, max(self.limits.tol, 1e-9))
                    status = Status.CONVERGED if near else Status.OVERFLOW
                    break
                best = following
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        return Found(best, status, iteration, self.passes, at_zero, tuple(watch.trace))

    def show(self, value: Value) -> Value:
        """Return the value as callbacks and traces are told it."""
        return value

    def enough(self, value: Value) -> Floats:
        """Return by problem whether its gap is small enough."""
        each = zip(self.surrogates, value.gap, value.primal, strict=True)
        found: Floats = np.array([one.is_enough(float(g), float(p), self.limits.tol) for one, g, p in each])
        return found

    def look(self, point: Point, diagonal: bool) -> Value:
        """Return what a pass tells of a point."""
        return self.judge(point, self.sum_at(point, diagonal))

    def sum_at(self, point: Point, diagonal: bool) -> Sums:
        """Return the sums at a point. Cost: a pass."""
        self.passes += 1
        sums: Sums = self.reduce(Look(self.objective, diagonal), point)
        return sums

    def sum_hessians(self, point: Point) -> Floats:
        """Return the Hessian of the loss of each problem (K, d + 1, d + 1). Cost: a pass."""
        self.passes += 1
        tables: Floats = self.reduce(Hessians(self.objective), point)
        return tables

    def sum_product(self, direction: Direction) -> Floats:
        """Return the Hessian of the loss times a direction (K, d + 1). Cost: a pass."""
        self.passes += 1
        product: Floats = self.reduce(Times(self.objective), direction)
        return product

    def sum_along(self, direction: Direction, lengths: Floats) -> Floats:
        """Return the loss of each problem at lengths (T, K) of a step. Cost: a pass."""
        self.passes += 1
        losses: Floats = self.reduce(Along(self.objective, lengths), direction)
        return losses

    def offset_of(self, v: Floats) -> Floats | float:
        """Return by problem Σ c a o, of the offsets o of the scores, for duals with Σ c a x = v (K, d)."""
        return 0.0

    def judge(self, point: Point, sums: Sums) -> Value:
        """Return objective, gap and gradient of a point, of which the sums are known."""
        bound = self._joint if self.objective.joint else self._apart
        conjugate, v, slope = bound(sums)
        if self.penalty.l1 and not self.penalty.l2:  # conjugates fall at least as fast as duals do
            size = np.abs(v).max(axis=1, initial=0.0)
            inside = np.minimum(1.0, self.penalty.l1 / np.maximum(size, self.penalty.l1))
            conjugate, v = inside * conjugate, np.clip(inside[:, None] * v, -self.penalty.l1, self.penalty.l1)
        reach: Any
        primal = sums.loss + self._penalties(point.w)
        if self.objective.joint:
            reach = self._conjugate(point.w, v)
        else:
            reach = np.array([self._conjugate(*pair) for pair in zip(point.w[:, None], v[:, None], strict=True)])
        gap = primal + conjugate + reach + self.offset_of(v)
        gradient = np.column_stack([self.penalty.l2 * point.w - slope[0], -slope[1] * self.objective.intercept])
        return Value(point, sums, primal, np.where(gap < 0.0, 0.0, gap), v, gradient)

    def _conjugate(self, w: Floats, v: Floats) -> float:
        return self.penalty.conjugate(v) if self.penalty.l1 or self.penalty.l2 else conjugate_within_reach(w, v)

    def _apart(self, sums: Sums) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
        """Return Σ c ℓ* of feasible duals (K,), their Σ c a x (K, d), and the same sums of the slopes themselves."""
        theta = np.ones_like(sums.up)
        if self.objective.intercept:
            sides = np.abs(sums.up)
            theta = np.divide(sides.min(axis=0), sides, out=np.zeros_like(sides), where=sides > 0.0)
        v = (theta[:, :, None] * sums.v).sum(axis=0)
        return (theta * sums.conjugate).sum(axis=0), v, (sums.v.sum(axis=0), sums.up.sum(axis=0))

    def _joint(self, sums: Sums) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
        """Return the same of a softmax, p mixed with as little of one distribution as balances it."""
        there, wanted = sums.up
        slope = (sums.v[1] - sums.v[0], wanted - there)
        conjugate, v = sums.conjugate[0], slope[0]
        if self.objective.intercept:
            short = np.divide(there - wanted, there, out=np.zeros_like(there), where=there > wanted)
            mix = float(np.clip(short.max(initial=0.0), 0.0, 1.0))
            t = np.maximum(wanted - (1.0 - mix) * there, 0.0)
            if mix >= 1e-15 and t.any():
                t /= t.sum()
                known = t[t > 0.0]
                conjugate = (1.0 - mix) * conjugate + mix * wanted.sum() * float(known @ np.log(known))
                v = sums.v[1] - (1.0 - mix) * sums.v[0] - mix * np.outer(t, sums.v[1].sum(axis=0))
        return conjugate, v, slope

    # Steps.

    def step(self, value: Value, done: Floats, few: bool) -> Value | None:
        """Return the value after a step of Newton, shortened until P falls; None where neither it nor the gap does."""
        towards = self._by_hessian(value) if few else self._by_gradients(value)
        towards[done if not self.objective.joint else np.zeros(len(towards), bool)] = 0.0
        falls = self._dots(value.gradient, towards)
        if self.penalty.l1:
            w, q = value.point.w, towards[:, :-1]
            falls = falls + self.penalty.l1 * (np.abs(w + q) - np.abs(w)).sum(axis=1)
        if not np.isfinite(towards).all() or not (falls < 0.0).any():
            return None
        t = np.where(falls < 0.0, 1.0, 0.0)
        if self.short:
            t = self._best_length(value, t, towards)
        for _ in range(_ROUNDS):
            w, b = self._moved(value.point, t, towards)
            tried = self.look(Point(w, b, value.point.number + 1 + self.passes), not few)
            good = tried.primal <= value.primal + 1e-4 * t * falls
            rounding = np.abs(tried.primal - value.primal) <= 1e-14 * np.abs(value.primal)
            if (good | (rounding & (tried.gap <= value.gap))).all():
                if not ((tried.primal < value.primal) | (tried.gap < _LESS * value.gap)).any():
                    return None
                self.short = bool((t[falls < 0.0] < 1.0).any())
                return tried
            t = np.where(good, t, self._best_length(value, 0.25 * t, towards))
        return None

    def _moved(self, point: Point, t: Floats, towards: Floats) -> tuple[Floats, Floats]:
        """Return weights and intercepts after a step of lengths t (K,), or (1,)."""
        length = np.broadcast_to(t, len(towards))[:, None]
        return point.w + length * towards[:, :-1], point.b + length[:, 0] * towards[:, -1]

    def _best_length(self, value: Value, t: Floats, towards: Floats) -> Floats:
        """Return by problem the one of some shares of the lengths t where P is least. Cost: a pass."""
        lengths = _LENGTHS[:, None] * t
        primal = self.sum_along(Direction(value.point, towards), lengths)
        for tried, each in zip(lengths, primal, strict=True):
            w, _ = self._moved(value.point, tried, towards)
            each += self._penalties(w)
        best: Floats = np.take_along_axis(lengths, primal.argmin(axis=0)[None], axis=0)[0]
        return best

    def _penalties(self, w: Floats) -> Floats | float:
        """Return the penalty of each problem's weights, or of all of a joint one."""
        return self.penalty.value(w) if self.objective.joint else np.array([self.penalty.value(k[None, :]) for k in w])

    def _dots(self, a: Floats, b: Floats) -> Floats:
        """Return (K,) products, or (1,) where the problem is joint."""
        found: Floats = np.einsum("kd,kd->k", a, b)
        return found.sum(keepdims=True) if self.objective.joint else found

    def _by_hessian(self, value: Value) -> Floats:
        tables = self.sum_hessians(value.point)
        d = value.point.w.shape[1]
        towards = np.zeros((len(tables), d + 1))
        used = d + 1 if self.objective.intercept else d
        for k, H in enumerate(tables):
            if self.penalty.l1:
                towards[k] = self._around_corners(H, value.point.w[k], value.gradient[k])
                continue
            H[np.arange(d), np.arange(d)] += self.penalty.l2
            A, g = H[:used, :used], -value.gradient[k, :used]
            try:
                towards[k, :used] = solve(A, g, assume_a="pos")
            except (LinAlgError, ValueError):
                towards[k, :used] = lstsq(A, g)[0]
        return towards

    def _around_corners(self, H: Floats, w: Floats, gradient: Floats) -> Floats:
        """Return the step (d + 1,) to the minimum of the penalty and the quadratic of the loss, the intercept taken
        out."""
        d, g = len(w), gradient[:-1] - self.penalty.l2 * w
        A, beside, least = H[:d, :d], H[d, :d], float(H[d, d])
        if free := self.objective.intercept and least > 0.0:
            A, g = A - np.outer(beside, beside) / least, g - beside * (gradient[-1] / least)
        A = A + 1e-12 * max(1.0, float(np.trace(A)) / max(1, d)) * np.eye(d)
        values, vectors = eigh(A)
        root = np.sqrt(np.maximum(values, 1e-300))
        rows = np.ascontiguousarray((vectors * root).T)
        y = rows @ w - (vectors.T @ g) / root
        problem = Problem(rows, y, np.full(d, 0.5), Squared(), self.penalty, False)
        left = self.limits.after(perf_counter() - self.begun).time_limit
        q = problem_solve(problem, Limits(tol=1e-12, max_iter=10_000, time_limit=left)).w[0] - w
        return np.append(q, -(gradient[-1] + beside @ q) / least if free else 0.0)

    def _by_gradients(self, value: Value) -> Floats:
        """Return conjugate gradients from zero on H q = −gradient, all problems in the same passes."""
        free = np.append(np.ones(value.point.w.shape[1]), float(self.objective.intercept))
        known = np.column_stack([value.sums.diagonal + self.penalty.l2, np.ones(self.objective.outputs)])
        known[:, -1] = max(float(known[:, :-1].max(initial=0.0)), 1e-300)
        scaled = np.maximum(known, 1e-12 * max(1.0, float(known.max())))
        scale = free / scaled
        r = -value.gradient * free
        x, z = np.zeros_like(r), scale * r
        q, rz = z.copy(), self._dots(r, z)
        rough = float(np.clip(np.sqrt(value.gap.sum() / max(abs(value.primal.sum()), 1e-300)), 0.01, 0.1))
        enough = rough**2 * rz
        for _ in range(200):
            if (rz <= enough).all():
                break
            h = free * self.sum_product(Direction(value.point, q))
            h[:, :-1] += self.penalty.l2 * q[:, :-1]
            curvature = self._dots(q, h)
            going = (curvature > _FLAT * self._dots(q, scaled * q)) & (rz > enough)
            if not going.any():
                break
            length = np.where(going, rz / np.where(curvature > 0.0, curvature, 1.0), 0.0)[:, None]
            x, r = x + length * q, r - length * h
            z = scale * r
            rz, before = np.where(going, self._dots(r, z), rz), rz
            q = np.where(going[:, None], z + (rz / np.where(before > 0.0, before, 1.0))[:, None] * q, q)
        found: Floats = x if x.any() else z
        return found
