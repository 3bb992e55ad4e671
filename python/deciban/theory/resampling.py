"""Rows drawn, models fitted to them, and what their errors are called."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import on_host

Floats = NDArray[np.float64]
HELD_OUT = 0.25
_FEWEST = 4
NAMES = {"zero-one": "share of errors", "squared": "mean squared error"}


def labels(X: Any, told: Any) -> NDArray[Any]:
    """y (N,) as an array, as many as there are rows X, or a ValueError."""
    from sklearn.utils import check_consistent_length

    y: NDArray[Any] = np.asarray(on_host(told, None))
    if y.ndim != 1:
        raise ValueError(f"y must be a list of labels or targets, got an array of shape {y.shape}")
    check_consistent_length(X, y)
    if len(y) < _FEWEST:
        raise ValueError(f"{_FEWEST} examples are needed at least, to hold some out; there are {len(y)}")
    return y


def loss_of(model: Any, loss: str | None) -> str:
    """The loss that is asked for, or that the model is judged by."""
    from sklearn.base import is_classifier

    if loss is None:
        return "zero-one" if is_classifier(model) else "squared"
    if loss not in NAMES:
        raise ValueError(f"loss must be one of {', '.join(map(repr, NAMES))}, got {loss!r}")
    return loss


def mean_loss(truth: NDArray[Any], told: Any, loss: str) -> float:
    """The mean of [told ≠ truth] or of (told − truth)²."""
    told = np.asarray(on_host(told, None))
    return float((told != truth).mean() if loss == "zero-one" else np.square(told - truth).mean())


def fitted(model: Any, X: Any, y: NDArray[Any], rows: NDArray[np.intp]) -> Any:
    """A clone of the model that learnt these rows."""
    from sklearn.base import clone

    return clone(model).fit(taken(X, rows), y[rows])


def taken(X: Any, rows: NDArray[np.intp]) -> Any:
    """Rows of an array, dense or sparse, a data frame or a list."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def order(y: NDArray[Any], random: np.random.Generator, stratified: bool) -> NDArray[np.intp]:
    """Rows in an order of chance; where stratified, the first m have the classes in proportion, for every m."""
    if not stratified:
        return random.permutation(len(y))
    place = np.empty(len(y))
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        place[rows] = (random.permutation(len(rows)) + random.random()) / len(rows)
    return np.lexsort((random.random(len(y)), place))


def apart(y: NDArray[Any], random: np.random.Generator, stratified: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from, in an order of chance, and a quarter held out."""
    rows = order(y, random, stratified)
    held_out = max(1, round(HELD_OUT * len(y)))
    return rows[held_out:], rows[:held_out]
