"""The columns of a table, gathered batch by batch: each distinct value is kept once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..data.frame import name_column
from ..errors import DataError, escape
from .by_row import ObjectColumns
from .cells import Cells
from .svmlight import LABEL
from .values import is_empty, plain_value

MANY = 1 << 12
"""Of more columns than this, each is gathered when it is asked for."""
_CELLS, _SHARE = 1 << 23, 64
"""More cells, about 1 GB with their columns, are only filled where one of 64 holds something."""
_SCALARS = (bool, int, float, str, Decimal, type(None), bytes)


@dataclass
class Gathered:
    """One column of a table, batch by batch: its distinct values, and for each row which."""

    name: str
    distinct: dict[Any, int] = field(default_factory=dict)
    cells: array[int] = field(default_factory=lambda: array("q"))
    types: set[type] = field(default_factory=set)

    def add(self, values: Sequence[Any], where: Any) -> None:
        """Add more rows; `where(i)` says in words where the i-th of them stands."""
        types = set(map(type, values))
        if not types <= set(_SCALARS):
            at = next(i for i, value in enumerate(values) if type(value) not in _SCALARS)
            _refuse_kind(self.name, values[at], where(at))
        if types & {float, bytes, Decimal}:
            values = [plain_value(value) for value in values]
            types = set(map(type, values))
        if bool in types:  # True is 1 to a dictionary
            values = [str(value).lower() if type(value) is bool else value for value in values]
        self.types |= types - {type(None)}
        known = self.distinct
        self.cells.extend([known.setdefault(value, len(known)) for value in values])

    @property
    def present(self) -> list[Any]:
        """The distinct values that are not empty."""
        return [value for value in self.distinct if not is_empty(value)]

    @property
    def rows(self) -> NDArray[np.int64]:
        """(N,) the place of each row's value among the distinct ones."""
        return np.frombuffer(self.cells, dtype=np.int64)


@dataclass(frozen=True)
class Places:
    """The words for where a row stands."""

    name: str
    lines: array[int]
    unit: str = "line"

    def __call__(self, i: int) -> str:
        return f"{self.name}, {self.unit} {self.lines[i]}"


def gather(batches: Iterable[Cells], label: str, without: set[str]) -> tuple[Mapping[str, Gathered], Places]:
    """Return the columns of a table, and where its rows stand; of the columns `without` nothing is kept but the
    name."""
    rest = iter(batches)
    first = next(rest, None)
    batches = rest if first is None else chain([first], rest)
    if first is not None and len(first.columns) > MANY:
        from .packed import pack

        packed = pack(batches, label, without)
        return packed, packed.where
    gathered: dict[str, Gathered] = {}
    where, there = Places("", array("q")), 0
    for cells in batches:
        done, where = len(where.lines), Places(cells.name, where.lines, cells.unit)
        n, d = done + len(cells), len(gathered) + sum(own not in gathered for own in cells.columns)
        there += sum(map(len, cells.columns.rows)) if isinstance(cells.columns, ObjectColumns) else n * d
        refuse_apart(cells.name, n, d, there)
        for own in cells.columns:
            if own not in gathered:
                gathered[own] = Gathered(own)
                gathered[own].add([None if own == label else cells.absent] * done, cells.where)
        nothing = [cells.absent] * len(cells)
        for own, column in gathered.items():
            column.add([None] * len(cells) if own in without else cells.columns.get(own, nothing), cells.where)
        where.lines.extend(cells.places)
    if LABEL in gathered and all(own.isdecimal() for own in gathered if own != LABEL):  # svmlight
        gathered = dict(sorted(gathered.items(), key=lambda item: -1 if item[0] == LABEL else int(item[0])))
    return gathered, where


def refuse_apart(name: str, n: int, d: int, there: int) -> None:
    """Raise DataError for n rows of which each has some of d columns of its own, `there` values together, before there
    is a cell for all of them."""
    if n * d > max(_CELLS, _SHARE * there):
        raise DataError(
            f"{name}: expected rows that share columns; {n:,} rows have {d:,} columns together, of which each has "
            f"{there // n:,}. Write them as svmlight, where what is not there is 0."
        )


def _refuse_kind(name: str, value: Any, where: str) -> NoReturn:
    known: dict[type, str] = {dict: "an object", list: "a list"}
    came = known.get(type(value), f"a value of type {type(value).__name__}")
    raise DataError(
        f"{where}: expected a number, text, or true or false in {name_column(name)}; came {came}. "
        f"Make a column of what matters in it, or leave it out: --ignore {escape(name)}."
    )
