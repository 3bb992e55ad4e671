"""The format of SVMlight and LIBSVM: `label index:value …`, features that are 0 left out."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from operator import ge
from typing import TypeAlias

from ..errors import DataError, escape

LABEL = "label"
"""What the column of labels is called; those of the features are called by their index."""
_PART = re.compile(r"\S+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,400}")
_PAIR = re.compile(r"(0|[1-9][0-9]{0,9}):(\S+)")
_PAIRS = re.compile(r"(?:\s+(?:0|[1-9][0-9]{0,9}):[0-9.eE+-]+)*+\s*")
"""What most lines are behind their label, which is read at once."""
_BLANK = re.compile(r"\s")
_STRETCH = 1 << 16  # characters of a line that are read at once


Row: TypeAlias = "tuple[int, str, array[int], array[float]]"
"""The line of a row, its label, its features in ascending order, and their values."""


def svmlight_rows(lines: Iterator[str], name: str) -> Iterator[Row]:
    """Yield the rows; what follows a # is left out, and so is `qid:`. Of a feature that comes twice the last value
    counts.

    >>> [(line, label, *map(list, row)) for line, label, *row in svmlight_rows(iter(["+1 3:1 11:0.5 # a note"]), "t")]
    [(1, '1', [3, 11], [1.0, 0.5])]
    """
    number = 0
    for text in lines:
        number += 1
        first = _PART.search(text := text.partition("#")[0])
        if first is None:
            continue
        features, values = _pairs(text, first.end(), f"{name}, line {number}")
        label = _label(first[0])
        del text, first  # a line may be longer than all that is made of it
        if any(map(ge, features, islice(features, 1, None))):
            last = dict(zip(features, values, strict=True))
            features = array("q", sorted(last))
            values = array("d", map(last.__getitem__, features))
        yield number, label, features, values


def _pairs(text: str, start: int, where: str) -> tuple[array[int], array[float]]:
    """Return the features of a line, as they come, and their values; a stretch of it at a time."""
    features, values = array("q"), array("d")
    while start < len(text):
        end = len(text)
        if end - start > _STRETCH:
            blank = _BLANK.search(text, start + _STRETCH)
            end = len(text) if blank is None else blank.start()
        _add_pairs(text, start, end, where, features, values)
        start = end
    return features, values


def _add_pairs(text: str, start: int, end: int, where: str, features: array[int], values: array[float]) -> None:
    if _PAIRS.fullmatch(text, start, end):
        both = text[start:end].replace(":", " ").split()
        with suppress(ValueError):  # which is told below
            read = array("d", map(float, both[1::2]))
            features.extend(map(int, both[::2]))
            values.extend(read)
            return
    for part in _PART.finditer(text, start, end):
        if not part[0].startswith("qid:"):
            feature, value = _feature(part[0], where)
            features.append(feature)
            values.append(value)


def _label(text: str) -> str:
    """Return a label; a whole number without sign and fraction: +1 is 1."""
    if _WHOLE.fullmatch(text):
        return str(int(text))
    try:
        value = float(text)
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else text
    except ValueError:
        return text


def _feature(part: str, where: str) -> tuple[int, float]:
    match = _PAIR.fullmatch(part)
    with suppress(ValueError):
        if match is not None and "_" not in part:  # which Python reads in numbers, and no other program
            return int(match[1]), float(match[2])
    raise DataError(
        f"{where}: expected index:value; came '{escape(part[:40])}'. If this is CSV, rename it to end in .csv."
    )
