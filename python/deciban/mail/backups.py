"""Backups: a filter, its journal, users, snapshots and the messages that a server keeps in one file, and back.

A backup is made while others teach: who learns waits until the journal is copied, and users and messages are read at
one moment each. With messages, which are the text of mail, only its owner may read it.
What is restored was checked before anything is changed: digests, the filter, the databases. A filter that is new is
there when its journal, snapshots and messages are; one that is replaced gets its journal in the transaction in which
its file is. As file, journal, users and messages are not put in place at one moment, a note beside the filter says that
they are being: whoever is killed leaves it, and nothing is learnt before the filter is restored again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..errors import DataError, UsageError, escape, unreadable
from ..files.archives import read_archive, write_archive
from ..files.locks import lock
from ..files.replacement import replace
from ..files.work_folders import folder_for
from . import kept_database, snapshots
from .database import VERSION, connect, copy_table, errors_of, version_of
from .journal import OF_RESTORING, Journal, discard, require_whole
from .journal import SUFFIX as OF_JOURNAL
from .kept_copies import copy_kept, count_kept, open_kept, replacing_kept
from .sql_stores import SqliteStore, Store, store_at
from .user_copies import replacing_users
from .users import Users, users_beside

FILTER, JOURNAL, USERS, MESSAGES, SNAPSHOTS = "filter", "journal", "users", "messages", "snapshots/"
_ENDINGS = (".deciban" + OF_JOURNAL, ".deciban")
_OF_JOURNAL = ("entries", "about", "steps", "solution", "canaries")


@dataclass(frozen=True)
class Backup:
    """What is in a backup: its bytes, how many users, snapshots and messages, and whether there is a journal."""

    size: int
    users: int
    snapshots: int
    messages: int
    has_journal: bool


def back_up(path: str, out: str, url: str | None = None, *, force: bool = False, messages: bool = True) -> Backup:
    """Write a backup of the filter at `path`, with the users in the store at a URL, else beside it, and the messages
    that a server keeps unless they are left out.

    Raises
    ------
    UsageError
        If there is a file already and `force` does not replace it.
    """
    if os.path.lexists(out) and not force:
        raise UsageError(f"{escape(out)}: exists. Choose another name, or replace it: --force.")
    with folder_for(out) as folder, contextlib.ExitStack() as stack:
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
            taken = _copy_snapshots(path, folder)
            kept = stack.enter_context(open_kept(path)) if messages else None
        users, known, count = store_at(url, users_beside(path), path), 0, 0
        if users.exists():
            members[USERS] = f"{folder}/{USERS}"
            known = _export_users(users, members[USERS], members[FILTER])
        if kept is not None:
            members[MESSAGES] = f"{folder}/{MESSAGES}"
            count = copy_kept(kept, path, members[MESSAGES])
        size = write_archive(out, members | taken, private=MESSAGES in members)
    return Backup(size, known, sum(name.endswith(".deciban") for name in taken), count, JOURNAL in members)


def _copy_snapshots(path: str, folder: str) -> dict[str, str]:
    """Copy the files of snapshots to a folder; return where they are, by their names in a backup."""
    found: dict[str, str] = {}
    for each in snapshots.snapshots(path):
        for at in (each.path, each.path + OF_JOURNAL):
            if os.path.exists(at):
                place = found[SNAPSHOTS + os.path.basename(at)] = f"{folder}/snapshot-{len(found)}"
                shutil.copyfile(at, place)
    return found


def restore(backup: str, path: str, url: str | None = None, *, force: bool = False, messages: bool = True) -> Backup:
    """Put what is in a backup in the place of the filter at `path` and all that belongs to it, and of the users in the
    store at a URL, else beside it. Messages that a server keeps stay where the backup has none, or they are left out.

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
    with folder_for(path) as folder:
        places: dict[str, str] = {}

        def place_of(name: str) -> str | None:
            if not _is_known(name):
                return None
            return places.setdefault(name, f"{folder}/{len(places)}")

        read_archive(backup, place_of)
        content, count = _check(places, escape(backup))
        if not messages:
            places.pop(MESSAGES, None)
            count = 0
        if MESSAGES in places and not force:
            _require_none(path + kept_database.SUFFIX)
        own = store_at(url, users_beside(path), places[FILTER])
        with (
            lock(path, needed=False),
            _noting(path),
            replacing_kept(places.get(MESSAGES), path),
            _users_from(places.get(USERS), own, places[FILTER]) as known,
            _snapshots_from(places, path, folder) as taken,
            _journal_from(places.get(JOURNAL), path),
        ):
            replace(path, content)
    return Backup(os.path.getsize(backup), known, taken, count, JOURNAL in places)


def _is_known(name: str) -> bool:
    if name in (FILTER, JOURNAL, USERS, MESSAGES):
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
    for at in (path, path + OF_JOURNAL, path + snapshots.SUFFIX):
        _require_none(at)
    if users.exists():
        with contextlib.closing(Users.connect(users)) as known:
            if known.summaries():
                raise _refuse_taken(users.name)


def _require_none(path: str) -> None:
    if os.path.lexists(path):
        raise _refuse_taken(escape(path))


def _refuse_taken(shown: str) -> UsageError:
    return UsageError(f"{shown}: exists. Restore to another name, or replace it: --force.")


def _check(places: dict[str, str], shown: str) -> tuple[bytes, int]:
    """Return the bytes of the filter and how many messages there are; DataError where something of a backup is not what
    it should be."""
    if FILTER not in places:
        raise DataError(f"{shown}: expected a backup with a filter; it has none. Take another copy.")
    try:
        content, count = b"", 0
        for name, at in places.items():
            if name.endswith(".deciban") or name == FILTER:
                found = snapshots.read_bytes(at)
                content = found if name == FILTER else content
            elif name == MESSAGES:
                count = _check_database(at, kept_database.VERSION, count_kept)
            else:
                _check_database(at, VERSION)
    except (DataError, sqlite3.DatabaseError) as error:
        why = str(error).partition(": ")[2] or f"{error}."
        raise DataError(f"{shown}: {escape(name)} is damaged: {why} Nothing was restored.") from error
    return content, count


def _check_database(at: str, version: int, count: Callable[[sqlite3.Connection], int] = lambda _: 0) -> int:
    """Return the count of what is in a database; DataError for one that is damaged, or has more than tables and their
    indexes."""
    with contextlib.closing(sqlite3.connect(at, isolation_level=None)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        kinds = {kind for (kind,) in database.execute("SELECT type FROM sqlite_master")}
        if not kinds <= {"table", "index"}:
            raise DataError("a database has triggers or views.")
        [said] = database.execute("PRAGMA quick_check(1)").fetchone()
        if said != "ok" or version_of(database) > version:
            raise DataError(f"{said}, layout {version_of(database)}.")
        return count(database)


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
    """Keep a note beside a filter while parts of it are put in place; of one that is new the users come last."""
    note, before = path + OF_RESTORING, _identity(path)
    was_broken_off = os.path.lexists(note)
    replace(note, b"Parts of this filter are of a backup, and others are not: restore it again.\n")
    try:
        yield
    except BaseException:
        if not was_broken_off and _identity(path) == before:  # all is as it was
            os.unlink(note)
        raise
    os.unlink(note)


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from the one that takes its place; None where there is none."""
    with contextlib.suppress(FileNotFoundError):
        about = os.stat(path)
        return about.st_dev, about.st_ino
    return None


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
                        copy_table(table, copy, own)
                    yield
                except BaseException:
                    own.execute("ROLLBACK")
                    raise
                own.execute("COMMIT")
