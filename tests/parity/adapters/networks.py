"""`sklearn.neural_network` by `MLPClassifier` and `MLPRegressor`."""

from __future__ import annotations

from typing import Any

from sklearn import neural_network

import deciban

from .adapter import Adapter, Streaming, draw_seed, require_neutral, substitute


class Network(Adapter):
    def options(self) -> dict[str, Any]:
        """Return the parameters that both networks share."""
        require_neutral("beta_1", self.beta_1, 0.9)
        require_neutral("beta_2", self.beta_2, 0.999)
        require_neutral("epsilon", self.epsilon, 1e-8)
        schedules = {"adaptive": "plateau", "invscaling": "inverse"}
        return {
            "hidden_layer_sizes": self.hidden_layer_sizes,
            "activation": self.activation,
            "solver": {"sgd": "descent"}.get(self.solver, self.solver),
            "weight_decay": self.alpha,
            "batch_size": 200 if self.batch_size == "auto" else self.batch_size,
            "schedule": schedules.get(self.learning_rate, self.learning_rate),
            "learning_rate": self.learning_rate_init,
            "max_iter": self.max_iter,
            "shuffle": self.shuffle,
            "random_state": draw_seed(self.random_state),
            "tol": self.tol,
            "warm_start": self.warm_start,
            "momentum": self.momentum,
            "nesterov": self.nesterovs_momentum,
            "early_stopping": self.early_stopping,
            "validation_fraction": self.validation_fraction,
            "n_iter_no_change": self.n_iter_no_change,
            "dtype": "float64",
        }


@substitute(neural_network.MLPClassifier)
class MLPClassifier(Network, Streaming):
    def model(self) -> Any:
        return deciban.MLPClassifier(**self.options())


@substitute(neural_network.MLPRegressor)
class MLPRegressor(Network):
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return self._call("partial_fit", X, y, sample_weight=sample_weight)

    def model(self) -> Any:
        require_neutral("loss", self.loss, "squared_error")
        return deciban.MLPRegressor(**self.options())
