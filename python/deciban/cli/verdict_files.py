"""Verdicts of many files, each in a file of its own, which appears when it is whole."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..errors import DataError, StorageError, UsageError, escape
from ..files.replacement import remove_leftovers, replace
from ..mail.sources import STDIN
from .output import Remarks

# Which model the verdicts of a folder are of, and how sure they had to be.
_ABOUT = "about.json"
# Bytes of files that are judged in several processes.
_LONG = 1 << 23


def write_verdicts(
    folder: str,
    files: Sequence[str],
    about: Mapping[str, Any],
    lines: Callable[[str], Iterator[str]],
    remarks: Remarks,
    workers: int = 1,
) -> int:
    """Write the verdicts of each file as JSON lines to `folder`, several files at a time where they are long; those
    that are there are not judged again. Return an exit code."""
    targets = _targets(folder, files)
    _begin(folder, about)
    todo = []
    for path, target in targets.items():
        if os.path.exists(target):
            remove_leftovers(target)  # of a process that was killed between the two names of its file
            remarks(f"{escape(target)} is there already.")
        else:
            todo.append((path, target))

    def write(path: str, target: str) -> None:
        replace(target, "".join(lines(path)).encode())
        remarks(f"{escape(target)} is written.")

    workers = min(workers, len(todo))
    if workers > 1 and sum(os.path.getsize(path) for path, _ in todo if os.path.isfile(path)) >= _LONG:
        from .processes import run_each

        return run_each([partial(write, *pair) for pair in todo], workers)
    for pair in todo:
        write(*pair)
    return 0


def digest_of(path: str) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _targets(folder: str, files: Sequence[str]) -> dict[str, str]:
    """Return the file that each is judged into."""
    if not files or STDIN in files:
        raise UsageError(
            "Expected files with --output FOLDER, which names its own after them; standard input has none."
        )
    found: dict[str, str] = {}
    for path in dict.fromkeys(files):
        target = os.path.join(folder, os.path.basename(os.path.normpath(path)) + ".jsonl")
        if target in found.values():
            other = next(each for each, known in found.items() if known == target)
            raise UsageError(
                f"{escape(other)} and {escape(path)} have the same name. Expected files with names of their own for "
                "--output. Judge them into different folders."
            )
        found[path] = target
    return found


def _begin(folder: str, about: Mapping[str, Any]) -> None:
    """Make the folder, or check that what it holds are verdicts of the same model."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"{escape(folder)}: {error.strerror}. Expected a folder to write to. Choose another one."
        ) from error
    path, told = os.path.join(folder, _ABOUT), json.dumps(about, sort_keys=True, indent=1) + "\n"
    if not os.path.exists(path):
        replace(path, told.encode())
        return
    with open(path, encoding="utf-8") as file:
        if file.read() != told:
            raise DataError(
                f"{escape(folder)} holds verdicts of another model, or of other options. Expected those of this one, "
                "or none. Choose another folder."
            )
