"""Work on the next of many things while one is used: the core needs no interpreter where it reads and judges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


def ahead(made: Iterator[T]) -> Iterator[T]:
    """Yield the same, the next of which is made on another thread meanwhile; the first two come without one, as most
    commands are of one message.

    >>> list(ahead(iter("abcd")))
    ['a', 'b', 'c', 'd']
    """
    yield from islice(made, 2)
    following = _Following(made)
    while found := following.result():
        following = _Following(made)
        yield from found


class _Following(Thread, Generic[T]):
    """A thread that makes the next, if there is one."""

    def __init__(self, made: Iterator[T]) -> None:
        super().__init__(daemon=True)
        self._made = made
        self._found: list[T] = []
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._found = list(islice(self._made, 1))
        except BaseException as error:
            self._error = error

    def result(self) -> list[T]:
        """Wait for it; raises what making it raised."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._found
