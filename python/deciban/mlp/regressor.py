"""The multilayer perceptron as a regression: layers of units between the features and any numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban.data.declared_types import parameters
from deciban.data.devices import answers
from deciban.data.mixins import RegressorMixin
from deciban.data.rows import Rows
from deciban.data.validation import check_is_fitted
from deciban.losses import Floats
from deciban.scores import NetworkScore
from deciban.solvers.problem import Callback

from ..networks.layers import Error, Linear, Output, pair_output
from ..networks.measures import Wrong
from .intake import Given, check_to_predict, responses
from .streams import LearnsOn

if TYPE_CHECKING:
    from sklearn.utils import Tags


@parameters
class MLPRegressor(RegressorMixin, LearnsOn):
    """Multilayer perceptron for regression: a neural network of fully connected layers, trained by back-propagation.

        min over w, b of   Σ_n c_n ½ ‖h(x_n) − y_n‖² / Σ c + ½ λ Σ w²,      the outputs h are linear

    Targets are taken as they are: scale them to a spread near 1, or raise learning_rate. The error in `history_` is the
    mean of the squared errors of all targets. Rumelhart, Hinton & Williams (1986).

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int, default=(128,)
        Number of units of each hidden layer, from below; a number is one layer, () is linear regression.
    activation : {"relu", "tanh", "logistic", "identity"}, default="relu"
        Activation σ of the hidden units.
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
    >>> X = np.linspace(-1.0, 1.0, 9)[:, None]
    >>> curve = MLPRegressor((16,), "tanh", learning_rate=0.02, max_iter=1000, random_state=0).fit(X, X[:, 0] ** 2)
    >>> bool(np.abs(curve.predict(X) - X[:, 0] ** 2).max() < 0.1)
    True
    """

    hidden_layer_sizes: int | Sequence[int] = (128,)
    activation: str = "relu"
    _: KW_ONLY
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
    random_state: int | np.random.RandomState | None = None
    dtype: str = "float32"
    shuffle: bool = True
    n_jobs: int | None = None

    def _head(self) -> tuple[Output, Error]:
        return pair_output("linear", "squared", Linear)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _units(self) -> int:
        return self._targets

    def _meet(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None) -> Given:
        given = responses(self, X, y, sample_weight)
        self._targets, self._single = int(given.Y.shape[1]), given.single
        return given

    def _more(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None, what: str) -> Given:
        given = responses(self, X, y, sample_weight, reset=False)
        if given.Y.shape[1] != self._targets:
            raise ValueError(f"{what} has {given.Y.shape[1]} targets a row; {self._targets} are expected")
        return given

    def _declare(self, classes: ArrayLike | None, y: ArrayLike) -> None:
        self._same(classes)
        shape = np.shape(y)
        self._targets, self._single = (1, True) if len(shape) == 1 else (int(shape[1]), False)

    def _see(self, X: Rows) -> None:
        check_to_predict(self, X, reset=True)

    def _same(self, classes: ArrayLike | None) -> None:
        if classes is not None:
            raise ValueError("a regression has no classes")

    def _wrong(self) -> Wrong:
        return Wrong("squared")

    def fit_batches(self, batches: Iterable[Any], validation: Sequence[Any] | None = None) -> Self:
        """Train on batches that need not fit memory together, a step each.

        `batch_size` and `early_stopping` have no effect.

        Parameters
        ----------
        batches : iterable of (X, y) or (X, y, weight)
            Batches, iterated anew each epoch, in their order; an iterator lasts for one.
        validation : tuple of (X, y) or (X, y, weight), optional
            Validation data, whose error is watched: the epoch with the lowest counts.

        Returns
        -------
        MLPRegressor
            The fitted estimator itself.
        """
        return self._fit_batches(batches, None, validation)

    @answers
    def predict(self, X: Rows) -> Floats:
        """Predict the targets of examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions h(x).
        """
        check_is_fitted(self, "network_")
        h = NetworkScore(self.network_, self._baseline).signals_of(check_to_predict(self, X))
        return h[:, 0] if self._single else h
