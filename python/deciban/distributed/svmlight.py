"""Files of svmlight: a part is a stretch of bytes, of the lines that begin in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np

from ..errors import UsageError, unreadable
from ..tables.svmlight import svmlight_rows
from .engines import Engine
from .parts import Block, Part

ENDS = (".svm", ".svmlight", ".libsvm")
# A part is so many bytes, about.
_BYTES = 1 << 25


def files_of(path: str) -> list[str] | None:
    """Return the files of svmlight at a path, or in a folder whose first file is one; None of what is none."""
    found = [path]
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if not name.startswith((".", "_")))
        found = [os.path.join(path, name) for name in names]
    return found if found and found[0].lower().endswith(ENDS) else None


def parts_of(paths: list[str], engine: Engine) -> list[Part]:
    """Return the parts of files; a pass finds how many features there are, and whether they are counted from 1."""
    stretches = []
    for path in paths:
        try:
            size = os.path.getsize(path)
        except OSError as error:
            raise unreadable(path, error) from error
        for start in range(0, max(1, size), _BYTES):
            name = f"{os.path.basename(path)}, bytes {start:,} to {min(size, start + _BYTES):,}"
            stretches.append((name, Stretch(path, start, start + _BYTES)))
    parts = [Part(i, name, stretch) for i, (name, stretch) in enumerate(stretches)]
    least, most = engine.reduce(_range_of, parts, _join) or (1, 0)
    first = min(1, least)
    reader = [LoadRows(stretch, first, most + 1 - first) for _, stretch in stretches]
    return [Part(part.index, part.name, load) for part, load in zip(parts, reader, strict=True)]


@dataclass(frozen=True)
class Stretch:
    """The lines of a file that begin between two bytes."""

    path: str
    start: int
    end: int

    def __call__(self) -> bytes:
        """Return the lines."""
        with open(self.path, "rb") as file:
            file.seek(max(0, self.start - 1))
            if self.start:
                file.readline()  # begins before
            begin = file.tell()
            if begin >= self.end:
                return b""
            text = file.read(self.end - begin)
            return text if text.endswith(b"\n") else text + file.readline()


def _range_of(part: Part, arguments: tuple[Any, ...], shared: Any) -> tuple[int, int] | None:
    """Return the least and the highest feature of a part; None of one without."""
    with part.naming():
        X, _ = _read(part.load(*arguments), None)
    return (int(X.indices.min()), int(X.indices.max())) if X.nnz else None


def _join(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], two[0]), max(one[1], two[1])


@dataclass(frozen=True)
class LoadRows:
    """Reads rows (N, d) and labels, which are numbers; column 0 is the feature `first`, 0 or 1."""

    stretch: Stretch
    first: int
    d: int

    def __call__(self) -> Block:
        """Return the rows."""
        X, y = _read(self.stretch(), self.d + self.first)
        return Block(X[:, self.first :] if self.first else X, y)


def _read(text: bytes, d: int | None) -> tuple[Any, Any]:
    from scipy.sparse import csr_array
    from sklearn.datasets import load_svmlight_file

    if not text.strip():
        return csr_array((0, d or 0)), np.zeros(0)
    try:
        X, y = load_svmlight_file(BytesIO(text), n_features=d, zero_based=True)
    except ValueError:
        for _ in svmlight_rows(iter(text.decode("utf-8", "replace").split("\n")), "counted from there"):
            continue  # which says what is wrong, and in which line
        raise
    return csr_array(X), y


def require_no_columns(y: Any, weight: Any, columns: Any) -> None:
    """Raise UsageError for names of columns, which svmlight has not."""
    if not (y is weight is columns is None):
        raise UsageError(
            "y, sample_weight or columns are given beside files of svmlight. Expected none: a line has its label, and "
            "features have no names. Leave them out."
        )
