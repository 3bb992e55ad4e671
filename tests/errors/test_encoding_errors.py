"""What is said of bytes that are not of the encoding, with their line and byte: the exact words."""

import pytest

from deciban.errors import DataError, UsageError
from deciban.tables import lines
from errors.reading import here, said  # noqa: F401 (here is a fixture)


def test_bytes_that_are_not_utf_8():
    korean = "text,label\n좋아요,pos\n".encode("cp949")
    assert said(DataError, "a.csv", korean) == (
        "a.csv, line 2, byte 12 of the file: expected UTF-8; came 0xC1. "
        "These bytes read as Korean: try --encoding cp949."
    )
    assert said(DataError, "a.csv", b"text,label\r\na,b\r\ncaf\xe9,pos\r\n") == (
        "a.csv, line 3, byte 21 of the file: expected UTF-8; came 0xE9. "
        "For Western European text try --encoding latin-1, for Korean --encoding cp949."
    )
    assert said(DataError, "a.jsonl", b'{"text": "\xff", "label": "a"}') == (
        "a.jsonl, line 1, byte 11 of the file: expected UTF-8; came 0xFF. "
        "For Western European text try --encoding latin-1, for Korean --encoding cp949."
    )
    assert said(DataError, "a.csv", b"text,label\na,\xe2\x82") == (
        "a.csv, line 2, byte 14 of the file: expected UTF-8; came 0xE2. "
        "For Western European text try --encoding latin-1, for Korean --encoding cp949."
    )


@pytest.mark.parametrize("rows", [1, 1000, 1638, 1639, 5000, 100_000])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_line_and_the_byte_are_right_wherever_a_read_ends(rows, mark):
    content = mark + b"text,label\n" + "좋아요,b\n".encode() * rows + b"x\xe9y,b\n"
    byte = content.index(b"\xe9y") + 1
    assert said(DataError, "a.csv", content).startswith(f"a.csv, line {rows + 2}, byte {byte} of the file: ")


def test_another_encoding_that_does_not_fit():
    assert said(DataError, "a.csv", b"text,label\n\xff\xff,a\n", encoding="cp949") == (
        "a.csv, line 2, byte 12 of the file: expected cp949; came 0xFF. "
        "Leave --encoding out to read the file as UTF-8, or give its true encoding."
    )


def test_a_byte_order_mark_that_contradicts_the_encoding():
    assert said(DataError, "a.csv", "text,label\na,b\n".encode("utf-16"), encoding="utf-8") == (
        "a.csv: expected utf-8; the file begins with the byte order mark of utf-16. "
        "Use --encoding utf-16, or leave --encoding out."
    )
    assert said(DataError, "a.csv", b"\xef\xbb\xbftext,label\na,b\n", encoding="cp949") == (
        "a.csv: expected cp949; the file begins with the byte order mark of utf-8. "
        "Use --encoding utf-8, or leave --encoding out."
    )


def test_an_encoding_nobody_knows():
    assert said(UsageError, "a.csv", "text,label\n", encoding="cp99") == (
        "Expected the name of a text encoding; came 'cp99'. Did you mean cp949?"
    )
    assert said(UsageError, "a.csv", "text,label\n", encoding="!") == (
        "Expected the name of a text encoding; came '!'. Examples: utf-8, cp949, latin-1."
    )
    assert said(UsageError, "a.csv", "text,label\n", encoding="base64").startswith(
        "Expected the name of a text encoding; came 'base64'."
    )


def test_nul_bytes():
    assert said(DataError, "a.csv", "text,label\na,b\nx\0y,b\n") == (
        "a.csv, line 3, character 2: expected text; came a NUL byte. "
        "If the file is UTF-16, add --encoding utf-16; otherwise it is binary or damaged."
    )
    assert said(DataError, "a.csv", "text,label\na,b\n".encode("utf-16-le")) == (
        "a.csv, line 1, character 2: expected text; came a NUL byte. "
        "If the file is UTF-16, add --encoding utf-16; otherwise it is binary or damaged."
    )


def test_a_line_without_end(monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 1000)
    for name in ("a.csv", "a.jsonl"):
        assert said(DataError, name, "text,label\n"[: 11 * (name == "a.csv")] + "x" * 2000) == (
            f"{name}, line {1 + (name == 'a.csv')}: expected a line of at most 64 Mi characters; "
            "this one is longer. Check that this is a text file with one row a line."
        )
