"""Typed columns: what a model learnt its columns to be, and any table read as those columns, a matrix of floats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deciban.attached import Attached
from deciban.data.rows import Rows

from ..errors import DataError, escape
from .frame import Column, Floats, Kind, Label, Name, Table, columns_of, name_column, quote
from .lazy_sequences import Numbered, Repeated, names_from, repeated_from

Wanted: TypeAlias = Mapping[Name, Literal["category", "number"] | None]
Labels: TypeAlias = tuple[Label, ...]

_LIKELIHOOD: dict[Kind, str] = {
    "number": "gaussian",
    "whole": "gaussian",
    "truth": "bernoulli",
    "category": "categorical",
}


@dataclass(frozen=True)
class Columns:
    """The columns of a table: their names, their kinds, and the labels of those that are categories.

    kinds       "number" (floats, decimals), "whole" (integers), "truth" (booleans), "category" (text, Categorical,
                Enum, and whatever one declared to be labels).
    categories  the K_j labels of a category, sorted: all text, all numbers, or all truth values; else None. They
                are those seen and those that the column's dtype declares: an Enum, a Categorical of pandas. A
                declared outcome that never occurs is thus known, with a count of 0. A polars Categorical and an
                Arrow dictionary declare nothing: they are ways to store text.

    A description is learnt from some rows (`infer`), grows (`widened`), adds up (`union`) and reads tables
    (`matrix`); each takes what `columns_of` takes, or its `Table`, so that X need be read but once. Frames are
    matched by the names of their columns, all else by place.

    >>> columns = Columns.infer([[39, "clerk"], [50, "nurse"], [28, "clerk"]])
    >>> columns.kinds, columns.categories
    (('whole', 'category'), (None, ('clerk', 'nurse')))
    >>> columns.matrix([[41, "nurse"], [None, "judge"]]).tolist()
    [[41.0, 1.0], [nan, 2.0]]
    >>> columns.label(1, 1.0), columns.label(1, 2.0)
    ('nurse', '(unseen)')
    """

    names: Sequence[Name]
    kinds: Sequence[Kind]
    categories: Sequence[Labels | None]

    @classmethod
    def infer(cls, X: Any, wanted: Wanted | None = None) -> Columns:
        """Infer the columns of X (N, d): a data frame, an array, a list of rows, a sparse matrix.

        `wanted` decides by the name of a column: "category" makes its values labels, whatever they are; "number"
        reads its text as numbers. DataError names the column and the row that cannot be read.
        """
        table = columns_of(X)
        wanted, d = _check_wanted(wanted or {}, table.names), len(table.names)
        if table.block is not None and not wanted:
            return cls(table.names, Repeated(table.holds or "number", d), Repeated(None, d))
        kinds: list[Kind] = [table.holds or "number"] * len(table.names)
        categories: list[Labels | None] = [None] * len(table.names)
        for j, name in enumerate(table.names):
            if table.block is None or wanted.get(name):
                kinds[j], categories[j] = _describe(_dense(table).column(j), wanted.get(name))
        return cls(table.names, tuple(kinds), tuple(categories))

    def widen(self, X: Any) -> Columns:
        """Return these columns with the labels of X too. X is read as what was learnt: a column may be all missing."""
        table = self._match(X)
        kinds, categories = list(self.kinds), list(self.categories)
        for j, known in enumerate(self.categories):
            if known is not None:
                column = _dense(table).column(j)
                categories[j] = _join_labels(column.name, known, _sort_labels(_as_learnt(column, known).labels()))
            elif kinds[j] == "whole" and (table.holds or table.columns[j].holds) == "number":
                kinds[j] = "number"
        return Columns(self.names, tuple(kinds), tuple(categories))

    def matrix(self, X: Any) -> Any:
        """Return (N, d) float64 in C order: numbers as they are, truth values as 0 and 1, categories as codes.

        The code of a label is its place in `categories`; K_j, one past the last, stands for every other label.
        Missing (None, NaN, null, NA) is NaN. A sparse matrix stays sparse, as CSR. The result is a copy.

        DataError: columns that are missing, new, or in another order; text where numbers were learnt, unless it
        reads as numbers; numbers where text was learnt; truth values other than 0 and 1; infinite numbers.
        """
        table = self._match(X)
        coded = [j for j, known in enumerate(self.categories) if known is not None]
        if table.sparse and not coded:
            values = table.block.astype(np.float64)
            values.sum_duplicates()
        elif table.block is not None:
            values = np.array(_dense(table).block, dtype=np.float64, order="C")
        else:
            values, coded = np.empty((table.rows, len(self.names))), list(range(len(self.names)))
        for j in coded:
            values[:, j] = self._read(j, table.column(j))
        self._check_values(values, table.sparse)
        return values

    def union(self, other: Columns) -> Columns:
        """Return the same columns with the labels of both; whole numbers and numbers together are numbers."""
        if self == other:
            return self
        if self.names != other.names:
            _refuse_names(self.names, other.names, "Expected descriptions of the same columns.")
        for name, mine, theirs in zip(self.names, self.kinds, other.kinds, strict=True):
            if mine != theirs and {mine, theirs} != {"whole", "number"}:
                raise DataError(
                    f"{name_column(name)}: expected one kind in both descriptions; came {mine} and {theirs}. "
                    "Say which is meant, 'category' or 'number', where they are learnt."
                )
        kinds = (mine if mine == theirs else "number" for mine, theirs in zip(self.kinds, other.kinds, strict=True))
        pairs = zip(self.names, self.categories, other.categories, strict=True)
        labels = (None if one is None or two is None else _join_labels(name, one, two) for name, one, two in pairs)
        return Columns(self.names, tuple(kinds), tuple(labels))

    def recoding(self, wider: Columns) -> tuple[NDArray[np.intp] | None, ...]:
        """Return per column (K_j,) the new code of each old one, None where nothing changes: counts move to
        new[old]."""
        if self.union(wider) != wider:
            raise DataError("Expected a description with all labels of this one; some are not there. Use the union.")
        return tuple(
            None if old is None or new is None or old == new else np.array([*map(new.index, old)], dtype=np.intp)
            for old, new in zip(self.categories, wider.categories, strict=True)
        )

    def unseen(self, X: Any) -> NDArray[np.bool_]:
        """Return (N, d) where a matrix holds a code that stands for no known label."""
        if "category" not in self.kinds:
            return np.zeros(X.shape, dtype=np.bool_)
        past = np.array([np.nan if known is None else len(known) for known in self.categories])
        return np.asarray(past == X)

    def of_kind(self, *kinds: Kind) -> NDArray[np.bool_]:
        """Return (d,) which columns are of one of these kinds."""
        if isinstance(self.kinds, Repeated):
            return np.full(len(self.kinds), self.kinds.item in kinds)
        return np.array([kind in kinds for kind in self.kinds], np.bool_)

    def label(self, j: int, code: float) -> str:
        """Return what a person reads for a value of column j of a matrix: the label, "True", the number, "(unseen)"."""
        known = self.categories[j]
        if code != code:
            return "(missing)"
        if known is not None:
            return str(known[int(code)]) if 0 <= code < len(known) else "(unseen)"
        if self.kinds[j] == "truth":
            return str(bool(code))
        return str(int(code)) if float(code).is_integer() and abs(code) < 1e15 else f"{code:.6g}"

    def likelihoods(self) -> tuple[str, ...]:
        """Return a distribution per column: "gaussian" for number and whole, "bernoulli" for truth, else "categorical".

        Whole numbers are gaussian since most are ages, years, amounts or scores; few are counts of rare events,
        whose variance is their mean, as Poisson's is, and that some are codes only their owner knows. Ask for
        "poisson" or "categorical" by the name of the column.
        """
        return tuple(map(_LIKELIHOOD.__getitem__, self.kinds))

    def to_json(self) -> dict[str, Any]:
        """Return the columns as a file's header keeps them."""
        if isinstance(self.categories, Repeated):
            labels: Any = self.categories.to_json()
        else:
            labels = [None if known is None else list(known) for known in self.categories]
        names = self.names.to_json() if isinstance(self.names, Numbered) else list(self.names)
        kinds = self.kinds.to_json() if isinstance(self.kinds, Repeated) else list(self.kinds)
        return {"names": names, "kinds": kinds, "categories": labels}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Columns:
        """Return the columns that a file's header holds."""
        labels = repeated_from(values["categories"])
        if not isinstance(labels, Repeated):
            labels = tuple(None if known is None else tuple(known) for known in labels)
        return cls(names_from(values["names"]), repeated_from(values["kinds"]), labels)

    __str__ = Attached("text of columns")

    def _match(self, X: Rows) -> Table:
        """Return X as a table of these columns."""
        table = columns_of(X)
        if table.named and table.names != self.names:  # in the words of scikit-learn, as below
            _refuse_names(self.names, table.names, "The feature names should match those that were passed during fit.")
        if len(table.names) != len(self.names):
            raise DataError(
                f"X has {len(table.names)} features, but deciban is expecting {len(self.names)} features as input: "
                f"{_list_names(self.names, ', ')}. Bring these columns, in this order."
            )
        return table

    def _read(self, j: int, column: Column) -> Floats:
        known = self.categories[j]
        if known is not None:
            return _as_learnt(column, known).codes(known)
        if self.kinds[j] == "truth" and column.holds == "text":
            _check_missing(column, "true or false")
        return column.numbers()

    def _check_values(self, values: Any, sparse: bool) -> None:
        cells = values.data if sparse else values
        bad = np.isinf(cells)
        if "truth" in self.kinds:
            truth = np.array(self.kinds) == "truth"
            bad |= (truth[values.indices] if sparse else truth) & (cells != 0) & (cells != 1) & (cells == cells)
        if bad.any():
            place = tuple(np.argwhere(bad)[0].tolist())
            row, j = (values.tocoo().row[place], values.indices[place]) if sparse else place
            expected = "true or false, as learnt" if self.kinds[j] == "truth" else "a finite number"
            raise DataError(
                f"{name_column(self.names[j])}, row {row}: expected {expected}; came {cells[place]:g}. "
                "Correct it, or leave it empty (None or NaN)."
            )


def _check_wanted(wanted: Wanted, names: Sequence[Name]) -> Wanted:
    for name, kind in wanted.items():
        if kind not in ("category", "number", None):
            raise ValueError(f"{name_column(name)}: expected 'category', 'number' or None; came {kind!r}.")
        if name not in names:
            near = get_close_matches(str(name), map(str, names), n=1)
            hint = f"Did you mean '{escape(near[0])}'?" if near else f"There are {_list_names(names, ', ')}."
            raise ValueError(f"Expected columns to be named that are there; came {name_column(name)}. {hint}")
    return wanted


def _describe(column: Column, wanted: Literal["category", "number"] | None) -> tuple[Kind, Labels | None]:
    kind = wanted or column.kind
    if kind is None:
        raise DataError(
            f"{name_column(column.name)}: expected values; all are missing, and so is what they would be. "
            "Say 'category' or 'number' for the column, or leave it out."
        )
    if kind == "number" and column.holds == "text":
        column.numbers()  # refuses text that is no number
    return kind, _sort_labels(column.labels()) if kind == "category" else None


def _dense(table: Table) -> Table:
    if table.sparse:
        raise DataError("Expected a dense array, as some columns are categories; came a sparse matrix: use toarray().")
    return table


def _sort_labels(labels: Iterable[Label]) -> Labels:
    return tuple(sorted(labels))  # which are of one type


def _join_labels(name: Name, one: Labels, two: Labels) -> Labels:
    if one and two and _family(one[0]) != _family(two[0]):
        raise DataError(
            f"{name_column(name)}: expected labels of one type; came {quote(one[0])} ({_family(one[0])}) and "
            f"{quote(two[0])} ({_family(two[0])}). Turn the column into one of them, such as with astype(str)."
        )
    return _sort_labels({*one, *two})


def _family(label: Label) -> str:
    return "text" if isinstance(label, str) else "truth value" if isinstance(label, bool) else "number"


def _as_learnt(column: Column, known: Labels) -> Column:
    """Return the column, if its values can be among the labels."""
    if known and (column.holds == "text") != isinstance(known[0], str):
        _check_missing(column, "text" if isinstance(known[0], str) else "labels that are numbers")
    return column


def _check_missing(column: Column, expected: str) -> None:
    """Refuse a column of another type for its first value; one that is all missing is of any type."""
    present = column.cells == column.cells if column.distinct is None else column.cells >= 0
    if not present.any():
        return
    row = int(present.argmax())
    value = column.cells[row] if column.distinct is None else column.distinct[0]
    raise DataError(
        f"{name_column(column.name)}, row {row}: expected {expected}, as learnt; came {quote(value)}. "
        "Bring the column in the type in which it was learnt."
    )


def _list_names(names: Iterable[Name], between: str, most: int = 20) -> str:
    listed = [escape(str(name)) for name in names]
    return between.join(listed[:most] + ["…"] * (len(listed) > most))


def _refuse_names(learnt: Sequence[Name], came: Sequence[Name], start: str) -> NoReturn:
    """Raise in the words of scikit-learn, whose checks look for them."""
    new, gone = (sorted({*a} - {*b}, key=str) for a, b in ((came, learnt), (learnt, came)))
    message = start
    if new:
        message += "\nFeature names unseen at fit time:\n- " + _list_names(new, "\n- ", 5)
    if gone:
        message += "\nFeature names seen at fit time, yet now missing:\n- " + _list_names(gone, "\n- ", 5)
    if not new and not gone:
        message += "\nFeature names must be in the same order as they were in fit."
    by_place = "an array, by place: bring an array" if [*learnt] == [*range(len(learnt))] else _list_names(learnt, ", ")
    raise DataError(f"{message}\nThe columns were learnt from {by_place}.")
