"""Whatever ends the command early, as one line on stderr and an exit code as in sysexits.h."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from click import ClickException
from click import UsageError as ClickUsageError
from click.exceptions import Exit

from ..errors import DecibanError, StorageError, UsageError, escape, unreadable
from ..files.written import written
from . import signals
from .signals import Stopped

TRACEBACK = "DECIBAN_TRACEBACK"
_INTERRUPTED, _PIPE_CLOSED = 130, 141  # 128 + SIGINT, 128 + SIGPIPE: what a shell makes of the signals
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ELOOP, errno.EISDIR, errno.ENAMETOOLONG)


@contextmanager
def note_unwritten(path: str | None, note: str = "{} was not") -> Iterator[None]:
    """Says of an interruption inside the block that `path`, if one is wanted, was not written, unless it was."""
    try:
        yield
    except KeyboardInterrupt as error:
        if path is not None and path not in written():
            error.add_note(note.format(escape(path)))
        raise


def report(error: BaseException) -> int:
    """Say what happened, once; gives the exit code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, Exit):
        return error.exit_code
    if isinstance(error, BrokenPipeError) or (isinstance(error, OSError) and error.errno == errno.EPIPE):
        _silence_stdout()
        return _PIPE_CLOSED
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    code, sentence = _explain(error)
    with suppress(OSError):
        sys.stderr.write(sentence + "\n")
    try:
        sys.stdout.flush()
    except OSError:
        _silence_stdout()
    return code


def _explain(error: BaseException) -> tuple[int, str]:
    if isinstance(error, KeyboardInterrupt):
        came = signals.interruption()  # a fit tells another signal, too, by its status only
        return 128 + came.number if isinstance(came, Stopped) else _INTERRUPTED, f"Interrupted: {_done(error)}."
    if isinstance(error, OSError) and not isinstance(error, DecibanError):
        error = _of_the_system(error)
    if isinstance(error, DecibanError):
        return error.exit_code, f"deciban: {_one_line(str(error))}"
    if isinstance(error, ClickException):
        return UsageError.exit_code, f"deciban: {_usage(error)}"
    if isinstance(error, MemoryError):
        return DecibanError.exit_code, (
            "deciban: expected enough memory; there was not. Close other programs, or train with fewer features: "
            "of texts --words 1,1, or --hashed 20; of tables fewer columns."
        )
    interruption = signals.interruption()
    if interruption is not None:  # which other programs may have made another error of
        return _explain(interruption)
    return DecibanError.exit_code, (
        f"deciban: an error of the program itself, {type(error).__name__}: {_one_line(str(error))[:300]}. "
        f"Please report it; {TRACEBACK}=1 shows where it happened."
    )


def _done(error: KeyboardInterrupt) -> str:
    """Return what had been written by then, and what the verb notes of it."""
    files = [
        f"{escape(path)} had been written" + ("" if whole else ", or a part of it") for path, whole in written().items()
    ]
    return ", ".join([*files, *getattr(error, "__notes__", [])]) or "nothing was written"


def _of_the_system(error: OSError) -> DecibanError:
    """Return what an OSError that nobody foresaw means: an input that is gone, or reading or writing that broke off."""
    name = error.filename
    if isinstance(name, bytes | os.PathLike):
        name = os.fsdecode(name)
    if isinstance(name, str) and error.errno in _NOT_THERE:
        return unreadable(name, error)
    if isinstance(name, str):
        return StorageError(f"{escape(name)}: reading or writing broke off: {error.strerror or error}.")
    return StorageError(f"standard output: could not be written: {error.strerror or error}.")


def _usage(error: ClickException) -> str:
    message = _one_line(error.format_message()).rstrip(".")
    command = "deciban"
    if isinstance(error, ClickUsageError) and error.ctx is not None:
        command = error.ctx.command_path
    end = "" if message.endswith(("?", ")")) else "."
    return f"{message}{end} See {command} --help."


def _one_line(text: str) -> str:
    return escape(" ".join(text.split()))


def _silence_stdout() -> None:
    """Silence it: nobody reads standard output any more: what is left in the buffer must not fail again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
