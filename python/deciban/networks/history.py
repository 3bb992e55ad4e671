"""What each epoch was like, what that means in words, and what scikit-learn calls the curves of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Self

from deciban.data.validation import check_is_fitted

from .network import Network


@dataclass(frozen=True)
class Epoch:
    """One epoch of the training of a network.

    Dead and saturated units, and gradients, are those of at most 2,000 examples.

    Parameters
    ----------
    epoch : int
        Number of the epoch, from 1.
    loss : float
        Mean of 𝓔_n during the epoch.
    error : float
        Share of misclassified examples; of regressions the mean squared error.
    validation_loss : float or None
        The loss of validation data at the end of the epoch; None without such data.
    validation_error : float or None
        The error of validation data.
    learning_rate : float
        Learning rate.
    gradient_norms : tuple of float
        Root mean square, over the batches, of ‖∂𝓔/∂W‖ of each layer.
    dead : tuple of float
        Share of units of each hidden layer that are idle on every example.
    saturated : tuple of float
        Share of pairs of unit and example that are idle.
    seconds : float
        Seconds since the fit began.
    penalty : float, default=0.0
        Penalty ½ λ Σ w² at the start of the epoch.

    Examples
    --------
    >>> Epoch(1, 0.7, 0.5, None, None, 0.001, (0.1,), (), (), 0.01).loss
    0.7
    """

    epoch: int
    loss: float
    error: float
    validation_loss: float | None
    validation_error: float | None
    learning_rate: float
    gradient_norms: tuple[float, ...]
    dead: tuple[float, ...]
    saturated: tuple[float, ...]
    seconds: float
    penalty: float = 0.0

    @property
    def watched(self) -> float:
        """What should fall: the loss of the validation data, without these that of the examples with the penalty."""
        return self.loss + self.penalty if self.validation_loss is None else self.validation_loss


class Ending(Enum):
    """Why a fit ended: the status, and the advice."""

    SETTLED = ("settled", "")
    STOPPED_EARLY = ("stopped early", "")
    STREAMED = ("streamed", "")
    EXHAUSTED = ("exhausted", "the error was still falling: raise max_iter")
    OUT_OF_TIME = ("out of time", "the error was still falling: raise time_limit")
    STALLED = (
        "stalled",
        "no step lowers the error, but its gradient is not small: a kink of relu, or the last digit",
    )
    STOPPED = ("stopped", "the callback said stop: these are the best weights until then")
    INTERRUPTED = ("interrupted", "these are the best weights until then")
    OVERFLOW = ("overflow", "these are the last good weights: scale the columns, lower learning_rate, or set clip_norm")

    @classmethod
    def of(cls, label: str) -> Self:
        """Return the ending whose status a certificate has; ValueError for what is none."""
        for each in cls:
            if each.label == label:
                return each
        raise ValueError(f"a fit that ended in no known way, {label!r}")

    @property
    def label(self) -> str:
        """The status as a certificate has it."""
        return self.value[0]

    @property
    def advice(self) -> str:
        """What to do about it; nothing where nothing more was to be gained."""
        return self.value[1]

    @property
    def finished(self) -> bool:
        """Whether nothing more was to be gained."""
        return not self.advice


def select_epoch(epochs: Sequence[Epoch]) -> Epoch:
    """Return the epoch whose weights a fit keeps: of those with the lowest `watched` the first."""
    best = epochs[0]
    for each in epochs[1:]:
        if each.watched < best.watched or best.watched == float("inf"):
            best = each
    return best


# Below this share of the last layer's gradient a layer learns next to nothing; above the other one of units, too.
VANISHED, MOST = 1e-3, 0.5
_REMEDY = "scale the columns, or lower learning_rate"


def diagnose(epochs: Sequence[Epoch], activation: str) -> str:
    """Return what ails the network, in words; nothing where nothing does."""
    if not epochs:
        return ""
    last, found = epochs[-1], []
    above = last.gradient_norms[-1]
    for layer, norm in enumerate(last.gradient_norms[:-1], 1):
        if norm < VANISHED * above:
            share = "nothing" if norm == 0.0 else f"{norm / above:.1g}"
            found.append(
                f"gradients vanish: layer {layer} gets {share} of what the last layer gets: "
                + ("take fewer layers" if activation == "relu" else "activation='relu' or fewer layers help")
            )
            break
    for layer, (dead, idle) in enumerate(zip(last.dead, last.saturated, strict=True), 1):
        if dead > MOST:
            kind = "never active" if activation == "relu" else "always saturated"
            found.append(f"{100 * dead:.0f} % of the units of layer {layer} are dead ({kind}): {_REMEDY}")
        elif activation != "relu" and idle > MOST:
            found.append(f"units of layer {layer} are saturated on {100 * idle:.0f} % of the examples: {_REMEDY}")
    return "; ".join(found)


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
        _require_fit(self)
        return self.network_.output.name

    @property
    def loss_curve_(self) -> list[float]:
        """The mean error of each epoch, without the penalty."""
        _require_fit(self)
        return [epoch.loss for epoch in self.history_]

    @property
    def best_loss_(self) -> float | None:
        """The lowest of `loss_curve_`; None where validation data were watched instead."""
        watched = self._validation_errors() is not None
        return None if watched else min(self.loss_curve_, default=None)

    def _sizes(self) -> Any:
        _require_fit(self)
        return self.network_.sizes

    def _validation_errors(self) -> list[float] | None:
        """Return the error of validation data after each epoch; None where there were none."""
        _require_fit(self)
        errors = [epoch.validation_error for epoch in self.history_ if epoch.validation_error is not None]
        return errors or None


def _require_fit(model: Curves) -> None:
    check_is_fitted(model, "network_")
