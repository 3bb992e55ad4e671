"""Kernels of scikit-learn's `pairwise_kernels` of neither a distance ‖x − z‖ nor x·z alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from deciban.data.devices import elsewhere, take
from deciban.data.rows import is_sparse
from deciban.errors import DataError

from .arrays import as_reals, namespace, products, squared_norms
from .kernel import Kernel, check_number

# Numbers that are held at once while differences are summed over the features.
_PART = 1 << 22


@dataclass(frozen=True)
class Laplacian(Kernel):
    """K(x, z) = exp(−gamma·Σ_j |x_j − z_j|), gamma > 0: valid, as a product of kernels of one feature each.

    >>> import numpy as np
    >>> Laplacian(gamma=0.5).tile(np.array([[0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 1.0]])).round(6)
    array([[1.      , 0.367879]])
    """

    gamma: float = 1.0
    name = "laplacian"

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, above=0.0)

    def tile(self, X: Any, Z: Any) -> Any:
        """K (n, m). Cost: n·m·d; sparse rows become dense."""
        D = _summed(as_reals(X), as_reals(Z), lambda xp, x, z: xp.abs(x - z))
        return namespace(D).exp(-float(self.gamma) * D)

    def diagonal(self, X: Any) -> Any:
        """1 (n,)."""
        return 0.0 * squared_norms(as_reals(X)) + 1.0


@dataclass(frozen=True)
class Cosine(Kernel):
    """K(x, z) = x·z / (‖x‖‖z‖), 0 where either is 0: the inner product of rows of length 1, and valid.

    >>> import numpy as np
    >>> Cosine().tile(np.array([[1.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 0.0], [1.0, 1.0]])).round(6)
    array([[1.      , 0.      , 0.707107]])
    """

    name = "cosine"

    def tile(self, X: Any, Z: Any) -> Any:
        """K (n, m). Cost: n·m·d."""
        X, Z = as_reals(X), as_reals(Z)
        P = products(X, Z)
        return P * _inverse(X)[:, None] * _inverse(Z)[None, :]

    def diagonal(self, X: Any) -> Any:
        """1 (n,), or 0 of a row of zeros."""
        X = as_reals(X)
        inverse = _inverse(X)
        return squared_norms(X) * inverse * inverse


@dataclass(frozen=True)
class Histograms(Kernel):
    """A kernel of rows of numbers ≥ 0, by Σ_j (x_j − z_j)² / (x_j + z_j), 0 where both are 0."""

    @abstractmethod
    def finish(self, D: Any) -> Any:
        """K of the sums D, of any shape."""

    def tile(self, X: Any, Z: Any) -> Any:
        """K (n, m). Cost: n·m·d; sparse rows become dense."""
        return self.finish(_summed(as_reals(X), as_reals(Z), _chi2))

    def diagonal(self, X: Any) -> Any:
        """K(x, x) (n,)."""
        return self.finish(0.0 * squared_norms(as_reals(X)))

    def accept(self, X: Any, width: int | None = None) -> Any:
        """X, or a DataError where a number is below 0."""
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
    """K(x, z) = exp(−gamma·Σ_j (x_j − z_j)² / (x_j + z_j)) of numbers ≥ 0; valid (Fowlkes et al., PAMI 26, 2004).

    >>> import numpy as np
    >>> ChiSquared().tile(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])).round(6)
    array([[1.      , 0.135335]])
    """

    gamma: float = 1.0
    name = "chi2"

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, above=0.0)

    def finish(self, D: Any) -> Any:
        """exp(−gamma·D)."""
        return namespace(D).exp(-float(self.gamma) * D)


@dataclass(frozen=True)
class AdditiveChiSquared(Histograms):
    """K(x, z) = −Σ_j (x_j − z_j)² / (x_j + z_j) of numbers ≥ 0. It fails Mercer's condition
    for any two different rows, as its diagonal is 0 (Zhang et al., IJCV 73, 2007).

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
        """−D, without a negative zero."""
        return 0.0 - D


def _chi2(xp: Any, x: Any, z: Any) -> Any:
    total = x + z
    safe = xp.where(total > 0.0, total, xp.ones_like(total))
    return (x - z) ** 2 / safe


def _inverse(X: Any) -> Any:
    """1/‖x‖ (n,), or 0."""
    squares = squared_norms(X)
    xp = namespace(squares)
    safe = xp.where(squares > 0.0, squares, xp.ones_like(squares))
    return xp.where(squares > 0.0, 1.0 / xp.sqrt(safe), xp.zeros_like(squares))


def _summed(X: Any, Z: Any, of: Callable[[Any, Any, Any], Any]) -> Any:
    """Σ_j of(x_j, z_j) (n, m), some rows at a time."""
    X, Z = (each.toarray() if is_sparse(each) else each for each in (X, Z))
    xp = namespace(X if elsewhere(X) else Z)
    n, step = int(X.shape[0]), max(1, _PART // max(1, int(Z.shape[0]) * int(Z.shape[1])))
    tiles = [
        xp.sum(of(xp, take(X, slice(i, i + step))[:, None, :], Z[None, :, :]), axis=2)
        for i in range(0, max(n, 1), step)
    ]
    return tiles[0] if len(tiles) == 1 else xp.concat(tiles) if hasattr(xp, "concat") else xp.concatenate(tiles)
