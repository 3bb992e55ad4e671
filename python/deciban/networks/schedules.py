"""How long a step is, from epoch to epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi
from typing import Any

NAMES = ("constant", "inverse", "cosine", "plateau")
# An error is said to fall when it is lower by this share than ever before.
PATIENCE, SHARE = 2, 0.2


@dataclass
class Schedule:
    """η of each epoch t = 1 … T, from the first one's η₁.

    "constant"     η₁
    "inverse"      η₁ / (1 + 4 (t − 1)/T): a fifth of it in the end          (Robbins & Monro 1951)
    "cosine"       η₁ (1 + cos(π (t − 1)/T)) / 2                              (Loshchilov & Hutter, ICLR 2017)
    "plateau"      a fifth of what it was whenever the error has not fallen for two epochs
    a function     η₁ · f(t), t from 1
    """

    rule: str | Callable[[int], float]
    first: float
    epochs: int
    lowered: int = 0

    def __call__(self, epoch: int) -> float:
        """η of an epoch."""
        done = (epoch - 1) / self.epochs
        if callable(self.rule):
            return self.first * float(self.rule(epoch))
        if self.rule == "inverse":
            return self.first / (1.0 + 4.0 * done)
        if self.rule == "cosine":
            return self.first * 0.5 * (1.0 + cos(pi * done))
        return self.first * SHARE**self.lowered

    def told(self, without: int) -> None:
        """For so many epochs the error has not fallen."""
        if self.rule == "plateau" and without and without % PATIENCE == 0:
            self.lowered += 1


def schedule(rule: Any, first: float, epochs: int) -> Schedule:
    """The schedule of that name or function; ValueError for what is neither."""
    if not callable(rule) and (not isinstance(rule, str) or rule not in NAMES):
        known = ", ".join(map(repr, NAMES))
        raise ValueError(f"schedule must be one of {known}, or a function of the epoch, got {rule!r}")
    return Schedule(rule, first, epochs)
