"""Connections of the milter protocol: messages one after the other, each answered when it ends."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from time import monotonic

from .live import Filter
from .logs import RequestLog, logs_requests
from .milter import CONTINUE, Mail, MilterError, MilterLimits, PacketReader, Session
from .milter_answers import Policy, answer, answer_http
from .noted_filter import NotedFilter
from .shared import HeldConnection, Shared
from .user_filters import NamedFilters

log = logging.getLogger("deciban.serve")

_IDLE = 7210.0  # seconds between two messages of a connection, as libmilter has it: mail servers keep theirs
_LINGER = 5.0  # seconds in which a connection that is closed may still take its last replies
_HTTP_BYTES = 8192
_PART = 1 << 17  # bytes of a packet that is not whole, more than mail servers make one of


@dataclass(frozen=True)
class MilterServer:
    """What answers messages: a filter, what connections share, and which messages are rejected or held, and the filters
    of users."""

    known: Filter
    shared: Shared
    policy: Policy = field(default_factory=Policy)
    users: NamedFilters | None = None

    def connect(self) -> MilterConnection:
        """Return what reads a new connection."""
        return MilterConnection(self)

    def answer(self, mail: Mail) -> bytes:
        """Return the packets that answer a message; where that fails it is accepted as it came."""
        name = f"milter: message {mail.queue_id}" if mail.queue_id else "milter: a message"
        if mail.excess:
            log.warning("%s was accepted as it came: %s", name, mail.excess)
            return CONTINUE
        try:
            packets, done = self._answer(mail)
        except Exception:
            log.exception("%s was accepted as it came, as it could not be classified", name)
            return CONTINUE
        if done:
            log.info("%s was %s", name, done)
        return packets

    def _answer(self, mail: Mail) -> tuple[bytes, str]:
        known = self._filter_for(mail)
        if not logs_requests():
            return answer(mail, known, self.policy)
        entry = RequestLog("milter", "message", mail.queue_id)
        packets, done = answer(mail, NotedFilter(known, entry), self.policy)
        entry.finish(action=done.partition(" at ")[0] or "accepted")
        return packets, done

    def _filter_for(self, mail: Mail) -> Filter:
        """Return the filter of the recipient of a message, the shared one for several."""
        if self.users is None or len(mail.recipients) != 1:
            return self.known
        return self.users.of(mail.recipients[0])


class MilterConnection(HeldConnection):
    """One connection: what comes while a message is classified waits."""

    def __init__(self, server: MilterServer) -> None:
        super().__init__(server.shared)
        self.server = server
        limits = MilterLimits(self.shared.limits.message_bytes)
        self._reader, self._session = PacketReader(limits.packet_bytes), Session(limits, server.users is not None)
        self._asked: asyncio.Future[bytes] | None = None
        self._asked_size = 0
        self._is_full = False

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back what was held."""
        super().connection_lost(exc)
        self._asked = None

    @property
    def is_idle(self) -> bool:
        """Whether no message has begun whose answer is not sent."""
        waits = self._session.in_transaction or self._asked is not None or bool(self._reader.buffer)
        return not waits and not self.transport.get_write_buffer_size()

    def data_received(self, data: bytes) -> None:
        """Take more packets."""
        if not self.transport.is_closing():
            self._reader.feed(data)
            self._go_on()

    def eof_received(self) -> bool:
        """Close; while a thread classifies nothing is read, and so no end of it is seen."""
        if self._session.has_begun:
            log.warning("milter: the mail server closed the connection within a message")
        return False

    def pause_writing(self) -> None:
        """Read nothing from a mail server that does not read its replies."""
        self._is_full = True
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        """Read on."""
        self._is_full = False
        self._read_on()

    def _read_on(self) -> None:
        if self._asked is None and not self._is_full and not self.transport.is_closing():
            self.transport.resume_reading()

    def _go_on(self) -> None:
        """Take the packets that are whole, up to the end of a message that needs a thread of its own."""
        try:
            if self._session.options is None and self._reader.buffer.startswith(b"GET "):
                self._answer_http()
                return
            while self._asked is None and not self.transport.is_closing():
                packet = self._reader.read()
                if packet is None:
                    break
                self._take(*packet)
        except MilterError as error:
            self._fail(str(error))
        except Exception:
            log.exception("milter: the connection was closed by an error of the program itself")
            self.abort()
        self._count()

    def _take(self, command: bytes, data: bytes) -> None:
        had_begun = self._session.has_begun
        taken = self._session.take(command, data)
        if isinstance(taken, Mail):
            self._ask(taken)
        else:
            self._write(taken)
        if self._session.has_quit:
            self._close()
        elif self._asked is None and (command in b"OAKEM" or self._session.has_begun != had_begun):
            self._set_deadline()

    def _set_deadline(self) -> None:
        limits = self.shared.limits
        self.deadline = monotonic() + (limits.request_seconds if self._session.has_begun else _IDLE)

    def _count(self) -> None:
        """Count what is held, and give up a message for which there is no room."""
        self._recount()
        if not self._is_over:
            return
        if self._session.has_begun:
            self._session.give_up("the server holds too many messages")
            self._recount()
        if self._is_over and len(self._reader.buffer) > _PART:
            self._fail("the server holds too many messages")

    @property
    def _is_over(self) -> bool:
        return self.shared.held > self.shared.limits.held_bytes

    def _recount(self) -> None:
        size = 0 if self.transport.is_closing() else len(self._reader.buffer) + self._session.size + self._asked_size
        self.hold(size)

    def _ask(self, mail: Mail) -> None:
        """Answer a message, on another thread where that takes long."""
        waits = self.server.users is not None and self.server.users.is_remote
        pool = None if mail.excess else self.shared.slow if waits else self.shared.pool_for(len(mail.message))
        if pool is None:
            self._write(self.server.answer(mail))
            return
        self.deadline = monotonic() + self.shared.limits.request_seconds
        self.transport.pause_reading()
        self._asked_size = len(mail.message)
        self._asked = asyncio.get_running_loop().run_in_executor(pool, self.server.answer, mail)
        self._asked.add_done_callback(self._finish)

    def _finish(self, done: asyncio.Future[bytes]) -> None:
        """Send the answer of a thread."""
        if done is self._asked:
            self._resume(CONTINUE if done.cancelled() else done.result())

    def _resume(self, packets: bytes) -> None:
        """Send the answer to a message, and go on with what has come meanwhile."""
        self._asked, self._asked_size = None, 0
        self._write(packets)
        self._set_deadline()
        self._go_on()
        self._read_on()

    def _answer_http(self) -> None:
        head = bytes(self._reader.buffer)
        reply = answer_http(head)
        if reply is None and len(head) > _HTTP_BYTES:
            raise MilterError(f"expected an HTTP request of at most {_HTTP_BYTES:,} bytes")
        if reply is not None:
            self._reader.buffer.clear()
            self._write(reply)
            self._close()

    def expire(self) -> None:
        """End a connection whose time is over; a message that is still being classified is accepted as it came."""
        if self.transport.is_closing():
            self.abort()
        elif self._asked is not None:
            log.warning("milter: a message was accepted as it came: classifying it took too long")
            self._resume(CONTINUE)
        else:
            self._fail("waited too long for the mail server")

    def _fail(self, why: str) -> None:
        log.warning("milter: the connection was closed: %s", why)
        self._close()

    def _close(self) -> None:
        self.deadline = monotonic() + _LINGER
        self.transport.close()

    def _write(self, packets: bytes) -> None:
        if packets and not self.transport.is_closing():
            self.transport.write(packets)
