"""Columns that were learnt, with what further rows bring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..data.columns import Columns
from ..data.frame import Label, name_column, quote
from ..errors import DataError, escape
from .cells import Cells
from .values import is_empty, number_of, text_of, truth_of


def with_categories_of(columns: Columns, cells: Cells) -> Columns:
    """Return the columns with the categories of the cells, too; DataError for one that is not of the type that was
    learnt.

    >>> known = Columns(("job",), ("category",), (("clerk", "judge"),))
    >>> with_categories_of(known, Cells("t.csv", {"job": ["nurse", "", "clerk"]}, [2, 3, 4], 1)).categories
    (('clerk', 'judge', 'nurse'),)
    """
    found = list(columns.categories)
    for j, known in enumerate(columns.categories):
        if known is None or str(columns.names[j]) not in cells.columns:
            continue
        values = cells.columns[str(columns.names[j])]
        new = _strange(known, values)
        if new:
            labels = {_as_learnt(columns, j, text, cells, values) for text in new}
            found[j] = tuple(sorted({*known, *labels}))
    return columns if found == [*columns.categories] else replace(columns, categories=tuple(found))


NO_NEW = "This model learns no new categories: leave the cell empty, or train anew with all rows."
NEVER_LEARNT = "What was never learnt cannot be forgotten: leave the row out."


def refuse_strange(columns: Columns, cells: Cells, advice: str) -> None:
    """Raise DataError for a category that was never learnt, with what to do about it."""
    for j, known in enumerate(columns.categories):
        own = str(columns.names[j])
        if known is None or own not in cells.columns:
            continue
        values = cells.columns[own]
        for text in _strange(known, values):
            listed = ", ".join(quote(str(label)) for label in known[:8]) + ", …" * (len(known) > 8)
            raise DataError(
                f"{cells.where(_row_of(values, text))}: expected one of the categories learnt in {name_column(own)}, "
                f"{listed}; came {quote(text)}. {advice}"
            )


def _strange(known: Iterable[Label], values: Iterable[Any]) -> list[str]:
    """Return the categories among the values that are not known, in order of occurrence."""
    texts = dict.fromkeys(text_of(value) for value in dict.fromkeys(values) if not is_empty(value) and value == value)
    there = {text_of(label) for label in known}
    return [text for text in texts if text not in there]


def _as_learnt(columns: Columns, j: int, text: str, cells: Cells, values: Any) -> Label:
    """Return a new category in the type of those that were learnt."""
    known = columns.categories[j] or ()
    if all(isinstance(label, str) for label in known):
        return text
    made = truth_of(text) if isinstance(known[0], bool) else number_of(text)
    if made is None or np.isnan(made):
        what = "true or false" if isinstance(known[0], bool) else "a number"
        raise DataError(
            f"{cells.where(_row_of(values, text))}: expected {what} in {name_column(escape(str(columns.names[j])))}, "
            f"as learnt; came {quote(text)}. Correct it, or leave it empty."
        )
    return bool(made) if isinstance(known[0], bool) else int(made) if made.is_integer() else made


def _row_of(values: Any, text: str) -> int:
    return next(i for i, value in enumerate(values) if not is_empty(value) and text_of(value) == text)
