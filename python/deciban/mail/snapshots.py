"""Snapshots of a filter: files beside it, each the filter as `deciban refresh` would have made it at a moment."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from time import gmtime, strftime
from typing import NamedTuple

from .. import store
from ..data.text_layout import ONLINE
from ..errors import DataError, NoInputError, StorageError, UsageError, escape
from ..files.locks import lock
from ..files.replacement import replace
from ..text.experts import ServedExperts
from ..text.served import ServedText
from .history import History
from .journal import SUFFIX as OF_JOURNAL
from .journal import Entry, Journal

SUFFIX = ".snapshots"
_REPLACED = "replaced-"
"""What the names of snapshots begin with that rollbacks make of what they replace."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_ENDING, _PART = ".deciban", ".journal-part"


class Snapshot(NamedTuple):
    """A name, the path of the file, when it was made, in seconds since 1970, and its bytes."""

    name: str
    path: str
    made: float
    size: int


def snapshots(path: str | os.PathLike[str]) -> list[Snapshot]:
    """Return the snapshots of the filter at `path`, the oldest first."""
    found = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(_folder(path)) as entries:
        for entry in entries:
            name = entry.name.removesuffix(_ENDING)
            if entry.name.endswith(_ENDING) and _NAME.fullmatch(name) and entry.is_file():
                about = entry.stat()
                found.append(Snapshot(name, entry.path, about.st_mtime, about.st_size))
    return sorted(found, key=lambda each: (each.made, each.name))


def take_snapshot(path: str | os.PathLike[str], name: str | None = None) -> Snapshot:
    """Keep the filter at `path`, with all that it was taught, under a name: the time unless one is given.

    Raises
    ------
    UsageError
        If the name is none, or is taken.
    StorageError
        If the snapshot cannot be written.
    """
    with lock(path):
        name = _new_name(path) if name is None else check_name(name)
        if any(each.name == name for each in snapshots(path)):
            raise UsageError(f"Snapshot {name} exists. Expected a new name; deciban snapshot --remove removes one.")
        return _keep(path, name)


def _keep(path: str | os.PathLike[str], name: str) -> Snapshot:
    """Write a snapshot of a filter, which the caller holds alone: its journal first, so that none is without."""
    folder, entries = _folder(path), _waiting(path)
    content = read_bytes(path)
    kept = os.path.join(folder, name + _ENDING)
    with _told(folder):
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
        _keep_journal(path, kept + OF_JOURNAL)
    if entries:
        from .filter import Filter  # here, because few need it

        Filter.load(path).taught(entries).save(kept)
    else:
        replace(kept, content)
    with _told(kept):
        shutil.copymode(path, kept)
        about = os.stat(kept)
        return Snapshot(name, kept, about.st_mtime, about.st_size)


def _keep_journal(path: str | os.PathLike[str], kept: str) -> None:
    for left in (kept, *glob.glob(f"{glob.escape(_folder(path))}/*{_PART}")):  # by who was killed
        with contextlib.suppress(FileNotFoundError):
            os.unlink(left)
    with Journal.open(path, write=False) as journal:
        if journal is not None:
            History(journal.connection).copy_to(kept + _PART)
            os.replace(kept + _PART, kept)


def _waiting(path: str | os.PathLike[str]) -> list[Entry]:
    """Return what the journal of a filter says that its file does not have yet."""
    header = store.read_header(path)
    if store.of_table(header) or header["model"] != ONLINE:
        return []
    with Journal.open(path, write=False) as journal:
        if journal is None:
            return []
        journal.require_classes(header["classes"])
        return journal.entries()


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a .deciban file that was checked; DataError for one that is damaged."""
    store.read(path, tables=True)
    with open(path, "rb") as file:
        return file.read()


def roll_back(path: str | os.PathLike[str], name: str, *, force: bool = False) -> tuple[Snapshot, Snapshot | None]:
    """Put a snapshot in the place of the filter at `path`, and return it, and the snapshot of what it replaced.

    First the file gets all that the journal says, so that the journal changes no verdict any more; then the snapshot
    takes its place. Whoever is killed at any moment leaves the filter as it was or as the snapshot has it.

    Raises
    ------
    NoInputError
        If there is no snapshot of this name.
    DataError
        If it is damaged, or would change the verdict of a canary and `force` does not give it up; nothing is changed
        then.
    """
    found = next((each for each in snapshots(path) if each.name == check_name(name)), None)
    if found is None:
        known = ", ".join(each.name for each in snapshots(path)) or "none"
        raise NoInputError(f"{escape(os.fspath(path))}: no snapshot {name}. Expected one of: {known}.")
    content, history = read_bytes(found.path), History.read_copy(found.path + OF_JOURNAL)
    replaced = None
    with lock(path):
        _guard(path, content, force)
        with contextlib.suppress(DataError):  # a damaged filter is replaced all the same
            if read_bytes(path) != content or _waiting(path):
                replaced = _keep(path, _new_name(path, _REPLACED))
                _settle(path, read_bytes(replaced.path))
        with _journal_of(path, history):
            replace(path, content)
    return found, replaced


def _guard(path: str | os.PathLike[str], content: bytes, force: bool) -> None:
    """Raise CanaryError if a file that is to take the place of a filter would change the verdict of a canary."""
    with Journal.open(path, write=False) as journal:
        if journal is None or not journal.canary_count():
            return
    with Journal.open(path, write=True) as journal:
        assert journal is not None
        canaries, served = journal.canaries, ServedText.from_stored(store.parse(content))
        if isinstance(served, ServedExperts) and canaries.are_read_by(served.settings):
            journal.write(lambda: canaries.guard(served, "This rollback", force))
        elif force:
            journal.write(lambda: canaries.remove([each.words.digest for each in canaries.all()]))
        else:
            canaries.require_kept(None, escape(os.fspath(path)))


def _settle(path: str | os.PathLike[str], content: bytes) -> None:
    """Give a filter the file that has all its journal says, and let the journal say no more than that it was so."""
    replace(path, content)
    with Journal.open(path, write=False) as journal:
        if journal is None:
            return
    with Journal.open(path, write=True) as journal:
        assert journal is not None
        journal.write(History(journal.connection).close)


def _new_name(path: str | os.PathLike[str], start: str = "") -> str:
    """Return a name of the time that no snapshot has."""
    known = {each.name for each in snapshots(path)}
    name = start + strftime("%Y-%m-%d-%H%M%S", gmtime())
    return next(each for each in (name, *(f"{name}.{k}" for k in range(2, 10000))) if each not in known)


@contextlib.contextmanager
def _journal_of(path: str | os.PathLike[str], history: sqlite3.Connection | None) -> Iterator[None]:
    """Give a filter the journal of a snapshot when the block has put the file of then in place."""
    if history is None and not os.path.exists(os.fspath(path) + OF_JOURNAL):
        yield
        return
    with Journal.open(path, write=True) as journal:
        assert journal is not None
        journal.connection.execute("BEGIN IMMEDIATE")
        try:
            History(journal.connection).restore(history)
            yield
        except BaseException:
            journal.connection.execute("ROLLBACK")
            raise
        journal.connection.execute("COMMIT")


def remove_snapshot(path: str | os.PathLike[str], name: str) -> Snapshot:
    """Remove a snapshot; NoInputError if there is none of this name."""
    found = next((each for each in snapshots(path) if each.name == check_name(name)), None)
    if found is None:
        raise NoInputError(f"{escape(os.fspath(path))}: no snapshot {name}. Nothing was removed.")
    with _told(found.path):
        os.unlink(found.path)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(found.path + OF_JOURNAL)
    return found


def check_name(name: str) -> str:
    """Return a name of a snapshot; UsageError for what is none."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{escape(name)!r} is no name of a snapshot. Expected at most 64 letters, digits, '_', '-' and '.', not "
            "first a '.' or '-'."
        )
    return name


def _folder(path: str | os.PathLike[str]) -> str:
    return os.fspath(path) + SUFFIX


@contextlib.contextmanager
def _told(where: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{escape(where)}: {error.strerror}. Nothing was changed; make room or check rights."
        ) from error
