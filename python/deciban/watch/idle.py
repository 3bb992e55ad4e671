"""Waiting for news of the folder that is selected (RFC 2177), none of which is missed.

IMAPClient waits for bytes at the socket, and so does not see what came in the same packet as the server's answer to
IDLE, which is when a message arrived between SELECT and IDLE; and it takes news before that answer for an error.
"""

from __future__ import annotations

import re
import select
import socket
import time
from typing import Any

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

_TAG = b"IDLE1"  # other commands are not under way
_COUNT = re.compile(rb"\* (\d+) EXISTS", re.IGNORECASE)
_REMOVED = re.compile(rb"\* (\d+ EXPUNGE|VANISHED|\d+ FETCH .*\\Deleted)", re.IGNORECASE)


def wait_for_news(client: IMAPClient, messages: int, seconds: float) -> None:
    """Wait, so long at most, until the folder has another number of messages, or one is removed, or marked so.

    What else servers send, such as other flags or that they are still there, is no news. Raises what IMAPClient
    and sockets raise; IMAPClientError where the server refuses to tell.
    """
    end = time.monotonic() + seconds
    connection = client._imap
    connection.send(_TAG + b" IDLE\r\n")
    is_news = False
    while not (line := _read_line(connection)).startswith(b"+"):
        if line.startswith(_TAG):
            raise IMAPClientError(line.removeprefix(_TAG).decode("ascii", "replace").strip())
        is_news |= _is_news(line, messages)
    while not is_news and _has_line(connection, end - time.monotonic()):
        is_news = _is_news(_read_line(connection), messages)
    connection.send(b"DONE\r\n")
    while not _read_line(connection).startswith(_TAG):
        pass


def _is_news(line: bytes, messages: int) -> bool:
    counted = _COUNT.match(line)
    return int(counted[1]) != messages if counted else _REMOVED.match(line) is not None


def _read_line(connection: Any) -> bytes:
    line: bytes = connection.readline()
    if not line:
        raise ConnectionResetError("the server has closed the connection")
    return line


def _has_line(connection: Any, seconds: float) -> bool:
    """Return whether there is something to read within some seconds."""
    if _is_read_ahead(connection):
        return True
    poll = select.poll()
    poll.register(connection.socket().fileno(), select.POLLIN)
    return bool(poll.poll(1000.0 * max(seconds, 0.0)))


def _is_read_ahead(connection: Any) -> bool:
    """Return whether bytes have left the socket with those before: in the buffer of imaplib, or in the layer of TLS."""
    has_own_buffer = hasattr(connection, "_readbuf")  # from Python 3.14 on
    is_buffered = bool(connection._readbuf) if has_own_buffer else _is_buffered(connection)
    return is_buffered or bool(getattr(connection.socket(), "pending", int)())


def _is_buffered(connection: Any) -> bool:
    """Return whether the file of a connection holds bytes, having read those that are there."""
    below: socket.socket = connection.socket()
    timeout = below.gettimeout()
    below.settimeout(0.0)
    try:
        return bool(connection.file.peek(1))
    except OSError:  # TLS says so where a socket says that there is nothing
        return False
    finally:
        below.settimeout(timeout)
