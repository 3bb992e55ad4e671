"""The database of messages that are kept: its tables, how it is opened, and what its errors mean."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator

from ..errors import DataError, StorageError, escape
from .database import PATIENCE, make, uri_of, version_of

SUFFIX = ".kept"
"""Of the database beside the file of a filter."""
TABLES = ("messages", "contents", "hours")
VERSION = 1
"""Of the layout: `PRAGMA user_version`."""
_LAYOUT = (
    """CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT, seen INTEGER NOT NULL UNIQUE, digest BLOB NOT NULL UNIQUE,
        arrived REAL NOT NULL, times INTEGER NOT NULL, protocol TEXT NOT NULL, sender TEXT NOT NULL,
        subject TEXT NOT NULL, size INTEGER NOT NULL, score REAL NOT NULL, decibans REAL NOT NULL,
        is_spam INTEGER NOT NULL, is_unsure INTEGER NOT NULL, label TEXT, labelled REAL,
        confirmed INTEGER NOT NULL DEFAULT 0)""",
    "CREATE TABLE contents (id INTEGER PRIMARY KEY, message BLOB NOT NULL)",
    "CREATE TABLE hours (hour INTEGER PRIMARY KEY, spam INTEGER NOT NULL, ham INTEGER NOT NULL, "
    "unsure INTEGER NOT NULL)",
    "CREATE INDEX by_size ON messages (size)",
)


@contextlib.contextmanager
def write(where: str, path: str) -> Iterator[sqlite3.Connection]:
    """Do all of the block in the database beside the filter at `path`, or nothing; only its owner may read it."""
    with errors_of(where):
        _make(where, path)
        database = sqlite3.connect(uri_of(where, "rw"), uri=True, timeout=PATIENCE, isolation_level=None)
        with contextlib.closing(database):
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")  # a crash of the machine may lose the last seconds
            database.execute("PRAGMA secure_delete = ON")
            database.execute("BEGIN IMMEDIATE")
            try:
                _lay_out(database, where)
                yield database
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise


@contextlib.contextmanager
def read(where: str) -> Iterator[sqlite3.Connection]:
    """Yield a connection that only reads; of an empty database where there is none yet."""
    with errors_of(where), contextlib.closing(connect(where)) as database:
        yield database


def _make(where: str, path: str) -> None:
    try:
        if make(where, path):
            os.chmod(where, 0o600)
    except OSError as error:
        raise StorageError(
            f"{escape(where)}: {error.strerror}. Nothing was changed; make room or check rights."
        ) from error


def connect(where: str) -> sqlite3.Connection:
    """Return a connection that only reads; to an empty database where there is none yet."""
    database = _connect(where)
    try:
        _lay_out(database, where)
        database.execute("PRAGMA query_only = 1")
    except BaseException:
        database.close()
        raise
    return database


def _connect(where: str) -> sqlite3.Connection:
    if os.path.exists(where):
        database = sqlite3.connect(uri_of(where, "rw"), uri=True, timeout=PATIENCE, isolation_level=None)
        try:
            if version_of(database):
                return database
        except BaseException:
            database.close()
            raise
        database.close()  # it was made, and nothing was written yet
    return sqlite3.connect(":memory:", isolation_level=None)


def _lay_out(database: sqlite3.Connection, where: str) -> None:
    known = version_of(database)
    if known > VERSION:
        raise DataError(
            f"{escape(where)}: written by a newer version (layout {known}; this one reads up to {VERSION}). "
            "Upgrade: pip install --upgrade deciban."
        )
    if known == 0:
        for statement in (*_LAYOUT, f"PRAGMA user_version = {VERSION}"):
            database.execute(statement)


@contextlib.contextmanager
def errors_of(where: str) -> Iterator[None]:
    """Turns what SQLite says of the database into the errors of this program."""
    name = escape(where)
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StorageError(f"{name}: could not be read or written: {error}. Make room, or move it away.") from error
    except sqlite3.DatabaseError as error:
        raise DataError(
            f"{name}: expected the messages that a server keeps; it is damaged ({error}). Move it away: the filter "
            "needs nothing of it."
        ) from error
