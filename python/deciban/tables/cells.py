"""All columns of a table as its file has them, in batches of rows: CSV, TSV, JSON lines, Parquet, svmlight."""

from __future__ import annotations

import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, cast

from ..errors import DataError, UsageError, escape
from .by_row import FieldColumns, ObjectColumns, RowColumns
from .delimited import csv_rows, tsv_rows
from .json_lines import json_objects
from .kinds import Kind, check_start, files_of_table, guess_kind, kind_by_name
from .lines import lines
from .parquet import parquet_columns, parquet_slices
from .rows import STDIN, open_table
from .sparse import SparseColumns, sparse_batches
from .svmlight import Row, svmlight_rows

# A batch ends with so many rows, or cells.
_ROWS, _CELLS = 4096, 1 << 18
_SLICE = 32 << 20  # bytes of a slice of Parquet


@dataclass(frozen=True, slots=True)
class Cells:
    """Consecutive rows, column by column.

    columns    (N,) values by the column's name, None where a row has none. Of CSV and TSV they are text without the
               blanks around it; else what JSON or Parquet make of them
    places     (N,) the line, of Parquet the row, on which each row stands; `where` says it in words
    first_row  the number of the first row, 1 for the first of the table
    typed      whether the file says what a value is; in CSV and TSV all is text
    absent     what a column is that does not stand in the file: None, unknown; 0.0 in svmlight
    """

    name: str
    columns: Mapping[str, Sequence[Any]]
    places: Sequence[int]
    first_row: int
    unit: str = "line"
    typed: bool = True
    absent: float | None = None

    def __len__(self) -> int:
        return len(self.places)

    def only(self, i: int) -> Cells:
        """Return row i of these alone."""
        own = self.columns
        one: Mapping[str, Sequence[Any]] = (
            own.only(i) if isinstance(own, SparseColumns | RowColumns) else {key: own[key][i : i + 1] for key in own}
        )
        return replace(self, columns=one, places=self.places[i : i + 1], first_row=self.first_row + i)

    def where(self, i: int) -> str:
        """Return the file and the place of row i of these."""
        return f"{self.name}, {self.unit} {self.places[i]}"


Progress = Callable[[int], None]
"""Told how many bytes have been read since the last call."""


def read_cells(
    path: str, encoding: str | None = None, kind: Kind | None = None, progress: Progress | None = None
) -> Iterator[Cells]:
    """Yield the rows of a CSV, TSV, JSON lines, Parquet or svmlight file, or of standard input ("-").

    Without `kind` the end of the name decides, for standard input the first line. Keys that a JSON object does not
    have are None. Raises UsageError, NoInputError, DataError (its line says where) and StorageError; DataError, too,
    for a table without rows.
    """
    empty = True
    for cells in _read(path, encoding, kind, progress or _tell_nobody):
        empty = False
        yield cells
    if empty:
        name = "standard input" if path == STDIN else escape(path)
        raise DataError(f"{name}: expected rows under the header; there are none.")


def _tell_nobody(size: int) -> None:
    """Take no notice."""


def _read(path: str, encoding: str | None, kind: Kind | None, progress: Progress) -> Iterator[Cells]:
    if path == STDIN:
        stream = cast(io.BufferedReader, sys.stdin.buffer)
        yield from _of_stream(stream, "standard input", kind or guess_kind(stream.peek(1 << 12)), encoding)
        return
    if os.path.isdir(path) and (files := files_of_table(path)):
        yield from _of_files(files, encoding, kind, progress)
        return
    name = escape(path)
    with open_table(path) as file:
        chosen = kind or kind_by_name(path, name)
        check_start(file.peek(8)[:8], chosen, name)
        if chosen == "parquet":
            yield from _of_parquet(path, name)
        else:
            at = 0
            for cells in _of_stream(file, name, chosen, encoding):
                yield cells
                progress(file.tell() - at)
                at = file.tell()


def _of_files(paths: Sequence[str], encoding: str | None, kind: Kind | None, progress: Progress) -> Iterator[Cells]:
    """Yield the rows of files that have the same columns, one after the other."""
    rows, first = 0, None
    for path in paths:
        for cells in _read(path, encoding, kind, progress):
            own = {*cells.columns}
            if not isinstance(cells.columns, SparseColumns | ObjectColumns):
                first = first or (cells.name, own)
                if own != first[1]:
                    apart = ", ".join(f"'{escape(each)}'" for each in sorted(own ^ first[1])[:5])
                    raise DataError(
                        f"{cells.name}: expected the columns of {first[0]}; only one of them has {apart}. Write all "
                        "files of a folder with the same columns, or name one file."
                    )
            yield replace(cells, first_row=rows + cells.first_row)
        rows += cells.first_row + len(cells) - 1


def _of_stream(stream: io.BufferedReader, name: str, kind: Kind, encoding: str | None) -> Iterator[Cells]:
    if kind == "parquet":
        raise UsageError("Expected csv, tsv, jsonl or svm on standard input; Parquet is read from a file only.")
    if not stream.peek(1):
        raise DataError(f"{name}: expected a table; the file is empty.")
    decoded = lines(stream, name, encoding)
    if kind == "jsonl":
        yield from _of_objects(json_objects(decoded, name), name)
    elif kind == "svm":
        yield from _of_features(svmlight_rows(decoded, name), name)
    else:
        yield from _of_fields((csv_rows if kind == "csv" else tsv_rows)(decoded, name), name)


def _of_fields(rows: Iterator[tuple[int, list[str]]], name: str) -> Iterator[Cells]:
    line, header = next(rows, (1, []))
    places = {own: j for j, own in enumerate(_names(header, f"{name}, line {line}"))}
    first = 1
    for batch in _batches(rows):
        columns = FieldColumns(places, [fields for _, fields in batch])
        yield Cells(name, columns, [place for place, _ in batch], first, typed=False)
        first += len(batch)


def _names(header: Sequence[str], where: str) -> list[str]:
    """Return the columns, each with a name of its own; one without a name, as of row numbers, is called by its
    place."""
    names = [own.strip() or f"column {j}" for j, own in enumerate(header, 1)]
    (most, count) = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise DataError(f"{where}: expected one column '{escape(most)}'; there are {count}. Rename the others.")
    return names


def _of_objects(rows: Iterator[tuple[int, dict[str, Any]]], name: str) -> Iterator[Cells]:
    first = 1
    for batch in _batches(rows):
        yield cells_of([row for _, row in batch], name, [place for place, _ in batch], first)
        first += len(batch)


def cells_of(
    rows: Sequence[Mapping[str, Any]], name: str, places: Sequence[int], first: int, unit: str = "line"
) -> Cells:
    """Return rows of which each says which columns it has."""
    names = dict.fromkeys(chain.from_iterable(rows))
    return Cells(name, ObjectColumns([*names], rows), places, first, unit)


def _of_features(rows: Iterator[Row], name: str) -> Iterator[Cells]:
    """Yield rows of which each says which features are not 0."""
    first = 1
    for places, columns in sparse_batches(rows):
        yield Cells(name, columns, places, first, absent=0.0)
        first += len(places)


def _of_parquet(path: str, name: str) -> Iterator[Cells]:
    names, first = parquet_columns(path), 1
    for columns in parquet_slices(path, names, _SLICE):
        n = len(columns[0]) if columns else 0
        yield Cells(name, dict(zip(names, columns, strict=True)), range(first, first + n), first, "row")
        first += n


def _batches(rows: Iterable[tuple[int, Any]]) -> Iterator[list[tuple[int, Any]]]:
    """Yield the rows in batches of so many rows, or cells, at most."""
    batch: list[tuple[int, Any]] = []
    cells = 0
    for row in rows:
        batch.append(row)
        cells += len(row[1])
        if len(batch) == _ROWS or cells >= _CELLS:
            yield batch
            batch, cells = [], 0
    if batch:
        yield batch
