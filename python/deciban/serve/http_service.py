"""HTTP on the event loop of a worker: uvicorn, with a time limit for headers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .server_options import ServerOptions
from .shared import Shared

_KEPT = 30  # seconds that a connection stays open without a request


class TimedProtocol(HttpToolsProtocol):
    """A connection that is closed when its first header has not come in time."""

    HEADER_SECONDS = 30.0
    HEADER_BYTES = 1 << 16

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a header."""
        super().connection_made(transport)
        self._header_timer = self.loop.call_later(self.HEADER_SECONDS, transport.abort)

    def on_message_begin(self) -> None:
        """Begin to wait for the header of one request more."""
        self._header_timer.cancel()
        self._header_timer = self.loop.call_later(self.HEADER_SECONDS, self.transport.abort)
        self._header_bytes = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field; a header that is too long is no request."""
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > self.HEADER_BYTES:
            raise ValueError(f"expected a header of at most {self.HEADER_BYTES:,} bytes")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Wait no longer: the header is here."""
        self._header_timer.cancel()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._header_timer.cancel()
        super().connection_lost(exc)


class _Server(uvicorn.Server):
    """A server that leaves signals to the worker that it runs in."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass
class HttpService:
    """An application at some sockets: `make` returns it."""

    sockets: Sequence[socket.socket]
    make: Callable[[Shared, ServerOptions], Any]
    _app: Any = None
    _server: _Server | None = None
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def start(self, shared: Shared, options: ServerOptions) -> None:
        """Begin to accept connections."""
        self.renew(shared, options)
        config = uvicorn.Config(
            self._answer,
            interface="asgi3",
            loop="none",
            http=TimedProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=_KEPT,
            h11_max_incomplete_event_size=1 << 16,
        )
        self._server = _Server(config)
        self._tasks = [asyncio.create_task(self._server.serve(sockets=[*self.sockets]))]
        while not (self._server.started or self._tasks[0].done()):
            await asyncio.sleep(0.001)
        if self._tasks[0].done():
            self._tasks[0].result()

    def renew(self, shared: Shared, options: ServerOptions) -> None:
        """Answer requests by other options from now on."""
        self._app = self.make(shared, options)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)

    def close(self) -> None:
        """Accept no more of them; those that there are go on."""
        if self._server is not None:
            self._server.should_exit = True

    async def finish(self, seconds: float) -> None:
        """Wait for the requests that have begun, so long at most."""
        if self._server is not None and not self._server.force_exit:
            done, _ = await asyncio.wait(self._tasks, timeout=seconds)
            if not done:
                self._server.force_exit = True
                await asyncio.wait(self._tasks, timeout=1.0)
