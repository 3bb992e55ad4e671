"""The columns of a table of very many of them: kept packed, and unpacked a few at a time."""

from __future__ import annotations

import marshal
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..data.frame import Floats, Kind
from .by_row import ObjectColumns
from .cells import Cells
from .gathered import Gathered, Places, refuse_apart
from .values import plain_value

# So many columns are unpacked together.
_TOGETHER = 256
# Numbers without leading zeros, a line each.
_NUMBERS = re.compile(r"(?:[+-]?(?!0\d)(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\n)+", re.ASCII)
_PLAIN = (bool, int, float, str, type(None))


class _Batch(NamedTuple):
    rows: int
    columns: int
    packed: list[bytes]


class Numbers(NamedTuple):
    """A column of which every cell is a number: its kind, its values, and whether all cells say the same."""

    kind: Kind
    values: Floats
    constant: bool


class PackedColumns(Mapping[str, Gathered]):
    """The columns of a table, `TOGETHER` of them in a piece for each batch of rows.

    A column is gathered when one asks for it; asked for in order, each piece is unpacked once.
    """

    def __init__(self, label: str, without: set[str]) -> None:
        self.where = Places("", array("q"))
        self._label, self._without = label, without
        self._names: dict[str, int] = {}
        self._order: list[str] = []
        self._batches: list[_Batch] = []
        self._there = 0
        self._absent: float | None = None
        self._unpacked: tuple[int, list[list[Any]]] = (-1, [])

    def add(self, cells: Cells) -> None:
        """Add more rows."""
        self.where = Places(cells.name, self.where.lines, cells.unit)
        self.where.lines.extend(cells.places)
        self._absent = cells.absent
        names = self._order
        for own in cells.columns:
            if own not in self._names:
                self._names[own] = len(names)
                names.append(own)
        self._refuse_apart(cells)
        pieces = (names[at : at + _TOGETHER] for at in range(0, len(names), _TOGETHER))
        packed = [marshal.dumps([self._values(own, cells) for own in piece]) for piece in pieces]
        self._batches.append(_Batch(len(cells), len(names), packed))

    def _refuse_apart(self, cells: Cells) -> None:
        """Raise DataError for rows of which each has columns of its own, before there is a cell for all of them."""
        if not isinstance(cells.columns, ObjectColumns):
            return
        self._there += sum(map(len, cells.columns.rows))
        n, d = len(self.where.lines), len(self._order)
        refuse_apart(cells.name, n, d, self._there)

    def _values(self, own: str, cells: Cells) -> list[Any]:
        if own in self._without or own not in cells.columns:
            return [None if own in self._without else cells.absent] * len(cells)
        values = cells.columns[own]
        if set(map(type, values)) <= set(_PLAIN):
            return list(values)
        column = Gathered(own)
        column.add(values, cells.where)  # refuses what is no cell
        return [plain_value(value) for value in values]

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Gathered:
        column = Gathered(name)
        column.add(self._cells(name), self.where)
        return column

    def numbers(self, name: str) -> Numbers | None:
        """Return the column, if nothing but numbers that are written plainly stands in it."""
        cells = self._cells(name)
        types = set(map(type, cells))
        if types <= {int, float}:
            return _finite("number" if float in types else "whole", cells, len(set(cells)) == 1)
        if types != {str}:
            return None
        text = "\n".join(cells) + "\n"
        if not _NUMBERS.fullmatch(text):
            return None
        found = _finite("number", list(map(float, cells)), len(set(cells)) == 1)
        whole = found is not None and "." not in text and bool((found.values == np.floor(found.values)).all())
        return found._replace(kind="whole") if whole and found is not None else found

    def _cells(self, name: str) -> list[Any]:
        """Return (N,) the cells of a column."""
        number, place = divmod(self._names[name], _TOGETHER)
        if self._unpacked[0] != number:
            self._unpacked = number, list(self._piece(number))
        return self._unpacked[1][place]

    def _piece(self, number: int) -> Iterator[list[Any]]:
        """Yield the columns of a piece; those that came after a batch are absent there."""
        start = number * _TOGETHER
        names = self._order[start : start + _TOGETHER]
        parts = [marshal.loads(batch.packed[number]) if number < len(batch.packed) else [] for batch in self._batches]
        for j in range(len(parts[-1])):
            yield list(
                chain.from_iterable(
                    part[j] if j < len(part) else [None if names[j] == self._label else self._absent] * batch.rows
                    for part, batch in zip(parts, self._batches, strict=True)
                )
            )


def _finite(kind: Kind, values: Sequence[float], constant: bool) -> Numbers | None:
    try:
        found = np.array(values, dtype=np.float64)
    except OverflowError:
        return None
    return Numbers(kind, found, constant) if np.isfinite(found).all() else None


def pack(batches: Iterable[Cells], label: str, without: set[str]) -> PackedColumns:
    """Return the columns of a table; of those `without` nothing is kept but the name."""
    packed = PackedColumns(label, without)
    for cells in batches:
        packed.add(cells)
    return packed
