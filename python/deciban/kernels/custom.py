"""Kernels of the user's own: a function of two examples, or a Gram matrix that somebody else has computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.data.devices import elsewhere, like, namespace, on_host, take
from deciban.data.rows import Rows, is_sparse
from deciban.errors import DataError

from .arrays import as_reals
from .kernel import Kernel

# Of up to so many rows a function sees all at once, as scikit-learn shows them; of more it is tried on some, and a
# diagonal is asked for by as many at a time.
_WHOLE, _TRIED = 1000, 32


@dataclass(frozen=True)
class Function(Kernel):
    """A kernel computed by a Python function.

    The results of the function are checked: their shape, that all are finite, and on some training rows that they are
    symmetric; a `DataError` names the rows where they are not.

    Parameters
    ----------
    function : callable
        `function(X, Z)` returns the values of two arrays of rows, (n, m). It sees whole arrays of up to 1,000 rows, and
        tiles of larger ones.
    pairs : bool, default=False
        Whether the function takes two examples, `function(x, z)`, and returns a number.
    texts : bool, default=False
        Whether examples are texts, (n,) objects; a machine that is given texts sets it by itself.

    Raises
    ------
    ValueError
        If `function` is not callable.

    Examples
    --------
    >>> overlap = Function(lambda X, Z: np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2))
    >>> overlap.tile(np.array([[1.0, 2.0]]), np.array([[2.0, 1.0], [0.0, 5.0]]))
    array([[2., 2.]])
    >>> overlap
    Function(<lambda>)
    """

    function: Callable[[Any, Any], Any]
    pairs: bool = False
    texts: bool = False
    name = "function"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"a Function needs a function of two tiles of rows, got {self.function!r}")

    @property
    def mercer(self) -> bool:
        """False, as no one knows."""
        return False

    def tile(self, X: Any, Z: Any) -> Any:
        shape = (int(X.shape[0]), int(Z.shape[0]))
        raw = self._each(X, Z) if self.pairs else self.function(X, Z)
        if elsewhere(raw):
            return self._check_elsewhere(raw, shape)
        raw = raw.toarray() if is_sparse(raw) else raw
        K = np.asarray(raw)
        if K.dtype.kind not in "fiub":
            what = f"an array of {K.dtype}" if isinstance(raw, np.ndarray) else type(raw).__name__
            raise DataError(f"{self._called} must return numbers, (n, m); it returned {what}")
        K = K.astype(K.dtype if K.dtype in (np.float32, np.float64) else np.float64)
        if K.shape != shape:
            raise self._misshapen(K, shape)
        if not np.isfinite(K).all():
            i, j = (int(place) for place in np.argwhere(~np.isfinite(K))[0])
            raise DataError(f"{self._called} must return finite numbers; for rows {i} and {j} it returned {K[i, j]}")
        return like(K, X) if elsewhere(X) else K

    def _check_elsewhere(self, K: Any, shape: tuple[int, int]) -> Any:
        xp = namespace(K)
        if not xp.isdtype(K.dtype, "real floating"):
            raise DataError(f"{self._called} must return floating point numbers, (n, m); it returned {K.dtype}")
        if tuple(K.shape) != shape:
            raise self._misshapen(K, shape)
        finite = xp.isfinite(K)
        if not bool(xp.all(finite)):
            i, j = divmod(int(xp.argmin(xp.reshape(xp.astype(finite, xp.int32), (-1,)))), shape[1])
            value = float(K[i, j])
            raise DataError(f"{self._called} must return finite numbers; for rows {i} and {j} it returned {value}")
        return K + 0.0

    def _misshapen(self, K: Any, shape: tuple[int, int]) -> DataError:
        return DataError(
            f"{self._called} must return a value for each pair of rows, {shape[0]} × {shape[1]} here; "
            f"it returned the shape {tuple(K.shape)}"
        )

    def _each(self, X: Any, Z: Any) -> Any:
        rows, others = ([each[i, ...] if elsewhere(each) else each[i] for i in range(each.shape[0])] for each in (X, Z))
        number = float if elsewhere(X) else lambda value: value
        return [[number(self.function(x, z)) for z in others] for x in rows]

    def diagonal(self, X: Any) -> Any:
        n = int(X.shape[0])
        step = 1 if self.pairs else n if 0 < n <= _WHOLE else _TRIED
        parts = (take(X, slice(a, a + step)) for a in range(0, n, step))
        tiles = [on_host(self.tile(part, part), None).diagonal() for part in parts]
        values = np.concatenate(tiles) if tiles else np.zeros(0)
        return like(values, X) if elsewhere(X) else values

    def accept(self, X: Any, width: int | None = None) -> Any:
        X = np.array([*X, None], dtype=object)[:-1] if self.texts else super().accept(X, width)
        if width is None and X.shape[0]:
            n = int(X.shape[0])
            tried = n if n <= _WHOLE and not self.pairs else _TRIED
            rows = np.unique(np.linspace(0, n - 1, tried).astype(np.int64))
            K = on_host(self.tile(take(X, rows), take(X, rows)), None)
            differences = np.abs(K - K.T)
            i, j = divmod(int(differences.argmax()), len(rows))
            if differences[i, j] > 1e-6 * np.abs(K).max():
                raise DataError(
                    f"{self._called} must be symmetric; for rows {rows[i]} and {rows[j]} it is {float(K[i, j])!r}, "
                    f"and the other way round {float(K[j, i])!r}"
                )
        return X

    def __repr__(self) -> str:
        """Return the function's name: its place in memory differs from run to run, and a saved model says what it
        was."""
        return f"Function({self._name}{', pairs=True' if self.pairs else ''})"

    @property
    def _name(self) -> str:
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def _called(self) -> str:
        return f"the kernel function {self._name!r}"


@dataclass(frozen=True)
class Precomputed(Kernel):
    """A precomputed kernel: X is the Gram matrix, K_ij = K(x_i, z_j) (n, n_train), square and symmetric in training.

    Centres are the indices of its columns, 0 … n_train − 1. Rows to classify have a column for each training example.

    Examples
    --------
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

    def tile(self, X: Rows, Z: Any) -> Any:
        if getattr(Z, "ndim", 0) != 1:
            raise ValueError(
                "the right side of a tile of a Gram matrix must be numbers of columns, (m,), which centres(X) gives; "
                f"it has {getattr(Z, 'ndim', 0)} dimensions"
            )
        X = as_reals(X)
        part = take(X, Z, axis=1)
        return part.toarray() if is_sparse(part) else part

    def diagonal(self, X: Any) -> Any:
        X = as_reals(X)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"the diagonal is that of a square Gram matrix; this one is {_shape(X)}")
        return namespace(X).reshape(X, (-1,))[:: X.shape[0] + 1] + 0.0 if elsewhere(X) else X.diagonal() + 0.0

    def centres(self, X: Any) -> Any:
        return np.arange(X.shape[1])

    def accept(self, X: Any, width: int | None = None) -> Any:
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
    """Check symmetry; mirrored values may differ by √ε times the largest one."""
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
    """Return the place where X and its mirror image differ most."""
    if not is_sparse(X):
        xp = namespace(X)
        i, j = divmod(int(xp.argmax(xp.reshape(abs(X - X.T), (-1,)))), int(X.shape[1]))
        return i, j
    differences = abs(X - X.T).tocoo()
    place = int(differences.data.argmax()) if differences.nnz else None
    return (0, 0) if place is None else (int(differences.row[place]), int(differences.col[place]))
