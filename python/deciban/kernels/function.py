"""A kernel of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.data.devices import elsewhere, like, namespace, on_host, take
from deciban.data.rows import is_sparse
from deciban.errors import DataError

from .kernel import Kernel

# Of up to so many rows a function sees all at once, as scikit-learn shows them; of more it is tried on some, and a
# diagonal is asked for by as many at a time.
_WHOLE, _TRIED = 1000, 32


@dataclass(frozen=True)
class Function(Kernel):
    """K by `function(X, Z) -> (n, m)`, which sees whole arrays of up to 1,000 rows and tiles of larger ones; with
    `pairs=True` by `function(x, z) -> number`. With `texts=True` the tiles are of texts, (n,) objects; a machine that
    is given texts asks for these by itself.

    What it returns is looked at: its shape, that all of it is finite, and on some training rows that it is symmetric.

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
        """Who knows."""
        return False

    def tile(self, X: Any, Z: Any) -> Any:
        """What the function returns (n, m), as float32 or float64; a DataError where it is not that or not finite."""
        shape = (int(X.shape[0]), int(Z.shape[0]))
        raw = self._each(X, Z) if self.pairs else self.function(X, Z)
        if elsewhere(raw):
            return self._checked_elsewhere(raw, shape)
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

    def _checked_elsewhere(self, K: Any, shape: tuple[int, int]) -> Any:
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
        """K(x, x) (n,). Cost: all pairs of up to 1,000 rows, of more 32 values a row; one with `pairs`."""
        n = int(X.shape[0])
        step = 1 if self.pairs else n if 0 < n <= _WHOLE else _TRIED
        parts = (take(X, slice(a, a + step)) for a in range(0, n, step))
        tiles = [on_host(self.tile(part, part), None).diagonal() for part in parts]
        values = np.concatenate(tiles) if tiles else np.zeros(0)
        return like(values, X) if elsewhere(X) else values

    def accept(self, X: Any, width: int | None = None) -> Any:
        """X, after the function was tried on some of its rows."""
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
        """By the function's name: its place in memory differs from run to run, and a saved model says what it was."""
        return f"Function({self._name}{', pairs=True' if self.pairs else ''})"

    @property
    def _name(self) -> str:
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def _called(self) -> str:
        return f"the kernel function {self._name!r}"
