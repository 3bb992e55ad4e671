"""Where a server listens: HOST:PORT, or the path of a Unix socket."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from dataclasses import dataclass
from ipaddress import ip_address

from ..errors import StorageError, UsageError, escape

BACKLOG = 1024
"""Connections that wait at most until a worker accepts them."""


@dataclass(frozen=True)
class Endpoint:
    """A host and a port, or the path of a socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        if self.path:
            return escape(self.path)
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return bool(self.path) or self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_endpoint(text: str) -> Endpoint:
    """Return what HOST:PORT, [HOST]:PORT, a port alone, or a path means.

    >>> parse_endpoint("783"), parse_endpoint("[::1]:783").host, parse_endpoint("/run/deciban.sock").path
    (Endpoint(host='127.0.0.1', port=783, path=''), '::1', '/run/deciban.sock')
    """
    if "/" in text or text.startswith("unix:"):
        return Endpoint(path=text.removeprefix("unix:"))
    host, colon, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port) > 65535 or (colon and not host):
        raise UsageError(
            f"Expected HOST:PORT or the path of a socket, as 127.0.0.1:783 or /run/spamd.sock; got {escape(text)}."
        )
    return Endpoint(host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port))


def listen(endpoint: Endpoint) -> socket.socket:
    """Return a socket that listens; a socket file that nobody listens at any more is replaced."""
    try:
        return _listen_at_path(endpoint.path) if endpoint.path else _listen_at_port(endpoint.host, endpoint.port)
    except OSError as error:
        raise StorageError(
            f"{endpoint}: could not listen there: {error.strerror or error}. Choose another place."
        ) from error


def _listen_at_port(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except BaseException:
        made.close()
        raise
    return made


def _listen_at_path(path: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_dead(path)
        made.bind(path)
        os.chmod(path, 0o666)  # as spamd's: whoever may reach its folder may ask
        made.listen(BACKLOG)
    except BaseException:
        made.close()
        raise
    return made


def _remove_dead(path: str) -> None:
    """Remove a socket file that nobody listens at; any other file stays, and binding fails."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            return
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
        tried.setblocking(False)  # somebody who listens may have more than enough who wait
        try:
            tried.connect(path)
        except ConnectionRefusedError:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        except BlockingIOError:
            return


def leave(endpoint: Endpoint) -> None:
    """Remove the file of a socket that has been closed; one that somebody else listens at by now stays."""
    if endpoint.path:
        with contextlib.suppress(OSError):
            _remove_dead(endpoint.path)
