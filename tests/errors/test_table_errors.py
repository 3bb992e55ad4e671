"""What is said of a table that cannot be read: the exact words, with the line."""

import csv
import io
import os
import sys

import polars as pl
import pytest

from deciban.errors import DataError, NotFoundInputError, StorageError, UsageError
from deciban.tables import delimited
from errors.reading import here, said  # noqa: F401 (here is a fixture)

# --- the file ----------------------------------------------------------------------------------------------


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path):
    (tmp_path / "reviews.csv").touch()
    assert said(NotFoundInputError, "review.csv") == (
        "review.csv: expected a file or a folder; there is none of that name. Did you mean reviews.csv?"
    )
    (tmp_path / "folder").mkdir()
    assert said(UsageError, "folder", kind="csv") == (
        "folder: expected a table; this is a folder. Name a file, or for texts write label=PATH."
    )


def test_an_unknown_ending():
    known = ".csv, .tsv, .tab, .jsonl, .ndjson, .parquet, .pq, .svm, .svmlight, .libsvm"
    assert said(UsageError, "a.xls", "x") == (
        f"a.xls: expected a name that ends in {known}; came '.xls'. Rename the file."
    )
    assert said(UsageError, "table", "x") == (
        f"table: expected a name that ends in {known}; it has none. Rename the file."
    )


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"\x1f\x8b\x08\0", "compressed by gzip. Unpack it first."),
        (b"\xfd7zXZ\0", "compressed by xz. Unpack it first."),
        (b"\x28\xb5\x2f\xfd", "compressed by zstd. Unpack it first."),
        (b"PK\x03\x04", "a zip file or an Excel workbook. Unpack it, or save it as CSV in UTF-8."),
        (b"\xd0\xcf\x11\xe0", "an old Excel workbook. Save it as CSV in UTF-8."),
        (b"PAR1xxxxPAR1", "Parquet. Rename it to end in .parquet."),
    ],
)
def test_a_file_that_is_something_else_than_its_name_says(start, what):
    assert said(DataError, "a.csv", start) == f"a.csv: expected csv; the file is {what}"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet"])
def test_an_empty_file(name):
    assert said(DataError, name, "") == f"{name}: expected a table; the file is empty."


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", "text,label\n"), ("a.csv", "text,label"), ("a.tsv", "text\tlabel\n\n"), ("a.jsonl", "\n \n")],
)
def test_a_header_and_no_rows(name, content):
    assert said(DataError, name, content) == f"{name}: expected rows under the header; there are none."


def test_parquet_without_rows():
    pl.DataFrame({"text": [], "label": []}).write_parquet("a.parquet")
    assert said(DataError, "a.parquet") == "a.parquet: expected rows under the header; there are none."


def test_only_a_byte_order_mark_or_blank_lines():
    expected = "a.csv, line 1: expected a column 'text'; the columns are none. Choose one with --text."
    assert said(DataError, "a.csv", b"\xef\xbb\xbf") == expected
    assert said(DataError, "a.csv", "\n\n") == expected


# --- the columns -------------------------------------------------------------------------------------------


def test_a_column_that_is_not_there():
    assert said(DataError, "a.csv", "id,Text ,label\n1,x,y\n") == (
        "a.csv, line 1: expected a column 'text'; the columns are 'id', 'Text ', 'label'. Did you mean 'Text '?"
    )
    assert said(DataError, "a.csv", "a,b\n1,2\n", text="a", label="sentiment") == (
        "a.csv, line 1: expected a column 'sentiment'; the columns are 'a', 'b'. Choose one with --label."
    )
    many = ",".join(f"c{i}" for i in range(30))
    listed = ", ".join(f"'c{i}'" for i in range(20))
    assert said(DataError, "a.csv", many + "\n") == (
        f"a.csv, line 1: expected a column 'text'; the columns are {listed} and 10 more. Choose one with --text."
    )


def test_a_header_with_another_separator():
    assert said(DataError, "a.csv", "text;label\nx;y\n") == (
        "a.csv, line 1: expected a column 'text'; the header is 'text;label'. "
        "It looks separated by semicolons: write it with commas, or as .tsv."
    )
    assert said(DataError, "a.csv", "text\tlabel\nx\ty\n") == (
        "a.csv, line 1: expected a column 'text'; the header is 'text\\tlabel'. "
        "It looks separated by tabs: write it with commas, or as .tsv."
    )


def test_a_column_that_is_there_twice_or_asked_for_twice():
    assert said(DataError, "a.csv", "text,label,text\n1,2,3\n") == (
        "a.csv, line 1: expected one column 'text'; there are 2. Rename the others."
    )
    assert said(UsageError, "a.csv", "text\nx\n", label="text") == (
        "Expected two columns, one of texts and one of labels; 'text' came for both."
    )


def test_a_key_or_a_parquet_column_that_is_not_there():
    assert said(DataError, "a.jsonl", '{"text": "a", "label": "b"}\n{"text": "a", "lable": "b"}\n') == (
        "a.jsonl, line 2: expected a column 'label'; the columns are 'text', 'lable'. Did you mean 'lable'?"
    )
    pl.DataFrame({"texts": ["a"], "label": ["b"]}).write_parquet("a.parquet")
    assert said(DataError, "a.parquet") == (
        "a.parquet: expected a column 'text'; the columns are 'texts', 'label'. Did you mean 'texts'?"
    )


# --- the rows ----------------------------------------------------------------------------------------------

RAGGED = "A text with the separator or a line break in it must stand in double quotes."


def test_ragged_rows():
    assert said(DataError, "a.csv", "text,label\n\nx,y\ngood, really,pos\n") == (
        f"a.csv, line 4: expected 2 fields, as in the header; found 3. {RAGGED}"
    )
    assert said(DataError, "a.csv", 'text,label\n"a\nb"\n') == (
        f"a.csv, lines 2 to 3: expected 2 fields, as in the header; found 1. {RAGGED}"
    )
    assert said(DataError, "a.csv", "text\na,b\n", label=None) == (
        f"a.csv, line 2: expected 1 field, as in the header; found 2. {RAGGED}"
    )
    assert said(DataError, "a.tsv", "text\tlabel\na\tb\nonly one\n") == (
        f"a.tsv, line 3: expected 2 fields, as in the header; found 1. {RAGGED}"
    )


def test_a_quote_that_is_never_closed():
    assert said(DataError, "a.csv", 'text,label\nx,y\n"never closed,pos\nz,w\n') == (
        "a.csv, line 3: expected a closing double quote for a field of the row that begins here; "
        "the file ended without one. Close the quote, or double it if it belongs to the text."
    )


def test_a_quote_that_is_never_closed_in_a_file_longer_than_a_field_may_be(monkeypatch):
    monkeypatch.setattr(delimited, "LONGEST_LINE", 1 << 20)
    before = csv.field_size_limit(1 << 20)
    try:
        message = said(DataError, "a.csv", 'text,label\na,b\n"never closed\n' + ("x" * 1000 + "\n") * 2000)
    finally:
        csv.field_size_limit(before)
    assert message == (
        "a.csv, line 3: expected a closing double quote for a field of the row that begins here; "
        "1 Mi characters passed without one. Close the quote, or double it if it belongs to the text."
    )


def test_a_quote_inside_a_quoted_text():
    assert said(DataError, "a.csv", 'text,label\n"he said "no" twice",pos\n') == (
        "a.csv, line 2: expected a comma or a line end after a closing double quote; came more text. "
        "Double each quote that belongs to a text."
    )


@pytest.mark.parametrize("value", ['""', '"  "', "null", "NaN"])
def test_an_empty_label_in_json(value):
    content = f'{{"text": "a", "label": "b"}}\n\n{{"text": "a", "label": {value}}}\n'
    assert said(DataError, "a.jsonl", content) == (
        "a.jsonl, line 3: expected a label in column 'label'; it is empty. Fill it in, or remove the row."
    )


def test_an_empty_label_in_csv_and_parquet():
    assert said(DataError, "a.csv", 'text,label\n"a\nb",c\nd, \n') == (
        "a.csv, line 4: expected a label in column 'label'; it is empty. Fill it in, or remove the row."
    )
    pl.DataFrame({"text": ["a"] * 300, "label": ["b"] * 299 + [None]}).write_parquet("a.parquet")
    assert said(DataError, "a.parquet") == (
        "a.parquet, row 300: expected a label in column 'label'; it is empty. Fill it in, or remove the row."
    )


def test_values_that_are_no_text_and_no_label():
    assert said(DataError, "a.jsonl", '{"text": {"a": 1}, "label": "b"}\n') == (
        "a.jsonl, line 1: expected a text in column 'text'; came an object. "
        "Choose another column, or write a text there."
    )
    assert said(DataError, "a.jsonl", '{"text": "a", "label": ["b", "c"]}\n') == (
        "a.jsonl, line 1: expected one label in column 'label'; came a value of type list. "
        "Choose another column, or write a text there."
    )


def test_lines_that_are_no_json_object():
    assert said(DataError, "a.jsonl", '{"text": "a", "label": "b"}\n{"text": "a" "label"}\n') == (
        "a.jsonl, line 2, character 14: expected a JSON object; it is not JSON (Expecting ',' delimiter). "
        "Each line must hold one whole object."
    )
    for value, what in (('["a", "b"]', "an array"), ('"a"', "a string"), ("3", "a number"), ("null", "null")):
        assert said(DataError, "a.jsonl", value + "\n") == (
            f'a.jsonl, line 1: expected a JSON object; came {what}. Write each row as {{"text": "…", "label": "…"}}.'
        )
    for hostile in ("[" * 200_000, '{"label": ' + "9" * 10_000 + "}"):
        assert said(DataError, "a.jsonl", hostile) == (
            "a.jsonl, line 1: expected a JSON object; it nests too deep or has too long a number. Remove the line."
        )


# --- standard input ----------------------------------------------------------------------------------------


def test_parquet_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"PAR1" + bytes(20)))))
    assert said(UsageError, "-") == ("Expected csv, tsv or jsonl on standard input; Parquet is read from a file only.")


def test_nothing_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b""))))
    assert said(DataError, "-") == "standard input: expected a table; the file is empty."


def test_a_name_with_odd_bytes_is_shown_escaped():
    name = os.fsdecode(b"caf\xe9.csv")
    assert said(DataError, name, "") == "caf\\xe9.csv: expected a table; the file is empty."


def test_reading_that_breaks_off(monkeypatch):
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            if self.tell_once:
                self.tell_once = False
                buffer[:15] = b"text,label\na,b\n"
                return 15
            raise OSError(5, "Input/output error")

        tell_once = True

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Broken())))
    assert said(StorageError, "-") == ("standard input, line 3: reading broke off: Input/output error.")
