"""What a kernel is, and how kernels add and multiply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deciban.data.rows import is_sparse
from deciban.errors import DataError

from .arrays import as_reals, namespace


@dataclass(frozen=True)
class Kernel(ABC):
    """K(x, z), a product of two examples in some space of features.

    A machine asks for tiles: `tile(X[i], centres(X)[j])` are the values of the rows i against the rows j. For most
    kernels `centres(X)` is X itself; where X is a Gram matrix, a centre is the number of its column. What a machine
    keeps for prediction are the centres of its support vectors: `tile(new, centres(X)[support])`.
    """

    name: ClassVar[str]

    @property
    def mercer(self) -> bool:
        """Whether every Gram matrix is positive semi-definite; False where one may fail to be (Mercer 1909)."""
        return True

    @abstractmethod
    def tile(self, X: Any, Z: Any) -> Any:
        """K (n, m) of rows X (n, d) against centres Z (m, d), newly made, in the precision of X and Z."""

    @abstractmethod
    def diagonal(self, X: Any) -> Any:
        """K(x, x) (n,) of each row; where X is a Gram matrix it is the whole one."""

    def centres(self, X: Any) -> Any:
        """What training rows X (n, d) are on the right of `tile`."""
        return X

    def accept(self, X: Any, width: int | None = None) -> Any:
        """X as `tile` takes it, or a DataError: (n, d) of finite numbers. With `width`, the columns at training, X is
        to be judged; without it X is to be learnt from, and a kernel that depends on it is looked at more closely."""
        X = as_reals(X)
        if X.ndim != 2:
            raise DataError(
                f"X must be a table of rows and columns; it has {X.ndim} dimension(s). Reshape it to (n, d)"
            )
        if width is not None and X.shape[1] != width:
            raise DataError(f"X must have the {width} columns that were learnt from; it has {X.shape[1]}")
        values = X.data if is_sparse(X) else X
        xp = namespace(values)
        if not bool(xp.all(xp.isfinite(values))):
            raise DataError("X must hold finite numbers; it holds NaN or infinity. Fill or drop such rows first")
        return X

    def __add__(self, other: Any) -> Kernel:
        from .composite import Sum

        return Sum((self, other)) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Any) -> Kernel:
        from .composite import Product

        return Product((self, other)) if isinstance(other, Kernel) else NotImplemented


def check_number(name: str, value: Any, *, above: float | None = None, least: float | None = None) -> None:
    """`value` is a finite number > `above` or ≥ `least`; a ValueError says what it is instead."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if above is not None and not (number and above < value < np.inf):
        raise ValueError(f"{name} must be a finite number > {above:g}, got {value!r}")
    if least is not None and not (number and least <= value < np.inf):
        raise ValueError(f"{name} must be a finite number ≥ {least:g}, got {value!r}")
    if not (number and np.isfinite(value)):
        raise ValueError(f"{name} must be a finite number, got {value!r}")


def check_whole(name: str, value: Any) -> None:
    """`value` is a whole number from 1; a ValueError says what it is instead."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number from 1, got {value!r}")
