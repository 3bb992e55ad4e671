"""Messages a second by the server, beside SpamAssassin's spamd and bogofilter, and how long one message waits.

    python benchmarks/serving.py [--record] [--seconds 10]

All know the even messages of SpamAssassin's corpus and are asked about the odd ones; the client runs on the same cores.
spamd is run as `spamd -L` (no network tests) with its Bayes learnt from the same messages by sa-learn, and as many
processes; bogofilter is a process for each message. Latency is that at half of the rate that was reached, by a client
that sends on a clock, however long answers take. `apt install spamd spamassassin spamc bogofilter` brings the rivals.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import environment
import numpy as np
from real_mail import spamassassin
from run import begin_record, keep_record

_AT_ONCE = 16  # connections of the client
_ALONE = 100  # messages by spamc, one after the other

Request = Callable[[bytes], bytes]


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
        self.ended.set_result(self.answer)


async def ask(path: str, protocol: Protocol, request: bytes) -> float:
    """Seconds until the answer is whole; RuntimeError for one that is not good."""
    began = time.perf_counter()
    loop = asyncio.get_running_loop()
    _, client = await loop.create_unix_connection(lambda: Client(request, protocol.closes), path)
    answer = await client.ended
    if not answer.startswith(protocol.good):
        raise RuntimeError(f"got {answer[:100]!r}")
    return time.perf_counter() - began


async def most(path: str, protocol: Protocol, requests: list[bytes], seconds: float) -> float:
    """Messages a second where several connections ask one after the other."""
    end, done = time.perf_counter() + seconds, 0

    async def go(first: int) -> None:
        nonlocal done
        at = first
        while time.perf_counter() < end:
            await ask(path, protocol, requests[at % len(requests)])
            at, done = at + _AT_ONCE, done + 1

    began = time.perf_counter()
    await asyncio.gather(*(go(k) for k in range(_AT_ONCE)))
    return done / (time.perf_counter() - began)


async def paced(path: str, protocol: Protocol, requests: list[bytes], rate: float, seconds: float) -> np.ndarray:
    """Seconds that each of so many messages a second waits from the moment when it was due."""
    began, count = time.perf_counter() + 1.0, int(rate * seconds)  # when all tasks are made

    async def one(k: int) -> float:
        due = began + k / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await ask(path, protocol, requests[k % len(requests)])
        return time.perf_counter() - due

    return np.array(await asyncio.gather(*(one(k) for k in range(count))))


def measure(path: str, protocol: Protocol, messages: list[bytes], seconds: float) -> dict[str, float]:
    """The rate that is reached, and latencies at half of it, in milliseconds."""
    import uvloop

    requests = [protocol.request(message) for message in messages]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(most(path, protocol, requests, 1.0))
        rate = runner.run(most(path, protocol, requests, seconds))
        waits = 1e3 * runner.run(paced(path, protocol, requests, rate / 2.0, seconds))
    return {"per_second": rate, "p50_ms": float(np.quantile(waits, 0.5)), "p99_ms": float(np.quantile(waits, 0.99))}


def one_by_one(path: str, messages: list[bytes]) -> float:
    """Milliseconds of one message by spamc, the median."""
    spamc = shutil.which("spamc")
    if spamc is None:
        raise environment.MissingError("spamc is not installed; `apt install spamc` brings it")
    return median([timed([spamc, "-U", path, "-c"], message) for message in messages[:_ALONE]])


def timed(command: list[str], message: bytes) -> float:
    """Seconds of a process that reads a message."""
    began = time.perf_counter()
    subprocess.run(command, input=message, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - began


def median(seconds: list[float]) -> float:
    """In milliseconds."""
    return 1e3 * float(np.median(seconds))


@contextmanager
def running(command: list[str], path: str, **more: Any) -> Iterator[None]:
    """A server, from when it answers until the block ends."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more) as process:
        try:
            end = time.monotonic() + 60.0
            while not is_open(path):
                if process.poll() is not None or time.monotonic() > end:
                    raise environment.MissingError(f"{command[0]} does not serve: {process.stderr.read()!r}")  # type: ignore[union-attr]
                time.sleep(0.02)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def is_open(path: str) -> bool:
    """Whether somebody listens there."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(path) == 0


def write_folders(folder: Path, messages: list[bytes], spam: np.ndarray) -> dict[str, Path]:
    """A file for each message, in a folder a class."""
    folders = {name: folder / name for name in ("ham", "spam")}
    for each in folders.values():
        each.mkdir()
    for k, (message, is_spam) in enumerate(zip(messages, spam, strict=True)):
        (folders["spam" if is_spam else "ham"] / f"{k:05}").write_bytes(message)
    return folders


def measure_ours(folder: Path, folders: dict[str, Path], new: list[bytes], seconds: float) -> dict[str, Any]:
    """Our server, by each protocol."""
    filter_file, at, http = folder / "f.deciban", str(folder / "d"), str(folder / "h")
    words = [f"{name}={path}" for name, path in folders.items()]
    subprocess.run([environment.deciban(), "train", *words, "-o", filter_file, "--quiet"], check=True)
    command = [environment.deciban(), "serve", str(filter_file), "--spamd", at, "--http", http, "--quiet"]
    found: dict[str, Any] = {}
    began = time.perf_counter()
    with running(command, at):
        asyncio.run(ask(at, spamd_request("CHECK"), spamd_request("CHECK").request(new[0])))
        found["start_to_first_verdict_s"] = time.perf_counter() - began
        found["CHECK"] = measure(at, spamd_request("CHECK"), new, seconds)
        found["PROCESS"] = measure(at, spamd_request("PROCESS"), new, seconds)
        found["HTTP"] = measure(http, HTTP, new, seconds)
        found["spamc_ms"] = one_by_one(at, new)
    return found


def measure_spamd(folder: Path, folders: dict[str, Path], new: list[bytes], seconds: float) -> dict[str, Any]:
    """SpamAssassin's server, with its Bayes."""
    spamd, learn = shutil.which("spamd"), shutil.which("sa-learn")
    if spamd is None or learn is None:
        raise environment.MissingError("spamd is not installed; `apt install spamd spamassassin` brings it")
    home, at = folder / "sa", str(folder / "t")
    home.mkdir(mode=0o777)
    (home / "local.cf").write_text(f"use_bayes 1\nbayes_auto_learn 0\nbayes_path {home}/bayes\nbayes_file_mode 0777\n")
    for each in Path("/etc/spamassassin").glob("*.pre"):  # which load the plug-ins
        shutil.copy(each, home)
    rules = ["-C", "/usr/share/spamassassin", "--siteconfigpath", str(home)]
    for name, path in folders.items():
        done = subprocess.run([learn, *rules, f"--{name}", str(path)], capture_output=True, check=False)
        if done.returncode:
            raise environment.MissingError(f"sa-learn does not learn: {done.stderr.decode(errors='replace').strip()}")
    for each in home.iterdir():
        each.chmod(0o666)
    user = [] if os.getuid() else ["-u", pwd.getpwnam("nobody").pw_name]
    count = str(environment.cores())
    command = [spamd, "-L", *rules, "-m", count, "--min-children", count, "--socketpath", at, "-x", *user]
    os.chmod(folder, 0o755)
    found: dict[str, Any] = {}
    with running(command, at):
        found["CHECK"] = measure(at, spamd_request("CHECK"), new, seconds)
        found["PROCESS"] = measure(at, spamd_request("PROCESS"), new, seconds)
        found["spamc_ms"] = one_by_one(at, new)
    return found


def measure_bogofilter(folder: Path, folders: dict[str, Path], new: list[bytes]) -> dict[str, Any]:
    """A process for each message."""
    command = [environment.bogofilter(), "-C", "-d", str(folder)]
    for flag, name in (("-s", "spam"), ("-n", "ham")):
        names = "\n".join(str(each) for each in sorted(folders[name].iterdir()))
        subprocess.run([*command, flag, "-b"], input=names.encode(), check=True)
    return {"process_ms": median([timed([*command, "-v"], message) for message in new[:_ALONE]])}


def main() -> int:
    """0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    mail = spamassassin()
    known, new = (mail.take(np.arange(k, len(mail.messages), 2)) for k in (0, 1))
    order = np.random.default_rng(0).permutation(len(new.messages))
    messages = [new.messages[i] for i in order]
    record = begin_record(sides={})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folders = write_folders(folder, known.messages, known.spam)
        sides: dict[str, Callable[[], dict[str, Any]]] = {
            "deciban": lambda: measure_ours(folder, folders, messages, asked.seconds),
            "spamd -L": lambda: measure_spamd(folder, folders, messages, asked.seconds),
            "bogofilter": lambda: measure_bogofilter(folder, folders, messages),
        }
        for side, measured in sides.items():
            try:
                record["sides"][side] = measured()
            except environment.MissingError as error:
                record["sides"][side] = {"skipped": str(error)}
            print(side, record["sides"][side], flush=True)
    if asked.record:
        keep_record(record, "serving")
    return 0


if __name__ == "__main__":
    sys.exit(main())
