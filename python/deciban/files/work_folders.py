"""Folders for what is made before it takes its place: beside it, for one user and one process."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator

from ..errors import NoInputError, StorageError, escape
from .locks import hold_at_once

_HELD = "held"
"""A file that whoever uses a folder holds: folders of others are leftovers."""


@contextlib.contextmanager
def folder_for(path: str) -> Iterator[str]:
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
