"""A file replaced in one step or not at all: a temporary file beside it, fsync, rename."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

from ..errors import StorageError, escape
from .attributes import copy_attributes
from .locks import lock
from .regular import name_special
from .system import REPLACES_OPEN_FILES, flags, try_to_lock
from .written import Replacement

_PIECE = 1 << 24  # bytes at a time, so that an interruption is heard
_LONGEST = 200  # bytes of a name that a temporary file has in its own
_READER = 2.0  # seconds in which whoever reads a pipe has to open it
_NEW = flags("O_WRONLY", "O_CREAT", "O_EXCL", "O_NOFOLLOW")
_OLD = flags("O_WRONLY", "O_NONBLOCK", "O_NOFOLLOW")
_STREAM = flags("O_WRONLY", "O_NONBLOCK", "O_NOCTTY")
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
# What a system says of a folder that it does not sync, or that may be written, not read.
_UNSYNCED = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EPERM, errno.ENOSYS)


def replace(path: str | os.PathLike[str], *content: bytes | memoryview, private: bool = False) -> None:
    """Put these pieces in the place of the file; through a link, of the file it points to.

    The new file has owner, group, mode and extended attributes of the old one, as far as this user may give them; one
    that is `private` only its owner may read. The old one is locked, so that whoever updates it ends before. A pipe or
    a device takes the pieces as they are, and stays what it is. What earlier writers left beside the file when they
    were killed is removed.
    """
    try:
        mode = _mode(path)
        if mode is not None and name_special(mode):
            _write_through(path, mode, content)
            return
        target = os.path.realpath(path)
        while True:
            with lock(path, needed=False) as is_there:
                if _replace(path, target, is_there, content, private):
                    return
    except OSError as error:
        raise _unwritable(path, error) from error


def _replace(
    path: str | os.PathLike[str], target: str, is_there: bool, content: Iterable[bytes | memoryview], private: bool
) -> bool:
    """Replace a file that is locked, or make one; return False where another has made it meanwhile."""
    remove_leftovers(target)
    folder, prefix = _place(target)
    temporary, handle, record = "", -1, None
    try:
        temporary, handle = _create(folder, prefix, 0o600 if is_there or private else 0o666)
        if is_there:
            copy_attributes(target, handle)
        if private:
            os.chmod(temporary, 0o600)
        _write(handle, content)
        os.fsync(handle)
        record = Replacement(path, handle)
        if not REPLACES_OPEN_FILES:
            handle = _closed(handle)
        if is_there:
            os.replace(temporary, target)
        elif not _name(temporary, target):
            return False
        record.done = True
        _sync_folder(folder, target)
    finally:
        if record is not None and not record.has_happened():
            record.abandon()
        if temporary:
            _discard(temporary, handle)
    return True


def _create(folder: str, prefix: str, mode: int) -> tuple[str, int]:
    """Return a new temporary file, locked for as long as its writer lives."""
    while True:
        temporary, handle = os.path.join(folder, f"{prefix}.{os.urandom(4).hex()}.part"), -1
        try:
            handle = os.open(temporary, _NEW, mode)
            if _lock_at_once(handle) is not False and _names(temporary, handle):
                return temporary, handle
            os.close(handle)  # taken for a leftover before it was locked, and removed
        except FileExistsError:
            continue
        except BaseException:
            if handle >= 0:
                _discard(temporary, handle)
            raise


def _discard(temporary: str, handle: int) -> None:
    if not REPLACES_OPEN_FILES:
        handle = _closed(handle)
    with suppress(OSError):
        os.unlink(temporary)
    _closed(handle)


def _closed(handle: int) -> int:
    """Close a handle, unless it was, and return that of no file."""
    if handle >= 0:
        os.close(handle)
    return -1


def _name(temporary: str, target: str) -> bool:
    """Give the file its name; return False where there is a file of that name by now."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        os.rename(temporary, target)
    return True


def _place(target: str) -> tuple[str, str]:
    """Return the folder of a file's temporary files, and how their names begin."""
    folder, base = os.path.split(target)
    return folder, os.fsdecode(os.fsencode(f".{base}")[:_LONGEST])


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove what earlier writers of a file left beside it when they were killed: temporary files that nobody has
    locked. `replace` does so by itself."""
    target = os.path.realpath(path)
    folder, prefix = _place(target)
    pattern = re.compile(re.escape(prefix) + r"\.[a-z0-9_]{8}\.part")
    with suppress(OSError):
        for name in filter(pattern.fullmatch, os.listdir(folder)):
            with suppress(OSError):
                _remove_leftover(os.path.join(folder, name), target)


def _remove_leftover(path: str, target: str) -> None:
    handle = os.open(path, _OLD)
    try:
        named = os.path.exists(target) and _names(target, handle)  # its writer ended between the two names
        if stat.S_ISREG(os.fstat(handle).st_mode) and (named or _lock_at_once(handle)) and _names(path, handle):
            if not REPLACES_OPEN_FILES:
                handle = _closed(handle)
            os.unlink(path)
    finally:
        _closed(handle)


def _lock_at_once(handle: int) -> bool | None:
    """Return whether the file could be locked; None where no file can."""
    try:
        return try_to_lock(handle)
    except OSError:
        return None


def _names(path: str, handle: int) -> bool:
    """Return whether the open file has this name."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(handle))
    return False


def _write(handle: int, content: Iterable[bytes | memoryview]) -> None:
    for piece in content:
        view = memoryview(piece).cast("B")
        while view:
            view = view[os.write(handle, view[:_PIECE]) :]


def _sync_folder(folder: str, target: str) -> None:
    try:
        handle = os.open(folder, flags("O_RDONLY", "O_DIRECTORY"))
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _UNSYNCED:
            raise StorageError(
                f"{escape(target)}: was written, but may not survive a loss of power: {error.strerror}. "
                "Look after the disk."
            ) from error


def _mode(path: str | os.PathLike[str]) -> int | None:
    with suppress(FileNotFoundError):
        return os.stat(path).st_mode
    return None


def _write_through(path: str | os.PathLike[str], mode: int, content: Iterable[bytes | memoryview]) -> None:
    """Write to a pipe or a character device."""
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        raise StorageError(
            f"{escape(os.fspath(path))}: expected a file, a pipe or a character device to write to; this is "
            f"{name_special(mode)}. Choose another name."
        )
    handle = _open_stream(path, mode)
    try:
        if stat.S_IFMT(os.fstat(handle).st_mode) != stat.S_IFMT(mode):
            raise OSError(errno.EAGAIN, "it was replaced meanwhile")
        if sys.platform != "win32":
            os.set_blocking(handle, True)
        record = Replacement(path, None)
        _write(handle, content)
        record.done = True
    except OSError as error:
        why = "whoever reads this pipe has closed it" if error.errno == errno.EPIPE else error.strerror
        raise StorageError(
            f"{escape(os.fspath(path))}: could not be written: {why}. It may have taken a part. Choose another place, "
            "or try again."
        ) from error
    finally:
        os.close(handle)


def _open_stream(path: str | os.PathLike[str], mode: int) -> int:
    """Open it; of a pipe that nobody reads yet, wait a moment for whoever does."""
    ends = time.monotonic() + _READER
    while True:
        try:
            return os.open(path, _STREAM)
        except OSError as error:
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(mode):
                raise
            if time.monotonic() > ends:
                raise StorageError(
                    f"{escape(os.fspath(path))}: could not be written: nobody reads this pipe. Start what "
                    "reads it, and try again."
                ) from error
        time.sleep(0.01)


def _unwritable(path: str | os.PathLike[str], error: OSError) -> StorageError:
    advice = "make room or choose another place, and try again"
    if error.errno in _FORBIDDEN:
        advice = f"you need the right to write in {escape(os.path.dirname(os.path.realpath(path)))}"
    return StorageError(
        f"{escape(os.fspath(path))}: could not be written: {error.strerror}. Nothing was changed; {advice}."
    )
