"""What a column of a file is, by its values: its kind, why it may say nothing, its cells as numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..data.frame import Floats, Kind, name_column, quote
from ..errors import DataError, escape
from .gathered import Gathered
from .packed import Numbers
from .values import GONE, TRUTH, is_empty, is_number, number_of, text_of, truth_of

FEW = 20
"""Fewer values than this are never taken for names of their rows."""


def kind_of(column: Gathered, where: Any) -> Kind:
    """Return what the column is, by its values; DataError for values of several types."""
    present, types = column.present, column.types
    if types <= {str, bool}:
        texts = [value.lower() for value in present]
        if set(texts) <= {*TRUTH, *GONE} and set(texts) & set(TRUTH):
            return "truth"
        numbers = [text for text in texts if text not in GONE]
        if str in types and numbers and all(map(is_number, numbers)):
            return "whole" if all(float(text).is_integer() and "." not in text for text in numbers) else "number"
        return "category"
    if str not in types and bool not in types:
        return "whole" if float not in types else "number"
    texts = [value for value in present if isinstance(value, str)]
    other = next(value for value in present if not isinstance(value, str))
    raise DataError(
        f"{name_column(column.name)}: expected values of one type; came {quote(other)} and {quote(texts[0])}. "
        f"Write all as numbers, or say --category {escape(column.name)}."
    )


def silence_of(column: Gathered) -> str | None:
    """Return why a column is not worth learning from; None if it may be."""
    present, rows = column.present, column.rows
    gaps = [place for value, place in column.distinct.items() if is_empty(value)]
    n = len(rows) - int(np.isin(rows, gaps).sum())
    return silence_of_values(column, n, lambda: len(present) == n == len(rows) and counts_up(present))


def silence_of_values(column: Gathered, n: int, numbers_rows: Callable[[], bool]) -> str | None:
    """Return the same of a column of which n rows are not empty, by its distinct values."""
    present = column.present
    if not present:
        return "it is empty"
    if len(present) == 1 and len(column.distinct) == 1:
        return "it has one value"
    if len(present) < FEW:
        return None
    if str in column.types and not all(is_number(text) or text.lower() in GONE for text in map(str, present)):
        return "its text is another in most rows" if 2 * len(present) > n else None
    return "it numbers the rows" if numbers_rows() else None


def silence_of_numbers(column: Numbers) -> str | None:
    """Return the same of numbers that are written plainly."""
    if column.constant:
        return "it has one value"
    if len(column.values) >= FEW and bool((np.diff(column.values) == 1.0).all()):
        return "it numbers the rows"
    return None


def counts_up(values: Sequence[Any]) -> bool:
    """Return whether the values, in order of occurrence, go up by one."""
    numbers = [float(value) for value in values if is_number(str(value))]
    return len(numbers) == len(values) and all(b - a == 1.0 for a, b in pairwise(numbers))


def code_cells(column: Gathered, kind: Kind, known: Sequence[Any] | None, where: Any) -> Floats:
    """Return (N,) the cells as numbers, NaN for missing; a category never learnt is K, one past the last label."""
    codes: list[float] = []
    places = None if known is None else {text_of(label): float(k) for k, label in enumerate(known)}
    for value in column.distinct:
        if is_empty(value):
            codes.append(np.nan)
        elif places is not None:
            codes.append(places.get(text_of(value), float(len(places))))
        else:
            number = truth_of(value) if kind == "truth" else number_of(value)
            if number is None:
                at = int((column.rows == len(codes)).argmax())
                raise DataError(
                    f"{where(at)}: expected {'true or false' if kind == 'truth' else 'a number'} in "
                    f"{name_column(column.name)}; came {quote(value)}. Correct it, or leave it empty."
                )
            codes.append(number)
    return np.take(np.array(codes), column.rows)
