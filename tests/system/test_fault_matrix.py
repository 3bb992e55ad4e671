"""Whatever clients and workers do wrong, each is answered clearly, and no mail is lost or altered.

The matrix of what goes wrong by the protocol of spamd, each once against a server that runs, and all of it at the same
time as mail goes through spamc.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

import pytest

from deciban.mail.journal import Journal
from deciban.serve.live import LiveFilter
from deciban.serve.markup import mark_message, marked_header
from deciban.serve.reasons import summarise
from system.command import HAM, KOREAN, SPAM
from system.serving import answers, ask, connected, read_all, request, serving, until, workers_of

SPAMC = shutil.which("spamc")
MESSAGE = SPAM.read_bytes()
ODD = b"Subject: x\r\n\r\n.\r\n\x00\xff"
CHECKED = rb"SPAMD/1\.1 0 EX_OK\r\nSpam: True ; \d+\.\d / 5\.0\r\n\r\n"


class Fault(NamedTuple):
    """What a client sends, whether it closes its half, and what it is answered."""

    data: bytes
    answer: bytes
    closes: bool = True


def headed(command, version, message=MESSAGE, length=None, **headers):
    """A request of some version: before 1.2 without a header, and with its length only if that is given."""
    if version < "1.2":
        return f"{command} SPAMC/{version}\r\n".encode() + message
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines += [] if length is None else [f"Content-length: {length}"]
    return "\r\n".join([f"{command} SPAMC/{version}", *lines, "", ""]).encode() + message


def error(code, text):
    """One line, and no empty line after it, by which spamc would take it that all went well."""
    return rb"SPAMD/1\.0 %d %s[^\r\n]*\r\n" % (code, text)


LENGTH = error(76, rb"Bad header line: \(Content-Length mismatch")
N, MB = len(MESSAGE), 1 << 20
bomb, packed = (zlib.compress(each, 9) for each in (bytes(100 * MB), MESSAGE))
FAULTS = {
    "length too small": Fault(headed("CHECK", "1.5", length=N - 1), LENGTH),
    "length too large": Fault(headed("CHECK", "1.5", length=N + 1), LENGTH),
    "another byte, not closed": Fault(headed("PROCESS", "1.5", length=N) + b"x", LENGTH, closes=False),
    "capital Content-Length": Fault(headed("CHECK", "1.5", Content_Length=N), CHECKED),
    "capital CONTENT-LENGTH, wrong": Fault(headed("CHECK", "1.5", CONTENT_LENGTH=N - 1), LENGTH),
    "no length, closed": Fault(headed("CHECK", "1.5"), CHECKED),
    "a length, not closed": Fault(headed("CHECK", "1.5", length=N), CHECKED, closes=False),
    "length of no number": Fault(headed("CHECK", "1.5", length="1e3"), error(76, b"Bad header line: ")),
    "too large by what it says": Fault(headed("CHECK", "1.5", length=65 * MB), error(65, b"Message too large: ")),
    "too large by what it sends": Fault(headed("CHECK", "1.5", bytes(65 * MB)), error(65, b"Message too large: ")),
    "300 headers": Fault(
        b"CHECK SPAMC/1.5\r\n" + b"X: y\r\n" * 300 + b"\r\n" + MESSAGE, error(76, b"Bad header line: ")
    ),
    "a header without a colon": Fault(b"CHECK SPAMC/1.5\r\nx\r\n\r\n" + MESSAGE, error(76, b"Bad header line: ")),
    "an endless line": Fault(b"CHECK" * 10_000, error(76, b"Bad header line: ")),
    "control characters in User": Fault(headed("CHECK", "1.5", User="a\x07"), error(76, rb"Bad header line: \(User")),
    "no command": Fault(b"HELO mail.example.org\r\n\r\n", error(76, b"Bad header line: expected a command")),
    "ends within the header": Fault(b"CHECK SPAMC/1.5\r\nUser: x", error(76, b"Bad header line: ")),
    "Set and Remove": Fault(
        headed("TELL", "1.5", length=N, Message_class="spam", Set="local", Remove="local"),
        error(76, b"Bad header line: Unable to set local and remove local in the same operation"),
    ),
    "TELL of no class": Fault(headed("TELL", "1.5", length=N, Set="local"), error(76, b"Bad header line: ")),
    "zlib bomb": Fault(
        headed("CHECK", "1.5", bomb, len(bomb), Compress="zlib"),
        error(65, b"Message too large: expected at most 67,108,864 bytes, decompressed"),
    ),
    "zlib without a length": Fault(headed("CHECK", "1.5", bomb, Compress="zlib"), error(69, b"Service Unavailable: ")),
    "zlib that is damaged": Fault(
        headed("CHECK", "1.5", packed[:-9], len(packed) - 9, Compress="zlib"), error(69, b"Service Unavailable: ")
    ),
}


@pytest.fixture(scope="module")
def served(trained, tmp_path_factory):
    """The socket of a server that may be taught, whose filter is its own."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copy(trained, folder / "f.deciban")
    with serving(folder / "f.deciban", folder / "s", "--workers", 2, "--allow-tell"):
        yield folder / "s"


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_client_does_wrong_is_answered_clearly(served, fault):
    data, wanted, closes = FAULTS[fault]
    reply = ask(served, data, closes=closes)
    assert re.fullmatch(wanted, reply), reply
    assert re.fullmatch(CHECKED, ask(served, request("CHECK", MESSAGE)))


@pytest.mark.parametrize("version", ["1.0", "1.2", "1.5"])
def test_each_command_is_answered_in_each_version(served, trained, version):
    known = LiveFilter(str(trained))
    rating, why = known.explain(MESSAGE)
    reason = summarise(why, "spam")
    marked = {"PROCESS": mark_message(MESSAGE, rating, reason), "HEADERS": marked_header(MESSAGE, rating, reason)}
    spam = b"Spam: True ; %.1f / 5.0\r\n" % rating.score
    for command in ("CHECK", "SYMBOLS", "REPORT", "REPORT_IFSPAM", "PROCESS", "HEADERS"):
        reply = ask(served, headed(command, version, length=N))
        own = command in marked and version < "1.2"
        assert reply.startswith(b"SPAMD/1.%d 0 EX_OK\r\n" % (not own))
        body = reply.split(b"\r\n" if own else b"\r\n\r\n", 1)[1]
        assert (spam in reply) == (command not in marked or version > "1.2")
        assert (b"Content-length: %d\r\n" % len(body) in reply) == (
            command != "CHECK" and version >= ("1.2" if command in marked else "1.3")
        )
        if command in marked:
            assert body == marked[command]
    assert ask(served, headed("PING", version, b"")) == b"SPAMD/1.5 0 PONG\r\n"
    assert ask(served, headed("SKIP", version, b"")) == b""


def test_teaching_takes_headers(own, tmp_path):
    with serving(own, tmp_path / "s", "--workers", 1, "--allow-tell"):
        for version in ("1.0", "1.2", "1.5"):
            message = f"Subject: a\n\nb{version}\n".encode()
            told = ask(tmp_path / "s", headed("TELL", version, message, Message_class="ham", Set="local"))
            did = b"SPAMD/1.1 0 EX_OK\r\nDidSet: local\r\n\r\n"
            assert told.startswith(b"SPAMD/1.0 76 ") if version < "1.2" else told == did


def test_a_slow_client_is_served_and_holds_nobody_up(served):
    data = headed("CHECK", "1.5", length=N)
    with connected(served) as slow:
        for at in range(0, len(data), 50):
            slow.sendall(data[at : at + 50])
            time.sleep(0.005)
        assert re.fullmatch(CHECKED, ask(served, request("CHECK", MESSAGE)))
        slow.shutdown(socket.SHUT_WR)
        assert re.fullmatch(CHECKED, read_all(slow))


@pytest.mark.parametrize("labels", [["spam"], ["spam", "ham"]], ids=["one label", "two labels"])
def test_the_same_mail_told_by_many_at_once_is_learnt_once_under_each_label(own, tmp_path, labels):
    data = {label: request("TELL", KOREAN.read_bytes(), Message_class=label, Set="local") for label in labels}
    with serving(own, tmp_path / "s", "--workers", 2, "--allow-tell"), ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda k: ask(tmp_path / "s", data[labels[k % len(labels)]]), range(24)))
    assert {*replies} <= {b"SPAMD/1.1 0 EX_OK\r\nDidSet: local\r\n\r\n", b"SPAMD/1.1 0 EX_OK\r\n\r\n"}
    did = sum(b"DidSet" in each for each in replies)
    with Journal.open(own, write=False) as journal:
        assert journal.connection.execute("SELECT count(*) FROM entries").fetchone()[0] == did
    assert did == 1 if len(labels) == 1 else did >= 2


@pytest.mark.programs
@pytest.mark.skipif(SPAMC is None, reason="spamc is not installed")
def test_spamc_sees_that_nothing_was_learnt(trained, tmp_path):
    with serving(trained, tmp_path / "s", "--workers", 1):
        words = [SPAMC, "-U", str(tmp_path / "s")]
        done = subprocess.run([*words, "-L", "spam"], input=MESSAGE, capture_output=True, check=False)
        assert done.returncode in (69, 74)
        assert b"un/learned" not in done.stdout


def through_spamc(at, message):
    """What comes out of spamc, which must succeed."""
    done = subprocess.run([SPAMC, "-U", str(at)], input=message, capture_output=True, check=True, timeout=60)
    return done.stdout


@pytest.mark.deep
@pytest.mark.programs
@pytest.mark.skipif(SPAMC is None, reason="spamc is not installed")
def test_no_mail_is_lost_or_altered_while_all_of_it_goes_wrong(trained, tmp_path):
    at, known = tmp_path / "s", LiveFilter(str(trained))
    messages = [*(each.read_bytes() for each in (SPAM, HAM, KOREAN)), b"no mail at all", ODD]
    wanted = []
    for message in messages:
        rating, why = known.explain(message)
        wanted.append(mark_message(message, rating, summarise(why, "spam")))
    ended, kills = threading.Event(), threading.Event()

    def go_wrong():
        while not ended.is_set():
            for data, answer, closes in FAULTS.values():
                with suppress(ConnectionError):  # of a worker that was killed
                    reply = ask(at, data, closes=closes)
                    assert re.fullmatch(answer, reply) or (not reply and kills.is_set())
                if ended.is_set():
                    return

    with serving(trained, at, "--workers", 2, "--allow-tell") as process, ThreadPoolExecutor(8) as pool:
        faults = [pool.submit(go_wrong) for _ in range(2)]
        try:
            found = list(pool.map(lambda k: through_spamc(at, messages[k % 5]), range(120)))
            assert found == [wanted[k % 5] for k in range(120)]
            later = [pool.submit(through_spamc, at, messages[k % 5]) for k in range(120)]
            kills.set()
            for _ in range(4):  # now workers die, too, all at once where one is not replaced soon
                os.kill(until(lambda: workers_of(process), process)[0], signal.SIGKILL)
                time.sleep(0.2)
            for k, each in enumerate(later):
                assert each.result() in (messages[k % 5], wanted[k % 5])
            until(lambda: len(workers_of(process)) == 2 and answers(at))
            assert [through_spamc(at, each) for each in messages] == wanted
        finally:
            ended.set()
        for each in faults:
            each.result()
    assert [through_spamc(at, each) for each in messages] == messages  # nobody listens any more
