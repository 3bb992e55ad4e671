"""Which values a feature may have, checked where rows are judged; where they are counted the core checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import is_sparse

from ..data.refusal import StatisticError, first

# Larger numbers overflow when they are weighed.
LARGEST = 1e300


def _outside(values: Any, support: str) -> NDArray[np.bool_]:
    if support == "binary":
        bad = (values != 0) & (values != 1)
    elif support == "whole":
        bad = (values < 0) | (values != np.floor(values))
    elif support == "nonnegative":
        bad = values < 0
    else:
        bad = np.zeros(values.shape, dtype=bool)
    result: NDArray[np.bool_] = bad | (np.abs(values.astype(np.float64)) > LARGEST)
    return result


def is_clear(X: Any, support: str) -> bool:
    """Whether all of X (N, d) is well, at a glance; False when one has to look."""
    values = X.data if is_sparse(X) else X
    if values.dtype == bool or values.size == 0:
        return True
    if support == "binary":
        return bool(((values == 0) | (values == 1)).all())
    low, high = float(values.min()), float(values.max())  # NaN if there is one
    whole = support != "whole" or values.dtype.kind in "iu"
    return bool(whole and high <= LARGEST and low >= -LARGEST and (support == "finite" or low >= 0))


def check(X: Any, support: str, expected: Callable[[float], str], *, missing: bool = True) -> None:
    """Refuse the first value of X (N, d) outside the support "finite", "nonnegative", "binary" or "whole".

    NaN is a missing value, and refused where the distribution cannot do without.
    """
    if is_clear(X, support):
        return
    values = X.data if is_sparse(X) else X
    gone = np.isnan(values)
    bad = np.where(gone, not missing, _outside(values, support))
    if not bad.any():
        return
    place = first(bad)
    value = float(values[place])
    if is_sparse(X):
        place = (int(np.searchsorted(X.indptr, place[0], side="right")) - 1, int(X.indices[place[0]]))
    row, column = place
    raise StatisticError(expected(value).format(place=f"row {row}, {{feature}} is {value:g}"), feature=column)
