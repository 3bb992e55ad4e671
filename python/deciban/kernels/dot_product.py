"""Kernels of the inner product x·z."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.data.refusal import check_whole
from deciban.data.rows import Rows

from .arrays import as_reals, finish_tile, namespace, products, square_norms
from .kernel import SumKernel, check_number


@dataclass(frozen=True)
class DotProduct(SumKernel):
    """A kernel of inner products, K(x, z) = f(x·z).

    A tile is one matrix product, of cost n·m·d, and f element by element. A subclass defines `finish`, which is f.

    Examples
    --------
    >>> from deciban.kernels import Polynomial
    >>> isinstance(Polynomial(), DotProduct)
    True
    """

    @abstractmethod
    def finish(self, P: Any) -> Any:
        """Return f of inner products, element by element.

        Parameters
        ----------
        P : array
            Inner products, of any shape; they may be overwritten.

        Returns
        -------
        array
            Kernel values, of the same shape.
        """

    @staticmethod
    def of_feature(xp: Any, x: Any, z: Any) -> Any:
        return x * z

    def tile(self, X: Rows, Z: Any) -> Any:
        return finish_tile(products(as_reals(X), as_reals(Z)), lambda P, _: self.finish(P))

    def diagonal(self, X: Rows) -> Any:
        return self.finish(square_norms(as_reals(X)))


@dataclass(frozen=True)
class Linear(DotProduct):
    """The linear kernel, K(x, z) = x·z.

    Examples
    --------
    >>> Linear().tile(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[11.,  2.]])
    """

    name = "linear"

    def finish(self, P: Any) -> Any:
        return P


_MOST_DEGREE = 2**31 - 1
"""Exponents are numbers of 32 bits to the core."""


@dataclass(frozen=True)
class Polynomial(DotProduct):
    """The polynomial kernel, K(x, z) = (scale·x·z + shift)^degree.

    Its features are all monomials of x up to the degree where shift > 0, those of the degree where shift = 0. It is a
    valid kernel for shift ≥ 0; a negative shift may violate Mercer's condition. Schölkopf & Smola, Learning with
    Kernels (2002), § 2.1. Powers are computed by repeated squaring, so that they are the same on every library.

    Parameters
    ----------
    scale : float, default=1.0
        Factor of the inner product, > 0.
    shift : float, default=1.0
        Constant that is added to it.
    degree : int, default=3
        Exponent, from 1 to 2^31 − 1.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    Examples
    --------
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
        if self.degree > _MOST_DEGREE:
            raise ValueError(f"degree must be at most {_MOST_DEGREE}, got {self.degree!r}")

    @property
    def mercer(self) -> bool:
        """For shift ≥ 0."""
        return self.shift >= 0.0

    def finish(self, P: Any) -> Any:
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
    """The sigmoid kernel, K(x, z) = tanh(scale·x·z + shift).

    It may violate Mercer's condition, and often does: Lin & Lin, A study on sigmoid kernels for SVM (2003), § 2.

    Parameters
    ----------
    scale : float, default=1.0
        Factor of the inner product.
    shift : float, default=0.0
        Constant that is added to it.

    Examples
    --------
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
        P *= float(self.scale)
        P += float(self.shift)
        return np.tanh(P, out=P) if isinstance(P, np.ndarray) else namespace(P).tanh(P)
