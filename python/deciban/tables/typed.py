"""Cells of files as typed columns: what each column is, which say nothing, and rows as numbers.

    cell                         number, whole       truth       category
    empty, null, NaN             missing             missing     missing
    na n/a nan null none ?       missing             missing     that label
    anything else                the number          0 or 1      the place of its label; K if never learnt

A column is whole or number where all its cells are numbers, truth where all are true or false, else category. Codes
with leading zeros (007) are labels. Text that reads as a number is one, so that a table is the same in every format.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain, pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import DataError, shown
from ..rows import is_sparse
from .cells import Cells
from .columns import Columns
from .frame import Floats, Kind, called, quoted
from .gathered import Gathered, Places, gather
from .sparse import SparseColumns, is_small, together
from .svmlight import LABEL
from .values import GONE, TRUTH, is_empty, is_number, number_of, text_of, truth_of

Wanted = Mapping[str, Literal["category", "number"]]

# Fewer values than this are never taken for names of their rows.
_FEW = 20


@dataclass(frozen=True)
class Typed:
    """Rows of a table as typed columns.

    matrix    (N, d) float64 as `Columns.matrix` gives it: numbers, 0 and 1, codes of labels, NaN where missing; CSR
              where it is large and most of it is 0, as svmlight has it
    labels    (N,) of text; empty where none were asked for
    ignored   by name, why a column of the table is not among the columns
    """

    columns: Columns
    matrix: Any
    labels: list[str]
    ignored: dict[str, str]

    @property
    def missing(self) -> int:
        """How many cells are missing."""
        return int(np.isnan(self.matrix.data if is_sparse(self.matrix) else self.matrix).sum())


def learnt_from(
    batches: Iterable[Cells], label: str, ignore: Sequence[str] = (), wanted: Wanted | None = None
) -> Typed:
    """The table as what it is to be learnt from: `label` apart, `ignore` left out, the others by their kind.

    `wanted` names columns that are categories, or numbers, whatever they look like. Left out, unless wanted, are
    columns of one value, text that is another in most rows, and numbers that count the rows.

    Raises DataError for columns that are not there, labels that are empty, cells that are no value.
    """
    wanted = wanted or {}
    cells, batches = _first_of(batches)
    if cells is not None and isinstance(cells.columns, SparseColumns) and label == LABEL:
        held = list(batches)
        found = together([each.columns for each in held if isinstance(each.columns, SparseColumns)])
        if "category" not in wanted.values() and not is_small(len(found.labels), len(found)):
            where = Places(cells.name, array("q", [place for each in held for place in each.places]))
            return _of_numbers(found, where, ignore, wanted)
        batches = held
    gathered, where = gather(batches, label, {*ignore})
    for option, asked in (("--label", [label]), ("--ignore", ignore), ("--category", wanted)):
        for own in asked:
            if own not in gathered:
                raise DataError(f"{where.name}: expected a column '{shown(own)}'; {instead(own, gathered, option)}")
    labels = _labels(gathered[label], where)
    ignored = dict.fromkeys(ignore, "as told")
    names: list[str] = []
    kinds: list[Kind] = []
    categories: list[tuple[str, ...] | None] = []
    values: list[Floats] = []
    for own, column in gathered.items():
        if own == label or own in ignored:
            continue
        why = None if own in wanted else _says_nothing(column)
        if why is not None:
            ignored[own] = why
            continue
        kind = wanted.get(own) or kind_of(column, where)
        known = tuple(sorted({text_of(value) for value in column.present})) if kind == "category" else None
        names.append(own)
        kinds.append(kind)
        categories.append(known)
        values.append(coded(column, kind, known, where))
    if not names:
        raise DataError(f"{where.name}: expected a column to learn from; {_listed(ignored)}. {_remedy(ignored)}")
    return Typed(Columns(tuple(names), tuple(kinds), tuple(categories)), np.column_stack(values), labels, ignored)


def _first_of(batches: Iterable[Cells]) -> tuple[Cells | None, Iterable[Cells]]:
    """The first batch, and all of them."""
    rest = iter(batches)
    first = next(rest, None)
    return first, rest if first is None else chain([first], rest)


def _of_numbers(found: SparseColumns, where: Places, ignore: Sequence[str], wanted: Wanted) -> Typed:
    """The same of features of which most are 0: all are numbers."""
    for option, asked in (("--ignore", ignore), ("--number", wanted)):
        for own in asked:
            if own not in found:
                raise DataError(f"{where.name}: expected a column '{shown(own)}'; {instead(own, found, option)}")
    X = found.matrix
    infinite = np.flatnonzero(np.isinf(X.data))
    if len(infinite):
        at = int(infinite[0])
        row = int(np.searchsorted(X.indptr, at, side="right")) - 1
        own = str(found.indices[X.indices[at]])
        raise DataError(
            f"{where(row)}: expected a number in {called(own)}; came {quoted(float(X.data[at]))}. Correct it, or leave "
            "it empty."
        )
    ignored = dict.fromkeys(ignore, "as told")
    silent, by_column = _silent(X), sparse.csc_array(X)
    kept = np.ones(len(found.indices), np.bool_)
    kept[[int(np.searchsorted(found.indices, int(own))) for own in ignore]] = False
    for j in np.flatnonzero(silent & kept).tolist():
        own = str(found.indices[j])
        values = by_column.data[by_column.indptr[j] : by_column.indptr[j + 1]]
        if own in wanted:
            continue
        if np.isnan(values).all() and len(values) == X.shape[0]:
            ignored[own], kept[j] = "it is empty", False
        elif len(values) in (0, X.shape[0]) and len(set(values.tolist())) <= 1:
            ignored[own], kept[j] = "it has one value", False
        elif X.shape[0] >= _FEW and _counts(found[own]):
            ignored[own], kept[j] = "it numbers the rows", False
    names = tuple(map(str, found.indices[kept].tolist()))
    if not names:
        raise DataError(f"{where.name}: expected a column to learn from; {_listed(ignored)}. {_remedy(ignored)}")
    number: Kind = "number"
    matrix = X if kept.all() else sparse.csr_array(by_column[:, np.flatnonzero(kept)])
    return Typed(Columns(names, (number,) * len(names), (None,) * len(names)), matrix, found.labels, ignored)


def _silent(X: Any) -> NDArray[np.bool_]:
    """(d,) which columns may say nothing: of them almost all cells are there, or none is."""
    there = np.bincount(X.indices, minlength=X.shape[1])
    silent: NDArray[np.bool_] = (there == 0) | (there >= X.shape[0] - 1)
    return silent


def _labels(column: Gathered, where: Places) -> list[str]:
    empty = [place for value, place in column.distinct.items() if is_empty(value)]
    missing = np.flatnonzero(np.isin(column.rows, empty))
    if len(missing):
        raise DataError(
            f"{where(int(missing[0]))}: expected a label in {called(column.name)}; it is empty. "
            "Fill it in, or remove the row."
        )
    texts = [text_of(value) for value in column.distinct]
    return [texts[k] for k in column.cells]


# --- what a column is --------------------------------------------------------------------------------------


def kind_of(column: Gathered, where: Any) -> Kind:
    """What the column is, by its values; DataError for values of several types."""
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
        f"{called(column.name)}: expected values of one type; came {quoted(other)} and {quoted(texts[0])}. "
        f"Write all as numbers, or say --category {shown(column.name)}."
    )


def _says_nothing(column: Gathered) -> str | None:
    """Why a column is not worth learning from; None if it may be."""
    present = column.present
    if not present:
        return "it is empty"
    if len(present) == 1 and len(column.distinct) == 1:
        return "it has one value"
    rows = column.rows
    if len(present) < _FEW:
        return None
    gaps = [place for value, place in column.distinct.items() if is_empty(value)]
    n = len(rows) - int(np.isin(rows, gaps).sum())
    if str in column.types and not all(is_number(text) or text.lower() in GONE for text in map(str, present)):
        return "its text is another in most rows" if 2 * len(present) > n else None
    if len(present) == n == len(rows) and _counts(present):
        return "it numbers the rows"
    return None


def _counts(values: Sequence[Any]) -> bool:
    """Whether the values, in order of occurrence, go up by one."""
    numbers = [float(value) for value in values if is_number(str(value))]
    return len(numbers) == len(values) and all(b - a == 1.0 for a, b in pairwise(numbers))


def coded(column: Gathered, kind: Kind, known: Sequence[Any] | None, where: Any) -> Floats:
    """(N,) the cells as numbers, NaN for missing; a category never learnt is K, one past the last label."""
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
                    f"{called(column.name)}; came {quoted(value)}. Correct it, or leave it empty."
                )
            codes.append(number)
    return np.take(np.array(codes), column.rows)


def read_as(columns: Columns, cells: Cells) -> Any:
    """(N, d) the rows as the columns that were learnt, found by name; all else in the table is left alone.

    They are CSR where there are many cells and most of them are 0.

    DataError names the columns that are not there, and where a cell is not what was learnt.
    """
    if cells.absent is None:
        _check_there(columns, cells)
    if isinstance(cells.columns, SparseColumns) and not is_small(len(cells), len(columns.names)):
        return _over_features(columns, cells)
    return _cell_by_cell(columns, cells)


def _cell_by_cell(columns: Columns, cells: Cells) -> Floats:
    matrix = np.empty((len(cells), len(columns.names)))
    for j, (own, kind, known) in enumerate(zip(columns.names, columns.kinds, columns.categories, strict=True)):
        if own not in cells.columns:
            matrix[:, j] = cells.absent
            continue
        column = Gathered(str(own))
        column.add(cells.columns[str(own)], cells.where)
        matrix[:, j] = coded(column, kind, known, cells.where)
    return matrix


def _over_features(columns: Columns, cells: Cells) -> Any:
    """CSR (N, d) of features of which most are 0; DataError where one is not of the kind that was learnt."""
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
            f"{cells.where(row)}: expected a number in {called(names[j])}; came {quoted(float(X.data[at]))}. Correct "
            "it, or leave it empty."
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
        listed = ", ".join(f"'{shown(own)}'" for own in gone[:5])
        raise DataError(
            f"{cells.name}: expected the columns that were learnt; {listed}{more} "
            f"{'is' if len(gone) == 1 else 'are'} missing. {_near(gone[0], others)}"
        )


def _near(name: str, others: Sequence[str]) -> str:
    close = get_close_matches(name, others, n=1)
    return f"Is it '{shown(close[0])}' there? Rename it." if close else "Add what is missing; its cells may be empty."


# --- what errors say -------------------------------------------------------------------------------------


def instead(wanted: str, present: Iterable[str], option: str) -> str:
    """Which columns there are, and the nearest to the one that is not."""
    names = list(present)
    listed = ", ".join(f"'{shown(own)}'" for own in names[:20])
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    folded = {own.strip().lower(): own for own in names}
    near = get_close_matches(wanted.strip().lower(), list(folded), n=1)
    hint = f"Did you mean '{shown(folded[near[0]])}'?" if near else f"Choose one with {option}."
    return f"the columns are {listed}{more}. {hint}"


def _listed(ignored: Mapping[str, str]) -> str:
    if not ignored:
        return "there is none but the labels"
    return "; ".join(f"'{shown(own)}' is left out: {why}" for own, why in list(ignored.items())[:5])


def _remedy(ignored: Mapping[str, str]) -> str:
    texts = [own for own, why in ignored.items() if why.startswith("its text")]
    if texts:
        return f"If it is text to be read, add --text {shown(texts[0])}."
    return "Bring more columns, or name one with --category or --number to learn from it all the same."
