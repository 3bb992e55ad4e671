"""Examples, a few at a time: rows that fit memory, in a new order each epoch, or a stream that need not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import elsewhere, like, namespace, take
from deciban.data.rows import is_sparse

from .csr import readable

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
        """The examples at these places, or in this slice."""
        x = in_type(take(self.X, places), self.dtype)
        y, weight = coded(self.y[places], self.K, self.dtype), self.weight[places].astype(self.dtype)[:, None]
        return Batch(x, like(y, x), like(weight, x)) if elsewhere(x) else Batch(x, y, weight)

    def parts(self, rows: int = PART) -> Iterator[Batch]:
        """All examples in their order."""
        return (self.at(slice(i, min(len(self), i + rows))) for i in range(0, len(self), rows))

    def read(self) -> Rows:
        """The same, with X as the first layer reads it quickest: for whoever goes through all of it several times."""
        return replace(self, X=readable(self.X, self.dtype))


def pieces(part: Batch, masks: list[Any], weights: list[Any]) -> list[tuple[Batch, list[Any]]]:
    """The part in slices that are each worth a thread of its own, for a network of these weights, with their masks;
    CSR's rows and those elsewhere find their threads themselves."""
    if not isinstance(part.x, np.ndarray):
        return [(part, masks)]
    n = len(part.x)
    count = max(1, min(_PIECES, n // _LEAST, 3 * n * sum(W.size for W in weights) // _WORTH))
    ends = [n * k // count for k in range(count + 1)]
    places = [slice(first, last) for first, last in pairwise(ends)]
    return [(Batch(*(each[rows] for each in part)), [mask[rows] for mask in masks]) for rows in places]


def coded(y: NDArray[Any], K: int, dtype: Any) -> NDArray[Any]:
    """(n, K) targets: as they are, or 1 for the class of each and 0 for the others."""
    if y.ndim == 2:
        return y.astype(dtype, copy=False)
    if K == 1:
        return y[:, None].astype(dtype)
    found: NDArray[Any] = np.equal(y[:, None], np.arange(K)).astype(dtype)
    return found


def in_type(x: Any, dtype: Any) -> Any:
    """Rows in the type of the weights; a copy only where they are of another."""
    if is_sparse(x) or not elsewhere(x):
        return x if x.dtype == dtype else x.astype(dtype)
    wanted = getattr(namespace(x), np.dtype(dtype).name)
    return x if x.dtype == wanted else namespace(x).astype(x, wanted)


@dataclass(frozen=True)
class Shuffled:
    """Batches of rows in a new order each epoch; a batch of all of them keeps theirs."""

    rows: Rows
    size: int
    shuffle: bool = True

    def epoch(self, random: np.random.RandomState) -> Iterator[list[Batch]]:
        """Steps, each of one batch or, where it is large, of its parts."""
        n = len(self.rows)
        order = random.permutation(n) if self.shuffle and self.size < n else np.arange(n)
        for i in range(0, n, self.size):
            places = order[i : i + self.size]
            yield [self.rows.at(places[k : k + PART]) for k in range(0, len(places), PART)]

    def sample(self, random: np.random.RandomState) -> Any:
        """Rows to look at."""
        n = len(self.rows)
        places = np.arange(n) if n <= LOOKED_AT else np.sort(random.permutation(n)[:LOOKED_AT])
        return self.rows.at(places).x


@dataclass(frozen=True)
class Streamed:
    """Batches as they come, from something that is iterated anew each epoch; an iterator lasts for one."""

    source: Iterable[Any]
    checked: Callable[[Any], Rows]

    def epoch(self, random: np.random.RandomState) -> Iterator[list[Batch]]:
        """Steps, each of one batch as it came."""
        return (list(self.checked(each).parts()) for each in self.source)

    def sample(self, random: np.random.RandomState) -> Any:
        """Nothing before it comes."""
        return None
