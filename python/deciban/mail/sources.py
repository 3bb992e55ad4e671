"""What people have, as a list of files by label: mbox, Maildir, folders of messages, one file.

    find(["spam=Junk/", "ham=Inbox.mbox"])        label=PATH, split at the first "="
    find(["corpus/"])                             a folder whose sub-folders are the classes

Only names and the first bytes are read here, of Maildirs only names; the messages themselves are read by the core,
which follows those of Maildirs that are renamed meanwhile, and counts what is gone when it is its turn. Files come in
the order of the arguments and, inside a folder, in natural order (`inmail.9` before `inmail.10`), which is
the order of arrival for Maildirs and for most corpora. The cost is one `open` a file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Literal, NamedTuple, TypeAlias

from ..errors import DataError, UsageError, escape, unreadable
from .folders import is_file, is_folder, is_maildir, messages, natural, scan, visible
from .sniff import Kind, begins_mbox, kind_in_folder, looks_like_mail, read_head

__all__ = ["Source", "check_classes", "files", "find", "kind_of", "looks_like_mail"]

Identity: TypeAlias = tuple[int, int]  # device and inode: the same file under any name

STDIN = "-"


class Source(NamedTuple):
    """One file: its label, its path ("-" is standard input), and whether it holds one message or many."""

    label: str
    path: str
    kind: Kind


def find(arguments: Sequence[str]) -> list[Source]:
    """Return the files that `arguments` name, each with its label.

    An argument is `label=PATH` or a folder with one sub-folder per class. PATH is an mbox (its first line is
    "From ", a sender, a date), a Maildir (it has cur/ and new/), a folder searched to any depth, a file with
    one message, or "-" (which comes as one message: the caller knows better).

    In a folder, if any file ends in .eml, .txt, .msg, .mbox or .mbx, only those count; otherwise every file
    that is not hidden. A real folder is visited once, so links that form a loop end. What one label names
    itself is left out of another label's folder: `spam=Mail/Junk ham=Mail` does what it says.

    Raises UsageError (no label, no file or folder, one path under two labels), NoInputError (not there, not
    readable) and DataError (nothing in it).

    >>> find(["spam=-"])
    [Source(label='spam', path='-', kind='message')]
    """
    if not arguments:
        raise UsageError("Expected label=PATH, or a folder with one sub-folder per class; nothing came.")
    roots = list(dict.fromkeys(chain.from_iterable(map(_roots, arguments))))
    seen = _claims(roots)
    return [source for label, path in roots for source in _sources(label, path, seen)]


def files(paths: Sequence[str], label: str = "") -> list[Source]:
    """Return the files of `paths`, in their order, all under one label: what is to be judged, or learnt as that.

    A path is what it is for `find`, and raises the same.
    """
    return [source for path in paths for source in _sources(label, _expand(path), set())]


def check_classes(sources: Sequence[Source]) -> None:
    """Raise DataError unless the sources have at least two labels."""
    labels = sorted({source.label for source in sources})
    if len(labels) >= 2:
        return
    if not labels:
        raise DataError("Expected files of at least two classes; no files came. Name them as label=PATH.")
    raise DataError(
        f"Expected files of at least two classes; all {len(sources)} are '{escape(labels[0])}'. "
        "Add another class as label=PATH, for example ham=Inbox.mbox."
    )


def kind_of(sources: Sequence[Source]) -> Literal["mail", "text"]:
    """Return whether the files are mail or plain text: what most of up to 20 look like, each label in turn.

    Standard input is not looked at. Mail where nothing else is known, and on a tie.
    """
    by_label: dict[str, list[Source]] = {}
    for source in sources:
        if source.path != STDIN:
            by_label.setdefault(source.label, []).append(source)
    in_turn = (source for row in zip_longest(*by_label.values()) for source in row if source)
    votes = [vote for vote in map(_is_mail, islice(in_turn, 20)) if vote is not None]
    return "mail" if 2 * sum(votes) >= len(votes) else "text"


def _is_mail(source: Source) -> bool | None:
    """Return whether a file looks like mail; None where it is gone."""
    if source.path.lower().endswith((".eml", *_MBOX)):
        return True
    head = read_head(source.path)
    return None if head is None else looks_like_mail(head)


# --- arguments ---------------------------------------------------------------------------------------------


def _roots(argument: str) -> list[tuple[str, str]]:
    """Return (label, path) for `label=PATH`; one for each sub-folder for a folder of classes."""
    label, equals, path = argument.partition("=")
    if not equals:
        return _classes(argument)
    if not label or not path:
        missing = "label" if not label else "path"
        raise UsageError(f"'{escape(argument)}': expected label=PATH; the {missing} is empty.")
    return [(label, _expand(path))]


def _expand(path: str) -> str:
    return path if os.path.lexists(path) else os.path.expanduser(path)


def _classes(folder: str) -> list[tuple[str, str]]:
    name = escape(folder)
    if folder == STDIN:
        raise UsageError("'-': expected a label for standard input. Write label=-, for example spam=-.")
    if not stat.S_ISDIR(_stat(folder).st_mode):
        raise UsageError(f"{name}: expected a label for this file. Write label=PATH, for example spam={name}.")
    inside = scan(folder)
    names = sorted((e.name for e in inside if is_folder(e) and not e.name.startswith(".")), key=natural)
    if not names or is_maildir(inside):
        what = "a Maildir" if names else "a folder without sub-folders"
        raise UsageError(
            f"{name}: expected one sub-folder per class; this is {what}. "
            f"If it is one class, write label=PATH, for example spam={name}."
        )
    return [(each, os.path.join(folder, each)) for each in names]


def _claims(roots: Sequence[tuple[str, str]]) -> set[Identity]:
    """Return what the arguments name themselves; raises UsageError where two labels claim the same path."""
    claimed: dict[Identity, str] = {}
    for label, path in roots:
        identity = (-1, -1) if path == STDIN else _identity(_stat(path))
        other = claimed.setdefault(identity, label)
        if other != label:
            raise UsageError(
                f"{escape(path)}: expected one label; it came as '{escape(other)}' and as '{escape(label)}'. "
                "Keep one of the two."
            )
    return set(claimed)


def _sources(label: str, path: str, seen: set[Identity]) -> Iterator[Source]:
    if path == STDIN:
        return iter([Source(label, STDIN, "message")])
    about = _stat(path)
    if stat.S_ISDIR(about.st_mode):
        return _in_folder(label, path, seen)
    if not stat.S_ISREG(about.st_mode):
        wanted = f"{escape(label)}=-" if label else "-"
        raise UsageError(
            f"{escape(path)}: expected a file or a folder; this is a pipe or a device. "
            f"To read from a pipe, write {wanted} and use standard input."
        )
    if about.st_size == 0:
        raise DataError(f"{escape(path)}: expected messages; the file is empty.")
    head = read_head(path) or b""
    if path.lower().endswith(_MBOX) and not head.startswith(b"From "):
        raise DataError(
            f'{escape(path)}: expected an mbox, which begins with "From "; it begins with {head[:12]!r}. '
            "If it is one message, rename it to end in .eml."
        )
    return iter([Source(label, path, "mbox" if begins_mbox(head) else "message")])


# --- folders -----------------------------------------------------------------------------------------------

_MBOX = (".mbox", ".mbx")
_COUNTED = (".eml", ".txt", ".msg", *_MBOX)
_INDEX = ".msf"  # Thunderbird keeps one beside every mbox


class _File(NamedTuple):
    path: str
    in_maildir: bool


def _in_folder(label: str, root: str, seen: set[Identity]) -> Iterator[Source]:
    files = list(_walk(root, seen))
    if any(not f.in_maildir and f.path.lower().endswith(_COUNTED) for f in files):
        files = [f for f in files if f.in_maildir or f.path.lower().endswith(_COUNTED)]
    empty = True
    for path, in_maildir in files:
        kind = "message" if in_maildir else kind_in_folder(path)
        if kind is not None:
            empty = False
            yield Source(label, path, kind)
    if empty:
        whose = f" for '{escape(label)}'" if label else ""
        raise DataError(
            f"{escape(root)}: expected messages{whose}; the folder has none. Files that end in "
            f"{', '.join(_COUNTED)} count; where there are none of those, all that are not hidden."
        )


def _walk(root: str, seen: set[Identity]) -> Iterator[_File]:
    """Yield every regular file that is not hidden, depth first, in natural order. Folders visited join `seen`.

    The stack is explicit because a path may be some 2,000 folders deep, more than Python's own stack.
    """
    inodes = {inode for _, inode in seen}  # those of folders met later cannot be a file's
    stack: list[_File | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, _File):
            yield item
            continue
        identity = _identity(_stat(item))
        if item != root and identity in seen:
            continue  # an argument of its own, or met again through a link
        seen.add(identity)
        stack.extend(reversed(_entries(item, seen, inodes)))


def _entries(folder: str, seen: set[Identity], inodes: set[int]) -> list[_File | str]:
    inside = scan(folder)
    if is_maildir(inside):
        return [_File(path, True) for path in messages(folder)]
    found: list[_File | str] = []
    for entry in visible(inside):
        if is_folder(entry):
            found.append(entry.path)
        elif is_file(entry) and not entry.name.endswith(_INDEX):
            may_be_seen = entry.inode() in inodes or entry.is_symlink()
            if not (may_be_seen and _identity(entry.stat()) in seen):
                found.append(_File(entry.path, False))
    return found


# --- the file system, with errors that say where -----------------------------------------------------------


def _identity(about: os.stat_result) -> Identity:
    return about.st_dev, about.st_ino


def _stat(path: str) -> os.stat_result:
    try:
        return os.stat(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise unreadable(path, error) from error
