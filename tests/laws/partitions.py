"""Engines, and ways to part a data set, for the laws of what is learnt in partitions."""

import itertools
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from tiers import deep_pairs

Part = tuple[Any, Any]


def take(X: Any, rows: Any) -> Any:
    """Some rows of X, or of a list of texts."""
    return [X[i] for i in rows] if isinstance(X, list) else X[rows]


def _cut(X: Any, y: Any, order: Any, cuts: list[int]) -> list[Part]:
    ends = [0, *cuts, len(y)]
    return [(take(X, order[a:b]), y[order[a:b]]) for a, b in itertools.pairwise(ends)]


def whole(X: Any, y: Any) -> list[Part]:
    """One part."""
    return [(X, y)]


def by_label(X: Any, y: Any) -> list[Part]:
    """Each label in parts of its own, or nearly so; one part is empty."""
    return _cut(X, y, np.argsort(y, kind="stable"), [7, 20, 20, 33])


def backwards(X: Any, y: Any) -> list[Part]:
    """Seven small parts, an odd number at two levels of a tree, the last rows first."""
    return _cut(X, y, np.arange(len(y))[::-1], list(range(3, len(y), max(3, len(y) // 6))))


PARTITIONINGS = [whole, by_label, backwards]


@contextmanager
def threads() -> Iterator[Any]:
    """Two threads."""
    with ThreadPoolExecutor(2) as executor:
        yield executor


@contextmanager
def processes() -> Iterator[Any]:
    """Two processes."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


@contextmanager
def dask_processes() -> Iterator[Any]:
    """Two processes of Dask."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


Engine = Callable[[], Any]
ENGINES: list[Any] = [threads, *deep_pairs(processes, dask_processes)]


class DiesOnce:
    """A part whose reader kills its process the first time, so that a file `flag` is there afterwards."""

    def __init__(self, part: Part, flag: Path) -> None:
        self.part, self.flag = part, flag

    def __call__(self) -> Part:
        """The rows, the second time."""
        try:
            os.close(os.open(self.flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return self.part
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class DiesAlways:
    """A part whose reader kills its process."""

    def __call__(self) -> Part:
        """No rows."""
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError
