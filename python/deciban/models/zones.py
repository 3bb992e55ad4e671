"""Where training examples lie about the street."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

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
