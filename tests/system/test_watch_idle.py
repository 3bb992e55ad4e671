"""No news of a folder is missed, in however many pieces a server sends it and however early; a connection goes on."""

import shutil
import socket
import ssl
import threading
import time
from contextlib import contextmanager

import pytest

pytest.importorskip("imapclient")

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from deciban.watch.idle import wait_for_news

MESSAGES, LONG, SHORT = 7, 60.0, 0.3
READY = b"+ idling\r\n"
ENDS = b"IDLE1 NO", b"* BYE"  # after which the server closes the connection
NEWS = {  # what the server sends in answer to IDLE, in the packets in which it does
    "in the packet of the answer": [READY + b"* 8 EXISTS\r\n"],
    "before the answer": [b"* 8 EXISTS\r\n" + READY],
    "before the answer, in packets of their own": [b"* 8 EXISTS\r\n", b"* 1 RECENT\r\n", READY],
    "after the answer": [READY, b"* 8 EXISTS\r\n"],
    "in pieces": [READY + b"* 8 EX", b"ISTS", b"\r\n"],
    "behind what is no news": [READY + b"* OK Still here\r\n* 3 FETCH (FLAGS (\\Seen))\r\n* 8 EXISTS\r\n"],
    "behind what is no news, later": [READY + b"* OK Still here\r\n", b"* OK Still here\r\n", b"* 8 exists\r\n"],
    "removed": [READY + b"* 3 EXPUNGE\r\n"],
    "removed, and as many as before": [READY, b"* 3 EXPUNGE\r\n* 7 EXISTS\r\n"],
    "marked as removed, as where there is no MOVE": [READY, b"* 3 FETCH (FLAGS (\\Seen \\Deleted))\r\n"],
    "vanished": [READY + b"* VANISHED 3:5\r\n"],
}
NO_NEWS = {
    "nothing": [READY],
    "as many as before": [b"* 7 EXISTS\r\n" + READY + b"* 7 EXISTS\r\n"],
    "still here": [READY, b"* OK Still here\r\n"],
    "flags": [READY + b"* 3 FETCH (FLAGS (\\Seen))\r\n"],
    "half a line at the end": [READY + b"* 7 EXI", b"STS\r\n"],
}
with_tls = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


@pytest.fixture(params=["plain", pytest.param("tls", marks=with_tls)])
def idling(request):
    """A connection to a server that answers IDLE by such packets; it is used for another command afterwards."""
    paths = request.getfixturevalue("certificate") if request.param == "tls" else None

    @contextmanager
    def connected(packets):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            thread = threading.Thread(target=_serve, args=(listening, paths, packets), daemon=True)
            thread.start()
            context = None if paths is None else ssl.create_default_context(cafile=str(paths[0]))
            port = listening.getsockname()[1]
            client = IMAPClient("localhost", port, ssl=paths is not None, ssl_context=context, timeout=30)
            try:
                yield client
                if not packets[-1].startswith(ENDS):
                    assert client.noop()[0] == b"still the same connection"
            finally:
                client.shutdown()
                thread.join()

    return connected


def _serve(listening, paths, packets):
    connection, _ = listening.accept()
    if paths is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*paths)
        connection = context.wrap_socket(connection, server_side=True)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    with connection, connection.makefile("rb") as lines:
        connection.sendall(b"* PREAUTH ready\r\n")
        for line in lines:
            tag, _, command = line.strip().partition(b" ")
            if command == b"IDLE":
                for packet in packets:
                    connection.sendall(packet)
                    time.sleep(0.05)
                if packets[-1].startswith(ENDS):
                    return
                assert lines.readline() == b"DONE\r\n"
                connection.sendall(b"* 7 EXISTS\r\n" + tag + b" OK done\r\n")
            elif command == b"NOOP":
                connection.sendall(tag + b" OK still the same connection\r\n")
            else:
                connection.sendall(b"* CAPABILITY IMAP4rev1 IDLE\r\n" + tag + b" OK done\r\n")


def timed_wait(client, seconds):
    began = time.monotonic()
    wait_for_news(client, MESSAGES, seconds)
    return time.monotonic() - began


@pytest.mark.parametrize("packets", NEWS.values(), ids=NEWS)
def test_news_ends_the_wait(packets, idling):
    with idling(packets) as client:
        assert timed_wait(client, LONG) < LONG / 2


@pytest.mark.parametrize("packets", NO_NEWS.values(), ids=NO_NEWS)
def test_what_is_no_news_does_not(packets, idling):
    with idling(packets) as client:
        assert SHORT <= timed_wait(client, SHORT) < LONG / 2


def test_a_refusal_and_an_end(idling):
    with (
        idling([b"IDLE1 NO [LIMIT] too many that wait\r\n"]) as client,
        pytest.raises(IMAPClientError, match=r"^NO \[LIMIT\] too many that wait$"),
    ):
        timed_wait(client, LONG)
    with idling([READY + b"* BYE closing\r\n", b"* BYE closed\r\n"]) as client, pytest.raises(ConnectionError):
        timed_wait(client, LONG)
