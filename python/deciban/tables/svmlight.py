"""The format of SVMlight and LIBSVM: `label index:value …`, features that are 0 left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from deciban._core import svmlight_pairs

from ..errors import DataError, escape

LABEL = "label"
"""What the column of labels is called; those of the features are called by their index."""
_PART = re.compile(r"\S+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,400}")
_PAIR = re.compile(r"(0|[1-9][0-9]{0,9}):(\S+)")
_BLANK = re.compile(r"\s")
_STRETCH = 1 << 16  # characters of a line that is not plain that are read at once


Pairs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]
Row: TypeAlias = tuple[int, str, NDArray[np.int64], NDArray[np.float64]]
"""The line of a row, its label, its features in ascending order, and their values."""


def svmlight_rows(lines: Iterator[str], name: str) -> Iterator[Row]:
    """Yield the rows; what follows a # is left out, and so is `qid:`. Of a feature that comes twice the last value
    counts.

    >>> line, label, features, values = next(svmlight_rows(iter(["+1 3:1 11:0.5 # a note"]), "t"))
    >>> line, label, features.tolist(), values.tolist()
    (1, '1', [3, 11], [1.0, 0.5])
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
        if (features[1:] <= features[:-1]).any():
            features, values = _sorted(features, values)
        yield number, label, features, values


def _sorted(features: NDArray[np.int64], values: NDArray[np.float64]) -> Pairs:
    """Return features in ascending order, of those that come twice the last."""
    order = np.argsort(features, kind="stable")
    features = features[order]
    last = np.append(features[1:] != features[:-1], True)
    return features[last], values[order[last]]


def _pairs(text: str, start: int, where: str) -> Pairs:
    """Return the features of a line, as they come, and their values."""
    plain = svmlight_pairs(text, start) if text.isascii() else None
    if plain is not None:
        return plain
    found = []
    while start < len(text):
        end = len(text)
        if end - start > _STRETCH:
            blank = _BLANK.search(text, start + _STRETCH)
            end = len(text) if blank is None else blank.start()
        found.append(_odd_pairs(text[start:end], where))
        start = end
    features, values = zip(*found, strict=True)
    return np.concatenate(features), np.concatenate(values)


def _odd_pairs(text: str, where: str) -> Pairs:
    """Return the same of a stretch of a line in which, somewhere, other things stand, too."""
    parts = [part[0] for part in _PART.finditer(text)]
    told = [_feature(part, where) for part in parts if not part.startswith("qid:")]
    return np.array([j for j, _ in told], np.int64), np.array([x for _, x in told], np.float64)


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
