"""Worker processes that share the sockets of a server: started, replaced where they die, told what to do, stopped.

The first process only binds the sockets and waits for signals: SIGTERM and SIGINT end the workers when they have
answered what they had begun; at SIGHUP options are read again here, once, and handed to all workers, which then read
their filter again. Each worker is a process of its own, as Python computes on one core.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

log = logging.getLogger("deciban.serve")

Serve = Callable[[socket.socket, bool], int]
"""What a worker does, which is the first of a server or another; returns its exit status. At SIGHUP it reads what it is
told at the socket."""
FAILED = 70
_SOON = 1.0  # seconds within which a worker that ended had hardly begun
_LONGEST = 1 << 16  # bytes of what a worker is told at once
_PAUSE = 0.5  # seconds before one is started in its place
_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)  # the last for one that came where it could not end the start
_TOLD = (*_ENDS, signal.SIGHUP)


class _Started(NamedTuple):
    """When a worker was started, and the socket at which it is told something."""

    at: float
    tell: socket.socket


def _make_pair() -> tuple[socket.socket, socket.socket]:
    """Return two sockets that are connected, at neither of which anybody waits."""
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    for each in pair:
        each.setblocking(False)
    return pair


@dataclass
class Workers:
    """So many processes that serve; those that have not ended `grace` seconds after they were asked to are killed.

    At SIGHUP `reload` returns what they are told, if anything.
    """

    serve: Serve
    count: int
    reload: Callable[[], bytes | None] = lambda: None
    grace: float = 30.0
    _started: dict[int, _Started] = field(default_factory=dict)
    _bell: socket.socket = field(init=False)
    _has_begun: bool = False
    _is_ending: bool = False
    _is_asked: bool = False
    _is_reloading: bool = False

    def run(self) -> int:
        """Serve until a signal ends it; returns the exit status."""
        self._bell, rings = _make_pair()
        signal.set_wakeup_fd(rings.fileno(), warn_on_full_buffer=False)
        known = {number: signal.signal(number, self._end) for number in _ENDS}
        known[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._hang_up)
        known[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda number, frame: None)  # a bell, as the others
        try:
            notify("READY=1")
            try:
                while not self._is_ending:
                    self._fill()
                    self._wait()
            except BaseException:
                self._finish()
                raise
            notify("STOPPING=1")
            return self._finish()
        finally:
            signal.set_wakeup_fd(-1)
            for number, handler in known.items():
                signal.signal(number, handler)
            for each in (self._bell, rings):
                each.close()

    def _fill(self) -> None:
        while len(self._started) < self.count:
            signal.pthread_sigmask(signal.SIG_BLOCK, _TOLD)  # none comes between the fork and the note of it
            try:
                if self._is_ending:
                    return
                tell, told = _make_pair()
                pid = os.fork()
                if not pid:
                    tell.close()
                    self._become_worker(told)
                told.close()
                self._has_begun = True
                self._started[pid] = _Started(time.monotonic(), tell)
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _TOLD)

    def _become_worker(self, told: socket.socket) -> None:
        """Serve in this process, and end it."""
        status = FAILED
        try:
            signal.set_wakeup_fd(-1)
            for number in (*_ENDS, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # it reads what it was told when it has begun
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _TOLD)
            status = self.serve(told, not self._has_begun)
        except BaseException:
            log.exception("a worker ended by an error")
        finally:
            logging.shutdown()
            os._exit(status)

    def _wait(self, seconds: float | None = None) -> None:
        """Wait for a signal, so long at most, and note which workers have ended.

        The system itself rings the bell: a signal that comes just before the wait is not waited for once more.
        """
        if select.select([self._bell], [], [], seconds)[0]:
            read_last(self._bell)
        for pid in [*self._started]:
            self._reap(pid)

    def _reap(self, pid: int) -> None:
        """Note whether a worker has ended."""
        ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended:
            return
        begun = self._started.pop(pid)
        begun.tell.close()
        if self._is_ending:
            return
        log.error("worker %d ended (%s); another one starts", pid, _describe(status))
        if time.monotonic() - begun.at < _SOON:
            time.sleep(_PAUSE)

    def _finish(self) -> int:
        """Wait until all have ended; kill those that do not."""
        self._tell(signal.SIGTERM)
        end = time.monotonic() + self.grace
        while self._started and time.monotonic() < end:
            self._wait(max(0.0, end - time.monotonic()))
        for pid in self._started:
            log.error("worker %d did not end in %g s and is killed", pid, self.grace)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        return 0

    def _end(self, number: int, frame: object) -> None:
        self._is_ending = True

    def _hang_up(self, number: int, frame: object) -> None:
        """Reload, once more where the signal came while that was done: what is told last is what was read last."""
        self._is_asked = True
        while self._is_asked and not self._is_reloading:
            self._is_reloading = True
            while self._is_asked:
                self._is_asked = False
                self._reload()
            self._is_reloading = False

    def _reload(self) -> None:
        """Tell the workers the options as they are by now, and to read their filter again."""
        try:
            data = self.reload()
            if data is not None:
                for pid, worker in self._started.items():
                    _send(worker.tell, data, pid)
        except Exception:
            log.exception("the options could not be read again, and those that were read stay")
        self._tell(signal.SIGHUP)

    def _tell(self, number: int) -> None:
        for pid in [*self._started]:
            with contextlib.suppress(ProcessLookupError):  # it has ended, and that is not noted yet
                os.kill(pid, number)


def _send(tell: socket.socket, data: bytes, pid: int) -> None:
    try:
        tell.send(data)
    except OSError as error:
        log.error("worker %d could not be told its options: %s", pid, error)


def read_last(told: socket.socket) -> bytes | None:
    """Return what a worker was told last; None where it was told nothing."""
    found = None
    with contextlib.suppress(OSError):  # when nothing is left, or nobody is there to tell more
        while data := told.recv(_LONGEST):
            found = data
    return found


def _describe(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"status {os.waitstatus_to_exitcode(status)}"


def notify(state: str) -> None:
    """Tell systemd what the server does, where it was started by it (sd_notify)."""
    path = os.environ.get("NOTIFY_SOCKET")
    if not path:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        try:
            told.sendto(state.encode(), "\0" + path[1:] if path.startswith("@") else path)
        except OSError as error:
            log.warning("systemd could not be told %s: %s", state, error)


def inherited_sockets() -> dict[str, list[socket.socket]]:
    """Return the listening sockets that systemd hands over, by the names that its units give them (sd_listen_fds)."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return {}
    names = os.environ.get("LISTEN_FDNAMES", "").split(":")
    found: dict[str, list[socket.socket]] = {}
    for place in range(int(os.environ.get("LISTEN_FDS", "0"))):
        name = names[place] if place < len(names) else "unknown"
        found.setdefault(name, []).append(socket.socket(fileno=3 + place))
    return found
