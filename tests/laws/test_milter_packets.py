"""Packets of the milter protocol, byte by byte: messages in any pieces are marked as whole ones are."""

import asyncio
import logging
from threading import Event
from time import monotonic

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deciban.judging import verdict_of
from deciban.serve.markup import format_fields, mark_message, remove_marks, split_message
from deciban.serve.milter import MilterLimits
from deciban.serve.milter_answers import Policy, reject
from deciban.serve.milter_connection import MilterConnection, MilterServer
from deciban.serve.rating import rate_verdict
from deciban.serve.reasons import summarise
from deciban.serve.shared import ServerLimits, Shared
from deciban.verdict import Explanation, Term
from laws.mail_server import (
    ALL_ACTIONS,
    ALL_STEPS,
    LEADING_SPACE,
    NO_REPLIES,
    changed,
    message_packets,
    offer,
    packet,
    packets,
)
from tiers import examples

MESSAGE = b"Subject: pills\r\nX-Spam-Flag: NO\r\n\r\nnow\r\n"
LUNCH = b"Subject:lunch\r\n\r\nat 12\r\n"
MOST = 1 << 16
CONTINUE = (b"c", b"")


class Stub:
    """A filter to which messages with "pills" are spam."""

    spam = "spam"

    def __init__(self):
        self.asked, self.fails, self.may_go_on = [], False, Event()
        self.may_go_on.set()

    def explain(self, message):
        self.asked.append(message)
        assert len(message) < len(LARGE) or self.may_go_on.wait(20)
        if self.fails:
            raise OSError("the disk is gone")
        nats = 10.0 if b"pills" in message else -10.0
        verdict = verdict_of(["ham", "spam"], [0.0, nats], (int(nats > 0), int(nats <= 0)), None)
        term = Term("pills", abs(nats) * 4.0, 1.0)
        return rate_verdict(verdict, "spam"), Explanation.of_verdict(verdict, 0.5, [term], "")


class Wire:
    """What a connection writes to, and how it ends."""

    def __init__(self):
        self.written, self.closed, self.paused = b"", False, False

    def write(self, data):
        assert not self.closed
        self.written += data

    def close(self):
        self.closed = True

    abort = close

    def is_closing(self):
        return self.closed

    def get_write_buffer_size(self):
        return 0

    def pause_reading(self):
        self.paused = True

    def resume_reading(self):
        self.paused = False


def connect(policy=None, **limits):
    """A connection, and what it writes to."""
    shared = Shared(ServerLimits(**{"message_bytes": MOST, **limits}))
    connection = MilterConnection(MilterServer(Stub(), shared, policy or Policy()))
    connection.connection_made(wire := Wire())
    return connection, wire


def talk(data, cuts=(), policy=None, **limits):
    """What is answered to bytes that come in pieces, and whether the connection was closed then."""
    connection, wire = connect(policy, **limits)
    ends = sorted({min(cut, len(data)) for cut in cuts} | {len(data)})
    for start, end in zip([0, *ends], ends, strict=False):
        connection.data_received(data[start:end])
    return wire.written, wire.closed


def answers_of(written):
    """The packets that answer each message: up to a final reply."""
    found = [[]]
    for each in packets(written)[1:]:
        found[-1].append(each)
        if each[0] in b"cy":
            found.append([])
    assert not found.pop()
    return found


def marked(message):
    """The message as other protocols hand it back."""
    rating, why = Stub().explain(message)
    return mark_message(message, rating, summarise(why, "spam"))


NAMES = st.sampled_from(
    ["Subject", "To", "X-Spam-Flag", "x-spam-flag", "X-SPAM-Status", "X-Deciban-Reason", "X-Spammer"]
)
WORDS = st.text("ab :;é한\tX-", min_size=1, max_size=12).map(lambda text: text.replace("\t", "") + "x").map(str.encode)
FOLDS = st.lists(st.tuples(st.sampled_from([b"\r\n ", b"\r\n\t"]), WORDS), max_size=2)


@st.composite
def messages(draw, spaces=(b"", b" ", b"  ", b"\t", b" \t")):
    """A message as it crosses SMTP."""
    header = b""
    for name in draw(st.lists(NAMES, max_size=8)):
        folds = b"".join(a + b for a, b in draw(FOLDS))
        header += name.encode() + b":" + draw(st.sampled_from(spaces)) + draw(WORDS) + folds + b"\r\n"
    return header + b"\r\n" + draw(st.sampled_from([b"", b"pills\r\n"])) + draw(st.binary(max_size=60))


CUTS = st.lists(st.integers(0, 900), max_size=20)


@given(st.lists(messages(), min_size=1, max_size=3), CUTS, st.integers(1, 40))
@examples(60)
def test_a_message_in_packets_is_marked_as_a_whole_one(sent, cuts, chunk):
    data = offer() + b"".join(message_packets(each, chunk=chunk) for each in sent)
    connection, wire = connect()
    connection.data_received(data)
    assert connection.server.known.asked == sent
    for message, answers in zip(sent, answers_of(wire.written), strict=True):
        assert changed(message, answers) == marked(message)
        assert answers[-1] == CONTINUE
    assert talk(data, cuts) == (wire.written, False)
    assert talk(data, range(len(data))) == (wire.written, False)


@given(messages(spaces=[b" "]))
@examples(50)
def test_servers_that_keep_the_space_to_themselves_are_given_none(message):
    data = offer(steps=ALL_STEPS & ~LEADING_SPACE) + message_packets(message, leading=False)
    [answers] = answers_of(talk(data)[0])
    assert changed(message, answers, leading=False) == marked(message)


@given(messages(spaces=[b" "]))
@examples(50)
def test_old_servers_get_the_fields_below_the_others(message):
    data = offer(2, 0x3F, 0x7F) + message_packets(message, leading=False)
    written = packets(talk(data)[0])
    assert written[0] == (b"O", (2).to_bytes(4, "big") + (0x31).to_bytes(4, "big") + (0xB).to_bytes(4, "big"))
    waits = len(packets(data)) - 2  # each step but the offer and the end
    assert written[1 : 1 + waits] == [CONTINUE] * waits
    _, fields, body = split_message(message)
    rating, why = Stub().explain(message)
    own = format_fields(rating, summarise(why, "spam")).replace("\n", "\r\n").encode()
    assert changed(message, written[1 + waits :], leading=False) == remove_marks(fields) + own + body


@given(st.integers(2, 9), st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF))
@examples(100)
def test_what_is_agreed_on_is_a_part_of_what_is_offered(version, actions, steps):
    connection, wire = connect()
    connection.data_received(offer(version, actions, steps))
    [(command, data)] = packets(wire.written)
    agreed = [int.from_bytes(data[at : at + 4], "big") for at in (0, 4, 8)]
    assert (command, agreed[0], agreed[1] & ~actions, agreed[2] & ~steps) == (b"O", min(version, 6), 0, 0)
    assert agreed[1] == actions & 0x31
    assert not agreed[2] & (0x4 | 0x10 | 0x20 | 0x40)  # senders, headers and bodies are asked for
    wire.written = b""
    connection.data_received(message_packets(MESSAGE, leading=bool(agreed[2] & LEADING_SPACE)))
    kinds = {each for each, _ in packets(wire.written)}
    allowed = {b"c"} | ({b"m"} if actions & 0x10 else set())
    allowed |= ({b"i"} if version >= 6 else {b"h"}) if actions & 0x1 else set()
    assert kinds == allowed
    waits = sum(not agreed[2] & bit for bit in (0x4000, 0x80, 0x80, 0x40000, 0x80000))
    assert [each for each, _ in packets(wire.written)].count(b"c") == waits + 1


def test_nothing_is_asked_or_awaited_that_is_not_needed():
    data = packets(talk(offer())[0])[0][1]
    assert int.from_bytes(data[8:], "big") == 0x1 | 0x2 | 0x8 | 0x100 | 0x200 | 0x400 | NO_REPLIES | LEADING_SPACE


@given(st.binary(max_size=300), st.booleans(), CUTS)
@examples(100)
def test_any_bytes_come_to_an_end(data, begun, cuts):
    data = (offer() if begun else b"") + data
    whole = talk(data)
    assert talk(data, cuts) == whole
    packets(whole[0])


@given(
    st.lists(st.tuples(st.sampled_from(b"OCHMRTDLNBEAKUX"), st.sampled_from([b"", b"a\0b\0", bytes(11) + b"\6"]))), CUTS
)
@examples(100)
def test_packets_in_any_order_come_to_an_end(sent, cuts):
    data = offer() + b"".join(packet(bytes([command]), more) for command, more in sent)
    whole = talk(data)
    assert talk(data, cuts) == whole
    packets(whole[0])


BEGUN = offer() + packet(b"L", b"Subject\0 x\0")
MOST_PACKET = MilterLimits(MOST).packet_bytes


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (bytes(4), "expected a packet of 1 to 1,048,576 bytes; got 0"),
        (b"\xff\xff\xff\xff", "expected a packet of 1 to 1,048,576 bytes; got 4,294,967,295"),
        ((MOST_PACKET + 1).to_bytes(4, "big"), "expected a packet of 1 to 1,048,576 bytes; got 1,048,577"),
        (packet(b"E"), "expected options first; got the command b'E'"),
        (packet(b"O", bytes(11)), "expected 12 bytes of options; got 11"),
        (offer(1), "expected version 2 of the protocol or newer; got 1"),
        (offer() + packet(b"X"), "expected a command of the protocol; got b'X'"),
        (BEGUN + offer(), "expected no options within a message"),
        (offer() + packet(b"L", b"Subject"), "expected a header field, its name and value, before the body"),
        (offer() + packet(b"L", b"\0x\0"), "expected a header field, its name and value, before the body"),
        (
            BEGUN + packet(b"N") + packet(b"L", b"a\0b\0"),
            "expected a header field, its name and value, before the body",
        ),
        (b"GET " + b"x" * 9000, "expected an HTTP request of at most 8,192 bytes"),
    ],
)
def test_what_is_no_milter_protocol_ends_the_connection(data, error, caplog):
    written, closed = talk(data + message_packets(MESSAGE), range(len(data)))
    assert closed
    assert not [each for each, _ in packets(written) if each != b"O"]
    assert [each.getMessage() for each in caplog.records] == [f"milter: the connection was closed: {error}"]


FIELD = packet(b"L", b"X\0" + b"y" * 1000 + b"\0")


@pytest.mark.parametrize(
    ("sent", "limits", "why"),
    [
        (packet(b"B", bytes(60_000)) * 2, {}, "it has more than 65,536 bytes"),
        (FIELD * 66, {}, "it has more than 65,536 bytes"),
        (packet(b"L", b"X\0y\0") * 10_001, {"message_bytes": 1 << 20}, "its header has more than 10,000 fields"),
        (FIELD * 4200, {"message_bytes": 1 << 23}, "its header has more than 4,194,304 bytes"),
        (packet(b"B", bytes(9000)), {"held_bytes": 8000}, "the server holds too many messages"),
    ],
)
def test_what_is_too_large_is_accepted_as_it_came_and_the_next_is_marked(sent, limits, why, caplog):
    connection, wire = connect(**limits)
    connection.data_received(offer())
    wire.written = b""
    for at in range(0, len(sent), 5000):
        connection.data_received(sent[at : at + 5000])
        assert connection.shared.held <= limits.get("message_bytes", MOST) + 65_000  # and a packet that is not whole
    connection.data_received(packet(b"B", bytes(100)) + packet(b"D", b"Ei\0\0334F\0"))
    assert connection.shared.held == 0
    connection.data_received(packet(b"E"))
    assert packets(wire.written) == [CONTINUE]
    assert [each.getMessage() for each in caplog.records] == [f"milter: message \\x1b4F was accepted as it came: {why}"]
    wire.written = talk(offer())[0]
    connection.data_received(message_packets(MESSAGE))
    [answers] = answers_of(wire.written)
    assert changed(MESSAGE, answers) == marked(MESSAGE)
    assert connection.server.known.asked == [MESSAGE]
    assert connection.shared.held == 0


def test_a_packet_that_there_is_no_room_for_ends_the_connection(caplog):
    part = packet(b"B", bytes(200_000))[:-1]
    assert talk(offer() + part) == talk(offer())
    assert talk(offer() + part, held_bytes=100_000)[1]
    assert [each.getMessage() for each in caplog.records] == [
        "milter: the connection was closed: the server holds too many messages"
    ]


def test_servers_that_wait_are_asked_to_skip_the_rest_of_what_is_too_large():
    chunk = packet(b"B", bytes(60_000))
    data = offer(steps=ALL_STEPS & ~NO_REPLIES) + packet(b"L", b"X\0 y\0") + packet(b"N") + chunk * 3 + packet(b"E")
    assert packets(talk(data)[0])[1:] == [CONTINUE] * 3 + [(b"s", b"")] * 2 + [CONTINUE]


@pytest.mark.parametrize("ends", [packet(b"A"), packet(b"K"), packet(b"K") + offer()])
@pytest.mark.parametrize("cut", [1, 2, 3, 4, 5])
def test_a_message_that_is_given_up_leaves_nothing_behind(ends, cut):
    begun = b"".join(packet(*each) for each in packets(message_packets(LUNCH))[:cut])
    connection, wire = connect()
    connection.data_received(offer() + begun + ends)
    assert connection.is_idle
    wire.written = talk(offer())[0]
    connection.data_received(message_packets(MESSAGE))
    [answers] = answers_of(wire.written)
    assert changed(MESSAGE, answers) == marked(MESSAGE)
    connection.data_received(packet(b"Q"))
    assert wire.closed


def test_the_last_packet_may_bring_the_end_of_the_body():
    connection, _ = connect()
    connection.data_received(offer() + packet(b"L", b"Subject\0 x\0") + packet(b"E", b"end\r\n"))
    assert connection.server.known.asked == [b"Subject: x\r\n\r\nend\r\n"]


def test_an_error_of_the_filter_loses_no_mail(caplog):
    connection, wire = connect(Policy(5.0, 5.0))
    connection.server.known.fails = True
    connection.data_received(offer() + message_packets(MESSAGE, queue_id=b"4F2"))
    assert packets(wire.written)[1:] == [CONTINUE]
    [line] = caplog.records
    assert line.getMessage() == "milter: message 4F2 was accepted as it came, as it could not be classified"
    assert line.exc_info


@pytest.mark.parametrize(("score", "happens"), [(5.0, True), (12.7, True), (12.8, False), (None, False)])
def test_a_message_is_rejected_or_held_from_its_score_on(score, happens, caplog):
    caplog.set_level(logging.INFO)
    data = offer() + message_packets(MESSAGE, queue_id=b"4F2") + message_packets(LUNCH)
    rejected, others = answers_of(talk(data, policy=Policy(reject_from=score))[0])
    assert (rejected == [(b"y", b"550 5.7.1 This message was rejected as spam.\0")]) == happens
    assert changed(LUNCH, others) == marked(LUNCH)
    held, _ = answers_of(talk(data, policy=Policy(quarantine_from=score))[0])
    assert changed(MESSAGE, held) == marked(MESSAGE)
    assert (held[-2:] == [(b"q", b"deciban: spam of 12.7 points\0"), CONTINUE]) == happens
    said = [each.getMessage() for each in caplog.records]
    wanted = ["rejected at 12.7 points", "held in quarantine at 12.7 points"] if happens else []
    assert said == [f"milter: message 4F2 was {each}" for each in wanted]
    cannot = offer(actions=ALL_ACTIONS & ~0x20) + message_packets(MESSAGE)
    caplog.clear()
    assert b"q" not in dict(packets(talk(cannot, policy=Policy(quarantine_from=score))[0]))
    said = [each.getMessage() for each in caplog.records]
    assert said == ["milter: a message was not put into quarantine, as the mail server has none"] * happens


@example("100 % off,\r\nand 5 %% more\0")
@given(st.text(st.one_of(st.sampled_from("%\r\n\0a"), st.characters())))
@examples(100)
def test_texts_of_rejections_are_one_line_of_ascii(text):
    [(command, data)] = packets(reject(text))
    shown = data.removeprefix(b"550 5.7.1 ").removesuffix(b"\0").decode("ascii")
    assert command == b"y"
    assert shown.isprintable()
    assert "%" not in shown.replace("%%", "")
    assert shown.count("%") == 2 * text[:400].count("%") or len(text) > 400
    assert len(shown) <= 800


def test_time_that_is_over_ends_a_connection(caplog):
    connection, wire = connect(header_seconds=5.0, request_seconds=50.0)
    first = connection.deadline
    connection.data_received(offer())
    idle = connection.deadline
    connection.data_received(packet(b"L", b"Subject\0 x\0"))
    within = connection.deadline
    connection.data_received(packet(b"B", b"x"))
    assert connection.deadline == within
    assert 40 < within - first < 50
    assert 7000 < idle - first < 7300
    connection.expire()
    assert wire.closed
    [line] = caplog.records
    assert line.getMessage() == "milter: the connection was closed: waited too long for the mail server"


LARGE = b"Subject: pills\r\n\r\n" + bytes(1 << 19)


@pytest.mark.parametrize("happens", ["done", "late", "closed", "cancelled"])
def test_what_comes_while_a_thread_classifies_waits(happens):
    async def converse():
        connection, wire = connect(message_bytes=1 << 20)
        known, shared = connection.server.known, connection.shared
        known.may_go_on.clear()
        connection.data_received(offer() + message_packets(LARGE) + message_packets(MESSAGE))
        assert (len(packets(wire.written)), wire.paused, connection.is_idle) == (1, True, False)
        assert shared.held == len(LARGE) + len(message_packets(MESSAGE))
        assert connection.deadline < monotonic() + 301
        if happens == "late":
            connection.expire()
        elif happens == "closed":
            connection.abort()
            connection.connection_lost(None)
            assert not shared.connections
        elif happens == "cancelled":
            connection._asked.cancel()
        known.may_go_on.set()
        for _ in range(1000):
            await asyncio.sleep(0.001)
            if shared.held == 0 and len(known.asked) == 2 - (happens == "closed"):
                break
        shared.slow.shutdown()
        await asyncio.sleep(0.01)
        assert shared.held == 0
        return known.asked, wire

    asked, wire = asyncio.run(converse())
    if happens == "closed":
        assert packets(wire.written)[1:] == []
        return
    large, small = answers_of(wire.written)
    assert changed(LARGE, large) == (marked(LARGE) if happens == "done" else LARGE)
    assert changed(MESSAGE, small) == marked(MESSAGE)
    assert asked == [LARGE, MESSAGE]
    assert not wire.paused


def test_a_server_that_reads_no_replies_is_not_read():
    connection, wire = connect()
    connection.data_received(offer() + message_packets(MESSAGE))
    assert not wire.paused
    connection.pause_writing()
    assert wire.paused
    connection.resume_writing()
    assert not wire.paused


@pytest.mark.parametrize("cuts", [[], range(100)])
def test_monitors_are_answered(cuts):
    def ask(path):
        return talk(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path, cuts)

    head, closed = ask(b"/ping")
    assert closed
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert head.endswith(b"\r\nContent-Length: 6\r\nConnection: close\r\n\r\npong\r\n")
    assert ask(b"/stat")[0].startswith(b"HTTP/1.1 404 Not Found\r\n")
    assert talk(b"GET /ping HTTP/1.1\r\nHost", cuts) == (b"", False)
