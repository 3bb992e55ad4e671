"""Backups: a filter, its journal, its users and its snapshots in one file, of one moment, and back.

A backup is made while others teach: who learns waits until the journal is copied, and users are read at one moment.
What is restored was checked before anything is changed: digests, the filter, the databases. A filter that is new is
there when all that belongs to it is; one that is replaced gets its journal in the transaction in which its file is.
As file, journal and users are not replaced at one moment, a note beside the filter says that they are being: whoever is
killed leaves it, and nothing is learnt before the filter is restored again.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import DataError, NoInputError, StorageError, UsageError, escape, unreadable
from ..files.archives import read_archive, write_archive
from ..files.locks import hold_at_once, lock
from ..files.replacement import replace
from . import snapshots
from .database import VERSION, connect, errors_of, version_of
from .journal import OF_RESTORING, Journal, discard, require_whole
from .journal import SUFFIX as OF_JOURNAL
from .sql_stores import SqliteStore, Store, store_at
from .user_copies import replacing_users
from .users import Users, users_beside

FILTER, JOURNAL, USERS, SNAPSHOTS = "filter", "journal", "users", "snapshots/"
_ENDINGS = (".deciban" + OF_JOURNAL, ".deciban")
_HELD = "held"
"""A file that whoever uses a folder holds: folders of others are leftovers."""
_OF_JOURNAL = ("entries", "about", "steps", "solution", "canaries")


@dataclass(frozen=True)
class Backup:
    """What is in a backup: its bytes, how many users and snapshots, and whether there is a journal."""

    size: int
    users: int
    snapshots: int
    has_journal: bool


def back_up(path: str, out: str, url: str | None = None, *, force: bool = False) -> Backup:
    """Write a backup of the filter at `path`, with the users in the store at a URL, else beside it.

    Raises
    ------
    UsageError
        If there is a file already and `force` does not replace it.
    """
    if os.path.lexists(out) and not force:
        raise UsageError(f"{escape(out)}: exists. Choose another name, or replace it: --force.")
    with _folder_for(out) as folder:
        members = {FILTER: f"{folder}/{FILTER}"}
        with lock(path):
            require_whole(path)
            with open(members[FILTER], "wb") as file:
                file.write(snapshots.read_bytes(path))
            with Journal.open(path, write=False) as journal:
                if journal is not None:
                    members[JOURNAL] = f"{folder}/{JOURNAL}"
                    with errors_of(path + OF_JOURNAL):
                        _copy_database(journal.connection, members[JOURNAL])
            kept = snapshots.snapshots(path)
            for each in kept:
                for at in (each.path, each.path + OF_JOURNAL):
                    if os.path.exists(at):
                        name = f"snapshot-{len(members)}"
                        members[SNAPSHOTS + os.path.basename(at)] = f"{folder}/{name}"
                        shutil.copyfile(at, f"{folder}/{name}")
        users, known = store_at(url, users_beside(path), path), 0
        if users.exists():
            members[USERS] = f"{folder}/{USERS}"
            known = _export_users(users, members[USERS], members[FILTER])
        size = write_archive(out, members)
    return Backup(size, known, len(kept), JOURNAL in members)


def restore(backup: str, path: str, url: str | None = None, *, force: bool = False) -> Backup:
    """Put what is in a backup in the place of the filter at `path` and all that belongs to it, and of the users in the
    store at a URL, else beside it.

    Raises
    ------
    UsageError
        If there is something of it already and `force` does not replace it.
    DataError
        If the backup is damaged; nothing is changed then.
    """
    users = store_at(url, users_beside(path), path)
    if not force:
        _require_free(path, users)
    try:
        open(backup, "rb").close()
    except OSError as error:
        raise unreadable(backup, error) from error
    with _folder_for(path) as folder:
        places: dict[str, str] = {}

        def place_of(name: str) -> str | None:
            if not _is_known(name):
                return None
            return places.setdefault(name, f"{folder}/{len(places)}")

        read_archive(backup, place_of)
        shown = escape(backup)
        if FILTER not in places:
            raise DataError(f"{shown}: expected a backup with a filter; it has none. Take another copy.")
        content = _check(places, shown)
        own = store_at(url, users_beside(path), places[FILTER])
        with (
            lock(path, needed=False),
            _noting(path),
            _users_from(places.get(USERS), own, places[FILTER]) as known,
            _snapshots_from(places, path, folder) as count,
            _journal_from(places.get(JOURNAL), path),
        ):
            replace(path, content)
    return Backup(os.path.getsize(backup), known, count, JOURNAL in places)


def _is_known(name: str) -> bool:
    if name in (FILTER, JOURNAL, USERS):
        return True
    own = name.removeprefix(SNAPSHOTS)
    if own == name:
        return False
    stem = next((own.removesuffix(each) for each in _ENDINGS if own.endswith(each)), "")
    with contextlib.suppress(UsageError):
        return snapshots.check_name(stem) == stem
    return False


def _require_free(path: str, users: Store) -> None:
    """Raise UsageError where something would be replaced."""
    taken = [at for at in (path, path + OF_JOURNAL, path + snapshots.SUFFIX) if os.path.lexists(at)]
    if not taken and users.exists():
        known = Users.connect(users)
        taken = [users.name] if known.summaries() else []
        known.close()
    if taken:
        raise UsageError(f"{escape(taken[0])}: exists. Restore to another name, or replace it: --force.")


def _check(places: dict[str, str], shown: str) -> bytes:
    """Return the bytes of the filter; DataError where something of a backup is not what it should be."""
    try:
        content = b""
        for name, at in places.items():
            if name.endswith(".deciban") or name == FILTER:
                found = snapshots.read_bytes(at)
                content = found if name == FILTER else content
            else:
                _check_database(at)
    except (DataError, sqlite3.DatabaseError) as error:
        why = str(error).partition(": ")[2] or f"{error}."
        raise DataError(f"{shown}: {escape(name)} is damaged: {why} Nothing was restored.") from error
    return content


def _check_database(at: str) -> None:
    """Raise DataError for a database that is damaged, or has more than tables and their indexes."""
    with contextlib.closing(sqlite3.connect(at, isolation_level=None)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        kinds = {kind for (kind,) in database.execute("SELECT type FROM sqlite_master")}
        if not kinds <= {"table", "index"}:
            raise DataError("a database has triggers or views.")
        [said] = database.execute("PRAGMA quick_check(1)").fetchone()
        if said != "ok" or version_of(database) > VERSION:
            raise DataError(f"{said}, layout {version_of(database)}.")


def _copy_database(connection: sqlite3.Connection, path: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")


def _export_users(users: Store, path: str, filter_file: str) -> int:
    target = Users.connect(SqliteStore(path, filter_file))
    with contextlib.closing(Users.connect(users)) as source, contextlib.closing(target):
        with replacing_users(source, target) as known:
            pass
        target.session.execute("PRAGMA journal_mode = DELETE")
        return known


@contextlib.contextmanager
def _noting(path: str) -> Iterator[None]:
    """Keep a note beside a filter while parts of it are replaced."""
    if not os.path.exists(path):  # one that is new is there when all is
        yield
        return
    note = path + OF_RESTORING
    was_broken_off = os.path.lexists(note)
    replace(note, b"Parts of this filter are of a backup, and others are not: restore it again.\n")
    try:
        yield
    except BaseException:
        if not was_broken_off:  # all is as it was
            os.unlink(note)
        raise
    os.unlink(note)


@contextlib.contextmanager
def _users_from(at: str | None, users: Store, filter_file: str) -> Iterator[int]:
    """Give a filter the users of a backup, none without them, when the block has put its file in place."""
    if at is None and not users.exists():
        yield 0
        return
    with contextlib.ExitStack() as stack:
        target = stack.enter_context(contextlib.closing(Users.connect(users)))
        source = None
        if at is not None:
            source = stack.enter_context(contextlib.closing(Users.connect(SqliteStore(at, filter_file))))
        yield stack.enter_context(replacing_users(source, target))


@contextlib.contextmanager
def _snapshots_from(places: dict[str, str], path: str, folder: str) -> Iterator[int]:
    """Put the snapshots of a backup in the place of those of a filter, and back if the block fails."""
    made, target, replaced, count = f"{folder}/snapshots", path + snapshots.SUFFIX, f"{folder}/replaced", 0
    os.mkdir(made, 0o700)
    for name, at in places.items():
        if name.startswith(SNAPSHOTS):
            os.replace(at, f"{made}/{name.removeprefix(SNAPSHOTS)}")
            count += name.endswith(".deciban")
    try:
        with contextlib.suppress(FileNotFoundError):
            os.replace(target, replaced)
        if count:
            os.replace(made, target)
        yield count
    except BaseException:
        if count and not os.path.exists(made):
            os.replace(target, made)
        with contextlib.suppress(FileNotFoundError):
            os.replace(replaced, target)
        raise


@contextlib.contextmanager
def _journal_from(at: str | None, path: str) -> Iterator[None]:
    """Give a filter the journal of a backup when the block has put its file in place."""
    if not os.path.exists(path):  # what is new has its journal first
        discard(path)
        if at is not None:
            os.replace(at, path + OF_JOURNAL)
        try:
            yield
        except BaseException:
            discard(path)
            raise
        return
    if at is None and not os.path.exists(path + OF_JOURNAL):
        yield
        return
    with Journal.open(path, write=True, restores=True) as journal:
        assert journal is not None
        own, journal.kept = journal.connection, True
        with contextlib.ExitStack() as stack:
            copy = None if at is None else stack.enter_context(contextlib.closing(connect(at, True)))
            with errors_of(path + OF_JOURNAL):
                own.execute("BEGIN IMMEDIATE")
                try:
                    for table in _OF_JOURNAL:
                        _copy_table(table, copy, own)
                    yield
                except BaseException:
                    own.execute("ROLLBACK")
                    raise
                own.execute("COMMIT")


def _copy_table(table: str, source: sqlite3.Connection | None, target: sqlite3.Connection) -> None:
    target.execute(f"DELETE FROM {table}")
    if source is None:
        return
    columns = [str(row[1]) for row in target.execute(f"PRAGMA table_info({table})")]
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    rows = source.execute(f"SELECT {names} FROM {table} ORDER BY rowid")
    target.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


@contextlib.contextmanager
def _folder_for(path: str) -> Iterator[str]:
    """Yield a new folder beside a file, which nobody else may read, and which is removed; those of who was killed are,
    too."""
    parent, base = os.path.dirname(os.path.abspath(path)), os.path.basename(path)[:100]
    try:
        _remove_leftovers(parent, base)
        folder = tempfile.mkdtemp(prefix=f".{base}.", suffix=".part", dir=parent)
    except FileNotFoundError as error:
        raise NoInputError(f"{escape(path)}: there is no such folder. Make it, or choose another place.") from error
    except OSError as error:
        raise StorageError(f"{escape(path)}: {error.strerror}. Nothing was changed; check rights.") from error
    try:
        with hold_at_once(f"{folder}/{_HELD}"):
            yield folder
    except OSError as error:
        raise StorageError(f"{escape(path)}: {error.strerror}. Make room or check rights, and try again.") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers(parent: str, base: str) -> None:
    """Remove folders for a file that nobody holds."""
    pattern = re.compile(rf"\.{re.escape(base)}\.[a-z0-9_]{{8}}\.part")
    for name in filter(pattern.fullmatch, os.listdir(parent)):
        with contextlib.suppress(OSError), hold_at_once(f"{parent}/{name}/{_HELD}") as is_held:
            if is_held:
                shutil.rmtree(f"{parent}/{name}", ignore_errors=True)
