"""Several problems solved at once, which Ctrl-C, or an error in one of them, ends all."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from threading import Lock
from time import perf_counter
from typing import TypeVar

from deciban.solvers.problem import Callback
from deciban.threads import GRACE, await_result, effective_threads, halting, inherit_threads

Result = TypeVar("Result")


class Halt:
    """A callback for all problems: what the user's says, and true once everything is to end."""

    def __init__(self, callback: Callback | None) -> None:
        self.ended = False
        self._callback, self._since = callback, 0.0

    @property
    def silent(self) -> bool:
        """Whether no user's callback hears of iterations."""
        return self._callback is None

    def end(self) -> None:
        """Let everything end."""
        self.ended, self._since = True, perf_counter()

    def is_overdue(self) -> bool:
        """Return whether everything should have ended by now."""
        return self.ended and perf_counter() - self._since > GRACE

    def __call__(self, iteration: int, primal: float, gap: float) -> bool:
        told = self._callback is not None and not self.ended and self._callback(iteration, primal, gap)
        return self.ended or bool(told)

    def quietly(self, iteration: int, primal: float, gap: float) -> bool:
        """Return whether everything is to end, without a call of the user's callback."""
        return self.ended


class Idle:
    """Threads that wait for the next problems: to start some takes as long as many a fit."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Know of none, as a process that was forked."""
        self._lock, self._free = Lock(), list[ThreadPoolExecutor]()

    @contextmanager
    def lend(self, count: int) -> Iterator[Callable[[Callable[[], None]], None]]:
        """Lend so many threads by a function that gives tasks to one after the other; wait for the end of all."""
        with self._lock:
            own = [self._free.pop() for _ in range(min(count, len(self._free)))]
        own += [ThreadPoolExecutor(1) for _ in range(count - len(own))]
        given: list[Future[None]] = []
        try:
            yield lambda task: given.append(own[len(given) % count].submit(task))
        finally:
            wait(given)
            with self._lock:
                self._free += own


_IDLE = Idle()
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_IDLE.begin)


def threads_for(problems: int, n_jobs: int | None) -> int:
    """Return the number of problems that are solved at once."""
    return max(1, min(problems, effective_threads(n_jobs)))


def side_by_side(tasks: Sequence[Callable[[], Result]], threads: int, halt: Halt) -> tuple[list[Result], bool]:
    """Return what each task returns, in their order, and whether Ctrl-C ended them early.

    This thread only waits, be there one task or many: Ctrl-C comes here, and never to the threads of the core.
    """
    results: list[Future[Result]] = [Future() for _ in tasks]
    waiting = deque(zip(results, tasks, strict=True))
    with _IDLE.lend(threads) as submit:

        def finish() -> list[Result]:
            for _ in range(threads):
                submit(inherit_threads(partial(_do, waiting, halt)))
            return [await_result(result) for result in results]

        try:
            return finish(), False
        except KeyboardInterrupt:  # while waiting, or while threads were still started; no task is done twice
            halt.end()
            return finish(), True
        except BaseException:
            halt.end()
            raise


def _do(waiting: deque[tuple[Future[Result], Callable[[], Result]]], halt: Halt) -> None:
    """Do one task after the other, as long as there is one that no thread has taken."""
    while True:
        try:
            result, task = waiting.popleft()
        except IndexError:
            return
        try:
            with halting(lambda: halt.ended, halt.is_overdue):
                result.set_result(task())
        except BaseException as reason:
            result.set_exception(reason)
