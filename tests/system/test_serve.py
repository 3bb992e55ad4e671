"""A server of a filter: what it answers, how it is taught, and that nothing it has acknowledged is lost."""

import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from deciban import store
from deciban.mail.taught import judge_of
from deciban.serve.live import LiveFilter
from deciban.serve.markup import mark_message
from deciban.serve.rating import GTUBE
from deciban.serve.reasons import summarise
from deciban.text.experts import DISAGREE
from system.command import HAM, KOREAN, PROGRAM, SPAM, run
from system.serving import answers, ask, connected, read_all, request, serving, until, workers_of

SPAMC = shutil.which("spamc")
MESSAGES = [each.read_bytes() for each in (SPAM, HAM, KOREAN)]


@pytest.fixture
def own_server(own, tmp_path):
    """A filter that may be taught, and the socket where it is served."""
    return own, tmp_path / "s"


@pytest.fixture(scope="module")
def served(trained, tmp_path_factory):
    """The socket of a server that is not taught."""
    path = tmp_path_factory.mktemp("served") / "s"
    with serving(trained, path, "--workers", 2):
        yield path


def score_of(path, message):
    """The score that a server gives."""
    reply = ask(path, request("CHECK", message))
    return float(re.fullmatch(rb"SPAMD/1.1 0 EX_OK\r\nSpam: (?:True|False) ; (-?\d+\.\d) / 5\.0\r\n\r\n", reply)[1])


@pytest.mark.parametrize("message", MESSAGES, ids=["spam", "ham", "Korean"])
def test_answers_are_those_of_the_library(served, trained, message):
    known = LiveFilter(str(trained))
    rating, why = known.explain(message)
    assert score_of(served, message) == rating.score
    reply = ask(served, request("PROCESS", message))
    assert reply.split(b"\r\n\r\n", 1)[1] == mark_message(message, rating, summarise(why, "spam"))
    [verdict] = judge_of(store.read(trained), trained).judge([message])
    assert rating.verdict == verdict.towards("spam")


@pytest.mark.parametrize("most", [0, 1, 12, 100_000])
def test_the_strongest_words_are_those_of_the_whole_explanation(trained, most):
    served = LiveFilter(str(trained)).snapshot.served
    for message in MESSAGES:
        whole, short = served.explain(message), served.explain(message, most=most)
        words, names = [term for term in whole.terms if term.term != DISAGREE], {term.term for term in whole.terms}
        wanted = [term for term in whole.terms if term in words[:most] or term.term == DISAGREE]
        assert [term for term in short.terms if term.term in names] == wanted
        assert len(short.terms) == min(len(whole.terms), most + 2)
        total = short.prior_decibans + math.fsum(term.decibans for term in short.terms)
        assert total == pytest.approx(whole.decibans, abs=1e-9)
        assert (short.verdict, short.prior_decibans) == (whole.verdict, whole.prior_decibans)


def test_the_line_for_tests_is_spam(served):
    assert score_of(served, b"Subject: test\n\n" + GTUBE + b"\n") == 1000.0


def test_what_is_wrong_is_answered_and_others_are_served(served):
    assert ask(served, request("CHECK", HAM.read_bytes())[:-1]).startswith(b"SPAMD/1.0 76 Bad header line: (Content-L")
    assert ask(served, b"GET / HTTP/1.1\r\n\r\n").startswith(b"SPAMD/1.0 76 Bad header line: expected a command")
    assert tell(served, HAM.read_bytes(), Set="local", Message_class="ham").startswith(b"SPAMD/1.0 69 Service Una")
    assert ask(served, request("CHECK", b"x" * (65 << 20))).startswith(b"SPAMD/1.0 65 Message too large")
    assert ask(served, b"") == b""
    assert answers(served)


def test_clients_that_do_not_close_their_half_are_answered(served):
    message = HAM.read_bytes()
    assert ask(served, request("CHECK", message), closes=False) == ask(served, request("CHECK", message))
    with connected(served) as client:
        client.sendall(request("PROCESS", message))
        time.sleep(0.05)
        client.sendall(b"x")  # one byte more than was said
        assert read_all(client).startswith(b"SPAMD/1.0 76 Bad header line: (Content-Length mismatch")


def test_silent_and_slow_clients_hold_nobody_up(served):
    message = request("CHECK", HAM.read_bytes())
    wanted = ask(served, message)
    silent = [socket.socket(socket.AF_UNIX) for _ in range(300)]
    try:
        for each in silent:
            each.connect(str(served))
        silent[0].sendall(message[:40])
        with connected(served) as slow:
            for byte in message[:200]:
                slow.sendall(bytes([byte]))
            assert ask(served, message) == wanted
            slow.sendall(message[200:])
            slow.shutdown(socket.SHUT_WR)
            assert read_all(slow) == wanted
    finally:
        for each in silent:
            each.close()


@pytest.mark.deep
def test_a_client_that_reads_slowly_gets_all_of_its_reply(served):
    message = SPAM.read_bytes() + b"more and more words\n" * 500_000
    with connected(served) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        client.sendall(request("PROCESS", message))
        client.shutdown(socket.SHUT_WR)
        reply, begun = client.recv(1 << 16), time.monotonic()
        while piece := client.recv(1 << 16):
            reply += piece
            time.sleep(0.05 if time.monotonic() < begun + 8.0 else 0.0)
    head, body = reply.split(b"\r\n\r\n", 1)
    assert int(re.search(rb"Content-length: (\d+)", head)[1]) == len(body)
    assert body.endswith(message[-1000:])


def test_many_ask_at_once(served):
    wanted = [ask(served, request("SYMBOLS", message)) for message in MESSAGES]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: ask(served, request("SYMBOLS", MESSAGES[k % 3])), range(300)))
    assert found == [wanted[k % 3] for k in range(300)]


def tell(path, message, **headers):
    return ask(path, request("TELL", message, **headers))


DID, NOTHING = b"SPAMD/1.1 0 EX_OK\r\nDidSet: local\r\n\r\n", b"SPAMD/1.1 0 EX_OK\r\n\r\n"


def test_what_it_is_told_is_heeded_by_all_workers_and_taken_back_exactly(own_server):
    path, at = own_server
    message = KOREAN.read_bytes()
    with serving(path, at, "--workers", 2, "--allow-tell"):
        before = score_of(at, message)
        assert tell(at, message, Message_class="spam", Set="local") == DID
        assert tell(at, message, Message_class="spam", Set="local") == NOTHING
        until(lambda: all(score_of(at, message) > before for _ in range(8)))
        assert tell(at, message, Remove="local") == b"SPAMD/1.1 0 EX_OK\r\nDidRemove: local\r\n\r\n"
        until(lambda: all(score_of(at, message) == before for _ in range(8)))


def test_what_the_command_teaches_is_heeded(own_server):
    path, at = own_server
    with serving(path, at, "--workers", 1) as process:
        before = score_of(at, KOREAN.read_bytes())
        assert run("learn", path, "--as", "spam", KOREAN).returncode == 0
        until(lambda: score_of(at, KOREAN.read_bytes()) > before)
        process.send_signal(signal.SIGHUP)
        assert answers(at)


def test_workers_that_are_killed_are_replaced_and_lose_nothing_that_was_acknowledged(own_server):
    path, at = own_server
    lessons = [b"Subject: lesson %d\n\nword%d word%d again\n" % (k, k, k + 1) for k in range(6)]
    with serving(path, at, "--workers", 2, "--allow-tell") as process:
        for k, lesson in enumerate(lessons):
            assert tell(at, lesson, Message_class="ham" if k % 2 else "spam", Set="local") == DID
            killed = workers_of(process)[0]
            os.kill(killed, signal.SIGKILL)
            until(lambda: len(workers_of(process)) == 2 and killed not in workers_of(process))  # noqa: B023
            assert answers(at)
    assert "another one starts" in process.said
    for k, lesson in enumerate(lessons):
        told = run("learn", path, "--as", "ham" if k % 2 else "spam", "--json", input=lesson)
        assert b'"already known": 1' in told.stdout, told


def test_what_has_begun_is_answered_before_the_end(own_server):
    path, at = own_server
    message = request("PROCESS", SPAM.read_bytes() + b"word " * 100_000)
    with serving(path, at, "--workers", 1) as process:
        wanted = ask(at, message)
        with connected(at) as client:
            client.sendall(message[:1000])
            time.sleep(0.1)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.1)
            client.sendall(message[1000:])
            client.shutdown(socket.SHUT_WR)
            assert read_all(client) == wanted
    assert not at.exists()


def test_what_cannot_be_served_is_said(trained, tmp_path):
    def said(*arguments):
        done = run("serve", *arguments)
        return done.returncode, done.stderr.decode().strip()

    assert said(trained, "--spamd", "nowhere")[0] == 64
    code, line = said(tmp_path / "none", "--spamd", tmp_path / "s")
    assert code == 66
    assert "none" in line
    (tmp_path / "file").write_text("not a socket")
    code, line = said(trained, "--spamd", tmp_path / "file")
    assert code == 74
    assert (tmp_path / "file").read_text() == "not a socket"


@pytest.mark.programs
@pytest.mark.skipif(SPAMC is None, reason="spamc is not installed")
def test_spamc_understands_every_answer(own_server):
    path, at = own_server

    def spamc(*arguments, message=SPAM):
        done = subprocess.run(
            [SPAMC, "-U", str(at), *arguments], input=message.read_bytes(), capture_output=True, check=False
        )
        return done.returncode, done.stdout

    with serving(path, at, "--workers", 1, "--allow-tell"):
        known = LiveFilter(str(path))
        spam, why = known.explain(SPAM.read_bytes())
        ham = known.rate(HAM.read_bytes())
        assert spamc("-K") == (0, b"SPAMD/1.5 0\n")
        assert spamc("-c") == (1, b"%.1f/5.0\n" % spam.score)
        assert spamc("-c", message=HAM) == (0, b"%.1f/5.0\n" % ham.score)
        assert spamc("-y") == (0, ",".join(spam.tests).encode())
        assert spamc("-R")[1].startswith(b"%.1f/5.0\ndeciban rates this message spam" % spam.score)
        assert spamc("-R", "-E")[0] == 1
        assert spamc("-r", "-E")[0] == 1
        assert spamc("-r", message=HAM) == (0, b"")
        marked = mark_message(SPAM.read_bytes(), spam, summarise(why, "spam"))
        assert spamc() == (0, marked)
        assert spamc("-E") == (1, marked)
        assert spamc("--headers") == (0, marked)
        assert spamc("-x", message=HAM)[0] == 0
        learnt, already = b"Message successfully un/learned\n", b"Message was already un/learned\n"
        assert spamc("-L", "spam", message=KOREAN) == (0, learnt)
        assert spamc("-L", "spam", message=KOREAN) == (0, already)
        assert spamc("-L", "forget", message=KOREAN) == (0, learnt)
        assert spamc("-L", "forget", message=KOREAN) == (0, already)


def test_a_filtered_message_is_marked(trained):
    done = subprocess.run([*PROGRAM, "filter", str(trained)], input=SPAM.read_bytes(), capture_output=True, check=True)
    rating, why = LiveFilter(str(trained)).explain(SPAM.read_bytes())
    assert done.stdout == mark_message(SPAM.read_bytes(), rating, summarise(why, "spam"))
    assert done.stdout.startswith(b"X-Spam-Flag: YES\n")


@pytest.mark.parametrize("broken", ["absent", "damaged", "a table's", "no message"])
def test_whatever_is_wrong_the_message_comes_out_as_it_came(trained, tmp_path, broken):
    path, message = tmp_path / "f.deciban", SPAM.read_bytes()
    if broken == "damaged":
        path.write_bytes(trained.read_bytes()[:-100])
    elif broken == "a table's":
        (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
        assert run("train", tmp_path / "t.csv", "--label", "y", "-o", path).returncode == 0
    elif broken == "no message":
        message = b"\xff\x00"
    done = run("filter", path, input=message)
    assert (done.returncode, done.stdout) == (0, message)
    assert b"The message was left as it came: " in done.stderr


def test_a_signal_at_any_moment_of_the_start_ends_all_processes(own_server):
    path, at = own_server
    words = [*PROGRAM, "serve", str(path), "--spamd", str(at), "--http", f"{at}.http", "--workers", "2"]
    for moment in (0.0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8):
        with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
            time.sleep(moment)
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=20)[1]  # every process that is left holds this pipe
        assert process.returncode in (0, 143, -signal.SIGTERM), said
        assert [*at.parent.glob("s*")] == []


SIGNALLED = """
import os, select, signal, sys

module, name, when = {place!r}
call, first = getattr(sys.modules[module], name), os.getpid()

def come(now):
    if now == when and os.getpid() == first:
        os.kill(first, signal.SIGTERM)

def signalled(*arguments, **named):
    come("before")
    done = call(*arguments, **named)
    come("after")
    return done

setattr(sys.modules[module], name, signalled)
from deciban.cli import main
main()
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("call", ["os.chmod", "os.fork", "os.waitpid", "select.select", "signal.set_wakeup_fd"])
def test_a_signal_beside_any_call_of_the_start_ends_all_processes(own_server, call, when):
    path, at = own_server
    words = ["serve", str(path), "--spamd", str(at), "--http", f"{at}.http", "--workers", "2"]
    program = [sys.executable, "-c", SIGNALLED.format(place=(*call.split("."), when)), *words]
    with subprocess.Popen(program, stderr=subprocess.PIPE) as process:
        if call in {"os.waitpid", "select.select"}:  # which end when a signal has come, if it has not yet
            until(lambda: at.exists() or process.poll() is not None)
            process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=20)[1]
    assert process.returncode in (0, 143), said
    assert [*at.parent.glob("s*")] == []


def test_no_worker_outlives_the_process_that_started_it(own_server):
    path, at = own_server
    with subprocess.Popen([*PROGRAM, "serve", str(path), "--spamd", str(at)], stderr=subprocess.PIPE) as process:
        until(lambda: at.exists() and answers(at), process)
        process.kill()
        said = process.communicate(timeout=20)[1]  # every process that is left holds this pipe
    assert b"the process that started it is gone" in said
    with serving(path, at):  # the socket file that is left is in nobody's way
        assert answers(at)
