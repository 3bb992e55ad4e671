"""Features of several kinds side by side: each column has its own distribution, and their log densities add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import is_sparse
from deciban.scores import Score, join_scores

from ..data.refusal import StatisticError
from .counts import Floats, Statistics, class_weights, less, same
from .distribution import Distribution
from .moments import Moments
from .priors import Optimum

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
            with _name_columns(columns):
                left.append(a - b)
        return MixedStatistics(_weight(less(self.n, other.n), left), self.columns, tuple(left))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MixedStatistics) and same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def among(self, places: NDArray[np.intp], C: int) -> MixedStatistics:
        """Return the same statistics as part of C classes."""
        n = np.zeros(C)
        n[places] = self.n
        return MixedStatistics(n, self.columns, tuple(part.among(places, C) for part in self.parts))

    def select_classes(self, classes: NDArray[np.intp]) -> MixedStatistics:
        """Return the statistics of some classes."""
        return MixedStatistics(
            self.n[classes], self.columns, tuple(part.select_classes(classes) for part in self.parts)
        )

    def arrays(self) -> tuple[Floats, ...]:
        """Return the arrays of all that is known, for a digest."""
        return (self.n, *(array for part in self.parts for array in part.arrays()))


def _weight(n: Floats, parts: Sequence[Any]) -> Floats:
    """Return n (C,) as a part knows it that never rounds its sums, if there is one."""
    return next((part.n for part in parts if isinstance(part, Moments)), n)


@dataclass(frozen=True)
class Mixed(Distribution):
    """Groups of columns, each with a distribution of its own: log p(x | c) = Σ_parts log p_part(x[columns] | c).

    Errors of a part name the column of the whole.

    Parameters
    ----------
    parts : tuple of (tuple of int, Distribution)
        Columns, ascending, and their distribution; a column in no part is left out.
    d : int
        Number of columns.

    Examples
    --------
    >>> from deciban.distributions import Bernoulli, Gaussian
    >>> both = Mixed((((0,), Bernoulli()), ((1,), Gaussian())), 2)
    >>> both.count(np.array([[1.0, 2.5], [0.0, 1.5]]), np.array([0, 0]), np.ones(2), 1).n.tolist()
    [2.0]
    """

    parts: tuple[tuple[tuple[int, ...], Distribution], ...]
    d: int
    name: ClassVar[str] = "mixed"
    missing: ClassVar[bool] = True

    def _each(self) -> Iterator[tuple[NDArray[np.intp], Any]]:
        for columns, family in self.parts:
            yield np.array(columns, dtype=np.intp), family

    def statistic(self, X: Any) -> Any:
        found = []
        for columns, family in self._each():
            with _name_columns(columns):
                found.append((columns, family.statistic(X[:, columns])))
        if is_sparse(X):
            return _join_columns(found, X.shape)
        whole = np.zeros(X.shape)
        for columns, part in found:
            whole[:, columns] = part
        return whole

    def count(self, X: Any, y: NDArray[np.intp], weight: Floats | None, C: int) -> MixedStatistics:
        parts: list[Statistics] = []
        for columns, family in self._each():
            with _name_columns(columns):
                parts.append(family.count(X[:, columns], y, weight, C))
        n = _weight(class_weights(y, weight, C), parts)
        return MixedStatistics(n, tuple(columns for columns, _ in self.parts), tuple(parts))

    def check_counts(self, seen: MixedStatistics) -> None:
        for (columns, family), part in zip(self._each(), seen.parts, strict=True):
            with _name_columns(columns):
                family.check_counts(part)

    def parameters(self, seen: MixedStatistics, estimate: str) -> tuple[Any, ...]:
        found = []
        for (columns, family), part in zip(self._each(), seen.parts, strict=True):
            with _name_columns(columns):
                found.append(family.parameters(part, estimate))
        return tuple(found)

    def score(self, parameters: tuple[Any, ...], prior: Floats) -> Score:
        none, parts = np.zeros(len(prior)), []
        for (columns, family), part in zip(self._each(), parameters, strict=True):
            with _name_columns(columns):
                parts.append((columns, family.score(part, none)))
        return join_scores(prior, parts, self.d)

    def log_density(self, X: Any, parameters: tuple[Any, ...]) -> Floats:
        densities = [
            family.log_density(X[:, columns], part)
            for (columns, family), part in zip(self._each(), parameters, strict=True)
        ]
        result: Floats = np.sum(densities, axis=0)
        return result

    def optimum(self, seen: MixedStatistics, parameters: tuple[Any, ...], estimate: str) -> Optimum:
        found = Optimum(0.0, 0.0, 0.0)
        for (_, family), part, values in zip(self._each(), seen.parts, parameters, strict=True):
            found += family.optimum(part, values, estimate)
        return found

    def doubt(self, X: Any, seen: MixedStatistics) -> tuple[Floats, Floats]:
        found = [
            family.doubt(X[:, columns], part) for (columns, family), part in zip(self._each(), seen.parts, strict=True)
        ]
        mean, variance = zip(*found, strict=True)
        return np.sum(mean, axis=0), np.sum(variance, axis=0)


@contextmanager
def _name_columns(columns: Sequence[int] | NDArray[np.intp]) -> Iterator[None]:
    try:
        yield
    except StatisticError as error:
        raise error.among(columns) from None


def _join_columns(found: list[tuple[NDArray[np.intp], Any]], shape: tuple[int, int]) -> Any:
    from scipy import sparse

    placed = []
    for columns, part in found:
        part = part.tocoo()
        placed.append((part.data, part.coords[0], columns[part.coords[1]]))
    data, rows, at = (np.concatenate(values) for values in zip(*placed, strict=True))
    return sparse.csr_array((data, (rows, at)), shape=shape)
