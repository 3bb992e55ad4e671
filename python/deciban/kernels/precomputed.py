"""A Gram matrix that somebody else has computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.data.devices import elsewhere, take
from deciban.data.rows import is_sparse
from deciban.errors import DataError

from .arrays import as_reals, namespace
from .kernel import Kernel


@dataclass(frozen=True)
class Precomputed(Kernel):
    """X is the Gram matrix, K_ij = K(x_i, z_j) (n, n_train); in training n = n_train. A centre is a column's number.

    >>> gram = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> Precomputed().tile(gram, Precomputed().centres(gram)[1:])
    array([[1.],
           [2.]])
    """

    name = "precomputed"

    @property
    def mercer(self) -> bool:
        """Who knows where the matrix comes from."""
        return False

    def tile(self, X: Any, Z: Any) -> Any:
        """The columns Z (m,) of the rows X (n, n_train) of a Gram matrix."""
        if getattr(Z, "ndim", 0) != 1:
            raise ValueError(
                "the right side of a tile of a Gram matrix must be numbers of columns, (m,), which centres(X) gives; "
                f"it has {getattr(Z, 'ndim', 0)} dimensions"
            )
        X = as_reals(X)
        part = take(X, Z, axis=1)
        return part.toarray() if is_sparse(part) else part

    def diagonal(self, X: Any) -> Any:
        """The diagonal of the square Gram matrix X."""
        X = as_reals(X)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"the diagonal is that of a square Gram matrix; this one is {_shape(X)}")
        return namespace(X).reshape(X, (-1,))[:: X.shape[0] + 1] + 0.0 if elsewhere(X) else X.diagonal() + 0.0

    def centres(self, X: Any) -> Any:
        """0 … n_train − 1."""
        return np.arange(X.shape[1])

    def accept(self, X: Any, width: int | None = None) -> Any:
        """X: square and symmetric to learn from, and as wide as that to judge; a DataError otherwise."""
        if getattr(X, "ndim", 2) == 2 and width is not None and X.shape[1] != width:
            raise DataError(
                f"a Gram matrix to judge must have a column for each of the {width} training examples, (n, {width}); "
                f"this one is {_shape(X)}"
            )
        X = super().accept(X)
        if width is None:
            _check_square(X)
            _check_symmetric(X)
        return X


def _shape(X: Any) -> str:
    return " × ".join(str(each) for each in X.shape)


def _check_square(X: Any) -> None:
    if X.shape[0] != X.shape[1]:
        raise DataError(
            "kernel='precomputed' learns from a square Gram matrix, K(x_i, x_j) of all pairs of training examples; "
            f"this one is {_shape(X)}"
        )


def _check_symmetric(X: Any) -> None:
    """Mirrored values may differ by √ε times the largest one."""
    if not X.shape[0]:
        return
    i, j = _most_different(X)
    xp = np if is_sparse(X) else namespace(X)
    largest = float(abs(X).max() if is_sparse(X) else xp.max(abs(X)))
    there, back = float(X[i, j]), float(X[j, i])
    if abs(there - back) > float(xp.finfo(X.dtype).eps) ** 0.5 * largest:
        raise DataError(
            f"a Gram matrix must be symmetric; in this one K[{i}, {j}] is {there!r} and K[{j}, {i}] is {back!r}. "
            "If that is rounding, give (K + K.T) / 2"
        )


def _most_different(X: Any) -> tuple[int, int]:
    """The place where X and its mirror image differ most."""
    if not is_sparse(X):
        xp = namespace(X)
        i, j = divmod(int(xp.argmax(xp.reshape(abs(X - X.T), (-1,)))), int(X.shape[1]))
        return i, j
    differences = abs(X - X.T).tocoo()
    place = int(differences.data.argmax()) if differences.nnz else None
    return (0, 0) if place is None else (int(differences.row[place]), int(differences.col[place]))
