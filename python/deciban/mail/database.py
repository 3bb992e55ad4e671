"""The database of a journal: its tables, as each version has them, how it is opened, and what its errors mean.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator

from ..errors import DataError, StorageError, escape
from ..files.attributes import copy_attributes
from ..files.system import flags
from .canaries import LAYOUT as CANARIES
from .steps import LAYOUT as STEPS

VERSION = 3
"""Of the layout: `PRAGMA user_version`."""
WITH_STEPS = 2
"""The version that began to keep steps."""
WITH_CANARIES = 3
"""The version that began to keep canaries, and whether a label was given by the filter itself."""
PATIENCE = 60.0
"""Seconds that one waits for another who writes."""

# `experts` of the words are their passages, of which a byte each, the expert, was noted at first.
_LAYOUT = (
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY, state INTEGER NOT NULL, digest BLOB NOT NULL, labels BLOB NOT NULL,
        source TEXT NOT NULL, told REAL NOT NULL, verdict TEXT, decibans REAL,
        arrival INTEGER NOT NULL, hashes BLOB, experts BLOB, names BLOB, ends BLOB)""",
    "CREATE TABLE about (classes TEXT NOT NULL)",
    "CREATE INDEX by_digest ON entries (digest)",
    "CREATE INDEX by_state ON entries (state)",
)
_TRUST = "ALTER TABLE entries ADD COLUMN automatic INTEGER NOT NULL DEFAULT 0"
# What each version has beside that of the one before: a journal of an earlier one is brought up to date by who writes.
_LAYOUTS = (_LAYOUT, STEPS, (_TRUST, *CANARIES))


def make(where: str, path: str) -> bool:
    """Make an empty file with the rights of the filter's; return whether there was none."""
    try:
        handle = os.open(where, flags("O_RDWR", "O_CREAT", "O_EXCL"), 0o600)
    except FileExistsError:
        return False
    try:
        copy_attributes(path, handle)
    finally:
        os.close(handle)
    return True


def connect(where: str, write: bool) -> sqlite3.Connection:
    """Return a connection: one that may write, as the last of these leaves no files beside the database."""
    # Who may not write beside it reads what others leave there, or, where they leave nothing, what nobody is writing.
    modes = ["rw"] if write else ["rw", "ro", *([] if os.path.exists(where + "-wal") else ["ro&immutable=1"])]
    for mode in modes:
        connection = sqlite3.connect(uri_of(where, mode), uri=True, timeout=PATIENCE, isolation_level=None)
        try:
            if write:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
            version = version_of(connection)
            break
        except sqlite3.OperationalError:
            connection.close()
            if mode == modes[-1]:
                raise
    if version > VERSION:
        connection.close()
        raise DataError(
            f"{escape(where)}: written by a newer version (layout {version}; this one reads up to {VERSION}). "
            "Upgrade: pip install --upgrade deciban."
        )
    if version < VERSION and write:
        connection.execute("BEGIN IMMEDIATE")
        _bring_up_to_date(connection)
        connection.execute("COMMIT")
    elif version == 0:  # it was made, and nothing came of it
        connection.close()
        connection = sqlite3.connect(":memory:", isolation_level=None)
        _bring_up_to_date(connection)
    if not write:
        connection.execute("PRAGMA query_only = 1")
    return connection


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Make the tables that versions after that of the journal have."""
    for layout in _LAYOUTS[version_of(connection) :]:
        for statement in layout:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the layout that a database has."""
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def copy_table(table: str, source: sqlite3.Connection | None, target: sqlite3.Connection) -> None:
    """Give a table the rows that another database has, and no others; none without one."""
    target.execute(f"DELETE FROM {table}")
    if source is None:
        return
    columns = [str(row[1]) for row in target.execute(f"PRAGMA table_info({table})")]
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    rows = source.execute(f"SELECT {names} FROM {table} ORDER BY rowid")
    target.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


def uri_of(where: str, mode: str) -> str:
    """Return the address of a database that is opened in a mode of SQLite's."""
    # What ends the path of a URI, as `urllib.parse.quote` would write it, whose import takes longer.
    escaped = os.path.abspath(where).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{escaped}?mode={mode}"


@contextlib.contextmanager
def errors_of(where: str) -> Iterator[None]:
    """Turns what SQLite says of a database into the errors of this program."""
    name = escape(where)
    try:
        yield
    except (sqlite3.DatabaseError, ValueError, TypeError) as error:
        if isinstance(error, DataError):
            raise
        if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorname != "SQLITE_ERROR":
            raise StorageError(
                f"{name}: could not be written: {error}. Nothing was changed; make room or choose another place, and "
                "try again."
            ) from error
        raise DataError(
            f"{name}: expected the journal of a filter; it is damaged ({error}). Restore it from a backup, or move it "
            "away: the filter then knows what its file says."
        ) from error
