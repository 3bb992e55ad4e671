"""Whether a filter or a page may be written where one asks for it: told before the work, not after."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..errors import StorageError, UsageError, shown, unreadable

_HEAD = 1 << 20  # bytes; where the header is longer than that, the file is not ours


def check_destination(path: str, inputs: list[str]) -> None:
    """Raises unless `path` is free, empty, or a filter that may be replaced, in a folder that can be written.

    Nothing but a .deciban file is ever replaced: a slip of -o must not cost a mailbox.
    """
    _check(path, inputs, _is_model, "a filter to replace", "-o")


def check_page(path: str, inputs: list[str]) -> None:
    """The same for a page: only one that this program wrote is replaced."""
    _check(path, inputs, _is_page, "a report to replace", "--report")


def _check(path: str, inputs: list[str], ours: Callable[[bytes], bool], what: str, option: str) -> None:
    name = shown(path)
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise UsageError(f"{name}: expected the name of a file to write; this is a folder. Add a name to it.")
    if os.path.exists(target) and any(_same(each, target) for each in inputs):
        raise UsageError(f"{name}: expected another name to write to; this is one of the inputs.")
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise StorageError(f"{name}: expected a folder to write to; there is no {shown(folder)}. Make it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"{name}: expected to write into {shown(folder)}; permission was denied.")
    if not os.path.lexists(target) or os.path.getsize(target) == 0:
        return
    if not ours(_head(path, target)):
        raise UsageError(
            f"{name}: expected a free name, or {what}; this file is something else. "
            f"Choose another name with {option}, or remove the file."
        )


def _same(path: str, target: str) -> bool:
    try:
        return os.path.samefile(path, target)
    except OSError:
        return False


def _head(path: str, target: str) -> bytes:
    try:
        with open(target, "rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise unreadable(path, error) from error


def _is_model(head: bytes) -> bool:
    """Whether the header is that of a .deciban file; it may be damaged, which is why one trains again."""
    return head[8:9] == b"{" and b'"__metadata__":{"deciban":' in head


def _is_page(head: bytes) -> bool:
    """Whether a page says that this program wrote it."""
    return head.startswith(b"<!doctype html>") and b'<meta name="generator" content="deciban ' in head
