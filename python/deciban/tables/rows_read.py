"""Rows of very many columns read as those that were learnt, row by row: no column is made by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np

from ..data.columns import Columns, Labels
from ..data.frame import Floats
from .by_row import RowColumns
from .values import is_empty, number_of, text_of, truth_of

_STRANGE = re.compile(r"[^0-9+\-.eE]")
_MEASURED = ("number", "whole")


def read_rows(columns: Columns, own: RowColumns, absent: float | None) -> Floats | None:
    """Return (N, d) the cells as numbers, NaN for missing, K for a label never learnt; None where one is not what was
    learnt.

    A column that is not there is `absent`.
    """
    there = [str(name) in own for name in columns.names]
    matrix = np.full((len(own.rows), len(there)), np.nan if absent is None else absent)
    measured = [present and kind in _MEASURED for present, kind in zip(there, columns.kinds, strict=True)]
    numbers = np.flatnonzero(measured)
    names = [str(name) for name in compress(columns.names, measured)]
    for i, values in enumerate(own.values(names) if names else ()):
        read = _numbers(values)
        if read is None:
            return None
        matrix[i, numbers] = read
    others = [present and kind not in _MEASURED for present, kind in zip(there, columns.kinds, strict=True)]
    codes = _codes(list(compress(columns.categories, others)))
    places, names = np.flatnonzero(others), [str(name) for name in compress(columns.names, others)]
    for i, values in enumerate(own.values(names) if names else ()):
        found = [_code(known, value) for known, value in zip(codes, values, strict=True)]
        if None in found:
            return None
        matrix[i, places] = found
    return matrix


def _numbers(values: Sequence[Any]) -> Any:
    """Return the cells of a row that are numbers, or None."""
    types = set(map(type, values))
    read: Any = None
    if types == {str} and not _STRANGE.search("".join(values)):
        try:
            read = np.array(list(map(float, values)))
        except ValueError:  # one is empty, or no number
            read = None
    elif types <= {float, int}:
        try:
            read = np.array(values, dtype=np.float64)
        except OverflowError:
            return None
    if read is not None and np.isfinite(read).all():
        return read
    found = [np.nan if is_empty(value) or value != value else number_of(value) for value in values if _plain(value)]
    return None if len(found) < len(values) or None in found else found


def _plain(value: Any) -> bool:
    return value is None or type(value) in (str, float, int, bool)


def _codes(categories: Sequence[Labels | None]) -> list[dict[str, float] | None]:
    """Return by column the code of each label; columns of the same labels share them."""
    known: dict[Labels, dict[str, float]] = {}
    for labels in categories:
        if labels is not None and labels not in known:
            known[labels] = {text_of(label): float(k) for k, label in enumerate(labels)}
    return [None if labels is None else known[labels] for labels in categories]


def _code(codes: dict[str, float] | None, value: Any) -> float | None:
    if codes is not None and type(value) is str:
        code = codes.get(value)
        if code is not None:
            return code
    if not _plain(value):
        return None
    if is_empty(value) or value != value:
        return np.nan
    return truth_of(value) if codes is None else codes.get(text_of(value), float(len(codes)))
