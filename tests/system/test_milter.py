"""A milter as mail servers use it: messages over a socket, a client in Lua, and Postfix."""

import shutil
import signal
import smtplib
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from deciban.serve.live import LiveFilter
from deciban.serve.markup import list_fields, mark_message
from deciban.serve.rating import GTUBE
from deciban.serve.reasons import summarise
from laws.mail_server import changed, message_packets, offer, packet, packets
from system.command import HAM, KOREAN, SPAM, run
from system.postfix import CANNOT, running_postfix
from system.serving import connected, read_all, serving, until, workers_of

MILTERTEST = shutil.which("miltertest")
MESSAGES = [b"\r\n".join(each.read_bytes().splitlines()) + b"\r\n" for each in (SPAM, HAM, KOREAN)]
LONG = b"Subject: long\r\nX-Spam-Level: *\r\n\r\n" + b"many words go on\r\n" * 30_000  # as threads classify it
TESTED = b"Subject: test\r\n\r\n" + GTUBE + b"\r\n"
QUIT = packet(b"Q")


@pytest.fixture(scope="module")
def served(trained, tmp_path_factory):
    """The socket of a milter that only marks."""
    folder = tmp_path_factory.mktemp("served")
    with serving(trained, folder / "s", "--milter", folder / "m", "--workers", 2):
        yield folder / "m"


@pytest.fixture(scope="module")
def marked(trained):
    """What a message is to be delivered as."""
    known = LiveFilter(str(trained))

    def mark(message):
        rating, why = known.explain(message)
        return mark_message(message, rating, summarise(why, known.spam))

    return mark


def converse(path, *sent, pause=0.0):
    """The packets that answer what is sent, after the one that answers the offer, until the milter closes."""
    with connected(path) as client:
        client.sendall(offer())
        for each in sent:
            client.sendall(each)
            time.sleep(pause)
        client.sendall(QUIT)
        return packets(read_all(client))[1:]


def per_message(answers):
    """The packets that answer each message."""
    found = [[]]
    for each in answers:
        found[-1].append(each)
        if each[0] in b"cy":
            found.append([])
    return found[:-1]


def test_messages_of_a_connection_are_marked_each_and_in_order(served, marked):
    sent = [MESSAGES[0], LONG, MESSAGES[1], LONG, MESSAGES[2]]
    answers = per_message(converse(served, b"".join(map(message_packets, sent))))
    assert [changed(*each) for each in zip(sent, answers, strict=True)] == [marked(each) for each in sent]


def test_connections_are_served_side_by_side(served, marked):
    wanted = {message: marked(message) for message in [*MESSAGES, LONG]}
    silent = [socket.socket(socket.AF_UNIX) for _ in range(200)]

    def ask(k):
        message = [*MESSAGES, LONG][k % 4]
        [answers] = per_message(converse(served, message_packets(message, chunk=10_000)))
        return changed(message, answers) == wanted[message]

    try:
        for each in silent:
            each.connect(str(served))
            each.sendall(offer() + packet(b"L", b"Subject\0 x\0"))
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, range(80)))
    finally:
        for each in silent:
            each.close()


@pytest.mark.parametrize("data", [b"\0\0\0\0", b"SSH-2.0-x\r\n", offer() + packet(b"X"), packet(b"E")])
def test_what_is_no_milter_protocol_ends_only_its_connection(served, marked, data):
    with connected(served) as client:
        client.sendall(data)
        assert [command for command, _ in packets(read_all(client))] == [b"O"] * data.startswith(offer())
    [answers] = per_message(converse(served, message_packets(MESSAGES[0])))
    assert changed(MESSAGES[0], answers) == marked(MESSAGES[0])


def test_a_mail_server_that_reads_no_replies_is_read_no_further(served, marked):
    steps = packet(b"N") * 10_000_000
    with connected(served) as client:
        client.settimeout(1.0)
        client.sendall(offer(steps=0))
        with pytest.raises(TimeoutError):
            client.sendall(steps)
        [answers] = per_message(converse(served, message_packets(MESSAGES[1])))
        assert changed(MESSAGES[1], answers) == marked(MESSAGES[1])
        wanted = 17 + 5 * 30_000  # more than what waited for a reader: it is read on
        while wanted > 0:
            wanted -= len(client.recv(wanted))


def test_a_message_too_large_comes_through_and_is_named(trained, tmp_path, marked):
    body = b"".join(packet(b"B", bytes(65_535)) for _ in range(1030))  # more than 64 MiB
    with serving(trained, tmp_path / "s", "--milter", tmp_path / "m", "--workers", 1) as process:
        huge = packet(b"D", b"Li\x004F2\0") + packet(b"L", b"X-Spam-Flag\0 NO\0") + packet(b"N") + body + packet(b"E")
        answers = per_message(converse(tmp_path / "m", huge, message_packets(MESSAGES[0])))
    assert answers[0] == [(b"c", b"")]
    assert changed(MESSAGES[0], answers[1]) == marked(MESSAGES[0])
    assert "milter: message 4F2 was accepted as it came: it has more than 67,108,864 bytes" in process.said


@pytest.mark.parametrize("large", [False, True])
def test_a_message_that_has_begun_is_answered_before_the_end(trained, tmp_path, marked, large):
    message = LONG if large else MESSAGES[0]
    sent = message_packets(message)
    with serving(trained, tmp_path / "s", "--milter", tmp_path / "m", "--workers", 1) as process:
        with connected(tmp_path / "m") as client, connected(tmp_path / "m") as idle:
            idle.sendall(offer())
            client.sendall(offer() + sent[:40])
            time.sleep(0.2)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            client.sendall(sent[40:])
            [answers] = per_message(packets(read_all(client))[1:])
            assert changed(message, answers) == marked(message)
            assert len(packets(read_all(idle))) == 1
        process.wait(20)
    assert not (tmp_path / "m").exists()


def test_whoever_leaves_amid_a_message_leaves_nothing(served, marked):
    sent = offer() + message_packets(LONG)
    for at in (3, 20, 100, len(sent) - 1, len(sent)):
        with connected(served) as client:
            client.sendall(sent[:at])
    [answers] = per_message(converse(served, message_packets(MESSAGES[1])))
    assert changed(MESSAGES[1], answers) == marked(MESSAGES[1])


def test_scores_from_which_on_messages_are_rejected_or_held(trained, tmp_path, marked):
    options = ["--milter-reject-from", 900, "--milter-quarantine-from", 5.0]
    with serving(trained, tmp_path / "s", "--milter", tmp_path / "m", "--workers", 1, *options) as process:
        sent = [TESTED, MESSAGES[0], MESSAGES[1]]
        answers = per_message(converse(tmp_path / "m", *map(message_packets, sent)))
    assert answers[0] == [(b"y", b"550 5.7.1 This message was rejected as spam.\0")]
    assert changed(MESSAGES[0], answers[1]) == marked(MESSAGES[0])
    assert [command for command, _ in answers[1]][-2:] == [b"q", b"c"]
    assert b"q" not in dict(answers[2])
    assert "milter: a message was rejected at 1000.0 points" in process.said
    assert "milter: a message was held in quarantine at " in process.said


def test_a_port_serves_and_answers_monitors(trained, tmp_path, marked):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with serving(trained, tmp_path / "s", "--milter", f"127.0.0.1:{port}", "--workers", 1) as process:
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /ping HTTP/1.0\r\n\r\n")
            assert read_all(client).endswith(b"\r\n\r\npong\r\n")
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(offer() + message_packets(MESSAGES[0]))
            client.shutdown(socket.SHUT_WR)
            [answers] = per_message(packets(read_all(client))[1:])
            assert changed(MESSAGES[0], answers) == marked(MESSAGES[0])
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(offer() + message_packets(LONG))
            client.shutdown(socket.SHUT_WR)
            [answers] = per_message(packets(read_all(client))[1:])
            assert changed(LONG, answers) == marked(LONG)
        assert len(workers_of(process)) == 1


def test_scores_are_finite_numbers(trained, tmp_path):
    done = run("serve", trained, "--milter", tmp_path / "m", "--milter-reject-from", "nan")
    assert done.returncode == 64
    assert b"expected a finite number" in done.stderr


LUA = """
local function need(is_so, what) if not is_so then error(what) end end
local function wait(failed) need(failed == nil, failed) need(mt.getreply(conn) == SMFIR_CONTINUE, "no continue") end
conn = mt.connect("unix:%(socket)s", 50, 0.1)
need(conn ~= nil, "no connection")
for turn = 1, 2 do
  wait(mt.mailfrom(conn, "a@example.net"))
  need(mt.test_action(conn, SMFIF_ADDHDRS) and mt.test_action(conn, SMFIF_CHGHDRS), "actions")
  need(mt.test_action(conn, SMFIF_QUARANTINE) and not mt.test_action(conn, SMFIF_CHGBODY), "actions")
  wait(mt.header(conn, "Subject", " test"))
  wait(mt.header(conn, "x-spam-flag", " NO"))
  wait(mt.eoh(conn))
  wait(mt.bodystring(conn, "%(body)s\\r\\n"))
  need(mt.eom(conn) == nil, "no end")
  if %(rejects)s then
    need(mt.getreply(conn) == SMFIR_REPLYCODE, "not rejected")
    need(mt.eom_check(conn, MT_SMTPREPLY, "550", "5.7.1", "This message was rejected as spam."), "not the text")
  else
    need(mt.getreply(conn) == SMFIR_CONTINUE, "not accepted")
    need(mt.eom_check(conn, MT_HDRDELETE, "x-spam-flag"), "the forged field stays")
    need(mt.eom_check(conn, MT_HDRINSERT, "X-Spam-Flag", " YES", 0), "not marked")
    need(mt.getheader(conn, "X-Spam-Score", 0) == " %(score)s", "another score")
    need(mt.eom_check(conn, MT_QUARANTINE) == %(holds)s, "quarantine")
  end
end
mt.disconnect(conn)
"""


@pytest.mark.programs
@pytest.mark.skipif(MILTERTEST is None, reason="miltertest is not installed")
@pytest.mark.parametrize("policy", ["reject", "quarantine", None])
def test_miltertest_understands_every_answer(trained, tmp_path, policy):
    options = [f"--milter-{policy}-from", 5] if policy else []
    values = {"socket": tmp_path / "m", "body": GTUBE.decode(), "score": "1000.0"}
    values |= {"rejects": str(policy == "reject").lower(), "holds": str(policy == "quarantine").lower()}
    (tmp_path / "t.lua").write_text(LUA % values)
    with serving(trained, tmp_path / "s", "--milter", tmp_path / "m", "--workers", 1, *options):
        done = subprocess.run([MILTERTEST, "-s", tmp_path / "t.lua"], capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done


@pytest.mark.deep
@pytest.mark.programs
@pytest.mark.skipif(bool(CANNOT), reason=CANNOT)
def test_postfix_delivers_marked_messages_and_holds_and_rejects_others(trained, tmp_path):
    known = LiveFilter(str(trained))
    policy = ["--milter-reject-from", 900, "--milter-quarantine-from", 5]
    plain = b"X-Spam-Flag: YES\nSubject:  lunch\n  at   noon\nx-spam-status: Yes\nTo: b@example.org\n"
    plain += b"Message-ID: <1@example.net>\nDate: Thu, 1 Oct 2026 10:00:00 +0000\nFrom: a@example.net\n\n.\nsee you\n"
    with running_postfix() as mail:
        with serving(trained, tmp_path / "s", "--milter", mail.milter, "--workers", 1, *policy):
            with pytest.raises(smtplib.SMTPDataError, match="This message was rejected as spam") as refused:
                mail.send(TESTED)
            assert refused.value.smtp_code == 550
            held = mail.send(SPAM.read_bytes())
            until(lambda: mail.held() == {held})
            mail.send(plain)
            until(mail.delivered)
        rating, why = known.explain(b"\r\n".join(plain.split(b"\n")))
        fields = [f"{name}: {value}" for name, value in list_fields(rating, summarise(why, "spam"))]
        [delivered] = mail.delivered()
        header = delivered.split(b"\nReceived: ")[0].decode()
        assert header.split("Delivered-To: b@example.org\n")[1] == "\n".join(fields)
        assert delivered.endswith(b"\n\n.\nsee you\n\n")
        assert b"\nSubject:  lunch\n  at   noon\nTo: b@example.org\n" in delivered
        mail.send(plain.replace(b"lunch", b"supper"))  # nobody listens at the milter's socket any more
        until(lambda: len(mail.delivered()) == 2)
        assert b"Subject:  supper" in mail.delivered()[1]
