"""Processes, measured one at a time; sides, run in turn; medians and ratios."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

Numbers = dict[str, float]


@dataclass(frozen=True)
class Side:
    """One contestant of a problem: `run` measures it once, from a fresh start."""

    name: str
    run: Callable[[], Numbers]


@dataclass(frozen=True)
class Ratio:
    """Theirs ÷ ours: of the medians, and the least and most of the single pairs."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Finished:
    """What a process took: wall clock and processor seconds."""

    wall_s: float
    cpu_s: float


class FailedError(Exception):
    """A side did not do what was asked; the text says which command, and what it said."""


def process(
    command: Sequence[str], *, stdin: Path | None = None, stdout: Path | None = None, allowed: Sequence[int] = (0,)
) -> Finished:
    """Run a command to its end, from `exec` to exit; FailedError unless its exit status is allowed."""
    with (
        open(stdin or os.devnull, "rb") as source,
        open(stdout or os.devnull, "wb") as sink,
        tempfile.TemporaryFile() as complaints,
    ):
        started = perf_counter()
        child = subprocess.Popen(command, stdin=source, stdout=sink, stderr=complaints)
        _, status, usage = os.wait4(child.pid, 0)
        wall = perf_counter() - started
        complaints.seek(0)
        said = complaints.read().decode(errors="replace").strip()[-2000:]
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in allowed:
        raise FailedError(f"exit status {child.returncode} of: {' '.join(map(str, command[:12]))}\n{said}")
    return Finished(wall, usage.ru_utime + usage.ru_stime)


def family(pid: int) -> list[int]:
    """Return a process and those that it started."""
    told = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, check=False).stdout.split()
    return [pid, *(each for child in told if int(child) != pid for each in family(int(child)))]


def in_turn(sides: Sequence[Side], runs: int, told: Callable[[str], None]) -> dict[str, list[Numbers]]:
    """`runs` of every side, A B A B …, so that what slows the machine slows all alike."""
    results: dict[str, list[Numbers]] = {side.name: [] for side in sides}
    for number in range(1, runs + 1):
        for side in sides:
            told(f"run {number} of {runs}: {side.name}")
            results[side.name].append(side.run())
    return results


def middle(runs: Sequence[Numbers], name: str) -> float:
    """The median of one measure."""
    return median(run[name] for run in runs)


def ratio(ours: Sequence[Numbers], theirs: Sequence[Numbers], name: str) -> Ratio:
    """How many times ours the rival's measure is."""
    single = [b[name] / a[name] for a, b in zip(ours, theirs, strict=True)]
    return Ratio(middle(theirs, name) / middle(ours, name), min(single), max(single))
