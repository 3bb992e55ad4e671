"""What a loss is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Loss(ABC):
    """ℓ(y, s) ≥ 0, place by place over arrays of one shape."""

    name: ClassVar[str]
    margin: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    # Largest curvature; ∞ where the slope jumps.
    curvature_bound: float = np.inf

    @abstractmethod
    def value(self, y: Floats, s: Floats) -> Floats:
        """ℓ(y, s)."""

    @abstractmethod
    def slope(self, y: Floats, s: Floats) -> Floats:
        """∂ℓ/∂s."""

    def curvature(self, y: Floats, s: Floats) -> Floats:
        """∂²ℓ/∂s², 0 at kinks."""
        return np.zeros_like(s)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        """ℓ*(y, u), ∞ outside its domain; of a loss that is not convex ∞ everywhere."""
        return np.full_like(u, np.inf)

    def feasible(self, y: Floats, a: Floats) -> Floats:
        """The a' nearest to a for which ℓ*(y, −a') is finite."""
        return a
