"""What a journal says of the past: when a filter was taught, and what it had said of the items before."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..conventions import DECIBANS_PER_NAT
from ..drift import WINDOW, Drift, log_sigmoid
from .database import uri_of

CERTAIN = 30.0
"""Decibans of a verdict that claims to be wrong once in a thousand."""
_OF_FILE = ("steps", "solution")
"""Tables that belong to the file of the moment."""
_CLOSE = "UPDATE entries SET state = 2, hashes = NULL, experts = NULL, names = NULL, ends = NULL"


class Prequential(NamedTuple):
    """Verdicts on items before a filter was taught their labels: how many, how many were wrong, the mean log loss in
    nats of the class said and all others, how many claimed `CERTAIN`, and how many of these were wrong."""

    n: int
    errors: int
    log_loss: float
    certain: int
    certain_errors: int

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return self._asdict()


class History:
    """The entries of the journal of a filter, as records of what happened."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def times(self) -> tuple[float, float] | None:
        """Return when the first and the last entry were made, in seconds since 1970; None without any."""
        first, last = self.connection.execute("SELECT min(told), max(told) FROM entries").fetchone()
        return None if first is None else (first, last)

    def prequential(self) -> Prequential:
        """Return how good verdicts on items were before their first labels were given, by others than the filter."""
        by_others = "AND automatic = 0 " if "automatic" in self._columns(self.connection, "entries") else ""
        names = self._classes()
        rows = self.connection.execute(
            f"SELECT labels, verdict, decibans FROM entries WHERE decibans IS NOT NULL {by_others}"
            "AND id IN (SELECT min(id) FROM entries WHERE length(labels) = 2 GROUP BY digest)"
        )
        n = errors = certain = certain_errors = 0
        losses = []
        for labels, verdict, decibans in rows:
            odds = _odds(names, labels, verdict, decibans)
            losses.append(-log_sigmoid(odds))
            wrong, sure = _last_of(labels, names) != verdict, decibans >= CERTAIN
            n, errors = n + 1, errors + wrong
            certain, certain_errors = certain + sure, certain_errors + (sure and wrong)
        return Prequential(n, errors, math.fsum(losses) / n if n else 0.0, certain, certain_errors)

    def labelled(self) -> list[tuple[float, str, str, float]]:
        """Return when items got their first labels, which, what the verdict before was, and its decibans, in order."""
        by_others = "AND automatic = 0 " if "automatic" in self._columns(self.connection, "entries") else ""
        names = self._classes()
        rows = self.connection.execute(
            f"SELECT told, labels, verdict, decibans FROM entries WHERE decibans IS NOT NULL {by_others}"
            "AND id IN (SELECT min(id) FROM entries WHERE length(labels) = 2 GROUP BY digest) ORDER BY id"
        )
        found = [(told, _last_of(labels, names), verdict, decibans) for told, labels, verdict, decibans in rows]
        return [(told, label, verdict, decibans) for told, label, verdict, decibans in found if label is not None]

    def drift(self) -> Drift:
        """Return what evidence counts by the labels that others than the filter gave, of items told once, the last."""
        by_others = "AND automatic = 0 " if "automatic" in self._columns(self.connection, "entries") else ""
        rows = self.connection.execute(
            "SELECT labels, verdict, decibans FROM entries WHERE decibans IS NOT NULL AND length(labels) = 2 "
            f"{by_others}AND NOT EXISTS (SELECT 1 FROM entries AS other WHERE other.digest = entries.digest "
            "AND other.id <> entries.id) ORDER BY id DESC LIMIT ?",
            (WINDOW,),
        )
        names = self._classes()
        return Drift.of([_odds(names, *row) for row in rows][::-1])

    def _classes(self) -> list[str]:
        found: list[str] = json.loads((self.connection.execute("SELECT classes FROM about").fetchone() or ("[]",))[0])
        return found

    def close(self) -> None:
        """Note that the file has had all entries for long: they keep no words, and no steps follow from them."""
        for statement in (_CLOSE, *map("DELETE FROM {}".format, _OF_FILE)):
            self.connection.execute(statement)

    def copy_to(self, path: str) -> None:
        """Write the entries, without words, to a database of its own."""
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as copy:
            self.connection.backup(copy)
            History(copy).close()
            copy.execute("DROP TABLE IF EXISTS canaries")  # they belong to the filter, not to one state of it
            copy.execute("VACUUM")

    def restore(self, copy: sqlite3.Connection | None) -> None:
        """Put the entries of a copy in the place of those here, none without one; the filter's file has them all."""
        for table in ("entries", "about", *_OF_FILE):
            self.connection.execute(f"DELETE FROM {table}")
        if copy is None:
            return
        for table in ("entries", "about"):
            own, others = (self._columns(each, table) for each in (self.connection, copy))
            names = [name for name in own if name in others]  # a copy may be of an earlier layout
            rows = copy.execute(f"SELECT {', '.join(names)} FROM {table}")
            marks = ", ".join("?" * len(names))
            self.connection.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)

    @staticmethod
    def read_copy(path: str) -> sqlite3.Connection | None:
        """Return a copy that `copy_to` has written, read into memory; None where there is none."""
        if not os.path.exists(path):
            return None
        found = sqlite3.connect(":memory:")
        with contextlib.closing(sqlite3.connect(uri_of(path, "ro"), uri=True)) as copy:
            copy.backup(found)
        return found

    @staticmethod
    def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _odds(names: Sequence[str], labels: bytes, verdict: str, decibans: float) -> float:
    """Return the log-odds of the label that an item got, by the verdict on it before, in nats."""
    return (decibans if _last_of(labels, names) == verdict else -decibans) / DECIBANS_PER_NAT


def _last_of(labels: bytes, names: Sequence[str]) -> str | None:
    """Return the label in force of an item that has some."""
    place = int.from_bytes(labels[-2:], "little")
    return names[place] if place < len(names) else None
