"""Texts and labels out of a table, in batches, so that a table of any size fits in memory.

for batch in read("reviews.csv", text="review", label="sentiment"):
    learn(batch.texts, batch.labels)
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias, cast

from ..errors import DataError, UsageError, escape, unreadable
from .delimited import Row, csv_rows, tsv_rows
from .json_lines import json_objects
from .kinds import Kind, check_start, guess_kind, kind_by_name
from .lines import lines
from .parquet import parquet_columns, parquet_slices

Cell: TypeAlias = tuple[int, Any, Any]  # the line or row, the text, the label (None where none was asked for)

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows. `first_row` is the number of the first, 1 for the first row of the table."""

    texts: list[str]
    labels: list[str] | None
    first_row: int


def read(
    path: str,
    *,
    text: str,
    label: str | None,
    encoding: str | None = None,
    kind: Kind | None = None,
    batch_bytes: int = 32 << 20,
) -> Iterator[Batch]:
    """Yield the columns `text` and `label` of a CSV, TSV, JSON lines or Parquet file, or of standard input ("-").

    A batch ends with the row that brings its texts to `batch_bytes` of memory, so it holds at least one row.
    Without `kind` the end of the name decides, for standard input the first line; without `encoding` a byte
    order mark, else UTF-8. A text that is null is empty; one that is bytes is UTF-8, or else Latin-1. Labels
    come as strings: whole numbers without a fraction ("1"), true and false as "True" and "False".

    Nothing is read before the first batch is asked for. Raises UsageError (kind, encoding, a folder),
    NoInputError (not there, not readable), DataError (its line says where) and StorageError.
    """
    if text == label:
        raise UsageError(f"Expected two columns, one of texts and one of labels; '{escape(text)}' came for both.")
    if path == STDIN:
        stream = cast(io.BufferedReader, sys.stdin.buffer)
        columns = _Columns("standard input", text, label)
        cells = _cells(stream, kind or guess_kind(stream.peek(1 << 12)), columns, encoding)
        yield from _batches(cells, columns, batch_bytes)
        return
    name = escape(path)
    with open_table(path) as file:
        chosen = kind or kind_by_name(path, name)
        check_start(file.peek(8)[:8], chosen, name)
        columns = _Columns(name, text, label, "row" if chosen == "parquet" else "line")
        if chosen == "parquet":
            cells = _parquet_cells(path, columns, batch_bytes)
        else:
            cells = _cells(file, chosen, columns, encoding)
        yield from _batches(cells, columns, batch_bytes)


def columns_in(path: str, encoding: str | None = None, kind: Kind | None = None) -> list[str]:
    """Return the names of the columns of a table in a file; of JSON lines, those of its first object."""
    name = escape(path)
    with open_table(path) as file:
        chosen = kind or kind_by_name(path, name)
        check_start(file.peek(8)[:8], chosen, name)
        if chosen == "parquet":
            return parquet_columns(path)
        decoded = lines(file, name, encoding)
        if chosen == "jsonl":
            return list(next(json_objects(decoded, name), (0, {}))[1])
        return next((csv_rows if chosen == "csv" else tsv_rows)(decoded, name), (1, []))[1]


def _batches(cells: Iterator[Cell], columns: _Columns, batch_bytes: int) -> Iterator[Batch]:
    texts: list[str] = []
    labels: list[str] = []
    size, first = 0, 1
    for place, text, label in cells:
        texts.append(text if type(text) is str else columns.as_text(place, text))
        if columns.label is not None:
            known = type(label) is str and label and not label.isspace()
            labels.append(label if known else columns.as_label(place, label))
        size += sys.getsizeof(texts[-1])
        if size >= batch_bytes:
            yield Batch(texts, labels if columns.label is not None else None, first)
            first += len(texts)
            texts, labels, size = [], [], 0
    if texts:
        yield Batch(texts, labels if columns.label is not None else None, first)
    elif first == 1:
        raise DataError(f"{columns.name}: expected rows under the header; there are none.")


# --- the columns asked for, and what may stand in them -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Columns:
    name: str  # of the file, for messages
    text: str
    label: str | None
    unit: str = "line"  # what a place counts; "row" in Parquet

    @property
    def wanted(self) -> list[str]:
        return [self.text] if self.label is None else [self.text, self.label]

    def check(self, present: Sequence[str], place: int | None) -> None:
        where = self.name if place is None else f"{self.name}, {self.unit} {place}"
        for option, wanted in zip(("--text", "--label"), self.wanted, strict=False):
            count = present.count(wanted)
            if count == 0:
                raise DataError(f"{where}: expected a column {_quote(wanted)}; {_instead(wanted, present, option)}")
            if count > 1:
                raise DataError(f"{where}: expected one column {_quote(wanted)}; there are {count}. Rename the others.")

    def as_text(self, place: int, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bytes):
            return _decode(value)
        if isinstance(value, str | int | float):
            return str(value)
        raise self._wrong(place, self.text, "a text", value)

    def as_label(self, place: int, value: Any) -> str:
        if isinstance(value, bytes):
            value = _decode(value)
        if value is None or value != value or (isinstance(value, str) and not value.strip()):
            raise DataError(
                f"{self.name}, {self.unit} {place}: expected a label in column {_quote(self.label or '')}; "
                "it is empty. Fill it in, or remove the row."
            )
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        if isinstance(value, dict | list):
            raise self._wrong(place, self.label or "", "one label", value)
        return str(value)

    def _wrong(self, place: int, column: str, expected: str, value: object) -> DataError:
        return DataError(
            f"{self.name}, {self.unit} {place}: expected {expected} in column {_quote(column)}; "
            f"came {'an object' if isinstance(value, dict) else 'a value of type ' + type(value).__name__}. "
            "Choose another column, or write a text there."
        )


def _decode(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _quote(name: str) -> str:
    return f"'{escape(name)}'"


def _instead(wanted: str, present: Sequence[str], option: str) -> str:
    listed = ", ".join(map(_quote, present[:20])) or "none"
    more = f" and {len(present) - 20} more" if len(present) > 20 else ""
    if len(present) == 1 and (";" in present[0] or "\t" in present[0]):
        separator = "semicolons" if ";" in present[0] else "tabs"
        return f"the header is {listed}. It looks separated by {separator}: write it with commas, or as .tsv."
    folded = {name.strip().lower(): name for name in present}
    near = get_close_matches(wanted.strip().lower(), list(folded), n=1)
    hint = f"Did you mean {_quote(folded[near[0]])}?" if near else f"Choose one with {option}."
    return f"the columns are {listed}{more}. {hint}"


# --- one reader a kind -------------------------------------------------------------------------------------


def _cells(stream: io.BufferedReader, kind: Kind, columns: _Columns, encoding: str | None) -> Iterator[Cell]:
    if kind == "parquet":
        raise UsageError("Expected csv, tsv or jsonl on standard input; Parquet is read from a file only.")
    if kind == "svm":
        raise UsageError(f"{columns.name}: expected a table of texts; svmlight holds numbers only. Leave --text out.")
    if not stream.peek(1):
        raise DataError(f"{columns.name}: expected a table; the file is empty.")
    decoded = lines(stream, columns.name, encoding)
    if kind == "jsonl":
        return _json_cells(decoded, columns)
    return _field_cells((csv_rows if kind == "csv" else tsv_rows)(decoded, columns.name), columns)


def _field_cells(rows: Iterator[Row], columns: _Columns) -> Iterator[Cell]:
    line, header = next(rows, (1, []))
    columns.check(header, line)
    text = header.index(columns.text)
    if columns.label is None:
        return ((line, fields[text], None) for line, fields in rows)
    label = header.index(columns.label)
    return ((line, fields[text], fields[label]) for line, fields in rows)


def _json_cells(decoded: Iterator[str], columns: _Columns) -> Iterator[Cell]:
    for line, row in json_objects(decoded, columns.name):
        if any(column not in row for column in columns.wanted):
            columns.check(list(row), line)
        text, label = row[columns.text], None if columns.label is None else row[columns.label]
        yield line, _scalar(text), _scalar(label)


def _scalar(value: Any) -> Any:
    """Return JSON may escape half of a surrogate pair, which no encoding can write; it becomes U+FFFD."""
    if type(value) is str and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _parquet_cells(path: str, columns: _Columns, batch_bytes: int) -> Iterator[Cell]:
    columns.check(parquet_columns(path), None)
    row = 1
    for slices in parquet_slices(path, columns.wanted, batch_bytes):
        texts, labels = slices[0], slices[-1] if columns.label is not None else [None] * len(slices[0])
        yield from zip(range(row, row + len(texts)), texts, labels, strict=True)
        row += len(texts)


def open_table(path: str) -> io.BufferedReader:
    """Return the bytes of a table; UsageError for a folder, NoInputError for what cannot be read."""
    try:
        return cast(io.BufferedReader, open(path, "rb", buffering=1 << 18))
    except IsADirectoryError as error:
        raise UsageError(
            f"{escape(path)}: expected a table; this is a folder. Name a file, or for texts write label=PATH."
        ) from error
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
