"""What one worker process does: it serves its protocols on one event loop, and follows the filter."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import resource
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import DecibanError
from ..mail.teaching import is_due
from .endpoints import BACKLOG
from .live import LiveFilter, LiveModel, refresh_command
from .logs import set_up_logs
from .memory import release_memory
from .server_options import ServerOptions
from .shared import Shared
from .workers import read_last

log = logging.getLogger("deciban.serve")

_FOLLOWED = 0.1  # seconds between two looks at the files of the filter
_REFOUND = 0.5  # between two at whether the process that started this one is there
_RELEASED = 5.0  # seconds between two times that the memory of models before is given back, at least
_REFRESHED = 10.0  # and between two at whether it is due to be refreshed


class Service(Protocol):
    """A protocol by which a filter is asked, at some sockets."""

    async def start(self, shared: Shared, options: ServerOptions) -> None:
        """Begin to accept connections."""

    def renew(self, shared: Shared, options: ServerOptions) -> None:
        """Answer connections that come from now on by other options; those that there are go on."""

    def close(self) -> None:
        """Accept no more of them; those that there are go on."""

    async def finish(self, seconds: float) -> None:
        """Wait for the requests that have begun, so long at most."""


@dataclass
class StreamService:
    """A protocol whose connections read bytes as they come: `make` returns what makes one of them."""

    sockets: Sequence[socket.socket]
    make: Callable[[Shared, ServerOptions], Callable[[], asyncio.Protocol]]
    _listening: list[asyncio.Server] = field(default_factory=list)
    _connect: Callable[[], asyncio.Protocol] = asyncio.Protocol

    async def start(self, shared: Shared, options: ServerOptions) -> None:
        """Begin to accept connections."""
        loop = asyncio.get_running_loop()
        self.renew(shared, options)
        for each in self.sockets:
            self._listening.append(await loop.create_server(lambda: self._connect(), sock=each, backlog=BACKLOG))

    def renew(self, shared: Shared, options: ServerOptions) -> None:
        """Make connections by other options from now on."""
        self._connect = self.make(shared, options)

    def close(self) -> None:
        """Accept no more of them."""
        for each in self._listening:
            each.close()

    async def finish(self, seconds: float) -> None:
        """Do nothing: what is shared knows its connections, and waits for them."""


@dataclass
class Worker:
    """A filter, and the protocols by which it is asked; `parent` is the process that makes this, and starts workers."""

    known: LiveModel
    services: Sequence[Service]
    options: ServerOptions
    grace: float = 20.0
    parent: int = field(default_factory=os.getpid)
    _looks_back: bool = False

    def serve(self, told: socket.socket, is_first: bool) -> int:
        """Serve until SIGTERM; returns the exit status. At SIGHUP the options that are `told` hold from then on. The
        first worker refreshes the filter where a server before this one ended before that was done."""
        _raise_file_limit()
        self._looks_back = is_first
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(self._serve(told))
        return 0

    async def _serve(self, told: socket.socket) -> None:
        loop, ends = asyncio.get_running_loop(), asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ends.set)
        shared = Shared(self.options.limits)
        follows = asyncio.Event()
        for service in self.services:
            await service.start(shared, self.options)

        def reload() -> None:
            self._renew(told, shared)
            follows.set()

        loop.add_signal_handler(signal.SIGHUP, reload)
        self._renew(told, shared)  # what was told before it listened to signals
        lasting = (shared.watch(), self._follow(follows, shared), self._refresh(shared), _end_with(self.parent, ends))
        tasks = [loop.create_task(each) for each in lasting]
        await ends.wait()
        for service in self.services:
            service.close()
        await asyncio.gather(*(each.finish(self.grace) for each in self.services))
        await shared.finish(self.grace)
        for task in tasks:
            task.cancel()

    def change(self, options: ServerOptions) -> None:
        """Classify and log by other options from now on."""
        self.options = options
        if isinstance(self.known, LiveFilter):
            self.known.threshold = options.threshold
        set_up_logs(options.level, options.log_format, options.log_requests)

    def _renew(self, told: socket.socket, shared: Shared) -> None:
        """Take the options that were told last, if any were."""
        data = read_last(told)
        if data is not None:
            self.change(pickle.loads(data))
            shared.limits = self.options.limits
            for service in self.services:
                service.renew(shared, self.options)

    async def _follow(self, asked: asyncio.Event, shared: Shared) -> None:
        """Read the filter again whenever somebody has written to it."""
        failures, loop = 0, asyncio.get_running_loop()
        seen, released = self.known.snapshot, loop.time()
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asked.wait(), _FOLLOWED)
            asked.clear()
            try:
                await loop.run_in_executor(shared.reader, self.known.follow)
                failures = 0
                if self.known.snapshot is not seen and loop.time() > released + _RELEASED:
                    seen, released = self.known.snapshot, loop.time()
                    await loop.run_in_executor(shared.reader, release_memory)
            except Exception as error:
                failures += 1  # the first may come from reading while it is written
                if failures == 2:
                    log.error("the filter could not be read again, and the one that was read stays: %s", error)

    async def _refresh(self, shared: Shared) -> None:
        """Refresh the file of the filter in a process of its own when lessons wait that only that takes in whole."""
        while True:
            await asyncio.sleep(_REFRESHED)
            if self._looks_back:
                self._looks_back = False
                try:
                    found = asyncio.get_running_loop().run_in_executor(shared.reader, is_due, self.known.path)
                    self.known.is_due |= await found
                except (DecibanError, OSError) as error:
                    log.error("whether the filter is to be refreshed could not be found out: %s", error)
            if self.known.is_due:
                self.known.is_due = False
                await self._refresh_now()

    async def _refresh_now(self) -> None:
        """Refresh the filter; a refresh that is not done when the server ends is due at the next start."""
        done = await asyncio.create_subprocess_exec(
            *refresh_command(self.known.path),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            _, said = await done.communicate()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                done.terminate()
            await done.wait()
            raise
        if done.returncode:
            log.error("refreshing the filter failed: %s", said.decode(errors="replace").strip())


async def _end_with(parent: int, ends: asyncio.Event) -> None:
    """End this worker when the process that started it is gone, killed without a word."""
    while os.getppid() == parent:
        await asyncio.sleep(_REFOUND)
    log.error("worker %d ends, as the process that started it is gone", os.getpid())
    ends.set()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes the quickest event loop there is; None for Python's own."""
    try:
        import uvloop
    except ImportError:
        return None
    made: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return made


def _raise_file_limit() -> None:
    """Allow as many connections as the system lets this process have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
