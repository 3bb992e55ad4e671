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
    """A penalty Ω(w) = λ₁‖w‖₁ + ½λ₂‖w‖² of weights w; a subclass has some of the two amounts.

    Attributes
    ----------
    name : str
        Name in the catalogue.

    Examples
    --------
    >>> L1(2.0).value(np.array([1.0, -3.0]))
    8.0
    """

    name: ClassVar[str]

    @property
    def l1(self) -> float:
        """Amount λ₁ of the 1-norm."""
        return 0.0

    @property
    def l2(self) -> float:
        """Amount λ₂ of the squared 2-norm."""
        return 0.0

    @property
    def nonnegative(self) -> bool:
        """Whether Ω is ∞ where a weight is below 0."""
        return False

    def value(self, w: Floats) -> float:
        """Return the penalty Ω(w).

        Parameters
        ----------
        w : ndarray
            Weights, of any shape.

        Returns
        -------
        float
            Ω(w) ≥ 0.
        """
        total = 0.5 * self.l2 * dot(w, w) if self.l2 else 0.0
        return total + (self.l1 * float(np.abs(w).sum()) if self.l1 else 0.0)

    def prox(self, v: Floats, t: float) -> Floats:
        """Return the proximal point argmin_w ½‖w − v‖² + t·Ω(w): shrink by tλ₁ towards 0, then by 1 + tλ₂.

        Parameters
        ----------
        v : ndarray
            The point, of any shape.
        t : float
            Length t ≥ 0 of the step.

        Returns
        -------
        ndarray
            The proximal point, of the shape of v.
        """
        shrunk = np.sign(v) * np.maximum(np.abs(v) - t * self.l1, 0.0)
        result: Floats = shrunk / (1.0 + t * self.l2)
        return result

    def conjugate(self, v: Floats) -> float:
        """Return the convex conjugate Ω*(v) = Σ max(|v_j| − λ₁, 0)² / 2λ₂.

        Parameters
        ----------
        v : ndarray
            Dual variables, of any shape.

        Returns
        -------
        float
            The conjugate; for λ₂ = 0 it is 0 where every |v_j| ≤ λ₁, and ∞ elsewhere.
        """
        over = np.maximum(np.abs(v) - self.l1, 0.0) if self.l1 else v
        if self.l2:
            return dot(over, over) / (2.0 * self.l2)
        return np.inf if over.any() else 0.0


@dataclass(frozen=True)
class NonNegative(Penalty):
    """Another penalty over weights ≥ 0, and ∞ elsewhere.

        prox(v, t) = max(v − tλ₁, 0)/(1 + tλ₂)     Ω*(v) = Σ max(v_j − λ₁, 0)²/2λ₂

    Lawson & Hanson, Solving Least Squares Problems (1974), chapter 23.

    Parameters
    ----------
    of : Penalty
        The other penalty.

    Examples
    --------
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
    """No penalty, Ω = 0.

    Examples
    --------
    >>> NoPenalty().prox(np.array([2.0]), 1.0).tolist()
    [2.0]
    """

    name = "none"


@dataclass(frozen=True)
class L2(Penalty):
    """The ridge penalty ½λ‖w‖², with Ω*(v) = ‖v‖²/2λ.

    Tikhonov (1963); Hoerl & Kennard (1970).

    Parameters
    ----------
    strength : float, default=1.0
        Strength λ.

    Examples
    --------
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
    """The lasso penalty λ‖w‖₁, with Ω*(v) = 0 where every |v_j| ≤ λ.

    Tibshirani (1996).

    Parameters
    ----------
    strength : float, default=1.0
        Strength λ.

    Examples
    --------
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
    """The elastic net λ(ρ‖w‖₁ + ½(1 − ρ)‖w‖²).

    Zou & Hastie (2005).

    Parameters
    ----------
    strength : float, default=1.0
        Strength λ.
    ratio : float, default=0.5
        Share ρ of the 1-norm, from 0 to 1.

    Examples
    --------
    >>> ElasticNet(2.0, 0.5).value(np.array([1.0, -1.0]))
    3.0
    """

    strength: float = 1.0
    ratio: float = 0.5
    name = "elasticnet"

    @property
    def l1(self) -> float:
        return self.strength * self.ratio

    @property
    def l2(self) -> float:
        return self.strength * (1.0 - self.ratio)


CATALOGUE: tuple[type[Penalty], ...] = (NoPenalty, L2, L1, ElasticNet)


def by_name(name: Any, strength: float = 1.0, ratio: Any = 0.5) -> Penalty:
    """Return the penalty of a name and a strength.

    Parameters
    ----------
    name : {"l2", "l1", "elasticnet"} or None
        Name in `CATALOGUE`; None is no penalty.
    strength : float, default=1.0
        Strength λ.
    ratio : float, default=0.5
        Share ρ of the 1-norm in "elasticnet", from 0 to 1.

    Returns
    -------
    Penalty
        An entry of `CATALOGUE`.

    Raises
    ------
    ValueError
        If there is no such penalty, or `ratio` is not from 0 to 1.

    Examples
    --------
    >>> by_name("l2", 3.0)
    L2(strength=3.0)
    """
    if name is None:
        return NoPenalty()
    if not isinstance(name, str) or name not in ("l2", "l1", "elasticnet"):
        raise ValueError(f"penalty must be 'l2', 'l1', 'elasticnet' or None, got {name!r}")
    if name == "elasticnet":
        if not isinstance(ratio, int | float | np.number) or not 0.0 <= ratio <= 1.0:
            raise ValueError(f"l1_ratio must be a number from 0 to 1, got {ratio!r}")
        return ElasticNet(strength, float(ratio))
    return L2(strength) if name == "l2" else L1(strength)
