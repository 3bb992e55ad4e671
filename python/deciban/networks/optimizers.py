"""How weights go down their gradients.

    descent     v ← μ v − η g,     w ← w + v                      (Polyak 1964); Nesterov (1983): w ← w + μ v − η g
    adam        m ← β₁ m + (1 − β₁) g,     q ← β₂ q + (1 − β₂) g²
                w ← w − η m̂ / (√q̂ + ε),    m̂ = m/(1 − β₁ᵗ),  q̂ = q/(1 − β₂ᵗ)          (Kingma & Ba, ICLR 2015)

g is the gradient with that of the penalty, λw. Of NumPy's arrays a step is one pass of the core over w, g and what is
remembered, in place (`crates/core/src/solve/steps.rs`; floor: their bytes over the bandwidth, 24 a weight of float32
for Adam); of others it is these formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deciban import _core
from deciban.data.devices import namespace


class Memory:
    """What an optimizer remembers of each array of weights, and how many steps it has taken."""

    def __init__(self, parameters: list[Any], count: int) -> None:
        self.steps = 0
        self.of = [[namespace(w).zeros_like(w) for w in parameters] for _ in range(count)]

    def copied(self) -> Memory:
        """The same, that may be written over."""
        found = Memory([], 0)
        found.steps, found.of = self.steps, [[w + 0.0 for w in arrays] for arrays in self.of]
        return found


@dataclass(frozen=True)
class Descent:
    """Gradient descent with momentum μ; 0 is none."""

    momentum: float = 0.9
    nesterov: bool = False
    name: ClassVar[str] = "descent"
    rate: ClassVar[float] = 0.1

    def memory(self, parameters: list[Any]) -> Memory:
        """Nothing moves yet."""
        return Memory(parameters, 1)

    def step(self, memory: Memory, parameters: list[Any], gradients: list[Any], eta: float, decay: float) -> list[Any]:
        """The weights one step on. `decay` λ is of the penalty of the weights, each second array; biases have none."""
        memory.steps += 1
        (moving,) = memory.of
        mu, found = self.momentum, []
        for k, (w, g) in enumerate(zip(parameters, gradients, strict=True)):
            penalty = decay if k % 2 == 0 else 0.0
            if isinstance(w, np.ndarray):
                _core.momentum_step(w, _whole(g), moving[k], eta, mu, penalty, self.nesterov)
                found.append(w)
                continue
            g = g + penalty * w
            moving[k] = mu * moving[k] - eta * g
            found.append(w + (mu * moving[k] - eta * g if self.nesterov else moving[k]))
        return found


@dataclass(frozen=True)
class Adam:
    """Steps in units of what the gradients of each weight were like of late."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    name: ClassVar[str] = "adam"
    rate: ClassVar[float] = 0.001

    def memory(self, parameters: list[Any]) -> Memory:
        """No gradient has been seen."""
        return Memory(parameters, 2)

    def step(self, memory: Memory, parameters: list[Any], gradients: list[Any], eta: float, decay: float) -> list[Any]:
        """The weights one step on. `decay` λ is of the penalty of the weights, each second array; biases have none."""
        memory.steps += 1
        mean, square = memory.of
        first, second = 1.0 - self.beta1**memory.steps, 1.0 - self.beta2**memory.steps
        eta, scale, found = eta / first, second**-0.5, []
        for k, (w, g) in enumerate(zip(parameters, gradients, strict=True)):
            penalty = decay if k % 2 == 0 else 0.0
            if isinstance(w, np.ndarray):
                numbers = eta, scale, self.beta1, self.beta2, self.epsilon, penalty
                _core.adam_step(w, _whole(g), mean[k], square[k], *numbers)
                found.append(w)
                continue
            g = g + penalty * w
            mean[k] = self.beta1 * mean[k] + (1.0 - self.beta1) * g
            square[k] = self.beta2 * square[k] + (1.0 - self.beta2) * (g * g)
            found.append(w - eta * mean[k] / (scale * namespace(w).sqrt(square[k]) + self.epsilon))
        return found


@dataclass(frozen=True)
class FullBatch:
    """L-BFGS, whose steps are of all examples (`quasi_newton`): there is none of one batch."""

    name: ClassVar[str] = "lbfgs"
    rate: ClassVar[float] = 1.0

    def memory(self, parameters: list[Any]) -> Memory:
        """Nothing goes from one fit to the next."""
        return Memory(parameters, 0)

    def step(self, memory: Memory, parameters: list[Any], gradients: list[Any], eta: float, decay: float) -> list[Any]:
        """ValueError: it learns in no batches."""
        raise ValueError(IN_NO_BATCHES)


IN_NO_BATCHES = "solver='lbfgs' takes all examples at once: choose 'adam' or 'descent' to learn in batches"


def _whole(g: Any) -> Any:
    return np.ascontiguousarray(g)


Optimizer = Descent | Adam | FullBatch
OPTIMIZERS: tuple[type[Optimizer], ...] = (Descent, Adam)


def by_name(name: Any, momentum: Any, nesterov: Any) -> Optimizer:
    """The optimizer called `name`; ValueError for other names and for a momentum that never ends."""
    if not isinstance(name, str) or name not in ("descent", "adam", "lbfgs"):
        raise ValueError(f"solver must be one of 'descent', 'adam', 'lbfgs', got {name!r}")
    number = isinstance(momentum, int | float | np.integer | np.floating) and not isinstance(momentum, bool)
    if not number or not 0.0 <= momentum < 1.0:
        raise ValueError(f"momentum must be from 0 to below 1, got {momentum!r}")
    if name == "lbfgs":
        return FullBatch()
    return Adam() if name == "adam" else Descent(float(momentum), bool(nesterov))
