"""Gradient descent: all examples a step, a few, or one.

    min over w, b of   P(w, b)/Σc,      P = Σ c_i ℓ(y_i, x_i·w + b) + Ω(w)
    w ← prox(w − η_t g_t),   g_t the mean of ∂ℓ over the batch,   prox: shrink by η_t λ₁, then by 1 + η_t λ₂

All: Cauchy (1847), with penalties by their prox and the step by backtracking as in Beck & Teboulle, SIAM J. Imaging
Sci. 2 (2009), which without a penalty is Armijo's rule (1966). A few or one: Robbins & Monro (1951) in shuffled passes,
Bottou (2012); the loops are the core's (`crates/core/src/solve/descent.rs`), where a step costs what its rows store,
whatever the penalty. Averages: Polyak & Juditsky, SIAM J. Control Optim. 30 (1992).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deciban import _core
from deciban.certificates.duality import prove
from deciban.inner_product import dot, norm
from deciban.losses import CrammerSinger, Floats, Softmax, ZeroOne

from .limits import Watch
from .problem import Limits, Problem, Solution, Status

NAME = "descent"
EXACT = False
RULES = ("backtracking", "constant", "decay", "root")


@dataclass(frozen=True)
class Descent:
    """Gradient descent on all examples, on mini-batches, or on single examples.

    It ends on the first of: `max_iter` steps on all examples, or passes over them; a small gradient; a small error; the
    gap that the model's `tol` asks for; its `time_limit`; its `callback`.

    Parameters
    ----------
    batch : int, optional
        Number of examples of a step. By default all of them.
    rule : {"constant", "decay", "root", "backtracking"}, optional
        Length of step t: η; η/(1 + ηλ(t − 1)) for an L2 penalty of λ an example (Bottou 2012); η/√t (Zinkevich 2003);
        or, for all examples and smooth losses, η doubled each step and halved until the objective falls as its gradient
        promises. By default "backtracking" where possible, else "decay" or "root".
    step : float, optional
        First length η. By default 1/(L·max ‖(x, 1)‖²) with L the largest curvature of the loss, 1 where its slope
        jumps.
    average_from : int, optional
        Pass from which on weights are averaged. By default the last weights are returned.
    gradient : float, default=0.0
        Stop at a gradient of P/Σc no longer than this.
    error : float, optional
        Stop at a mean loss no larger than this.
    shuffle : bool, default=True
        Whether the order of every pass is drawn anew.

    Examples
    --------
    Gradient descent, mini-batches of 2, and one example a step (stochastic), for one model:

    >>> from deciban import LogisticRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), ["no", "no", "yes", "yes"]
    >>> ways = Descent(), Descent(batch=2), Descent(batch=1, gradient=1e-3), Descent(error=0.4)
    >>> [LogisticRegression(solver=way).fit(X, y).predict([[2.5]]).item() for way in ways]
    ['yes', 'yes', 'yes', 'yes']
    """

    batch: int | None = None
    rule: str | None = None
    step: float | None = None
    average_from: int | None = None
    gradient: float = 0.0
    error: float | None = None
    shuffle: bool = True
    NAME = NAME

    def refusal(self, problem: Problem) -> str | None:
        """Return what the problem, or a setting, lacks for gradient descent.

        Parameters
        ----------
        problem : Problem
            The problem.

        Returns
        -------
        str or None
            The reason for a refusal; None where there is none.
        """
        if isinstance(problem.loss, CrammerSinger | Softmax | ZeroOne):
            return f"needs a loss of one score with a slope, which {problem.loss.name!r} is not"
        if problem.offset is not None and self.batch is not None:
            return "takes scores without an offset, but with batch=None"
        if self.rule is not None and self.rule not in RULES:
            return f"knows the rules {', '.join(map(repr, RULES))}, not {self.rule!r}"
        if self.batch is not None and (isinstance(self.batch, bool) or self.batch < 1):
            return f"needs a batch of one example at least, not {self.batch!r}"
        if self.step is not None and not (np.isfinite(self.step) and self.step > 0.0):
            return f"needs a step > 0, not {self.step!r}"
        if self.rule == "backtracking" and self.batch is not None:
            return "sees the objective fall only with batch=None: choose another rule for a batch"
        if self.rule == "backtracking" and not np.isfinite(problem.loss.curvature_bound):
            return f"needs a smooth loss for backtracking, which {problem.loss.name!r} is not"
        if self.average_from is not None and self.average_from < 1:
            return f"averages from a pass on, the first being 1, not from {self.average_from!r}"
        if self.average_from is not None and problem.penalty.l1:
            return f"averages no weights under {problem.penalty.name!r}: a mean of sparse weights is not sparse"
        return None

    def solve(self, problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
        """Minimise a problem by gradient descent; `refusal` must be None.

        Parameters
        ----------
        problem : Problem
            The problem.
        limits : Limits
            When to stop.
        start : Solution, optional
            Weights to start from.
        seed : int, default=0
            Seed of the order of examples.

        Returns
        -------
        Solution
            The best weights met.
        """
        watch = Watch(limits)
        judge = Judge(problem, limits, self.gradient, self.error)
        d = problem.shape[1]
        w = np.zeros(d) if start is None else np.array(start.w[0], dtype=np.float64)
        b = 0.0 if start is None else float(start.b[0])
        walk = _Walk(self, problem, w, b, seed)
        status, iteration = Status.EXHAUSTED, 0
        try:
            judge.look(w, b)
            while True:
                if watch(iteration, judge.primal, judge.gap) and not judge.done:
                    status = watch.status or status
                    break
                if judge.done or iteration >= limits.max_iter:
                    status = Status.CONVERGED if judge.done else status
                    break
                iteration += 1
                if not walk.on(judge) or not judge.look(*walk.answer):
                    status = Status.OVERFLOW
                    break
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        w, b = judge.best
        return Solution(w[None, :], np.array([b]), status, iteration, NAME, None, tuple(watch.trace))


class _Walk:
    """Where the descent is."""

    def __init__(self, how: Descent, problem: Problem, w: Floats, b: float, seed: int) -> None:
        self.how, self.problem, self.seed = how, problem, seed
        self.w, self.b, self.t = w, b, 0
        self.sum: tuple[Floats, float] = (np.zeros_like(w), 0.0)
        self.steps = self.uncounted = 0.0
        total = float(problem.c.sum())
        self.l1, self.l2 = problem.penalty.l1 / total, problem.penalty.l2 / total
        self.weight = np.ascontiguousarray(problem.c * (len(problem.y) / total))
        self.rule = how.rule or self._fitting_rule()
        self.step = how.step or self._safe_step()

    def _fitting_rule(self) -> str:
        if self.how.batch is None and np.isfinite(self.problem.loss.curvature_bound):
            return "backtracking"
        return "decay" if self.l2 else "root"

    def _safe_step(self) -> float:
        bound = self.problem.loss.curvature_bound
        longest = float(_squares(self.problem).max(initial=0.0)) + 1.0
        heaviest = 1.0 if self.how.batch is None else float(self.weight.max(initial=1.0))
        return 1.0 / ((bound if np.isfinite(bound) else 1.0) * longest * heaviest)

    @property
    def averaging(self) -> bool:
        return self.how.average_from is not None and self.t >= self.how.average_from

    @property
    def answer(self) -> tuple[Floats, float]:
        """The mean of the weights, or the last."""
        if not self.averaging:
            return self.w, self.b
        count = self.steps - self.uncounted
        return self.sum[0] / count, self.sum[1] / count

    def on(self, judge: Judge) -> bool:
        """Make one step on all examples, or one pass over them; return False where the numbers end."""
        self.t += 1
        if self.t == self.how.average_from:
            self.sum, self.uncounted = (np.zeros_like(self.w), 0.0), self.steps
        if self.how.batch is None:
            return self._step(judge)
        problem = self.problem
        drawn = np.random.SeedSequence([self.seed, self.t]).generate_state(1, np.uint64)
        (self.w, self.b), self.sum, self.steps, _, _ = _core.descend(
            problem.rows,
            problem.y,
            self.weight,
            problem.loss.name,
            (self.w, self.b),
            self.sum,
            self.steps,
            0.0,
            delta=getattr(problem.loss, "delta", 1.0),
            intercept=problem.intercept,
            batch=self.how.batch,
            rule=self.rule,
            step=self.step,
            decay=self.l2,
            averaged=self.averaging,
            l1=self.l1,
            l2=self.l2,
            shuffle=int(drawn[0]) if self.how.shuffle else None,
            n_jobs=problem.n_jobs,
        )
        return bool(np.isfinite(self.w).all() and np.isfinite(self.b))

    def _step(self, judge: Judge) -> bool:
        """Return a step along the gradient of all examples."""
        if self.averaging:
            judge.turn(self.w, self.b)
        if self.rule == "backtracking":
            self.step *= 2.0
        for _ in range(200):
            w, b = self._move(judge)
            if self.rule != "backtracking" or judge.falls(w, b, self.step):
                break
            self.step *= 0.5
        self.w, self.b, self.steps = w, b, self.steps + 1.0
        if self.averaging:
            self.sum = self.sum[0] + w, self.sum[1] + b
        return bool(np.isfinite(w).all() and np.isfinite(b))

    def _move(self, judge: Judge) -> tuple[Floats, float]:
        rate = self.step
        if self.rule == "decay":
            rate /= 1.0 + self.step * self.l2 * (self.t - 1)
        elif self.rule == "root":
            rate /= np.sqrt(self.t)
        with np.errstate(over="ignore", invalid="ignore"):
            v = judge.w - rate * judge.slope
            w = np.sign(v) * np.maximum(np.abs(v) - rate * self.l1, 0.0) / (1.0 + rate * self.l2)
            return w, judge.b - rate * judge.slope_b


def _squares(problem: Problem) -> Floats:
    """Return (N,) ‖x‖²."""
    rows, d = problem.rows, problem.shape[1]
    squared = (np.square(rows[0]), *rows[1:]) if isinstance(rows, tuple) else np.square(rows)
    result: Floats = _core.scores(squared, np.ones((1, d)), np.zeros(1), n_jobs=problem.n_jobs)[:, 0]
    return result


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    return Descent().refusal(problem)


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum, by all examples a step. Nothing here is random: `seed` is not used."""
    return Descent().solve(problem, limits, start, seed)


class Judge:
    """Objective, slope and gap at some weights, the best weights seen, and whether they are good enough.

    The gap costs three passes over X: it is asked for when the gradient has halved since it was last, or there have
    been twice as many looks: near the minimum rounding may keep the gradient from falling.
    """

    def __init__(self, problem: Problem, limits: Limits, gradient: float, error: float | None) -> None:
        self.problem, self.limits = problem, limits
        self._gradient, self._error = gradient, error
        self.total = float(problem.c.sum())
        self.primal = self.gap = np.nan
        self.done = False
        self._lowest, self._asked = np.inf, np.inf
        self._looks, self._due = 0, 64
        self.best: tuple[Floats, float] = (np.zeros(problem.shape[1]), 0.0)

    def look(self, w: Floats, b: float) -> bool:
        """Return objective and gradient at (w, b), whether to stop, and the gap if it is time; False where numbers
        end."""
        primal = self.turn(w, b)
        if not (np.isfinite(primal) and np.isfinite(self.slope).all()):
            return False
        self.primal, self.gap = primal, np.nan
        if primal < self._lowest:
            self._lowest, self.best = primal, (w.copy(), b)
        length = self._length()
        self.done = length <= self._gradient or (self._error is not None and self.error <= self._error)
        self._looks += 1
        if not self.done and (length <= 0.5 * self._asked or self._looks >= self._due):
            self._asked, self._due = min(length, self._asked), 2 * max(self._looks, 32)
            proof = prove(self.problem, w[None, :], np.array([b]))
            if proof.dual is not None:
                self.gap = proof.primal - proof.dual
            self.done = proof.is_enough(self.problem, self.limits.tol)
        if self.done:
            self.best = w.copy(), b
        return True

    def turn(self, w: Floats, b: float) -> float:
        """Return scores and slopes at (w, b); the objective P. Cost: two passes over X."""
        problem = self.problem
        self.w, self.b = w, b
        with np.errstate(over="ignore", invalid="ignore"):
            s = problem.scores(w[None, :], np.array([b]))
            u = problem.c * problem.loss.slope(problem.y, s)
            self.error = problem.total(problem.loss.value(problem.y, s)) / self.total
            self.slope = problem.combination(u)[0] / self.total
            self.slope_b = float(u.sum()) / self.total if problem.intercept else 0.0
            return self.error * self.total + problem.penalty.value(w)

    def falls(self, w: Floats, b: float, step: float) -> bool:
        """Return whether the mean loss at (w, b) is below its quadratic model of curvature 1/step (Beck & Teboulle
        2009)."""
        problem = self.problem
        with np.errstate(over="ignore", invalid="ignore"):
            s = problem.scores(w[None, :], np.array([b]))
            error = problem.total(problem.loss.value(problem.y, s)) / self.total
            dw, db = w - self.w, b - self.b
            model = dot(self.slope, dw) + self.slope_b * db + (dot(dw, dw) + db * db) / (2.0 * step)
        return bool(error <= self.error + model + 1e-14 * abs(self.error))

    def _length(self) -> float:
        """Return the length of the shortest subgradient of P/Σc."""
        l1, l2 = self.problem.penalty.l1 / self.total, self.problem.penalty.l2 / self.total
        g = self.slope + l2 * self.w
        if l1:
            g = np.where(self.w != 0.0, g + l1 * np.sign(self.w), np.maximum(np.abs(g) - l1, 0.0))
        return float(np.hypot(norm(g), self.slope_b))
