"""What a descent knows of where it is."""

from __future__ import annotations

import numpy as np

from deciban.certificates.duality import prove
from deciban.inner_product import dot, norm
from deciban.losses import Floats

from .problem import Limits, Problem


class Judge:
    """Objective, slope and gap at some weights, the best weights seen, and whether they are good enough.

    The gap costs three passes over X: it is asked for when the gradient has halved since it was last.
    """

    def __init__(self, problem: Problem, limits: Limits, gradient: float, error: float | None) -> None:
        self.problem, self.limits = problem, limits
        self._gradient, self._error = gradient, error
        self.total = float(problem.c.sum())
        self.primal = self.gap = np.nan
        self.done = False
        self._lowest, self._asked = np.inf, np.inf
        self.best: tuple[Floats, float] = (np.zeros(problem.shape[1]), 0.0)

    def look(self, w: Floats, b: float) -> bool:
        """Objective and gradient at (w, b), whether to stop, and the gap if it is time; False where numbers end."""
        primal = self.turn(w, b)
        if not (np.isfinite(primal) and np.isfinite(self.slope).all()):
            return False
        self.primal, self.gap = primal, np.nan
        if primal < self._lowest:
            self._lowest, self.best = primal, (w.copy(), b)
        length = self._length()
        self.done = length <= self._gradient or (self._error is not None and self.error <= self._error)
        if not self.done and length <= 0.5 * self._asked:
            self._asked = length
            proof = prove(self.problem, w[None, :], np.array([b]))
            if proof.dual is not None:
                self.gap = proof.primal - proof.dual
            self.done = proof.is_enough(self.problem, self.limits.tol)
        if self.done:
            self.best = w.copy(), b
        return True

    def turn(self, w: Floats, b: float) -> float:
        """Scores and slopes at (w, b); the objective P. Cost: two passes over X."""
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
        """Whether the mean loss at (w, b) is below its quadratic model of curvature 1/step (Beck & Teboulle 2009)."""
        problem = self.problem
        with np.errstate(over="ignore", invalid="ignore"):
            s = problem.scores(w[None, :], np.array([b]))
            error = problem.total(problem.loss.value(problem.y, s)) / self.total
            dw, db = w - self.w, b - self.b
            model = dot(self.slope, dw) + self.slope_b * db + (dot(dw, dw) + db * db) / (2.0 * step)
        return bool(error <= self.error + model + 1e-14 * abs(self.error))

    def _length(self) -> float:
        """Of the shortest subgradient of P/Σc."""
        l1, l2 = self.problem.penalty.l1 / self.total, self.problem.penalty.l2 / self.total
        g = self.slope + l2 * self.w
        if l1:
            g = np.where(self.w != 0.0, g + l1 * np.sign(self.w), np.maximum(np.abs(g) - l1, 0.0))
        return float(np.hypot(norm(g), self.slope_b))
