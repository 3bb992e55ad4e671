"""Rows of files read as the columns that were learnt, found by name."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from scipy import sparse

from ..data.columns import Columns
from ..data.frame import Floats, name_column, quote
from ..errors import DataError, escape
from .by_row import RowColumns
from .cells import Cells
from .column_kinds import code_cells
from .gathered import MANY, Gathered
from .rows_read import read_rows
from .sparse import SparseColumns, is_small


def read_as(columns: Columns, cells: Cells) -> Any:
    """Return (N, d) the rows as the columns that were learnt, found by name; all else in the table is left alone.

    They are CSR where there are many cells and most of them are 0.

    DataError names the columns that are not there, and where a cell is not what was learnt.
    """
    if cells.absent is None:
        _check_there(columns, cells)
    if isinstance(cells.columns, SparseColumns) and not is_small(len(cells), len(columns.names)):
        return _over_features(columns, cells)
    if isinstance(cells.columns, RowColumns) and len(columns.names) > MANY:
        found = read_rows(columns, cells.columns, cells.absent)
        if found is not None:
            return found
    return _cell_by_cell(columns, cells)  # which says what is wrong


def _cell_by_cell(columns: Columns, cells: Cells) -> Floats:
    matrix = np.empty((len(cells), len(columns.names)))
    for j, (own, kind, known) in enumerate(zip(columns.names, columns.kinds, columns.categories, strict=True)):
        if own not in cells.columns:
            matrix[:, j] = cells.absent
            continue
        column = Gathered(str(own))
        column.add(cells.columns[str(own)], cells.where)
        matrix[:, j] = code_cells(column, kind, known, cells.where)
    return matrix


def _over_features(columns: Columns, cells: Cells) -> Any:
    """Return CSR (N, d) of features of which most are 0; DataError where one is not of the kind that was learnt."""
    own = cells.columns
    assert isinstance(own, SparseColumns)
    names = [str(name) for name in columns.names]
    plain = [j for j, name in enumerate(names) if name.isdecimal() and columns.kinds[j] in ("number", "whole")]
    indices = np.array([int(names[j]) for j in plain], dtype=np.int64)
    order = np.argsort(indices, kind="stable")
    X = own.over(indices[order])
    if np.isinf(X.data).any():
        at = int(np.flatnonzero(np.isinf(X.data))[0])
        row, j = int(np.searchsorted(X.indptr, at, side="right")) - 1, plain[order[X.indices[at]]]
        raise DataError(
            f"{cells.where(row)}: expected a number in {name_column(names[j])}; came {quote(float(X.data[at]))}. "
            "Correct it, or leave it empty."
        )
    place = np.array(plain, dtype=np.int64)[order]
    made = sparse.csr_array((X.data, place[X.indices], X.indptr), shape=(len(cells), len(names)))
    others = [j for j in range(len(names)) if j not in set(plain)] if len(plain) < len(names) else []
    if others:
        names_, kinds, known = columns.names, columns.kinds, columns.categories
        rest = Columns(
            tuple(names_[j] for j in others), tuple(kinds[j] for j in others), tuple(known[j] for j in others)
        )
        dense = sparse.lil_array(made.shape)
        dense[:, others] = _cell_by_cell(rest, cells)
        made = sparse.csr_array(made + sparse.csr_array(dense))
    made.sort_indices()
    return made


def _check_there(columns: Columns, cells: Cells) -> None:
    gone = [str(own) for own in columns.names if own not in cells.columns]
    if gone and cells.typed and len(gone) < len(columns.names) and cells.unit == "line":
        return  # a JSON object need not name what it does not know
    if gone:
        others = [own for own in cells.columns if own not in columns.names]
        more = f" and {len(gone) - 5} more" if len(gone) > 5 else ""
        listed = ", ".join(f"'{escape(own)}'" for own in gone[:5])
        raise DataError(
            f"{cells.name}: expected the columns that were learnt; {listed}{more} "
            f"{'is' if len(gone) == 1 else 'are'} missing. {_near(gone[0], others)}"
        )


def _near(name: str, others: Sequence[str]) -> str:
    close = get_close_matches(name, others, n=1)
    return f"Is it '{escape(close[0])}' there? Rename it." if close else "Add what is missing; its cells may be empty."
