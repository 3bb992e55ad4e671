"""The milter protocol, versions 2 to 6: packets in, packets out, without sockets.

A mail server sends a message in packets, `length, command, data`: its header field by field, its body in chunks. When
the message ends, the filter answers with changes of the header and a last packet by which the server accepts, rejects
or goes on. Commands that need no answer of ours are left out, and most of the others agreed to have none, so that a
message costs one wait.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import escape

_NEWEST = 6
_ADD_HEADERS, _CHANGE_HEADERS, _QUARANTINE = 0x01, 0x10, 0x20
_ACTIONS = _ADD_HEADERS | _CHANGE_HEADERS | _QUARANTINE
# Not asked for: connections, greetings, unknown commands, the start of the data; and recipients, where nobody asks.
_LEFT_OUT, _RECIPIENTS = 0x1 | 0x2 | 0x8 | 0x100 | 0x200, 0x8
_SKIP, _LEADING_SPACE = 0x400, 0x100000
_NO_REPLY = {
    b"C": 0x1000,
    b"H": 0x2000,
    b"M": 0x4000,
    b"R": 0x8000,
    b"T": 0x10000,
    b"U": 0x20000,
    b"L": 0x80,
    b"N": 0x40000,
    b"B": 0x80000,
}
_STEPS = _LEFT_OUT | _SKIP | _LEADING_SPACE | sum(_NO_REPLY.values())

_LONGEST_ADDRESS = 1024  # bytes

CONTINUE = b"\0\0\0\1c"
"""The packet by which the mail server goes on, with what was changed before it."""


class MilterError(Exception):
    """Why a connection cannot go on: what came is no packet of the protocol."""


@dataclass(frozen=True)
class MilterLimits:
    """What is read at most: bytes of a packet and of a message, and fields and bytes of a header."""

    message_bytes: int
    packet_bytes: int = 1 << 20
    header_fields: int = 10_000
    header_bytes: int = 4 << 20


@dataclass(frozen=True)
class Options:
    """What both sides have agreed on: the version, changes of a message, and steps of the protocol."""

    version: int
    actions: int
    steps: int

    @property
    def can_insert(self) -> bool:
        """Whether fields have places: version 2 began without them."""
        return self.version == _NEWEST

    @property
    def can_add(self) -> bool:
        """Whether header fields may be added."""
        return bool(self.actions & _ADD_HEADERS)

    @property
    def can_remove(self) -> bool:
        """Whether header fields may be removed."""
        return bool(self.actions & _CHANGE_HEADERS)

    @property
    def can_hold(self) -> bool:
        """Whether messages may be put into quarantine."""
        return bool(self.actions & _QUARANTINE)

    @property
    def has_leading_space(self) -> bool:
        """Whether the value of a field begins right after the colon."""
        return bool(self.steps & _LEADING_SPACE)

    @classmethod
    def negotiate(cls, data: bytes, *, recipients: bool = False) -> Options:
        """Return the part of what the mail server offers that is of use, with `recipients` or without."""
        if len(data) < 12:
            raise MilterError(f"expected 12 bytes of options; got {len(data)}")
        version, actions, steps = (int.from_bytes(data[at : at + 4], "big") for at in (0, 4, 8))
        if version < 2:
            raise MilterError(f"expected version 2 of the protocol or newer; got {version}")
        return cls(min(version, _NEWEST), actions & _ACTIONS, steps & (_STEPS & ~_RECIPIENTS if recipients else _STEPS))

    def to_packet(self) -> bytes:
        """Return the answer to the offer."""
        return packet(b"O", b"".join(each.to_bytes(4, "big") for each in (self.version, self.actions, self.steps)))

    def reply_to(self, command: bytes) -> bytes:
        """Return the packet that a step waits for, nothing where none was agreed."""
        return b"" if self.steps & _NO_REPLY[command] else CONTINUE


@dataclass
class PacketReader:
    """Reads packets of so many bytes at most from pieces of bytes."""

    most_bytes: int
    buffer: bytearray = field(default_factory=bytearray)

    def feed(self, piece: bytes) -> None:
        """Take more bytes."""
        self.buffer += piece

    def read(self) -> tuple[bytes, bytes] | None:
        """Return the command and the data of the next packet; None while it is not whole."""
        if len(self.buffer) < 4:
            return None
        size = int.from_bytes(self.buffer[:4], "big")
        if not 0 < size <= self.most_bytes:
            raise MilterError(f"expected a packet of 1 to {self.most_bytes:,} bytes; got {size:,}")
        if len(self.buffer) < 4 + size:
            return None
        command, data = bytes(self.buffer[4:5]), bytes(self.buffer[5 : 4 + size])
        del self.buffer[: 4 + size]
        return command, data


@dataclass(frozen=True)
class Mail:
    """A message that has ended; where `excess` says why, it is accepted without being read."""

    message: bytes
    names: tuple[bytes, ...]
    options: Options
    queue_id: str = ""
    excess: str = ""
    recipients: tuple[str, ...] = ()


@dataclass
class Session:
    """What the mail server has said on one connection: messages, one after the other."""

    limits: MilterLimits
    wants_recipients: bool = False
    options: Options | None = None
    in_transaction: bool = False
    has_quit: bool = False
    excess: str = ""
    _names: list[bytes] = field(default_factory=list)
    _message: bytearray = field(default_factory=bytearray)
    _body_begun: bool = False
    _queue_id: str = ""
    _recipients: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes that are held."""
        return len(self._message)

    @property
    def has_begun(self) -> bool:
        """Whether something of a message has come."""
        return self._body_begun or bool(self._names) or bool(self.excess)

    def take(self, command: bytes, data: bytes) -> bytes | Mail:
        """Return the reply to a packet, or the message that ends with it; MilterError where it cannot be one."""
        if command == b"O":
            if self.has_begun:
                raise MilterError("expected no options within a message")
            self.options = Options.negotiate(data, recipients=self.wants_recipients)
            return self.options.to_packet()
        if command == b"Q":
            self.has_quit = True
            return b""
        if self.options is None:
            raise MilterError(f"expected options first; got the command {command!r}")
        if command == b"D":
            self._read_macros(data)
            return b""
        if command in (b"A", b"K"):
            self._reset()
            return b""
        if command == b"E":
            return self._end(self.options, data)
        if command not in _NO_REPLY:
            raise MilterError(f"expected a command of the protocol; got {command!r}")
        self.in_transaction |= command not in b"CHU"
        return self._take_step(self.options, command, data)

    def give_up(self, why: str) -> None:
        """Forget what has come of the message: it will be accepted as it is."""
        self.excess = self.excess or why
        self._names, self._message = [], bytearray()

    def _take_step(self, options: Options, command: bytes, data: bytes) -> bytes:
        if command == b"R":
            self._add_recipient(data)
        elif command == b"L":
            self._add_field(options, data)
        elif command == b"N":
            self._begin_body()
        elif command == b"B":
            self._begin_body()
            self._add(data)
        reply = options.reply_to(command)
        return packet(b"s") if reply and command == b"B" and self.excess and options.steps & _SKIP else reply

    def _add_recipient(self, data: bytes) -> None:
        """Note a recipient; of more than two nobody needs to know."""
        if self.wants_recipients and len(self._recipients) < 2:
            address = data.partition(b"\0")[0][:_LONGEST_ADDRESS].decode("utf-8", "replace").strip()
            self._recipients.append(address.removeprefix("<").removesuffix(">"))

    def _add_field(self, options: Options, data: bytes) -> None:
        name, ends, value = data.partition(b"\0")
        if not ends or not name or self._body_begun:
            raise MilterError("expected a header field, its name and value, before the body")
        if self.excess:
            return
        value = value.removesuffix(b"\0").replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        self._names.append(name)
        self._add(b"%s:%s%s\r\n" % (name, b"" if options.has_leading_space else b" ", value))
        if len(self._names) > self.limits.header_fields:
            self.give_up(f"its header has more than {self.limits.header_fields:,} fields")
        elif self.size > self.limits.header_bytes:
            self.give_up(f"its header has more than {self.limits.header_bytes:,} bytes")

    def _begin_body(self) -> None:
        if not self._body_begun:
            self._body_begun = True
            self._add(b"\r\n")

    def _add(self, piece: bytes) -> None:
        if self.excess:
            return
        self._message += piece
        if self.size > self.limits.message_bytes:
            self.give_up(f"it has more than {self.limits.message_bytes:,} bytes")

    def _end(self, options: Options, data: bytes) -> Mail:
        self._begin_body()
        self._add(data)
        ended = Mail(
            bytes(self._message), tuple(self._names), options, self._queue_id, self.excess, tuple(self._recipients)
        )
        self._reset()
        return ended

    def _read_macros(self, data: bytes) -> None:
        known = data[1:].split(b"\0")
        for name, value in zip(known[::2], known[1::2], strict=False):
            if name in (b"i", b"{i}"):
                self._queue_id = escape(value[:80].decode("ascii", "backslashreplace"))

    def _reset(self) -> None:
        self.give_up("")
        self.in_transaction = self._body_begun = False
        self.excess = self._queue_id = ""
        self._recipients = []


def packet(command: bytes, data: bytes = b"") -> bytes:
    """Return a packet."""
    return (1 + len(data)).to_bytes(4, "big") + command + data
