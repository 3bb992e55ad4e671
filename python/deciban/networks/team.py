"""The parts of a step, each on a core of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from .batches import CORES

Part = TypeVar("Part")
Found = TypeVar("Found")


class Team:
    """Threads that work side by side on the parts of one step, with one thread of BLAS each.

    Two products of 64 rows by one core each take half as long as one of 128 rows by both, which wait for each other
    within every product and do nothing else side by side. What each part gives is the same whoever works on it.
    """

    def __init__(self) -> None:
        self.cores = min(CORES, _cores())
        self._others: ThreadPoolExecutor | None = None
        self._limit: Any = None

    def each(self, work: Callable[[Part], Found], parts: Sequence[Part]) -> Iterator[Found]:
        """What `work` gives for each of the parts, in their order, as many at a time as there are cores."""
        if len(parts) < 2 or self.cores < 2:
            yield from map(work, parts)
            return
        if self._others is None:
            self._limit = _libraries().limit(limits=1, user_api="blas")
            self._others = ThreadPoolExecutor(self.cores - 1, "deciban-network")
        for i in range(0, len(parts), self.cores):
            first, *rest = parts[i : i + self.cores]
            pending = [self._others.submit(_quietly, work, part) for part in rest]
            yield work(first)
            yield from (each.result() for each in pending)

    def close(self) -> None:
        """Send the threads home, and give BLAS its own back."""
        if self._others is not None:
            self._others.shutdown()
            self._limit.restore_original_limits()
            self._others = self._limit = None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _quietly(work: Callable[[Part], Any], part: Part) -> Any:
    with np.errstate(all="ignore"):  # of each thread its own
        return work(part)


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()
