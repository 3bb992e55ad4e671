"""Work on the next of many things while one is used: the core needs no interpreter where it reads and judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from threading import Thread
from typing import Generic, TypeVar

from ..threads import LISTEN

T = TypeVar("T")


def ahead(made: Iterator[T]) -> Iterator[T]:
    """Yield the same, the next of which is made on another thread meanwhile; the first two come without one, as most
    commands are of one message.

    >>> list(ahead(iter("abcd")))
    ['a', 'b', 'c', 'd']
    """
    yield from islice(made, 2)
    following = Aside(lambda: list(islice(made, 1)))
    while found := following.result():
        following = Aside(lambda: list(islice(made, 1)))
        yield from found


class Aside(Thread, Generic[T]):
    """A thread that does something at once, whose result somebody waits for."""

    def __init__(self, act: Callable[[], T]) -> None:
        super().__init__(daemon=True)
        self._act = act
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._result = self._act()
        except BaseException as error:
            self._error = error

    def result(self) -> T:
        """Wait for it; raises what it raised."""
        while self.is_alive():
            self.join(LISTEN)
        if self._error is not None:
            raise self._error
        return self._result
