"""Where training examples lie about the street."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Zones:
    """Where the training examples of one problem lie (SPEC S5), by their dual a ∈ [0, 1] and slack ξ = max(0, 1 − y·s):
    outside the margin (a = 0), on it (0 < a < 1), inside it (a = 1, ξ ≤ 1), on the wrong side (ξ > 1)."""

    outside: int
    on: int
    inside: int
    wrong: int

    @property
    def support(self) -> int:
        """How many support vectors there are: examples that hold the boundary in place."""
        return self.on + self.inside + self.wrong
