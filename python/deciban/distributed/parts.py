"""Parts of a data set: where each is, how it is read, and its errors, which name it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError


class Block(NamedTuple):
    """X: rows as an estimator takes them, or a list of texts; y their labels or targets; their weights, or None."""

    X: Any
    y: Any
    weight: Any = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0]) if hasattr(self.X, "shape") else len(self.X)


@dataclass(frozen=True)
class Part:
    """Part `index` of a data set: `load(*arguments)` reads it. `arguments` may be promises of the engine's own."""

    index: int
    name: str
    load: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    @property
    def said(self) -> str:
        """The part as messages name it."""
        return f"partition {self.index}{f' ({self.name})' if self.name else ''}"

    def read(self, *arguments: Any) -> Block:
        """Return its rows, checked for their number; an error names the part."""
        with self.naming():
            block = self.load(*(arguments or self.arguments))
            if not isinstance(block, Block):
                block = _as_block(block)
            y = block.y if block.y is None or hasattr(block.y, "__len__") else list(block.y)
            X = block.X if hasattr(block.X, "shape") or isinstance(block.X, list) else list(block.X)
            y = np.require(y, requirements=["A"]) if isinstance(y, np.ndarray) else y  # a wire aligns nothing
            weight = None if block.weight is None else np.require(block.weight, np.float64, ["C", "A"])
            block = Block(X, y, weight)
            if y is not None and len(y) != block.size:
                raise ValueError(f"X has {block.size} rows and y has {len(y)}. Expected as many labels as rows")
        return block

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Let errors say in which part they are."""
        try:
            yield
        except PartError:
            raise
        except (ValueError, TypeError, OSError, MemoryError, AttributeError) as error:
            text = f"{error}" or type(error).__name__
            raise PartError(f"{self.said}: {text}") from error


class PartError(DataError):
    """A part that cannot be read, or holds what the estimator refuses.

    Parameters
    ----------
    message : str
        The message, which names the part.
    """


def _as_block(given: Any) -> Block:
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise TypeError(f"expected (X, y) or (X, y, sample_weight), got {type(given).__name__}")
    return Block(*given)


class Shape(NamedTuple):
    """What the rows of all parts must have in common: `columns`, their names or number, and `kinds`, their types."""

    said: str
    columns: tuple[Any, ...]
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, part: Part, X: Any) -> Shape:
        """Return the shape of a part's rows."""
        if isinstance(X, list):
            return cls(part.said, ("texts",), ("texts",))
        if hasattr(X, "dtype"):
            return cls(part.said, (int(X.shape[1]) if X.ndim == 2 else None,), (str(X.dtype),))
        names = getattr(X, "column_names", None)  # of Arrow
        if names is not None:
            return cls(part.said, tuple(names), tuple(str(each) for each in X.schema.types))
        if hasattr(X, "dtypes"):  # a data frame
            kinds = X.dtypes.values() if isinstance(X.dtypes, dict) else X.dtypes
            return cls(part.said, tuple(X.columns), tuple(str(each) for each in kinds))
        return cls(part.said, (int(np.shape(X)[1]) if np.ndim(X) == 2 else None,), ())

    def require_same(self, other: Shape) -> None:
        """Refuse another part whose columns or types differ."""
        if self.columns != other.columns:
            raise PartError(
                f"{other.said} has {_columns(other.columns)}, and {self.said} has {_columns(self.columns)}. "
                "All partitions must have the same columns in the same order. Select them, or write the data anew."
            )
        if self.kinds != other.kinds:
            mine, theirs = next(pair for pair in zip(self.kinds, other.kinds, strict=True) if pair[0] != pair[1])
            raise PartError(
                f"{other.said} has columns of type {theirs} where {self.said} has {mine}. All partitions must have "
                "the same types. Cast them to one type."
            )


def _columns(columns: tuple[Any, ...]) -> str:
    if len(columns) == 1 and not isinstance(columns[0], str):
        return f"{columns[0]} columns"
    shown = ", ".join(repr(each) for each in columns[:8])
    return f"the columns {shown}{', …' if len(columns) > 8 else ''}"
