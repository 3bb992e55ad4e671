"""Decoded lines of a file or a stream, each error with its line and byte. One chunk in memory at a time."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from difflib import get_close_matches
from encodings.aliases import aliases
from typing import cast

from ..errors import DataError, StorageError, UsageError

LONGEST_LINE = 64 << 20  # characters; the longest field, too

_BYTE_ORDER_MARKS = (  # UTF-32 before UTF-16, whose mark begins the same
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HANGUL = re.compile("[가-힣]")


def lines(stream: io.BufferedReader, name: str, encoding: str | None) -> Iterator[str]:
    """Yield the lines with their ends, "\\n", "\\r\\n" or "\\r". `name` is the file's, for messages.

    Without `encoding` a byte order mark decides, and without that it is UTF-8. Raises DataError (bytes that
    are not of the encoding, a NUL, a line of more than 64 Mi characters), UsageError (an unknown encoding)
    and StorageError.
    """
    counted = _Counted(stream)
    chosen = _encoding(name, encoding, stream.peek(4)[:4])
    text = io.TextIOWrapper(
        cast(io.BufferedReader, counted), chosen, newline=""
    )  # strict, and line ends are left as they are
    number = 0
    while True:
        try:
            line = text.readline(LONGEST_LINE + 1)
        except UnicodeDecodeError as error:
            raise _wrong_bytes(name, number, counted.count, chosen, error) from error
        except OSError as error:
            raise StorageError(f"{name}, line {number + 1}: reading broke off: {error.strerror}.") from error
        if not line:
            return
        number += 1
        if len(line) > LONGEST_LINE:
            raise DataError(
                f"{name}, line {number}: expected a line of at most 64 Mi characters; this one is longer. "
                "Check that this is a text file with one row a line."
            )
        if "\0" in line:
            raise DataError(
                f"{name}, line {number}, character {line.index(chr(0)) + 1}: expected text; came a NUL byte. "
                "If the file is UTF-16, add --encoding utf-16; otherwise it is binary or damaged."
            )
        held = [line]
        del line  # which may be longer than all that is made of it
        yield held.pop()


class _Counted(io.BufferedIOBase):
    """A stream that knows how many bytes it has given."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self.stream, self.count = stream, 0

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1) -> bytes:
        data = self.stream.read1(size)
        self.count += len(data)
        return data


def _encoding(name: str, wanted: str | None, start: bytes) -> str:
    marked = next((codec for mark, codec in _BYTE_ORDER_MARKS if start.startswith(mark)), None)
    if wanted is None:
        return marked or "utf-8"
    chosen = _name_known(wanted)
    if marked is None:
        if chosen in ("utf-16", "utf-32"):  # the first character is taken to be ASCII, as column names are
            return chosen + ("-be" if start[:1] == b"\0" else "-le")
        return chosen
    said = marked.removesuffix("-sig")
    if not chosen.startswith(said):
        raise DataError(
            f"{name}: expected {chosen}; the file begins with the byte order mark of {said}. "
            f"Use --encoding {said}, or leave --encoding out."
        )
    return marked


def _name_known(wanted: str) -> str:
    try:
        io.TextIOWrapper(io.BytesIO(), wanted)  # also refuses codecs that are not for text, such as base64
        return codecs.lookup(wanted).name
    except (LookupError, ValueError) as error:
        near = get_close_matches(wanted.lower(), [*aliases, *aliases.values()], n=1)
        hint = f"Did you mean {near[0].replace('_', '-')}?" if near else "Examples: utf-8, cp949, latin-1."
        raise UsageError(f"Expected the name of a text encoding; came {wanted!r}. {hint}") from error


def _wrong_bytes(name: str, lines_read: int, count: int, encoding: str, error: UnicodeDecodeError) -> DataError:
    """Tell of wrong bytes: of the `count` bytes read the codec saw the last len(error.object); what it decoded gives
    the line."""
    before = error.object[: error.start].decode(encoding, "ignore")
    line = lines_read + 1 + len(re.findall("\r\n|\r|\n", before))
    byte = count - len(error.object) + error.start + 1
    shown = encoding.removesuffix("-sig").upper() if encoding.startswith("utf") else encoding
    came = f"0x{error.object[error.start]:02X}"
    where = f"{name}, line {line}, byte {byte} of the file"
    return DataError(f"{where}: expected {shown}; came {came}. {_advice(encoding, error)}")


def _advice(encoding: str, error: UnicodeDecodeError) -> str:
    if not encoding.startswith("utf-8"):
        return "Leave --encoding out to read the file as UTF-8, or give its true encoding."
    line_start = error.object.rfind(b"\n", 0, error.start) + 1
    line_end = error.object.find(b"\n", error.start)
    line = error.object[line_start : line_end if line_end >= 0 else len(error.object)]
    try:
        korean = _HANGUL.search(line.decode("cp949")) is not None
    except UnicodeDecodeError:
        korean = False
    if korean:
        return "These bytes read as Korean: try --encoding cp949."
    return "For Western European text try --encoding latin-1, for Korean --encoding cp949."
