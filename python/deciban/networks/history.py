"""What each epoch was like, and what that means in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Self


@dataclass(frozen=True)
class Epoch:
    """One pass over the examples.

    `loss` is the mean of 𝓔_n as met on the way, `error` the share of wrong labels, of regressions the mean
    squared error; the same of validation data, at the end of the epoch, or None without. `gradient_norms` (layers,):
    the root mean square, over the batches, of the length of ∂𝓔/∂W. `dead` (hidden layers,): the share of units that are
    idle on every example looked at; `saturated`: of pairs of unit and example that are idle
    (`deciban.networks.activations`). Looked at are at most 2,000 examples. `seconds` since the fit began. `penalty` is
    ½ λ Σ w² of the weights that it began with.
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
    OVERFLOW = ("overflow", "these are the last good weights: scale the columns, lower learning_rate, or set clip")

    @classmethod
    def of(cls, label: str) -> Self:
        """The ending whose status a certificate has; ValueError for what is none."""
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


def kept(epochs: Sequence[Epoch]) -> Epoch:
    """The epoch whose weights a fit keeps: of those with the lowest `watched` the first."""
    best = epochs[0]
    for each in epochs[1:]:
        if each.watched < best.watched or best.watched == float("inf"):
            best = each
    return best


# Below this share of the last layer's gradient a layer learns next to nothing; above the other one of units, too.
VANISHED, MOST = 1e-3, 0.5
_REMEDY = "scale the columns, or lower learning_rate"


def diagnosis(epochs: Sequence[Epoch], activation: str) -> str:
    """What ails the network, in words; nothing where nothing does."""
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
