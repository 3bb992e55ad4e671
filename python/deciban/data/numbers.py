"""Cells that should be numbers and are not, refused by where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from deciban.data.columns import Columns
from deciban.data.declared_types import Estimator
from deciban.data.devices import fetch
from deciban.data.frame import name_column
from deciban.data.rows import Rows, check_sparse, is_sparse
from deciban.data.validation import validate_data
from deciban.errors import DataError

# What scikit-learn and NumPy say of text.
_OF_TEXT = ("convert string to float", "bytes/strings")


@contextmanager
def text_refused(X: Rows, sentence: Callable[[Any], str]) -> Iterator[None]:
    """Raise a DataError with what `sentence` says of a column's name, where the block finds text in it."""
    try:
        yield
    except ValueError as error:
        if not any(words in str(error) for words in _OF_TEXT):
            raise
        columns = Columns.infer(X)
        named = zip(columns.names, columns.kinds, strict=True)
        found = [name for name, kind in named if kind == "category"]
        if not found:
            raise
        raise DataError(sentence(found[0])) from None


def numeric_rows(model: Estimator, X: Rows, *y: Any, **options: Any) -> Any:
    """Return X, or X and y, by scikit-learn's rules; a column of text is refused by its name."""
    with text_refused(X, lambda name: takes_numbers(model, name)):
        return validate_data(model, check_sparse(X), *y, **options)


def takes_numbers(model: Estimator, name: Any) -> str:
    """Return what is wrong with a column of text where a model takes numbers only."""
    return f"{name_column(name)} holds text, and {type(model).__name__} takes numbers: code it first (OneHotEncoder)"


def linear_rows(model: Estimator, X: Rows, *y: Any, **options: Any) -> Any:
    """Return X, or X and y, by scikit-learn's rules, X float64 or float32, dense or CSR; every cell is a finite number.
    Arrays of other libraries come as NumPy's."""
    options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_all_finite": False, **options}
    with text_refused(X, _weighs_numbers):
        checked = validate_data(model, check_sparse(fetch(X)), *map(fetch, y), **options)
    _refuse_infinite(checked[0] if y else checked, getattr(model, "feature_names_in_", None))
    return checked


def _weighs_numbers(name: Any) -> str:
    return f"{name_column(name)} holds text, and a linear model weighs numbers: code it first (OneHotEncoder)"


def _refuse_infinite(X: Any, names: Any) -> None:
    values = X.data if is_sparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return
    wrong = ~np.isfinite(values)
    if not wrong.any():
        return
    place = int(wrong.argmax())
    row, column = cell(X, place)
    what = "NaN" if np.isnan(values.flat[place]) else "infinity"
    feature = column if names is None else repr(names[column])
    raise DataError(
        f"Input X contains {what}: row {row}, feature {feature}; a linear model weighs finite numbers: fill the value "
        "in (SimpleImputer), or leave the row out"
    )


def cell(X: Any, place: int) -> tuple[int, int]:
    """Return row and column of the value that X, dense or CSR, stores at a place."""
    if not is_sparse(X):
        row, column = divmod(place, X.shape[1])
        return row, column
    return int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
