"""Consecutive rows as their file has them, one after the other, whose columns are made when one asks for them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any


class RowColumns(Mapping[str, Sequence[Any]]):
    """Rows column by column: of very many columns none is kept beside the rows."""

    rows: Sequence[Any]

    @abstractmethod
    def only(self, i: int) -> RowColumns:
        """Return row i alone."""

    @abstractmethod
    def values(self, names: Sequence[str]) -> Iterator[list[Any]]:  # type: ignore[override]
        """Return the values of each row in these columns, all of which are there."""

    def row(self, i: int) -> dict[str, Any]:
        """Return the values of row i by name."""
        names = list(self)
        return dict(zip(names, next(self.only(i).values(names)), strict=True))


class FieldColumns(RowColumns):
    """Rows of CSV or TSV: fields of text, read without the blanks around them.

    >>> columns = FieldColumns({"a": 0, "b": 1}, [["1", " x"], ["2", "y"]])
    >>> columns["b"], columns.row(1)
    (['x', 'y'], {'a': '2', 'b': 'y'})
    """

    def __init__(self, places: Mapping[str, int], rows: Sequence[Sequence[str]]) -> None:
        self.places, self.rows = places, rows

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __getitem__(self, name: str) -> Sequence[Any]:
        j = self.places[name]
        return [row[j].strip() for row in self.rows]

    def only(self, i: int) -> FieldColumns:
        return FieldColumns(self.places, self.rows[i : i + 1])

    def values(self, names: Sequence[str]) -> Iterator[list[Any]]:  # type: ignore[override]
        places = [self.places[name] for name in names]
        if len(places) < 2:
            return ([row[j].strip() for j in places] for row in self.rows)
        wanted = itemgetter(*places)
        return (list(map(str.strip, wanted(row))) for row in self.rows)


class ObjectColumns(RowColumns):
    """Rows of JSON lines: objects of which each says which columns it has.

    >>> columns = ObjectColumns(["a", "b"], [{"a": 1}, {"b": "x"}])
    >>> columns["b"], columns.row(0)
    ([None, 'x'], {'a': 1, 'b': None})
    """

    def __init__(self, names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
        self.names, self.rows = dict.fromkeys(names), rows

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Sequence[Any]:
        if name not in self.names:
            raise KeyError(name)
        return [_whole(row.get(name)) for row in self.rows]

    def only(self, i: int) -> ObjectColumns:
        return ObjectColumns(list(self.names), self.rows[i : i + 1])

    def values(self, names: Sequence[str]) -> Iterator[list[Any]]:  # type: ignore[override]
        return (list(map(_whole, map(row.get, names))) for row in self.rows)


def _whole(value: Any) -> Any:
    """Return JSON may escape half of a surrogate pair, which no encoding can write; it becomes U+FFFD."""
    if type(value) is str and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
