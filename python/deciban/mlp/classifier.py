"""The multilayer perceptron as a classifier: layers of units, learnt by back-propagation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.attached import FindsLabelErrors, Reports, StatesBounds
from deciban.data.declared_types import parameters
from deciban.data.devices import answers
from deciban.data.mixins import ClassifierMixin
from deciban.data.rows import Rows
from deciban.data.validation import check_is_fitted
from deciban.losses import Floats
from deciban.scores import Explanation, NetworkScore, log_posterior, posterior
from deciban.solvers.problem import Callback
from deciban.verdict import Pair

from ..networks.layers import Error, LogisticOutput, Output, Softmax, pair_output
from ..networks.measures import Wrong
from .intake import Given, check_labelled, check_to_predict, of_known_labels, row
from .streams import LearnsOn

if TYPE_CHECKING:
    from sklearn.utils import Tags


@parameters
class MLPClassifier(Reports, FindsLabelErrors, StatesBounds, ClassifierMixin, LearnsOn):
    """Multilayer perceptron: a neural network of fully connected layers, trained by back-propagation.

        s_j = Σ_i w_ji h_i + b_j,    h_j = σ(s_j),      from h = x up to the outputs
        min over w, b of   Σ_n c_n 𝓔_n / Σ c + ½ λ Σ w²

    It is not convex: another seed may find another minimum. The same data and seed give the same bytes on one machine.
    Scale the features: large ones dominate the first layer. Rumelhart, Hinton & Williams (1986).

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int, default=(128,)
        Number of units of each hidden layer, from below; a number is one layer, () is logistic regression.
    activation : {"relu", "tanh", "logistic", "identity"}, default="relu"
        Activation σ of the hidden units.
    output : {"softmax", "logistic"}, default="softmax"
        Probabilities of classes that exclude each other; or each class, or each of many labels, by itself, which for
        two classes is one unit.
    error : {"cross_entropy", "squared"}, default="cross_entropy"
        Error 𝓔.
    solver : {"adam", "descent", "lbfgs"}, default="adam"
        Adam, or gradient descent with momentum, in batches; or L-BFGS on all examples at once, in float64 until it has
        ended, which ignores batch_size, learning_rate, schedule and momentum. With L-BFGS, and with `batch_size=None`,
        a weight of 2 is the example twice, to rounding; in smaller batches an example that comes twice is drawn twice,
        and another minimum may be found.
    learning_rate : float, optional
        Learning rate η of the first epoch. By default 0.001 for Adam, 0.1 for descent.
    schedule : {"constant", "inverse", "cosine", "plateau"} or callable, default="constant"
        Learning rate by epoch (`deciban.networks.optimizers`).
    momentum : float, default=0.9
        Share of the last step that goes into the next, for "descent".
    nesterov : bool, default=False
        Whether momentum is by Nesterov's rule.
    batch_size : int or None, default=128
        Number of examples of a step; None is all of them, 1 stochastic gradient descent.
    max_iter : int, default=200
        Largest number of epochs; of "lbfgs" iterations.
    tol : float, default=1e-4
        Training stops when the error, of validation data or else with the penalty, has not fallen by this share for
        `n_iter_no_change` epochs; the weights are those of the best epoch. Of "lbfgs" the largest component of the
        gradient that may be left.
    n_iter_no_change : int, default=10
        Number of epochs without progress.
    weight_decay : float, default=0.0
        Strength λ of the penalty; biases are not penalised.
    dropout : float, default=0.0
        Share of hidden units that are left out for an example.
    clip_norm : float, optional
        Largest norm of the gradient of a step.
    weight_averaging : float, optional
        Factor ρ of an exponential moving average of the weights, which is used for predictions then.
    early_stopping : bool, default=False
        Whether the error of held-out examples decides when to stop; `fit` takes validation data of your own, too.
    validation_fraction : float, default=0.1
        Share of the examples that is held out for it.
    time_limit : float, optional
        Largest number of seconds.
    callback : callable, optional
        Called as `callback(epoch, error, validation_error)`, NaN without validation data; training stops when it
        returns something true.
    warm_start : bool, default=False
        Whether `fit` starts at the last weights.
    class_weight : "balanced" or mapping of label to float, optional
        Weights of classes; "balanced" is n / (C·n_c).
    random_state : int, RandomState instance or None, default=None
        Seed of the first weights and of the order of examples; None is 0.
    dtype : {"float32", "float64"}, default="float32"
        Precision of the weights.
    shuffle : bool, default=True
        Whether each epoch has an order of its own.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    multilabel_ : bool
        Whether an example has many labels.
    coefs_ : list of ndarray
        Weights (units below, units) of each layer.
    intercepts_ : list of ndarray
        Biases of each layer.
    history_ : list of Epoch
        Errors and gradient norms of each epoch.
    n_iter_ : int
        Number of epochs.
    loss_ : float
        Mean error in the end, without the penalty.
    loss_curve_ : list of float
        Mean error of each epoch.
    best_loss_ : float
        Lowest of them.
    n_layers_ : int
        Number of layers.
    n_outputs_ : int
        Number of outputs.
    out_activation_ : str
        Activation of the outputs.
    status_ : Ending
        How training ended.
    scorer_ : NetworkScore
        The compiled score.
    certificate_ : Certificate
        Gradient norm, dead units and vanished gradients, and how training ended.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> either = MLPClassifier(hidden_layer_sizes=(8,), learning_rate=0.05, random_state=0)
    >>> either = either.fit(X, ["same", "other", "other", "same"])
    >>> either.predict(X).tolist(), round(float(either.predict_proba(X).max(axis=1).min()), 1)
    (['same', 'other', 'other', 'same'], 1.0)
    """

    hidden_layer_sizes: int | Sequence[int] = (128,)
    activation: str = "relu"
    output: str = "softmax"
    _: KW_ONLY
    error: str = "cross_entropy"
    solver: str = "adam"
    learning_rate: float | None = None
    schedule: Any = "constant"
    momentum: float = 0.9
    nesterov: bool = False
    batch_size: int | None = 128
    max_iter: int = 200
    tol: float = 1e-4
    n_iter_no_change: int = 10
    weight_decay: float = 0.0
    dropout: float = 0.0
    clip_norm: float | None = None
    weight_averaging: float | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    time_limit: float | None = None
    callback: Callback | None = None
    warm_start: bool = False
    class_weight: Mapping[Any, float] | str | None = None
    random_state: int | np.random.RandomState | None = None
    dtype: str = "float32"
    shuffle: bool = True
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    # Learning.

    def _head(self) -> tuple[Output, Error]:
        name = "logistic" if getattr(self, "multilabel_", False) and self.output == "softmax" else self.output
        return pair_output(name, self.error, Softmax, LogisticOutput)

    def _units(self) -> int:
        C = len(self.classes_)
        return 1 if C == 2 and self.output == "logistic" and not self.multilabel_ else C

    def _meet(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None) -> Given:
        given = check_labelled(self, X, y, sample_weight)
        self.classes_, self.multilabel_ = given.classes, given.many
        return given

    def _more(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None, what: str) -> Given:
        return of_known_labels(self, X, y, sample_weight, self.classes_, what)

    def _declare(self, classes: ArrayLike | None, y: ArrayLike) -> None:
        if classes is None:
            raise ValueError("classes must be given, all labels that may come: the first batch may lack some")
        self.multilabel_ = getattr(y, "ndim", np.ndim(y)) == 2
        self.classes_ = self._check_classes(classes)
        if len(self.classes_) < 2 and not self.multilabel_:
            raise ValueError(f"at least two classes are expected; classes are {self.classes_.tolist()} (1 class)")

    def _check_classes(self, classes: ArrayLike) -> NDArray[Any]:
        """Return classes that exclude each other in their order; of many labels a row names, in that of their
        columns."""
        sorted_: NDArray[Any] = np.unique(np.asarray(classes))
        if not self.multilabel_:
            return sorted_
        names = np.asarray(classes)
        if names.ndim != 1 or len(names) != len(sorted_):
            raise ValueError(f"classes must be a name for each column of y, no two alike, got {names.tolist()}")
        return names

    def _see(self, X: Rows) -> None:
        check_to_predict(self, X, reset=True)

    def _same(self, classes: ArrayLike) -> None:
        if not np.array_equal(self._check_classes(classes), self.classes_):
            raise ValueError(f"classes are {self.classes_.tolist()} since the first call; no others can come")

    def _wrong(self) -> Wrong:
        return Wrong("label" if self.multilabel_ or self._units() == 1 else "class")

    def fit_batches(self, batches: Iterable[Any], classes: ArrayLike, validation: Sequence[Any] | None = None) -> Self:
        """Train on batches that need not fit memory together, a step each.

        `batch_size` and `early_stopping` have no effect.

        Parameters
        ----------
        batches : iterable of (X, y) or (X, y, weight)
            Batches, iterated anew each epoch, in their order; an iterator lasts for one.
        classes : array-like
            All labels that may come; for many labels a row their names.
        validation : tuple of (X, y) or (X, y, weight), optional
            Validation data, whose error is watched: the epoch with the lowest counts.

        Returns
        -------
        MLPClassifier
            The fitted estimator itself.
        """
        return self._fit_batches(batches, classes, validation)

    # Judging.

    @property
    def validation_scores_(self) -> list[float] | None:
        """The accuracy on validation data after each epoch; None where there were none."""
        errors = self._validation_errors()
        return None if errors is None else [1.0 - error for error in errors]

    @property
    def best_validation_score_(self) -> float | None:
        """The highest of `validation_scores_`."""
        scores = self.validation_scores_
        return None if scores is None else max(scores)

    @property
    def scorer_(self) -> NetworkScore:
        """The model as a score in nats; of many labels a row, `NetworkScore` of one label each."""
        check_is_fitted(self, "network_")
        return NetworkScore(self.network_, self._baseline)

    def _nats(self, X: Rows) -> Floats:
        check_is_fitted(self, "network_")
        return self.scorer_(check_to_predict(self, X))

    @answers
    def predict(self, X: Rows) -> NDArray[Any]:
        """Predict the most probable label; of equal ones the first in `classes_`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
            Labels; for many labels a row 1 where a label is more probable than not, else 0.
        """
        check_is_fitted(self, "network_")
        if self.multilabel_:
            each: NDArray[Any] = (self._signals(X) > 0.0).astype(np.intp)
            return each
        labels: NDArray[Any] = self.classes_[self._nats(X).argmax(axis=1)]
        return labels

    def _signals(self, X: Rows) -> Floats:
        return self.scorer_.signals_of(check_to_predict(self, X))

    @answers
    def predict_proba(self, X: Rows) -> Floats:
        """Return the probability of each class; the largest is that of `predict`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities p(c | x); for many labels a row of each by itself.
        """
        check_is_fitted(self, "network_")
        if self.multilabel_:
            s = self._signals(X)
            rare = np.exp(-np.abs(s))  # exact where 0.5 + 0.5 tanh(s / 2) cancels
            p: Floats = np.where(s < 0.0, rare, 1.0) / (1.0 + rare)
            return p
        return posterior(self._nats(X))

    @answers
    def predict_log_proba(self, X: Rows) -> Floats:
        """Return the log probability of each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities log p(c | x); for many labels a row of each by itself.
        """
        check_is_fitted(self, "network_")
        return -np.logaddexp(0.0, -self._signals(X)) if self.multilabel_ else log_posterior(self._nats(X))

    def explain(self, X: Rows, *, pair: Pair | None = None, label: int | None = None) -> list[Explanation]:
        """Explain the predictions of examples by integrated gradients.

        The baseline is the mean example, or zeros where rows are sparse. Prior and terms sum to the log-odds.
        Sundararajan, Taly & Yan, ICML 2017.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device.
        pair : tuple of (label, label), optional
            Two labels: the evidence is for the first against the second. By default it is for the winner against its
            runner-up.
        label : int, optional
            For many labels a row, the column of y whose presence is weighed against its absence.

        Returns
        -------
        list of Explanation
            The explanation of each example, in decibans, the strongest terms first.

        Raises
        ------
        ValueError
            If `label` is missing for many labels a row, given otherwise, or no column of y.
        """
        check_is_fitted(self, "network_")
        names = getattr(self, "feature_names_in_", None)
        if self.multilabel_ == (label is None):
            raise ValueError(
                f"explain needs label, a column of y from 0 to {len(self.classes_) - 1}, where a row has many labels"
                if self.multilabel_
                else "label is for rows of many labels; here the winner is explained"
            )
        column = isinstance(label, int | np.integer) and not isinstance(label, bool)
        if label is not None and not (column and 0 <= label < len(self.classes_)):
            raise ValueError(f"label must be a column of y, from 0 to {len(self.classes_) - 1}, got {label!r}")
        score = NetworkScore(self.network_, self._baseline, label)
        told = (
            self.classes_.tolist() if label is None else [f"not {self.classes_[label]}", self.classes_.tolist()[label]]
        )
        rows = check_to_predict(self, X)
        names = None if names is None else list(names)
        return [score.explain(row(rows, i), told, names, pair) for i in range(rows.shape[0])]
