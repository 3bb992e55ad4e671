"""SIGINT, SIGTERM and SIGHUP end the work of the command at a place where it can end, and are never lost."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

_NUMBERS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_PAUSE = 0.02  # seconds until a signal that could not end the work there tries again
_BINDING = os.path.join("numpy", "lib", "_version.py")
"""What the core asks NumPy at its first array, and cannot do without."""

_came: int | None = None
_over = False


class Stopped(KeyboardInterrupt):
    """A signal other than Ctrl-C asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def catch() -> None:
    """End the work by KeyboardInterrupt from now on, unless whoever started the command lets it ignore the signal.

    Not while a module is being imported: NumPy and others make an ImportError of it; nor while the core binds NumPy,
    where it could only panic. The signal tries again then, and after a finaliser, from which no exception escapes.
    """
    global _came, _over
    _came, _over = None, False
    for number in _NUMBERS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _end)
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _try_again)
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _escape_finaliser


def ignore() -> None:
    """Ignore them from now on: the work is done, or its end is being told."""
    global _over
    _over = True


def interruption() -> KeyboardInterrupt | None:
    """Return the interruption by the signal that came; None if none came."""
    if _came is None:
        return None
    return KeyboardInterrupt() if _came == signal.SIGINT else Stopped(_came)


def _end(number: int, frame: FrameType | None) -> None:
    global _came
    if _over:
        return
    _came = number
    if _is_importing(frame) and _comes_again():
        return
    raise KeyboardInterrupt if number == signal.SIGINT else Stopped(number)


def _try_again(number: int, frame: FrameType | None) -> None:
    if _came is not None:
        _end(_came, frame)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith("<frozen importlib") or name.endswith(_BINDING):
            return True
        frame = frame.f_back
    return False


def _escape_finaliser(lost: Any) -> None:
    if not (issubclass(lost.exc_type, KeyboardInterrupt) and _comes_again()):
        sys.__unraisablehook__(lost)


def _comes_again() -> bool:
    """Let the signal try again; return False on Windows, which has no timer for that."""
    if sys.platform == "win32":
        return False
    signal.setitimer(signal.ITIMER_REAL, _PAUSE)
    return True
