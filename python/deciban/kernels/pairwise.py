"""Kernels of scikit-learn's `pairwise_kernels` of neither a distance ‖x − z‖ nor x·z alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from deciban.data.devices import elsewhere, take
from deciban.data.rows import Rows, is_sparse
from deciban.errors import DataError
from deciban.threads import check_overdue

from .arrays import as_reals, namespace, products, square_norms
from .kernel import Kernel, SumKernel, check_number

# Numbers that are held at once while differences are summed over the features.
_PART = 1 << 22


@dataclass(frozen=True)
class Laplacian(SumKernel):
    """The Laplacian kernel, K(x, z) = exp(−gamma·Σ_j |x_j − z_j|).

    It is valid, as a product of kernels of one feature each. The cost of a tile is n·m·d; sparse rows become dense.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse width, > 0.

    Raises
    ------
    ValueError
        If `gamma` is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> Laplacian(gamma=0.5).tile(np.array([[0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 1.0]])).round(6)
    array([[1.      , 0.367879]])
    """

    gamma: float = 1.0
    name = "laplacian"

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, above=0.0)

    def tile(self, X: Rows, Z: Any) -> Any:
        return self.finish(_sum_terms(as_reals(X), as_reals(Z), self.of_feature))

    @staticmethod
    def of_feature(xp: Any, x: Any, z: Any) -> Any:
        return xp.abs(x - z)

    def finish(self, D: Any) -> Any:
        """Return the kernel values of distances D = Σ_j |x_j − z_j|, element by element.

        Parameters
        ----------
        D : array
            Distances, of any shape.

        Returns
        -------
        array
            Kernel values, of the same shape.
        """
        return namespace(D).exp(-float(self.gamma) * D)

    def diagonal(self, X: Rows) -> Any:
        return 0.0 * square_norms(as_reals(X)) + 1.0


@dataclass(frozen=True)
class Cosine(Kernel):
    """The cosine kernel, K(x, z) = x·z / (‖x‖‖z‖), and 0 where either is 0.

    It is the inner product of rows of length 1, and valid. The cost of a tile is n·m·d.

    Examples
    --------
    >>> import numpy as np
    >>> Cosine().tile(np.array([[1.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 0.0], [1.0, 1.0]])).round(6)
    array([[1.      , 0.      , 0.707107]])
    """

    name = "cosine"

    def tile(self, X: Rows, Z: Any) -> Any:
        X, Z = as_reals(X), as_reals(Z)
        P = products(X, Z)
        return P * _inverse(X)[:, None] * _inverse(Z)[None, :]

    def diagonal(self, X: Rows) -> Any:
        X = as_reals(X)
        inverse = _inverse(X)
        return square_norms(X) * inverse * inverse


@dataclass(frozen=True)
class Histograms(SumKernel):
    """A kernel of rows of numbers ≥ 0, by Σ_j (x_j − z_j)² / (x_j + z_j), 0 where both are 0."""

    @abstractmethod
    def finish(self, D: Any) -> Any:
        """Return the kernel values of chi-squared distances D, element by element.

        Parameters
        ----------
        D : array
            Sums Σ_j (x_j − z_j)² / (x_j + z_j), of any shape.

        Returns
        -------
        array
            Kernel values, of the same shape.
        """

    def tile(self, X: Rows, Z: Any) -> Any:
        return self.finish(_sum_terms(as_reals(X), as_reals(Z), self.of_feature))

    @staticmethod
    def of_feature(xp: Any, x: Any, z: Any) -> Any:
        total = x + z
        safe = xp.where(total > 0.0, total, xp.ones_like(total))
        return (x - z) ** 2 / safe

    def diagonal(self, X: Rows) -> Any:
        return self.finish(0.0 * square_norms(as_reals(X)))

    def accept(self, X: Any, width: int | None = None) -> Any:
        X = super().accept(X, width)
        values = X.data if is_sparse(X) else X
        if values.shape[0] and bool(namespace(values).any(values < 0)):
            raise DataError(
                f"Negative values in data passed to the kernel {self.name!r}. Numbers ≥ 0 are expected. "
                "Take another kernel, or move the columns."
            )
        return X


@dataclass(frozen=True)
class ChiSquared(Histograms):
    """The chi-squared kernel of histograms, K(x, z) = exp(−gamma·Σ_j (x_j − z_j)² / (x_j + z_j)).

    Rows are numbers ≥ 0. It is valid (Fowlkes et al., PAMI 26, 2004). The cost of a tile is n·m·d; sparse rows become
    dense.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse width, > 0.

    Raises
    ------
    ValueError
        If `gamma` is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> ChiSquared().tile(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])).round(6)
    array([[1.      , 0.135335]])
    """

    gamma: float = 1.0
    name = "chi2"

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, above=0.0)

    def finish(self, D: Any) -> Any:
        return namespace(D).exp(-float(self.gamma) * D)


@dataclass(frozen=True)
class AdditiveChiSquared(Histograms):
    """The additive chi-squared kernel of histograms, K(x, z) = −Σ_j (x_j − z_j)² / (x_j + z_j).

    Rows are numbers ≥ 0. It violates Mercer's condition for any two different rows, as its diagonal is 0 (Zhang et al.,
    IJCV 73, 2007).

    Examples
    --------
    >>> import numpy as np
    >>> AdditiveChiSquared().tile(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])).round(6).tolist()
    [[0.0, -2.0]]
    """

    name = "additive_chi2"

    @property
    def mercer(self) -> bool:
        """Never."""
        return False

    def finish(self, D: Any) -> Any:
        return 0.0 - D


def _inverse(X: Rows) -> Any:
    """Return 1/‖x‖ (n,), or 0."""
    squares = square_norms(X)
    xp = namespace(squares)
    safe = xp.where(squares > 0.0, squares, xp.ones_like(squares))
    return xp.where(squares > 0.0, 1.0 / xp.sqrt(safe), xp.zeros_like(squares))


def _sum_terms(X: Any, Z: Any, of: Callable[[Any, Any, Any], Any]) -> Any:
    """Return Σ_j of(x_j, z_j) (n, m), some rows at a time."""
    X, Z = (each.toarray() if is_sparse(each) else each for each in (X, Z))
    xp = namespace(X if elsewhere(X) else Z)
    n, step = int(X.shape[0]), max(1, _PART // max(1, int(Z.shape[0]) * int(Z.shape[1])))

    def sums(i: int) -> Any:
        check_overdue()
        return xp.sum(of(xp, take(X, slice(i, i + step))[:, None, :], Z[None, :, :]), axis=2)

    tiles = [sums(i) for i in range(0, max(n, 1), step)]
    return tiles[0] if len(tiles) == 1 else xp.concat(tiles) if hasattr(xp, "concat") else xp.concatenate(tiles)
