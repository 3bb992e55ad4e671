"""Connections of the spamd protocol: what arrives is read to the end, answered once, and the connection closed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import monotonic

from ..errors import DecibanError
from .live import Filter
from .logs import RequestLog, logs_requests
from .noted_filter import NotedFilter
from .shared import HeldConnection, Shared
from .spamd import Request, RequestReader, SpamdError, answer
from .user_filters import NamedFilters

log = logging.getLogger("deciban.serve")

_GRACE = 0.2  # seconds in which a client that does not close its half may still send too much
_LINGER = 5.0  # seconds in which what a client still sends is read and thrown away


@dataclass(frozen=True)
class SpamdServer:
    """What answers requests: a filter, what connections share, whether clients may teach, and the filters of users."""

    known: Filter
    shared: Shared
    allow_tell: bool = False
    users: NamedFilters | None = None

    def connect(self) -> SpamdConnection:
        """Return what reads a new connection."""
        return SpamdConnection(self)

    def answer(self, request: Request) -> bytes:
        """Return the reply to a request, an error included."""
        if not logs_requests():
            return self._answer(request)
        entry = RequestLog("spamd", request.command)
        reply = self._answer(request, entry)
        entry.finish(status=_status_of(reply))
        return reply

    def _answer(self, request: Request, entry: RequestLog | None = None) -> bytes:
        try:
            known = self._filter_for(request)
            asked = known if entry is None else NotedFilter(known, entry)
            return answer(request, asked, allow_tell=self.allow_tell)
        except SpamdError as error:
            return error.to_bytes()
        except (DecibanError, OSError) as error:
            log.error("%s could not be answered: %s", request.command, error)
            return SpamdError(69, "Service Unavailable", str(error)).to_bytes()
        except Exception:
            log.exception("%s could not be answered", request.command)
            return SpamdError(70, "Internal Error", "an error of the program itself; see its log").to_bytes()

    def _filter_for(self, request: Request) -> Filter:
        """Return the filter of the user that a request names."""
        if self.users is None:
            return self.known
        return self.users.of(request.headers.get("user"), teaches=request.command == "TELL")

    def pool_for(self, request: Request) -> ThreadPoolExecutor | None:
        """Return the threads that a request needs; None where it is answered at once."""
        if request.command == "TELL":
            return self.shared.learner
        waits = self.users is not None and self.users.is_remote and "user" in request.headers
        return self.shared.slow if waits else self.shared.pool_for(len(request.message))


class SpamdConnection(HeldConnection):
    """One connection: one request, one reply."""

    def __init__(self, server: SpamdServer) -> None:
        super().__init__(server.shared)
        self.server, self.reader = server, RequestReader(self.shared.limits.message_bytes)
        self.has_answered, self._left = False, 0
        self._has_ended = self._is_whole = False
        self._later: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back what was held."""
        super().connection_lost(exc)
        if self._later is not None:
            self._later.cancel()

    @property
    def is_idle(self) -> bool:
        """Whether nothing of a request has come yet, or all of its reply is sent."""
        if self.has_answered:
            return not self.transport.get_write_buffer_size()
        return not self.reader.has_come

    def data_received(self, data: bytes) -> None:
        """Take more of the request; what is sent after it is read, as a close before that could take the reply away."""
        if not (self.has_answered or self._is_whole):
            self._attempt(partial(self._feed, data))

    def eof_received(self) -> bool:
        """Take what there is as the whole request; keep the connection for its reply."""
        self._has_ended = True
        if self.has_answered or not self.reader.has_come:
            return False  # who sends nothing only looks whether somebody listens
        if not self._is_whole:
            self._attempt(self.reader.finish)
        return True

    def _feed(self, data: bytes) -> Request | None:
        begun = self.reader.has_begun
        found = self.reader.feed(data)
        self.hold(self.reader.size)
        if self.shared.held > self.shared.limits.held_bytes:
            raise SpamdError(79, "Timeout", "the server is busy; try again later")
        if self.reader.has_begun and not begun:
            self.deadline = monotonic() + self.shared.limits.request_seconds
        return found

    def _attempt(self, read: Callable[[], Request | None]) -> None:
        """Read, and answer what is a whole request or none at all."""
        if self._later is not None:
            self._later.cancel()
        try:
            request = read()
        except SpamdError as error:
            reply = error.to_bytes()
            RequestLog("spamd", "no request").finish(status=_status_of(reply))
            self._reply(reply)
            return
        if request is None:
            return
        if self._has_ended or self.reader.is_certain:
            self._begin(request)
        else:
            self._later = asyncio.get_running_loop().call_later(_GRACE, self._begin, request)

    def _begin(self, request: Request) -> None:
        """Answer a request, on another thread where that takes long."""
        self._is_whole = True
        pool = self.server.pool_for(request)
        if pool is None:
            self._reply(self.server.answer(request))
            return
        self.deadline = monotonic() + self.shared.limits.request_seconds
        future = asyncio.get_running_loop().run_in_executor(pool, self.server.answer, request)
        future.add_done_callback(lambda done: self.abort() if done.cancelled() else self._reply(done.result()))

    def _reply(self, reply: bytes) -> None:
        """Send the reply, and close the connection when the client has sent all."""
        if self.has_answered or self.transport.is_closing():
            return
        self.has_answered = True
        self.hold(0)
        self.reader = RequestReader(0)
        self.transport.write(reply)
        self._left = self.transport.get_write_buffer_size()
        self.deadline = monotonic() + (self.shared.limits.header_seconds if self._left else _LINGER)
        if self._has_ended:
            self.transport.close()
        elif self.transport.can_write_eof():
            self.transport.write_eof()

    def expire(self) -> None:
        """End a connection whose time is over; a client that reads its reply, however slowly, goes on."""
        if self.has_answered:
            left = self.transport.get_write_buffer_size()
            if not left or left >= self._left:
                self.abort()
            self._left, self.deadline = left, monotonic() + self.shared.limits.header_seconds
        else:
            what = "the request" if self.reader.has_begun else "its header"
            self._reply(SpamdError(79, "Timeout", f"waited too long for {what}").to_bytes())


def _status_of(reply: bytes) -> int:
    """Return the code of a reply; 0 is that of none."""
    words = reply.split(maxsplit=2)
    return int(words[1]) if len(words) > 1 else 0
