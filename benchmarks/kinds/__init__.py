"""How each kind of problem is set up: sides to run in turn, the size of the data, and where our own time goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from measure import Side

Share = tuple[str, float]
"""A step of ours and its seconds."""


@dataclass(frozen=True)
class Contest:
    """A problem, ready to run.

    bytes     raw size of "train" and "test"
    items     how many texts or messages each has
    versions  of every program that took part; sides may add to it as they run
    notes     what else a reader of the numbers should know
    where     runs our side once more, apart from what is compared, and says how long each step took
    """

    sides: list[Side]
    bytes: dict[str, int]
    items: dict[str, int]
    versions: dict[str, str]
    where: Callable[[], list[Share]]
    notes: tuple[str, ...] = ()
