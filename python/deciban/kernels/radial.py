"""Kernels of the distance ‖x − z‖, which moving all points together does not change."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from deciban.data.rows import Rows, is_sparse

from .arrays import as_reals, exponential, finish_tile, namespace, products, root, square_norms
from .kernel import SumKernel, check_number

# ‖x‖² + ‖z‖² − 2x·z loses the digits that the norms have above the distance: points further from the origin than
# this many units of the kernel, squared, are moved to it first.
FAR = 100.0


@dataclass(frozen=True)
class Radial(SumKernel):
    """A radial kernel, K(x, z) = f(‖x − z‖²): a tile is one matrix product, of cost n·m·d, and f element by element.

    A subclass defines `finish`, which is f. Dense rows that lie far from the origin, for the kernel, are moved to it.

    Examples
    --------
    >>> from deciban.kernels import RBF
    >>> isinstance(RBF(), Radial)
    True
    """

    @property
    @abstractmethod
    def unit(self) -> float:
        """The squared distance over which f changes."""

    @abstractmethod
    def finish(self, P: Any) -> Any:
        """Return f of negated squared distances, element by element.

        Parameters
        ----------
        P : array
            −‖x − z‖², of any shape, which rounding may leave a little above 0; it may be overwritten.

        Returns
        -------
        array
            Kernel values, of the same shape.
        """

    @staticmethod
    def of_feature(xp: Any, x: Any, z: Any) -> Any:
        return -((x - z) ** 2)

    def tile(self, X: Rows, Z: Any) -> Any:
        X, Z = as_reals(X), as_reals(Z)
        xx, zz = square_norms(X), square_norms(Z)
        if not (is_sparse(X) or is_sparse(Z)) and self._far(xx, zz):
            middle = namespace(Z).mean(Z, axis=0)
            X, Z = X - middle, Z - middle
            xx, zz = square_norms(X), square_norms(Z)
        return finish_tile(products(X, Z), lambda P, rows: self.finish(_minus_squared_distance(P, xx[rows], zz)))

    def _far(self, xx: Any, zz: Any) -> bool:
        if xx.shape[0] == 0 or zz.shape[0] == 0:
            return False
        xp = namespace(xx)
        return float(xp.max(xx)) + float(xp.max(zz)) > FAR * self.unit

    def diagonal(self, X: Rows) -> Any:
        return self.finish(0.0 * square_norms(as_reals(X)))


def _minus_squared_distance(P: Any, xx: Any, zz: Any) -> Any:
    P *= 2.0
    P -= xx[:, None]
    P -= zz[None, :]
    return P


@dataclass(frozen=True)
class RBF(Radial):
    """The RBF kernel, K(x, z) = exp(−gamma·‖x − z‖²).

    It is valid in any dimension. Schölkopf & Smola, Learning with Kernels (2002), § 2.3.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse width, > 0, in inverse squared units of x.

    Raises
    ------
    ValueError
        If `gamma` is not positive.

    Examples
    --------
    >>> RBF(gamma=0.5).tile([[0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]]).round(6)
    array([[1.      , 0.367879]])
    """

    gamma: float = 1.0
    name = "rbf"

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, above=0.0)

    @property
    def unit(self) -> float:
        """1/gamma."""
        return 1.0 / self.gamma

    def finish(self, P: Any) -> Any:
        P *= float(self.gamma)
        return exponential(P)


@dataclass(frozen=True)
class Gaussian(Radial):
    """The Gaussian kernel, K(x, z) = exp(−‖x − z‖² / 2sigma²), which is `RBF(gamma=1/(2·sigma²))`.

    Parameters
    ----------
    sigma : float, default=1.0
        Standard deviation, > 0, in units of x.

    Raises
    ------
    ValueError
        If `sigma` is not positive.

    Examples
    --------
    >>> Gaussian(sigma=1.0).tile([[0.0]], [[2.0]]).round(6)
    array([[0.135335]])
    """

    sigma: float = 1.0
    name = "gaussian"

    def __post_init__(self) -> None:
        check_number("sigma", self.sigma, above=0.0)

    @property
    def unit(self) -> float:
        """2·sigma²."""
        return 2.0 * self.sigma**2

    def finish(self, P: Any) -> Any:
        P *= float(1.0 / self.unit)
        return exponential(P)


@dataclass(frozen=True)
class Multiquadric(Radial):
    """The multiquadric kernel, K(x, z) = √(‖x − z‖² + shift²) (Hardy 1971).

    It violates Mercer's condition for any two different points: of its Gram matrix one eigenvalue is positive and all
    others negative (Micchelli 1986, theorem 2.1, on conditional definiteness).

    Parameters
    ----------
    shift : float, default=1.0
        Value at distance 0, ≥ 0, in units of x.

    Raises
    ------
    ValueError
        If `shift` is negative.

    Examples
    --------
    >>> Multiquadric(shift=3.0).tile([[0.0]], [[0.0], [4.0]])
    array([[3., 5.]])
    """

    shift: float = 1.0
    name = "multiquadric"

    def __post_init__(self) -> None:
        check_number("shift", self.shift, least=0.0)

    @property
    def mercer(self) -> bool:
        """Never."""
        return False

    @property
    def unit(self) -> float:
        """Squared distance of unit scale: shift², or 1 where it is 0."""
        return self.shift**2 or 1.0

    def finish(self, P: Any) -> Any:
        P *= -1.0
        P += float(self.shift**2)
        return root(P)


@dataclass(frozen=True)
class Wave(Radial):
    """The wave kernel, K(x, z) = sin(r)/r with r = ‖x − z‖/theta, and 1 at r = 0.

    It is valid for points of up to three dimensions, where it is the transform of a sphere; of more it may violate
    Mercer's condition (Schoenberg, Annals of Mathematics 39 (1938), theorem 1).

    Parameters
    ----------
    theta : float, default=1.0
        Wave length over 2π, > 0, in units of x.

    Raises
    ------
    ValueError
        If `theta` is not positive.

    Examples
    --------
    >>> Wave().tile([[0.0]], [[0.0], [1.570796]]).round(6)
    array([[1.     , 0.63662]])
    """

    theta: float = 1.0
    name = "wave"

    def __post_init__(self) -> None:
        check_number("theta", self.theta, above=0.0)

    @property
    def mercer(self) -> bool:
        """Not for points of any dimension."""
        return False

    @property
    def unit(self) -> float:
        """Squared distance of unit scale, theta²."""
        return self.theta**2

    def finish(self, P: Any) -> Any:
        xp = namespace(P)
        P *= float(-1.0 / self.unit)
        r = root(P)
        apart = r > 0.0
        safe = xp.where(apart, r, xp.ones_like(r))
        return xp.where(apart, xp.sin(safe) / safe, safe)
