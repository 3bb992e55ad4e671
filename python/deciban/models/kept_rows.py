"""Rows that are kept in the place of their statistic, until it is asked for: to learn more, forget, merge or save.

Sums to the last bit cost several times what a fit does, of fewer rows than columns a hundred times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import NDArray

from deciban.data.rows import is_sparse
from deciban.distributions.scatter import PooledScatter
from deciban.losses import Floats

# Of so many values at most rows are kept, which is 128 MB.
_MOST = 1 << 24
# What is not beyond this has sums of squares, however many, in float32, too: those of others may be refused.
_LARGE = 1e30

Count = Callable[[Any, Any, Any], PooledScatter]
"""Returns the statistic of X, y and weight."""


@dataclass(frozen=True, eq=False)
class KeptRows:
    """A copy of X (N, d), dense, y (N, …) and weight (N,), and the `count` that makes their statistic."""

    X: NDArray[Any]
    y: NDArray[Any]
    weight: Floats
    count: Count

    @classmethod
    def of(cls, X: Any, y: NDArray[Any], weight: Floats, count: Count) -> Self | None:
        """Keep rows; None where their statistic is to be made at once: of sparse, many, or very large values."""
        if is_sparse(X) or X.size > _MOST:
            return None
        if not all(-_LARGE <= part.min(initial=0) <= part.max(initial=0) <= _LARGE for part in (X, y, weight)):
            return None
        return cls(X.copy(), y.copy(), weight.copy(), count)

    def make(self) -> PooledScatter:
        """Return their statistic."""
        return self.count(self.X, self.y, self.weight)


def defer_statistic(name: str, about: str) -> property:
    """Return a property that is a statistic or None, and is made where rows are kept in its place."""

    def get(model: Any) -> PooledScatter | None:
        try:
            kept: PooledScatter | KeptRows | None = vars(model)[name]
        except KeyError:
            raise AttributeError(f"this {type(model).__name__} has no {name}: it is not fitted yet") from None
        if isinstance(kept, KeptRows):
            kept = vars(model)[name] = kept.make()
        return kept

    def put(model: Any, kept: PooledScatter | KeptRows | None) -> None:
        vars(model)[name] = kept

    return property(get, put, doc=about)


def make_all(model: Any, state: Any) -> Any:
    """Return the state of a model as it is pickled or saved, with statistics and no rows."""
    if not isinstance(state, dict):
        return state
    return {name: getattr(model, name) if isinstance(each, KeptRows) else each for name, each in state.items()}
