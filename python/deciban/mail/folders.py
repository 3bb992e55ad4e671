"""What is in a folder, in natural order, and in a Maildir that a mail program uses meanwhile.

The name of a message in a Maildir is unique up to ":2,"; what follows are its flags, which change as it is read or
marked, and it moves from new/ to cur/ when a program first sees it (https://cr.yp.to/proto/maildir.html).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence

from ..errors import unreadable

_BOXES = ("new", "cur")  # as messages move
_TRIES = 5
# Times of folders are coarse: only one that was left alone for so long shows by them that it changes.
_COARSE = 100_000_000


def scan(folder: str) -> list[os.DirEntry[str]]:
    """Return all entries of a folder; NoInputError where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise unreadable(folder, error) from error


def visible(entries: Sequence[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
    """Return those that are not hidden, in natural order."""
    return sorted((e for e in entries if not e.name.startswith(".")), key=lambda e: natural(e.name))


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether it is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def is_file(entry: os.DirEntry[str]) -> bool:
    """Return whether it is a regular file, or a link to one."""
    try:
        return entry.is_file()
    except OSError:
        return False


def natural(name: str) -> tuple[list[bytes | int], bytes]:
    """Order names by bytes, and runs of digits by their value; the bytes themselves break ties ("1" and "01")."""
    raw = os.fsencode(name)
    parts: list[bytes | int] = list(_DIGITS.split(raw))
    parts[1::2] = map(int, parts[1::2])
    return parts, raw


_DIGITS = re.compile(rb"([0-9]+)")


def is_maildir(entries: Sequence[os.DirEntry[str]]) -> bool:
    """Return whether a folder of these entries is a Maildir."""
    return sum(e.name in _BOXES and is_folder(e) for e in entries) == 2


def messages(folder: str) -> list[str]:
    """Return the paths of the messages of a Maildir, those of cur/ first, each once.

    A folder that changes while it is listed may show a message under two names or under none, so it is listed again
    until nothing new comes.
    """
    boxes = [os.path.join(folder, name) for name in _BOXES]
    found: dict[str, str] = {}
    for _ in range(_TRIES):
        started, before, known = time.time_ns(), _times(boxes), dict(found)
        for entry in (e for box in boxes for e in scan(box) if not e.name.startswith(".") and is_file(e)):
            _enter(found, entry.path)
        quiet = before == _times(boxes) and started - max(before) > _COARSE
        if quiet or known.keys() == found.keys():
            break
    return sorted(found.values(), key=lambda path: (os.path.dirname(path), natural(os.path.basename(path))))


def _times(boxes: Sequence[str]) -> list[int]:
    return [os.stat(box).st_mtime_ns for box in boxes]


def _enter(found: dict[str, str], path: str) -> None:
    """Keep the last path of a message; two files that are there at once are two messages, whatever their names."""
    name = os.path.basename(path)
    key = name.partition(":2,")[0] or name
    other = found.setdefault(key, path)
    if other != path and os.path.lexists(other) and os.path.lexists(path):
        found[path] = path
    else:
        found[key] = path
