"""Messages a second by the server, beside SpamAssassin's spamd and bogofilter, and how long one message waits.

    python benchmarks/serving.py [--record] [--seconds 10] [--rounds 3] [--known 3000]

All know even messages of SpamAssassin's corpus and are asked about the odd ones; the client runs on the same cores; the
servers are asked in turn: the best of the rounds counts. spamd is run as `spamd -L` (no network tests) with its Bayes
learnt from the same messages by sa-learn, and as many processes; bogofilter is a process for each message. Latency is
that at half of the rate that was reached, by a client that sends on a clock, however long answers take. `apt install
spamd spamassassin spamc bogofilter` brings the rivals.
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
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import environment
import numpy as np
from mail_clients import ALONE, HTTP, Server, answer_of, ask, measure, median, one_by_one, spamd_request, timed
from real_mail import spamassassin
from run import begin_record, keep_record

Sides = dict[str, dict[str, Any]]


@contextmanager
def running(command: list[str], path: str, **more: Any) -> Iterator[int]:
    """A server, from when it answers until the block ends; its process."""
    with (
        tempfile.TemporaryFile() as said,  # no pipe, which fills
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, **more) as process,
    ):
        try:
            end = time.monotonic() + 60.0
            while not is_open(path):
                if process.poll() is not None or time.monotonic() > end:
                    said.seek(0)
                    raise environment.MissingError(f"{command[0]} does not serve: {said.read()!r}")
                time.sleep(0.02)
            yield process.pid
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


@contextmanager
def ours(folder: Path, folders: dict[str, Path], new: list[bytes]) -> Iterator[dict[str, Any]]:
    """Our server; what its start took."""
    filter_file, at = folder / "f.deciban", str(folder / "d")
    words = [f"{name}={path}" for name, path in folders.items()]
    subprocess.run([environment.deciban(), "train", *words, "-o", filter_file, "--quiet"], check=True)
    command = [environment.deciban(), "serve", str(filter_file), "--spamd", at, "--http", str(folder / "h"), "--quiet"]
    began = time.perf_counter()
    with running(command, at) as pid:
        asyncio.run(ask(at, spamd_request("CHECK"), spamd_request("CHECK").request(new[0])))
        yield {"pid": pid, "start_to_first_verdict_s": time.perf_counter() - began}


@contextmanager
def spamd(folder: Path, folders: dict[str, Path], new: list[bytes]) -> Iterator[dict[str, Any]]:
    """SpamAssassin's server, with its Bayes; how long learning took, and that its Bayes tells."""
    command, learn = shutil.which("spamd"), shutil.which("sa-learn")
    if command is None or learn is None:
        raise environment.MissingError("spamd is not installed; `apt install spamd spamassassin` brings it")
    home, at = folder / "sa", str(folder / "t")
    home.mkdir(mode=0o777)
    (home / "local.cf").write_text(f"use_bayes 1\nbayes_auto_learn 0\nbayes_path {home}/bayes\nbayes_file_mode 0777\n")
    for each in Path("/etc/spamassassin").glob("*.pre"):  # which load the plug-ins
        shutil.copy(each, home)
    rules, began = ["-C", "/usr/share/spamassassin", "--siteconfigpath", str(home)], time.perf_counter()
    for name, path in folders.items():
        done = subprocess.run([learn, *rules, "--no-sync", f"--{name}", str(path)], capture_output=True, check=False)
        if done.returncode:
            raise environment.MissingError(f"sa-learn does not learn: {done.stderr.decode(errors='replace').strip()}")
    subprocess.run([learn, *rules, "--sync"], check=True, capture_output=True)
    learnt = time.perf_counter() - began
    for each in home.iterdir():
        each.chmod(0o666)
    user = [] if os.getuid() else ["-u", pwd.getpwnam("nobody").pw_name]
    count = str(environment.cores())
    started = [command, "-L", *rules, "-m", count, "--min-children", count, "--socketpath", at, "-x", *user]
    started += ["-s", "null"]  # it logs each message otherwise
    os.chmod(folder, 0o755)
    symbols = spamd_request("SYMBOLS")
    with running(started, at) as pid:
        told = [asyncio.run(answer_of(at, symbols, symbols.request(message))) for message in new[:20]]
        if not any(b"BAYES_" in each for each in told):
            raise environment.MissingError(f"spamd does not ask its Bayes: {told[0]!r}")
        yield {"pid": pid, "sa_learn_s": learnt, "bayes_told_of_20": sum(b"BAYES_" in each for each in told)}


def measure_bogofilter(folder: Path, folders: dict[str, Path], new: list[bytes]) -> dict[str, Any]:
    """A process for each message."""
    command = [environment.bogofilter(), "-C", "-d", str(folder)]
    for flag, name in (("-s", "spam"), ("-n", "ham")):
        names = "\n".join(str(each) for each in sorted(folders[name].iterdir()))
        subprocess.run([*command, flag, "-b"], input=names.encode(), check=True)
    return {"process_ms": median([timed([*command, "-v"], message) for message in new[:ALONE]])}


def compare(
    sides: dict[str, dict[str, Any]], servers: dict[str, Server], new: list[bytes], asked: argparse.Namespace
) -> None:
    """Measure both servers in turn, several times, and keep the best of each."""
    for _ in range(asked.rounds):
        for command in ("CHECK", "PROCESS"):
            for side, server in servers.items():
                keep_best(sides[side], command, measure(server, spamd_request(command), new, asked.seconds))
    for side, server in servers.items():
        sides[side]["spamc_ms"] = one_by_one(server.path, new)


def keep_best(side: dict[str, Any], name: str, found: dict[str, float]) -> None:
    """Keep the highest rate and the shortest waits; noise only makes worse."""
    known = side.setdefault(name, found)
    for key, value in found.items():
        known[key] = (max if key == "per_second" else min)(known[key], value)


def measure_all(folder: Path, new: list[bytes], known: Any, asked: argparse.Namespace) -> Sides:
    """What is known of each side; of one that is not there, why."""
    folders = write_folders(folder, known.messages, known.spam)
    sides: Sides = {"bogofilter": {}}
    try:
        sides["bogofilter"] = measure_bogofilter(folder, folders, new)
    except environment.MissingError as error:
        sides["bogofilter"] = {"skipped": str(error)}
    with ExitStack() as stack:
        sides["deciban"] = stack.enter_context(ours(folder, folders, new))
        own = sides["deciban"].pop("pid")
        servers = {"deciban": Server(str(folder / "d"), own)}
        try:
            sides["spamd -L"] = stack.enter_context(spamd(folder, folders, new))
            servers["spamd -L"] = Server(str(folder / "t"), sides["spamd -L"].pop("pid"))
        except environment.MissingError as error:
            sides["spamd -L"] = {"skipped": str(error)}
        compare(sides, servers, new, asked)
        for _ in range(asked.rounds):
            keep_best(sides["deciban"], "HTTP", measure(Server(str(folder / "h"), own), HTTP, new, asked.seconds))
    return sides


def times_of(sides: Sides) -> dict[str, dict[str, float]]:
    """How many times better we are than spamd."""
    found = {}
    for command in ("CHECK", "PROCESS"):
        one, other = (sides[side][command] for side in ("deciban", "spamd -L"))
        found[command] = {
            "per_second": one["per_second"] / other["per_second"],
            "cpu_ms": other["cpu_ms"] / one["cpu_ms"],
        }
    return found


def main() -> int:
    """0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--known", type=int, default=3000, help="messages that all learn; sa-learn takes 0.1 s for each"
    )
    asked = parser.parse_args()
    mail = spamassassin()
    known, new = (mail.take(np.arange(k, len(mail.messages), 2)) for k in (0, 1))
    known = known.take(np.linspace(0, len(known.messages) - 1, min(asked.known, len(known.messages))).astype(int))
    order = np.random.default_rng(0).permutation(len(new.messages))
    with tempfile.TemporaryDirectory() as name:
        sides = measure_all(Path(name), [new.messages[i] for i in order], known, asked)
    for side, found in sides.items():
        print(side, found)
    record = begin_record(sides=sides, known=len(known.messages), seconds=asked.seconds, rounds=asked.rounds)
    if "CHECK" in sides["spamd -L"]:
        record["times"] = times_of(sides)
        print("times as many messages a second, and of the processor:", record["times"])
    if asked.record:
        keep_record(record, "serving")
    return 0


if __name__ == "__main__":
    sys.exit(main())
