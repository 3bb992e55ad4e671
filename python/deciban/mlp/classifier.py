"""The multilayer perceptron as a classifier: layers of units, learnt by back-propagation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from deciban.attached import FindsLabelErrors, Reports
from deciban.certificates.bounding import StatesBounds
from deciban.data.devices import answers, on_host
from deciban.losses import Floats
from deciban.scores import Explanation, NetworkScore, log_posterior

from ..networks.outputs import Error, Logistic, Output, Softmax, paired
from .intake import Given, judged, labelled, of_known_labels, row
from .streams import LearnsOn


class MLPClassifier(Reports, FindsLabelErrors, StatesBounds, ClassifierMixin, LearnsOn):  # type: ignore[misc]
    """Layers of units between the features and the classes, learnt by back-propagation.

        s_j = Σ_i w_ji h_i + b_j,    h_j = σ(s_j),      from h = x up to the outputs
        min over w, b of   Σ_n c_n 𝓔_n / Σ c + ½ λ Σ w²

    It is not convex: another seed may find another minimum (Rumelhart, Hinton & Williams 1986).

    Parameters
    ----------
    hidden : units of each hidden layer, from below; a number is one layer, () is logistic regression.
    activation : σ, "relu", "tanh", "logistic" or "identity".
    output : "softmax", the probabilities of classes that exclude each other; "logistic", each class, or each of many
        labels, by itself; of two classes it is one unit.
    error : 𝓔, "cross_entropy" or "squared".
    solver : "adam" or "descent", with `momentum`, by Nesterov's rule where `nesterov`, in batches; "lbfgs", all
        examples at once, in float64 until it has ended. Of "lbfgs" `tol` is the largest part of the gradient that may
        be left, and `max_iter` counts iterations; batch_size, learning_rate, schedule and momentum mean nothing.
        With it, and with batch_size=None, a weight of 2 is the example twice, to rounding; in smaller batches an
        example that comes twice is drawn twice, and what is found is another of the minima.
    learning_rate : η of the first epoch; None is 0.001 for Adam, 0.1 for descent.
    schedule : "constant", "inverse", "cosine", "plateau", or a function of the epoch (`deciban.networks.schedules`).
    momentum, nesterov : of "descent": how much of the last step goes into the next, and whether by Nesterov's rule.
    batch_size : examples a step; None is all of them, 1 the stochastic rule.
    max_iter : epochs at most.
    tol, n_iter_no_change : it stops when the error, of validation data or else with the penalty, has not fallen by the
        share `tol` for so many epochs; the weights are those of the best epoch.
    weight_decay : λ; biases are free.
    dropout : the share of hidden units that an example goes without.
    clip : the longest gradient of a step; None is none.
    averaging : ρ of a moving mean of the weights, which then judges; None is none.
    early_stopping, validation_fraction : whether the error that is watched is of that share of the examples, held out;
        `fit` takes validation data of your own, too.
    time_limit : seconds after which it stops.
    callback : called as (epoch, error, validation error or NaN); something true stops.
    warm_start : whether `fit` begins at the last weights.
    class_weight : None, "balanced" (n / (C·n_c)) or a mapping from labels to weights.
    random_state : the seed of the first weights and of the orders of the examples; None is 0.
    dtype : "float32", or "float64", of the weights.
    shuffle : whether each epoch has an order of its own.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Attributes: `classes_`, `multilabel_`, and those of `NetworkModel`. The same data and seed give the same bytes on
    one machine. Scale the features: a unit hears what is large.

    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> either = MLPClassifier(hidden=(8,), learning_rate=0.05, random_state=0)
    >>> either = either.fit(X, ["same", "other", "other", "same"])
    >>> either.predict(X).tolist(), round(float(either.predict_proba(X).max(axis=1).min()), 1)
    (['same', 'other', 'other', 'same'], 1.0)
    """

    def __init__(
        self,
        hidden: int | Sequence[int] = (128,),
        activation: str = "relu",
        output: str = "softmax",
        *,
        error: str = "cross_entropy",
        solver: str = "adam",
        learning_rate: float | None = None,
        schedule: Any = "constant",
        momentum: float = 0.9,
        nesterov: bool = False,
        batch_size: int | None = 128,
        max_iter: int = 200,
        tol: float = 1e-4,
        n_iter_no_change: int = 10,
        weight_decay: float = 0.0,
        dropout: float = 0.0,
        clip: float | None = None,
        averaging: float | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        time_limit: float | None = None,
        callback: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        random_state: int | Any = None,
        dtype: str = "float32",
        shuffle: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
        self.output = output
        self.error = error
        self.solver = solver
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.momentum = momentum
        self.nesterov = nesterov
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.clip = clip
        self.averaging = averaging
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.time_limit = time_limit
        self.callback = callback
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.dtype = dtype
        self.shuffle = shuffle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    # Learning.

    def _head(self) -> tuple[Output, Error]:
        name = "logistic" if getattr(self, "multilabel_", False) and self.output == "softmax" else self.output
        return paired(name, self.error, Softmax, Logistic)

    def _units(self) -> int:
        C = len(self.classes_)
        return 1 if C == 2 and self.output == "logistic" and not self.multilabel_ else C

    def _meet(self, X: Any, y: Any, sample_weight: Any) -> Given:
        given = labelled(self, X, y, sample_weight)
        self.classes_, self.multilabel_ = given.labels, given.many
        return given

    def _more(self, X: Any, y: Any, sample_weight: Any, what: str) -> Given:
        return of_known_labels(self, X, y, sample_weight, self.classes_, what)

    def _declare(self, classes: ArrayLike | None, y: Any) -> None:
        if classes is None:
            raise ValueError("classes must be given, all labels that may come: the first batch may lack some")
        self.multilabel_ = getattr(y, "ndim", np.ndim(y)) == 2
        self.classes_ = self._named(classes)
        if len(self.classes_) < 2 and not self.multilabel_:
            raise ValueError(f"at least two classes are expected; classes are {self.classes_.tolist()} (1 class)")

    def _named(self, classes: ArrayLike) -> NDArray[Any]:
        """Classes that exclude each other in their order; of many labels a row names, in that of their columns."""
        sorted_: NDArray[Any] = np.unique(np.asarray(classes))
        if not self.multilabel_:
            return sorted_
        names = np.asarray(classes)
        if names.ndim != 1 or len(names) != len(sorted_):
            raise ValueError(f"classes must be a name for each column of y, no two alike, got {names.tolist()}")
        return names

    def _see(self, X: Any) -> None:
        judged(self, X, reset=True)

    def _same(self, classes: ArrayLike) -> None:
        if not np.array_equal(self._named(classes), self.classes_):
            raise ValueError(f"classes are {self.classes_.tolist()} since the first call; no others can come")

    def _wrong(self, h: Any, y: Any, weight: Any) -> float:
        h, y, weight = (on_host(each, None) for each in (h, y, weight[:, 0]))  # little, for the device to wait for
        if self.multilabel_ or h.shape[1] == 1:
            return float((weight @ ((h > 0.5) != (y > 0.5))).sum()) / int(h.shape[1])
        return float(weight @ (h.argmax(axis=1) != y.argmax(axis=1)))

    def fit_batches(self, batches: Iterable[Any], classes: ArrayLike, validation: Any = None) -> Self:
        """Learn from batches (X, y) or (X, y, weight) that need not fit memory together, a step each.

        batches : iterated anew each epoch, in the order that it has; an iterator lasts for one. classes : all labels
            that may come; of many labels a row their names. validation : as in `fit`. `batch_size` and
            `early_stopping` have no say.
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

    def _nats(self, X: Any) -> Floats:
        check_is_fitted(self, "network_")
        return self.scorer_(judged(self, X))

    @answers
    def predict(self, X: Any) -> NDArray[Any]:
        """(N,) the most probable label, of equal ones the first in `classes_`; of many labels a row (N, K) of 0 and 1,
        1 where a label is more probable than not."""
        check_is_fitted(self, "network_")
        if self.multilabel_:
            each: NDArray[Any] = (self._signals(X) > 0.0).astype(np.intp)
            return each
        labels: NDArray[Any] = self.classes_[self._nats(X).argmax(axis=1)]
        return labels

    def _signals(self, X: Any) -> Floats:
        return self.scorer_.signals_of(judged(self, X))

    @answers
    def predict_proba(self, X: Any) -> Floats:
        """(N, C) p(c | x): the largest is that of `predict`; of many labels a row (N, K), of each by itself."""
        check_is_fitted(self, "network_")
        if self.multilabel_:
            s = self._signals(X)
            rare = np.exp(-np.abs(s))  # exact where 0.5 + 0.5 tanh(s / 2) cancels
            p: Floats = np.where(s < 0.0, rare, 1.0) / (1.0 + rare)
            return p
        return np.asarray(np.exp(log_posterior(self._nats(X))))

    @answers
    def predict_log_proba(self, X: Any) -> Floats:
        """(N, C) log p(c | x); of many labels a row (N, K), of each by itself."""
        check_is_fitted(self, "network_")
        return -np.logaddexp(0.0, -self._signals(X)) if self.multilabel_ else log_posterior(self._nats(X))

    def explain(self, X: Any, label: int | None = None, pair: tuple[Any, Any] | None = None) -> list[Explanation]:
        """Per row: the winner against its runner-up, or the first label of `pair` against the second, and the evidence
        of each feature in decibans, strongest first, by integrated gradients from the mean example, from nothing where
        rows are sparse (`NetworkScore.terms`). Prior and terms sum to the log-odds. Of many labels a row: `label`, a
        column of y, against its absence."""
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
        X = judged(self, X)
        names = None if names is None else list(names)
        return [score.explain(row(X, i), told, names, pair) for i in range(X.shape[0])]
