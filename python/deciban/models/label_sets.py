"""Least squares to several labels at once, each there or not: multi-label classification."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight

from deciban.data.devices import asked_on_host, fetched
from deciban.losses import Floats
from deciban.scores import Explanation

from ..data.transaction import all_or_nothing
from .least_squares import LinearRegression
from .linear import LinearClassifier

_SHARED = ("alpha", "fit_intercept", "solver", "tol", "max_iter", "time_limit", "callback", "random_state", "n_jobs")


def is_indicator(y: Any) -> bool:
    """Return whether y (N, L) says of each of L labels whether an example has it."""
    return getattr(y, "ndim", 0) == 2 and bool(type_of_target(y) == "multilabel-indicator")


class LearnsLabelSets(LinearClassifier):
    """A classifier by least squares that also takes y (N, L) of 0 and 1: one score a label, > 0 where it is there."""

    alpha: Any
    classes_: NDArray[Any]
    counts_: Any
    temperature_: Any
    _label_sets = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit labels y (N,), or a matrix y (N, L) of 0 and 1 that says which of L labels each example has.

        Parameters
        ----------
        X : (N, d) rows, dense or CSR.
        y : (N,) labels, or (N, L) of 0 and 1, dense or sparse: L separate problems of least squares to ±1, solved at
            once. There are then no probabilities, no explanations, and no learning in pieces.
        sample_weight : (N,) means repetition.

        Returns
        -------
        self : the model.

        Examples
        --------
        >>> from deciban import LeastSquaresClassifier
        >>> Y = [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0], [3.0]], Y)
        >>> model.predict([[0.0], [3.0]]).tolist()
        [[0, 1], [1, 0]]
        """
        given = fetched(y)
        given = given if hasattr(given, "ndim") or not _nested(given) else np.asarray(given)
        with all_or_nothing(self):
            self._label_sets = is_indicator(given)
            if not self._label_sets:
                super().fit(X, y, sample_weight)
                return self
            started = perf_counter()
            self._fit_label_sets(X, given, sample_weight)
            self._seconds = perf_counter() - started
        return self

    def _fit_label_sets(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._penalty()
        y = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        if not np.isin(y, (0, 1)).all():
            raise ValueError(f"y (N, L) must hold 0 and 1 for labels that are not there and there, got {np.unique(y)}")
        weight, signs = sample_weight, np.where(y > 0, 1.0, -1.0)
        if self.class_weight is not None:
            weight = _check_sample_weight(fetched(sample_weight), signs, dtype=np.float64)
            weight = weight * compute_sample_weight(self.class_weight, y)
        regression = LinearRegression(penalty="l2", **{name: getattr(self, name) for name in _SHARED})
        regression.fit(X, signs, weight)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(regression, name):
                setattr(self, name, getattr(regression, name))
        found = regression._learnt()
        self.classes_ = np.arange(y.shape[1])
        self.coef_, self.intercept_ = regression.coef_, regression.intercept_
        self.counts_, self.temperature_, self._declared = None, None, self.classes_[:0]
        self._kind, self.solution_, self._proof = regression._kind, list(found.solutions), found.proof
        self.n_iter_ = np.full(len(self.classes_), regression.n_iter_)

    @asked_on_host
    def predict(self, X: Any) -> NDArray[Any]:
        """(N,) the label of the largest score, of equal ones the first in `classes_`; or (N, L) of 0 and 1, where such
        a matrix was learnt: 1 where the score of the label is above 0."""
        if not self._label_sets:
            labels: NDArray[Any] = super().predict(X)
            return labels
        return np.asarray(self.decision_function(X) > 0.0, dtype=np.int64)

    def _scored(self, X: Any) -> Floats:
        if not self._label_sets:
            return super()._scored(X)
        from .weights import scored

        return scored(X, self._get_weights(), self.intercept_, self._threads())

    def _probabilistic(self) -> bool:
        return not self._label_sets

    def explain(self, X: Any, pair: tuple[Any, Any] | None = None) -> list[Explanation]:
        """Per row: the winner against its runner-up, or the first label of `pair` against the second, and the evidence
        of each feature in decibans, strongest first."""
        if self._label_sets:
            raise AttributeError("explanations are of one label against another: fit each label of a matrix alone")
        return super().explain(X, pair)


def _nested(y: Any) -> bool:
    """Whether a list holds lists."""
    return isinstance(y, list | tuple) and len(y) > 0 and isinstance(y[0], list | tuple | np.ndarray)
