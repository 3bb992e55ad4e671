"""--memory: how much of it training may take, and which sources are therefore learnt from files or as a stream."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import click

from ..errors import UsageError, escape
from ..mail.sources import STDIN
from ..tables.kinds import files_of_table

TABLE, TEXTS = 10.0, 4.0
"""So many times their size typed columns, and texts whose words are weighed by minimising, take in memory: of 5 MB of
CSV with ten numbers and a category a row 50 MB."""
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kKmMgGtT]?)(i?)[bB]?\s*")
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_ROOT = "/sys/fs/cgroup"


def parse_size(text: str) -> int:
    """Return a number of bytes as people write it; ValueError for what is none.

    >>> parse_size("2GB"), parse_size("1.5 MiB"), parse_size("800k")
    (2000000000, 1572864, 800000)
    """
    match = _SIZE.fullmatch(text)
    if match is None or (match[3] and not match[2]):
        raise ValueError(text)
    size = float(match[1]) * (1024 if match[3] else 1000) ** _POWER[match[2].lower()]
    if not 1 <= size < 1 << 60:
        raise ValueError(text)
    return int(size)


class _Size(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return parse_size(value) if isinstance(value, str) else value
        except ValueError:
            return self.fail(f"expected a size such as 2GB, 500MB or 1.5GiB; came {value!r}.", param, ctx)


option = click.option(
    "--memory",
    type=_Size(),
    metavar="SIZE",
    help="Memory that training may take, such as 2GB. A source that takes more is learnt as a stream, or by passes "
    "over files beside the model, if its model can be. Default: half of the machine's.",
)


def available(root: str = _ROOT, membership: str = "/proc/self/cgroup") -> int:
    """Return bytes of memory of the machine, or of the control groups that the process is in."""
    found = [_of_machine()]
    for path, name in _limits(root, membership):
        try:
            with open(os.path.join(path, name), encoding="ascii") as file:
                found.append(int(file.read()))
        except (OSError, ValueError):  # none there, or "max"
            continue
    return min(found)


def _of_machine() -> int:
    if sys.platform == "win32":
        import ctypes

        told = (ctypes.c_ulonglong * 8)(64)  # MEMORYSTATUSEX: its size and the load in one, then the memory there is
        ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(told))
        return int(told[1])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _limits(root: str, membership: str) -> list[tuple[str, str]]:
    """Return where the limits of the groups of this process and of those above them stand."""
    found = [(root, "memory.max"), (os.path.join(root, "memory"), "memory.limit_in_bytes")]
    try:
        with open(membership, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return found
    for line in lines:
        _, controllers, group = line.split(":", 2)
        first = root if not controllers else os.path.join(root, "memory")
        name = "memory.max" if not controllers else "memory.limit_in_bytes"
        if not controllers or "memory" in controllers.split(","):
            parts = group.strip("/").split("/")
            found += [(os.path.join(first, *parts[:k]), name) for k in range(1, len(parts) + 1)]
    return found


def is_large(paths: Sequence[str], memory: int | None, times: float) -> bool:
    """Return whether sources take more memory than they may; standard input is taken to be small."""
    size = sum(size_of(path) for path in paths if path != STDIN)
    return times * size > memory_of(memory)


def memory_of(given: int | None) -> int:
    """Return bytes of memory that training may take."""
    return available() // 2 if given is None else given


def size_of(path: str) -> int:
    """Return the bytes of a file, or of the tables in a folder; what is gone has none."""
    return sum(os.path.getsize(each) for each in files_of_table(path) if os.path.isfile(each))


def refuse_large(name: str, model: str, instead: str) -> UsageError:
    """Return the error of texts that a model, or a report, needs all in memory."""
    return UsageError(
        f"{escape(name)}: {model} needs all texts at once, and these take more memory than it may. Expected a smaller "
        f"source, or a model that is learnt as a stream or by passes over files. Choose --model {instead}, or a larger "
        "--memory, or train on a part of it."
    )
