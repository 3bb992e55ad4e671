"""What a server logs: a line for each request if asked for, as text or JSON, and never a text or a token."""

import json
import logging
import signal
import socket
import sys
import zlib

import httpx2
import pytest

from deciban.serve.logs import JsonLines, TextLines, set_up_logs
from laws.mail_server import message_packets, offer, packet, packets
from system.command import SPAM
from system.serving import ask, connected, read_all, request, serving, until

TOKEN = "0123456789abcdef"
SECRET = "zanzibarquux"
MESSAGE = f"X-Note: {SECRET}\n".encode() + SPAM.read_bytes() + f"{SECRET}s\n".encode()


@pytest.fixture
def talk(own, tmp_path):
    """A function that asks and teaches by every protocol, rightly and wrongly, and returns what the server logged."""
    (tmp_path / "token").write_text(TOKEN)
    places = {name: tmp_path / name[0] for name in ("spamd", "http", "rspamd", "milter")}
    options = [word for name, place in places.items() if name != "spamd" for word in (f"--{name}", place)]

    def post(place, path, content, **headers):
        transport = httpx2.HTTPTransport(uds=str(place))
        with httpx2.Client(transport=transport, base_url="http://x", timeout=20.0, headers=headers) as client:
            return client.post(path, content=content)

    def by_spamd():
        at = places["spamd"]
        for command in ("CHECK", "PROCESS", "REPORT", "SYMBOLS"):
            assert ask(at, request(command, MESSAGE)).startswith(b"SPAMD/1.1 0 ")
        assert ask(at, request("TELL", MESSAGE, Message_class="spam", Set="local")).endswith(b"DidSet: local\r\n\r\n")
        assert ask(at, request("TELL", MESSAGE, Message_class=SECRET, Set="local")).startswith(b"SPAMD/1.0 76 ")
        assert ask(at, request("CHECK", MESSAGE)[:-1]).startswith(b"SPAMD/1.0 76 ")
        assert ask(at, f"{SECRET} SPAMC/1.5\r\n\r\n".encode()).startswith(b"SPAMD/1.0 76 ")
        assert ask(at, request("CHECK", zlib.compress(MESSAGE)[:-9], Compress="zlib")).startswith(b"SPAMD/1.0 69 ")
        assert ask(at, b"CHECK SPAMC/1.5\r\nUser: " + SECRET.encode() + b"\x07\r\n\r\n").startswith(b"SPAMD/1.0 76 ")

    def by_http():
        at, shown = places["http"], {"Authorization": f"Bearer {TOKEN}"}
        assert post(at, "/v1/classify", MESSAGE, **{"X-Request-Id": "mine-1"}).status_code == 200
        assert post(at, "/v1/explain", MESSAGE).status_code == 200
        assert post(at, "/v1/learn?label=ham", MESSAGE, **shown).status_code == 200
        assert post(at, "/v1/forget", MESSAGE, **shown).status_code == 200
        assert post(at, f"/v1/learn?label={SECRET}", MESSAGE, **shown).status_code == 400
        assert post(at, "/v1/learn?label=ham", MESSAGE, Authorization=f"Bearer {TOKEN}{SECRET}").status_code == 401
        assert post(at, "/v1/classify", b'{"' + MESSAGE, **{"Content-Type": "application/json"}).status_code == 400
        assert post(at, f"/{SECRET}", MESSAGE).status_code == 404

    def by_rspamd():
        at = places["rspamd"]
        assert post(at, "/checkv2", MESSAGE).status_code == 200
        assert post(at, "/learnspam", MESSAGE, Password=SECRET).status_code == 401
        assert post(at, "/learnham", MESSAGE, Password=TOKEN).status_code == 200

    def by_milter():
        with connected(places["milter"]) as client:
            client.sendall(offer() + message_packets(MESSAGE, queue_id=b"4F2") + packet(b"Q"))
            assert packets(read_all(client))[-1][0] == b"c"
        with connected(places["milter"]) as client:
            client.sendall(offer() + packet(b"L", SECRET.encode()) + packet(b"E") + packet(SECRET[:1].encode()))
            client.shutdown(socket.SHUT_WR)
            read_all(client)

    def inside(*more):
        words = ["--token-file", tmp_path / "token", "--allow-tell", "--workers", 1, *options, *more]
        with serving(own, places["spamd"], *words) as process:
            until(lambda: all(place.exists() for place in places.values()))
            for each in (by_milter, by_spamd, by_http, by_rspamd):
                each()
            process.send_signal(signal.SIGHUP)
        return process.said

    return inside


def test_each_request_is_an_object_a_line(talk):
    lines = [json.loads(line) for line in talk("--log-format", "json", "--log-requests").splitlines()]
    assert all({"time", "level", "process"} < {*each} for each in lines)
    asked = [each for each in lines if "protocol" in each and each["request"] != "PING"]
    assert all({"id", "protocol", "request", "ms", "bytes"} < {*each} for each in asked)
    assert len({each["id"] for each in asked}) == len(asked)
    of = {name: [each for each in asked if each["protocol"] == name] for name in ("spamd", "http", "rspamd", "milter")}
    told = [(each["request"], each["status"], each.get("verdict")) for each in of["spamd"]]
    checks = ("CHECK", "PROCESS", "REPORT", "SYMBOLS")
    assert told[:6] == [*((name, 0, "spam") for name in checks), ("TELL", 0, "learnt"), ("TELL", 76, None)]
    assert told[6:] == [("no request", status, None) for status in (76, 76, 69, 76)]
    assert [each["score"] > 5.0 and each["bytes"] == len(MESSAGE) for each in of["spamd"][:4]] == [True] * 4
    first, why, learnt, forgotten, *wrong = of["http"]
    assert (first["id"], first["request"], first["status"], first["verdict"]) == ("mine-1", "/v1/classify", 200, "spam")
    assert (first["score"] > 5.0, first["bytes"], why["verdict"]) == (True, len(MESSAGE), "spam")
    assert (learnt["verdict"], forgotten["verdict"]) == ("relabelled", "forgotten")
    assert [each["status"] for each in wrong] == [400, 401, 400]
    told = [(each["request"], each["status"], each.get("verdict")) for each in of["rspamd"]]
    assert told == [("/checkv2", 200, "spam"), ("/learnspam", 401, None), ("/learnham", 200, "relabelled")]
    [milter] = of["milter"]
    assert (milter["id"], milter["verdict"], milter["action"]) == ("4F2", "spam", "accepted")


@pytest.mark.parametrize("more", [["--log-requests"], [], ["--quiet"], ["--log-format", "json", "--log-requests"]])
def test_no_text_and_no_token_is_logged(talk, more):
    said = talk(*more)
    assert SECRET not in said.lower()
    assert TOKEN not in said
    assert ("protocol" in said) == ("--log-requests" in more)


@pytest.mark.parametrize("form", [TextLines, JsonLines])
def test_an_error_that_nobody_expected_is_told_by_its_place_and_its_type(form):
    try:
        {}[SECRET]
    except KeyError:
        record = logging.LogRecord("x", logging.ERROR, __file__, 1, "it failed", (), sys.exc_info())
    line = form().format(record)
    assert "it failed" in line
    assert "KeyError" in line
    assert "test_serve_logs.py" in line
    assert SECRET not in line


def test_what_is_set_up_again_is_logged_once(capsys):
    handlers, level = logging.root.handlers[:], logging.root.level
    try:
        for form in ("json", "text", "text"):
            set_up_logs(logging.INFO, form, True)
        logging.getLogger("deciban.serve").info("once")
        assert capsys.readouterr().err == "once\n"
    finally:
        logging.root.handlers[:] = handlers
        logging.root.setLevel(level)
        logging.getLogger("deciban.requests").setLevel(logging.NOTSET)
