"""The spamd protocol, versions 1.0 to 1.5: bytes of a request in, bytes of a reply out, without sockets.

Replies are those of spamd 4.0, but that `Spam:` is always True or False, which is what spamc knows, and that an error
is one line and no empty line after it, by which spamc sees that nothing was learnt.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

from ..errors import DecibanError
from .live import Filter
from .markup import mark_message, marked_header
from .rating import REQUIRED, Rating
from .reasons import report, summarise

_HEADER_LINES = 256
_LINE_BYTES = 8192
_CHECKS = ("CHECK", "SYMBOLS", "REPORT", "REPORT_IFSPAM", "PROCESS", "HEADERS")
COMMANDS = (*_CHECKS, "PING", "SKIP", "TELL")
_REQUEST = re.compile(rb"([A-Z_]+)(?: SPAMC/([0-9]{1,3})\.([0-9]{1,3}))?[ \t]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class SpamdError(Exception):
    """What a client is answered: a code as in sysexits, its name, and why."""

    def __init__(self, code: int, name: str, why: str) -> None:
        super().__init__(f"{code} {name}: {why}")

    def to_bytes(self) -> bytes:
        """Return the one line of the answer."""
        text = " ".join(str(self).split())
        return f"SPAMD/1.0 {text}\r\n".encode("utf-8", "backslashreplace")


def malformed(why: str) -> SpamdError:
    """Return the answer to a request that cannot be read."""
    return SpamdError(76, "Bad header line", why)


def unavailable(why: str) -> SpamdError:
    """Return the answer to a request that is not served."""
    return SpamdError(69, "Service Unavailable", why)


@dataclass(frozen=True)
class Request:
    """A request whose message is whole."""

    command: str
    version: tuple[int, int]
    headers: dict[str, str]
    message: bytes


@dataclass
class RequestReader:
    """Reads one request from pieces of bytes, of which the message has `most_bytes` at most.

    `feed` returns the request when it is whole, or None; `finish` what it is where the client has closed its half.
    """

    most_bytes: int
    _head: bytes = b""
    _begun: bool = False
    _command: str = ""
    _version: tuple[int, int] = (1, 0)
    _headers: dict[str, str] = field(default_factory=dict)
    _length: int | None = None
    _pieces: list[bytes] = field(default_factory=list)
    _size: int = 0

    @property
    def size(self) -> int:
        """Bytes that are held."""
        return len(self._head) + self._size

    @property
    def has_come(self) -> bool:
        """Whether anything has come."""
        return self._begun or bool(self._head)

    @property
    def has_begun(self) -> bool:
        """Whether the head is whole."""
        return self._begun

    @property
    def is_certain(self) -> bool:
        """Whether a request that is whole needs no half-close to say that nothing follows."""
        return self._command in ("PING", "SKIP") or self._length is None

    def feed(self, piece: bytes) -> Request | None:
        """Take more bytes; SpamdError for what is no request."""
        if not self._begun:
            self._head += piece
            piece = self._begin()
            if not self._begun:
                return None
        self._size += len(piece)
        if self._size > self.most_bytes:
            raise SpamdError(65, "Message too large", f"expected at most {self.most_bytes:,} bytes")
        self._pieces.append(piece)
        if self._command in ("PING", "SKIP"):
            return self._request()
        if self._length is None or self._size < self._length:
            return None
        self._require_length()
        return self._request()

    def finish(self) -> Request:
        """Return the request of a client that has closed its half."""
        if not self._begun:
            raise malformed("the request ends before its header does" if self._head else "the request is empty")
        self._require_length()
        return self._request()

    def _require_length(self) -> None:
        if self._length is not None and self._size != self._length:
            raise malformed(f"(Content-Length mismatch: Expected {self._length} bytes, got {self._size} bytes)")

    def _begin(self) -> bytes:
        """Read the head as far as it is there, and return what follows it when it is whole."""
        line, found, rest = self._head.partition(b"\n")
        if not found:
            if len(self._head) > _LINE_BYTES:
                raise malformed("expected a command; the line is too long")
            return b""
        match = _REQUEST.fullmatch(line.rstrip(b"\r"))
        if match is None or match[1].decode() not in COMMANDS:
            raise malformed(f"expected a command of {', '.join(COMMANDS)}; got {line[:80].decode('latin-1')!r}")
        self._command, self._version = match[1].decode(), (int(match[2] or 1), int(match[3] or 0))
        if self._version < (1, 2) or (self._command in ("PING", "SKIP") and self._version < (1, 5)):
            self._begun, self._head = True, b""
            return rest
        end = _blank_line(rest)
        if self._command in ("PING", "SKIP") and end is None and not rest:
            end = (0, 0)  # nothing need follow these
        if end is None:
            if rest.count(b"\n") > _HEADER_LINES or len(rest) > _HEADER_LINES * _LINE_BYTES:
                raise malformed(f"expected at most {_HEADER_LINES} header lines")
            return b""
        self._read_headers(rest[: end[0]])
        self._begun, self._head = True, b""
        return rest[end[1] :]

    def _read_headers(self, lines: bytes) -> None:
        known = lines.decode("utf-8", "surrogateescape").splitlines()
        if len(known) > _HEADER_LINES:
            raise malformed(f"expected at most {_HEADER_LINES} header lines")
        for line in known:
            name, colon, value = line.partition(":")
            if not colon:
                raise malformed(f"(header not in 'Name: value' format: {line[:80]!r})")
            self._headers[name.strip().lower()] = value.strip()
        length = self._headers.get("content-length")
        if length is not None:
            if not length.isascii() or not length.isdigit() or len(length) > 18:
                raise malformed(f"(Content-Length contains non-numeric bytes: {length[:80]!r})")
            self._length = int(length)
            if self._length > self.most_bytes:
                raise SpamdError(65, "Message too large", f"expected at most {self.most_bytes:,} bytes")
        if _CONTROL.search(self._headers.get("user", "")):
            raise malformed("(User contains control chars)")

    def _request(self) -> Request:
        message = b"".join(self._pieces)
        if "compress" in self._headers:
            message = self._decompress(message)
        return Request(self._command, self._version, self._headers, message)

    def _decompress(self, message: bytes) -> bytes:
        if self._headers["compress"].lower() != "zlib":
            raise unavailable(f"expected Compress: zlib; got {self._headers['compress'][:80]!r}")
        if self._length is None:
            raise unavailable("Compress requires Content-length header")
        unpacked = zlib.decompressobj()
        try:
            found = unpacked.decompress(message, self.most_bytes + 1)
        except zlib.error as error:
            raise unavailable(f"the compressed message is damaged: {error}") from error
        if len(found) > self.most_bytes:
            raise SpamdError(65, "Message too large", f"expected at most {self.most_bytes:,} bytes, decompressed")
        if not unpacked.eof:
            raise unavailable("the compressed message ends too early")
        return found


def _blank_line(head: bytes) -> tuple[int, int] | None:
    """Return where the header lines end and where what follows their empty line begins; None where there is none."""
    if head.startswith((b"\n", b"\r\n")):
        return 0, head.index(b"\n") + 1
    ends = [(head.find(mark), len(mark)) for mark in (b"\n\n", b"\n\r\n")]
    found = [(at + 1, at + size) for at, size in ends if at >= 0]
    return min(found, default=None)


def answer(request: Request, known: Filter, *, allow_tell: bool) -> bytes:
    """Return the reply to a request; SpamdError where there is none, and nothing was learnt then."""
    if request.command == "PING":
        return b"SPAMD/1.5 0 PONG\r\n"
    if request.command == "SKIP":
        return b""
    if request.command == "TELL":
        if not allow_tell:
            raise unavailable("TELL commands are not enabled, set the --allow-tell switch.")
        return _tell(request, known)
    return _ANSWERS[request.command](request, known)


def _check(request: Request, known: Filter) -> bytes:
    return b"SPAMD/1.1 0 EX_OK\r\n" + _spam(known.rate(request.message)) + b"\r\n"


def _symbols(request: Request, known: Filter) -> bytes:
    rating = known.rate(request.message)
    return _with_body(request, rating, ",".join(sorted(rating.tests)).encode(), last=b"\r\n")


def _report(request: Request, known: Filter) -> bytes:
    rating, why = known.explain(request.message)
    wanted = request.command == "REPORT" or rating.is_spam
    return _with_body(request, rating, report(why, rating, known.spam).encode() if wanted else b"")


def _process(request: Request, known: Filter) -> bytes:
    rating, why = known.explain(request.message)
    changed = marked_header if request.command == "HEADERS" else mark_message
    marked = changed(request.message, rating, summarise(why, known.spam))
    if request.version < (1, 2):
        return b"SPAMD/1.0 0 EX_OK\r\n" + marked
    spam = _spam(rating) if request.version >= (1, 3) else b""
    return b"SPAMD/1.1 0 EX_OK\r\nContent-length: %d\r\n%s\r\n%s" % (len(marked), spam, marked)


_ANSWERS: dict[str, Callable[[Request, Filter], bytes]] = {
    "CHECK": _check,
    "SYMBOLS": _symbols,
    "REPORT": _report,
    "REPORT_IFSPAM": _report,
    "PROCESS": _process,
    "HEADERS": _process,
}


def _spam(rating: Rating) -> bytes:
    return b"Spam: %s ; %.1f / %.1f\r\n" % (b"True" if rating.is_spam else b"False", rating.score, REQUIRED)


def _with_body(request: Request, rating: Rating, body: bytes, last: bytes = b"") -> bytes:
    """Return a reply with a body: before version 1.3 without its length, as Exim expects it."""
    if request.version >= (1, 3):
        return b"SPAMD/1.1 0 EX_OK\r\nContent-length: %d\r\n%s\r\n%s" % (len(body), _spam(rating), body)
    return b"SPAMD/1.1 0 EX_OK\r\n%s\r\n%s%s" % (_spam(rating), body, last)


def _tell(request: Request, known: Filter) -> bytes:
    """Learn or forget the message; the reply says what was changed, if anything was."""
    placed, removed = (_stores(request.headers.get(name, "")) for name in ("set", "remove"))
    if placed & removed:
        raise malformed("Unable to set local and remove local in the same operation.")
    label = request.headers.get("message-class", "").lower()
    source = f"spamd TELL of {request.headers.get('user', 'nobody')}"
    try:
        if "local" in placed:
            if label not in ("spam", "ham"):
                raise malformed(f"expected Message-class: spam or ham; got {label[:80]!r}")
            outcome = known.learn(request.message, known.spam if label == "spam" else known.ham, source)
        elif "local" in removed:
            outcome = known.forget(request.message, source)
        else:
            raise malformed("expected Set: local or Remove: local")
    except (DecibanError, OSError) as error:
        raise unavailable(str(error)) from error
    did = {"learnt": b"DidSet", "relabelled": b"DidSet", "forgotten": b"DidRemove"}.get(outcome)
    return b"SPAMD/1.1 0 EX_OK\r\n" + (b"%s: local\r\n" % did if did else b"") + b"\r\n"


def _stores(value: str) -> set[str]:
    """Return the stores that a header names."""
    return {name.strip().lower() for name in value.split(",")} - {""}
