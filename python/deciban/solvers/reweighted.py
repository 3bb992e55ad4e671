"""Iteratively reweighted least squares.

    min over w, b of   Σ c_i ρ(y_i − x_i·w − b) + ½λ‖w‖²

for ρ of Huber (1964) or the absolute value, each step the least squares of c_i ω_i with ω(r) = ρ'(r)/r: the parabola
that touches ρ at the last residual and lies above it everywhere, so that no step goes up. Holland & Welsch, Commun.
Statist. A6 (1977); why it descends: Hunter & Lange, The American Statistician 58 (2004), section 3.1. The weight of the
absolute value is bounded by 1/ε, and ε shrinks tenfold whenever its own problem is solved: that is Huber's loss, of
which both are limits. The gap is proven after each step from a_i = ω_i r_i, which is feasible for the dual.

Cost: an iteration is one least squares, N·d². It converges linearly: for a small gap of Huber's loss `newton` is
quicker, and for the absolute value `linear-programme` is exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deciban.certificates.duality import prove
from deciban.losses import Absolute, Floats, Huber

from .closed_form import least_squares
from .limits import Watch
from .problem import Limits, Problem, Solution, Status

NAME = "reweighted"
EXACT = False


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    if not isinstance(problem.loss, Huber | Absolute):
        return f"needs the loss 'huber' or 'absolute', of which a parabola lies above; {problem.loss.name!r} is neither"
    if problem.penalty.l1:
        return f"needs the penalty 'l2' or None, whose slopes are linear; that of {problem.penalty.name!r} is not"
    return None


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum; `start` may bring weights to begin from, else least squares is where it begins."""
    problem, watch = problem.without_offset(), Watch(limits)
    y = problem.y
    w, b = (np.zeros((1, problem.shape[1])), np.zeros(1)) if start is None else (start.w, start.b)
    best = Solution(w, b, Status.EXHAUSTED, 0, NAME, np.zeros(len(y)))
    lowest, highest, iteration, status = np.inf, -np.inf, 0, Status.EXHAUSTED
    r = y - problem.scores(w, b)
    width, omega = _width(problem, r), np.ones(len(y))
    try:
        while True:
            if iteration or start is not None:
                proof = prove(problem, w, b, _dual(problem, omega * r))
                bound = -np.inf if proof.dual is None else proof.dual
                if proof.primal <= lowest:
                    best, lowest = replace(best, w=w, b=b), proof.primal
                if bound > highest:
                    best, highest = replace(best, dual=proof.dual_point), bound
                if problem.is_enough(lowest - highest, lowest, limits.tol):
                    status = Status.CONVERGED
                stop = watch(iteration, lowest, lowest - highest)
                if status is Status.CONVERGED or stop or iteration >= limits.max_iter:
                    status = status if status is Status.CONVERGED else watch.status or status
                    break
                if proof.primal - bound <= float(problem.c[np.abs(r) < width].sum()) * width:
                    width = max(0.25 * width, 1e-300)
                omega = _parabola(problem, r, width)
            iteration += 1
            w, b = _step(problem, omega)
            r = y - problem.scores(w, b)
            if iteration == 1 and start is None:
                width = _width(problem, r)
                omega = _parabola(problem, r, width)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return replace(best, status=status, iterations=iteration, trace=tuple(watch.trace))


def _step(problem: Problem, omega: Floats) -> tuple[Floats, Floats]:
    """Solve least squares with the weights c·ω: ½ω r² is (y − s)² of half the weight."""
    fit = least_squares(
        problem.rows, problem.y[:, None], 0.5 * problem.c * omega, problem.penalty.l2, problem.intercept
    )
    return np.ascontiguousarray(fit.w.T), fit.b


def _parabola(problem: Problem, r: Floats, width: float) -> Floats:
    """Return ω(r) = ρ'(r)/r, of the absolute value where |r| ≥ `width`."""
    size = np.abs(r)
    if isinstance(problem.loss, Huber):
        return problem.loss.delta / np.maximum(size, problem.loss.delta)
    omega: Floats = 1.0 / np.maximum(size, width)
    return omega


def _width(problem: Problem, r: Floats) -> float:
    """Return where the parabolas of the absolute value begin: a tenth of the middle residual."""
    return max(0.1 * float(np.median(np.abs(r))), 1e-300)


def _dual(problem: Problem, a: Floats) -> Floats:
    """Return a within the domain of ℓ*; without a penalty as a whole, so that Σ c_i a_i x_i stays 0."""
    if problem.penalty.l2:
        return a
    bound = problem.loss.delta if isinstance(problem.loss, Huber) else 1.0
    return a * min(1.0, bound / max(float(np.abs(a).max(initial=0.0)), 1e-300))
