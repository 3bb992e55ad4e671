"""What the connections of one worker share: limits, and threads for what takes long.

A client may be slow, be silent, or send for ever: none holds more than the bytes of one message, none stays longer than
the time limits, and all together hold a limited number of bytes; who comes then is asked to try again.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic
from typing import cast

_QUICK = 1 << 18  # bytes of a message that is classified at once, where others wait for it


@dataclass(frozen=True)
class ServerLimits:
    """What one worker lends: seconds for a header and for a whole request, bytes of a message and of all of them."""

    header_seconds: float = 30.0
    request_seconds: float = 300.0
    message_bytes: int = 64 << 20
    held_bytes: int = 512 << 20


@dataclass
class Shared:
    """The connections of one worker; they hold `held` bytes."""

    limits: ServerLimits = field(default_factory=ServerLimits)
    connections: set[HeldConnection] = field(default_factory=set)
    held: int = 0

    def __post_init__(self) -> None:
        self.slow = ThreadPoolExecutor(2, "classify")
        self.learner = ThreadPoolExecutor(1, "learn")  # one lesson after the other
        self.reader = ThreadPoolExecutor(1, "read")  # models that are read by many threads leave memory with each

    def pool_for(self, size: int) -> ThreadPoolExecutor | None:
        """Return the threads that classify a message of so many bytes; None where that is done at once."""
        return self.slow if size > _QUICK else None

    async def watch(self) -> None:
        """End connections whose time is over, for ever."""
        while True:
            await asyncio.sleep(1.0)
            now = monotonic()
            for connection in [each for each in self.connections if each.deadline < now]:
                connection.expire()

    async def finish(self, seconds: float) -> None:
        """Wait for the requests that are being answered, so long at most, and close what is left."""
        end = monotonic() + seconds
        while self.connections and monotonic() < end:
            for connection in [each for each in self.connections if each.is_idle]:
                connection.abort()
            await asyncio.sleep(0.02)
        for connection in [*self.connections]:
            connection.abort()
        for pool in (self.slow, self.learner, self.reader):
            pool.shutdown(wait=True, cancel_futures=True)


class HeldConnection(asyncio.Protocol):
    """A connection, of whatever protocol, which counts the bytes that it holds; `deadline` is on the clock of
    `time.monotonic`."""

    transport: asyncio.Transport

    def __init__(self, shared: Shared) -> None:
        self.shared, self._counted = shared, 0
        self.deadline = monotonic() + shared.limits.header_seconds

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to read."""
        self.transport = cast(asyncio.Transport, transport)
        self.shared.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back what was held."""
        self.shared.connections.discard(self)
        self.hold(0)

    def hold(self, size: int) -> None:
        """Count so many bytes as held now."""
        self.shared.held += size - self._counted
        self._counted = size

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits for an answer that has begun."""
        raise NotImplementedError

    def expire(self) -> None:
        """End it, as its time is over."""
        raise NotImplementedError

    def abort(self) -> None:
        """Close it now."""
        self.transport.abort()
