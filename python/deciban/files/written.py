"""What this process has written, for the command to tell whoever interrupts it."""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress


class Replacement:
    """A file that is about to take the place at `path`, or a stream there that takes what is written.

    An interruption may come between the replacement and the note of it. Therefore the identity of the new file is
    noted before, and afterwards whatever stands there is compared with it.

    Parameters
    ----------
    path : str or path-like
        Where the user wants it.
    handle : int or None
        The new file, open, under its temporary name; None for a stream.
    """

    def __init__(self, path: str | os.PathLike[str], handle: int | None) -> None:
        self.path, self.done = os.fspath(path), False
        self.identity = None if handle is None else os.fstat(handle)
        _begun.append(self)

    def has_happened(self) -> bool:
        """Return whether the file is in its place, or whether the stream has taken everything."""
        with suppress(OSError):
            self.done = self.done or (self.identity is not None and os.path.samestat(os.stat(self.path), self.identity))
        return self.done

    def abandon(self) -> None:
        """Take it back: the new file is gone, and nothing was replaced."""
        _begun.remove(self)


_begun: deque[Replacement] = deque(maxlen=64)  # a run of the command writes two files; a server may write for ever


def forget_written() -> None:
    """Begin a new list."""
    _begun.clear()


def written() -> dict[str, bool]:
    """Return the paths that were written, in order; False for a stream that has perhaps taken a part only.

    Examples
    --------
    >>> forget_written()
    >>> written()
    {}
    """
    return {
        each.path: each.done
        for each in _begun
        if (each.has_happened() or each.identity is None) and os.path.lexists(each.path)
    }
