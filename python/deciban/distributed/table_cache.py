"""Rows of a table as numbers, in a folder beside the model that is learnt from them, so that a run that was interrupted
goes on where it was.

    survey.json     what its columns are
    part-000000/    rows: arrays of NumPy's, and their digest
    whole.json      how many parts there are, once all are written
    point.npy       the best weights so far
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.columns import Columns
from ..data.digest import digest
from ..data.examples import arrays_of
from ..data.rows import is_sparse
from ..tables.cells import Cells
from ..tables.matching import read_as
from ..tables.survey import Survey, labels_of
from .encoding import encoded_of
from .kept_folder import KeptFolder
from .mapped import Encoded, Mapped, write

# A part ends with so many cells, or values of CSR.
_CELLS = 1 << 21
_SURVEY, _WHOLE, _POINT = "survey.json", "whole.json", "point.npy"


class TableRows(NamedTuple):
    """Rows of a part: the matrix (N, d) as `Columns` reads it, places (N,) among all labels, numbers (N,) from 1."""

    X: Any
    y: NDArray[np.intp]
    numbers: NDArray[np.intp]


@dataclass(frozen=True)
class TablePart:
    """Reads a part from its folder; `start` rows are before it."""

    path: str
    start: int
    classes: tuple[str, ...]

    def __call__(self) -> TableRows:
        """Return the rows, in float64."""
        kept = Mapped(self.path, trusted=False)()
        own = np.searchsorted(np.array(self.classes), kept.labels)
        y = own[kept.y].astype(np.intp)
        return TableRows(kept.X.astype(np.float64), y, np.arange(self.start + 1, self.start + len(y) + 1))


class TableCache(KeptFolder):
    """The rows of a table in a folder."""

    @property
    def point(self) -> Path:
        """The file of the best weights so far."""
        return self.folder / _POINT

    def survey(self, find: Callable[[], Survey]) -> Survey:
        """Return what the columns of the table are, as an earlier run found them, or as `find` does."""
        known = self._read(_SURVEY)
        if known is not None:
            return Survey(**{**known, "columns": Columns.from_json(known["columns"])})
        found = find()
        told = {"labels": found.labels, "ignored": found.ignored, "n": found.n}
        told |= {"sparse": found.sparse, "small": found.small}
        self._write(_SURVEY, {"columns": found.columns.to_json(), **told})
        return found

    def fill(self, batches: Callable[[], Iterator[Cells]], survey: Survey, label: str) -> list[TablePart]:
        """Write the rows of a table that are not there yet, and return all parts."""
        classes, starts = tuple(sorted(survey.labels)), [0]
        whole = self._read(_WHOLE)
        while (number := len(starts) - 1) != whole and (rows := self._sound(number)) is not None:
            starts.append(starts[-1] + rows)
        if len(starts) - 1 != whole:
            for path in self.folder.glob("part-*"):
                if int(path.name[5:11]) >= len(starts) - 1:
                    shutil.rmtree(path)
            with suppress(FileNotFoundError):
                (self.folder / _WHOLE).unlink()
            for encoded in _grouped(_after(batches(), starts[-1]), survey, label):
                self._put(len(starts) - 1, encoded)
                starts.append(starts[-1] + len(encoded.y))
            self._write(_WHOLE, len(starts) - 1)
        return [TablePart(str(self._path(k)), start, classes) for k, start in enumerate(starts[:-1])]

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}"

    def _put(self, number: int, encoded: Encoded) -> None:
        write(encoded, self._path(number), note=_digest(encoded))

    def _sound(self, number: int) -> int | None:
        """Return the number of rows of a part; None where it is not there, or damaged."""
        path = self._path(number)
        with suppress(OSError, ValueError, EOFError, KeyError, TypeError):
            kept, note = Mapped(str(path), trusted=False).with_note()
            if note == _digest(kept):
                return len(kept.y)
        return None


def _digest(encoded: Encoded) -> str:
    return digest(*arrays_of(encoded.X), encoded.y) + "".join(map(str, encoded.labels))


def _after(batches: Iterator[Cells], rows: int) -> Iterator[Cells]:
    """Yield batches without so many rows, which a part ends with."""
    for cells in batches:
        if cells.first_row > rows:
            yield cells


def _grouped(batches: Iterator[Cells], survey: Survey, label: str) -> Iterator[Encoded]:
    """Yield rows of batches together, so that parts are neither small nor large."""
    held: list[Any] = []
    labels: list[str] = []
    size = 0
    for cells in batches:
        X = read_as(survey.columns, cells)
        held.append(sparse.csr_array(X) if survey.sparse else X)
        labels += labels_of(cells, label)
        size += held[-1].nnz if is_sparse(held[-1]) else held[-1].size
        if size >= _CELLS:
            yield _joined(held, labels)
            held, labels, size = [], [], 0
    if held:
        yield _joined(held, labels)


def _joined(held: list[Any], labels: list[str]) -> Encoded:
    X = sparse.vstack(held, "csr") if is_sparse(held[0]) else np.concatenate(held)
    known, index = np.unique(np.array(labels), return_inverse=True)
    return encoded_of(X, index.reshape(-1), known)
