"""A server as it runs: a process of its own at a socket, asked as clients ask."""

import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager

from deciban.serve.metrics import Metrics
from system.command import PROGRAM

PATIENCE = 20.0
"""Seconds after which what was expected is taken not to come."""
METRICS = Metrics()
"""Of all servers in this process, as the counters of a process are."""


@contextmanager
def serving(filter_file, socket_file, *more, env=None):
    """A server of a filter at a Unix socket; it ends by SIGTERM, with the status 0."""
    words = [*PROGRAM, "serve", str(filter_file), "--spamd", str(socket_file), *map(str, more)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, env={**os.environ, **(env or {})}) as process:
        try:
            until(lambda: answers(socket_file), process)
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.said = process.communicate(timeout=PATIENCE)[1].decode()
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    assert process.returncode == 0, process.said


def until(is_so, process=None):
    """Wait until something is so; what was found then, as the next look may find something else."""
    end = time.monotonic() + PATIENCE
    while not (found := is_so()):
        if process is not None and process.poll() is not None:
            raise AssertionError(process.stderr.read().decode())
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return found


def answers(path):
    """Whether somebody listens there and answers."""
    try:
        return ask(path, b"PING SPAMC/1.2\r\n") == b"SPAMD/1.5 0 PONG\r\n"
    except (FileNotFoundError, ConnectionRefusedError):
        return False


@contextmanager
def connected(path):
    """A connection to a Unix socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(str(path))
        yield client


def ask(path, data, *, closes=True):
    """The whole answer to bytes."""
    with connected(path) as client:
        client.sendall(data)
        if closes:
            client.shutdown(socket.SHUT_WR)
        return read_all(client)


def read_all(client):
    """What comes until the other side has ended."""
    found = b""
    while piece := client.recv(1 << 16):
        found += piece
    return found


def request(command, message=b"", **headers):
    """The bytes of a request as spamc sends it."""
    given = {**{name.replace("_", "-"): value for name, value in headers.items()}, "Content-length": len(message)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"{command} SPAMC/1.5\r\n{lines}\r\n".encode() + message


def workers_of(process):
    """The processes that a server has started, without those that have ended and wait for it to take notice."""
    words = ["pgrep", "--runstates", "D,R,S", "--parent", str(process.pid)]
    told = subprocess.run(words, capture_output=True, check=False).stdout
    return sorted(map(int, told.split()))
