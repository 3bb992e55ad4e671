"""A folder beside the model that is learnt, for the files that it is learnt from: held by one run at a time, and
removed at the end.

    about.json  what the files depend on
    lock        held by the run that learns from them
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import StorageError, UsageError, escape
from ..files.locks import hold_at_once
from ..files.system import REPLACES_OPEN_FILES

_ABOUT, _LOCK = "about.json", "lock"
_MARK = "rows, kept while deciban train learns them"


class KeptFolder:
    """A folder of rows; `about` is what they depend on: rows that were kept of anything else are discarded."""

    def __init__(self, folder: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        self._about = {"what": _MARK, **about}

    @contextmanager
    def open(self) -> Iterator[bool]:
        """Hold the folder for as long as the block takes, and yield whether rows of an earlier run are in it."""
        name = escape(str(self.folder))
        with ExitStack() as stack:
            try:
                self._make()
                is_held = stack.enter_context(hold_at_once(self.folder / _LOCK))
            except OSError as error:
                raise _no_folder(name, error) from error
            if not is_held:
                raise UsageError(
                    f"{name}: expected a folder that no other process learns from; one does. Wait until it ends, or "
                    "choose another name with -o."
                )
            yield self._clear()
        if not REPLACES_OPEN_FILES:  # what is left of a folder that was removed while its lock was held
            with suppress(OSError):
                if [path.name for path in self.folder.iterdir()] == [_LOCK]:
                    shutil.rmtree(self.folder)

    def _make(self) -> None:
        """Make the folder, unless it is there."""
        known = self._read(_ABOUT) if self.folder.is_dir() else None
        is_mine = isinstance(known, dict) and known.get("what") == _MARK
        if not is_mine and not self._is_free():
            raise UsageError(
                f"{escape(str(self.folder))}: expected a free name for the rows that are kept meanwhile; it is "
                "something else. Remove it, or choose another name with -o."
            )
        self.folder.mkdir(0o700, exist_ok=True)  # who may not read the source may not read its rows here

    def _is_free(self) -> bool:
        """Return whether nothing is there, or no more than a run leaves that ends at once."""
        if not self.folder.is_dir():
            return not self.folder.exists()
        return {path.name for path in self.folder.iterdir()} <= {_LOCK, _ABOUT, f"{_ABOUT}.unfinished"}

    def _clear(self) -> bool:
        """Remove what is of no use, and return whether rows of the same source are left."""
        is_known = bool(self._read(_ABOUT) == self._about)
        try:
            for path in self.folder.iterdir():
                left = path.name.startswith("deciban-") or ".unfinished" in path.name
                if path.name != _LOCK and (left or not is_known):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            if not is_known:
                self._write(_ABOUT, self._about)
        except OSError as error:
            raise _no_folder(escape(str(self.folder)), error) from error
        return is_known

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self, name: str) -> Any:
        with suppress(OSError, ValueError):
            return json.loads((self.folder / name).read_text("utf-8"))
        return None

    def _write(self, name: str, value: Any) -> None:
        unfinished = self.folder / f"{name}.unfinished"
        unfinished.write_text(json.dumps(value), "utf-8")
        unfinished.rename(self.folder / name)


def _no_folder(name: str, error: OSError) -> StorageError:
    return StorageError(f"{name}: {error.strerror}. Expected a folder to keep rows in. Choose another -o.")
