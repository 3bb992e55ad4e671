"""Connections of the spamd protocol: what arrives is read to the end, answered once, and the connection closed.

A client may be slow, be silent, or send for ever: none holds more than the bytes of one message, none stays longer than
the time limits, and all together hold a limited number of bytes; who comes then is asked to try again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import cast

from ..errors import DecibanError
from .spamd import Filter, Request, RequestReader, SpamdError, answer

log = logging.getLogger("deciban.serve")

_GRACE = 0.2  # seconds in which a client that does not close its half may still send too much
_LINGER = 5.0  # seconds in which what a client still sends is read and thrown away
_QUICK = 1 << 18  # bytes of a message that is classified at once, where others wait for it


@dataclass(frozen=True)
class ServerLimits:
    """What one worker lends: seconds for a header and for a whole request, bytes of a message and of all of them."""

    header_seconds: float = 30.0
    request_seconds: float = 300.0
    message_bytes: int = 64 << 20
    held_bytes: int = 512 << 20


@dataclass
class SpamdServer:
    """What the connections of one worker share."""

    known: Filter
    allow_tell: bool = False
    limits: ServerLimits = field(default_factory=ServerLimits)
    connections: set[SpamdConnection] = field(default_factory=set)
    held: int = 0

    def __post_init__(self) -> None:
        self.slow = ThreadPoolExecutor(2, "classify")
        self.learner = ThreadPoolExecutor(1, "learn")  # one lesson after the other

    def connect(self) -> SpamdConnection:
        """Return what reads a new connection."""
        return SpamdConnection(self)

    def answer(self, request: Request) -> bytes:
        """Return the reply to a request, an error included."""
        try:
            return answer(request, self.known, allow_tell=self.allow_tell)
        except SpamdError as error:
            return error.to_bytes()
        except (DecibanError, OSError) as error:
            log.error("%s could not be answered: %s", request.command, error)
            return SpamdError(69, "Service Unavailable", str(error)).to_bytes()
        except Exception:
            log.exception("%s could not be answered", request.command)
            return SpamdError(70, "Internal Error", "an error of the program itself; see its log").to_bytes()

    def pool_for(self, request: Request) -> ThreadPoolExecutor | None:
        """Return the threads that a request needs; None where it is answered at once."""
        if request.command == "TELL":
            return self.learner
        return self.slow if len(request.message) > _QUICK else None

    def expire(self) -> None:
        """End the connections whose time is over."""
        now = monotonic()
        for connection in [each for each in self.connections if each.deadline < now]:
            connection.expire()

    async def watch(self) -> None:
        """End connections whose time is over, for ever."""
        while True:
            await asyncio.sleep(1.0)
            self.expire()

    async def finish(self, seconds: float) -> None:
        """Wait for the requests that are being answered, so long at most, and close what is left."""
        end = monotonic() + seconds
        while self.connections and monotonic() < end:
            for connection in [each for each in self.connections if each.is_idle]:
                connection.abort()
            await asyncio.sleep(0.02)
        for connection in [*self.connections]:
            connection.abort()
        for pool in (self.slow, self.learner):
            pool.shutdown(wait=True, cancel_futures=True)


class SpamdConnection(asyncio.Protocol):
    """One connection: one request, one reply."""

    def __init__(self, server: SpamdServer) -> None:
        self.server, self.reader = server, RequestReader(server.limits.message_bytes)
        self.deadline = monotonic() + server.limits.header_seconds
        self.has_answered, self._counted = False, 0
        self._has_ended = self._is_whole = False
        self._later: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to read."""
        self._transport = cast(asyncio.Transport, transport)
        self.server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back what was held."""
        self.server.connections.discard(self)
        self._release()
        if self._later is not None:
            self._later.cancel()

    @property
    def is_idle(self) -> bool:
        """Whether nothing of a request has come yet, or all of its reply is sent."""
        if self.has_answered:
            return not self._transport.get_write_buffer_size()
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
        self.server.held += self.reader.size - self._counted
        self._counted = self.reader.size
        if self.server.held > self.server.limits.held_bytes:
            raise SpamdError(79, "Timeout", "the server is busy; try again later")
        if self.reader.has_begun and not begun:
            self.deadline = monotonic() + self.server.limits.request_seconds
        return found

    def _attempt(self, read: Callable[[], Request | None]) -> None:
        """Read, and answer what is a whole request or none at all."""
        if self._later is not None:
            self._later.cancel()
        try:
            request = read()
        except SpamdError as error:
            self._reply(error.to_bytes())
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
        self.deadline = monotonic() + self.server.limits.request_seconds
        future = asyncio.get_running_loop().run_in_executor(pool, self.server.answer, request)
        future.add_done_callback(lambda done: self.abort() if done.cancelled() else self._reply(done.result()))

    def _reply(self, reply: bytes) -> None:
        """Send the reply, and close the connection when the client has sent all."""
        if self.has_answered or self._transport.is_closing():
            return
        self.has_answered = True
        self._release()
        self.reader = RequestReader(0)
        self.deadline = monotonic() + _LINGER
        self._transport.write(reply)
        if self._has_ended:
            self._transport.close()
        elif self._transport.can_write_eof():
            self._transport.write_eof()

    def expire(self) -> None:
        """End a connection whose time is over."""
        if self.has_answered:
            self.abort()
        else:
            what = "the request" if self.reader.has_begun else "its header"
            self._reply(SpamdError(79, "Timeout", f"waited too long for {what}").to_bytes())

    def abort(self) -> None:
        """Close the connection now."""
        self._transport.abort()

    def _release(self) -> None:
        self.server.held -= self._counted
        self._counted = 0
