"""What scikit-learn calls the curves and the sizes of a network, read from its epochs and its layers."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from .history import Epoch
from .network import Network


class Curves:
    """Attributes of a fitted network by scikit-learn's names; a network that was loaded has no epochs."""

    network_: Network
    history_: list[Epoch]

    @property
    def n_layers_(self) -> int:
        """How many layers there are, with the features as the first."""
        return len(self._sizes())

    @property
    def n_outputs_(self) -> int:
        """How many outputs there are; two classes have two with `output="softmax"`."""
        return int(self._sizes()[-1])

    @property
    def out_activation_(self) -> str:
        """What the outputs are made of: "softmax", "logistic" or "linear"."""
        check_is_fitted(self, "network_")
        return self.network_.output.name

    @property
    def loss_curve_(self) -> list[float]:
        """The mean error of each epoch, without the penalty."""
        check_is_fitted(self, "network_")
        return [epoch.loss for epoch in self.history_]

    @property
    def best_loss_(self) -> float | None:
        """The lowest of `loss_curve_`; None where validation data were watched instead."""
        watched = self._validation_errors() is not None
        return None if watched else min(self.loss_curve_, default=None)

    def _sizes(self) -> Any:
        check_is_fitted(self, "network_")
        return self.network_.sizes

    def _validation_errors(self) -> list[float] | None:
        """The error of validation data after each epoch; None where there were none."""
        check_is_fitted(self, "network_")
        errors = [epoch.validation_error for epoch in self.history_ if epoch.validation_error is not None]
        return errors or None
