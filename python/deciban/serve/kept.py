"""Messages that a server has classified, for a while: in a SQLite database beside the filter, for whoever reviews them.

It has files of its own, so that what is kept can be deleted without touching what the filter knows. Only the user who
runs the server may read them, whatever the rights of the filter are, as they hold the text of mail.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from time import time
from typing import Any, NamedTuple

from ..mail import kept_database
from ..mail.kept_database import SUFFIX

_HOUR, _HOURS = 3600.0, 24 * 400  # counts of an hour stay so many hours
LISTS = ("recent", "uncertain", "mislabelled")
_WHERE = {
    "recent": "1",
    "uncertain": "label IS NULL AND is_unsure",
    # Whoever gives the same label once more has looked at it.
    "mislabelled": "label IS NOT NULL AND NOT confirmed AND abs(decibans) >= :sure "
    "AND (label = :spam) <> (decibans > 0)",
}
_ORDER = {
    "recent": "seen DESC",
    "uncertain": "abs(decibans), seen DESC",
    "mislabelled": "abs(decibans) DESC, seen DESC",
}
SURE = 20.0
"""Decibans of a verdict that a label against it makes one look at again: wrong once in a hundred."""


@dataclass(frozen=True)
class KeepLimits:
    """What is kept at most: how many `days`, how many messages and bytes of them, and bytes of one."""

    days: float = 30.0
    messages: int = 20_000
    bytes: int = 512 << 20
    message_bytes: int = 2 << 20


class Arrival(NamedTuple):
    """A message that was classified: when, by which protocol, from whom, about what, and its rating towards spam."""

    digest: bytes
    arrived: float
    protocol: str
    sender: str
    subject: str
    score: float
    decibans: float
    is_spam: bool
    is_unsure: bool
    message: bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """A message that is kept, without its text. `seen` ascends with the last arrival; `times` it was classified. The
    rating is what was said before it had the `label`, if it has one."""

    id: int
    seen: int
    digest: bytes
    arrived: float
    times: int
    protocol: str
    sender: str
    subject: str
    size: int
    score: float
    decibans: float
    is_spam: bool
    is_unsure: bool
    label: str | None
    labelled: float | None

    @property
    def kind(self) -> str:
        """Return what it was rated: spam, ham or unsure."""
        return "unsure" if self.is_unsure else "spam" if self.is_spam else "ham"

    def with_label(self, label: str | None) -> Kept:
        """Return the message with another label."""
        return replace(self, label=label, labelled=None)

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Kept:
        """Return the message in a row of the database."""
        values: list[Any] = [bool(value) if place in _TRUTHS else value for place, value in enumerate(row)]
        return cls(*values)


_TRUTHS = (11, 12)  # columns that SQLite has as numbers
_COLUMNS = ", ".join(each.name for each in fields(Kept))


class Query(NamedTuple):
    """Which messages are listed, of those in one of `LISTS`; `verdict` is spam, ham or unsure; `label` one of the
    classes, or none where it is empty; `text` is in the sender or the subject."""

    of: str = "recent"
    verdict: str | None = None
    label: str | None = None
    protocol: str | None = None
    text: str | None = None
    offset: int = 0
    limit: int = 50


class Hour(NamedTuple):
    """How many messages an hour had, by verdict; `begins` in seconds since 1970."""

    begins: float
    spam: int
    ham: int
    unsure: int


@dataclass(frozen=True)
class KeptMessages:
    """The messages that are kept beside the filter at `path`; `spam` is the class that ratings are towards."""

    path: str
    spam: str = "spam"
    limits: KeepLimits = KeepLimits()

    @property
    def where(self) -> str:
        """Return the name of the database."""
        return self.path + SUFFIX

    # --- writing -------------------------------------------------------------------------------------------

    def add(self, arrivals: Sequence[Arrival], now: float | None = None) -> None:
        """Keep messages, in one step, and no more than there is room for: the oldest go."""
        with kept_database.write(self.where, self.path) as database:
            seen = database.execute("SELECT coalesce(max(seen), 0) FROM messages").fetchone()[0]
            for place, each in enumerate(arrivals, 1):
                self._add(database, each, seen + place)
            self._prune(database, time() if now is None else now)

    def _add(self, database: sqlite3.Connection, each: Arrival, seen: int) -> None:
        row = (seen, *each[:5], len(each.message), *each[5:9])
        # What the filter says of a message whose label it has learnt tells nothing: the rating before that stays.
        [(number, times)] = database.execute(
            "INSERT INTO messages (seen, digest, arrived, times, protocol, sender, subject, size, score, decibans, "
            "is_spam, is_unsure) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET "
            "seen = excluded.seen, arrived = excluded.arrived, protocol = excluded.protocol, times = times + 1, "
            "score = iif(label IS NULL, excluded.score, score), "
            "decibans = iif(label IS NULL, excluded.decibans, decibans), "
            "is_spam = iif(label IS NULL, excluded.is_spam, is_spam), "
            "is_unsure = iif(label IS NULL, excluded.is_unsure, is_unsure) RETURNING id, times",
            row,
        ).fetchall()
        if times == 1:
            content = each.message[: self.limits.message_bytes]
            database.execute("INSERT INTO contents VALUES (?, ?)", (number, content))
        counted = "unsure" if each.is_unsure else "spam" if each.is_spam else "ham"
        database.execute(
            "INSERT INTO hours VALUES (:hour, :spam, :ham, :unsure) ON CONFLICT (hour) DO UPDATE SET spam = spam + "
            "excluded.spam, ham = ham + excluded.ham, unsure = unsure + excluded.unsure",
            {"hour": int(each.arrived // _HOUR), "spam": 0, "ham": 0, "unsure": 0, counted: 1},
        )

    def _prune(self, database: sqlite3.Connection, now: float) -> None:
        """Delete what is too old, and the oldest of what is too much."""
        limits, old = self.limits, now - 86400.0 * self.limits.days
        values = {"most": limits.message_bytes}
        [(n, total)] = database.execute("SELECT count(*), coalesce(sum(min(size, :most)), 0) FROM messages", values)
        gone = []
        for number, arrived, size in database.execute(
            "SELECT id, arrived, min(size, :most) FROM messages ORDER BY seen", values
        ):
            if n <= limits.messages and total <= limits.bytes and arrived >= old:
                break
            gone.append((number,))
            n, total = n - 1, total - size
        for table in ("messages", "contents"):
            database.executemany(f"DELETE FROM {table} WHERE id = ?", gone)
        database.execute("DELETE FROM hours WHERE hour < ?", (int(now // _HOUR) - _HOURS,))

    def label(self, digests: Iterable[bytes], label: str | None, now: float | None = None) -> None:
        """Note that messages were learnt under a label, or forgotten; others than those that are kept do not matter."""
        if not os.path.exists(self.where):
            return
        when = None if label is None else time() if now is None else now
        with kept_database.write(self.where, self.path) as database:
            database.executemany(
                "UPDATE messages SET confirmed = coalesce(label = :label, 0), label = :label, labelled = :when "
                "WHERE digest = :digest",
                [{"label": label, "when": when, "digest": digest} for digest in digests],
            )

    # --- reading -------------------------------------------------------------------------------------------

    def select(self, query: Query = Query()) -> list[Kept]:  # noqa: B008 - it is never changed
        """Return the messages of a list, in its order: the newest, the least certain or the most doubtful first."""
        where, values = self._where(query)
        with kept_database.read(self.where) as database:
            rows = database.execute(
                f"SELECT {_COLUMNS} FROM messages WHERE {where} ORDER BY {_ORDER[query.of]} "
                "LIMIT :limit OFFSET :offset",
                {**values, "limit": query.limit, "offset": query.offset},
            )
            return [Kept.of_row(row) for row in rows]

    def count(self, query: Query = Query()) -> int:  # noqa: B008
        """Return how many messages a list has."""
        where, values = self._where(query)
        with kept_database.read(self.where) as database:
            found: int = database.execute(f"SELECT count(*) FROM messages WHERE {where}", values).fetchone()[0]
        return found

    def _where(self, query: Query) -> tuple[str, dict[str, Any]]:
        wanted = [_WHERE[query.of]]
        values: dict[str, Any] = {"spam": self.spam, "sure": SURE}
        if query.verdict is not None:
            wanted.append(
                {"unsure": "is_unsure", "spam": "is_spam AND NOT is_unsure"}.get(
                    query.verdict, "NOT is_spam AND NOT is_unsure"
                )
            )
        if query.label is not None:
            wanted.append("label = :label" if query.label else "label IS NULL")
            values["label"] = query.label
        if query.protocol is not None:
            wanted.append("protocol = :protocol")
            values["protocol"] = query.protocol
        if query.text:
            wanted.append("(instr(lower(sender), :text) OR instr(lower(subject), :text))")
            values["text"] = query.text.lower()
        return " AND ".join(f"({each})" for each in wanted), values

    def get(self, number: int) -> Kept | None:
        """Return the message of a number; None where it is gone."""
        with kept_database.read(self.where) as database:
            row = database.execute(f"SELECT {_COLUMNS} FROM messages WHERE id = ?", (number,)).fetchone()
        return None if row is None else Kept.of_row(row)

    def content(self, number: int) -> bytes | None:
        """Return what is kept of the text of a message; None where it is gone."""
        with kept_database.read(self.where) as database:
            row = database.execute("SELECT message FROM contents WHERE id = ?", (number,)).fetchone()
        return None if row is None else row[0]

    def beside(self, each: Kept) -> tuple[int | None, int | None]:
        """Return the numbers of the messages that came next and before."""
        with kept_database.read(self.where) as database:
            newer = database.execute("SELECT id FROM messages WHERE seen > ? ORDER BY seen LIMIT 1", (each.seen,))
            older = database.execute("SELECT id FROM messages WHERE seen < ? ORDER BY seen DESC LIMIT 1", (each.seen,))
            found = newer.fetchone(), older.fetchone()
        return found[0] and found[0][0], found[1] and found[1][0]

    def is_whole(self, each: Kept) -> bool:
        """Return whether all of a message is kept, so that it can be learnt."""
        return each.size <= self.limits.message_bytes

    def contents(self, most: int) -> Iterator[tuple[Kept, bytes]]:
        """Yield so many messages at most, the newest first, with their texts."""
        columns = ", ".join(f"messages.{each.name}" for each in fields(Kept))
        with kept_database.read(self.where) as database:
            for *row, message in database.execute(
                f"SELECT {columns}, message FROM messages JOIN contents USING (id) ORDER BY seen DESC LIMIT ?", (most,)
            ):
                yield Kept.of_row(row), message

    def hours(self, since: float) -> list[Hour]:
        """Return the hours that had messages."""
        with kept_database.read(self.where) as database:
            rows = database.execute("SELECT * FROM hours WHERE hour >= ? ORDER BY hour", (int(since // _HOUR),))
            return [Hour(hour * _HOUR, *counts) for hour, *counts in rows]

    def newest(self) -> int:
        """Return a number that grows with every arrival; 0 without any."""
        with kept_database.read(self.where) as database:
            found: int = database.execute("SELECT coalesce(max(seen), 0) FROM messages").fetchone()[0]
        return found
