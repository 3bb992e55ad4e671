"""Several problems solved at once, which Ctrl-C, or an error in one of them, ends all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from deciban.threads import effective_threads, inherited

Result = TypeVar("Result")


class Halt:
    """A callback for all problems: what the user's says, and true once everything is to end."""

    def __init__(self, callback: Any) -> None:
        self.ended = False
        self._callback = callback

    def __call__(self, iteration: int, primal: float, gap: float) -> bool:
        told = self._callback is not None and not self.ended and self._callback(iteration, primal, gap)
        return self.ended or bool(told)

    def quietly(self, iteration: int, primal: float, gap: float) -> bool:
        """Whether everything is to end; the user is not asked."""
        return self.ended


def threads_for(problems: int, n_jobs: int | None) -> int:
    """How many of the problems are solved at once."""
    return max(1, min(problems, effective_threads(n_jobs)))


def side_by_side(tasks: Sequence[Callable[[], Result]], threads: int, halt: Halt) -> tuple[list[Result], bool]:
    """What each task returns, in their order, and whether Ctrl-C ended them early.

    This thread only waits, be there one task or many: Ctrl-C comes here, and never to the threads of the core.
    """
    futures: list[Future[Result]] = []
    with ThreadPoolExecutor(threads) as pool:

        def finish() -> list[Result]:
            futures.extend(pool.submit(inherited(task)) for task in tasks[len(futures) :])
            return [future.result() for future in futures]

        try:
            return finish(), False
        except KeyboardInterrupt:  # while waiting, or while there were still tasks to hand out
            halt.ended = True
            return finish(), True
        except BaseException:
            halt.ended = True
            raise
