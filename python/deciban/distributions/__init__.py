"""What a class looks like: distributions that are learnt by counting, and the form in which they score.

A new one is a file beside these: a frozen dataclass that satisfies `Distribution`, added to `CATALOGUE`,
where every law of the tests finds it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from .bernoulli import Bernoulli
from .counts import Counts, Floats, Optimum, StatisticError
from .multinomial import Multinomial


class Distribution(Protocol):
    """p(x | c) of an exponential family: statistics that add, parameters from them, a score from those."""

    name: ClassVar[str]

    @classmethod
    def symmetric(cls, alpha: float) -> Self:
        """The distribution whose prior treats all outcomes alike, alpha pseudo-counts each."""
        ...

    def statistic(self, X: Any) -> Any:
        """T(X) (N, D): what the score is affine in; `StatisticError` for X outside the support."""
        ...

    def check_counts(self, seen: Counts) -> None:
        """Raise `StatisticError` if no data has these statistics."""
        ...

    def count(self, X: Any, y: NDArray[np.intp], weight: Floats, C: int) -> Counts:
        """The sufficient statistics of X (N, d) with class indices y (N,) and weights (N,)."""
        ...

    def parameters(self, seen: Counts, estimate: str) -> Floats:
        """φ (C, D) by estimate "bayes" (posterior mean), "map" (posterior mode) or "ml" (raw ratio)."""
        ...

    def affine(self, phi: Floats) -> tuple[Floats, Floats | None]:
        """W (D, C) and absent (D, C) or None with log p(x | c) = T(x)·W_c + Σ_j absent_jc."""
        ...

    def log_density(self, X: Any, phi: Floats) -> Floats:
        """(N, C) log p(x | c) from the definition: slow, obvious, for the laws."""
        ...

    def optimum(self, seen: Counts, phi: Floats, estimate: str) -> Optimum:
        """How far φ is from the minimum of the objective behind `estimate`."""
        ...


CATALOGUE: tuple[type[Distribution], ...] = (Bernoulli, Multinomial)


def by_name(name: Any) -> type[Distribution]:
    """The member of the catalogue called `name`; a ValueError lists the names there are.

    >>> by_name("bernoulli")()
    Bernoulli(alpha=1.0, beta=1.0, binarize=None)
    """
    for family in CATALOGUE:
        if isinstance(name, str) and family.name == name:
            return family
    known = ", ".join(repr(family.name) for family in CATALOGUE)
    raise ValueError(f"likelihood must be one of {known}, got {name!r}")


__all__ = ["CATALOGUE", "Bernoulli", "Counts", "Distribution", "Multinomial", "StatisticError", "by_name"]
