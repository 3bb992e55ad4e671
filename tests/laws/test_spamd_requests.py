"""Requests of the spamd protocol, byte by byte: whole or in pieces, right or wrong."""

import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import DataError
from deciban.judging import verdict_of
from deciban.serve.markup import mark_message
from deciban.serve.rating import rate_verdict
from deciban.serve.spamd import COMMANDS, RequestReader, SpamdError, answer
from deciban.verdict import Explanation, Term
from tiers import examples

MOST = 1 << 16
MESSAGE = b"Subject: pills\r\n\r\nnow\r\n"
PACKED = zlib.compress(MESSAGE)
BAD, NOT = "76 Bad header line: ", "69 Service Unavailable: "
LARGE = "65 Message too large: expected at most 65,536 bytes"
BOTH = "Unable to set local and remove local in the same operation."
VERSIONS = ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"]


class Stub:
    """A filter to which messages with "pills" are spam."""

    spam, ham = "spam", "ham"

    def __init__(self):
        self.labels, self.fails = {}, False

    def explain(self, message):
        nats = 10.0 if b"pills" in message else -10.0
        verdict = verdict_of(["ham", "spam"], [0.0, nats], (int(nats > 0), int(nats <= 0)), None)
        term = Term("pills", abs(nats) * 4.0, 1.0)
        return rate_verdict(verdict, "spam"), Explanation.of_verdict(verdict, 0.5, [term], "")

    def rate(self, message):
        return self.explain(message)[0]

    def learn(self, message, label, source):
        if self.fails:
            raise DataError("the disk is full.")
        if self.labels.get(message) == label:
            return "already known"
        became = "relabelled" if message in self.labels else "learnt"
        self.labels[message] = label
        return became

    def forget(self, message, source):
        return "forgotten" if self.labels.pop(message, None) else "not known"


def ask(data, known=None, *, tell=True, closes=True, pieces=None):
    """What a server answers to bytes, given whole or in pieces; None while it waits for more."""
    reader = RequestReader(MOST)
    try:
        request = None
        for piece in pieces or [data]:
            request = reader.feed(piece)
        if request is None:
            if not closes:
                return None
            request = reader.finish()
        return answer(request, known or Stub(), allow_tell=tell)
    except SpamdError as error:
        return error.to_bytes()


def request(command, version="1.5", message=MESSAGE, length=0, **headers):
    """The bytes of a request as spamc sends it; `length` is what its length is wrong by, None to leave it out."""
    start = f"{command} SPAMC/{version}\r\n".encode()
    if version < "1.2":
        return start + message
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if length is not None:
        given["Content-length"] = str(len(message) + length)
    return start + b"".join(f"{name}: {value}\r\n".encode() for name, value in given.items()) + b"\r\n" + message


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("command", ["CHECK", "SYMBOLS", "REPORT", "REPORT_IFSPAM", "PROCESS", "HEADERS"])
def test_replies_are_those_of_the_version(command, version):
    reply = ask(request(command, version))
    head, body = reply.split(b"\r\n\r\n", 1) if version >= "1.2" or command == "CHECK" else (reply, b"")
    assert head.startswith(
        b"SPAMD/1.1 0 EX_OK\r\n"
        if version >= "1.2" or command not in ("PROCESS", "HEADERS")
        else b"SPAMD/1.0 0 EX_OK\r\n"
    )
    spam = b"Spam: True ; 12.7 / 5.0" in reply
    assert spam == (command not in ("PROCESS", "HEADERS") or version >= "1.3")
    length = re.search(rb"Content-length: (\d+)\r\n", head + b"\r\n")
    with_length = command != "CHECK" and version >= ("1.2" if command in ("PROCESS", "HEADERS") else "1.3")
    assert bool(length) == with_length
    if length:
        assert int(length[1]) == len(body)
    if command == "PROCESS":
        rating = Stub().rate(MESSAGE)
        got = body if version >= "1.2" else reply.split(b"\r\n", 1)[1]
        assert got == mark_message(MESSAGE, rating, "spam 43.4 dB against ham; pills +40.0")
    if command == "HEADERS" and version >= "1.2":
        assert body.endswith(b"Subject: pills\r\n\r\n")


def test_a_message_that_is_no_spam_has_an_empty_report_if_spam():
    reply = ask(request("REPORT_IFSPAM", message=b"Subject: lunch\n\nhi\n"))
    assert reply == b"SPAMD/1.1 0 EX_OK\r\nContent-length: 0\r\nSpam: False ; -7.3 / 5.0\r\n\r\n"


@pytest.mark.parametrize(
    "data", [b"PING SPAMC/1.2\r\n", b"PING SPAMC/1.5\r\n\r\n", b"PING SPAMC/1.5\r\nX: y\r\n\r\n", b"PING\n"]
)
def test_pings_are_answered_before_the_client_closes(data):
    assert ask(data, closes=False) == b"SPAMD/1.5 0 PONG\r\n"


@given(
    st.sampled_from(COMMANDS),
    st.sampled_from(VERSIONS),
    st.binary(max_size=200),
    st.lists(st.integers(0, 400)),
    st.sampled_from([0, None]),
)
@examples(200)
def test_pieces_are_as_good_as_the_whole(command, version, message, cuts, length):
    more = {"Set": "local", "Message-class": "spam"} if command == "TELL" else {}
    data = request(command, version, b"Subject: x\n" + message, length, **more)
    ends = sorted({min(cut, len(data)) for cut in cuts})
    pieces = [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]
    if command in ("PING", "SKIP"):
        pieces = [data]  # what follows these is not read
    whole = ask(data, tell=True)
    assert ask(data, pieces=pieces, tell=True) == whole
    assert command == "SKIP" or whole.startswith(b"SPAMD/1.")


@given(st.binary(max_size=300))
@examples(300)
def test_any_bytes_get_an_answer_of_the_protocol(data):
    reply = ask(data)
    assert reply == b"" or re.match(rb"SPAMD/1\.\d \d+ [^\r\n]*\r\n", reply)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (request("CHECK", length=1), BAD + "(Content-Length mismatch: Expected 24 bytes, got 23 bytes)"),
        (request("PROCESS", length=-1), BAD + "(Content-Length mismatch: Expected 22 bytes, got 23 bytes)"),
        (b"", BAD + "the request is empty"),
        (b"CHECK SPAMC/1.2\r\nUser", BAD + "the request ends before its header does"),
        (b"CHECK SPAMC/1.2\r\nno colon\r\n\r\n", BAD + "(header not in 'Name: value' format: 'no colon')"),
        (b"CHECK SPAMC/1.2\r\nContent-length: 1e3\r\n\r\n", BAD + "(Content-Length contains non-numeric bytes: '1e3')"),
        (request("CHECK", User="a\x07"), BAD + "(User contains control chars)"),
        (b"CHECK SPAMC/1.2\r\n" + b"X: y\r\n" * 300 + b"\r\n", BAD + "expected at most 256 header lines"),
        (b"CHECK SPAMC/1.2\r\n" + b"X: y\r\n" * 300, BAD + "expected at most 256 header lines"),
        (b"A" * 10_000, BAD + "expected a command; the line is too long"),
        (request("CHECK", message=b"x" * (MOST + 1)), LARGE),
        (request("CHECK", message=b"x" * (MOST + 1), length=None), LARGE),
        (b"CHECK SPAMC/1.5\r\nContent-length: 99999999999\r\n\r\n", LARGE),
        (request("CHECK", message=zlib.compress(b"x" * (MOST + 1)), Compress="zlib"), LARGE + ", decompressed"),
        (
            request("CHECK", message=zlib.compress(b"x"), length=None, Compress="zlib"),
            NOT + "Compress requires Content-length header",
        ),
        (
            request("CHECK", message=zlib.compress(b"xyz")[:-5], Compress="zlib"),
            NOT + "the compressed message ends too early",
        ),
        (
            request("TELL", Set="local", Remove="local"),
            BAD + "Unable to set local and remove local in the same operation.",
        ),
        (request("TELL", Set="local"), BAD + "expected Message-class: spam or ham; got ''"),
        (request("TELL"), BAD + "expected Set: local or Remove: local"),
    ],
)
def test_errors_are_one_line(data, error):
    error = f"SPAMD/1.0 {error}\r\n".encode()
    assert ask(data) == error
    assert ask(data, pieces=[data[i : i + 1] for i in range(len(data))] if len(data) < 4000 else [data]) == error


def test_capital_letters_of_names_are_all_the_same():
    assert ask(request("CHECK", length=None, CONTENT_LENGTH="23")) == ask(request("CHECK"))
    assert ask(request("CHECK", length=None, content_length="22")).startswith(b"SPAMD/1.0 76 ")
    assert ask(request("CHECK").replace(b"\r\n", b"\n", 3)) == ask(request("CHECK"))


def test_compressed_messages_are_read():
    assert ask(request("CHECK", message=PACKED, Compress="zlib")) == ask(request("CHECK"))


def test_telling_learns_forgets_and_says_what_changed():
    known = Stub()
    learn = request("TELL", Message_class="spam", Set="local")
    did, nothing = b"SPAMD/1.1 0 EX_OK\r\nDidSet: local\r\n\r\n", b"SPAMD/1.1 0 EX_OK\r\n\r\n"
    assert ask(learn, known, tell=False).startswith(b"SPAMD/1.0 69 Service Unavailable: TELL commands are not enabled")
    assert not known.labels
    assert (ask(learn, known), ask(learn, known)) == (did, nothing)
    revoke = request("TELL", Message_class="ham", Set="local", Remove="remote")
    assert (ask(revoke, known), known.labels) == (did, {MESSAGE: "ham"})
    forget = request("TELL", Remove="local")
    assert ask(forget, known) == b"SPAMD/1.1 0 EX_OK\r\nDidRemove: local\r\n\r\n"
    assert ask(forget, known) == nothing
    known.fails = True
    assert ask(learn, known) == b"SPAMD/1.0 69 Service Unavailable: the disk is full.\r\n"
