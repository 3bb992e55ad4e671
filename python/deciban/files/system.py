"""Ask the system for what Windows does otherwise: it has no flags for pipes and terminals, no `pread` and no `flock`,
and no file that is open is replaced there.

So a lock is on a file beside the one that is updated, and a new file is closed before it gets its name.
"""

from __future__ import annotations

import os
import sys


def flags(*names: str) -> int:
    """Return flags of `os.open`, of those that this system has; handles are not inherited, and bytes stay as they are.

    >>> flags("O_WRONLY", "O_NOFOLLOW") & os.O_ACCMODE == os.O_WRONLY
    True
    """
    found = 0
    for name in (*names, "O_CLOEXEC", "O_NOINHERIT", "O_BINARY"):
        found |= getattr(os, name, 0)
    return found


if sys.platform == "win32":
    import msvcrt
    import tempfile
    import time
    from threading import Lock

    _PAUSE = 0.02  # seconds between two looks at a lock
    REPLACES_OPEN_FILES = False
    """Whether a file that is open can be replaced, renamed or removed."""
    _reading = Lock()

    def beside(path: str | os.PathLike[str]) -> str:
        """Return the name of the file that is locked where this one is to be updated."""
        return os.fspath(path) + ".lock"

    def try_to_lock(handle: int) -> bool:
        """Lock an open file of ours; return False where another holds it."""
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def wait_for_lock(handle: int) -> None:
        """Lock an open file of ours as soon as nobody else holds it."""
        while not try_to_lock(handle):
            time.sleep(_PAUSE)

    def read_at(handle: int, size: int, at: int) -> bytes:
        """Return bytes of an open file from a place on."""
        with _reading:
            before = os.lseek(handle, 0, os.SEEK_CUR)
            os.lseek(handle, at, os.SEEK_SET)
            try:
                return os.read(handle, size)
            finally:
                os.lseek(handle, before, os.SEEK_SET)

    def open_unnamed(in_memory: bool) -> int:
        """Return a file that is gone once it is closed, and that the core can open by `name_of`."""
        name = os.path.join(tempfile.gettempdir(), f"deciban-{os.urandom(8).hex()}")
        handle = os.open(name, flags("O_RDWR", "O_CREAT", "O_EXCL", "O_TEMPORARY"), 0o600)
        _names[handle] = name
        return handle

    def name_of(handle: int) -> str:
        """Return a name by which the core can open such a file once more."""
        return _names[handle]

    _names: dict[int, str] = {}

else:
    import fcntl

    REPLACES_OPEN_FILES = True
    """Whether a file that is open can be replaced, renamed or removed."""

    def beside(path: str | os.PathLike[str]) -> str:
        """Return the name of the file that is locked where this one is to be updated: its own."""
        return os.fspath(path)

    def try_to_lock(handle: int) -> bool:
        """Lock an open file; return False where another holds it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_for_lock(handle: int) -> None:
        """Lock an open file as soon as nobody else holds it."""
        fcntl.flock(handle, fcntl.LOCK_EX)

    def read_at(handle: int, size: int, at: int) -> bytes:
        """Return bytes of an open file from a place on."""
        return os.pread(handle, size, at)

    def open_unnamed(in_memory: bool) -> int:
        """Return a file without a name, gone once it is closed, which the core can open by `name_of`."""
        if in_memory and hasattr(os, "memfd_create"):
            return os.memfd_create("standard input")
        import tempfile

        with tempfile.TemporaryFile() as file:
            return os.dup(file.fileno())

    def name_of(handle: int) -> str:
        """Return a name by which the core can open such a file once more."""
        return f"/dev/fd/{handle}"
