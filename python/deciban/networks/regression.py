"""The multilayer perceptron as a regression: layers of units between the features and any numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from deciban.devices import answers, namespace
from deciban.losses import Floats
from deciban.scores import NetworkScore

from .intake import Given, judged, responses
from .outputs import Error, Linear, Output, paired
from .streams import LearnsOn


class MLPRegressor(RegressorMixin, LearnsOn):  # type: ignore[misc]
    """Layers of units between the features and numbers, learnt by back-propagation.

        min over w, b of   Σ_n c_n ½ ‖h(x_n) − y_n‖² / Σ c + ½ λ Σ w²,      the last h = s

    Parameters and attributes: those of `MLP`, but for output, error and classes. The targets are learnt as they are:
    bring them to a spread near 1, or raise learning_rate. What `history_` tells as error is the mean of the squared
    errors of all targets.

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
