"""Features of several kinds side by side: each column has its own distribution, and their log densities add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import is_sparse
from deciban.scores import Score, joined

from ..data.refusal import StatisticError
from .counts import Floats, Statistics, class_weights, less, same
from .moments import Moments
from .shares import Optimum

if TYPE_CHECKING:
    from . import Distribution


@dataclass(frozen=True, eq=False)
class MixedStatistics:
    """The statistics of every part and its columns; n (C,) is the same for all parts."""

    n: Floats
    columns: tuple[tuple[int, ...], ...]
    parts: tuple[Any, ...]

    @property
    def missing(self) -> None:
        """What is missing is known to the parts."""
        return None

    def __add__(self, other: MixedStatistics) -> MixedStatistics:
        parts = tuple(a + b for a, b in zip(self.parts, other.parts, strict=True))
        return MixedStatistics(_weight(self.n + other.n, parts), self.columns, parts)

    def __sub__(self, other: MixedStatistics) -> MixedStatistics:
        left = []
        for columns, a, b in zip(self.columns, self.parts, other.parts, strict=True):
            with _told(columns):
                left.append(a - b)
        return MixedStatistics(_weight(less(self.n, other.n), left), self.columns, tuple(left))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MixedStatistics) and same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def among(self, places: NDArray[np.intp], C: int) -> MixedStatistics:
        """The same statistics as part of C classes."""
        n = np.zeros(C)
        n[places] = self.n
        return MixedStatistics(n, self.columns, tuple(part.among(places, C) for part in self.parts))

    def kept(self, classes: NDArray[np.intp]) -> MixedStatistics:
        """The statistics of some classes."""
        return MixedStatistics(self.n[classes], self.columns, tuple(part.kept(classes) for part in self.parts))

    def arrays(self) -> tuple[Floats, ...]:
        """All that is known, for a digest."""
        return (self.n, *(array for part in self.parts for array in part.arrays()))


def _weight(n: Floats, parts: Sequence[Any]) -> Floats:
    """n (C,) as a part knows it that never rounds its sums, if there is one."""
    return next((part.n for part in parts if isinstance(part, Moments)), n)


@dataclass(frozen=True)
class Mixed:
    """log p(x | c) = Σ_parts log p_part(x[columns] | c): groups of columns, each with a distribution of its own.

    `parts` are (columns, distribution), columns ascending; a column in no part is left out. Everything is done part
    by part, and what a part refuses is said with the column of the whole.
    """

    parts: tuple[tuple[tuple[int, ...], Distribution], ...]
    d: int
    name: ClassVar[str] = "mixed"
    missing: ClassVar[bool] = True

    def _each(self) -> Iterator[tuple[NDArray[np.intp], Any]]:
        for columns, family in self.parts:
            yield np.array(columns, dtype=np.intp), family

    def statistic(self, X: Any) -> Any:
        """Each part's T(x) in its own columns; (N, d) dense or CSR like X."""
        found = []
        for columns, family in self._each():
            with _told(columns):
                found.append((columns, family.statistic(X[:, columns])))
        if is_sparse(X):
            return _beside(found, X.shape)
        whole = np.zeros(X.shape)
        for columns, part in found:
            whole[:, columns] = part
        return whole

    def count(self, X: Any, y: NDArray[np.intp], weight: Floats | None, C: int) -> MixedStatistics:
        """X (N, d), y (N,) class indices, weight (N,). Cost: a pass over the nonzeros of each part."""
        parts: list[Statistics] = []
        for columns, family in self._each():
            with _told(columns):
                parts.append(family.count(X[:, columns], y, weight, C))
        n = _weight(class_weights(y, weight, C), parts)
        return MixedStatistics(n, tuple(columns for columns, _ in self.parts), tuple(parts))

    def check_counts(self, seen: MixedStatistics) -> None:
        """Every part could have been seen."""
        for (columns, family), part in zip(self._each(), seen.parts, strict=True):
            with _told(columns):
                family.check_counts(part)

    def parameters(self, seen: MixedStatistics, estimate: str) -> tuple[Any, ...]:
        """The parameters of every part."""
        found = []
        for (columns, family), part in zip(self._each(), seen.parts, strict=True):
            with _told(columns):
                found.append(family.parameters(part, estimate))
        return tuple(found)

    def score(self, parameters: tuple[Any, ...], prior: Floats) -> Score:
        """The sum of the parts' scores."""
        none, parts = np.zeros(len(prior)), []
        for (columns, family), part in zip(self._each(), parameters, strict=True):
            with _told(columns):
                parts.append((columns, family.score(part, none)))
        return joined(prior, parts, self.d)

    def log_density(self, X: Any, parameters: tuple[Any, ...]) -> Floats:
        """(N, C) the sum of the parts' log densities."""
        densities = [
            family.log_density(X[:, columns], part)
            for (columns, family), part in zip(self._each(), parameters, strict=True)
        ]
        result: Floats = np.sum(densities, axis=0)
        return result

    def optimum(self, seen: MixedStatistics, parameters: tuple[Any, ...], estimate: str) -> Optimum:
        """The sum of the parts' objectives."""
        found = Optimum(0.0, 0.0, 0.0)
        for (_, family), part, values in zip(self._each(), seen.parts, parameters, strict=True):
            found += family.optimum(part, values, estimate)
        return found

    def doubt(self, X: Any, seen: MixedStatistics) -> tuple[Floats, Floats]:
        """(N, C) mean and variance of log p(x | c) over the posterior: the sums of the parts'."""
        found = [
            family.doubt(X[:, columns], part) for (columns, family), part in zip(self._each(), seen.parts, strict=True)
        ]
        mean, variance = zip(*found, strict=True)
        return np.sum(mean, axis=0), np.sum(variance, axis=0)


@contextmanager
def _told(columns: Sequence[int] | NDArray[np.intp]) -> Iterator[None]:
    try:
        yield
    except StatisticError as error:
        raise error.among(columns) from None


def _beside(found: list[tuple[NDArray[np.intp], Any]], shape: tuple[int, int]) -> Any:
    from scipy import sparse

    placed = []
    for columns, part in found:
        part = part.tocoo()
        placed.append((part.data, part.coords[0], columns[part.coords[1]]))
    data, rows, at = (np.concatenate(values) for values in zip(*placed, strict=True))
    return sparse.csr_array((data, (rows, at)), shape=shape)
