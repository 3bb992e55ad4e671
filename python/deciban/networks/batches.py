"""Examples, a few at a time: rows that fit memory, in a new order each epoch, or a stream that need not.

Sparse rows are read as they lie in a CSR, never cut out and never made dense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from deciban import _core
from deciban.data.devices import elsewhere, like, namespace, take
from deciban.data.rows import is_sparse

# Dense rows are read as sparse ones where at most this share of a table is not zero. On two cores with AVX2 a batch of
# 128 × 784 and 128 units takes forward and back as long as BLAS with 13 % and 8 %; the 19 % of MNIST are BLAS's.
SHARE = 0.05


@dataclass(frozen=True)
class SparseRows:
    """The rows of a CSR (data, indices, ends), of `columns` features, at `places` (n,)."""

    data: NDArray[Any]
    indices: NDArray[np.int32]
    ends: NDArray[np.int32]
    columns: int
    places: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return len(self.places), self.columns

    @property
    def dtype(self) -> Any:
        """Of the values."""
        return self.data.dtype

    @property
    def T(self) -> Turned:  # noqa: N802 (as NumPy has it)
        """What is multiplied by Δ."""
        return Turned(self)

    def __matmul__(self, W: NDArray[Any]) -> NDArray[Any]:
        return _core.rows_times(self.data, self.indices, self.ends, self.places, np.ascontiguousarray(W))

    def __getitem__(self, rows: Any) -> SparseRows:
        places = np.ascontiguousarray(self.places[rows])
        return SparseRows(self.data, self.indices, self.ends, self.columns, places)

    def astype(self, dtype: DTypeLike) -> SparseRows:
        """Return the same values in another type."""
        return SparseRows(_cast(self.data, dtype), self.indices, self.ends, self.columns, self.places)


@dataclass(frozen=True)
class Turned:
    """Xᵀ."""

    rows: SparseRows

    def __matmul__(self, delta: NDArray[Any]) -> NDArray[Any]:
        rows = self.rows
        parts = rows.data, rows.indices, rows.ends, rows.places
        return _core.rows_turned_times(*parts, np.ascontiguousarray(delta), rows.columns)


def make_readable(X: Any, dtype: DTypeLike) -> Any:
    """Return X as the first layer reads it quickest, in the type of the weights: sparse rows, and dense ones that are
    mostly zeros, as `SparseRows`; others as they are."""
    if elsewhere(X) or isinstance(X, SparseRows):
        return X
    if is_sparse(X):
        X = X if X.has_sorted_indices else X.sorted_indices()
        if X.indices.dtype != np.int32 or X.indptr.dtype != np.int32:
            return X
        return SparseRows(_cast(X.data, dtype), X.indices, X.indptr, X.shape[1], np.arange(X.shape[0]))
    some = X[:: max(1, len(X) // 1000)]
    if np.count_nonzero(some) > SHARE * some.size:
        return X
    found = _core.nonzeros(np.ascontiguousarray(X), int(SHARE * X.size))
    if found is None:
        return X
    data, indices, ends = found
    return SparseRows(_cast(data, dtype), indices, ends, X.shape[1], np.arange(len(X)))


def _cast(values: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    with np.errstate(over="ignore"):  # what leaves the range is found, and told, by its layer
        return values.astype(dtype, copy=False)


# Examples that go through a network at once, where a step is of more of them.
PART = 4096
# Pieces of a step at most, rows of each at least, and multiplications that are worth another thread.
_PIECES, _LEAST, _WORTH = 8, 64, 1 << 23
# Examples that are looked at for units that are dead or saturated.
LOOKED_AT = 2000


class Batch(NamedTuple):
    """x (n, d) in the type of the weights, targets y (n, K), and weight (n, 1), 1 on average."""

    x: Any
    y: Any
    weight: Any


@dataclass(frozen=True)
class Rows:
    """N examples: X (N, d), dense, on any device, or CSR; y (N,) class indices, or (N, K) targets; weight (N,) > 0.

    K outputs: of two classes one may do, which is then that of the second.
    """

    X: Any
    y: NDArray[Any]
    weight: NDArray[Any]
    K: int
    dtype: Any

    def __len__(self) -> int:
        return len(self.y)

    def at(self, places: Any) -> Batch:
        """Return the examples at these places, or in this slice."""
        x = cast_rows(take(self.X, places), self.dtype)
        y, weight = encode_targets(self.y[places], self.K, self.dtype), self.weight[places].astype(self.dtype)[:, None]
        return Batch(x, like(y, x), like(weight, x)) if elsewhere(x) else Batch(x, y, weight)

    def parts(self, rows: int = PART) -> Iterator[Batch]:
        """Return all examples in their order."""
        return (self.at(slice(i, min(len(self), i + rows))) for i in range(0, len(self), rows))

    def read(self) -> Rows:
        """Return the same, with X as the first layer reads it quickest: for whoever goes through all of it several
        times."""
        return replace(self, X=make_readable(self.X, self.dtype))


def slice_batch(part: Batch, masks: list[Any], weights: list[Any]) -> list[tuple[Batch, list[Any]]]:
    """Return the part in slices that are each worth a thread of its own, for a network of these weights, with their
    masks; CSR's rows and those elsewhere find their threads themselves."""
    if not isinstance(part.x, np.ndarray):
        return [(part, masks)]
    n = len(part.x)
    count = max(1, min(_PIECES, n // _LEAST, 3 * n * sum(W.size for W in weights) // _WORTH))
    ends = [n * k // count for k in range(count + 1)]
    places = [slice(first, last) for first, last in pairwise(ends)]
    return [(Batch(*(each[rows] for each in part)), [mask[rows] for mask in masks]) for rows in places]


def encode_targets(y: NDArray[Any], K: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return (n, K) targets: as they are, or 1 for the class of each and 0 for the others."""
    if y.ndim == 2:
        return y.astype(dtype, copy=False)
    if K == 1:
        return y[:, None].astype(dtype)
    found: NDArray[Any] = np.equal(y[:, None], np.arange(K)).astype(dtype)
    return found


def cast_rows(x: Any, dtype: DTypeLike) -> Any:
    """Return rows in the type of the weights; a copy only where they are of another."""
    if is_sparse(x) or not elsewhere(x):
        return x if x.dtype == dtype else x.astype(dtype)
    wanted = getattr(namespace(x), np.dtype(dtype).name)
    return x if x.dtype == wanted else namespace(x).astype(x, wanted)


class Steps(NamedTuple):
    """Steps of `size` rows each, at `places` in their order."""

    rows: Rows
    places: NDArray[Any]
    size: int

    def each(self) -> Iterator[NDArray[Any]]:
        """Return the places of each step."""
        return (self.places[i : i + self.size] for i in range(0, len(self.places), self.size))

    def stretches(self, count: int) -> Iterator[Steps]:
        """Return so many steps at a time."""
        whole = count * self.size
        return (self._replace(places=self.places[i : i + whole]) for i in range(0, len(self.places), whole))

    def batch(self, places: NDArray[Any]) -> list[Batch]:
        """Return the batch at these places or, where it is large, its parts."""
        return [self.rows.at(places[k : k + PART]) for k in range(0, len(places), PART)]


@dataclass(frozen=True)
class Shuffled:
    """Batches of rows in a new order each epoch; a batch of all of them keeps theirs."""

    rows: Rows
    size: int
    shuffle: bool = True

    def epoch(self, random: np.random.RandomState) -> Iterator[Steps]:
        """Yield the steps of an epoch."""
        n = len(self.rows)
        order = random.permutation(n) if self.shuffle and self.size < n else np.arange(n)
        yield Steps(self.rows, order, self.size)

    def sample(self, random: np.random.RandomState) -> Any:
        """Return rows to look at."""
        n = len(self.rows)
        places = np.arange(n) if n <= LOOKED_AT else np.sort(random.permutation(n)[:LOOKED_AT])
        return self.rows.at(places).x


@dataclass(frozen=True)
class Streamed:
    """Batches as they come, from something that is iterated anew each epoch; an iterator lasts for one."""

    source: Iterable[Any]
    checked: Callable[[Any], Rows]

    def epoch(self, random: np.random.RandomState) -> Iterator[Steps]:
        """Yield steps, each of one batch as it came."""
        for each in self.source:
            rows = self.checked(each)
            yield Steps(rows, np.arange(len(rows)), len(rows))

    def sample(self, random: np.random.RandomState) -> Any:
        """Return no examples: none is known before it comes."""
        return None
