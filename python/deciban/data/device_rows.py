"""Rows of another array library, checked where they are: nothing but single numbers of them comes to the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deciban.data.declared_types import Estimator
from deciban.data.devices import has_doubles, like, namespace, on_host, parts, take, to_double
from deciban.data.frame import Floats
from deciban.data.rows import Rows
from deciban.data.samples import check_sample_weight
from deciban.data.validation import assert_all_finite, check_consistent_length, column_or_1d
from deciban.errors import DataError

# Of larger numbers the squares of a sum of products would leave the range of a float64.
_LARGEST = 1e100


def check_rows(model: Estimator, X: Any, reset: bool = True) -> Any:
    """Return X (N, d) of finite float32 or float64, by scikit-learn's rules and in its words; with `reset` the model
    learns how many features there are."""
    X = _reals(X)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: reshape it to (n, d)")
    n, d, name = int(X.shape[0]), int(X.shape[1]), type(model).__name__
    for count, of in ((n, "sample"), (d, "feature")):
        if not count:
            least = f"a minimum of 1 is required by {name}"
            raise ValueError(f"Found array with 0 {of}(s) (shape=({n}, {d})) while {least}.")
    if reset:
        model.__dict__.pop("feature_names_in_", None)
        model.n_features_in_ = d
    elif d != model.n_features_in_:
        raise ValueError(f"X has {d} features, but {name} is expecting {model.n_features_in_} features as input.")
    for rows in parts(X):
        _check(take(X, rows), rows.start)
    return X


def _reals(X: Any) -> Any:
    xp = namespace(X)
    X = X.detach() if hasattr(X, "detach") else X  # torch would keep what gradients need
    if X.dtype in (xp.float32, xp.float64):
        return X
    if xp.isdtype(X.dtype, "complex floating"):
        raise ValueError(f"Complex data not supported: X holds {X.dtype} values")
    return xp.astype(X, xp.float64 if has_doubles(X) else xp.float32)


def _check(part: Any, first: int) -> None:
    """Refuse what is not finite, or too large to be multiplied, by its place."""
    xp = namespace(part)
    right = xp.isfinite(part)
    if part.dtype == xp.float64:
        right = xp.logical_and(right, xp.abs(part) <= _LARGEST)
    if bool(xp.all(right)):
        return
    wrong = xp.astype(xp.logical_not(right), xp.int32)
    i, j = divmod(int(xp.argmax(xp.reshape(wrong, (-1,)))), int(part.shape[1]))
    value, where = float(part[i, j]), f"row {first + i}, feature {j}"
    if np.isfinite(value):
        raise DataError(
            f"{where} is {value:g}; sizes up to {_LARGEST:g} are expected: give the feature in a larger unit"
        )
    what = "NaN" if np.isnan(value) else "infinity"
    raise DataError(f"Input X contains {what}: {where}; fill the value in, or leave the row out")


def targets(X: Any, y: Any, numeric: bool) -> Any:
    """Return y (N,) on the host, one a row, finite."""
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return y.astype(np.float64) if numeric and y.dtype.kind == "O" else y


def repetitions(sample_weight: ArrayLike | None, X: Rows) -> Floats:
    """Return (N,) how often each item counts, on the host."""
    return check_sample_weight(sample_weight, X)


def weigh_mean(X: Any, weight: Floats) -> Floats:
    """Return (d,) Σ w_i x_i / Σ w_i, on the host."""
    total = np.zeros(int(X.shape[1]))
    for rows in parts(X):
        part = to_double(take(X, rows))
        share = weight[rows] if isinstance(part, np.ndarray) else like(weight[rows], part)
        total += on_host(namespace(part).matmul(share, part))
    mean: Floats = total / weight.sum()
    return mean


def weigh_moments(X: Any, share: Floats) -> tuple[float, float]:
    """Return Σ_i share_i Σ_j x_ij, and the same sum of (x_ij − that)²."""

    def over(of: Callable[[Any], Any]) -> float:
        total = 0.0
        for rows in parts(X):
            part = to_double(take(X, rows))
            total += float(share[rows] @ on_host(namespace(part).sum(of(part), axis=1)))
        return total

    mean = over(lambda part: part)
    return mean, over(lambda part: (part - mean) ** 2)
