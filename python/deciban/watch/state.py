"""What is known of the messages of mail accounts, so that nothing is done twice: a SQLite database.

A message is known by its digest, which is the same in every folder and under every number that a server gives it; of a
folder it is known up to which number it was looked through.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ..errors import DataError, StorageError, escape

Side = Literal["inbox", "junk"]

VERSION = 1
"""Of the layout: `PRAGMA user_version`."""
_PATIENCE = 30.0
_LAYOUT = """
    CREATE TABLE folders (
        account TEXT NOT NULL, name TEXT NOT NULL, validity INTEGER NOT NULL, last INTEGER NOT NULL,
        PRIMARY KEY (account, name)) WITHOUT ROWID;
    CREATE TABLE messages (
        account TEXT NOT NULL, digest BLOB NOT NULL, side TEXT NOT NULL, pending INTEGER NOT NULL,
        PRIMARY KEY (account, digest)) WITHOUT ROWID;
    PRAGMA user_version = 1;
"""


class Seen(NamedTuple):
    """Up to which UID a folder of this UIDVALIDITY was looked through."""

    validity: int
    last: int


class Place(NamedTuple):
    """On which side a message was last; while it is on its way to Junk, `pending` is the UID that it had before."""

    side: Side
    pending: int = 0


class WatchState:
    """What is known of the messages of one account.

    Parameters
    ----------
    path : str
        Name of the file.
    account : str
        Name of the account; a file may be of several.
    keep : bool, default=True
        Whether to write to the file; else what changes is forgotten at the end.
    """

    def __init__(self, path: str, account: str, *, keep: bool = True) -> None:
        self.path, self.account = path, account
        with self._errors():
            self._connection = _open(path) if keep else _copy(path)
            found = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if found == 0:
                self._connection.executescript(f"BEGIN IMMEDIATE; {_LAYOUT} COMMIT;")
        if found > VERSION:
            raise DataError(f"{escape(path)}: written by a newer version. Upgrade: pip install --upgrade deciban.")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Writes what the block notes in one step, or nothing of it."""
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def is_new(self) -> bool:
        """Return whether nothing is known of the account."""
        with self._errors():
            row = self._connection.execute("SELECT 1 FROM folders WHERE account = ?", (self.account,)).fetchone()
        return row is None

    def seen(self, folder: str) -> Seen | None:
        """Return how far a folder was looked through; None if it never was."""
        with self._errors():
            row = self._connection.execute(
                "SELECT validity, last FROM folders WHERE account = ? AND name = ?", (self.account, folder)
            ).fetchone()
        return None if row is None else Seen(*row)

    def note_seen(self, folder: str, seen: Seen) -> None:
        """Note how far a folder was looked through."""
        with self._errors():
            self._connection.execute(
                "INSERT OR REPLACE INTO folders VALUES (?, ?, ?, ?)", (self.account, folder, *seen)
            )

    def place(self, digest: bytes) -> Place | None:
        """Return where a message was last; None if it was never met."""
        with self._errors():
            row = self._connection.execute(
                "SELECT side, pending FROM messages WHERE account = ? AND digest = ?", (self.account, digest)
            ).fetchone()
        return None if row is None else Place(*row)

    def note_place(self, digest: bytes, place: Place) -> None:
        """Note where a message is."""
        with self._errors():
            self._connection.execute(
                "INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?)", (self.account, digest, *place)
            )

    def note_none_pending(self) -> None:
        """Note that no message is on its way any more."""
        with self._errors():
            self._connection.execute("UPDATE messages SET pending = 0 WHERE account = ? AND pending", (self.account,))

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StorageError(
                f"{escape(self.path)}: could not be read or written: {error}. Make room, or choose another --state."
            ) from error
        except sqlite3.DatabaseError as error:
            raise DataError(
                f"{escape(self.path)}: expected what is known of a mail account; it is damaged ({error}). Move it "
                "away: the folders are then looked through again."
            ) from error


def _open(path: str) -> sqlite3.Connection:
    with contextlib.suppress(OSError):  # of which SQLite tells
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _copy(path: str) -> sqlite3.Connection:
    """Return a copy in memory."""
    made = sqlite3.connect(":memory:", isolation_level=None)
    if os.path.exists(path):
        with contextlib.closing(sqlite3.connect(path, timeout=_PATIENCE)) as kept:
            kept.backup(made)
    return made
