"""Examples as users bring them: how many there are, some of them, and how often each counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.devices import elsewhere, fetch, take
from deciban.data.rows import Rows, check_sparse, is_sparse
from deciban.data.validation import check_array


def n_samples(X: Any) -> int:
    """Return the number of rows of an array, a sparse matrix, a data frame or a list; TypeError for what has none."""
    shape = getattr(X, "shape", None)
    if shape is not None and not callable(shape):
        if not len(shape):
            raise TypeError(f"Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar {X!r}")
        if isinstance(shape[0], int | np.integer):
            return int(shape[0])
    if not hasattr(X, "__len__") or hasattr(X, "fit"):
        raise TypeError(f"Expected sequence or array-like, got {type(X)}")
    return len(X)


def are_texts(X: Rows) -> bool:
    """Return whether X (N,) are texts."""
    return isinstance(_first_of_list(X), str | bytes)


def are_mappings(X: Rows) -> bool:
    """Return whether X (N,) are mappings, as `DictVectorizer` takes them."""
    return not hasattr(X, "columns") and isinstance(_first_of_list(X), Mapping)


def _first_of_list(X: Any) -> object:
    """Return the first of X (N,), None of rows of features."""
    if is_sparse(X) or len(getattr(X, "shape", (0,))) != 1 or not len(X):
        return None
    return next(iter(X))


def take_rows(X: Any, rows: ArrayLike) -> Any:
    """Return the rows of these places, or where a mask is true, in the type that X has."""
    places = np.flatnonzero(rows) if np.asarray(rows).dtype == bool else np.asarray(rows, dtype=np.intp)
    if elsewhere(X):
        return take(X, places)
    if hasattr(X, "iloc"):
        return X.take(places, axis=0) if hasattr(X, "take") else X.iloc[places]
    if is_sparse(check_sparse(X)):
        return (X if X.format in ("csr", "lil", "dok") else X.tocsr())[places]
    if isinstance(X, np.ndarray):
        return X[places]
    if hasattr(X, "__dataframe__") or hasattr(X, "__arrow_c_stream__"):
        import narwhals as nw

        return nw.from_native(X, allow_series=True)[places.tolist()].to_native()
    if hasattr(X, "shape"):
        return X[places]
    return [X[i] for i in places.tolist()]


def check_sample_weight(sample_weight: ArrayLike | None, X: Rows) -> NDArray[np.float64]:
    """Return (N,) weights from 0 of the rows of X: 1 each for None, a number for all, or one a row.

    ValueError, with scikit-learn's words, for weights of another number, below 0, or not finite.
    """
    n = n_samples(X)
    if sample_weight is None:
        return np.ones(n)
    sample_weight = fetch(sample_weight)
    if isinstance(sample_weight, int | float | np.number):
        sample_weight = np.full(n, sample_weight, dtype=np.float64)
    weight: NDArray[np.float64] = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, order="C", input_name="sample_weight"
    )
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim}D array. Expected one a row.")
    if weight.shape != (n,):
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(n,)}!")
    if n and not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    if (weight < 0.0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    check_total(weight, "sample_weight")
    return np.require(weight, requirements=["C", "A"])  # what came over a wire may lie at an odd address


# Of larger totals products with values and their squares would leave the range of a float64; of smaller ones shares.
_TOTALS = 1e-300, 1e100


def check_total(weight: NDArray[np.float64], name: str) -> None:
    """Raise ValueError for weights (N,) from 0 that no sum of products can take."""
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    least, most = _TOTALS
    if len(weight) and not least <= total <= most:
        raise ValueError(
            f"{name} adds up to {total:g}. A total from {least:g} to {most:g} is expected. "
            "Multiply all weights by one number."
        )
