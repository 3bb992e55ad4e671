"""Least squares to several labels at once, each there or not: multi-label classification."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.devices import ask_on_host, fetch
from deciban.data.rows import Rows
from deciban.data.samples import check_sample_weight
from deciban.data.validation import is_multilabel
from deciban.losses import Floats
from deciban.scores import Explanation
from deciban.verdict import Pair

from ..data.transaction import all_or_nothing
from .least_squares import LinearRegression
from .linear import LinearClassifier

if TYPE_CHECKING:
    from sklearn.utils import Tags

_SHARED = ("alpha", "fit_intercept", "solver", "tol", "max_iter", "time_limit", "callback", "random_state", "n_jobs")


def is_indicator(y: ArrayLike) -> bool:
    """Return whether y (N, L) says of each of L labels whether an example has it."""
    return getattr(y, "ndim", 0) == 2 and is_multilabel(y)


class LearnsLabelSets(LinearClassifier):
    """A classifier by least squares that also takes y (N, L) of 0 and 1: one score a label, > 0 where it is there."""

    alpha: float
    _label_sets = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model to labels, or to a matrix of 0 and 1 of many labels.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Labels; or 0 and 1, dense or sparse: separate problems of least squares to ±1, solved at once. There are
            then no probabilities, no explanations, and no learning in pieces.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        estimator
            The fitted estimator itself.

        Examples
        --------
        >>> from deciban import LeastSquaresClassifier
        >>> Y = [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0], [3.0]], Y)
        >>> model.predict([[0.0], [3.0]]).tolist()
        [[0, 1], [1, 0]]
        """
        given = fetch(y)
        given = given if hasattr(given, "ndim") or not _is_nested(given) else np.asarray(given)
        with all_or_nothing(self):
            self._label_sets = is_indicator(given)
            if not self._label_sets:
                super().fit(X, y, sample_weight)
                return self
            started = perf_counter()
            self._fit_label_sets(X, given, sample_weight)
            self._seconds = perf_counter() - started
        return self

    def _fit_label_sets(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        self._penalty()
        y = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        if not np.isin(y, (0, 1)).all():
            raise ValueError(f"y (N, L) must hold 0 and 1 for labels that are not there and there, got {np.unique(y)}")
        weight, signs = sample_weight, np.where(y > 0, 1.0, -1.0)
        if self.class_weight is not None:
            from sklearn.utils import compute_sample_weight

            weight = check_sample_weight(sample_weight, signs)
            weight = weight * compute_sample_weight(self.class_weight, y)
        regression = LinearRegression(penalty="l2", **{name: getattr(self, name) for name in _SHARED})
        regression.fit(X, signs, weight)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(regression, name):
                setattr(self, name, getattr(regression, name))
        found = regression._derive_fit()
        self.classes_ = np.arange(y.shape[1])
        self.coef_, self.intercept_ = regression.coef_, regression.intercept_
        self.counts_, self.temperature_, self._declared = None, None, self.classes_[:0]
        self._kind, self.solution_, self._proof = regression._kind, list(found.solutions), regression._prove()
        self.n_iter_ = np.full(len(self.classes_), regression.n_iter_)

    @ask_on_host
    def predict(self, X: Rows) -> NDArray[Any]:
        """Predict the label of the largest score; of equal ones the first in `classes_`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
            Labels; of many labels 1 where the score of the label is above 0, else 0.
        """
        if not self._label_sets:
            labels: NDArray[Any] = super().predict(X)
            return labels
        return np.asarray(self.decision_function(X) > 0.0, dtype=np.int64)

    def _score(self, X: Rows) -> Floats:
        if not self._label_sets:
            return super()._score(X)
        from .weights import score_rows

        return score_rows(X, self._get_weights(), self.intercept_, self._threads())

    def _probabilistic(self) -> bool:
        return not self._label_sets

    def explain(self, X: Rows, *, pair: Pair | None = None) -> list[Explanation]:
        """Explain the predictions of examples by the evidence of each feature.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        pair : tuple of (label, label), optional
            Two labels: the evidence is for the first against the second. By default it is for the winner against its
            runner-up.

        Returns
        -------
        list of Explanation
            The explanation of each example, in decibans, the strongest terms first.

        Raises
        ------
        AttributeError
            If the model was fitted to many labels.
        """
        if self._label_sets:
            raise AttributeError("explanations are of one label against another: fit each label of a matrix alone")
        return super().explain(X, pair=pair)


def _is_nested(y: ArrayLike) -> bool:
    """Return whether a list holds lists."""
    return isinstance(y, list | tuple) and len(y) > 0 and isinstance(y[0], list | tuple | np.ndarray)
