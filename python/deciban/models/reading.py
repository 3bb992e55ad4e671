"""From what people bring to a matrix, class indices and weights, as scikit-learn's rules ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.columns import Columns
from deciban.data.devices import fetch
from deciban.data.frame import columns_of
from deciban.data.labels import places
from deciban.data.rows import Rows, check_sparse, native
from deciban.data.samples import check_sample_weight, take_rows
from deciban.data.validation import (
    assert_all_finite,
    check_classification_targets,
    check_consistent_length,
    column_or_1d,
    is_column_of_texts,
    validate_data,
)
from deciban.distributions import Distribution
from deciban.distributions.counts import Floats

from ..data.numbers import takes_numbers, text_refused
from .likelihoods import check_likelihood, infer, needs_types, not_of_text

if TYPE_CHECKING:
    from .generative import Generative


class Reading(NamedTuple):
    """X (N, d) of numbers, y (N,) indices into `labels`, weight (N,) or None for 1 each, and how X was read.

    `declared` are by column the categories that its type declares, so that they are known without being seen.
    """

    X: Any
    y: NDArray[np.intp]
    weight: Floats | None
    labels: NDArray[Any]
    columns: Columns | None
    family: Distribution
    declared: tuple[frozenset[Any], ...] = ()


_NOBODY = np.zeros(0, dtype=np.intp)


def to_judge(model: Any, X: Rows) -> tuple[Any, Distribution]:
    """Return X as a matrix of numbers, columns matched with what was learnt, and the distribution it is judged by."""
    X, family = fetch(X), model._family()
    if model.columns_ is not None:
        return model.columns_.matrix(X), family
    return _check_numbers(model, X, reset=False), family


def to_learn(model: Any, X: Any, y: Any, sample_weight: Any, first: bool) -> Reading:
    """Return X, y and the weights to be learnt or forgotten; rows of weight 0 are left out.

    `first` says that the features are to be learnt, not matched. Infinities are left to the distribution.
    """
    X, y, sample_weight = fetch(X), fetch(y), fetch(sample_weight)
    check_likelihood(getattr(model, "likelihood", None))
    known = None if first else model.columns_
    if needs_types(getattr(model, "likelihood", None), X) if first else known is not None:
        return _read_typed(model, X, y, sample_weight, known)
    family = model._family()
    if is_column_of_texts(y):
        X = _check_numbers(model, X, reset=first)
        check_consistent_length(X, y)
    else:
        X, y = _check_numbers(model, X, y, reset=first)
        y = _targets(y)
    weight = _weights(sample_weight, X)
    if weight is not None and not weight.all():
        family.statistic(X)  # refuses what is outside the support, by the row numbers of the user
        counted = weight > 0.0
        X, y, weight = X[counted], y[counted], weight[counted]
    labels, index = places(y)
    return Reading(X, index, weight, labels, None, family)


def _check_numbers(model: Generative, X: Rows, *y: Any, reset: bool) -> Any:
    """Return X, or X and y, by scikit-learn's rules; a column of text is refused by its name."""
    with text_refused(X, lambda name: _not_numbers(model, name)):
        checked = validate_data(
            model, native(check_sparse(X)), *y, accept_sparse="csr", ensure_all_finite=False, reset=reset
        )
        matrix = native(checked[0] if y else checked)
        if matrix.dtype.kind == "O":
            matrix = matrix.astype(np.float64)
    return (matrix, checked[1]) if y else matrix


def _not_numbers(model: Generative, name: object) -> str:
    """Return what is wrong with a column of text, and which of the options that the model has would take it."""
    if not hasattr(model, "likelihood"):
        return f"{takes_numbers(model, name)}, or use NaiveBayes('auto')"
    return not_of_text(name, getattr(model.likelihood, "name", model.likelihood))


def _read_typed(model: Any, X: Any, y: Any, sample_weight: Any, known: Columns | None) -> Reading:
    """Return each column by its type as first seen; new categories become known."""
    y = _targets(y)
    check_consistent_length(X, y)
    weight = _weights(sample_weight, y)
    if weight is not None and not weight.all():
        counted = np.flatnonzero(weight)
        X, y, weight = take_rows(X, counted), y[counted], weight[counted]
    table = columns_of(X)
    if known is None:
        columns = infer(model.likelihood, table)
        model.n_features_in_ = len(columns.names)
        if all(isinstance(name, str) for name in columns.names):
            model.feature_names_in_ = np.array(columns.names, dtype=object)
    else:
        columns = known.widen(table)
    declared = tuple(frozenset(column.declared or ()) for column in table.columns) or (frozenset(),) * len(table.names)
    labels, index = places(y)
    matrix = columns.matrix(table)
    return Reading(matrix, index, weight, labels, columns, model._family(columns), declared)


def _targets(y: Any) -> NDArray[Any]:
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: give a label for each row")
    y = native(np.asarray(column_or_1d(y, warn=True)))
    assert_all_finite(y, input_name="y")
    if y.dtype.kind not in "biuUS":  # those are labels, whatever their values
        check_classification_targets(y)
    targets: NDArray[Any] = y
    return targets


def _weights(sample_weight: ArrayLike | None, rows: Rows) -> Floats | None:
    """Return (N,) weights ≥ 0, or None where every row weighs 1."""
    if sample_weight is None:
        return None
    weight: Floats = check_sample_weight(sample_weight, rows)
    return weight
