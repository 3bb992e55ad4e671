"""The command `deciban`: one module a verb, loaded when it is asked for."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from typing import NoReturn, TextIO

from ..files.written import forget_written
from . import signals


def main() -> NoReturn:
    """Run the command and end the process with its exit code.

    At once: nothing is left to be saved, and taking the interpreter and NumPy apart first takes some 25 ms.
    """
    from .deferred import defer_imports

    defer_imports()
    code = status(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def status(arguments: list[str]) -> int:
    """Run the command; its exit code. Every failure is one line on stderr."""
    forget_written()
    try:
        return _status(arguments)
    except KeyboardInterrupt as error:  # a second one, before the first could be told
        return _report(error)


def _status(arguments: list[str]) -> int:
    try:
        signals.catch()
        sys.stdout, sys.stderr = map(_lossless, (sys.stdout, sys.stderr))
        code = _run(arguments)
        sys.stdout.flush()
        signals.ignore()  # the work is done: too late to interrupt it
        return code
    except BaseException as error:
        return _report(error)


def _report(error: BaseException) -> int:
    signals.ignore()
    from .failures import report

    return report(error)


def _run(arguments: list[str]) -> int:
    from ..data.convergence import gather_warnings
    from .group import COMPLETE, deciban

    gc.set_threshold(500_000, 50, 50)  # a short life: looking for garbage takes longer than it saves
    # BLAS computes on one thread anyway (`deciban.blas`): starting others takes time, and they spin for a while.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if COMPLETE in os.environ:
        deciban.main(arguments, prog_name="deciban")
    # What did not converge is told in the words of the command, by the verb that knows of which fit.
    with gather_warnings(), deciban.make_context("deciban", [*arguments], obj=arguments) as context:
        deciban.invoke(context)
    return 0


def _lossless(stream: TextIO | None) -> TextIO:
    """Return the stream as all of the command may use it: open, and without a text that it cannot or does not write.

    PYTHONUNBUFFERED leaves it without a buffer, and then a write that the system cuts short is lost without a word.
    """
    if stream is None:
        return open(os.devnull, "w")
    if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
        stream = open(stream.fileno(), "w", encoding=stream.encoding, closefd=False)  # noqa: SIM115
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")  # what the encoding cannot show is escaped
    return stream
