"""CSV and TSV as rows of fields, each with the line it begins on.

CSV is RFC 4180 as Python's csv module reads it, strictly: commas, double quotes, fields over several lines.
In TSV a row is a line, as NLP corpora write it; a field in quotes is unquoted where that gives the row its
number of fields, as Excel writes it, and otherwise a quote is a character like another.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from ..errors import DataError
from .lines import LONGEST_LINE

Row = tuple[int, list[str]]  # the line the row begins on, its fields


def csv_rows(lines: Iterator[str], name: str) -> Iterator[Row]:
    """Yield the header and the rows; lines that are empty are left out. Raises DataError for a quote out of place.

    Python keeps one limit on the length of a field for the whole process; it is raised, never lowered.
    """
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    reader = csv.reader(lines, strict=True)
    width = None
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise _error_misquoted(name, line, reader.line_num, error) from error
        if fields is None:
            return
        if fields:
            width = width or len(fields)
            if len(fields) != width:
                raise error_ragged(name, line, width, len(fields), reader.line_num)
            yield line, fields


def tsv_rows(lines: Iterator[str], name: str) -> Iterator[Row]:
    """Yield the header and the rows; lines that are empty are left out."""
    width = None
    for number, line in enumerate(lines, 1):
        content = line.rstrip("\r\n")
        if not content:
            continue
        fields = content.split("\t")
        if '"' in content:
            fields = _unquote(content, fields, width)
        width = width or len(fields)
        if len(fields) != width:
            raise error_ragged(name, number, width, len(fields), number)
        yield number, fields


def _unquote(content: str, fields: list[str], width: int | None) -> list[str]:
    try:
        (quoted,) = csv.reader([content], "excel-tab", strict=True)
    except (csv.Error, ValueError):
        return fields
    return quoted if len(quoted) == (width or len(fields)) else fields


def error_ragged(name: str, line: int, expected: int, found: int, last: int) -> DataError:
    where = f"{name}, line {line}" if last == line else f"{name}, lines {line} to {last}"
    return DataError(
        f"{where}: expected {_fields(expected)}, as in the header; found {found}. "
        "A text with the separator or a line break in it must stand in double quotes."
    )


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"


def _error_misquoted(name: str, line: int, last: int, error: csv.Error) -> DataError:
    said = str(error)
    if "end of data" in said or "field limit" in said:
        where = "the file ended" if "end of data" in said else f"{LONGEST_LINE >> 20} Mi characters passed"
        return DataError(
            f"{name}, line {line}: expected a closing double quote for a field of the row that begins here; "
            f"{where} without one. Close the quote, or double it if it belongs to the text."
        )
    return DataError(
        f"{name}, line {last}: expected a comma or a line end after a closing double quote; came more text. "
        "Double each quote that belongs to a text."
    )
