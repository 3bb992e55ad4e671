"""The multilayer perceptron as a regression: layers of units between the features and any numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from deciban.data.devices import answers, namespace
from deciban.losses import Floats
from deciban.scores import NetworkScore

from ..networks.outputs import Error, Linear, Output, paired
from .intake import Given, judged, responses
from .streams import LearnsOn


class MLPRegressor(RegressorMixin, LearnsOn):  # type: ignore[misc]
    """Layers of units between the features and numbers, learnt by back-propagation.

        min over w, b of   Σ_n c_n ½ ‖h(x_n) − y_n‖² / Σ c + ½ λ Σ w²,      the last h = s

    Parameters
    ----------
    hidden : units of each hidden layer, from below; a number is one layer, () is linear regression.
    activation : σ, "relu", "tanh", "logistic" or "identity".
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
    random_state : the seed of the first weights and of the orders of the examples; None is 0.
    dtype : "float32", or "float64", of the weights.
    shuffle : whether each epoch has an order of its own.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Attributes: those of `NetworkModel`. The targets are learnt as they are: bring them to a spread near 1, or raise
    learning_rate. What `history_` tells as error is the mean of the squared errors of all targets.

    >>> X = np.linspace(-1.0, 1.0, 9)[:, None]
    >>> curve = MLPRegressor((16,), "tanh", learning_rate=0.02, max_iter=1000, random_state=0).fit(X, X[:, 0] ** 2)
    >>> bool(np.abs(curve.predict(X) - X[:, 0] ** 2).max() < 0.1)
    True
    """

    def __init__(
        self,
        hidden: int | Sequence[int] = (128,),
        activation: str = "relu",
        *,
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
        random_state: int | Any = None,
        dtype: str = "float32",
        shuffle: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.dtype = dtype
        self.shuffle = shuffle

    def _head(self) -> tuple[Output, Error]:
        return paired("linear", "squared", Linear)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    _targets: int
    _single: bool

    def _units(self) -> int:
        return self._targets

    def _meet(self, X: Any, y: Any, sample_weight: Any) -> Given:
        given = responses(self, X, y, sample_weight)
        self._targets, self._single = given.Y.shape[1], given.single
        return given

    def _more(self, X: Any, y: Any, sample_weight: Any, what: str) -> Given:
        given = responses(self, X, y, sample_weight, reset=False)
        if given.Y.shape[1] != self._targets:
            raise ValueError(f"{what} has {given.Y.shape[1]} targets a row; {self._targets} are expected")
        return given

    def _declare(self, classes: ArrayLike | None, y: Any) -> None:
        self._same(classes)
        shape = np.shape(y)
        self._targets, self._single = (1, True) if len(shape) == 1 else (int(shape[1]), False)

    def _see(self, X: Any) -> None:
        judged(self, X, reset=True)

    def _same(self, classes: ArrayLike | None) -> None:
        if classes is not None:
            raise ValueError("a regression has no classes")

    def _wrong(self, h: Any, y: Any, weight: Any) -> float:
        e = h - y
        return float(namespace(h).sum(e * e * weight)) / int(h.shape[1])

    def fit_batches(self, batches: Iterable[Any], validation: Any = None) -> Self:
        """Learn from batches (X, y) or (X, y, weight) that need not fit memory together, a step each.

        batches : iterated anew each epoch, in the order that it has; an iterator lasts for one. validation : as in
            `fit`. `batch_size` and `early_stopping` have no say.
        """
        return self._fit_batches(batches, None, validation)

    @answers
    def predict(self, X: Any) -> Floats:
        """(N,) h(x), or (N, K) where the targets came so."""
        check_is_fitted(self, "network_")
        h = NetworkScore(self.network_, self._baseline).signals_of(judged(self, X))
        return h[:, 0] if self._single else h
