"""Where tables are kept: a SQLite database in a file, or a PostgreSQL database by its URL, through the same statements.

Statements have `?` for values, and types by the names of `Dialect`. What `Session.write` does is done as a whole, alone
among all that write to the store, and durable when it ends.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn, and psycopg
only where a URL asks for it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..errors import DataError, StorageError, UsageError, escape
from .database import PATIENCE, make, uri_of

SCHEMES = ("postgresql://", "postgres://")
_LOCK = 0x64656369
"""The advisory lock of those that write to a store of PostgreSQL: "deci"."""
_PRAGMAS = {"page_size": 16_384, "journal_mode": "WAL", "synchronous": "FULL", "secure_delete": "ON"}
"""Of SQLite: lessons of some 700 bytes leave less of a page empty than where it has the usual 4,096."""
_REACHED = 10
"""Seconds in which a server of PostgreSQL must answer a new connection."""


@dataclass(frozen=True)
class Dialect:
    """The names of types."""

    blob: str
    real: str
    integer: str


class Cursor(Protocol):
    """The rows of a statement."""

    def fetchone(self) -> Any:
        """Return the next row, None where there is none."""

    def fetchall(self) -> list[Any]:
        """Return all rows."""


class Session(Protocol):
    """A connection to a store, used by one thread at a time."""

    dialect: Dialect

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Cursor:
        """Carry out a statement."""

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Carry out a statement for each row of values."""

    def write(self) -> contextlib.AbstractContextManager[None]:
        """Do all that the block does, or nothing: alone, and durably."""

    def read(self) -> contextlib.AbstractContextManager[None]:
        """Read in the block what there was at one moment."""

    def close(self) -> None:
        """End the connection."""


class Store(Protocol):
    """A database, before anybody is connected to it; `name` is what errors say, without a password, and whether it
    `is_remote` tells that an answer may take long."""

    name: str
    is_remote: bool

    def exists(self) -> bool:
        """Whether there may be something in it."""

    def connect(self) -> Session:
        """Return a new connection, which makes what is missing."""


def store_at(url: str | None, path: str, filter_file: str) -> Store:
    """Return the store at a URL; without one the SQLite database at `path`, which belongs to a filter."""
    if url is None:
        return SqliteStore(path, filter_file)
    if not url.startswith(SCHEMES):
        shown = escape(url.partition(":")[0][:40])
        raise UsageError(f"Expected a store as postgresql://…; got {shown}:…. Without --store it is SQLite.")
    return PostgresStore(url)


class SqliteStore:
    """A SQLite database in a file, which gets the rights of the filter's file."""

    is_remote = False

    def __init__(self, path: str, filter_file: str) -> None:
        self.path, self.filter_file, self.name = path, filter_file, escape(path)

    def exists(self) -> bool:
        """Whether there is such a file."""
        return os.path.exists(self.path)

    def connect(self) -> SqliteSession:
        """Return a new connection."""
        with _sqlite_errors(self.name):
            make(self.path, self.filter_file)
            connection = sqlite3.connect(
                uri_of(self.path, "rw"), uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
                for name, value in _PRAGMAS.items():
                    connection.execute(f"PRAGMA {name} = {value}")
            except BaseException:
                connection.close()
                raise
            return SqliteSession(connection, self.name)


class SqliteSession:
    """A connection to a SQLite database."""

    dialect = Dialect("BLOB", "REAL", "INTEGER")

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self.connection, self.name = connection, name

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Cursor:
        """Carry out a statement."""
        with _sqlite_errors(self.name):
            return self.connection.execute(statement, values)

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Carry out a statement for each row of values."""
        with _sqlite_errors(self.name):
            self.connection.executemany(statement, rows)

    def write(self) -> contextlib.AbstractContextManager[None]:
        """Do all that the block does, or nothing."""
        return _transaction(self, "BEGIN IMMEDIATE")

    def read(self) -> contextlib.AbstractContextManager[None]:
        """Read in the block what there was at one moment."""
        return _transaction(self, "BEGIN")

    def close(self) -> None:
        """End the connection."""
        self.connection.close()


class PostgresStore:
    """A PostgreSQL database at a URL, as libpq reads it."""

    is_remote = True

    def __init__(self, url: str) -> None:
        self.url, self.name = url, _without_password(url)

    def exists(self) -> bool:
        """Whether there may be something in it."""
        return True

    def connect(self) -> PostgresSession:
        """Return a new connection."""
        try:
            import psycopg
        except ImportError as error:
            raise UsageError(
                "Expected psycopg for a store of PostgreSQL; it is not installed. Install it: "
                "pip install 'deciban[postgresql]'."
            ) from error
        with _postgres_errors(self.name):
            connection = psycopg.connect(
                self.url,
                autocommit=True,
                connect_timeout=_REACHED,
                application_name="deciban",
                prepare_threshold=2,
                tcp_user_timeout=1000 * _REACHED,
            )
            connection.execute("SET synchronous_commit = on")
            connection.execute(f"SET lock_timeout = '{PATIENCE:g}s'")
            return PostgresSession(connection, self.name)


class PostgresSession:
    """A connection to a PostgreSQL database."""

    dialect = Dialect("BYTEA", "DOUBLE PRECISION", "BIGINT")

    def __init__(self, connection: Any, name: str) -> None:
        self.connection, self.name = connection, name

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Cursor:
        """Carry out a statement."""
        with _postgres_errors(self.name):
            found: Cursor = self.connection.execute(statement.replace("?", "%s"), values or None)
            return found

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Carry out a statement for each row of values."""
        with _postgres_errors(self.name):
            self.connection.cursor().executemany(statement.replace("?", "%s"), rows)

    @contextlib.contextmanager
    def write(self) -> Iterator[None]:
        """Do all that the block does, or nothing: whoever else writes waits for the advisory lock."""
        with _transaction(self, "BEGIN"):
            self.execute("SELECT pg_advisory_xact_lock(?)", (_LOCK,))
            yield

    @contextlib.contextmanager
    def read(self) -> Iterator[None]:
        """Read in the block what there was at one moment."""
        with _transaction(self, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"):
            yield

    def close(self) -> None:
        """End the connection."""
        self.connection.close()


@contextlib.contextmanager
def _transaction(session: SqliteSession | PostgresSession, begin: str) -> Iterator[None]:
    """Commit what the block does, or take all of it back."""
    session.execute(begin)
    try:
        yield
        session.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(Exception):  # a connection that is lost, or a full disk, has rolled back
            session.connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def _sqlite_errors(name: str) -> Iterator[None]:
    """Turn what SQLite says into the errors of this program."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorname != "SQLITE_ERROR":
            raise StorageError(
                f"{name}: could not be read or written: {error}. Nothing was changed; make room or check rights."
            ) from error
        raise DataError(
            f"{name}: expected a database of users; it is damaged ({error}). Restore it from a backup, or move it away."
        ) from error
    except OSError as error:
        raise StorageError(
            f"{name}: could not be made: {error.strerror}. Nothing was changed; check rights."
        ) from error


@contextlib.contextmanager
def _postgres_errors(name: str) -> Iterator[None]:
    """Turn what PostgreSQL says into the errors of this program."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        what = " ".join(str(error).split())[:300] or type(error).__name__
        raise StorageError(
            f"{name}: could not be read or written: {escape(what)}. Nothing was changed; see whether the server runs."
        ) from error


def _without_password(url: str) -> str:
    """Return a URL as errors may show it: without user, password and parameters."""
    scheme, _, rest = url.partition("://")
    return escape(f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}")
