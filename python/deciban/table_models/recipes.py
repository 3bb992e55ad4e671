"""How each model learns a table of typed columns, unless one says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from deciban.distributions.joint_gaussian import MOST
from deciban.errors import DataError
from deciban.store import Stored
from deciban.threads import on_threads

from .coded import CodedTable, TableSettings
from .naive_bayes import BayesTable, bayes_of_columns
from .summed import SummedTable
from .table_model import Rows, TableModel

NAIVE_BAYES = "naive-bayes"
SIMPLEST_FIRST = (NAIVE_BAYES, "discriminant", "logistic", "svm")
"""What is tried where the model is to be chosen, in this order."""


class Estimator(NamedTuple):
    """Where a model is, its parameters with their defaults, what else it is given, whether it iterates, the table that
    its score makes, and whether it iterates in epochs, which are watched, by BLAS, which has threads of its own."""

    module: str
    name: str
    takes: Mapping[str, float]
    given: Mapping[str, Any]
    iterates: bool = True
    table: type[CodedTable] = CodedTable
    in_epochs: bool = False


_NETWORK = {"hidden_layer_sizes": (128,), "batch_size": 64, "learning_rate": 0.003, "weight_averaging": 0.99}
"""The rest: `_stop_early`. Errors on rows held out, in per cent, of 5,000 rows of adult, 3,400 of spambase and
3,000 of letter: 14.8, 5.1, 12.2 (logistic regression 14.6, 6.1, 24.7); in twice the time, by batches of 32 with a rate
of 0.001, 14.4, 5.3, 11.8; there without the mean of the weights 14.6, 5.1, 12.7; without that and the penalty 14.6,
5.5, 14.4; with the penalty and 256 units 15.0, 5.2, 12.0, dropout of 0.2 14.5, 4.9, 12.1, the schedule "plateau" 14.6,
5.0, 14.9; two layers of 64 without it 15.1, 5.9, 15.3. Breast cancer, 400 rows, 2.2 (1.8); digits, 1,200, 1.8 (2.7)."""

FEWEST = 500
"""Of fewer rows, a tenth says too little to stop by: all are learnt, until their own error no longer falls."""
PENALTY = 5.0
"""What ½‖W‖² weighs against the sum of the errors: `weight_decay` is this over the number of rows. Errors on rows held
out, in per cent, with 2 and 5: of 300 rows of adult and of spambase 16.4, 15.5 and 9.8, 9.3, of 600 15.7, 15.8 and 8.5,
8.6, of 3,400 of spambase 5.2, 5.0, of 600 of letter 25.1, 26.1. Where all are learnt: of 300 rows 17.3, 15.6 and 9.0,
9.1, of 600 16.9, 15.3 and 8.0, 8.1, of 5,000 of adult 17.2, 16.3."""

ESTIMATORS: dict[str, Estimator] = {
    "discriminant": Estimator(
        "models.discriminant",
        "GaussianDiscriminant",
        {},
        {"shrinkage": "auto", "calibration": "affine"},
        False,
        SummedTable,
    ),
    "logistic": Estimator("models.logistic", "LogisticRegression", {"C": 1.0}, {}),
    "svm": Estimator("models.linear_svm", "LinearSVM", {"C": 1.0}, {"loss": "squared_hinge", "calibration": None}),
    "perceptron": Estimator(
        "models.perceptron", "Perceptron", {}, {"averaged": True, "max_iter": 100, "calibration": None}
    ),
    "least-squares": Estimator(
        "models.least_squares_classifier", "LeastSquaresClassifier", {"alpha": 1.0}, {}, table=SummedTable
    ),
    "kernel-svm": Estimator("kernel_machines.svm", "SVM", {"C": 3.0}, {"multi_class": "ovr"}),
    "mlp": Estimator("mlp.classifier", "MLPClassifier", {}, _NETWORK, in_epochs=True),
}
"""C of the kernel machine: errors on rows held out, in per cent, with C = 1, 3 and 10, beside logistic regression; of
5,000 rows of adult 14.9, 14.9, 15.9 (14.8), 3,400 of spambase 7.6, 6.8, 6.7 (6.7), 3,000 of letter 16.2, 12.5, 10.1
(25.3)."""
MODELS = (NAIVE_BAYES, *ESTIMATORS)


@dataclass(frozen=True)
class TableRecipe:
    """Which model, its parameters, and the seed of what is random."""

    model: str
    parameters: Mapping[str, float]
    seed: int = 0

    @property
    def rank(self) -> int:
        """The same for all: on 49 samples of seven tables the least loss was 0.007 nats from the best of 250 rows, and
        0.001 of more; an order of preference gained nothing."""
        return 0

    def is_for(self, rows: Rows) -> bool:
        """Return whether the model takes tables of so many columns: covariances do not."""
        width = sum(1 if known is None else len(known) for known in rows.columns.categories)
        return self.model != "discriminant" or width <= MOST

    @on_threads
    def learn(
        self, rows: Rows, time_limit: float | None = None, n_jobs: int | None = None, watch: Any = None
    ) -> TableModel:
        """Return the model of these rows, the same in whichever order they come; `watch` is told of each epoch."""
        if self.model == NAIVE_BAYES:
            return BayesTable.learn(rows, self.parameters["alpha"])
        of, estimator = ESTIMATORS[self.model], self.estimator(time_limit, n_jobs)
        if of.in_epochs:
            estimator.watch_with(watch)
            _stop_early(estimator, rows)
        return of.table.learn(self.settings, estimator, rows)

    @property
    def settings(self) -> TableSettings:
        """The model and its parameters, as its file keeps them."""
        return TableSettings(self.model, dict(self.parameters))

    def estimator(self, time_limit: float | None = None, n_jobs: int | None = None) -> Any:
        """Return what learns the coded rows; of naive Bayes, the columns."""
        if self.model == NAIVE_BAYES:
            return bayes_of_columns(self.parameters["alpha"])
        of = ESTIMATORS[self.model]
        parameters = {**self.parameters, **of.given}
        if of.iterates:
            parameters |= {"random_state": self.seed, "time_limit": time_limit}
        if of.iterates and not of.in_epochs:
            parameters["n_jobs"] = n_jobs
        return getattr(import_module(f"deciban.{of.module}"), of.name)(**parameters)


def _stop_early(network: Any, rows: Rows) -> None:
    """Let a tenth of each class tell when to stop, if they are not few."""
    few = len(rows) < FEWEST or np.bincount(rows.y).max() < 10
    network.set_params(early_stopping=not few, weight_decay=PENALTY / len(rows))


def takes(model: str) -> Mapping[str, float]:
    """Return the parameters of a model, with their defaults."""
    return {"alpha": 1.0} if model == NAIVE_BAYES else ESTIMATORS[model].takes


def recipe(model: str, given: Mapping[str, float | None], seed: int = 0) -> TableRecipe:
    """Return the defaults of this model, changed where `given` says so; what is another model's is left out."""
    known = takes(model)
    said = {name: float(value) for name, value in given.items() if value is not None and name in known}
    return TableRecipe(model, {**known, **said}, seed)


def restore(stored: Stored) -> TableModel:
    """Return the model of a table in a file that `store.read` has checked."""
    model = stored.header.get("model")
    if model == NAIVE_BAYES:
        return BayesTable.from_stored(stored)
    bare = {"machine": "a kernel machine of bare rows", "network": "a network of bare rows", "estimator": repr(model)}
    for section in bare.keys() & stored.header.keys():
        raise DataError(
            f"{stored.name}: expected a model of texts or of typed columns; this is {bare[section]}. Load it in "
            "Python: deciban.load."
        )
    if model in ESTIMATORS:
        return ESTIMATORS[model].table.from_stored(stored)
    raise DataError(f"{stored.name}: expected a model that this version knows. Upgrade, or train again.")
