"""Keeping what is classified, beside the answer and never before it: a queue with a bound, and one thread that writes.

Where messages come faster than they can be written some are not kept, which is counted; no answer waits.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import time
from typing import NamedTuple, ParamSpec, Protocol

from .._core import Reader
from ..errors import DecibanError, UsageError, escape
from ..mail.outcomes import Outcome
from ..verdict import Explanation
from .kept import Arrival, KeepLimits, KeptMessages
from .live import LiveFilter, LiveModel, Snapshot
from .rating import Rating

log = logging.getLogger("deciban.serve")

P = ParamSpec("P")

_GATHERED = 0.1  # seconds in which messages are gathered that one transaction writes
_MOST = 2_000  # messages that wait
_MOST_BYTES = 32 << 20
_AT_ONCE = 500
_ENDING = 5.0  # seconds in which what waits is written when the server ends
_LONGEST = 300  # characters of a sender or a subject
_HEADER_BYTES = 1 << 16


class Notes(Protocol):
    """What is told of messages: that they were classified, and taught."""

    def note(self, message: bytes, rating: Rating, protocol: str) -> None:
        """Keep a message that was classified."""

    def label(self, message: bytes, label: str | None) -> None:
        """Note the label under which a message was learnt; None where it was forgotten."""


class _Lesson(NamedTuple):
    """A message that was learnt under a label, or forgotten."""

    message: bytes
    label: str | None


class _Seen(NamedTuple):
    """A message that was classified."""

    message: bytes
    rating: Rating
    protocol: str
    arrived: float


def ignore(outcome: str, n: int) -> None:
    """Count nothing."""


@dataclass
class Keeper:
    """What keeps the messages of one worker: `note` and `label` return at once, a thread writes.

    `count` is told how many messages were "kept", "dropped" where too many waited, or "failed" to be written.
    """

    kept: KeptMessages
    digest: Callable[[bytes], bytes]
    count: Callable[[str, int], None] = ignore
    _queue: SimpleQueue[_Seen | _Lesson] = field(default_factory=SimpleQueue)
    _lock: Lock = field(default_factory=Lock)
    _ends: Event = field(default_factory=Event)
    _waiting: int = 0
    _bytes: int = 0
    _thread: Thread | None = None
    _has_failed: bool = False

    def note(self, message: bytes, rating: Rating, protocol: str) -> None:
        """Keep a message that was classified."""
        self._put(_Seen(message, rating, protocol, time()))

    def label(self, message: bytes, label: str | None) -> None:
        """Note the label under which a message was learnt; None where it was forgotten."""
        self._put(_Lesson(message, label))

    def flush(self) -> None:
        """Write what waits."""
        while self._waiting and self._thread is not None and self._thread.is_alive():
            self._ends.wait(0.01)

    def close(self) -> None:
        """Write what waits, within some seconds, and keep nothing more."""
        self._ends.set()
        if self._thread is not None:
            self._thread.join(_ENDING)

    def around(self, serve: Callable[P, int]) -> Callable[P, int]:
        """Return what serves, and then writes what waits."""

        def served(*args: P.args, **kwargs: P.kwargs) -> int:
            try:
                return serve(*args, **kwargs)
            finally:
                self.close()

        return served

    def _put(self, item: _Seen | _Lesson) -> None:
        with self._lock:
            if self._waiting >= _MOST or (self._waiting and self._bytes + len(item.message) > _MOST_BYTES):
                self.count("dropped", 1)
                return
            self._waiting += 1
            self._bytes += len(item.message)
            if self._thread is None:  # in the worker, as threads do not survive a fork
                self._thread = Thread(target=self._run, name="keep", daemon=True)
                self._thread.start()
        self._queue.put(item)

    def _run(self) -> None:
        while True:
            items = self._gather()
            if items:
                self._write(items)
            elif self._ends.is_set():
                return

    def _gather(self) -> list[_Seen | _Lesson]:
        """Return what has come, when something has, or when the end is near."""
        found: list[_Seen | _Lesson] = []
        with suppress(Empty):
            found.append(self._queue.get(timeout=_GATHERED))
            self._ends.wait(_GATHERED)
            while len(found) < _AT_ONCE:
                found.append(self._queue.get_nowait())
        return found

    def _write(self, items: list[_Seen | _Lesson]) -> None:
        try:
            self._write_in_order(items)
            self._has_failed = False
        except DecibanError as error:
            self._fail(items, str(error))
        except Exception:
            log.exception("messages could not be kept")
            self._fail(items, "")
        finally:
            with self._lock:
                self._waiting -= len(items)
                self._bytes -= sum(len(each.message) for each in items)

    def _fail(self, items: list[_Seen | _Lesson], why: str) -> None:
        self.count("failed", len(items))
        if why and not self._has_failed:
            log.error("messages are not kept: %s", why)
        self._has_failed = True

    def _write_in_order(self, items: list[_Seen | _Lesson]) -> None:
        """Write what was classified and what was learnt, in the order in which that was."""
        arrivals: list[Arrival] = []
        for each in items:
            digest = self.digest(each.message)
            if isinstance(each, _Seen):
                arrivals.append(_arrival_of(each, digest))
                continue
            self._add(arrivals)
            arrivals = []
            self.kept.label([digest], each.label)
        self._add(arrivals)

    def _add(self, arrivals: list[Arrival]) -> None:
        if arrivals:
            self.kept.add(arrivals)
            self.count("kept", len(arrivals))


_READER = Reader("mail")


def _arrival_of(seen: _Seen, digest: bytes) -> Arrival:
    sender, subject = read_letterhead(seen.message)
    verdict, rating = seen.rating.verdict, seen.rating
    is_unsure = verdict.unsure or not (rating.is_spam or verdict.decibans < 0.0)
    return Arrival(
        digest,
        seen.arrived,
        seen.protocol,
        sender,
        subject,
        rating.score,
        min(max(verdict.decibans, -1e6), 1e6),
        rating.is_spam,
        is_unsure,
        seen.message,
    )


def read_letterhead(message: bytes) -> tuple[str, str]:
    """Return who wrote a message and about what, decoded as the filter reads it, printable, and cut.

    >>> read_letterhead(b"From: =?utf-8?B?6rmA?= <a@example.org>\\nSubject: a\\n b\\n\\nFrom: x\\n")
    ('김 <a@example.org>', 'a b')
    """
    ends = [at for at in (message.find(b"\n\n"), message.find(b"\n\r\n")) if at >= 0]
    header = message[: min([*ends, _HEADER_BYTES])]
    found: dict[str, str] = {}
    for line in _READER.view(header + b"\n\n")[0].split("\n\n", 1)[0].splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip().lower() in ("from", "subject"):
            found.setdefault(name.strip().lower(), escape(" ".join(value[: 4 * _LONGEST].split())[:_LONGEST]))
    return found.get("from", ""), found.get("subject", "")


class KeepingFilter:
    """A filter whose ratings and lessons are kept, as those of one protocol."""

    def __init__(self, known: LiveFilter, keeper: Notes, protocol: str) -> None:
        self.known, self.keeper, self.protocol = known, keeper, protocol
        self.spam, self.ham = known.spam, known.ham

    @property
    def snapshot(self) -> Snapshot:
        """The model as it classifies."""
        return self.known.snapshot

    def rate(self, message: bytes) -> Rating:
        """Return the rating of a message."""
        rating = self.known.rate(message)
        self.keeper.note(message, rating, self.protocol)
        return rating

    def explain(self, message: bytes) -> tuple[Rating, Explanation]:
        """Return the rating of a message, and the evidence for it."""
        rating, why = self.known.explain(message)
        self.keeper.note(message, rating, self.protocol)
        return rating, why

    def learn(self, message: bytes, label: str, source: str) -> Outcome:
        """Learn a message under a label."""
        outcome = self.known.learn(message, label, source)
        self.keeper.label(message, label)
        return outcome

    def forget(self, message: bytes, source: str) -> Outcome:
        """Take back the label of a message."""
        outcome = self.known.forget(message, source)
        self.keeper.label(message, None)
        return outcome


def make_keeper(known: LiveModel, days: float | None) -> Keeper | None:
    """Return what keeps messages for so many days; None where none are kept."""
    if days is None:
        return None
    if not isinstance(known, LiveFilter):
        raise UsageError(f"{escape(known.path)}: --keep needs a filter of mail, of two classes.")
    filter_ = known
    kept = KeptMessages(known.path, known.spam, KeepLimits(days))
    return Keeper(kept, lambda message: filter_.snapshot.served.reader.digest(message))
