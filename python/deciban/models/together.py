"""Several problems at once: one against the rest, class by class, on as many threads as there are."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from deciban.solvers import Limits, Problem, Solution, Solver, Status, solve


def solve_all(
    problems: list[Problem], limits: Limits, solver: str | Solver, start: list[Solution] | None, seed: int
) -> list[Solution]:
    """Each problem by itself, so that the answer is the same on any number of threads. Ctrl-C ends all of them.

    This thread only waits, be there one problem or many: Ctrl-C comes here, and never to the threads of the core.
    """
    starts: list[Any] = [None] * len(problems) if start is None else list(start)
    threads = max(1, min(len(problems), problems[0].n_jobs or os.cpu_count() or 1))
    stopped: list[Status] = []

    def callback(iteration: int, primal: float, gap: float) -> Any:
        told = limits.callback is not None and not stopped and limits.callback(iteration, primal, gap)
        return bool(stopped) or told

    watched = replace(limits, callback=callback)
    futures: list[Future[Solution]] = []
    with ThreadPoolExecutor(threads) as pool:

        def finish() -> list[Solution]:
            for problem, start in zip(problems[len(futures) :], starts[len(futures) :], strict=True):
                futures.append(pool.submit(solve, problem, watched, solver, start, seed))
            return [future.result() for future in futures]

        try:
            found = finish()
        except KeyboardInterrupt:  # while waiting, or while there were still problems to hand out
            stopped.append(Status.INTERRUPTED)
            found = finish()
    if not stopped:
        return found
    return [replace(each, status=stopped[0]) if each.status is Status.STOPPED else each for each in found]
