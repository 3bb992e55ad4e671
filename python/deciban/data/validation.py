"""scikit-learn's checks of rows, labels and fitted models; in a few steps where there is nothing to convert.

An array of doubles or singles whose names nobody knows is what its checks return: they would look at it for some 100
microseconds, as long as a fit of few rows takes. All else goes to scikit-learn, and so does all that is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import multiclass, validation

from deciban.data.labels import distinct_texts

# Options of `validate_data` under which an array is returned as it is.
_KNOWN = frozenset(
    (
        "accept_large_sparse",
        "accept_sparse",
        "dtype",
        "ensure_all_finite",
        "multi_output",
        "order",
        "reset",
        "y_numeric",
    )
)
# Of more labels than so many scikit-learn looks whether they are measurements.
_FEW_LABELS = 20


def validate_data(model: Any, X: Any, *y: Any, **options: Any) -> Any:
    """Return X (N, d), or X and y (N,), by the rules of `sklearn.utils.validation.validate_data`.

    Parameters
    ----------
    model : estimator
        It gets `n_features_in_` and `feature_names_in_`, or is asked for them.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.
    *y : array-like of shape (n_samples,)
        Targets, if any.
    **options : dict
        As scikit-learn's.

    Returns
    -------
    ndarray or sparse matrix, or a tuple of it and y
        X, and y if it was given.
    """
    if not _is_ready(X, options) or (y and not _is_target(y, len(X))) or hasattr(model, "feature_names_in_"):
        return validation.validate_data(model, X, *y, **options)
    if options.get("reset", True):
        model.n_features_in_ = X.shape[1]
    elif vars(model).get("n_features_in_") != X.shape[1]:
        return validation.validate_data(model, X, *y, **options)
    return (X, *y) if y else X


def _is_ready(X: Any, options: dict[str, Any]) -> bool:
    """Return whether scikit-learn would return X itself."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.char not in "fd" or not X.dtype.isnative or not X.size:
        return False
    if not options.keys() <= _KNOWN or (options.get("order") is not None and not X.flags.c_contiguous):
        return False
    dtype = options.get("dtype", "numeric")
    if dtype != "numeric" and X.dtype not in (dtype if isinstance(dtype, list) else [dtype]):
        return False
    finite = options.get("ensure_all_finite", True)
    return finite is False or (finite is True and _is_finite(X))


def _is_target(y: tuple[Any, ...], count: int) -> bool:
    """Return whether scikit-learn would return the one array that is there as it is."""
    values = y[0]
    if len(y) > 1 or type(values) is not np.ndarray or values.shape != (count,) or not values.flags.c_contiguous:
        return False
    return values.dtype.kind in "biuU" or (values.dtype.char in "fd" and _is_finite(values))


def _is_finite(values: NDArray[Any]) -> bool:
    """Return whether the sum, and so all values, are finite; where a sum of finite ones is not, scikit-learn looks."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum(dtype=np.float64)))


def check_is_fitted(model: Any, attributes: str | None = None) -> None:
    """Raise `NotFittedError` unless the model is fitted, as `sklearn.utils.validation.check_is_fitted` does.

    Parameters
    ----------
    model : estimator
        The model.
    attributes : str, optional
        The attribute that a fit sets; by default any whose name ends in an underscore.

    Raises
    ------
    NotFittedError
        If it is not fitted.
    """
    known = getattr(model, "__dict__", {})
    if attributes in known or (attributes is None and any(name[-1] == "_" and name[0] != "_" for name in known)):
        return
    validation.check_is_fitted(model, attributes)


def is_column_of_texts(y: Any) -> bool:
    """Return whether targets are an array of Python's texts, of which nothing is left to check.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Targets.

    Returns
    -------
    bool
        Whether all of them are `str`.
    """
    if type(y) is not np.ndarray or y.ndim != 1 or y.dtype.kind != "O":
        return False
    texts = distinct_texts(y)
    return texts is not None and type(texts[0]) is str


def column_or_1d(y: Any, *, warn: bool = False) -> Any:
    """Return targets (N,), as `sklearn.utils.validation.column_or_1d` does.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, 1)
        Targets.
    warn : bool, default=False
        Whether to warn of a column.

    Returns
    -------
    ndarray of shape (n_samples,)
        The targets.

    Raises
    ------
    ValueError
        If they have another shape.
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.flags.c_contiguous and y.dtype.kind in "biufU":
        return y
    return validation.column_or_1d(y, warn=warn)


def check_classification_targets(y: Any) -> None:
    """Raise ValueError for targets that are no labels, as `sklearn.utils.multiclass.check_classification_targets` does.

    Whole numbers, truth values and text are labels; scikit-learn warns where most of many are different.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Targets.
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuUO" and len(y):
        texts = distinct_texts(y)
        if y.dtype.kind == "b" or (len(y) <= _FEW_LABELS and (texts is not None or y.dtype.kind != "O")):
            return
        if y.dtype.kind in "iu" and int(y.max()) - int(y.min()) < len(y) // 2:
            return
        if texts is not None and type(texts[0]) is str and len(texts) < len(y) // 2:
            return
    multiclass.check_classification_targets(y)


__all__ = ["check_classification_targets", "check_is_fitted", "column_or_1d", "is_column_of_texts", "validate_data"]
