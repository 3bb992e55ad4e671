"""scikit-learn's checks of rows, labels and fitted models; in a few steps where there is little to convert.

An array of numbers whose names nobody knows, or lists of them, need none of its checks: they would look at it for some
100 microseconds, as long as a fit of few rows takes, and the import of scikit-learn takes longer than most fits. All
else goes to scikit-learn, and so does all that is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .labels import distinct_texts
from .refusal import refuse_lazy
from .rows import is_sparse

# Options that change nothing about a plain array, but what `_ready` does.
_KNOWN = frozenset(
    (
        "accept_large_sparse",
        "accept_sparse",
        "dtype",
        "ensure_2d",
        "ensure_all_finite",
        "multi_output",
        "input_name",
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
    refuse_lazy(X)
    rows = _ready(X, options)
    targets = tuple(_ready_target(each, rows, options.get("multi_output", False)) for each in y)
    known = hasattr(model, "feature_names_in_")
    if rows is None or len(y) > 1 or any(each is None for each in targets) or known:
        return _validate_data(model, X, *y, **options)
    if options.get("reset", True):
        model.n_features_in_ = rows.shape[1]
    elif vars(model).get("n_features_in_") != rows.shape[1]:
        return _validate_data(model, X, *y, **options)
    return (rows, *targets) if y else rows


def _validate_data(model: Any, X: Any, *y: Any, **options: Any) -> Any:
    from sklearn.utils import validation

    return validation.validate_data(model, X, *y, **options)


def _ready(X: Any, options: dict[str, Any]) -> Any:
    """Return what scikit-learn would return of numbers without names, in an array, in lists or in CSR; else None."""
    if not options.keys() <= _KNOWN:
        return None
    flat = not options.get("ensure_2d", True)
    if type(X) is list:
        X = _of_labels(X) if flat and X and type(X[0]) is not list else _of_lists(X)
    sparse = is_sparse(X) and X.format == "csr" and _takes_csr(X, options)
    if not (sparse or type(X) is np.ndarray) or 0 in X.shape or not (X.ndim == 2 or (flat and X.ndim == 1)):
        return None
    finite, dtype = options.get("ensure_all_finite", True), options.get("dtype", "numeric")
    if not X.dtype.isnative or (X.dtype.char not in "fd" and X.dtype.kind not in "biu"):
        return None
    if finite not in (True, False) or (finite and not _is_finite(X.data if sparse else X)):
        return None
    wanted = dtype if isinstance(dtype, list) else [dtype]
    if dtype not in ("numeric", None) and X.dtype not in wanted:
        X = X.astype(wanted[0])
    return X if sparse or options.get("order") is None else np.asarray(X, order=options["order"])


def _takes_csr(X: Any, options: dict[str, Any]) -> bool:
    takes = options.get("accept_sparse", False)
    large = options.get("accept_large_sparse", True) or X.indices.dtype == X.indptr.dtype == np.int32
    return bool(large) and (takes is True or takes == "csr" or (isinstance(takes, list | tuple) and "csr" in takes))


def _of_lists(X: list[Any]) -> Any:
    """Return rows of numbers as an array; None for what are none."""
    if not X or type(X[0]) is not list or not X[0] or type(X[0][0]) not in (int, float):
        return None
    try:
        return np.asarray(X)
    except ValueError:
        return None


def _ready_target(y: Any, X: Any, several: bool) -> Any:
    """Return the one array of targets that scikit-learn would return, also where `several` a row are allowed; else
    None."""
    if X is None or type(y) not in (list, np.ndarray):
        return None
    values = _of_labels(y) if type(y) is list else y
    if values is None or values.shape != (X.shape[0],):
        return None
    ready = values.dtype.kind in "biuU" or (values.dtype.char in "fd" and _is_finite(values))
    return (values if several else np.ascontiguousarray(values)) if ready else None


def _of_labels(y: list[Any]) -> Any:
    """Return labels of one type, of Python or of NumPy, as an array; else None."""
    types = set(map(type, y))
    if len(types) != 1 or not (types <= {str, int, float, bool} or issubclass(type(y[0]), np.generic)):
        return None
    labels = np.asarray(y)
    return labels if labels.dtype.kind in "biufU" else None


def _is_finite(values: NDArray[Any]) -> bool:
    """Return whether the sum, and so all values, are finite; where a sum of finite ones is not, scikit-learn looks."""
    if values.dtype.kind != "f":
        return True
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
    from sklearn.utils import validation

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
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biufU":
        return np.ascontiguousarray(y)
    labels = _of_labels(y) if type(y) is list else None
    if labels is not None:
        return labels
    from sklearn.utils import validation

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
    from sklearn.utils import multiclass

    multiclass.check_classification_targets(y)


def is_multilabel(y: Any) -> bool:
    """Return whether y (N, K) of 0 and 1 says of each of K labels whether an example has it: scikit-learn's
    "multilabel-indicator".

    Parameters
    ----------
    y : array-like
        Targets.

    Returns
    -------
    bool
        False for one label a row.
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biufU":
        return False
    if type(y) is list and _of_labels(y) is not None:
        return False
    from sklearn.utils.multiclass import type_of_target

    return bool(type_of_target(y) == "multilabel-indicator")


def check_consistent_length(*arrays: Any) -> None:
    """Raise ValueError for arrays of several lengths, as `sklearn.utils.check_consistent_length` does.

    Parameters
    ----------
    *arrays : array-like
        Arrays.
    """
    known = all(type(each) is list or (type(each) is np.ndarray and each.ndim) for each in arrays)
    if known and len(set(map(len, arrays))) <= 1:
        return
    from sklearn.utils import validation

    validation.check_consistent_length(*arrays)


def assert_all_finite(X: Any, *, input_name: str = "") -> None:
    """Raise ValueError for NaN and infinity, as `sklearn.utils.assert_all_finite` does.

    Parameters
    ----------
    X : array or sparse matrix
        Values.
    input_name : str, default=""
        What they are called.
    """
    if type(X) is np.ndarray and (X.dtype.kind in "biuUS" or (X.dtype.char in "fd" and _is_finite(X))):
        return
    from sklearn.utils import assert_all_finite

    assert_all_finite(X, input_name=input_name)


def check_array(X: Any, **options: Any) -> Any:
    """Return an array, as `sklearn.utils.check_array` does.

    Parameters
    ----------
    X : array-like or sparse matrix
        Values.
    **options : dict
        As scikit-learn's.

    Returns
    -------
    ndarray or sparse matrix
        The values.
    """
    ready = _ready(X, options)
    if ready is not None:
        return ready
    from sklearn.utils import validation

    return validation.check_array(X, **options)


def check_random_state(seed: Any) -> Any:
    """Return a generator of random numbers, as `sklearn.utils.check_random_state` does.

    Parameters
    ----------
    seed : int, RandomState instance or None
        Seed; None is that of NumPy.

    Returns
    -------
    RandomState
        The generator.
    """
    if type(seed) is int and 0 <= seed < 2**32:
        return np.random.RandomState(seed)
    from sklearn.utils import check_random_state

    return check_random_state(seed)


def not_fitted(text: str) -> Exception:
    """Return a `sklearn.exceptions.NotFittedError` with this text, to be raised.

    Parameters
    ----------
    text : str
        What is missing.

    Returns
    -------
    NotFittedError
        The error.
    """
    from sklearn.exceptions import NotFittedError

    return NotFittedError(text)  # type: ignore[no-any-return]


__all__ = [
    "assert_all_finite",
    "check_array",
    "check_classification_targets",
    "check_consistent_length",
    "check_is_fitted",
    "check_random_state",
    "column_or_1d",
    "is_column_of_texts",
    "is_multilabel",
    "not_fitted",
    "validate_data",
]
