"""Sequences that are told by a rule, not item by item: a million columns that are only numbered take no room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item", covariant=True)


class _Lazy(Sequence[Item]):
    """A sequence that equals the tuple of its items."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | _Lazy):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))


class Repeated(_Lazy[Item], Generic[Item]):
    """One item, `count` times.

    >>> kinds = Repeated("number", 3)
    >>> kinds == ("number",) * 3, kinds[1], "whole" in kinds, kinds.count("number")
    (True, 'number', False, 3)
    """

    __slots__ = ("_count", "item")

    def __init__(self, item: Item, count: int) -> None:
        self.item, self._count = item, count

    def to_json(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"each": self.item, "count": self._count}

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        return repeat(self.item, self._count)

    def __contains__(self, value: object) -> bool:
        return self._count > 0 and value == self.item

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: int | slice) -> Item | Self:
        if isinstance(place, slice):
            return type(self)(self.item, len(range(self._count)[place]))
        range(self._count)[place]  # an IndexError for what is not there
        return self.item

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Repeated):
            return len(self) == len(other) and (not self._count or bool(self.item == other.item))
        return super().__eq__(other)

    __hash__ = _Lazy.__hash__

    def count(self, value: Any) -> int:
        """Return how often it holds a value."""
        return self._count if value == self.item else 0

    def __repr__(self) -> str:
        return f"Repeated({self.item!r}, {self._count})"


class Numbered(_Lazy[str]):
    """The decimal digits of whole numbers from 0, which ascend: the names of columns that are only numbered.

    >>> names = Numbered.of(np.array([1, 2, 3, 10]))
    >>> list(names), names == ("1", "2", "3", "10"), "10" in names, "010" in names, names.index("3")
    (['1', '2', '3', '10'], True, True, False, 2)
    """

    __slots__ = ("numbers",)

    def __init__(self, numbers: range | NDArray[np.int64]) -> None:
        self.numbers = numbers

    @classmethod
    def of(cls, numbers: NDArray[np.int64]) -> Self:
        """Return the names of numbers (d,); those of a run take no room at all."""
        d = len(numbers)
        if d and int(numbers[-1]) - int(numbers[0]) == d - 1:
            return cls(range(int(numbers[0]), int(numbers[-1]) + 1))
        return cls(numbers)

    def to_json(self) -> dict[str, Any]:
        """Return what a file keeps: the first number, and by how much each of the others is above the one before."""
        if isinstance(self.numbers, range):
            return {"first": self.numbers.start, "count": len(self)}
        return {"first": int(self.numbers[0]), "steps": np.diff(self.numbers).tolist()}

    def array(self) -> NDArray[np.int64]:
        """Return (d,) the numbers."""
        return np.asarray(self.numbers, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        step = 1 << 16
        for at in range(0, len(self), step):
            part = self.numbers[at : at + step]
            yield from map(str, part if isinstance(part, range) else part.tolist())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._place(name) is not None

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        found = self.numbers[place]
        if isinstance(place, slice):
            return tuple(Numbered(found))  # type: ignore[arg-type]
        return str(int(found))  # type: ignore[arg-type]

    def index(self, name: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the place of a name."""
        place = self._place(name) if isinstance(name, str) else None
        if place is None or place not in range(len(self))[start:stop]:
            raise ValueError(f"{name!r} is not there")
        return place

    def count(self, name: Any) -> int:
        """Return how often it holds a name."""
        return int(name in self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbered):
            return len(self) == len(other) and np.array_equal(self.numbers, other.numbers)
        return super().__eq__(other)

    __hash__ = _Lazy.__hash__

    def _place(self, name: str) -> int | None:
        if not (name.isascii() and name.isdecimal() and len(name) <= 18) or str(number := int(name)) != name:
            return None
        if isinstance(self.numbers, range):
            return self.numbers.index(number) if number in self.numbers else None
        place = int(np.searchsorted(self.numbers, number))
        return place if place < len(self) and self.numbers[place] == number else None

    def __repr__(self) -> str:
        return f"Numbered({self.numbers!r})"


def names_from(value: Any) -> Sequence[Any]:
    """Return the names that a file keeps, as a list or by a rule; ValueError for anything else."""
    if type(value) is list:
        return tuple(value)
    first, count, steps = _whole(value, "first"), value.get("count"), value.get("steps")
    if type(steps) is list and set(value) == {"first", "steps"}:
        if not all(type(step) is int and 0 < step < _LARGEST for step in steps):
            raise ValueError("columns whose numbers do not ascend")
        found = np.cumsum([first, *steps])
        if int(found[-1]) >= _LARGEST or sum(steps) + first != int(found[-1]):
            raise ValueError("columns of too large numbers")
        return Numbered.of(found)
    if type(count) is not int or not 0 < count < _MOST or set(value) != {"first", "count"}:
        raise ValueError("columns that are not numbered")
    return Numbered(range(first, first + count))


def repeated_from(value: Any) -> Sequence[Any]:
    """Return what a file keeps of each column, as a list or once for all; ValueError for anything else."""
    if type(value) is list:
        return tuple(value)
    count = _whole(value, "count")
    if set(value) != {"each", "count"} or not 0 < count < _MOST or type(value["each"]) not in (str, type(None)):
        raise ValueError("columns without a type")
    return Repeated(value["each"], count)


_LARGEST, _MOST = 10**18, 1 << 40


def _whole(value: Any, name: str) -> int:
    """Return a whole number from 0 of a file's object."""
    if type(value) is not dict or type(value.get(name)) is not int or not 0 <= value[name] < _LARGEST:
        raise ValueError(f"columns without a number {name!r}")
    return int(value[name])
