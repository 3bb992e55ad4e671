"""Mixed load for a long time: every protocol asks and teaches, while options are reloaded and the filter is refreshed.

    python benchmarks/soak.py [--minutes 30] [--rate 20] [--record]

Each answer is checked: a marked message is the message that was sent but for its marks. Memory is that of all processes
of the server together, each shared page counted once (PSS). Lessons are taken back later, so that the filter does not
grow by what it learns. Options change every 20 seconds by SIGHUP; every 5 minutes `deciban refresh` runs beside. The
exit status is 1 where a request failed, memory grew, or something was logged.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import environment
import numpy as np
from mail_clients import request_with
from measure import family
from real_mail import spamassassin
from run import begin_record, keep_record
from serving import is_open, write_folders

from deciban.serve.markup import remove_marks, split_message
from deciban.serve.milter import packet

TOKEN = "0123456789abcdef"
_TAUGHT = 0.03  # of the requests teach
_LESSONS = 15  # messages that are known from lessons at the same time
_RELOADED, _REFRESHED, _MEASURED = 20.0, 300.0, 15.0  # seconds
_GROWTH = 1.05  # of the last third of the time, to the second one


async def exchange(path: str, data: bytes, *, closes: bool = True) -> bytes:
    """The whole answer to bytes."""
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(data)
    if closes:
        writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), 60.0)
    writer.close()
    return answer


def require(is_so: bool, answer: bytes) -> None:
    """ValueError for an answer that is not as expected."""
    if not is_so:
        raise ValueError(repr(answer[:200]))


@dataclass
class Load:
    """The clients of a server in a folder, and what they counted."""

    folder: Path
    messages: list[bytes]
    counts: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    waits: dict[str, list[float]] = field(default_factory=dict)
    taught: deque[bytes] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.random = random.Random(0)
        self.spamd, self.http, self.rspamd, self.milter = (str(self.folder / name) for name in "shrm")

    async def one(self) -> None:
        """Send a request of some kind, and check what is answered."""
        asks: list[Callable[[bytes], Awaitable[None]]] = [
            *(self.check, self.check, self.process, self.process, self.symbols, self.report),
            *(self.classify, self.classify, self.explain, self.checkv2, self.by_milter, self.by_milter),
        ]
        lessons = [self.tell, self.teach, self.untell, self.untell]
        kind = self.random.choice(lessons if self.random.random() < _TAUGHT else asks)
        began = time.perf_counter()
        try:
            await kind(self.random.choice(self.messages))
        except Exception as error:
            self.errors.append(f"{kind.__name__}: {error!r}")
        self.waits.setdefault(kind.__name__, []).append(time.perf_counter() - began)
        self.counts[kind.__name__] += 1

    async def check(self, message: bytes) -> None:
        """Ask for the score."""
        answer = await self._spamd("CHECK", message)
        require(b"\r\nSpam: " in answer and answer.endswith(b" / 5.0\r\n\r\n"), answer)

    async def process(self, message: bytes) -> None:
        """Ask for the marked message."""
        marked = (await self._spamd("PROCESS", message)).split(b"\r\n\r\n", 1)[1]
        (_, was, body), (_, header, same) = split_message(message), split_message(marked)
        require(same == body and remove_marks(header) == remove_marks(was), marked)

    async def symbols(self, message: bytes) -> None:
        """Ask for the names of tests."""
        answer = await self._spamd("SYMBOLS", message)
        require(b"BAYES_" in answer, answer)

    async def report(self, message: bytes) -> None:
        """Ask for a report."""
        answer = await self._spamd("REPORT", message)
        require(b"deciban rates this message" in answer, answer)

    async def classify(self, message: bytes) -> None:
        """Ask by HTTP."""
        await self._post(self.http, "/v1/classify", message, b'"score": ')

    async def explain(self, message: bytes) -> None:
        """Ask for reasons by HTTP."""
        await self._post(self.http, "/v1/explain?terms=5", message, b'"terms": ')

    async def checkv2(self, message: bytes) -> None:
        """Ask as rspamc does."""
        await self._post(self.rspamd, "/checkv2", message, b'"required_score": 5.0')

    async def by_milter(self, message: bytes) -> None:
        """Ask as Postfix does."""
        fields = re.sub(rb"\r?\n[ \t]", b" ", remove_marks(split_message(message)[1]))
        sent = packet(b"O", b"".join(each.to_bytes(4, "big") for each in (6, 0x1FF, 0x1FFFFF)))
        sent += packet(b"M", b"<a@example.org>\0")
        for line in fields.splitlines():
            name, _, value = line.partition(b":")
            sent += packet(b"L", name + b"\0" + value.replace(b"\0", b"") + b"\0")
        body = split_message(message)[2]
        chunks = [packet(b"B", body[at : at + 65_535]) for at in range(0, len(body), 65_535)]
        answer = await exchange(self.milter, sent + packet(b"N") + b"".join(chunks) + packet(b"E") + packet(b"Q"))
        require(answer.endswith(packet(b"c")) and b"X-Spam-Status\0" in answer, answer)

    async def tell(self, message: bytes) -> None:
        """Teach by spamd's protocol."""
        label = self.random.choice(["spam", "ham"])
        answer = await self._spamd("TELL", message, f"Message-class: {label}\r\nSet: local\r\n")
        require(answer in (b"SPAMD/1.1 0 EX_OK\r\nDidSet: local\r\n\r\n", b"SPAMD/1.1 0 EX_OK\r\n\r\n"), answer)
        self.taught.append(message)

    async def teach(self, message: bytes) -> None:
        """Teach by HTTP."""
        await self._post(self.http, f"/v1/learn?label={self.random.choice(['spam', 'ham'])}", message, b'"outcome": ')
        self.taught.append(message)

    async def untell(self, message: bytes) -> None:
        """Take lessons back."""
        if len(self.taught) > _LESSONS:
            answer = await self._spamd("TELL", self.taught.popleft(), "Remove: local\r\n")
            require(answer.startswith(b"SPAMD/1.1 0 EX_OK\r\n"), answer)

    async def _spamd(self, command: str, message: bytes, more: str = "") -> bytes:
        head = f"{command} SPAMC/1.5\r\n{more}User: nobody\r\nContent-length: {len(message)}\r\n\r\n"
        answer = await exchange(self.spamd, head.encode() + message)
        require(answer.startswith(b"SPAMD/1.1 0 EX_OK\r\n"), answer)
        return answer

    async def _post(self, path: str, what: str, message: bytes, wanted: bytes) -> None:
        more = f"Authorization: Bearer {TOKEN}\r\n"
        answer = await exchange(path, request_with(what, message, more), closes=False)
        require(answer.startswith(b"HTTP/1.1 200") and wanted in answer, answer)

    async def run(self, rate: float, seconds: float) -> None:
        """Send so many requests a second, each when it is due, for so many seconds."""
        end, running = time.monotonic() + seconds, set[asyncio.Task[None]]()
        while time.monotonic() < end:
            task = asyncio.create_task(self.one())
            running.add(task)
            task.add_done_callback(running.discard)
            await asyncio.sleep(self.random.expovariate(rate))
        await asyncio.gather(*running)


def memory_of(pid: int) -> float:
    """MB of a process and those it started, what they share counted once."""
    total = 0
    for each in family(pid):
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
            command = Path(f"/proc/{each}/cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if b"\0refresh\0" not in command:  # a process of its own, for seconds
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


async def disturb(load: Load, process: subprocess.Popen[bytes], filter_file: Path, memory: list[float]) -> None:
    """Reload options and refresh the filter from time to time, and measure memory, for ever."""
    began, measured = time.monotonic(), 0.0
    reloaded, refreshed, told = began, began, began
    while True:
        await asyncio.sleep(1.0)
        now = time.monotonic()
        if now - reloaded > _RELOADED:
            reloaded = now
            write_options(load.folder, load.random.choice([5, 10, 15]))
            process.send_signal(signal.SIGHUP)
            load.counts["reload"] += 1
        if now - refreshed > _REFRESHED:
            refreshed = now
            command = [environment.deciban(), "refresh", str(filter_file), "--quiet"]
            done = await asyncio.create_subprocess_exec(*command, stderr=subprocess.PIPE)
            said = (await done.communicate())[1]
            load.counts["refresh"] += 1
            if done.returncode:
                load.errors.append(f"refresh: {said!r}")
        if now - measured > _MEASURED:
            measured = now
            memory.append(memory_of(process.pid))
        if now - told > 300.0:
            told = now
            report(load, memory, now - began)


def report(load: Load, memory: list[float], seconds: float) -> None:
    """Print where it stands."""
    requests = sum(map(len, load.waits.values()))
    waits = ", ".join(f"{name} {p50:.0f}/{p99:.0f}" for name, (p50, p99) in quantiles(load).items())
    print(
        f"{seconds / 60:5.1f} min: {requests:,} requests, {len(load.errors)} errors, {load.counts['reload']} reloads, "
        f"{load.counts['refresh']} refreshes, {memory[-1]:.0f} MB; p50/p99 in ms: {waits}",
        flush=True,
    )


def quantiles(load: Load) -> dict[str, list[float]]:
    """The median and the 99th percentile of the milliseconds of each kind of request."""
    return {name: [1e3 * float(each) for each in np.quantile(waits, [0.5, 0.99])] for name, waits in load.waits.items()}


def write_options(folder: Path, threshold: int) -> None:
    """Write the options that are reloaded."""
    (folder / "new.toml").write_text(f'threshold = "{threshold}dB"\nallow-tell = true\n')
    os.replace(folder / "new.toml", folder / "deciban.toml")


def serve(folder: Path, known: list[bytes], spam: np.ndarray) -> tuple[subprocess.Popen[bytes], Path]:
    """Train a filter, and start its server."""
    filter_file = folder / "f.deciban"
    words = [f"{name}={path}" for name, path in write_folders(folder, known, spam).items()]
    subprocess.run([environment.deciban(), "train", *words, "-o", filter_file, "--quiet"], check=True)
    write_options(folder, 10)
    (folder / "token").write_text(TOKEN)
    command = [environment.deciban(), "serve", filter_file, "--config", folder / "deciban.toml"]
    command += ["--token-file", folder / "token", "--workers", "2", "--quiet"]
    for name, place in {"spamd": "s", "http": "h", "rspamd": "r", "milter": "m"}.items():
        command += [f"--{name}", folder / place]
    log = (folder / "log").open("wb")
    process = subprocess.Popen([*map(str, command)], stderr=log)
    while not all((folder / each).exists() and is_open(str(folder / each)) for each in "shrm"):
        if process.poll() is not None:
            raise environment.MissingError((folder / "log").read_text())
        time.sleep(0.05)
    return process, filter_file


def main() -> int:
    """1 where something failed or grew."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    mail = spamassassin()
    known, new = (mail.take(np.arange(k, len(mail.messages), 4)) for k in (0, 1))
    record = begin_record(minutes=asked.minutes, rate=asked.rate)
    memory: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        process, filter_file = serve(Path(name), known.messages, known.spam)
        load = Load(Path(name), new.messages)

        async def both() -> None:
            beside = asyncio.create_task(disturb(load, process, filter_file, memory))
            await load.run(asked.rate, 60.0 * asked.minutes)
            beside.cancel()

        try:
            asyncio.run(both())
        finally:
            process.terminate()
            status = process.wait(60)
        said = (Path(name) / "log").read_text()
    report(load, memory, 60.0 * asked.minutes)
    third = max(1, len(memory) // 3)
    grown = float(np.median(memory[-third:]) / np.median(memory[third : 2 * third] or memory))
    print(f"memory of the last third to that of the second: {grown:.3f}; exit status {status}")
    print(*Counter(load.errors).most_common(20), said[-4000:], sep="\n")
    record |= {"requests": dict(load.counts), "errors": load.errors[:100], "memory_mb": memory, "log": said[-4000:]}
    record |= {"p50_p99_ms": quantiles(load)}
    if asked.record:
        keep_record(record, "soak")
    return int(bool(load.errors) or bool(status) or grown > _GROWTH or bool(said))


if __name__ == "__main__":
    sys.exit(main())
