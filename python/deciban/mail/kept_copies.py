"""Copies of the messages that a server keeps, for backups: read while it goes on, and put back under its hands."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from ..errors import StorageError, escape
from .database import copy_table, uri_of
from .kept_database import SUFFIX, TABLES, connect, errors_of, write

_PAGES = 2048
"""Pages that are copied at a time, so that an interruption is heard."""


@contextmanager
def open_kept(path: str) -> Iterator[sqlite3.Connection | None]:
    """Yield the messages that are kept beside the filter at `path` as they are at this moment, whoever writes while the
    block lasts; None where none are kept."""
    where = path + SUFFIX
    if not os.path.exists(where):
        yield None
        return
    _require_readable(where)
    with errors_of(where):
        database = connect(where)
    with closing(database):
        with errors_of(where):
            database.execute("BEGIN")
            count_kept(database)  # what is read first says of which moment all of it is
        yield database


def _require_readable(where: str) -> None:
    try:
        open(where, "rb").close()
    except OSError as error:
        raise StorageError(
            f"{escape(where)}: expected a file that you may read: {error.strerror}. The messages that a server keeps "
            "are for its user alone: do this as that user, or leave them out: --without-messages."
        ) from error


def count_kept(database: sqlite3.Connection) -> int:
    """Return how many messages are kept, each with its text."""
    found: int = database.execute("SELECT count(*) FROM messages JOIN contents USING (id)").fetchone()[0]
    return found


def copy_kept(database: sqlite3.Connection, path: str, to: str) -> int:
    """Write the messages of the filter at `path`, as `open_kept` has them, to a database in a file; return how many."""
    with errors_of(path + SUFFIX), closing(sqlite3.connect(to, isolation_level=None)) as copy:
        database.backup(copy, pages=_PAGES, progress=lambda *_: None)
        copy.execute("PRAGMA journal_mode = DELETE")
        return count_kept(copy)


@contextmanager
def replacing_kept(source: str | None, path: str) -> Iterator[None]:
    """Put the messages of a copy in the place of those beside the filter at `path`, when the block has ended and not if
    it fails. Without a copy they stay. One message at a time is held in memory."""
    where = path + SUFFIX
    if source is None:
        yield
    elif not os.path.exists(path) and not os.path.exists(where):  # what is new has its messages first
        os.replace(source, where)
        try:
            yield
        except BaseException:
            os.unlink(where)
            raise
    else:
        with closing(sqlite3.connect(uri_of(source, "ro"), uri=True)) as copy, write(where, path) as database:
            for table in TABLES:
                copy_table(table, copy, database)
            yield
