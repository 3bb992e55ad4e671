"""Cells of files as typed columns: what each column is, which say nothing, and rows as numbers.

    cell                         number, whole       truth       category
    empty, null, NaN             missing             missing     missing
    na n/a nan null none ?       missing             missing     that label
    anything else                the number          0 or 1      the place of its label; K if never learnt

A column is whole or number where all its cells are numbers, truth where all are true or false, else category. Codes
with leading zeros (007) are labels. Text that reads as a number is one, so that a table is the same in every format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.columns import Columns
from ..data.frame import Floats, Kind, name_column, quote
from ..data.lazy_sequences import Numbered, Repeated
from ..data.rows import is_sparse
from ..errors import DataError, escape
from .cells import Cells
from .column_kinds import code_cells, kind_of, silence_of, silence_of_numbers
from .feature_survey import FeatureSurvey
from .gathered import Gathered, Places, gather
from .packed import PackedColumns
from .sparse import SparseColumns, is_small, together
from .svmlight import LABEL
from .values import is_empty, text_of

Wanted = Mapping[str, Literal["category", "number"]]

ON_REQUEST = "as told"
"""Why a column is left out that --ignore names."""


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
    def n(self) -> int:
        """The number of rows."""
        return int(self.matrix.shape[0])

    @property
    def missing(self) -> int:
        """How many cells are missing."""
        return int(np.isnan(self.matrix.data if is_sparse(self.matrix) else self.matrix).sum())


def learnt_from(
    batches: Iterable[Cells], label: str, ignore: Sequence[str] = (), wanted: Wanted | None = None
) -> Typed:
    """Return the table as what it is to be learnt from: `label` apart, `ignore` left out, the others by their kind.

    `wanted` names columns that are categories, or numbers, whatever they look like. Left out, unless wanted, are
    columns of one value, text that is another in most rows, and numbers that count the rows.

    Raises DataError for columns that are not there, labels that are empty, cells that are no value.
    """
    wanted = wanted or {}
    batches, sparse_ones = _if_sparse(batches)
    if sparse_ones and label == LABEL and "category" not in wanted.values():
        features = _survey(sparse_ones)
        if not is_small(features.n, len(features.indices) + 1):
            return _of_numbers(sparse_ones, features, ignore, wanted)
    gathered, where = gather(batches, label, {*ignore})
    require_columns(where.name, gathered, {"--label": [label], "--ignore": ignore, "--category": wanted})
    labels = _labels(gathered[label], where)
    ignored = dict.fromkeys(ignore, ON_REQUEST)
    matrix = np.empty((len(labels), len(gathered)))
    told: list[tuple[str, Kind, tuple[str, ...] | None]] = []
    for own in gathered:
        if own == label or own in ignored:
            continue
        read = _read(gathered, own, wanted, where)
        if isinstance(read, str):
            ignored[own] = read
            continue
        kind, known, matrix[:, len(told)] = read
        told.append((own, kind, known))
    require_some(where.name, told, ignored)
    names, kinds, categories = zip(*told, strict=True)
    return Typed(Columns(names, kinds, categories), _first_columns(matrix, len(told)), labels, ignored)


def _read(
    gathered: Mapping[str, Gathered], own: str, wanted: Wanted, where: Places
) -> tuple[Kind, tuple[str, ...] | None, Floats] | str:
    """Return the kind of a column, its categories and its cells; or why it is not worth learning from."""
    if isinstance(gathered, PackedColumns) and own not in wanted:
        numbers = gathered.numbers(own)
        if numbers is not None:
            return silence_of_numbers(numbers) or (numbers.kind, None, numbers.values)
    column = gathered[own]
    why = None if own in wanted else silence_of(column)
    if why is not None:
        return why
    kind = wanted.get(own) or kind_of(column, where)
    known = tuple(sorted({text_of(value) for value in column.present})) if kind == "category" else None
    return kind, known, code_cells(column, kind, known, where)


def _first_columns(matrix: Floats, count: int) -> Floats:
    """Return the first columns of a matrix in C order, moved together where they lie."""
    n, d = matrix.shape
    flat = matrix.reshape(-1)
    for i in range(n if count < d else 0):
        flat[i * count : (i + 1) * count] = matrix[i, :count].copy()
    return flat[: n * count].reshape(n, count)


def _if_sparse(batches: Iterable[Cells]) -> tuple[Iterable[Cells], list[Cells]]:
    """Return the batches, and all of them once more if they are svmlight, else none."""
    rest = iter(batches)
    first = next(rest, None)
    if first is None or not isinstance(first.columns, SparseColumns):
        return rest if first is None else chain([first], rest), []
    held = [first, *rest]
    return held, held if all(isinstance(each.columns, SparseColumns) for each in held) else []


def _survey(batches: Sequence[Cells]) -> FeatureSurvey:
    features = FeatureSurvey()
    for cells in batches:
        assert isinstance(cells.columns, SparseColumns)
        require_finite(cells.columns, cells.where)
        features.add(cells.columns)
    return features


def _of_numbers(batches: list[Cells], features: FeatureSurvey, ignore: Sequence[str], wanted: Wanted) -> Typed:
    """Return the same of features of which most are 0: all are numbers. Of the batches none is left."""
    kept, ignored = features_to_learn(features, batches[-1].name, ignore, wanted)
    parts = [cells.columns for cells in batches if isinstance(cells.columns, SparseColumns)]
    batches.clear()
    found = together(parts, features.indices)
    matrix = found.matrix if kept.all() else sparse.csr_array(found.matrix[:, np.flatnonzero(kept)])
    return Typed(columns_of_features(features.indices[kept]), matrix, found.labels, ignored)


def features_to_learn(
    features: FeatureSurvey, name: str, ignore: Sequence[str], wanted: Wanted
) -> tuple[NDArray[np.bool_], dict[str, str]]:
    """Return which features are worth learning from (d,), and why the others are not."""
    indices = features.indices
    named = dict.fromkeys(map(str, indices.tolist())) if ignore or wanted else {}
    require_columns(name, named, {"--ignore": ignore, "--number": wanted})
    kept = np.ones(len(indices), np.bool_)
    kept[np.searchsorted(indices, np.array([*map(int, ignore)], np.int64))] = False
    ignored = dict.fromkeys(ignore, ON_REQUEST)
    for j, why in features.silent():
        own = str(indices[j])
        if own not in wanted and own not in ignored:
            ignored[own], kept[j] = why, False
    require_some(name, range(int(kept.sum())), ignored)
    return kept, ignored


def columns_of_features(indices: NDArray[np.int64]) -> Columns:
    """Return the columns of features (d,): numbers, whose names are their indices."""
    number: Kind = "number"
    return Columns(Numbered.of(indices), Repeated(number, len(indices)), Repeated(None, len(indices)))


def require_finite(columns: SparseColumns, where: Callable[[int], str]) -> None:
    """Raise DataError for a number that is infinite."""
    X = columns.matrix
    infinite = np.flatnonzero(np.isinf(X.data))
    if len(infinite):
        at = int(infinite[0])
        row = int(np.searchsorted(X.indptr, at, side="right")) - 1
        raise no_number(where(row), str(columns.indices[X.indices[at]]), float(X.data[at]))


def _labels(column: Gathered, where: Places) -> list[str]:
    empty = [place for value, place in column.distinct.items() if is_empty(value)]
    missing = np.flatnonzero(np.isin(column.rows, empty))
    if len(missing):
        raise no_label(where(int(missing[0])), column.name)
    texts = [text_of(value) for value in column.distinct]
    return [texts[k] for k in column.cells]


# --- what errors say -------------------------------------------------------------------------------------


def require_columns(name: str, present: Iterable[str], wanted: Mapping[str, Iterable[str]]) -> None:
    """Raise DataError for a column that an option names and a table does not have."""
    for option, asked in wanted.items():
        for own in asked:
            if own not in present:
                raise DataError(f"{name}: expected a column '{escape(own)}'; {instead(own, present, option)}")


def require_some(name: str, told: Sequence[Any], ignored: Mapping[str, str]) -> None:
    """Raise DataError where every column is left out."""
    if not len(told):
        raise DataError(f"{name}: expected a column to learn from; {_list(ignored)}. {_remedy(ignored)}")


def no_label(where: str, column: str) -> DataError:
    """Return the error of a row without a label."""
    return DataError(f"{where}: expected a label in {name_column(column)}; it is empty. Fill it in, or remove the row.")


def no_number(where: str, column: str, value: float) -> DataError:
    """Return the error of a number that is infinite."""
    return DataError(
        f"{where}: expected a number in {name_column(column)}; came {quote(value)}. Correct it, or leave it empty."
    )


def instead(wanted: str, present: Iterable[str], option: str) -> str:
    """Return which columns there are, and the nearest to the one that is not."""
    names = list(present)
    listed = ", ".join(f"'{escape(own)}'" for own in names[:20])
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    folded = {own.strip().lower(): own for own in names}
    near = get_close_matches(wanted.strip().lower(), list(folded), n=1)
    hint = f"Did you mean '{escape(folded[near[0]])}'?" if near else f"Choose one with {option}."
    return f"the columns are {listed}{more}. {hint}"


def _list(ignored: Mapping[str, str]) -> str:
    if not ignored:
        return "there is none but the labels"
    return "; ".join(f"'{escape(own)}' is left out: {why}" for own, why in list(ignored.items())[:5])


def _remedy(ignored: Mapping[str, str]) -> str:
    texts = [own for own, why in ignored.items() if why.startswith("its text")]
    if texts:
        return f"If it is text to be read, add --text {escape(texts[0])}."
    return "Bring more columns, or name one with --category or --number to learn from it all the same."
