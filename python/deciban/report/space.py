"""The features that a picture is of: examples as numbers, and points as the model wants to be asked of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..data.rows import as_rows, is_sparse
from ..errors import DataError

# So many numbers are asked about at once.
_AT_ONCE = 1 << 23


@dataclass(frozen=True, eq=False)
class Space:
    """rows (N, d), dense or CSR; names (d,).

    `columns` are those of the data frame that the model learnt, if it was one, and `like` is a frame of the library in
    which it is to be asked.
    """

    rows: Any
    names: tuple[str, ...]
    columns: list[str] | None = None
    like: Any = None

    @classmethod
    def of(cls, X: Any, names: Sequence[str] | None, model: Any) -> Self:
        """Of X (N, d); DataError for what a picture cannot show."""
        if getattr(getattr(model, "kernel_", None), "name", "") == "precomputed":
            raise DataError("a picture needs features; a Gram matrix says how alike examples are, and has none")
        rows = _numbers(X)
        framed = hasattr(X, "columns") and not is_sparse(X)
        learnt = X.columns if framed else getattr(model, "feature_names_in_", None)
        columns = None if learnt is None or is_sparse(rows) else [str(name) for name in learnt]
        told = list(columns or [f"feature {j}" for j in range(rows.shape[1])]) if names is None else list(names)
        if len(told) != rows.shape[1]:
            raise ValueError(f"names: {rows.shape[1]} are expected, one for each feature, got {len(told)}")
        return cls(rows, tuple(map(str, told)), columns, X if framed else None)

    @property
    def examples(self) -> Any:
        """All examples, as the model is asked about them."""
        return self.asked(self.rows)

    def asked(self, rows: Any) -> Any:
        """Points (n, d), as the model is asked about them."""
        if self.columns is None:
            return rows
        import narwhals as nw

        backend: Any = "polars" if self.like is None else nw.from_native(self.like, eager_only=True).implementation
        return nw.from_dict({name: rows[:, j] for j, name in enumerate(self.columns)}, backend=backend).to_native()

    def parts(self, count: int) -> Iterator[slice]:
        """The places of `count` points, as many at a time as fit into memory."""
        step = max(1, _AT_ONCE // self.rows.shape[1])
        return (slice(start, start + step) for start in range(0, count, step))


def _numbers(X: Any) -> Any:
    try:
        rows: Any = as_rows(X) if is_sparse(X) else np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"a picture needs features that are numbers: {error}") from error
    if rows.ndim != 2 or 0 in rows.shape:
        raise DataError(f"a picture needs rows of numbers, (N, d); X has the shape {tuple(rows.shape)}")
    if not np.isfinite(rows.data if is_sparse(rows) else rows).all():
        raise DataError("a picture needs finite numbers; X has missing or infinite ones: fill them in first")
    return rows
