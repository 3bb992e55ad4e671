"""Work of the command in several processes, which share what was loaded before."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from typing import Any

from ..errors import DecibanError
from ..threads import LISTEN, using
from .failures import report


def run_each(tasks: Sequence[Callable[[], None]], workers: int) -> int:
    """Run tasks, each in one of so many forked processes; return 0, or the exit code of a process that failed, which
    has said why. The others do what is left."""
    if sys.platform == "win32":
        return _one_after_another(tasks)
    context = get_context("fork")  # which shares the model, and needs nothing pickled
    following = context.Value("q", 0)
    started = [context.Process(target=_work, args=(tasks, following), daemon=True) for _ in range(workers)]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        for process in started:
            process.start()
        for process in started:
            while process.is_alive():
                process.join(LISTEN)
    except BaseException:
        for process in started:
            with suppress(ValueError, AttributeError):
                process.terminate()
        for process in started:
            if process.pid is not None:
                process.join()
        raise
    codes = [process.exitcode or 0 for process in started]
    if min(codes) < 0:
        raise DecibanError(
            f"a process that did a part of the work was ended by signal {-min(codes)}. Expected it to do its part; "
            "memory may be short. Run the same command again, which goes on, with fewer --jobs."
        )
    return max(codes)


def _one_after_another(tasks: Sequence[Callable[[], None]]) -> int:
    """Run tasks in this process: Windows has no fork."""
    code = 0
    for task in tasks:
        try:
            task()
        except Exception as error:
            code = report(error)
    return code


def _work(tasks: Sequence[Callable[[], None]], following: Any) -> None:
    """Take one task after the other until none is left."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends its children
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    code = 0
    while True:
        with following.get_lock():
            k = following.value
            following.value = k + 1
        if k >= len(tasks):
            break
        try:
            with using(1):  # processes are as many as cores
                tasks[k]()
        except BaseException as error:
            code = report(error)
    sys.stdout.flush()
    os._exit(code)
