"""Several problems at once: one against the rest, class by class, on as many threads as there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from deciban.solvers import Limits, Problem, Solution, Solver, Status, ascend_together, solve_each
from deciban.solvers.dual_coordinate import LANES
from deciban.solvers.reduction import Siblings
from deciban.solvers.side_by_side import Halt, side_by_side, threads_for


def solve_all(
    problems: list[Problem], limits: Limits, solver: str | Solver, start: list[Solution] | None, seed: int
) -> list[Solution]:
    """Return each problem by itself, or the same ones together, so that the answer is the same on any number of
    threads. Ctrl-C ends all of them."""
    starts: list[Any] = [None] * len(problems) if start is None else list(start)
    halt = Halt(limits.callback)
    watched = replace(limits, callback=halt)
    problems = Siblings.join(problems)
    lanes = LANES if ascend_together(problems, solver, watched) else 1
    groups = np.array_split(np.arange(len(problems)), -(-len(problems) // lanes))
    parts = [slice(int(own[0]), int(own[-1]) + 1) for own in groups]
    tasks = [partial(solve_each, problems[own], watched, solver, starts[own], seed) for own in parts]
    several, interrupted = side_by_side(tasks, threads_for(len(tasks), problems[0].n_jobs), halt)
    found = [each for part in several for each in part]
    if not interrupted:
        return found
    return [replace(each, status=Status.INTERRUPTED) for each in found]


def fitting(start: Sequence[Solution] | None, problems: list[Problem]) -> list[Solution] | None:
    """Return where the last fit ended, if it had as many problems of the same size: its dual only of as many examples,
    and b = 0 without an intercept."""
    if start is None or [each.w.shape for each in start] != [(problem.K, problem.shape[1]) for problem in problems]:
        return None
    N, intercept = problems[0].shape[0], problems[0].intercept
    kept = [each if each.dual is None or len(each.dual) == N else replace(each, dual=None) for each in start]
    return kept if intercept else [replace(each, b=np.zeros_like(each.b)) for each in kept]
