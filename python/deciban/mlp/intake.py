"""Examples as networks take them, by scikit-learn's rules: rows dense, on any device, or CSR; labels or numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from deciban.data import device_rows
from deciban.data.capacity import require_room
from deciban.data.device_rows import repetitions
from deciban.data.devices import elsewhere, fetch, take
from deciban.data.digest import digest
from deciban.data.examples import RowExamples, arrays_of, class_weights, refuse_large, weigh_rows
from deciban.data.folds import hold_out_share
from deciban.data.numbers import numeric_rows
from deciban.data.rows import Rows, as_rows, is_sparse
from deciban.data.validation import check_array, check_consistent_length, column_or_1d, is_multilabel
from deciban.losses import Floats

from ..networks.batches import PART
from ..networks.batches import Rows as WeightedRows
from .settings import hidden_sizes

if TYPE_CHECKING:
    from .classifier import MLPClassifier
    from .estimator import NetworkModel


_REALS: Any = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C", "accept_large_sparse": True}
# Of larger targets the square would leave the range of a float32.
_LARGEST = 1e18


@dataclass(frozen=True)
class DataSummary:
    """Summary of the data for a certificate: n, the sum of the repetitions, counts by class, and a name for it all."""

    n: float
    class_counts: Mapping[Any, float]
    digest: str


@dataclass(frozen=True, eq=False, kw_only=True)
class NetworkExamples(RowExamples):
    """Labelled rows X (N, d) on any device, whose y may be (N, C) of 0 and 1."""

    @property
    def many(self) -> bool:
        """Return whether labels do not exclude each other."""
        return self.y.ndim == 2

    def rows(self, K: int, dtype: DTypeLike, among: Floats | None = None) -> WeightedRows:
        """Return them as a network of K outputs learns them: weights are 1 on average, or those `among` all of them
        are."""
        return WeightedRows(self.X, self.y, self.weight / (self.weight if among is None else among).mean(), K, dtype)

    def summarise(self) -> DataSummary:
        """Return the summary for a certificate."""
        counts = self.repetition @ self.y if self.many else np.bincount(self.y, self.repetition, len(self.classes))
        told = dict(zip(self.classes.tolist(), counts.tolist(), strict=True))
        return DataSummary(float(self.repetition.sum()), told, digest(*arrays_of(self.X), self.y, self.weight))

    def split(self, fraction: float, seed: int) -> tuple[NetworkExamples, NetworkExamples]:
        """Return some to learn from, and of each class about `fraction` to judge by."""
        groups = (
            [np.arange(len(self.y))] if self.many else [np.flatnonzero(self.y == c) for c in range(len(self.classes))]
        )
        held = hold_out_share(groups, fraction, seed)
        return self.only(~held), self.only(held)

    def take(self, places: NDArray[np.intp]) -> Any:
        return take(self.X, places)


def check_labelled(model: MLPClassifier, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None) -> NetworkExamples:
    """Check and count examples; rows of weight 0 are as if they were not there."""
    X, y = _both(model, X, y, reset=True)
    if is_multilabel(y):
        return _many(model, X, y, sample_weight)
    y = column_or_1d(y, warn=True)
    counted = weigh_rows(model, y if elsewhere(X) else X, y, fetch(sample_weight))
    X = X if counted.kept is None else take(X, counted.kept)
    before = hidden_sizes(model.hidden_layer_sizes) or (model.n_features_in_,)
    require_room(len(counted.classes), 2.0 * len(counted.y) + 8.0 * before[-1])
    return NetworkExamples(X=X, **counted.fields())


def of_known_labels(
    model: MLPClassifier, X: Any, y: Any, sample_weight: Any, labels: NDArray[Any], what: str
) -> NetworkExamples:
    """Return more examples, of the given labels alone; `what` they are called where one has another label."""
    X, y = _both(model, X, y, reset=False)
    repetition = repetitions(sample_weight, X)
    if model.multilabel_:
        found = _many(model, X, y, sample_weight)
        if found.y.shape[1] != len(labels):
            raise ValueError(f"{what} has {found.y.shape[1]} labels a row; {len(labels)} are expected")
        return replace(found, classes=labels)
    y = column_or_1d(y, warn=True)
    place = np.minimum(np.searchsorted(labels, y), len(labels) - 1) if _alike(y, labels) else np.zeros(len(y), np.intp)
    foreign = labels[place] != y if _alike(y, labels) else np.ones(len(y), bool)
    if foreign.any():
        told = np.unique(y[foreign]).tolist()[:5]
        raise ValueError(f"{what} has the labels {told}, which are none of the classes {_few(labels)}")
    kept = np.flatnonzero(repetition)
    weight = repetition * class_weights(model.class_weight, labels, place, repetition)[place]
    if len(kept) < len(y):
        X, place, repetition, weight = take(X, kept), place[kept], repetition[kept], weight[kept]
    if not len(kept):
        raise ValueError(f"{what} has no example of a weight above 0")
    return NetworkExamples(X=X, y=place, classes=labels, weight=weight, repetition=repetition)


def _few(labels: NDArray[Any]) -> str:
    told = labels.tolist()
    return str(told) if len(told) <= 10 else f"{told[:10]} and {len(told) - 10} more"


def _alike(y: NDArray[Any], labels: NDArray[Any]) -> bool:
    """Return whether labels can be put in one order."""
    return ((y.dtype.kind in "UST") == (labels.dtype.kind in "UST") and y.dtype.kind != "O") or y.dtype == labels.dtype


def _both(model: NetworkModel, X: Rows, y: ArrayLike, reset: bool) -> tuple[Any, Any]:
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: give a label for each row")
    if elsewhere(X):
        X, y = device_rows.check_rows(model, X, reset), fetch(y)
        check_consistent_length(X, y)
        return X, y
    X, y = numeric_rows(model, X, fetch(y), reset=reset, multi_output=True, **_REALS)
    return as_rows(X), y


def _many(model: MLPClassifier, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None) -> NetworkExamples:
    if model.class_weight is not None:
        raise ValueError("class_weight is for classes that exclude each other; many labels a row are weighed by row")
    if not is_multilabel(y):
        raise ValueError("many labels a row are expected as (N, K) of 0 and 1")
    repetition = repetitions(sample_weight, X)
    kept = np.flatnonzero(repetition)
    if not len(kept):
        raise ValueError("no example has a weight above 0")
    y = np.asarray(y.toarray() if hasattr(y, "toarray") else y, dtype=np.float64)
    labels = np.arange(y.shape[1])
    if len(kept) < len(y):
        X, y, repetition = take(X, kept), y[kept], repetition[kept]
    return NetworkExamples(X=X, y=y, classes=labels, weight=repetition, repetition=repetition)


@dataclass(frozen=True)
class NumericTargets:
    """X (N, d), targets Y (N, K), weight (N,) > 0; `single` where y came as (N,)."""

    X: Any
    Y: Floats
    weight: Floats
    single: bool

    def rows(self, K: int, dtype: DTypeLike, among: Floats | None = None) -> WeightedRows:
        """Return them as a network of K outputs learns them: weights are 1 on average, or those `among` all of them
        are."""
        return WeightedRows(self.X, self.Y, self.weight / (self.weight if among is None else among).mean(), K, dtype)

    def summarise(self) -> DataSummary:
        """Return the summary for a certificate."""
        return DataSummary(float(self.weight.sum()), {}, digest(*arrays_of(self.X), self.Y, self.weight))

    @property
    def repetition(self) -> Floats:
        """(N,) how often each row counts."""
        return self.weight

    def split(self, fraction: float, seed: int) -> tuple[NumericTargets, NumericTargets]:
        """Return some to learn from, and about `fraction` to judge by."""
        held = hold_out_share([np.arange(len(self.Y))], fraction, seed)
        return self._only(np.flatnonzero(~held)), self._only(np.flatnonzero(held))

    def _only(self, places: NDArray[np.intp]) -> NumericTargets:
        return NumericTargets(take(self.X, places), self.Y[places], self.weight[places], self.single)


def responses(model: Any, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None, reset: bool = True) -> NumericTargets:
    """Return rows with targets, checked; those of weight 0 are as if they were not there."""
    X, y = _both(model, X, y, reset)
    Y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    if np.abs(Y).max() > _LARGEST:
        raise ValueError(f"targets up to {_LARGEST:g} are expected, got {np.abs(Y).max():g}: take a larger unit")
    weight = repetitions(sample_weight, X)
    kept = np.flatnonzero(weight)
    if not len(kept):
        raise ValueError("at least one example of weight above 0 is expected; every sample_weight is 0")
    single, Y = Y.ndim == 1, Y.reshape(len(Y), -1)
    if len(kept) < len(Y):
        X, Y, weight = take(X, kept), Y[kept], weight[kept]
    return NumericTargets(X, Y, weight, single)


Given = NetworkExamples | NumericTargets


def width(X: Any) -> int:
    """Return the number of features of the rows of X."""
    shape = np.shape(X) if not hasattr(X, "shape") else X.shape
    if len(shape) != 2:
        raise ValueError(f"Expected 2D array, got {len(shape)}D array instead: a batch is rows of features")
    return int(shape[1])


def mean_row(given: Given) -> Floats | None:
    """Return the mean example, against which features are weighed; None for zeros, where rows are sparse."""
    if is_sparse(given.X):
        return None
    if elsewhere(given.X):
        return device_rows.weigh_mean(given.X, given.repetition)
    total = np.zeros(given.X.shape[1])
    weight = given.repetition.astype(given.X.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(0, len(weight), PART):  # sums of few rows keep their digits in float32
            total += weight[i : i + PART] @ given.X[i : i + PART]
    mean: Floats = total / given.repetition.sum()
    if not np.isfinite(mean).all():  # of numbers as large as their type has
        mean = np.average(refuse_large(given.X), axis=0, weights=given.repetition)
    return mean


def check_to_predict(model: NetworkModel, X: Rows, reset: bool = False) -> Any:
    """Return X (N, d) to be judged, by scikit-learn's rules."""
    if elsewhere(X):
        return device_rows.check_rows(model, X, reset)
    return as_rows(numeric_rows(model, X, reset=reset, **_REALS))


def row(X: Any, i: int) -> Any:
    """Return one row of X, (1, d), on the host."""
    return fetch(take(X, [i])) if elsewhere(X) else X[[i]]
