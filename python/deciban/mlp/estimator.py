"""Classifiers and regressions made of layers: from checked examples to trained weights and their proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban.certificates.bound import Facts, Probabilities
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import add_bounds
from deciban.data.declared_types import Estimator
from deciban.data.devices import elsewhere, has_doubles, like
from deciban.data.rows import Rows
from deciban.data.transaction import all_or_nothing
from deciban.data.validation import check_is_fitted
from deciban.errors import DataError
from deciban.solvers.limits import draw_seed

from ..networks import layers
from ..networks.batches import Rows as WeightedRows
from ..networks.batches import Shuffled
from ..networks.history import Curves, Ending, Epoch, diagnose
from ..networks.layers import Error, Output
from ..networks.measures import Wrong, gradient_of
from ..networks.network import Network, copy_network, draw_weights
from ..networks.optimizers import FullBatch, Memory
from ..networks.quasi_newton import FullTraining, as_doubles
from ..networks.training import Plan, Training, Watch
from .intake import DataSummary, Given, mean_row
from .settings import batch_of, fraction_of, hidden_sizes, plan_of, type_of

if TYPE_CHECKING:
    from sklearn.utils import Tags


class NetworkModel(Curves, Estimator):
    """Layers of units; who inherits says what the outputs are, and how wrong they may be.

    Attributes: `coefs_`, W (units below, units) of each layer, and `intercepts_`; `history_`, a
    `deciban.networks.history.Epoch` each; `n_iter_`, the epochs; `loss_`, the mean error in the end, without the
    penalty; `loss_curve_` and `best_loss_`, that of the epochs; `n_layers_`, `n_outputs_`, `out_activation_`;
    `status_`, why it ended; `certificate_`; `scorer_`.
    """

    hidden_layer_sizes: int | Sequence[int]
    activation: str
    batch_size: int | None
    warm_start: bool
    early_stopping: bool
    validation_fraction: float
    random_state: int | np.random.RandomState | None
    dtype: str
    shuffle: bool
    n_features_in_: int
    _watch: Watch | None = None
    history_: list[Epoch]
    status_: Ending

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def watch_with(self, watch: Watch | None) -> Self:
        """Set a function that sees each epoch during training; copies of the model do not have it.

        Parameters
        ----------
        watch : callable or None
            Called as `watch(epoch, max_iter)` with each `Epoch`.

        Returns
        -------
        estimator
            The estimator itself.
        """
        self._watch = watch
        return self

    # Who inherits says:

    def _head(self) -> tuple[Output, Error]:
        """Return the output and the error, checked."""
        raise NotImplementedError

    def _meet(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None) -> Given:
        """Return the first examples, checked; the model then knows what there is to tell apart."""
        raise NotImplementedError

    def _more(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None, what: str) -> Given:
        """Return more examples, checked against what is known; errors call them `what`."""
        raise NotImplementedError

    def _units(self) -> int:
        """Return the number of outputs."""
        raise NotImplementedError

    def _wrong(self) -> Wrong:
        """Return what is counted as wrong."""
        raise NotImplementedError

    # Learning.

    def fit(
        self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None, validation: Sequence[Any] | None = None
    ) -> Self:
        """Train the network on examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels, or 0 and 1 for many labels a row; of regressions targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0. A weight means repetition, to seven digits where dtype is "float64"; in single precision sums
            of repeated rows round otherwise.
        validation : tuple of (X, y) or (X, y, weight), optional
            Validation data, whose error is watched: the epoch with the lowest counts.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            started = perf_counter()
            given = self._meet(X, y, sample_weight)
            held = None
            if validation is not None:
                held = self._validation(validation)
            elif self.early_stopping:
                given, held = given.split(fraction_of(self.validation_fraction), draw_seed(self.random_state))
            self._learn(given, held)
            self._seconds = perf_counter() - started
        return self

    def _learn(self, given: Given, held: Given | None) -> None:
        plan, rows = self._plan(), self._rows(given).read()
        watched = None if held is None else self._rows(held)
        network, seed = self._begin(given.X), draw_seed(self.random_state)
        if isinstance(plan.optimizer, FullBatch):
            training: Training = FullTraining(copy_network(network, given.X, np.float64), plan, seed)
            training.run(
                Shuffled(as_doubles(self._rows(given)).read(), len(rows)),
                None if watched is None else as_doubles(watched),
            )
            training.network = copy_network(training.network, given.X, type_of(self.dtype))
        else:
            training = Training(network, plan, seed)
            training.run(Shuffled(rows, batch_of(self.batch_size, len(rows)), bool(self.shuffle)), watched)
        self._become(training, training.history)
        self._baseline = mean_row(given)
        try:
            proof = gradient_of(training.network, rows.parts(), plan.decay)
        except KeyboardInterrupt as reason:  # what was learnt is there; who cannot wait for the proof goes without
            if type(reason) is not KeyboardInterrupt:
                raise  # another signal than Ctrl-C: the process is to end
            proof, training.ending = None, Ending.INTERRUPTED
            self.status_ = training.ending
        self._certify(training, given.summarise(), proof)

    def _plan(self) -> Plan:
        return plan_of(self, self._wrong())

    def _rows(self, given: Given) -> WeightedRows:
        return given.rows(self._units(), type_of(self.dtype))

    def _part(self, given: Given) -> WeightedRows:
        """Return examples of which others come apart: repetition is within them, and class weights are what they
        are."""
        return given.rows(self._units(), type_of(self.dtype), given.repetition)

    def _validation(self, validation: Sequence[Any]) -> Given:
        X, y, weight = examples_of(validation, "validation")
        return self._more(X, y, weight, "validation")

    def _begin(self, X: Rows) -> Network:
        """Return a network before its first step, where X is; with `warm_start` the last one, if it is of the same
        sizes."""
        unit, (output, error), dtype = layers.by_name(self.activation), self._head(), type_of(self.dtype)
        sizes = (self.n_features_in_, *hidden_sizes(self.hidden_layer_sizes), self._units())
        known = getattr(self, "network_", None) if self.warm_start else None
        if known is not None and known.sizes == sizes:
            return copy_network(replace(known, activation=unit, output=output, error=error), X, dtype)
        if elsewhere(X) and dtype == np.float64 and not has_doubles(X):
            raise DataError("the device of X has no float64: take dtype='float32'")
        weights, biases = draw_weights(sizes, unit, draw_seed(self.random_state), dtype)
        if elsewhere(X):
            weights, biases = [like(W, X) for W in weights], [like(b, X) for b in biases]
        return Network(weights, biases, unit, output, error)

    def _become(self, training: Training, history: list[Epoch]) -> None:
        self.network_ = training.network
        self.coefs_, self.intercepts_ = training.network.weights, training.network.biases
        self.history_, self.status_ = history, training.ending
        self.n_iter_ = history[-1].epoch if history else 1
        self._memory, self._random = training.memory, training.random
        self.loss_ = history[-1].loss if history else float("nan")

    def _restore(self, network: Network, d: int, baseline: Any, loss: float, proof: Certificate) -> None:
        """Become the model that a file tells of."""
        self.network_, self.n_features_in_, self._baseline, self._proof = network, d, baseline, proof
        self.coefs_, self.intercepts_ = network.weights, network.biases
        self.history_, self.status_, self.n_iter_ = [], Ending.of(proof.status), proof.iterations
        self.loss_, self._seconds = float(loss), 0.0
        self._memory, self._random = Memory([], 0), np.random.RandomState(draw_seed(self.random_state) % 2**32)

    def _certify(self, training: Training, known: DataSummary, proof: tuple[float, float, float] | None) -> None:
        """`proof`: the mean error, the same with the penalty, and the length of its gradient; None of a stream."""
        plan, net = training.plan, training.network
        advice = (training.where, training.ending.advice, diagnose(training.history, net.activation.name))
        if proof is not None:
            self.loss_ = proof[0]
        penalty = f" + ½·{plan.decay:g}·‖W‖²" if plan.decay else ""
        shape = "-".join(map(str, net.sizes))
        named = f"{shape} {net.activation.name}, {net.output.name}, {plan.optimizer.name}"
        self._proof = Certificate(
            objective=f"Σ c·{net.error.name} / Σ c{penalty}, {named}",
            primal=self.loss_ if proof is None else proof[1],
            dual=None,
            kkt_violation=None if proof is None else proof[2],
            iterations=self.n_iter_,
            status=training.ending.label,
            advice="; ".join(part for part in advice if part),
            seconds=0.0,
            n=known.n,
            d=net.sizes[0],
            class_counts=known.class_counts,
            seed=draw_seed(self.random_state),
            digest=known.digest,
        )

    @property
    def certificate_(self) -> Certificate:
        """Objective, its error and gradient, and advice.

        The error of a network is not convex: nothing bounds it from below, and there is no gap. `primal` is the mean
        error with the penalty, `kkt_violation` the length of its gradient, over all weights at once; of a stream
        `primal` is what was suffered on the way.
        """
        check_is_fitted(self, "network_")
        return add_bounds(self, replace(self._proof, seconds=self._seconds))

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        if not hasattr(self, "classes_"):
            return Facts(Probabilities("none: no probabilities"))
        least = "log loss" if self.network_.error.name == "cross_entropy" else "squared error"
        return Facts(Probabilities(f"none: {least} was minimised"))


def examples_of(given: object, what: str) -> tuple[Any, Any, Any]:
    """Return X, y and the weights, or None, of what was given together."""
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise ValueError(f"{what} must be (X, y) or (X, y, weight), got {type(given).__name__}")
    X, y, weight = (*given, None)[:3]
    return X, y, weight
