"""Processes in which the system refuses a call that writes, does half of it, or kills them there."""

import fcntl
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import NamedTuple

CALLS = ("open", "write", "fsync", "replace", "link", "rename", "unlink", "fchown", "fchmod", "setxattr", "removexattr")
KILLS = ("kill before", "kill after")


class Fault(NamedTuple):
    """What happens at which call that writes: an error number, "short" (a third is written), or a kill."""

    kind: int | str
    at: int


class Ended(NamedTuple):
    """How a process ended: its exit code, None if it was killed, what it said, and how many calls it made by then."""

    code: int | None
    said: str
    calls: int


class Process:
    """A process of this one's kind that does `work`, and ends with what it returns.

    Parameters
    ----------
    work : callable
        What it does.
    fault : Fault, optional
        What goes wrong.
    room : int, optional
        How many bytes its files may have, as on a full disk.
    """

    def __init__(self, work: Callable[[], int], fault: Fault | None = None, room: int | None = None) -> None:
        self.count = tempfile.TemporaryFile()  # noqa: SIM115
        self.output, output = os.pipe()
        os.set_blocking(self.output, False)
        self.pid = os.fork()
        if self.pid == 0:
            code = 99
            try:
                for number in (1, 2):
                    os.dup2(output, number)
                sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115
                if room is not None:
                    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
                _inject(fault, self.count.fileno())
                code = work()
                sys.stderr.flush()
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(code)
        os.close(output)

    def wait(self) -> Ended:
        """Wait for its end."""
        _, status = os.waitpid(self.pid, 0)
        with self.count, open(self.output, "rb") as output:
            said = (output.read() or b"").decode()
            calls = os.fstat(self.count.fileno()).st_size
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        assert code != 99, said
        assert code is not None or os.WTERMSIG(status) == signal.SIGKILL, status
        return Ended(code, said, calls)


def _inject(fault: Fault | None, count: int) -> None:
    """Count the calls that write, a byte each in a file that survives, and let the one go wrong that should."""
    write = os.write  # not the one that is about to count, too
    for module, name in [*((os, name) for name in CALLS if hasattr(os, name)), (fcntl, "flock")]:
        setattr(module, name, _injected(name, getattr(module, name), fault, count, write))


def _injected(name, call, fault, count, write):
    def injected(*arguments, **more):
        if name == "open" and not arguments[1] & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
            return call(*arguments, **more)
        at = os.fstat(count).st_size
        try:
            write(count, b".")
        except OSError:  # no room
            return call(*arguments, **more)
        if fault is None or at != fault.at:
            return call(*arguments, **more)
        if isinstance(fault.kind, int):
            raise OSError(fault.kind, os.strerror(fault.kind))
        if fault.kind == "kill before":
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "write":
            arguments = (arguments[0], arguments[1][: 1 + len(arguments[1]) // 3])
        done = call(*arguments, **more)
        if fault.kind == "kill after":
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    return injected
