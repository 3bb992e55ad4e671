"""Where training examples lie about the street."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

OUTSIDE, ON, INSIDE, WRONG = range(4)


@dataclass(frozen=True)
class Zones:
    """Where the training examples of one problem lie (SPEC S5), by their dual a ∈ [0, 1] and slack ξ = max(0, 1 − y·s):
    outside the margin (a = 0), on it (0 < a < 1), inside it (a = 1, ξ ≤ 1), on the wrong side (ξ > 1).

    `each` (n,) has the zone of every example of the problem, 0 to 3 in this order.
    """

    outside: int
    on: int
    inside: int
    wrong: int
    each: NDArray[np.int8] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, on: NDArray[np.bool_], inside: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> Self:
        """Of the zones of each example (n,); in none of the three is outside."""
        each = np.select([on, inside, wrong], [ON, INSIDE, WRONG], OUTSIDE).astype(np.int8)
        outside, beside, within, beyond = np.bincount(each, minlength=4).tolist()
        return cls(outside, beside, within, beyond, each)

    @property
    def support(self) -> int:
        """How many support vectors there are: examples that hold the boundary in place."""
        return self.on + self.inside + self.wrong


def supported(zones: list[Zones], repetition: NDArray[np.float64]) -> float | None:
    """How many of the examples (N,) hold a boundary, of one against the rest, each as often as it is repeated; None
    where some are repeated in part."""
    each = [zone.each != OUTSIDE for zone in zones if zone.each is not None]
    return counted(np.logical_or.reduce(each), repetition)


def counted(held: NDArray[Any], repetition: NDArray[np.float64]) -> float | None:
    """How many examples are held, with their repetitions; None where these are no whole numbers."""
    whole = bool((repetition == np.floor(repetition)).all())
    return float(repetition[held].sum()) if whole else None


def held_by(model: Any, count: float | None) -> int | str:
    """The number of support vectors, or why leaving out another example would not leave the machine as it is."""
    if count is None:
        return "sample weights are no whole numbers, so that no examples are counted"
    if isinstance(model.class_weight, str):
        return "class weights were balanced over all examples"
    if not model.status_.finished:
        return "the optimum was not reached"
    return round(count)
