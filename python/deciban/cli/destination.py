"""Whether a filter or a page may be written where one asks for it: told before the work, not after."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress

from ..errors import StorageError, UsageError, escape, unreadable
from ..files.locks import read_only
from ..files.regular import name_special, open_regular

_PSEUDO = ("/proc/", "/sys/")
_HEAD = 1 << 20  # bytes; where the header is longer than that, the file is not ours


def check_destination(path: str, inputs: list[str], option: str = "-o") -> None:
    """Raise unless `path` is free, empty, or a filter that may be replaced, in a folder that can be written.

    Nothing but a .deciban file is ever replaced: a slip of -o must not cost a mailbox.
    """
    _check(path, inputs, _is_model, "a filter to replace", option)


def check_page(path: str, inputs: list[str]) -> None:
    """Check the same for a page: only one that this program wrote is replaced."""
    _check(path, inputs, _is_page, "a report to replace", "--report")


def check_onnx(path: str, inputs: list[str]) -> None:
    """Check the same for an ONNX file: only one that this program wrote is replaced."""
    _check(path, inputs, _is_onnx, "an ONNX file of a model to replace", "-o")


def _check(path: str, inputs: list[str], ours: Callable[[bytes], bool], what: str, option: str) -> None:
    name = escape(path)
    target = os.path.realpath(path)
    mode = _mode(path)
    if mode is not None and stat.S_ISDIR(mode):
        raise UsageError(f"{name}: expected the name of a file to write; this is a folder. Add a name to it.")
    if mode is not None and any(_same(each, path) for each in inputs):
        raise UsageError(f"{name}: expected another name to write to; this is one of the inputs.")
    if mode is not None and not stat.S_ISREG(mode):
        _check_special(name, path, mode, option)
        return
    folder = os.path.dirname(target)
    if target.startswith(_PSEUDO):
        raise UsageError(f"{name}: expected the name of a file to write; the system keeps no files there.")
    if not os.path.isdir(folder):
        raise StorageError(f"{name}: expected a folder to write to; there is no {escape(folder)}. Make it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"{name}: expected to write into {escape(folder)}; permission was denied.")
    if mode is None:
        return
    head = _head(target, path)
    if head and not ours(head):
        raise UsageError(
            f"{name}: expected a free name, or {what}; this file is something else. "
            f"Choose another name with {option}, or remove the file."
        )
    if not os.access(target, os.W_OK):
        raise read_only(path)


def _mode(path: str) -> int | None:
    with suppress(OSError):
        return os.stat(path).st_mode
    return None


def _check_special(name: str, path: str, mode: int, option: str) -> None:
    """Raise for what is neither a regular file nor takes what is written to it."""
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        raise UsageError(
            f"{name}: expected a free name, a pipe or a character device; this is {name_special(mode)}. "
            f"Choose another name with {option}."
        )
    if not os.access(path, os.W_OK):
        raise StorageError(f"{name}: expected to write to it; permission was denied.")


def _same(path: str, target: str) -> bool:
    try:
        return os.path.samefile(path, target)
    except OSError:
        return False


def _head(target: str, path: str) -> bytes:
    with open_regular(target) as file:
        try:
            return file.read(_HEAD)
        except OSError as error:
            raise unreadable(path, error) from error


def _is_model(head: bytes) -> bool:
    """Return whether the header is that of a .deciban file; it may be damaged, which is why one trains again."""
    return head[8:9] == b"{" and b'"__metadata__":{"deciban":' in head


def _is_onnx(head: bytes) -> bool:
    """Return whether a file of protocol buffers names this program as its producer."""
    return b"\x12\x07deciban" in head[:32]


def _is_page(head: bytes) -> bool:
    """Return whether a page says that this program wrote it."""
    return head.startswith(b"<!doctype html>") and b'<meta name="generator" content="deciban ' in head
