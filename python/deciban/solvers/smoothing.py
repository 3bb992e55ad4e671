"""Least absolute deviations by smoothing.

    min over w, b of   Σ c_i |y_i − x_i·w − b| + ½λ‖w‖²

through Huber's loss, which lies within ½δ of δ times the absolute value: for δ ever smaller its problem is solved by
`newton` from the last optimum, where few residuals change sides, so that steps stay few. A slope of Huber's loss over δ
is feasible for the dual of the absolute value, which is what proves the gap at every δ. Madsen & Nielsen, SIAM J.
Optim. 3 (1993), "A finite smoothing algorithm for linear ℓ1 estimation".

Cost: some tens of Newton steps in all; X may be dense or sparse.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deciban.certificates.duality import prove
from deciban.losses import Absolute, Huber, Squared

from . import newton
from .closed_form import solve as least_squares
from .limits import Watch
from .problem import Limits, Problem, Solution, Status

NAME = "smoothing"
EXACT = True
_STAGES = 60


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    if not isinstance(problem.loss, Absolute):
        return f"needs the loss 'absolute', which it makes smooth; {problem.loss.name!r} is another"
    if problem.penalty.l1 or not problem.penalty.l2:
        return f"needs the penalty 'l2', which alone keeps every step determined; {problem.penalty.name!r} does not"
    return None


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum; `start` may bring weights to begin from, else least squares is where it begins."""
    problem, watch = problem.without_offset(), Watch(limits)
    if start is not None and start.dual is not None:
        there = prove(problem, start.w, start.b, start.dual)
        if there.is_enough(problem, limits.tol):
            return replace(start, status=Status.CONVERGED, iterations=0, solver=NAME, dual=there.dual_point, trace=())
    best = start or least_squares(replace(problem, loss=Squared()), limits)
    r = problem.y - problem.scores(best.w, best.b)
    width, total = float(np.median(np.abs(r))), float(problem.c.sum())
    at, iterations, status = best, 0, Status.EXHAUSTED
    lowest, highest = np.inf, -np.inf
    try:
        for _ in range(_STAGES):
            width = max(width, 1e-300)
            proof = prove(problem, at.w, at.b, np.clip(r / width, -1.0, 1.0))
            if proof.primal < lowest:
                best, lowest = replace(best, w=at.w, b=at.b), proof.primal
            if proof.dual is not None and proof.dual > highest:
                best, highest = replace(best, dual=proof.dual_point), proof.dual
            if problem.is_enough(lowest - highest, lowest, limits.tol):
                status = Status.CONVERGED
            stop = watch(iterations, lowest, lowest - highest)
            if status is Status.CONVERGED or stop or iterations >= limits.max_iter:
                status = status if status is Status.CONVERGED else watch.status or status
                break
            width = min(0.2 * width, 0.5 * (lowest - highest) / total) if np.isfinite(highest) else 0.2 * width
            smooth = replace(problem, loss=Huber(width), c=problem.c / width)
            tol = 0.1 * width * total / max(lowest, 1e-300)
            at = newton.solve(smooth, Limits(tol, min(100, limits.max_iter - iterations)), at)
            iterations += at.iterations
            if at.status is Status.INTERRUPTED:
                status = at.status
                break
            r = problem.y - problem.scores(at.w, at.b)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return replace(best, status=status, iterations=iterations, solver=NAME, trace=tuple(watch.trace))
