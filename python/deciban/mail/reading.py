"""Reading the items of files, and of standard input, a bounded amount at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .._core import Files, Items
from ..errors import unreadable
from ..files.system import name_of, open_unnamed
from ..text.settings import TextSettings
from .sources import STDIN, Source

COUNTED = 16 << 20
"""Bytes of items that are counted together: where there are too many words after them, the rarest are dropped."""
_CHUNK = 1 << 20
_IN_MEMORY = 64 << 20  # of standard input; what is longer is kept in a temporary file


class Batch(NamedTuple):
    """Names, as many items, and their labels, where a column of a table holds them."""

    names: list[str]
    items: Sequence[str | bytes]
    labels: list[str] | None = None


def read_files(
    sources: Sequence[Source],
    settings: TextSettings,
    n_jobs: int | None = None,
    gone: list[str] | None = None,
    size: int = COUNTED,
) -> Iterator[tuple[list[int], Items]]:
    """Yield items of files, batches of about `size` bytes, with the number of the source of each.

    Mail on standard input is an mbox if it begins as one, else one message. A text is a file. Messages of Maildirs are
    followed where they are renamed. What is gone when it is its turn is left out, and its path is in `gone` at the end.
    """
    mail = settings.kind == "mail"
    paths = [standard_input() if source.path == STDIN else source.path for source in sources]
    mboxes = [mail and (source.kind == "mbox" or source.path == STDIN) for source in sources]
    files = Files(paths, mboxes, settings.reader().most_bytes, n_jobs, size)
    yield from files
    if gone is not None:
        gone += [sources[i].path for i in files.gone]


def standard_input() -> str:
    """Return the path of a copy of standard input, made when first asked for.

    What a mail server or `sudo` hands over may be a pipe of another user or a socket, which can be read but not
    opened again by name; and only a read in Python lets Ctrl-C end the wait for it.
    """
    global _copy
    if _copy is None:
        _copy = _spool()
    return name_of(_copy)


_copy: int | None = None


def _spool() -> int:
    copy = open_unnamed(in_memory=True)
    size = 0
    while chunk := _more():
        if size < _IN_MEMORY <= size + len(chunk):
            copy = _copy_over(copy, open_unnamed(in_memory=False))
        size += len(chunk)
        while chunk:
            chunk = chunk[os.write(copy, chunk) :]
    os.lseek(copy, 0, os.SEEK_SET)
    return copy


def _more() -> bytes:
    if sys.stdin is None:  # closed: the number may be another file's by now
        return b""
    try:
        return os.read(0, _CHUNK)
    except OSError as error:
        raise unreadable("standard input", error) from error


def _copy_over(source: int, target: int) -> int:
    os.lseek(source, 0, os.SEEK_SET)
    while chunk := os.read(source, _CHUNK):
        os.write(target, chunk)
    os.close(source)
    return target
