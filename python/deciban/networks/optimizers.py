"""How weights go down their gradients, and how long a step is from epoch to epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi
from typing import Any, ClassVar

import numpy as np

from deciban import _core
from deciban.data.devices import namespace

NAMES = ("constant", "inverse", "cosine", "plateau")
# An error is said to fall when it is lower by this share than ever before.
PATIENCE, SHARE = 2, 0.2


@dataclass
class Schedule:
    """η of each epoch t = 1 … T, from the first one's η₁.

    "constant"     η₁
    "inverse"      η₁ / (1 + 4 (t − 1)/T): a fifth of it in the end          (Robbins & Monro 1951)
    "cosine"       η₁ (1 + cos(π (t − 1)/T)) / 2                              (Loshchilov & Hutter, ICLR 2017)
    "plateau"      a fifth of what it was whenever the error has not fallen for two epochs
    a function     η₁ · f(t), t from 1
    """

    rule: str | Callable[[int], float]
    first: float
    epochs: int
    lowered: int = 0

    def __call__(self, epoch: int) -> float:
        """Return η of an epoch."""
        done = (epoch - 1) / self.epochs
        if callable(self.rule):
            return self.first * float(self.rule(epoch))
        if self.rule == "inverse":
            return self.first / (1.0 + 4.0 * done)
        if self.rule == "cosine":
            return self.first * 0.5 * (1.0 + cos(pi * done))
        return self.first * SHARE**self.lowered

    def note_stall(self, without: int) -> None:
        """Note that for so many epochs the error has not fallen."""
        if self.rule == "plateau" and without and without % PATIENCE == 0:
            self.lowered += 1


def schedule(rule: Any, first: float, epochs: int) -> Schedule:
    """Return the schedule of that name or function; ValueError for what is neither."""
    if not callable(rule) and (not isinstance(rule, str) or rule not in NAMES):
        known = ", ".join(map(repr, NAMES))
        raise ValueError(f"schedule must be one of {known}, or a function of the epoch, got {rule!r}")
    return Schedule(rule, first, epochs)


class Memory:
    """What an optimizer remembers of each array of weights, and how many steps it has taken."""

    def __init__(self, parameters: list[Any], count: int) -> None:
        self.steps = 0
        self.of = [[namespace(w).zeros_like(w) for w in parameters] for _ in range(count)]

    def copy(self) -> Memory:
        """Return the same, that may be written over."""
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
        """Return the memory of a descent where nothing moves yet."""
        return Memory(parameters, 1)

    def numbers(self, memory: Memory, eta: float) -> tuple[float, float, bool]:
        """Return what the core's steps go by."""
        return eta, self.momentum, self.nesterov

    def step(self, memory: Memory, parameters: list[Any], gradients: list[Any], eta: float, decay: float) -> list[Any]:
        """Return the weights one step on. `decay` λ is of the penalty of the weights, each second array; biases have
        none."""
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
        """Return the memory of a descent that has seen no gradient."""
        return Memory(parameters, 2)

    def numbers(self, memory: Memory, eta: float) -> tuple[float, float, float, float, float]:
        """Return what the core's steps go by."""
        return eta, self.beta1, self.beta2, self.epsilon, float(memory.steps)

    def step(self, memory: Memory, parameters: list[Any], gradients: list[Any], eta: float, decay: float) -> list[Any]:
        """Return the weights one step on. `decay` λ is of the penalty of the weights, each second array; biases have
        none."""
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
        """Return an empty memory: nothing goes from one fit to the next."""
        return Memory(parameters, 0)

    def numbers(self, memory: Memory, eta: float) -> tuple[float, ...]:
        """Raise a ValueError: it learns in no batches."""
        raise ValueError(IN_NO_BATCHES)

    def step(self, memory: Memory, parameters: list[Any], gradients: list[Any], eta: float, decay: float) -> list[Any]:
        """Raise a ValueError: it learns in no batches."""
        raise ValueError(IN_NO_BATCHES)


IN_NO_BATCHES = "solver='lbfgs' takes all examples at once: choose 'adam' or 'descent' to learn in batches"


def _whole(g: Any) -> Any:
    return np.ascontiguousarray(g)


Optimizer = Descent | Adam | FullBatch
OPTIMIZERS: tuple[type[Optimizer], ...] = (Descent, Adam)


def by_name(name: object, momentum: Any, nesterov: Any) -> Optimizer:
    """Return the optimizer called `name`; ValueError for other names and for a momentum that never ends."""
    if not isinstance(name, str) or name not in ("descent", "adam", "lbfgs"):
        raise ValueError(f"solver must be one of 'descent', 'adam', 'lbfgs', got {name!r}")
    number = isinstance(momentum, int | float | np.integer | np.floating) and not isinstance(momentum, bool)
    if not number or not 0.0 <= momentum < 1.0:
        raise ValueError(f"momentum must be from 0 to below 1, got {momentum!r}")
    if name == "lbfgs":
        return FullBatch()
    return Adam() if name == "adam" else Descent(float(momentum), bool(nesterov))
