"""Clients of mail filters: as many messages a second as there can be, so many on a clock, or one after the other."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import environment
import numpy as np

_AT_ONCE = 16  # connections
ALONE = 100  # messages by spamc, one after the other

Request = Callable[[bytes], bytes]


class Server(NamedTuple):
    """The socket of a server, and its first process."""

    path: str
    pid: int


@dataclass(frozen=True)
class Protocol:
    """How a message is asked about, whether the client closes its half then, and how a good answer begins."""

    request: Request
    closes: bool
    good: bytes


def spamd_request(command: str) -> Protocol:
    """A command of the spamd protocol."""
    head = f"{command} SPAMC/1.5\r\nUser: nobody\r\nContent-length: "
    return Protocol(lambda m: f"{head}{len(m)}\r\n\r\n".encode() + m, True, b"SPAMD/1.1 0 EX_OK")


def request_with(path: str, message: bytes, more: str = "") -> bytes:
    """A request of HTTP, after which the connection is closed."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(message)}\r\n{more}\r\n"
    return head.encode() + message


HTTP = Protocol(lambda message: request_with("/v1/classify", message), False, b"HTTP/1.1 200")


class Client(asyncio.Protocol):
    """One connection: one request, one answer."""

    def __init__(self, request: bytes, closes: bool) -> None:
        self.request, self.closes, self.answer = request, closes, b""
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        made = cast(asyncio.Transport, transport)
        made.write(self.request)
        if self.closes:
            made.write_eof()

    def data_received(self, data: bytes) -> None:
        """Take a part of the answer."""
        self.answer += data

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if not self.ended.done():
            self.ended.set_result(self.answer)


async def answer_of(path: str, protocol: Protocol, request: bytes) -> bytes:
    """The whole answer; where the server's queue is full, the client waits, as one that blocks does."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            _, client = await loop.create_unix_connection(lambda: Client(request, protocol.closes), path)
        except BlockingIOError:
            await asyncio.sleep(0.002)
            continue
        found: bytes = await client.ended
        return found


async def ask(path: str, protocol: Protocol, request: bytes) -> float:
    """Seconds until the answer is whole; RuntimeError for one that is not good."""
    began = time.perf_counter()
    answer = await answer_of(path, protocol, request)
    if not answer.startswith(protocol.good):
        raise RuntimeError(f"got {answer[:100]!r}")
    return time.perf_counter() - began


async def most(path: str, protocol: Protocol, requests: list[bytes], seconds: float) -> tuple[int, float]:
    """Messages, and in how many seconds, where several connections ask one after the other."""
    end, done = time.perf_counter() + seconds, 0

    async def go(first: int) -> None:
        nonlocal done
        at = first
        while time.perf_counter() < end:
            await ask(path, protocol, requests[at % len(requests)])
            at, done = at + _AT_ONCE, done + 1

    began = time.perf_counter()
    await asyncio.gather(*(go(k) for k in range(_AT_ONCE)))
    return done, time.perf_counter() - began


async def paced(path: str, protocol: Protocol, requests: list[bytes], rate: float, seconds: float) -> np.ndarray:
    """Seconds that each of so many messages a second waits from the moment when it was due."""
    began, count = time.perf_counter() + 1.0, int(rate * seconds)  # when all tasks are made

    async def one(k: int) -> float:
        due = began + k / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await ask(path, protocol, requests[k % len(requests)])
        return time.perf_counter() - due

    return np.array(await asyncio.gather(*(one(k) for k in range(count))))


def processor_seconds(pid: int) -> float:
    """Seconds that a process has computed, and those that it started."""
    told = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, check=False).stdout.split()
    ticks = 0
    for each in (pid, *map(int, told)):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            ticks += sum(map(int, Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(server: Server, protocol: Protocol, messages: list[bytes], seconds: float) -> dict[str, float]:
    """The rate that is reached, latencies at half of it, and the processor time of a message, in milliseconds."""
    import uvloop

    requests = [protocol.request(message) for message in messages]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(most(server.path, protocol, requests, 1.0))
        before = processor_seconds(server.pid)
        count, took = runner.run(most(server.path, protocol, requests, seconds))
        computed = 1e3 * (processor_seconds(server.pid) - before) / count
        rate = count / took
        waits = 1e3 * runner.run(paced(server.path, protocol, requests, rate / 2.0, seconds))
    p50, p99 = (float(each) for each in np.quantile(waits, [0.5, 0.99]))
    return {"per_second": rate, "p50_ms": p50, "p99_ms": p99, "cpu_ms": computed}


def one_by_one(path: str, messages: list[bytes]) -> float:
    """Milliseconds of one message by spamc, the median."""
    spamc = shutil.which("spamc")
    if spamc is None:
        raise environment.MissingError("spamc is not installed; `apt install spamc` brings it")
    return median([timed([spamc, "-U", path, "-c"], message) for message in messages[:ALONE]])


def timed(command: list[str], message: bytes) -> float:
    """Seconds of a process that reads a message."""
    began = time.perf_counter()
    subprocess.run(command, input=message, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - began


def median(seconds: list[float]) -> float:
    """In milliseconds."""
    return 1e3 * float(np.median(seconds))
