"""Several files in one, each with its digest: what a backup is made of.

    "deciban backup 1\\n", the size of the header in 8 bytes, little-endian, its SHA-256, the header, the files

The header is JSON: `{"members": [{"name": …, "size": …, "sha256": …}, …]}`, in the order of the files. Names are those
that the reader knows; none is ever used as a path as it stands.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from ..errors import DataError, escape
from .regular import open_regular
from .replacement import replace
from .system import flags

_MAGIC = b"deciban backup 1\n"
_BEGIN = len(_MAGIC) + 8 + 32
_LONGEST = 4 << 20
"""Bytes of a header, and """
_MOST = 20_000
"""files of an archive, at most."""
_PIECE = 1 << 20


class Member(NamedTuple):
    """A file of an archive: its name, where it begins, its bytes, and their digest."""

    name: str
    start: int
    size: int
    digest: str


def write_archive(path: str | os.PathLike[str], members: Mapping[str, str], *, private: bool = False) -> int:
    """Write the files at these paths, by their names, as one file, in one step; return its bytes."""
    about = [{"name": name, "size": os.path.getsize(at), "sha256": _digest(at)} for name, at in members.items()]
    header = json.dumps({"members": about}).encode()
    start = _MAGIC + len(header).to_bytes(8, "little") + hashlib.sha256(header).digest()
    with ExitStack() as stack:
        contents = [stack.enter_context(_mapped(at)) for at in members.values()]
        replace(path, start, header, *contents, private=private)
    return _BEGIN + len(header) + sum(map(os.path.getsize, members.values()))


@contextmanager
def _mapped(path: str) -> Iterator[memoryview | bytes]:
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            yield b""
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as found:
            view = memoryview(found)
            try:
                yield view
            finally:
                view.release()


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_archive(path: str | os.PathLike[str], place_of: Callable[[str], str | None]) -> list[Member]:
    """Unpack an archive: each member to the path that `place_of` has for its name, all digests checked.

    Raises
    ------
    DataError
        If it is none, is damaged, or has a member for which there is no place. Some files may be there then.
    """
    name = escape(os.fspath(path))
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        members = _members(file.read(_BEGIN), file, size, name)
        places = [_place(each, place_of, name) for each in members]
        for each, place in zip(members, places, strict=True):
            _unpack(file, each, place, name)
    return members


def _members(begin: bytes, file: Any, size: int, name: str) -> list[Member]:
    if not begin.startswith(_MAGIC):
        raise DataError(f"{name}: expected a backup of a filter. Make one: deciban backup FILTER OUT.")
    length = int.from_bytes(begin[len(_MAGIC) : len(_MAGIC) + 8], "little")
    if len(begin) < _BEGIN or length > min(_LONGEST, size - _BEGIN):
        raise _damaged(name, "its header is cut short")
    header = file.read(length)
    if hashlib.sha256(header).digest() != begin[len(_MAGIC) + 8 :]:
        raise _damaged(name, "its header has another digest")
    found, start = [], _BEGIN + length
    try:
        listed = json.loads(header)["members"]
        for each in listed[: _MOST + 1]:
            member = Member(str(each["name"]), start, int(each["size"]), str(each["sha256"]))
            if member.size < 0:
                raise ValueError("a size is below 0")
            found.append(member)
            start += member.size
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _damaged(name, "its header is not that of a backup") from error
    if len(found) > _MOST or len({each.name for each in found}) < len(found):
        raise _damaged(name, "its header names too many files, or one twice")
    if start != size:
        raise _damaged(name, f"it should have {start:,} bytes and has {size:,}")
    return found


def _place(member: Member, place_of: Callable[[str], str | None], name: str) -> str:
    place = place_of(member.name)
    if place is None:
        raise _damaged(name, f"it has a file {escape(member.name[:80])!r}, which no backup has")
    return place


def _unpack(file: Any, member: Member, place: str, name: str) -> None:
    file.seek(member.start)
    left, digest = member.size, hashlib.sha256()
    with open(os.open(place, flags("O_WRONLY", "O_CREAT", "O_EXCL"), 0o600), "wb") as target:
        while left:
            piece = file.read(min(left, _PIECE))
            if not piece:
                raise _damaged(name, "it is cut short")
            left -= len(piece)
            digest.update(piece)
            target.write(piece)
    if digest.hexdigest() != member.digest:
        raise _damaged(name, f"{escape(member.name)} has another digest")


def _damaged(name: str, why: str) -> DataError:
    return DataError(f"{name}: the backup is damaged: {why}. Nothing was restored; take another copy.")
