"""Dual coordinate ascent.

    min over w, b of   Σ c_i ℓ(y_i, x_i·w + b) + ½λ‖w‖²

by its dual, one a_i at a time, each exactly: Hsieh, Chang, Lin, Keerthi & Sundararajan (ICML 2008), with shrinking;
logistic as in Yu, Huang & Lin (2011). The loops are the core's (`crates/core/src/solve/dual_coordinate.rs`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deciban import _core
from deciban.certificates.duality import prove
from deciban.losses import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)

from .limits import Watch
from .problem import Limits, Problem, Solution, Status

NAME = "dual-coordinate"
EXACT = True
# The answer depends, within the tolerance, on the order of the examples and on how many there are.
ORDERED = True
LOSSES = (Hinge, SquaredHinge, Logistic, Squared, Absolute, Huber, EpsilonInsensitive, SquaredEpsilonInsensitive)


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    if not isinstance(problem.loss, LOSSES):
        return f"needs a loss with a conjugate of one score, which {problem.loss.name!r} has not"
    if not problem.penalty.l2 or problem.penalty.l1:
        return f"needs the penalty 'l2', whose dual has no bounds on w; {problem.penalty.name!r} has"
    return None


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum; `start` may bring a dual to begin from."""
    watch = Watch(limits)
    if start is not None and start.dual is not None and len(start.dual) == len(problem.y):
        there = prove(problem, start.w, start.b, start.dual)
        if there.is_enough(problem, limits.tol):
            watch(0, there.primal, there.gap)
            return replace(start, status=Status.CONVERGED, iterations=0, solver=NAME, trace=tuple(watch.trace))
    w, b, dual, iterations, ending = _core.dual_coordinate(
        problem.rows,
        problem.y,
        problem.c,
        problem.loss.name,
        delta=getattr(problem.loss, "delta", 1.0),
        strength=problem.penalty.l2,
        intercept=problem.intercept,
        offset=problem.offset,
        start=None if start is None or start.dual is None else np.ascontiguousarray(start.dual),
        seed=seed,
        tol=limits.tol,
        max_iter=limits.max_iter,
        null=problem.null,
        floor=problem.floor,
        watch=watch,
        n_jobs=problem.n_jobs,
    )
    return Solution(w[None, :], np.array([b]), watch.ended(ending), iterations, NAME, dual, tuple(watch.trace))
