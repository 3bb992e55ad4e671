"""Ctrl-C that is not lost where a solver answers it with the best that it has."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interruption:
    """Remembers that Ctrl-C came, also where what it interrupted goes on: `check()` raises KeyboardInterrupt then.

    Looks at the keyboard in the main thread only, and only where nobody else does.

    >>> with Interruption() as interruption:
    ...     interruption.check()
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> Interruption:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """KeyboardInterrupt if Ctrl-C came."""
        if self.came:
            raise KeyboardInterrupt
