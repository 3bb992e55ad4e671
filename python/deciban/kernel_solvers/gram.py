"""K̃ of a problem, as the quadratic programmes read it: all of it, or the rows that it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import doubled, elsewhere, on_host
from deciban.data.rows import is_sparse
from deciban.errors import DataError
from deciban.kernels.arrays import as_reals, products, squared_norms
from deciban.losses import Floats

from .problem import KernelProblem


class Gram(Protocol):
    """A symmetric matrix K (m, m)."""

    def times(self, beta: Floats) -> Floats:
        """Kβ (m,)."""

    def block(self, places: NDArray[np.intp]) -> Floats:
        """K (k, k) of some places (k,)."""

    def diagonal(self) -> Floats:
        """(m,)."""


@dataclass(frozen=True)
class Whole:
    """K as it is."""

    K: Floats

    def times(self, beta: Floats) -> Floats:
        """Kβ. Cost: m²."""
        f: Floats = self.K @ beta
        return f

    def block(self, places: NDArray[np.intp]) -> Floats:
        """K of some places."""
        return self.K[np.ix_(places, places)]

    def diagonal(self) -> Floats:
        """Of K."""
        return self.K.diagonal()


@dataclass(frozen=True)
class OfRows:
    """K = X Xᵀ of rows X (m, d), dense or CSR: the linear kernel without its m² values."""

    X: Any

    def times(self, beta: Floats) -> Floats:
        """X(Xᵀβ). Cost: two passes over X."""
        f: Floats = self.X @ (self.X.T @ beta)
        return f

    def block(self, places: NDArray[np.intp]) -> Floats:
        """Inner products of some rows."""
        X = self.X[places]
        K: Floats = products(X, X)
        return K

    def diagonal(self) -> Floats:
        """‖x‖²."""
        squares: Floats = squared_norms(self.X)
        return squares


def rows(problem: KernelProblem) -> OfRows:
    """K̃ of a problem of the linear kernel."""
    return OfRows(doubles(problem.X)[problem.row])


def gram(problem: KernelProblem) -> Floats:
    """K (N, N) of the rows, float64, symmetric to the last bit; a DataError where it is not finite."""
    X = doubled(problem.X) if elsewhere(problem.X) else doubles(problem.X)
    with np.errstate(over="ignore", invalid="ignore"):
        K = on_host(problem.kernel.tile(X, problem.kernel.centres(X)))
    if not np.isfinite(K).all():
        raise DataError(
            f"the values of {problem.kernel} left the range of a float64: scale the columns down, or choose smaller "
            "parameters"
        )
    symmetric: Floats = 0.5 * (K + K.T)
    return symmetric


def doubles(X: Any) -> Any:
    """Rows of numbers in float64 on the host, texts as they are."""
    if elsewhere(X):
        return on_host(X)
    if is_sparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind != "O"):
        return as_reals(X).astype(np.float64)
    return X
