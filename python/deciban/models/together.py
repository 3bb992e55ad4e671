"""Several problems at once: one against the rest, class by class, on as many threads as there are."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from deciban.solvers import Limits, Problem, Solution, Solver, Status, solve

from .side_by_side import Halt, side_by_side, threads_for


def solve_all(
    problems: list[Problem], limits: Limits, solver: str | Solver, start: list[Solution] | None, seed: int
) -> list[Solution]:
    """Each problem by itself, so that the answer is the same on any number of threads. Ctrl-C ends all of them."""
    starts: list[Any] = [None] * len(problems) if start is None else list(start)
    halt = Halt(limits.callback)
    watched = replace(limits, callback=halt)
    pairs = zip(problems, starts, strict=True)
    tasks = [partial(solve, problem, watched, solver, start, seed) for problem, start in pairs]
    found, interrupted = side_by_side(tasks, threads_for(len(problems), problems[0].n_jobs), halt)
    if not interrupted:
        return found
    return [replace(each, status=Status.INTERRUPTED) if each.status is Status.STOPPED else each for each in found]
