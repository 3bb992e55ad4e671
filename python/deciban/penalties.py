"""Penalties: what weights cost, whatever the data say. The intercept is never penalised.

    value Ω(w)     prox(v, t) = argmin_w ½‖w − v‖² + t·Ω(w)     conjugate Ω*(v) = sup_w v·w − Ω(w)

Every penalty of the catalogue is λ₁‖w‖₁ + ½λ₂‖w‖², and solvers ask only for the two amounts, and whether weights
below 0 are forbidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .inner_product import dot
from .losses import Floats


@dataclass(frozen=True)
class Penalty:
    """Ω(w) = λ₁‖w‖₁ + ½λ₂‖w‖²; a subclass says which amounts it has."""

    name: ClassVar[str]

    @property
    def l1(self) -> float:
        """λ₁."""
        return 0.0

    @property
    def l2(self) -> float:
        """λ₂."""
        return 0.0

    @property
    def nonnegative(self) -> bool:
        """Whether Ω is ∞ where a weight is below 0."""
        return False

    def value(self, w: Floats) -> float:
        """Ω(w)."""
        total = 0.5 * self.l2 * dot(w, w) if self.l2 else 0.0
        return total + (self.l1 * float(np.abs(w).sum()) if self.l1 else 0.0)

    def prox(self, v: Floats, t: float) -> Floats:
        """argmin_w ½‖w − v‖² + t·Ω(w): shrink by tλ₁ towards 0, then by 1 + tλ₂."""
        shrunk = np.sign(v) * np.maximum(np.abs(v) - t * self.l1, 0.0)
        result: Floats = shrunk / (1.0 + t * self.l2)
        return result

    def conjugate(self, v: Floats) -> float:
        """Ω*(v) = Σ max(|v_j| − λ₁, 0)² / 2λ₂; for λ₂ = 0 it is 0 where every |v_j| ≤ λ₁, and ∞ elsewhere."""
        over = np.maximum(np.abs(v) - self.l1, 0.0) if self.l1 else v
        if self.l2:
            return dot(over, over) / (2.0 * self.l2)
        return np.inf if over.any() else 0.0


@dataclass(frozen=True)
class NonNegative(Penalty):
    """Another penalty over weights ≥ 0; ∞ elsewhere.

        prox(v, t) = max(v − tλ₁, 0)/(1 + tλ₂)     Ω*(v) = Σ max(v_j − λ₁, 0)²/2λ₂

    Lawson & Hanson, Solving Least Squares Problems (1974), ch. 23.

    >>> NonNegative(L1(1.0)).prox(np.array([3.0, -3.0]), 1.0).tolist()
    [2.0, 0.0]
    """

    of: Penalty

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the other, with the condition."""
        return f"{self.of.name}, w ≥ 0"

    @property
    def l1(self) -> float:
        return self.of.l1

    @property
    def l2(self) -> float:
        return self.of.l2

    @property
    def nonnegative(self) -> bool:
        return True

    def value(self, w: Floats) -> float:
        return self.of.value(w) if (w >= 0.0).all() else np.inf

    def prox(self, v: Floats, t: float) -> Floats:
        return self.of.prox(np.maximum(v, 0.0), t)

    def conjugate(self, v: Floats) -> float:
        return self.of.conjugate(np.maximum(v, 0.0))


@dataclass(frozen=True)
class NoPenalty(Penalty):
    """Ω = 0.

    >>> NoPenalty().prox(np.array([2.0]), 1.0).tolist()
    [2.0]
    """

    name = "none"


@dataclass(frozen=True)
class L2(Penalty):
    """½λ‖w‖² (Tikhonov 1963; ridge, Hoerl & Kennard 1970).     Ω*(v) = ‖v‖²/2λ.

    >>> L2(1.0).prox(np.array([2.0]), 1.0).tolist()
    [1.0]
    """

    strength: float = 1.0
    name = "l2"

    @property
    def l2(self) -> float:
        return self.strength


@dataclass(frozen=True)
class L1(Penalty):
    """λ‖w‖₁ (lasso, Tibshirani 1996).     Ω*(v) = 0 where every |v_j| ≤ λ.

    >>> L1(1.0).prox(np.array([2.0, -0.5]), 1.0).tolist()
    [1.0, -0.0]
    """

    strength: float = 1.0
    name = "l1"

    @property
    def l1(self) -> float:
        return self.strength


@dataclass(frozen=True)
class ElasticNet(Penalty):
    """λ(ρ‖w‖₁ + ½(1 − ρ)‖w‖²), 0 ≤ ρ ≤ 1 (Zou & Hastie 2005).

    >>> ElasticNet(2.0, 0.5).value(np.array([1.0, -1.0]))
    3.0
    """

    strength: float = 1.0
    ratio: float = 0.5
    name = "elastic_net"

    @property
    def l1(self) -> float:
        return self.strength * self.ratio

    @property
    def l2(self) -> float:
        return self.strength * (1.0 - self.ratio)


CATALOGUE: tuple[type[Penalty], ...] = (NoPenalty, L2, L1, ElasticNet)


def by_name(name: Any, strength: float, ratio: float = 0.5) -> Penalty:
    """The penalty called `name` ("none" or None, "l2", "l1", "elastic_net"); a ValueError lists the names there are.

    >>> by_name("l2", 3.0)
    L2(strength=3.0)
    """
    if name is None or name == "none":
        return NoPenalty()
    if name == "l2":
        return L2(strength)
    if name == "l1":
        return L1(strength)
    if name == "elastic_net":
        return ElasticNet(strength, ratio)
    known = ", ".join(repr(penalty.name) for penalty in CATALOGUE)
    raise ValueError(f"penalty must be one of {known}, got {name!r}")
