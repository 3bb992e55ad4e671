"""Discrete and continuous features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import is_sparse

from .information import Floats


def discrete_mask(option: object, X: Any) -> NDArray[np.bool_]:
    """Return (d,) which features of X are discrete, from True, False, "auto", a mask or indices.

    ValueError for another option, and for a sparse X with continuous features.
    """
    d = X.shape[1]
    if isinstance(option, str):
        if option != "auto":
            raise ValueError(f"discrete_features must be 'auto', a truth value, a mask or indices, got {option!r}")
        option = is_sparse(X)
    given = np.asarray(option)
    mask = np.zeros(d, dtype=np.bool_)
    if given.dtype.kind == "b" and given.shape in ((), (d,)):
        mask[:] = given
    elif given.ndim == 1 and given.dtype.kind in "iu" and (np.abs(given + 0.5) < d + 0.5).all():
        mask[given] = True
    elif given.size or given.ndim != 1:
        raise ValueError(
            f"discrete_features must be 'auto', a truth value, a mask of {d} features or indices, got {option!r}"
        )
    if is_sparse(X) and not mask.all():
        raise ValueError("Sparse matrix `X` can't have continuous features: use toarray(), or discrete_features=True")
    return mask


def repeat_rows(weight: Floats | None, n: int) -> NDArray[np.intp]:
    """Return the rows as often as they weigh; ValueError for weights that are no whole numbers."""
    if weight is None:
        return np.arange(n)
    if (weight != np.floor(weight)).any():
        i = int(np.argmax(weight != np.floor(weight)))
        raise ValueError(
            f"sample_weight of continuous features means repetition, in whole numbers; that of row {i} is "
            f"{weight[i]:g}: round the weights, or give discrete_features=True"
        )
    return np.repeat(np.arange(n), weight.astype(np.intp))
