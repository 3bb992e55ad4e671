"""Dual coordinate ascent.

    min over w, b of   Σ c_i ℓ(y_i, x_i·w + b) + ½λ‖w‖²

by its dual, one a_i at a time, each exactly: Hsieh, Chang, Lin, Keerthi & Sundararajan (ICML 2008), with shrinking;
logistic as in Yu, Huang & Lin (2011). The loops are the core's (`crates/core/src/solve/dual_coordinate.rs`).
"""

from __future__ import annotations

from collections.abc import Sequence
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
BY_ROWS = True
LANES = 8
"""Problems about the same examples that are solved at once."""
TOGETHER = (Hinge, SquaredHinge, Logistic)
"""The losses of these."""
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
        strict=limits.strict,
        work=limits.work,
        **watch.limits_for_core(problem),
    )
    return Solution(w[None, :], np.array([b]), watch.ended(ending), iterations, NAME, dual, tuple(watch.trace))


def solve_each(
    problems: Sequence[Problem], limits: Limits, starts: Sequence[Solution | None], seed: int = 0
) -> list[Solution]:
    """Return the optima of at most eight problems that differ in their targets alone: each row that is read serves all.

    Which are not done after some passes go on by themselves, unless another solver follows.
    """
    first, watch = problems[0], Watch(limits)
    found = _core.dual_coordinate_each(
        first.rows,
        [each.y for each in problems],
        first.c,
        first.loss.name,
        strength=first.penalty.l2,
        intercept=first.intercept,
        starts=[None if each is None or each.dual is None else np.ascontiguousarray(each.dual) for each in starts],
        seed=seed,
        tol=limits.tol,
        max_iter=limits.max_iter,
        null=[each.null for each in problems],
        floor=[each.floor for each in problems],
        strict=limits.strict,
        watch=watch.for_core(),
        n_jobs=first.n_jobs,
    )
    trace, solutions = tuple(watch.trace), []
    for problem, (w, b, dual, iterations, ending) in zip(problems, found, strict=True):
        own = Solution(w[None, :], np.array([b]), watch.ended(ending), iterations, NAME, dual, trace)
        if own.status is Status.EXHAUSTED and iterations < limits.max_iter and not limits.strict:
            more = solve(problem, limits.after(watch.seconds, iterations), own, seed)
            own = replace(more, iterations=iterations + more.iterations, trace=trace + more.trace)
        solutions.append(own)
    return solutions
