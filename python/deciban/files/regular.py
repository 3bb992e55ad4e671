"""Regular files, and nothing else: a pipe is waited for without end, and a device may have none."""

from __future__ import annotations

import errno
import io
import os
import stat

from ..errors import NoInputError, escape, unreadable
from .system import flags

_OPEN = flags("O_RDONLY", "O_NONBLOCK", "O_NOCTTY")
_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a disk"}


def name_special(mode: int) -> str | None:
    """Return what is neither a regular file nor a folder, in words; None of those two."""
    return _KINDS.get(stat.S_IFMT(mode))


def open_regular(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a regular file to read it.

    Parameters
    ----------
    path : path-like
        Name of the file.

    Returns
    -------
    BufferedReader
        The open file.

    Raises
    ------
    NoInputError
        If there is no such file, if it may not be read, and of pipes, sockets, devices and folders, without waiting.
    """
    try:
        require_regular(path, os.stat(path))  # before it is opened, which some devices take as an order
        file = open(os.open(path, _OPEN), "rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise unreadable(os.fspath(path), error) from error
    try:
        require_regular(path, os.fstat(file.fileno()))
    except BaseException:
        file.close()
        raise
    return file


def require_regular(path: str | os.PathLike[str], about: os.stat_result) -> None:
    """Raise NoInputError unless what is about is a regular file."""
    if stat.S_ISDIR(about.st_mode):
        raise unreadable(os.fspath(path), IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)))
    special = name_special(about.st_mode)
    if special:
        raise NoInputError(
            f"{escape(os.fspath(path))}: expected a regular file; this is {special}. "
            "Copy its content into a file first."
        )
