"""Positions of training examples about the street."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

OUTSIDE, ON, INSIDE, WRONG = range(4)


@dataclass(frozen=True)
class Zones:
    """The zones of the training examples of a machine: outside the margin, on it, inside it, or on the wrong side.

    They follow from the dual a ∈ [0, 1] of an example and its slack ξ = max(0, 1 − y·s): outside a = 0; on 0 < a < 1;
    inside a = 1, ξ ≤ 1; wrong ξ > 1.

    Parameters
    ----------
    outside : int
        Number of examples outside the margin.
    on : int
        Number of examples on it.
    inside : int
        Number of examples inside it.
    wrong : int
        Number of examples on the wrong side.
    each : ndarray of int of shape (n_samples,), optional
        Zone of every example, 0 to 3 in this order.

    Examples
    --------
    >>> Zones(5, 3, 1, 0).on
    3
    """

    outside: int
    on: int
    inside: int
    wrong: int
    each: NDArray[np.int8] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, on: NDArray[np.bool_], inside: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> Self:
        """Count the zones of examples; one in none of the three is outside.

        Parameters
        ----------
        on : ndarray of bool of shape (n_samples,)
            Which examples lie on the margin.
        inside : ndarray of bool of shape (n_samples,)
            Which lie inside it.
        wrong : ndarray of bool of shape (n_samples,)
            Which lie on the wrong side.

        Returns
        -------
        Zones
            The zones.
        """
        each = np.where(on, ON, np.where(inside, INSIDE, np.where(wrong, WRONG, OUTSIDE))).astype(np.int8)
        outside, beside, within, beyond = np.bincount(each, minlength=4).tolist()
        return cls(outside, beside, within, beyond, each)

    @property
    def support(self) -> int:
        """Number of support vectors: examples that hold the boundary in place."""
        return self.on + self.inside + self.wrong


def count_supporting(zones: list[Zones], repetition: NDArray[np.float64]) -> float | None:
    """Count the examples (N,) that hold a boundary, of one against the rest, each as often as it is repeated; None
    where some are repeated in part."""
    each = [zone.each != OUTSIDE for zone in zones if zone.each is not None]
    return count_held(np.logical_or.reduce(each), repetition)


def count_held(held: NDArray[Any], repetition: NDArray[np.float64]) -> float | None:
    """Count the examples that are held, with their repetitions; None where these are no whole numbers."""
    whole = bool((repetition == np.floor(repetition)).all())
    return float(repetition[held].sum()) if whole else None


def describe_support(model: Any, count: float | None) -> int | str:
    """Return the number of support vectors, or why leaving out another example would not leave the machine as it is."""
    if count is None:
        return "sample weights are no whole numbers, so that no examples are counted"
    if isinstance(model.class_weight, str):
        return "class weights were balanced over all examples"
    if not model.status_.finished:
        return "the optimum was not reached"
    return round(count)
