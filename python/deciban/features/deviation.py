"""Deviation of features from the kernel that they approximate, measured on pairs of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.devices import elsewhere, namespace, on_host, take, to_double
from deciban.data.rows import Rows, is_sparse
from deciban.errors import DataError
from deciban.kernels import Kernel
from deciban.losses import Floats

# Values of a tile.
TILE = 1 << 22
# Pairs whose values are looked up in one tile, of which they are the diagonal.
_PAIRS = 64


@dataclass(frozen=True)
class Deviation:
    """Differences Φ(x)·Φ(z) − K(x, z) over pairs of examples.

    Parameters
    ----------
    largest : float
        Largest absolute difference.
    rms : float
        Root mean square difference.
    pairs : int
        Number of pairs.
    scale : float
        Largest |K| among them.

    Examples
    --------
    >>> Deviation(0.1, 0.01, 100, 1.0).largest
    0.1
    """

    largest: float
    rms: float
    pairs: int
    scale: float

    @property
    def says(self) -> str:
        """A sentence."""
        return (
            f"over {self.pairs:,} pairs of rows the features differ from the kernel by {self.rms:.3g} (root mean "
            f"square) and {self.largest:.3g} (largest), where its values are up to {self.scale:.3g}"
        )


def between_rows(kernel: Kernel, X: Any, centres: Any, left: Any, right: Any) -> Deviation:
    """Measure over all pairs of rows X (n, d) and centres (m, d), whose features are left (n, D) and right (m, D).

    Cost: n·m values of the kernel and n·m·D; memory: right in float64, four tiles of 32 MB or of one row."""
    n = int(left.shape[0])
    step = max(1, TILE // max(1, int(right.shape[0])))
    tiles = (slice(a, a + step) for a in range(0, n, step))
    right = doubles(right)
    return _over(
        (doubles(take(left, rows)) @ right.T, kernel.tile(doubles(take(X, rows)), doubles(centres))) for rows in tiles
    )


def of_pairs(kernel: Kernel, X: Rows, features: Any, pairs: ArrayLike) -> Deviation:
    """Measure over the pairs (P, 2) of numbers of rows of X (n, d), whose features are (n, D). Cost: 64·P values."""
    chosen, centres = _check_pairs(pairs, int(features.shape[0])), kernel.centres(X)

    def parts() -> Iterator[tuple[Floats, Any]]:
        for a in range(0, len(chosen), _PAIRS):
            i, j = chosen[a : a + _PAIRS].T
            left, right = (on_host(take(features, places)) for places in (i, j))
            values = on_host(kernel.tile(doubles(take(X, i)), doubles(take(centres, j))))
            yield np.einsum("pd,pd->p", left, right), values.diagonal()

    return _over(parts())


def doubles(X: Any) -> Any:
    """Return rows of numbers in float64; texts and numbers of columns as they are."""
    if elsewhere(X):
        return to_double(X)
    rows = (isinstance(X, np.ndarray) or is_sparse(X)) and X.ndim == 2
    return X.astype(np.float64, copy=False) if rows else X


def _over(parts: Iterator[tuple[Any, Any]]) -> Deviation:
    squares = largest = scale = 0.0
    count = 0
    for products, values in parts:
        differences, xp = products - values, namespace(products)
        count += math.prod(differences.shape)
        if not count:
            continue
        squares += float(xp.sum(xp.square(differences)))
        largest = max(largest, float(xp.max(xp.abs(differences))))
        scale = max(scale, float(xp.max(xp.abs(values))))
    return Deviation(largest, float(np.sqrt(squares / max(1, count))), count, scale)


def _check_pairs(pairs: ArrayLike, n: int) -> NDArray[np.intp]:
    given = np.asarray(pairs)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise ValueError(
            f"pairs must be numbers of rows of X, (P, 2), or None for all pairs; got {given.dtype} values of the shape "
            f"{given.shape}"
        )
    outside = (given < 0) | (given >= n)
    if outside.any():
        raise DataError(f"pairs name rows of X from 0 to {n - 1}; one of them is {int(given[outside][0])}")
    return given.astype(np.intp)
