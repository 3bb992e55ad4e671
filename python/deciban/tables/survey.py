"""What the columns of a table are, found in one pass that keeps none of its rows: as `typed.learnt_from` finds them.

Of each column its distinct values are kept while they may be categories. Of numbers, once they are many, only what
tells of which kind they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.capacity import require_labels
from ..data.columns import Columns
from ..data.frame import Kind
from ..errors import DataError
from .by_row import ObjectColumns
from .cells import Cells
from .column_kinds import FEW, kind_of, silence_of_values
from .feature_survey import FeatureSurvey
from .gathered import Gathered, refuse_apart
from .sparse import SparseColumns, is_small
from .svmlight import LABEL
from .typed import (
    ON_REQUEST,
    Wanted,
    columns_of_features,
    features_to_learn,
    no_label,
    require_columns,
    require_finite,
    require_some,
)
from .values import GONE, is_empty, is_number, text_of

# Numbers of more distinct values than this are no longer told apart.
_MANY = 1 << 14
# So many categories are too many.
_MOST = 1 << 20


@dataclass(frozen=True)
class Survey:
    """The columns of a table of n rows, its labels with how many rows have each, and why columns are left out; whether
    its rows are CSR, and so few that they are kept cell by cell after all."""

    columns: Columns
    labels: dict[str, int]
    ignored: dict[str, str]
    n: int
    sparse: bool = False
    small: bool = False


class ColumnSurvey:
    """One column, batch by batch."""

    def __init__(self, name: str, whole: bool) -> None:
        self.seen, self.whole = Gathered(name), whole
        self.n = self.filled = 0
        self.pruned = self.again = False
        self._last: float | None = None
        self._counts_up = True

    def add(self, values: Sequence[Any], where: Any) -> None:
        """Add more rows."""
        batch = Gathered(self.seen.name)
        batch.add(values, where)
        known, rows = self.seen.distinct, batch.rows
        empty = [place for value, place in batch.distinct.items() if is_empty(value)]
        self.n += len(rows)
        self.filled += len(rows) - (int(np.isin(rows, empty).sum()) if empty else 0)
        self._follow(list(batch.distinct), len(rows), bool(empty))
        new_types = batch.types - self.seen.types
        self.seen.types |= batch.types
        for value in batch.distinct:
            if value not in known and (not self.pruned or self._tells(value, new_types)):
                known[value] = len(known)
        if not self.pruned and len(known) > _MANY and not self.whole and all(map(_is_like_number, known)):
            self._prune()
        if len(known) > _MOST:
            raise DataError(
                f"the column {self.seen.name!r} has more than {_MOST:,} distinct texts. Expected fewer categories. "
                f"Leave it out: --ignore {self.seen.name}."
            )

    def _follow(self, values: list[Any], n: int, gaps: bool) -> None:
        """Find out whether the values, one a row, still go up by one."""
        if not self._counts_up:
            return
        there = not gaps and len(values) == n and all(is_number(str(value)) for value in values)
        numbers = np.array([self._last, *values] if self._last is not None else values, np.float64) if there else None
        self._counts_up = numbers is not None and bool((np.diff(numbers) == 1.0).all())
        self._last = float(numbers[-1]) if numbers is not None and len(numbers) else self._last

    def _tells(self, value: Any, new_types: set[type]) -> bool:
        """Return whether a value says something of the kind of a column of many numbers."""
        if not _is_like_number(value):
            self.again = True  # they are categories after all, and all must be known
            return True
        return type(value) in new_types or is_empty(value) or (isinstance(value, str) and not _is_whole(value))

    def _prune(self) -> None:
        """Keep what tells of the kind, and enough values to be many."""
        kept: dict[Any, int] = {}
        types: set[type] = set()
        fractions = 0
        for value in self.seen.distinct:
            fraction = isinstance(value, str) and not is_empty(value) and not _is_whole(value)
            if len(kept) < FEW or is_empty(value) or type(value) not in types or (fraction and fractions < 1):
                kept[value] = len(kept)
                types.add(type(value))
                fractions += fraction
        self.seen.distinct, self.pruned = kept, True

    def read(self, wanted: Wanted, where: Any) -> str | tuple[Kind, tuple[str, ...] | None]:
        """Return why the column is left out, or its kind and categories."""
        own, seen = self.seen.name, self.seen
        if own not in wanted:
            why = silence_of_values(seen, self.filled, lambda: self.filled == self.n and self._counts_up)
            if why is not None:
                return why
        kind = wanted.get(own) or kind_of(seen, where)
        return kind, tuple(sorted({text_of(value) for value in seen.present})) if kind == "category" else None


def _is_like_number(value: Any) -> bool:
    return not isinstance(value, str) or is_empty(value) or value.lower() in GONE or is_number(value)


def _is_whole(text: str) -> bool:
    return text.lower() in GONE or ("." not in text and is_number(text) and float(text).is_integer())


@dataclass(frozen=True)
class TableSurvey:
    """A pass over the batches of a table, whose column of labels, those to ignore and those of a wanted kind are
    named."""

    label: str
    ignore: Sequence[str] = ()
    wanted: Wanted | None = None

    def of(self, batches: Any) -> Survey:
        """Return what `batches()` are, once more where a column of numbers ends as one of categories."""
        columns, labels, n, name = self._pass(batches(), ())
        again = [own for own, column in columns.items() if column.again]
        if again:
            columns |= self._pass(batches(), again)[0]
        return self._survey(columns, labels, n, name)

    def _pass(self, batches: Iterable[Cells], only: Sequence[str]) -> tuple[dict[str, ColumnSurvey], Any, int, str]:
        columns: dict[str, ColumnSurvey] = {}
        labels, n, there, name = Counter[str](), 0, 0, ""
        for cells in batches:
            name, count = cells.name, len(cells)
            there += sum(map(len, cells.columns.rows)) if isinstance(cells.columns, ObjectColumns) else 0
            for own in only or cells.columns:
                if own not in columns and own in cells.columns:
                    columns[own] = ColumnSurvey(own, bool(only) or (self.wanted or {}).get(own) == "category")
                    if n and own != self.label and own not in self.ignore:
                        columns[own].add([cells.absent] * n, cells.where)
            if isinstance(cells.columns, ObjectColumns):
                refuse_apart(name, n + count, len(columns), there)
            for own, column in columns.items():
                if own not in self.ignore and own != self.label:
                    column.add(cells.columns.get(own, [cells.absent] * count), cells.where)
            n += count
            if not only:
                self._count(labels, cells, n)
        return columns, labels, n, name

    def _count(self, labels: Counter[str], cells: Cells, n: int) -> None:
        labels.update(labels_of(cells, self.label))
        require_labels(len(labels), n, self.label, more=True)

    def _survey(self, columns: dict[str, ColumnSurvey], labels: Any, n: int, name: str) -> Survey:
        wanted = self.wanted or {}
        require_columns(name, columns, {"--label": [self.label], "--ignore": self.ignore, "--category": wanted})
        ignored = dict.fromkeys(self.ignore, ON_REQUEST)
        told: list[tuple[str, Kind, tuple[str, ...] | None]] = []
        for own, column in columns.items():
            if own == self.label or own in ignored:
                continue
            read = column.read(wanted, name)
            if isinstance(read, str):
                ignored[own] = read
            else:
                told.append((own, *read))
        require_some(name, told, ignored)
        names, kinds, categories = zip(*told, strict=True)
        return Survey(Columns(names, kinds, categories), dict(labels), ignored, n)


def labels_of(cells: Cells, label: str) -> list[str]:
    """Return the labels of rows; DataError where one is missing, or the column is not there."""
    if label not in cells.columns:
        if cells.columns and cells.typed and not isinstance(cells.columns, SparseColumns):
            raise no_label(cells.where(0), label)
        require_columns(cells.name, list(cells.columns), {"--label": [label]})
    column = Gathered(label)
    column.add(cells.columns[label], cells.where)
    for value, place in column.distinct.items():
        if is_empty(value):
            raise no_label(cells.where(int((column.rows == place).argmax())), label)
    texts = [text_of(value) for value in column.distinct]
    return [texts[k] for k in column.cells]


class SparseSurvey:
    """Rows of svmlight, batch by batch."""

    def __init__(self) -> None:
        self.features = FeatureSurvey()
        self.labels, self.name = Counter[str](), ""

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.features.n

    @property
    def indices(self) -> NDArray[np.int64]:
        """The features, ascending."""
        return self.features.indices

    def add(self, cells: Cells) -> None:
        """Add more rows."""
        assert isinstance(cells.columns, SparseColumns)
        self.name = cells.name
        require_finite(cells.columns, cells.where)
        self.features.add(cells.columns)
        self.labels.update(labels_of(cells, LABEL))
        require_labels(len(self.labels), self.n, LABEL, more=True)

    def survey(self, ignore: Sequence[str] = (), wanted: Wanted | None = None) -> Survey:
        """Return what the table is."""
        kept, ignored = features_to_learn(self.features, self.name, ignore, wanted or {})
        columns = columns_of_features(self.indices[kept])
        return Survey(columns, dict(self.labels), ignored, self.n, True, is_small(self.n, len(self.indices)))
