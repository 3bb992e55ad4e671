"""Kernels of the inner product x·z."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import as_reals, finished, namespace, products, squared_norms
from .kernel import Kernel, check_number, check_whole


@dataclass(frozen=True)
class DotProduct(Kernel):
    """K(x, z) = f(x·z). A tile is one matrix product, finished place by place."""

    @abstractmethod
    def finish(self, P: Any) -> Any:
        """f place by place over inner products P of any shape, which may be overwritten."""

    def tile(self, X: Any, Z: Any) -> Any:
        """f(X Zᵀ) (n, m). Cost: n·m·d."""
        return finished(products(as_reals(X), as_reals(Z)), lambda P, _: self.finish(P))

    def diagonal(self, X: Any) -> Any:
        """f(‖x‖²) (n,)."""
        return self.finish(squared_norms(as_reals(X)))


@dataclass(frozen=True)
class Linear(DotProduct):
    """K(x, z) = x·z.

    >>> Linear().tile(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[11.,  2.]])
    """

    name = "linear"

    def finish(self, P: Any) -> Any:
        """P itself."""
        return P


@dataclass(frozen=True)
class Polynomial(DotProduct):
    """K(x, z) = (scale·x·z + shift)^degree, scale > 0, degree a whole number from 1.

    All monomials of x up to the degree where shift > 0, those of the degree where shift = 0. Valid for shift ≥ 0:
    Schölkopf & Smola, Learning with Kernels (2002), § 2.1; a negative shift may fail.

    >>> Polynomial(degree=2).tile(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[144.]])
    """

    scale: float = 1.0
    shift: float = 1.0
    degree: int = 3
    name = "polynomial"

    def __post_init__(self) -> None:
        check_number("scale", self.scale, above=0.0)
        check_number("shift", self.shift)
        check_whole("degree", self.degree)

    @property
    def mercer(self) -> bool:
        """For shift ≥ 0."""
        return self.shift >= 0.0

    def finish(self, P: Any) -> Any:
        """(scale·P + shift)^degree by repeated squaring: the same on every library, and quicker than a power."""
        P *= float(self.scale)
        P += float(self.shift)
        power, left = None, int(self.degree)
        while left:
            if left & 1:
                power = P if power is None else power * P
            left >>= 1
            P = P * P if left else P
        return power


@dataclass(frozen=True)
class Tanh(DotProduct):
    """K(x, z) = tanh(scale·x·z + shift), the "sigmoid kernel". It may fail Mercer's condition, and often does:
    Lin & Lin, A study on sigmoid kernels for SVM (2003), § 2.

    >>> Tanh(shift=-1.0).tile(np.array([[1.0]]), np.array([[1.0], [2.0]]))
    array([[0.        , 0.76159416]])
    """

    scale: float = 1.0
    shift: float = 0.0
    name = "tanh"

    def __post_init__(self) -> None:
        check_number("scale", self.scale)
        check_number("shift", self.shift)

    @property
    def mercer(self) -> bool:
        """Never certain."""
        return False

    def finish(self, P: Any) -> Any:
        """tanh(scale·P + shift)."""
        P *= float(self.scale)
        P += float(self.shift)
        return np.tanh(P, out=P) if isinstance(P, np.ndarray) else namespace(P).tanh(P)
