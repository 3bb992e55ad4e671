"""Locks: whoever replaces a file, or reads it to replace it, holds it alone for as long."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Timer

from ..errors import StorageError, escape, unreadable
from .regular import require_regular
from .system import REPLACES_OPEN_FILES, beside, flags, try_to_lock, wait_for_lock

PATIENCE = 3.0
"""Seconds after which whoever waits for a lock is told so."""

# A writable handle: over NFS, no other can be locked for one alone.
_OPEN = flags("O_WRONLY", "O_NONBLOCK", "O_NOCTTY")
_WITHOUT_LOCKS = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG)
_held: ContextVar[frozenset[tuple[int, int]]] = ContextVar("held", default=frozenset())


@contextmanager
def lock(path: str | os.PathLike[str], *, needed: bool = True) -> Iterator[bool]:
    """Hold the file alone while it is updated: others wait.

    The lock is on the file itself, or on Windows on one beside it; as an update puts a new file in its place, whoever
    waited looks again whether what it holds is still the file of that name. Who holds it may lock it again.

    Parameters
    ----------
    path : path-like
        Name of the file.
    needed : bool, default=True
        Whether there must be a file, and a lock; else one that is not there, or that nobody can lock, is not locked.

    Yields
    ------
    bool
        Whether there is a file.
    """
    while True:
        handle = _open(path, needed)
        if handle is None:
            yield False
            return
        try:
            about = os.fstat(handle)
            require_regular(path, about)
            mine = (about.st_dev, about.st_ino)
            is_current = mine in _held.get() or _wait_for(handle, path, needed)
            if is_current and _is_at(beside(path), about):
                before = _held.set(_held.get() | {mine})
                try:
                    yield True
                finally:
                    _held.reset(before)
                return
        finally:
            os.close(handle)


@contextmanager
def hold_at_once(path: str | os.PathLike[str]) -> Iterator[bool]:
    """Hold a file alone, which is made if need be; nobody waits.

    Parameters
    ----------
    path : path-like
        Name of a file that has no contents.

    Yields
    ------
    bool
        Whether it is held; False where another process holds it. Where no file can be locked, nobody does.
    """
    while True:
        handle = os.open(path, _OPEN | os.O_CREAT, 0o600)
        try:
            if not _take(handle):
                yield False
                return
            if _is_at(path, os.fstat(handle)):  # whoever held it may have removed it
                yield True
                return
        finally:
            os.close(handle)


def _take(handle: int) -> bool:
    try:
        return try_to_lock(handle)
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise
    return True


def _open(path: str | os.PathLike[str], needed: bool) -> int | None:
    """Return a handle of the file, by which it can be locked; None where there is none and none is needed."""
    try:
        require_regular(path, os.stat(path))
        return os.open(beside(path), _OPEN if REPLACES_OPEN_FILES else _OPEN | os.O_CREAT)
    except FileNotFoundError as error:
        if not needed:
            return None
        raise unreadable(os.fspath(path), error) from error
    except PermissionError as error:
        if not os.access(path, os.F_OK):
            raise unreadable(os.fspath(path), error) from error
        raise read_only(path) from error
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.EROFS:
            raise StorageError(
                f"{escape(os.fspath(path))}: expected a file that can be written; its file system is read-only. "
                "Nothing was changed. Copy the file to another place."
            ) from error
        if isinstance(error, ValueError) or error.errno in _NO_FILE:
            raise unreadable(os.fspath(path), error) from error
        raise _unlockable(path, error) from error


def read_only(path: str | os.PathLike[str]) -> StorageError:
    """Return the error of a file that may not be written, and is not replaced even where its folder could be."""
    return StorageError(
        f"{escape(os.fspath(path))}: expected a file that you may write; you may not. Nothing was changed. Change its "
        "mode (chmod u+w), or do this as its owner."
    )


def _wait_for(handle: int, path: str | os.PathLike[str], needed: bool) -> bool:
    """Lock the file, and tell whoever must wait for long; return False where another machine has replaced it."""
    try:
        if not try_to_lock(handle):
            teller = Timer(PATIENCE, _tell_waiting, [escape(os.fspath(path))])
            teller.daemon = True
            teller.start()
            try:
                wait_for_lock(handle)
            finally:
                teller.cancel()
    except OSError as error:
        if error.errno == errno.ESTALE:
            return False
        if needed or error.errno not in _WITHOUT_LOCKS:  # where no file can be locked, nobody holds it
            raise _unlockable(path, error) from error
    return True


def _unlockable(path: str | os.PathLike[str], error: OSError) -> StorageError:
    return StorageError(
        f"{escape(os.fspath(path))}: could not be locked, so that others might change it at the same time: "
        f"{error.strerror}. Nothing was changed. Copy the file to a local disk, or let its file system have locks."
    )


def _tell_waiting(name: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(f"Waiting for {name}, which another process updates. Ctrl-C ends the wait.\n")
        sys.stderr.flush()


def _is_at(path: str | os.PathLike[str], about: os.stat_result) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path), about)
    return False
