"""Passes over encoded parts: what the objective, its gradient, its Hessian and its dual bound are sums of.

With θ_up, θ_down ≤ 1 the dual variables a_i of the examples of either side become feasible, Σ c_i a_i = 0. As
conjugates are convex and ℓ*(y, 0) = 0 for the losses of margins, ℓ*(y_i, −θ a_i) ≤ θ ℓ*(y_i, −a_i): so sums by side
bound the dual without another pass. Of a softmax, Σ p log p of p mixed with a distribution is at most the mixture of
both. A hinge is made smooth over a width δ of margins; its slopes are then feasible for the dual of the hinge itself:

    ℓ_δ(m) = δ ln(1 + e^(m/δ)),      m = 1 − y·s,      max(0, m) ≤ ℓ_δ(m) ≤ max(0, m) + δ ln 2
    ℓ_δ*(y, −a) = −α + δ [α ln α + (1 − α) ln(1 − α)],      α = y·a
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from .._core import combination, gram_diagonals, loss_conjugate, loss_look, scores
from ..data.rows import reals_for_core
from ..losses import Floats, Loss, Softmax
from ..solvers.hessian import lower_gram_of_rows
from .parts import Part


@dataclass(frozen=True)
class Objective:
    """What is minimised over all parts: K problems of one score each, or `joint` one of K scores."""

    loss: Loss
    classes: NDArray[Any]
    weights: Floats
    joint: bool
    intercept: bool
    name: str
    width: float = 0.0
    """Of the margins over which a hinge is smooth."""

    @property
    def outputs(self) -> int:
        """The number of scores."""
        return len(self.classes) if self.joint or len(self.classes) > 2 else 1

    def targets(self, y: NDArray[Any], k: int) -> Floats:
        """Return the targets ±1 of problem k."""
        found: Floats = 2.0 * (y == (k if self.outputs > 1 else 1)) - 1.0
        return found


class Rows(NamedTuple):
    """A part as the core takes it: rows, y (N,) places among all classes, c (N,) weights, and the weights alone."""

    rows: Any
    y: NDArray[Any]
    c: Floats
    repetition: Floats | None

    @classmethod
    def of(cls, objective: Objective, part: Part, arguments: tuple[Any, ...]) -> Rows:
        """Read a part."""
        with part.naming():
            encoded: Any = part.load(*(arguments or part.arguments))
            y = np.searchsorted(objective.classes, encoded.labels)[encoded.y]
            c = objective.weights[y] if encoded.weight is None else objective.weights[y] * encoded.weight
            return cls(reals_for_core(encoded.X), y, np.ascontiguousarray(c), encoded.weight)


class Sums(NamedTuple):
    """Sums over examples, with one entry for each problem, or for the one that is joint.

    loss; conjugates and Σ c a of either side (2, K); v (2, K, d) = Σ c a x of either side; weight of what is judged
    wrong. Of a joint problem the sides are those of p and of the truth, and `up` is Σ c p. Of a hinge that is smooth,
    `sharp` (3, K) is the loss of the hinge itself, and the conjugates of either side.
    """

    loss: Floats
    conjugate: Floats
    up: Floats
    v: Floats
    wrong: float
    diagonal: Floats
    sharp: Floats

    def __add__(self, other: Sums) -> Sums:  # type: ignore[override]
        each: Any = zip(self, other, strict=True)
        return Sums(*(a + b for a, b in each))


class Point(NamedTuple):
    """Weights (K, d) and intercepts (K,), and which iteration they are of."""

    w: Floats
    b: Floats
    number: int


class Curvatures:
    """Curvatures of the last point, by part, so that a product with the Hessian is two passes, not three; at most so
    many bytes of them in a process."""

    def __init__(self, most: int) -> None:
        self._most, self._held, self._lock = most, 0, Lock()
        self._kept: OrderedDict[tuple[str, int], tuple[int, Floats]] = OrderedDict()

    def get(self, objective: Objective, part: Part, number: int) -> Floats | None:
        """Return those of a part at the point of this number, if they are kept."""
        with self._lock:
            known = self._kept.get((objective.name, part.index))
        return known[1] if known is not None and known[0] == number else None

    def keep(self, objective: Objective, part: Part, number: int, h: Floats) -> None:
        """Keep those of a part in the place of those of another point; the oldest give way."""
        with self._lock:
            self._drop((objective.name, part.index))
            self._kept[objective.name, part.index] = number, h
            self._held += h.nbytes
            while self._held > self._most:
                self._drop(next(iter(self._kept)))

    def forget(self, objective: Objective) -> None:
        """Drop all of an objective."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == objective.name]:
                self._drop(key)

    def _drop(self, key: tuple[str, int]) -> None:
        known = self._kept.pop(key, None)
        self._held -= 0 if known is None else known[1].nbytes


CURVATURES = Curvatures(1 << 28)


@dataclass(frozen=True)
class Look:
    """Objective, gradient and dual bound at a point."""

    objective: Objective
    diagonal: bool = field(default=False)

    def __call__(self, part: Part, arguments: tuple[Any, ...], point: Point) -> Sums:
        """Return the sums of a part."""
        rows = Rows.of(self.objective, part, arguments)
        s = scores(rows.rows, point.w, point.b)
        found, h = _look_jointly(self.objective, rows, s) if self.objective.joint else _look(self.objective, rows, s)
        CURVATURES.keep(self.objective, part, point.number, h)
        if self.diagonal:
            curved = rows.c[:, None] * h * (1.0 - h) if self.objective.joint else h
            return found._replace(diagonal=gram_diagonals(rows.rows, np.ascontiguousarray(curved)))
        return found

    def combine(self, left: Sums, right: Sums) -> Sums:
        """Return the sums of both."""
        return left + right


def _look(objective: Objective, rows: Rows, s: Floats) -> tuple[Sums, Floats]:
    """Return the sums, and curvatures (N, K)."""
    K, loss, width = objective.outputs, objective.loss, objective.width
    total, conjugate, sharp = np.zeros(K), np.zeros((2, K)), np.zeros((3, K))
    N, wrong = len(rows.y), 0.0
    above, below, h = np.empty((N, K)), np.empty((N, K)), np.empty((N, K))
    for k in range(K):
        y, sk = objective.targets(rows.y, k), np.ascontiguousarray(s[:, k])
        sides = _by_side(y, rows.c)
        if width:
            total[k], a, h[:, k], sharp[0, k] = _look_smoothly(y, rows.c, sk, width)
            sharp[1:, k], conjugate[:, k] = _conjugates_smoothly(y * a, sides, width)
        else:
            total[k], a, h[:, k] = loss_look(loss.name, y, rows.c, sk)
            conjugate[:, k] = [loss_conjugate(loss.name, y, c, a) for c in sides]
        above[:, k], below[:, k] = (c * a for c in sides)
        if K == 1:
            missed = (sk > 0.0) != (y > 0.0)
            wrong = float(missed.sum() if rows.repetition is None else rows.repetition[missed].sum())
    up = np.array([above.sum(axis=0), below.sum(axis=0)])
    v = np.array([_combine_apart(rows, above), combination(rows.rows, below)])
    return Sums(total, conjugate, up, v, wrong, np.zeros(0), sharp), h


def _by_side(y: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Return the weights of the examples of either side, and zeros in the places of the others."""
    is_above = np.maximum(y, 0.0)
    return c * is_above, c * (1.0 - is_above)


def _combine_apart(rows: Rows, u: Floats) -> Floats:
    """Return Uᵀ·X (K, d), u (N, K) with at most one number a row that is not 0: each row is read once, not K times."""
    return np.concatenate([combination(rows.rows, np.ascontiguousarray(u[:, [k]])) for k in range(u.shape[1])])


def _look_smoothly(y: Floats, c: Floats, s: Floats, width: float) -> tuple[float, Floats, Floats, float]:
    """Return the loss of the smooth hinge, its slopes, its curvatures, and the loss of the hinge itself."""
    m = 1.0 - y * s
    alpha = expit(m / width)
    return (
        float(c @ _smooth_loss(y, s, width)),
        y * alpha,
        c * alpha * expit(-m / width) / width,
        float(c @ np.maximum(m, 0.0)),
    )


def _conjugates_smoothly(
    alpha: Floats, sides: tuple[Floats, Floats], width: float
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the conjugates of the hinge, by the weights of either side, and those of the smooth hinge."""
    chaos = entr(alpha) + entr(1.0 - alpha)
    sharp = tuple(-float(c @ alpha) for c in sides)
    return sharp, tuple(s - width * float(c @ chaos) for s, c in zip(sharp, sides, strict=True))


def _look_jointly(objective: Objective, rows: Rows, s: Floats) -> tuple[Sums, Floats]:
    """Return the sums, and probabilities (N, K)."""
    loss = objective.loss
    assert isinstance(loss, Softmax)
    p = loss.weights(s)
    truth = np.zeros_like(p)
    truth[np.arange(len(p)), rows.y] = 1.0
    total = float(rows.c @ loss.value(rows.y, s))
    conjugate = float(rows.c @ loss.conjugate(rows.y, p - truth))
    there, wanted = rows.c[:, None] * p, rows.c[:, None] * truth
    v = np.array([combination(rows.rows, there), _combine_apart(rows, wanted)])
    up = np.array([there.sum(axis=0), wanted.sum(axis=0)])
    return Sums(np.array([total]), np.array([[conjugate]]), up, v, 0.0, np.zeros(0), np.zeros((3, 1))), p


class Direction(NamedTuple):
    """A direction (K, d + 1), weights and intercept, from a point."""

    point: Point
    q: Floats


@dataclass(frozen=True)
class Along:
    """The loss at some lengths (T, K) of a step."""

    objective: Objective
    lengths: Floats

    def __call__(self, part: Part, arguments: tuple[Any, ...], given: Direction) -> Floats:
        """Return the losses (T, K) of a part, or (T, 1) of a joint problem."""
        rows, q = Rows.of(self.objective, part, arguments), given.q
        s = scores(rows.rows, given.point.w, given.point.b)
        change = scores(rows.rows, np.ascontiguousarray(q[:, :-1]), np.ascontiguousarray(q[:, -1]))
        return np.array([_losses(self.objective, rows, s + length * change) for length in self.lengths])

    def combine(self, left: Floats, right: Floats) -> Floats:
        """Return the sum of both."""
        return left + right


def _losses(objective: Objective, rows: Rows, s: Floats) -> Floats:
    """Return the loss of each problem (K,), or of the joint one (1,)."""
    if objective.joint:
        return np.array([rows.c @ objective.loss.value(rows.y, s)])
    targets = [objective.targets(rows.y, k) for k in range(objective.outputs)]
    if objective.width:
        each = [_smooth_loss(y, s[:, k], objective.width) for k, y in enumerate(targets)]
    else:
        each = [objective.loss.value(y, s[:, k]) for k, y in enumerate(targets)]
    return np.array([rows.c @ values for values in each])


def _smooth_loss(y: Floats, s: Floats, width: float) -> Floats:
    found: Floats = width * np.logaddexp(0.0, (1.0 - y * s) / width)
    return found


@dataclass(frozen=True)
class Times:
    """The Hessian of the loss times a direction."""

    objective: Objective

    def __call__(self, part: Part, arguments: tuple[Any, ...], given: Direction) -> Floats:
        """Return the product (K, d + 1) of a part."""
        rows, h = _curved(self.objective, part, arguments, given.point)
        t = scores(rows.rows, np.ascontiguousarray(given.q[:, :-1]), np.ascontiguousarray(given.q[:, -1]))
        u = h * t if not self.objective.joint else rows.c[:, None] * h * (t - (h * t).sum(axis=1, keepdims=True))
        product = combination(rows.rows, np.ascontiguousarray(u))
        return np.column_stack([product, u.sum(axis=0)])

    def combine(self, left: Floats, right: Floats) -> Floats:
        """Return the sum of both."""
        return left + right


@dataclass(frozen=True)
class Hessians:
    """The Hessian of the loss of each problem, for few features."""

    objective: Objective

    def __call__(self, part: Part, arguments: tuple[Any, ...], point: Point) -> Floats:
        """Return (K, d + 1, d + 1) of a part."""
        rows, h = _curved(self.objective, part, arguments, point)
        d = point.w.shape[1]
        found = np.empty((self.objective.outputs, d + 1, d + 1))
        for k in range(self.objective.outputs):
            hk = np.ascontiguousarray(h[:, k])
            lower = np.tril(lower_gram_of_rows(rows.rows, hk))
            found[k, :d, :d] = lower + np.tril(lower, -1).T
            found[k, d, :d] = found[k, :d, d] = combination(rows.rows, hk[:, None])[0]
            found[k, d, d] = hk.sum()
        return found

    def combine(self, left: Floats, right: Floats) -> Floats:
        """Return the sum of both."""
        return left + right


def _curved(objective: Objective, part: Part, arguments: tuple[Any, ...], point: Point) -> tuple[Rows, Floats]:
    """Return a part and its curvatures at a point, or probabilities of a joint problem."""
    rows = Rows.of(objective, part, arguments)
    h = CURVATURES.get(objective, part, point.number)
    if h is None:
        s = scores(rows.rows, point.w, point.b)
        h = (_look_jointly if objective.joint else _look)(objective, rows, s)[1]
        CURVATURES.keep(objective, part, point.number, h)
    return rows, h
