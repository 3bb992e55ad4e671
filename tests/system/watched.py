"""An account as it is watched: a process of its own, what it says, and what has become of the messages."""

import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing, contextmanager

from system.command import PROGRAM
from system.imap_server import PASSWORD
from system.serving import PATIENCE, until


def crlf(path):
    """A message as servers keep it."""
    return path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def words_of(server, filter_file, *more):
    return [*PROGRAM, "watch", str(getattr(server, "url", server)), str(filter_file), *map(str, more)]


def env(password=PASSWORD, **more):
    return {**os.environ, **more, "DECIBAN_IMAP_PASSWORD": password, "PYTHONWARNINGS": "error"}


def watch_once(server, filter_file, *more, status=0, password=PASSWORD, **variables):
    """What it says of one look through the account."""
    words = words_of(server, filter_file, "--once", *more)
    done = subprocess.run(words, stderr=subprocess.PIPE, env=env(password, **variables), timeout=60, check=False)
    told = done.stderr.decode()
    assert done.returncode == status, told
    assert PASSWORD not in told
    return told


@contextmanager
def watching(server, filter_file, *more, ends_by=signal.SIGTERM, **variables):
    """A process that watches; `said()` is what it has said so far."""
    log = filter_file.with_suffix(".log")
    with (
        log.open("wb") as file,
        subprocess.Popen(words_of(server, filter_file, *more), stderr=file, env=env(**variables)) as process,
    ):
        process.said = log.read_text
        try:
            until(lambda: "Watching INBOX" in log.read_text() or process.poll() is not None)
            assert process.poll() is None, log.read_text()
            yield process
        finally:
            print(log.read_text())  # shown where a test fails
            process.send_signal(ends_by)
            asked = time.monotonic()
            try:
                process.wait(PATIENCE)
                took = time.monotonic() - asked
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    assert process.returncode == 0, log.read_text()
    assert took < 5.0
    assert log.read_text().endswith("Ended.\n")
    assert PASSWORD not in log.read_text()


def labels(filter_file):
    """The numbers of the classes of what was learnt since the filter was trained, in order."""
    journal = f"{filter_file}.journal"
    if not os.path.exists(journal):
        return []
    with closing(sqlite3.connect(journal)) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchone():
            return []  # it is just being made
        return [row[0][-2] for row in database.execute("SELECT labels FROM entries ORDER BY id")]


def bytes_in(server, folder):
    return sorted(message for message, _ in server.messages(folder))
