"""Several problems solved at once, and work beside other work: Ctrl-C, or an error in one of them, ends all."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from threading import Lock, local
from time import perf_counter
from typing import Generic, TypeVar

from deciban.threads import GRACE, await_result, effective_threads, halt_of_thread, halting, inherit_threads

from .problem import Callback

Result = TypeVar("Result")


class Halt:
    """A callback for all problems: what the user's says, and true once everything is to end."""

    def __init__(self, callback: Callback | None, grace: float | None = None) -> None:
        self._callback, self._grace, self._ended, self._since = callback, grace, False, 0.0
        self._outer = halt_of_thread()

    @property
    def ended(self) -> bool:
        """Whether everything is to end: these problems, or the task that they are a part of."""
        return self._ended or self._outer.is_halted()

    @property
    def silent(self) -> bool:
        """Whether no user's callback hears of iterations."""
        return self._callback is None

    def end(self) -> None:
        """Let everything end."""
        self._ended, self._since = True, perf_counter()

    def check_outer(self) -> None:
        """Raise KeyboardInterrupt where nobody waits for the task that these problems are a part of."""
        if self._outer.is_overdue():
            raise KeyboardInterrupt

    def is_overdue(self) -> bool:
        """Return whether everything should have ended by now."""
        grace = GRACE if self._grace is None else self._grace
        return (self._ended and perf_counter() - self._since >= grace) or self._outer.is_overdue()

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
_here = local()
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
            for begun in _begun():
                begun.end()
            return finish(), True
        except BaseException:
            halt.end()
            raise


class Beside(Generic[Result]):
    """A task on a thread of its own, beside the work of this one: called, it waits for the result."""

    def __init__(self) -> None:
        self.halt = Halt(None, grace=0.0)  # whoever ends it wants nothing of it
        self._result = Future[Result]()

    def __call__(self) -> Result:
        return await_result(self._result)

    def end(self) -> None:
        """Let the task end: nobody will wait for it."""
        self.halt.end()

    def begin(self, task: Callable[[], Result]) -> Callable[[], None]:
        """Return what does the task."""
        return inherit_threads(partial(_do, deque([(self._result, task)]), self.halt))


@contextmanager
def beside(task: Callable[[], Result]) -> Iterator[Beside[Result]]:
    """Begin a task beside what follows; it is halted where that ends without having waited for it."""
    begun = Beside[Result]()
    with _IDLE.lend(1) as submit:
        _begun().append(begun.halt)
        try:
            submit(begun.begin(task))
            yield begun
        finally:
            _begun().remove(begun.halt)
            begun.end()


def _begun() -> list[Halt]:
    """Return what ends the tasks beside the work of this thread."""
    begun: list[Halt] = _here.__dict__.setdefault("begun", [])
    return begun


def _do(waiting: deque[tuple[Future[Result], Callable[[], Result]]], halt: Halt) -> None:
    """Do one task after the other, as long as there is one that no thread has taken."""
    while True:
        try:
            result, task = waiting.popleft()
        except IndexError:
            return
        try:
            with halting(lambda: halt.ended, halt.is_overdue):
                halt.check_outer()
                result.set_result(task())
        except BaseException as reason:
            result.set_exception(reason)
