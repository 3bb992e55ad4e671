"""What a linear model asks of a solver, and what it gets back; and the objective without weights.

    P₀ = min over b of   Σ c_i ℓ(y_i, b + o_i)                     (b = 0 without an intercept)

A small gap relative to |P| says little of the weights where they gain little: for C → 0 almost all of P is P₀. So
solvers go on until the gap is small against P₀ − P, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple, Self

import numpy as np

from deciban._core import combination, gram_times, loss_along, loss_conjugate, loss_look, loss_shift, scores, sizes
from deciban.certificates.certificate import is_within
from deciban.data.plain_state import PlainState
from deciban.inner_product import dot
from deciban.lazy import cached_property
from deciban.losses import Absolute, EpsilonInsensitive, Floats, Hinge, Loss, Perceptron, Softmax
from deciban.penalties import Penalty

# Weights that gain less than this share of P are not told from 0 (the core has the same number).
_GAIN = 1e-6
_ROUNDING, _FREE = 1e-15, 1e-10


@dataclass(frozen=True)
class Problem:
    """The problem min over w (K, d), b (K,) of Σ_i c_i ℓ(y_i, (r∘x_i)·wᵀ + b + o_i) + Ω(w).

    The intercept b is never penalised.

    Parameters
    ----------
    rows : ndarray or CSR matrix of shape (n_samples, n_features)
        Examples X, as the core takes them (`rows.reals_for_core`).
    y : ndarray of shape (n_samples,)
        Targets: −1 or +1 for losses of margins, class indices for losses of K scores.
    c : ndarray of shape (n_samples,)
        Weights > 0.
    loss : Loss
        The loss ℓ.
    penalty : Penalty
        The penalty Ω.
    intercept : bool, default=True
        Whether there is an intercept; without it b is 0.
    K : int, default=1
        Number of scores: 1, or the number of classes.
    n_jobs : int, optional
        Number of threads. By default all cores.
    offset : ndarray of shape (n_samples,), optional
        What the scores have besides, o, for K = 1. By default 0.
    scale : ndarray of shape (n_features,), optional
        What each feature is multiplied by, r: problems that differ in it share rows until one is solved. By default 1.
    siblings : Siblings, optional
        Of problems that differ in their targets alone, what is done once for all.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban import losses, penalties
    >>> problem = Problem(np.eye(2), np.array([1.0, 3.0]), np.ones(2), losses.Squared(), penalties.L2())
    >>> problem.scores(np.array([[1.0, 2.0]]), np.zeros(1)).tolist()
    [1.0, 2.0]
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
    scale: Floats | None = None
    siblings: Any = field(default=None, repr=False, compare=False)

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
        """Return the scores s = X·(r∘w) + b + o, in one pass over X.

        Parameters
        ----------
        w : ndarray of shape (K, n_features)
            Weights.
        b : ndarray of shape (K,)
            Intercepts.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, K)
            Scores; (n_samples,) for K = 1.
        """
        s = self.product(w, b)
        return s if self.offset is None else s + self.offset

    def product(self, w: Floats, b: Floats) -> Floats:
        """Return X·(r∘w) + b without the offset, as scores change along a step.

        Parameters
        ----------
        w : ndarray of shape (K, n_features)
            Weights.
        b : ndarray of shape (K,)
            Intercepts.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, K)
            Changes of scores; (n_samples,) for K = 1.
        """
        s: Floats = scores(self.rows, np.ascontiguousarray(self._scaled(w)), b, n_jobs=self.n_jobs)
        return s[:, 0] if self.K == 1 else s

    def conjugate(self, a: Floats) -> Floats:
        """Return the conjugate of the loss with its offset, ℓ*(y_i, −a_i) + a_i·o_i.

        Parameters
        ----------
        a : ndarray of shape (n_samples,) or (n_samples, K)
            Dual variables.

        Returns
        -------
        ndarray of shape (n_samples,)
            Conjugates.
        """
        conjugate = self.loss.conjugate(self.y, -a)
        return conjugate if self.offset is None else conjugate + a * self.offset

    def combination(self, u: Floats) -> Floats:
        """Return the combination of examples Σ_i u_i (r∘x_i), in one pass over X.

        Parameters
        ----------
        u : ndarray of shape (n_samples,) or (n_samples, K)
            Coefficients.

        Returns
        -------
        ndarray of shape (K, n_features)
            Combinations.
        """
        v: Floats = combination(self.rows, np.ascontiguousarray(u.reshape(len(self.y), self.K)), n_jobs=self.n_jobs)
        return self._scaled(v)

    def _scaled(self, w: Floats) -> Floats:
        """Return r∘w."""
        return w if self.scale is None else self.scale * w

    def written_out(self) -> Problem:
        """Return the same problem without a scale, which its rows have instead.

        Returns
        -------
        Problem
            The problem as solvers see it, which look at the rows themselves; this one where it has no scale.
        """
        if self.scale is None:
            return self
        values = self.rows[0] if isinstance(self.rows, tuple) else self.rows
        scale = self.scale
        if ((values == 0.0) | (values == 1.0)).all() and (scale == scale.astype(values.dtype)).all():
            scale = scale.astype(values.dtype)  # no product is rounded
        rows = (values * scale[self.rows[1]], *self.rows[1:]) if isinstance(self.rows, tuple) else values * scale
        return replace(self, rows=rows, scale=None, siblings=None)

    def gram_times(self, h: Floats, v: Floats) -> Floats:
        """Return r∘Xᵀ·diag(h)·X·(r∘v), in one pass over X.

        Parameters
        ----------
        h : ndarray of shape (n_samples,)
            Curvatures.
        v : ndarray of shape (n_features,)
            Direction.

        Returns
        -------
        ndarray of shape (n_features,)
            The product.
        """
        product: Floats = gram_times(self.rows, h, np.ascontiguousarray(self._scaled(v)), n_jobs=self.n_jobs)[0]
        return self._scaled(product)

    def without_offset(self) -> Self:
        """Return the same problem of residuals, (y − o) − (x·w + b).

        Returns
        -------
        Problem
            A problem without an offset.

        Raises
        ------
        ValueError
            If the loss is one of margins, whose offset cannot be moved to the targets.
        """
        if self.offset is None:
            return self
        if self.loss.margin:
            raise ValueError(f"an offset of {self.loss.name!r}, a loss of margins, cannot be moved to the targets")
        return replace(self, y=self.y - self.offset, offset=None)

    def total(self, of_each: Floats) -> float:
        """Return the weighted sum Σ_i c_i v_i, in the same order on any number of threads.

        Parameters
        ----------
        of_each : ndarray of shape (n_samples,)
            Values v.

        Returns
        -------
        float
            The sum.
        """
        return dot(self.c, of_each)

    def look(self, s: Floats) -> tuple[float, Floats, Floats]:
        """Return loss, dual variables and curvatures at the scores, for K = 1, in one pass over the examples.

        Parameters
        ----------
        s : ndarray of shape (n_samples,)
            Scores.

        Returns
        -------
        total : float
            The total loss Σ c ℓ.
        a : ndarray of shape (n_samples,)
            Negative slopes −∂ℓ/∂s.
        h : ndarray of shape (n_samples,)
            Weighted curvatures c·∂²ℓ/∂s².
        """
        return loss_look(self.loss.name, self.y, self.c, s, **self._of_loss)

    def along(self, s: Floats, d: Floats | None, t: float) -> tuple[float, float]:
        """Return the derivatives in t of the total loss Σ c ℓ(y, s + t·d), for K = 1.

        Parameters
        ----------
        s : ndarray of shape (n_samples,)
            Scores.
        d : ndarray of shape (n_samples,) or None
            Change of the scores; None for ones.
        t : float
            Length of the step.

        Returns
        -------
        first : float
            First derivative.
        second : float
            Second derivative.
        """
        return loss_along(self.loss.name, self.y, self.c, s, d, t, **self._of_loss)

    def total_conjugate(self, a: Floats) -> float:
        """Return the weighted sum of the conjugates, for K = 1.

        Parameters
        ----------
        a : ndarray of shape (n_samples,)
            Dual variables.

        Returns
        -------
        float
            The sum.
        """
        total = loss_conjugate(self.loss.name, self.y, self.c, a, **self._of_loss)
        return total if self.offset is None else total + self.total(a * self.offset)

    @property
    def _of_loss(self) -> Any:
        return {"delta": getattr(self.loss, "delta", 1.0), "n_jobs": self.n_jobs}

    def primal(self, w: Floats, s: Floats) -> float:
        """Return the objective P at weights and their scores.

        Parameters
        ----------
        w : ndarray of shape (K, n_features)
            Weights.
        s : ndarray of shape (n_samples,) or (n_samples, K)
            Their scores.

        Returns
        -------
        float
            The objective.
        """
        return self.total(self.loss.value(self.y, s)) + self.penalty.value(w)

    def find_sizes(self) -> None:
        """Find `sizes` now, on this thread alone, for who asks later."""
        vars(self)["sizes"] = replace(self, n_jobs=1).sizes

    def find_slopes(self) -> None:
        """Find `slopes_at_zero` now, on this thread alone, for who asks later; no problem waits for its siblings'."""
        if self.siblings is None:
            vars(self)["slopes_at_zero"] = replace(self, n_jobs=1).slopes_at_zero

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
    def squares(self) -> float:
        """Return Σ ‖r∘x‖² over all examples. Cost: a pass over X."""
        rows = self.written_out().rows
        values = rows[0] if isinstance(rows, tuple) else rows.reshape(-1)
        return dot(values, values)

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """The least size |x| of a value that is not 0, as it came, and the largest. Cost: a pass over X."""
        return sizes(self.rows, n_jobs=self.n_jobs)

    @cached_property
    def slopes_at_zero(self) -> float:
        """The largest |Σ c_i a_i x_ij| where all scores are 0, of which a gradient is a share. Cost: a pass over X."""
        s = np.zeros(len(self.y)) if self.K == 1 else np.zeros((len(self.y), self.K))
        slopes = self.loss.slope(self.y, s if self.offset is None else s + self.offset)
        weight = self.c if self.K == 1 else self.c[:, None]
        if self.loss.margin and self.siblings is not None and self.siblings.have(self):
            v = self.siblings.combination(self, slopes)
        else:
            v = self.combination(weight * slopes)
        return float(np.abs(v).max(initial=0.0))

    @property
    def floor(self) -> float:
        """Gap below which rounding decides.

        It is that of residuals where the fit is exact, and P is 0 but for rounding; without a penalty where P tends to
        0 as weights grow for ever; of examples of one class, for which P tends to 0 as b grows; of the perceptron's
        loss, which is 0 at w = 0.
        """
        if type(self.loss) is Perceptron:
            return _ROUNDING * float(self.c.sum())
        nothing = self.null_at_zero
        if self.null <= _ROUNDING * nothing:
            return _ROUNDING * nothing
        if not self.penalty.l1 and not self.penalty.l2 and not self.penalty.nonnegative:
            return _FREE * self.null
        return 0.0 if self.loss.margin or self.K > 1 else _ROUNDING * self.null

    def is_enough(self, gap: float, primal: float, tol: float) -> bool:
        """Return whether a gap is at most tol·|P| and at most tol·(P₀ − P), P₀ being P without weights.

        Where weights gain little, as for C → 0, a gap that is small against P alone would leave them anywhere.

        Parameters
        ----------
        gap : float
            Gap between primal and dual objective.
        primal : float
            Objective P.
        tol : float
            Tolerance.

        Returns
        -------
        bool
            Whether to stop.
        """
        if gap <= self.floor:
            return True
        if not is_within(gap, primal, tol):
            return False
        return bool(gap <= tol * max(self.null - primal, _GAIN * abs(primal)))

    def with_penalty(self, penalty: Penalty) -> Self:
        """Return the same data and loss under another penalty.

        Parameters
        ----------
        penalty : Penalty
            The penalty.

        Returns
        -------
        Problem
            The problem.
        """
        return replace(self, penalty=penalty)


def price_of_errors(problem: Problem) -> float:
    """Return Σ c / N · Σ ‖x‖² / N over the weight of the square in the penalty: how far one example alone would pull
    the scores, in units of the loss, and 0 without a square. The larger, the more passes dual ascent takes."""
    if not problem.penalty.l2:
        return 0.0
    return float(problem.c.mean()) * problem.squares / problem.shape[0] / problem.penalty.l2


class Status(Enum):
    """How a fit ended; the value is advice for the user.

    Examples
    --------
    >>> Status.EXACT.value
    'closed form'
    """

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
    """Return the one of several that is farthest from done: the first that is not finished, else the first."""
    first, *others = statuses
    return next((status for status in (first, *others) if not status.finished), first)


def whole(solution: Solution) -> Solution:
    """Return the solution; KeyboardInterrupt if Ctrl-C ended it: for a step to another one, whose status it is not."""
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return solution


class Step(NamedTuple):
    """An entry of the trace of a solver.

    Parameters
    ----------
    iteration : int
        Number of iterations.
    primal : float
        Objective; NaN where the solver does not know it.
    gap : float
        Gap between primal and dual objective; NaN where the solver does not know it.
    seconds : float
        Seconds since the start.

    Examples
    --------
    >>> Step(3, 0.5, 1e-7, 0.01).iteration
    3
    """

    iteration: int
    primal: float
    gap: float
    seconds: float


Callback = Callable[[int, float, float], Any]


@dataclass(frozen=True)
class Limits:
    """When a solver stops.

    Parameters
    ----------
    tol : float, default=1e-6
        Relative gap (primal − dual) / |primal| to reach, as `Problem.is_enough` tests it.
    max_iter : int, default=1000
        Largest number of iterations.
    time_limit : float, optional
        Largest number of seconds.
    callback : callable, optional
        Called as `callback(iteration, objective, gap)`; the solver stops when it returns something true.
    strict : bool, default=False
        Whether dual ascent, where weights gain little, is not to stop some time after the gap is small against P alone.
    work : float, default=inf
        Passes over all examples that dual ascent is worth, however few of them a pass visits, before another solver
        follows.

    Examples
    --------
    >>> Limits(max_iter=10).tol
    1e-06
    """

    tol: float = 1e-6
    max_iter: int = 1000
    time_limit: float | None = None
    callback: Callback | None = None
    strict: bool = False
    work: float = np.inf

    def after(self, seconds: float, iterations: int = 0) -> Self:
        """Return the limits of what goes on where something ended.

        Parameters
        ----------
        seconds : float
            Seconds that it took.
        iterations : int, default=0
            Iterations that it made.

        Returns
        -------
        Limits
            The same limits, less what was spent: at least a nanosecond and an iteration are left.

        Examples
        --------
        >>> Limits(max_iter=10, time_limit=5.0).after(2.0, 4)
        Limits(tol=1e-06, max_iter=6, time_limit=3.0, callback=None, strict=False, work=inf)
        """
        left = None if self.time_limit is None else max(self.time_limit - seconds, 1e-9)
        return replace(self, max_iter=max(self.max_iter - iterations, 1), time_limit=left)


@dataclass(frozen=True)
class Solution(PlainState):
    """The weights that a solver returns, and how it ended.

    A solver need not be trusted: `certificates.duality.gap` proves the gap.

    Parameters
    ----------
    w : ndarray of shape (K, n_features)
        Weights.
    b : ndarray of shape (K,)
        Intercepts.
    status : Status
        How the solver ended.
    iterations : int
        Number of iterations.
    solver : str
        Name of the solver.
    dual : ndarray of shape (n_samples,) or (n_samples, K), optional
        Dual variables a, with −a in the domain of ℓ*, where the solver has them: at the optimum −∂ℓ/∂s.
    trace : tuple of Step, default=()
        The iterations.

    Examples
    --------
    >>> import numpy as np
    >>> Solution(np.ones((1, 2)), np.zeros(1), Status.CONVERGED, 5, "newton").status.name
    'CONVERGED'
    """

    w: Floats
    b: Floats
    status: Status
    iterations: int
    solver: str
    dual: Floats | None = None
    trace: tuple[Step, ...] = field(default=(), repr=False)


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
    return loss_shift(problem.loss.name, problem.y, problem.c, s, **problem._of_loss)


def _hinge_shift(problem: Problem, start: Floats) -> float:
    """Return b where Σ c max(0, 1 − y(b + o)) has slope 0: the side of the heavier class, or between the kinks."""
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
    """Return the lower value of Crammer & Singer's loss at equal scores and with the heaviest class 1 ahead."""
    weight = np.bincount(problem.y, problem.c, minlength=problem.K)
    total = float(weight.sum())
    return min(total, 2.0 * (total - float(weight.max()))) if problem.intercept else total


def _entropy(problem: Problem) -> float:
    """Return P₀ of a softmax: the entropy of the classes' weights, or without an intercept that of equal ones."""
    weight: Floats = np.bincount(problem.y, problem.c, minlength=problem.K).astype(np.float64)
    if not problem.intercept:
        return float(weight.sum() * np.log(problem.K))
    weight = weight[weight > 0.0]
    return -dot(weight, np.log(weight / weight.sum()))
