"""Kernels of chosen rows by the kernel's own tiles: of any kernel, and on the device of any array library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import doubled, elsewhere, has_doubles, like, namespace, on_host, take_any
from deciban.kernels.evaluation import in_core, rows_in_core
from deciban.losses import Floats

from .problem import KernelProblem, Places

_BOUNDED = ("rbf", "tanh", "wave")


class Tiles:
    """Rows of the kernel, as many at a time as `memory` holds. Where its values are at most 1 they are float32,
    elsewhere as precise as the device can; those of NumPy and SciPy as precise as X.

    On a device the rows that moved in one round are kept for the next, where half of them move again, if they fit a
    quarter of `memory`: what is chosen of them, what is new and what is then both stand beside them for a moment.
    """

    def __init__(self, problem: KernelProblem, memory: int) -> None:
        self.kernel = problem.kernel
        self.X = _suited(problem)
        self.centres = self.kernel.centres(self.X)
        self.active, self.active_centres = self.X, self.centres
        self.columns = max(16, memory // (8 * max(1, problem.count)))
        size = 4 if str(getattr(self.X, "dtype", "")).endswith("float32") else 8
        self.largest = memory // (4 * size * max(1, problem.count)) if elsewhere(self.X) else 0
        self.places: Places = np.zeros(0, dtype=np.int64)
        self.kept: Any = None

    def restrict(self, rows: Places | None) -> None:
        """Sums are wanted of these rows only, or of all; nothing is kept from before."""
        everything = rows is None
        self.active = self.X if everything else take_any(self.X, rows)
        self.active_centres = self.centres if everything else take_any(self.centres, rows)
        self.places, self.kept = np.zeros(0, dtype=np.int64), None

    def within(self, rows: Places) -> NDArray[Any]:
        """(q, q) on the host."""
        tile = self.kernel.tile(take_any(self.X, rows), take_any(self.centres, rows))
        return np.ascontiguousarray(on_host(tile))

    def combination(self, rows: Places, coefficients: Floats) -> Floats:
        """Σ_j K(x_i, x_rows_j) coefficients_j of the rows i that are wanted, on the host in float64."""
        distinct, place = np.unique(rows, return_inverse=True)
        if len(distinct) < len(rows):
            rows, coefficients = distinct, np.bincount(place, coefficients, len(distinct)).astype(np.float64)
        if 0 < len(rows) <= self.largest:
            return self._of_kept(rows, coefficients)
        total: Any = np.zeros(int(self.active.shape[0]))
        for first in range(0, len(rows), self.columns):
            part = slice(first, first + self.columns)
            tile = self.kernel.tile(self.active, take_any(self.centres, rows[part]))
            total = total + _times(tile, coefficients[part])
        return np.asarray(total, dtype=np.float64)

    def _of_kept(self, rows: Places, coefficients: Floats) -> Floats:
        """The same, by rows of the kernel that are kept for the next time."""
        known = np.isin(rows, self.places)
        order = np.argsort(self.places)
        old = order[np.searchsorted(self.places, rows[known], sorter=order)]
        tiles = [take_any(self.kept, old)] if len(old) else []
        if not known.all():
            tiles.append(self.kernel.tile(take_any(self.X, rows[~known]), self.active_centres))
        tile = tiles[0] if len(tiles) == 1 else namespace(tiles[0]).concat(tiles)
        self.places, self.kept = np.concatenate([rows[known], rows[~known]]), tile
        moved = np.concatenate([coefficients[known], coefficients[~known]])
        return np.asarray(_times(tile, moved, axis=0), dtype=np.float64)


def _times(tile: Any, weights: Floats, axis: int = 1) -> Any:
    """The tile's sums over an axis, weighed, on the host."""
    if not elsewhere(tile):
        weights = weights.astype(tile.dtype)
        return tile @ weights if axis else weights @ tile
    there = like(weights, tile, dtype=tile.dtype)
    return on_host(namespace(tile).matmul(*((tile, there) if axis else (there, tile))))


def _suited(problem: KernelProblem) -> Any:
    """X in the precision of the tiles; texts as they are."""
    X = problem.X
    if not hasattr(X, "dtype") or rows_in_core(X):
        return X
    if not elsewhere(X):
        return X.astype(np.float32)
    known, xp = in_core(problem.kernel), namespace(X)
    if known is not None and known[0] in _BOUNDED:
        return X if X.dtype == xp.float32 else xp.astype(X, xp.float32)
    return doubled(X) if has_doubles(X) else X
