"""The journal of a filter: what it was taught since it was last solved, in a SQLite database beside its file.

`deciban learn` writes a message here as a set of words, takes a step for it, whose words are kept beside it (`steps`),
and is done. When the messages are a twentieth of what the filter knows, if that is not too much, and whenever it is
wanted, it is solved with them, which gives the file that training would have given. The journal says what labels a
message has from then on, so that to read it twice changes nothing.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import time
from typing import Any, NamedTuple

from ..data.text_layout import ONLINE
from ..errors import DataError, DecibanError, StorageError, escape
from ..files.locks import lock
from ..files.written import Replacement
from ..store import Opened, of_table, open_file
from ..text.single_words import SingleWords
from ..text.word_sets import WordSet
from .canaries import Canaries
from .database import WITH_CANARIES, WITH_STEPS, connect, errors_of, make, version_of
from .steps import Solution, Steps

SUFFIX = ".journal"
OF_RESTORING = ".restoring"
"""Ends the name of a note beside a filter of which parts are being replaced by those of a backup."""
_LARGE = 4_000_000
"""Bytes of a file whose digest takes longer than its journal."""
# Of entries: not in the filter's file yet; in it since it was last solved, where who read the file before finds them;
# in it since longer, without words.
_OPEN, _SOLVED, _PAST = 0, 1, 2


class Entry(NamedTuple):
    """An item and the numbers of the classes that it has, the last in force, none of an item that was forgotten; where
    it came from, what the filter said of it before, when it was told: now, unless it is told again; and whether the
    filter gave the label by itself."""

    words: WordSet
    labels: tuple[int, ...]
    source: str = ""
    verdict: str | None = None
    decibans: float | None = None
    told: float | None = None
    automatic: bool = False


class Journal:
    """The journal of the filter at `path`; who reads it says first which classes that has."""

    def __init__(self, path: str | os.PathLike[str], connection: sqlite3.Connection) -> None:
        self.path, self.connection, self.classes = os.fspath(path), connection, 0
        self.steps, self.canaries, self.kept = Steps(connection), Canaries(connection), False

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: str | os.PathLike[str], *, write: bool, restores: bool = False) -> Iterator[Journal | None]:
        """Yield the journal of the filter at `path`, alone if it is to be written; None if there is none to be read.

        Where a restore was broken off nothing is written but by one that `restores`.
        """
        where = os.fspath(path) + SUFFIX
        if write and not restores:
            require_whole(path)
        if not write and not os.path.exists(where):
            yield None
            return
        empty = False
        try:
            with errors_of(where):
                empty = write and make(where, os.fspath(path))
                connection = connect(where, write)
            with contextlib.closing(connection):
                journal = cls(path, connection)
                try:
                    yield journal
                finally:
                    empty = empty and not journal.last() and not journal.kept
        finally:
            if empty:
                discard(path)

    def require_classes(self, classes: Sequence[Any]) -> None:
        """Raise DataError for the journal of a filter of other classes; an empty one becomes that of these."""
        self.classes = len(classes)
        own = json.dumps([str(c) for c in classes])
        with errors_of(self.path + SUFFIX):
            told = self.connection.execute("SELECT classes FROM about").fetchone()
        if told is None and not self.connection.execute("PRAGMA query_only").fetchone()[0]:
            self.write(lambda: self.connection.execute("INSERT INTO about VALUES (?)", (own,)))
        elif told is not None and told[0] != own:
            raise DataError(
                f"{escape(self.path + SUFFIX)}: expected the journal of a filter of {own}; this one is of {told[0]}. "
                "Move it away, or restore the filter that it belongs to."
            )

    def write(self, act: Callable[[], object]) -> None:
        """Do all that `act` does, or nothing, and note whether it is done."""
        with errors_of(self.path + SUFFIX):
            before, noted = self._state(), Replacement(self.path + SUFFIX, None)
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                act()
                self.connection.execute("COMMIT")
                noted.done = True
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                noted.done = self._state() != before  # the interruption may have come right after
                if not noted.done:
                    noted.abandon()
                raise

    def _state(self) -> tuple[int, int | None]:
        """Return what tells whether entries were added, or noted as solved, however many there are."""
        first: int | None = self.connection.execute("SELECT min(id) FROM entries WHERE state = ?", (_OPEN,)).fetchone()[
            0
        ]
        return self.last(), first

    def last(self) -> int:
        """Return the number of the last entry; 0 without any."""
        found: int | None = self.connection.execute("SELECT max(id) FROM entries").fetchone()[0]
        return found or 0

    def add(self, entries: Iterable[Entry]) -> None:
        """Add entries, which the filter's file does not have yet."""
        now = time()
        rows = (
            (
                _OPEN,
                each.words.digest,
                array("H", each.labels).tobytes(),
                escape(each.source),
                now if each.told is None else each.told,
                each.verdict,
                each.decibans,
                each.automatic,
                *each.words[1:],
            )
            for each in entries
        )
        self.connection.executemany(
            "INSERT INTO entries (state, digest, labels, source, told, verdict, decibans, automatic, arrival, hashes, "
            "experts, names, ends) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def close_open(self, opened: Opened, words: SingleWords) -> None:
        """Note that the filter's file, which was just written, has all entries."""
        self.connection.execute(
            "UPDATE entries SET state = ?, hashes = NULL, experts = NULL, names = NULL, ends = NULL WHERE state = ?",
            (_PAST, _SOLVED),
        )
        self.connection.execute("UPDATE entries SET state = ? WHERE state = ?", (_SOLVED, _OPEN))
        self.steps.begin(opened, words.offsets, len(words))

    def solution(self) -> Solution | None:
        """Return which file the steps begin with that the journal has; None where it has none."""
        with errors_of(self.path + SUFFIX):
            return self.steps.solution() if version_of(self.connection) >= WITH_STEPS else None

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Reads in the block what there was at one moment."""
        with errors_of(self.path + SUFFIX):
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                self.connection.execute("ROLLBACK")

    def entries(self, *, solved: bool = False) -> list[Entry]:
        """Return the last entry of each item that the filter's file does not have yet; and, if wanted, of those that it
        has got last."""
        return [*self.each_entry(solved=solved)]

    def each_entry(self, *, solved: bool = False) -> Iterator[Entry]:
        """Yield the same, in the order in which they came."""
        with errors_of(self.path + SUFFIX):
            yield from map(self._entry, self._last(solved))

    def _entry(self, row: Sequence[Any]) -> Entry:
        words, labels = WordSet(*row[:6]), _labels(row[6])
        if words.hashes is not None and 8 * len(words.passages) == len(words.hashes):
            words = words._replace(passages=_passages_of(words.passages))
        n = len(words.passages or b"") // 2
        if words.hashes is not None and (len(words.hashes), len(words.ends), len(words.digest)) != (8 * n, 8 * n, 16):
            raise ValueError("words with a hash, passages and a name each are expected")
        if max(labels, default=0) >= self.classes:
            raise ValueError("known classes are expected")
        return Entry(words, labels, *row[7:])

    def _last(self, solved: bool) -> sqlite3.Cursor:
        return self.connection.execute(
            "SELECT digest, arrival, hashes, experts, names, ends, labels, source, verdict, decibans FROM entries "
            "WHERE id IN (SELECT max(id) FROM entries WHERE state <= ? GROUP BY digest) ORDER BY id",
            (_SOLVED if solved else _OPEN,),
        )

    def told(self) -> list[tuple[bytes, tuple[int, ...], str, float, bool]]:
        """Return of all entries, in the order in which they came, digest, labels, source, when it was told, and whether
        the filter gave the label by itself."""
        with errors_of(self.path + SUFFIX):
            automatic = "automatic" if version_of(self.connection) >= WITH_CANARIES else "0"
            rows = self.connection.execute(f"SELECT digest, labels, source, told, {automatic} FROM entries ORDER BY id")
            return [(digest, _labels(labels), source, told, bool(by)) for digest, labels, source, told, by in rows]

    def canary_count(self) -> int:
        """Return how many canaries there are."""
        with errors_of(self.path + SUFFIX):
            return len(self.canaries) if version_of(self.connection) >= WITH_CANARIES else 0

    def automatic(self) -> list[tuple[bytes, tuple[int, ...]]]:
        """Return the items whose labels the filter gave itself, and nobody else since, with these."""
        rows = self.connection.execute(
            "SELECT digest, labels FROM entries WHERE automatic AND length(labels) > 0 "
            "AND id IN (SELECT max(id) FROM entries GROUP BY digest)"
        )
        return [(digest, _labels(labels)) for digest, labels in rows]

    def is_automatic(self, digest: bytes) -> bool:
        """Return whether the filter gave an item its label itself, and nobody has confirmed it since."""
        row = self.connection.execute(
            "SELECT automatic FROM entries WHERE digest = ? ORDER BY id DESC LIMIT 1", (digest,)
        ).fetchone()
        return row is not None and bool(row[0])

    def labels(self, digest: bytes) -> tuple[int, ...] | None:
        """Return the classes that an item has by an entry that the filter's file does not have yet; None if none."""
        row = self.connection.execute(
            "SELECT labels FROM entries WHERE digest = ? AND +state = ? ORDER BY id DESC LIMIT 1", (digest, _OPEN)
        ).fetchone()
        return None if row is None else _labels(row[0])

    def waiting(self) -> int:
        """Return how many entries the filter's file does not have yet."""
        found: int = self.connection.execute("SELECT count(*) FROM entries WHERE state = ?", (_OPEN,)).fetchone()[0]
        return found


@contextlib.contextmanager
def begin_anew(path: str | os.PathLike[str], served: Callable[[], Any]) -> Iterator[None]:
    """Empties the journal of the filter at `path`, if there is one, when the block has put another in its place, as it
    is `served`, which changes no verdict of a canary; that of a large filter is made, as it says that the file was
    verified."""
    if os.path.exists(path) and not os.path.isfile(path):
        yield  # a pipe or a device takes a filter and keeps none
        return
    with lock(path, needed=False):
        if os.path.exists(os.fspath(path) + SUFFIX):
            with Journal.open(path, write=True) as journal:
                assert journal is not None
                journal.connection.execute("BEGIN IMMEDIATE")  # who teaches the new one meanwhile waits
                try:
                    if len(journal.canaries):
                        kept = served()
                        with errors_of(journal.path + SUFFIX):
                            journal.canaries.require_kept(kept, escape(os.fspath(path)))
                    for table in ("entries", "about", "steps", "solution"):
                        journal.connection.execute(f"DELETE FROM {table}")
                    yield
                except BaseException:
                    journal.connection.execute("ROLLBACK")
                    raise
                journal.connection.execute("COMMIT")
        else:
            yield
    is_large = os.path.isfile(path) and os.path.getsize(path) >= _LARGE
    if is_large or os.path.exists(os.fspath(path) + SUFFIX):
        with lock(path, needed=False), contextlib.suppress(DecibanError):
            _note_solution(path)


def _note_solution(path: str | os.PathLike[str]) -> None:
    """Note that a file has just been written: who judges one message does not verify all of it again."""
    with open_file(path) as opened:
        if of_table(opened.header) or opened.header["model"] != ONLINE:
            return
        with Journal.open(path, write=True) as journal:
            assert journal is not None
            words, journal.kept = SingleWords(opened.view()), True
            if not journal.last():
                journal.write(lambda: journal.steps.begin(opened, words.offsets, len(words)))


def require_whole(path: str | os.PathLike[str]) -> None:
    """Raise StorageError where a restore was broken off."""
    if os.path.lexists(os.fspath(path) + OF_RESTORING):
        shown = escape(os.fspath(path))
        raise StorageError(
            f"{shown}: expected a filter, journal and users of one moment; a restore was broken off. Restore again: "
            f"deciban restore BACKUP {shown} --force."
        )


def discard(path: str | os.PathLike[str]) -> None:
    """Remove a journal that nobody has written to."""
    for suffix in (SUFFIX, f"{SUFFIX}-wal", f"{SUFFIX}-shm"):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(os.fspath(path) + suffix)


def _labels(stored: bytes) -> tuple[int, ...]:
    return tuple(array("H", stored))


def _passages_of(experts: bytes) -> bytes:
    """Return the passages of words of which only the expert was noted, in a byte: all of the content in one."""
    return b"".join(b"\x00\x00" if expert else b"\x01\x00" for expert in experts)
