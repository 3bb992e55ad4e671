"""Sums in one fixed order: a binary tree over the numbers of the parts, whoever computes which part, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")
Node = tuple[int, Any, int]
"""The place of a node in its level, its value, and the level."""


class Tree(Generic[Value]):
    """A binary tree over `count` leaves that is combined as they come, in any order; a leaf may be None, of nothing.

    Node k of a level is the combination of the nodes 2k and 2k + 1 below it, so that what is added to what does not
    depend on who came first, nor on which neighbouring leaves were combined elsewhere. At most one value a level and a
    gap is kept.
    """

    def __init__(self, count: int, combine: Callable[[Value, Value], Value]) -> None:
        self._widths, self._combine = [count], combine
        while self._widths[-1] > 1:
            self._widths.append((self._widths[-1] + 1) // 2)
        self._waiting: dict[tuple[int, int], Value | None] = {}

    def push(self, leaf: int, value: Value | None, level: int = 0) -> None:
        """Add the value of a leaf, or of a node of a higher level, and combine what is complete."""
        while level < len(self._widths) - 1:
            other = leaf ^ 1
            if other < self._widths[level]:
                if (level, other) not in self._waiting:
                    break
                known = self._waiting.pop((level, other))
                left, right = (value, known) if leaf < other else (known, value)
                value = _both(left, right, self._combine)
            level, leaf = level + 1, leaf // 2
        self._waiting[level, leaf] = value

    def nodes(self) -> list[Node]:
        """Return what is combined so far, as what `push` takes: of all leaves the root alone."""
        return [(leaf, value, level) for (level, leaf), value in self._waiting.items()]

    def result(self) -> Value | None:
        """Return the combination of all leaves; None where all are of nothing."""
        (value,) = self._waiting.values()
        return value


def groups(count: int, least: int) -> tuple[int, list[range]]:
    """Return a level and the leaves below each of its nodes, so that there are at least so many nodes, if there can be.

    >>> groups(7, 3)
    (1, [range(0, 2), range(2, 4), range(4, 6), range(6, 7)])
    """
    level = 0
    while count >= 2 * least << level:
        level += 1
    size = 1 << level
    return level, [range(first, min(first + size, count)) for first in range(0, count, size)]


def _both(left: Value | None, right: Value | None, combine: Callable[[Value, Value], Value]) -> Value | None:
    if left is None or right is None:
        return right if left is None else left
    return combine(left, right)
