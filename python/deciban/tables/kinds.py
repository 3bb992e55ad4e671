"""Which kind of table a file is: by the end of its name, checked against its first bytes."""

from __future__ import annotations

import os
from typing import Literal, TypeAlias

from ..errors import DataError, UsageError, escape

Kind: TypeAlias = Literal["csv", "tsv", "jsonl", "parquet", "svm"]

_KINDS: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".svm": "svm",
    ".svmlight": "svm",
    ".libsvm": "svm",
}
_OTHER_FORMATS = (
    (b"\x1f\x8b", "compressed by gzip. Unpack it first"),
    (b"\xfd7zXZ\0", "compressed by xz. Unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd. Unpack it first"),
    (b"PK\x03\x04", "a zip file or an Excel workbook. Unpack it, or save it as CSV in UTF-8"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook. Save it as CSV in UTF-8"),
    (b"PAR1", "Parquet. Rename it to end in .parquet"),
)


def _is_table_name(path: str) -> bool:
    """Return whether a file is a table by the end of its name, and not hidden, nor one that others wrote beside it."""
    return not os.path.basename(path).startswith((".", "_")) and os.path.splitext(path)[1].lower() in _KINDS


def files_of_table(path: str) -> list[str]:
    """Return the files of a table that is a folder, in the order of their names: those of the format of the first; the
    file itself of one that is none."""
    if not os.path.isdir(path):
        return [path]
    places = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    ends = {place: os.path.splitext(place)[1].lower() for place in sorted(places) if _is_table_name(place)}
    return [place for place, end in ends.items() if end == next(iter(ends.values()))]


def kind_by_name(path: str, name: str) -> Kind:
    extension = os.path.splitext(path)[1].lower()
    if extension in _KINDS:
        return _KINDS[extension]
    came = f"came '{escape(extension)}'" if extension else "it has none"
    raise UsageError(f"{name}: expected a name that ends in {', '.join(_KINDS)}; {came}. Rename the file.")


def check_start(start: bytes, kind: Kind, name: str) -> None:
    if kind != "parquet":
        for magic, what in _OTHER_FORMATS:
            if start.startswith(magic):
                raise DataError(f"{name}: expected {kind}; the file is {what}.")


def guess_kind(start: bytes) -> Kind:
    """Return what standard input is, by its first line; zeros are dropped so that UTF-16 reads as ASCII."""
    line = start.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").partition(b"\n")[0]
    if line.startswith(b"PAR1"):
        return "parquet"
    if line.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in line and b"," not in line else "csv"
