"""The format of SVMlight and LIBSVM: `label index:value …`, features that are 0 left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from ..errors import DataError, shown

LABEL = "label"
"""What the column of labels is called; those of the features are called by their index."""
_PAIR = re.compile(r"(0|[1-9][0-9]{0,9}):(\S+)")


def svmlight_rows(lines: Iterator[str], name: str) -> Iterator[tuple[int, dict[str, str | float]]]:
    """Per line its number, and label and features by name; what follows a # is left out, and so is `qid:`.

    >>> list(svmlight_rows(iter(["+1 3:1 11:0.5 # a note"]), "t.svm"))
    [(1, {'label': '1', '3': 1.0, '11': 0.5})]
    """
    for number, line in enumerate(lines, 1):
        parts = line.partition("#")[0].split()
        if parts:
            row: dict[str, str | float] = {LABEL: _label(parts[0])}
            for part in parts[1:]:
                if not part.startswith("qid:"):
                    key, value = _feature(part, f"{name}, line {number}")
                    row[key] = value
            yield number, row


def _label(text: str) -> str:
    """Whole numbers are labels without sign and fraction: +1 is 1."""
    try:
        value = float(text)
        return str(int(value)) if value == int(value) else text
    except (ValueError, OverflowError):
        return text


def _feature(part: str, where: str) -> tuple[str, float]:
    match = _PAIR.fullmatch(part)
    with suppress(ValueError):
        if match is not None:
            return match[1], float(match[2])
    raise DataError(
        f"{where}: expected index:value; came '{shown(part[:40])}'. If this is CSV, rename it to end in .csv."
    )
