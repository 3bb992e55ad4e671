"""What a linear model asks of a solver, and what it gets back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from deciban._core import combination, gram_times, loss_along, loss_conjugate, loss_look, scores
from deciban.certificates.gap import is_within
from deciban.data.plain_state import PlainState
from deciban.inner_product import dot
from deciban.losses import Floats, Loss, Perceptron
from deciban.penalties import Penalty

from .null import null_value

# Weights that gain less than this share of P are not told from 0 (the core has the same number).
_GAIN = 1e-6
_ROUNDING, _FREE = 1e-15, 1e-10


@dataclass(frozen=True)
class Problem:
    """min over w (K, d), b (K,) of   Σ_i c_i ℓ(y_i, x_i·wᵀ + b + o_i) + Ω(w)

    K = 1 for losses of one score; the softmax has K classes and y (N,) class indices. `rows` is X as the core takes
    it (`rows.reals_for_core`), `y` (N,) are targets, −1 or +1 for margins, and `c` (N,) weights > 0. Without
    `intercept` b is 0. It is never penalised. `offset` o (N,), for K = 1, is what the scores have besides; None is 0.
    """

    rows: Any
    y: Any
    c: Floats
    loss: Loss
    penalty: Penalty
    intercept: bool = True
    K: int = 1
    n_jobs: int | None = None
    offset: Floats | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(N, d)."""
        return (len(self.y), self.rows[3] if isinstance(self.rows, tuple) else self.rows.shape[1])

    @property
    def sparse(self) -> bool:
        """Whether X is stored as CSR."""
        return isinstance(self.rows, tuple)

    @property
    def stored(self) -> int:
        """How many values X stores."""
        return len(self.rows[0]) if isinstance(self.rows, tuple) else self.rows.size

    def scores(self, w: Floats, b: Floats) -> Floats:
        """s (N,) = X·w + b + o for K = 1, else (N, K). Cost: one pass over X."""
        s = self.product(w, b)
        return s if self.offset is None else s + self.offset

    def product(self, w: Floats, b: Floats) -> Floats:
        """X·w + b without the offset, as scores change along a step."""
        s: Floats = scores(self.rows, np.ascontiguousarray(w), b, n_jobs=self.n_jobs)
        return s[:, 0] if self.K == 1 else s

    def conjugate(self, a: Floats) -> Floats:
        """(N,) ℓ*(y_i, −a_i) + a_i·o_i, the conjugate of the loss with its offset."""
        conjugate = self.loss.conjugate(self.y, -a)
        return conjugate if self.offset is None else conjugate + a * self.offset

    def combination(self, u: Floats) -> Floats:
        """(K, d) Σ_i u_i x_i for u like the scores. Cost: one pass over X."""
        v: Floats = combination(self.rows, np.ascontiguousarray(u.reshape(len(self.y), self.K)), n_jobs=self.n_jobs)
        return v

    def gram_times(self, h: Floats, v: Floats) -> Floats:
        """(d,) Xᵀ·diag(h)·X·v for h (N,), v (d,). Cost: one pass over X."""
        product: Floats = gram_times(self.rows, h, np.ascontiguousarray(v), n_jobs=self.n_jobs)[0]
        return product

    def without_offset(self) -> Self:
        """The same problem of residuals: (y − o) − (x·w + b)."""
        if self.offset is None:
            return self
        if self.loss.margin:
            raise ValueError(f"an offset of {self.loss.name!r}, a loss of margins, cannot be moved to the targets")
        return replace(self, y=self.y - self.offset, offset=None)

    def total(self, of_each: Floats) -> float:
        """Σ_i c_i of something (N,), in the same order on any number of threads."""
        return dot(self.c, of_each)

    def look(self, s: Floats) -> tuple[float, Floats, Floats]:
        """Σ c ℓ, a = −∂ℓ/∂s (N,) and c·∂²ℓ/∂s² (N,) at the scores s, K = 1. Cost: one pass over N."""
        return loss_look(self.loss.name, self.y, self.c, s, **self._of_loss)

    def along(self, s: Floats, d: Floats | None, t: float) -> tuple[float, float]:
        """The first and second derivative in t of Σ c ℓ(y, s + t·d), d (N,) or None for ones, K = 1."""
        return loss_along(self.loss.name, self.y, self.c, s, d, t, **self._of_loss)

    def total_conjugate(self, a: Floats) -> float:
        """Σ c times `conjugate` of a (N,), K = 1."""
        total = loss_conjugate(self.loss.name, self.y, self.c, a, **self._of_loss)
        return total if self.offset is None else total + self.total(a * self.offset)

    @property
    def _of_loss(self) -> Any:
        return {"delta": getattr(self.loss, "delta", 1.0), "n_jobs": self.n_jobs}

    def primal(self, w: Floats, s: Floats) -> float:
        """P at weights w (K, d) and their scores s."""
        return self.total(self.loss.value(self.y, s)) + self.penalty.value(w)

    @cached_property
    def null(self) -> float:
        """P without weights: min over b of Σ c_i ℓ(y_i, b + o_i)."""
        return null_value(self)

    @cached_property
    def null_at_zero(self) -> float:
        """P where all weights and b are 0."""
        s = np.zeros(len(self.y) if self.K == 1 else (len(self.y), self.K))
        return self.total(self.loss.value(self.y, s if self.offset is None else s + self.offset))

    @cached_property
    def slopes_at_zero(self) -> float:
        """The largest |Σ c_i a_i x_ij| where all scores are 0, of which a gradient is a share. Cost: a pass over X."""
        s = np.zeros(len(self.y)) if self.K == 1 else np.zeros((len(self.y), self.K))
        slopes = self.loss.slope(self.y, s if self.offset is None else s + self.offset)
        weight = self.c if self.K == 1 else self.c[:, None]
        return float(np.abs(self.combination(weight * slopes)).max(initial=0.0))

    @property
    def floor(self) -> float:
        """A gap so small is lost to rounding: of residuals where the fit is exact, and P is 0 but for rounding; without
        a penalty where P tends to 0 as weights grow for ever; of examples of one class, for which P tends to 0 as b
        grows; of the perceptron's loss, which is 0 at w = 0."""
        if type(self.loss) is Perceptron:
            return _ROUNDING * float(self.c.sum())
        nothing = self.null_at_zero
        if self.null <= _ROUNDING * nothing:
            return _ROUNDING * nothing
        if not self.penalty.l1 and not self.penalty.l2 and not self.penalty.nonnegative:
            return _FREE * self.null
        return 0.0 if self.loss.margin or self.K > 1 else _ROUNDING * self.null

    def is_enough(self, gap: float, primal: float, tol: float) -> bool:
        """Whether a gap is at most tol·|P| and at most tol·(P₀ − P), P₀ being P without weights: where these gain
        little, as for C → 0, a gap small against P alone would leave them anywhere."""
        if gap <= self.floor:
            return True
        if not is_within(gap, primal, tol):
            return False
        return bool(gap <= tol * max(self.null - primal, _GAIN * abs(primal)))

    def with_penalty(self, penalty: Penalty) -> Self:
        """The same data and loss under another penalty."""
        return replace(self, penalty=penalty)


def price_of_errors(problem: Problem) -> float:
    """Σ c / N · Σ ‖x‖² / N over the weight of the square in the penalty: how far one example alone would pull the
    scores, in units of the loss, and 0 without a square. The larger, the more passes dual ascent takes."""
    if not problem.penalty.l2:
        return 0.0
    n, values = problem.shape[0], problem.rows[0] if isinstance(problem.rows, tuple) else problem.rows.reshape(-1)
    return float(problem.c.mean()) * dot(values, values) / n / problem.penalty.l2


class Status(Enum):
    """How a fit ended. The text is the advice."""

    CONVERGED = ""
    EXACT = "closed form"
    EXHAUSTED = "raise max_iter, or tol; columns of very different scale slow solvers down: scale them first"
    OUT_OF_TIME = "raise time_limit, or tol; columns of very different scale slow solvers down: scale them first"
    STOPPED = "the callback said stop: these are the best weights until then"
    INTERRUPTED = "interrupted: these are the best weights until then"
    STREAMED = "each example was learnt from once: the regret is bounded, but no minimum was sought, which fit finds"
    SEPARABLE = "the data are separable and nothing is penalised, so the weights grow for ever: add a penalty"
    OVERFLOW = "the numbers left the range of a float64: scale the columns, or take a smaller step"

    @property
    def finished(self) -> bool:
        """Whether what was asked for was reached."""
        return self in (Status.CONVERGED, Status.EXACT)


def worst(statuses: Iterable[Status]) -> Status:
    """Of several the one that is farthest from done: the first that is not finished, else the first."""
    first, *others = statuses
    return next((status for status in (first, *others) if not status.finished), first)


class Step(NamedTuple):
    """A line of the trace: NaN where a solver does not know primal or gap."""

    iteration: int
    primal: float
    gap: float
    seconds: float


Callback = Callable[[int, float, float], Any]


@dataclass(frozen=True)
class Limits:
    """When to stop: on the relative gap (primal − dual) / |primal| ≤ tol (`Problem.is_enough`), after `max_iter`
    iterations, after `time_limit` seconds, or when `callback(iteration, objective, gap)` returns something true."""

    tol: float = 1e-6
    max_iter: int = 1000
    time_limit: float | None = None
    callback: Callback | None = None


@dataclass(frozen=True)
class Solution(PlainState):
    """w (K, d), b (K,), how the solver ended, and what it knows besides.

    `dual` is a like the scores with −a in the domain of ℓ*, where the solver keeps one: at the optimum it is
    −∂ℓ/∂s. Nobody needs to believe a solver: `certificates.duality.gap` proves what it says.
    """

    w: Floats
    b: Floats
    status: Status
    iterations: int
    solver: str
    dual: Floats | None = None
    trace: tuple[Step, ...] = field(default=(), repr=False)
