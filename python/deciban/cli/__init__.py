"""The command `deciban`: one module a verb, loaded when it is asked for."""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType
from typing import NoReturn


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command and end the process with its exit code. Every failure is one line on stderr."""
    for number in (signal.SIGTERM, signal.SIGHUP):  # end like Ctrl-C, so that no half-written file stays behind
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))  # noqa: SIM115
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done: too late to interrupt it
    except BaseException as error:
        from .failures import report

        code = report(error)
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    from .group import deciban

    gc.set_threshold(100_000, 50, 50)  # a short life: looking for garbage takes longer than it saves
    # Counting needs no BLAS, whose threads spin for a while after they start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):  # what the terminal's encoding cannot show is escaped
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if "_DECIBAN_COMPLETE" in os.environ:
        deciban.main(arguments, prog_name="deciban")
    with deciban.make_context("deciban", arguments) as context:
        deciban.invoke(context)
    return 0


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    from .failures import Stopped

    raise Stopped(number)
