"""Epochs: every example once, in batches, until it no longer helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from math import isfinite, sqrt
from time import perf_counter
from typing import Any

import numpy as np

from deciban.blas import run_each
from deciban.data.devices import elsewhere, like, namespace, type_of
from deciban.threads import effective_threads

from .batches import LOOKED_AT, Batch, Rows, Shuffled, Steps, Streamed, slice_batch
from .history import Ending, Epoch
from .measures import Wrong, describe_overflow, is_finite, mean_errors, measure_units, square_length
from .network import Network
from .optimizers import Memory, Optimizer, Schedule
from .steps import Taken, count_at_once, is_for_core, take_steps

Watch = Callable[[Epoch, int], None]
"""Told of each epoch, and of how many there may be."""


@dataclass(frozen=True)
class Plan:
    """How to go down, and when to stop.

    schedule gives η of each epoch; decay λ is of the penalty ½ λ Σ w²; dropout the share of hidden units that each
    example goes without; clip_norm the longest gradient; weight_averaging ρ of the moving mean of the weights, or
    None; patience the epochs without a loss lower by the share tol. watch, or None, is called with each `Epoch` and
    `max_iter`.
    """

    optimizer: Optimizer
    schedule: Schedule
    decay: float
    dropout: float
    clip_norm: float | None
    weight_averaging: float | None
    max_iter: int
    patience: int
    tol: float
    time_limit: float | None
    callback: Any
    wrong: Wrong
    watch: Watch | None = None


class OutOfRangeError(Exception):
    """Numbers left the range; the text says where."""


class OutOfTimeError(Exception):
    """There is no more time."""


@dataclass
class Tally:
    """What an epoch sums on its way."""

    layers: int
    loss: float = 0.0
    wrong: float = 0.0
    weight: float = 0.0
    steps: int = 0
    squares: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.squares = [0.0] * self.layers

    def add(self, gradients: list[Any]) -> float:
        """Return the length of all of them."""
        self.steps += 1
        total = 0.0
        for k, g in enumerate(gradients):
            square = square_length(g)
            total = total + square
            if k % 2 == 0:
                self.squares[k // 2] = self.squares[k // 2] + square
        return sqrt(total) if isfinite(total) else float("inf")

    def add_taken(self, taken: Taken) -> None:
        """Add steps that the core took."""
        self.loss += taken.loss
        self.wrong += taken.wrong
        self.weight += taken.weight
        self.steps += taken.steps
        self.squares = [a + b for a, b in zip(self.squares, taken.squares, strict=True)]

    def norms(self) -> tuple[float, ...]:
        """Return the root mean square of the length of each layer's gradients."""
        return tuple(sqrt(float(each) / max(1, self.steps)) for each in self.squares)


class Training:
    """A network on its way: `network` at the best weights met, `history`, and how it `ending`s.

    `memory` and `random` go from one call to the next, so that learning on is what learning longer would have been.
    """

    def __init__(self, network: Network, plan: Plan, seed: int) -> None:
        self.network, self.plan = network, plan
        self.random = np.random.RandomState(seed % 2**32)
        self.memory = plan.optimizer.memory(network.parameters)
        self.history: list[Epoch] = []
        self.ending, self.where = Ending.EXHAUSTED, ""
        self.mean = _copies(network.parameters) if plan.weight_averaging is not None else None
        self.taken = 0
        self._seen: Any = None

    def go_on(self, memory: Memory, random: np.random.RandomState) -> None:
        """Go on from where another training ended, if it was of such steps and weights."""
        self.random = deepcopy(random)
        if len(memory.of) == len(self.memory.of) and all(
            type(a) is type(b) and a.shape == b.shape and a.dtype == b.dtype
            for a, b in zip(memory.of[0], self.memory.of[0], strict=True)
        ):
            self.memory = memory.copy()

    @np.errstate(all="ignore")  # what leaves the range is found, and told, by its layer
    def run(self, source: Shuffled | Streamed, validation: Rows | None = None) -> None:
        """Run all epochs. Ctrl-C, the time and numbers that leave the range end them, and the best weights are kept."""
        self._started, sample = perf_counter(), source.sample(self.random)
        best, lowest, without = _copies(self.network.parameters), float("inf"), 0
        try:
            for epoch in range(1, self.plan.max_iter + 1):
                penalty = self._penalty()
                told = replace(self._epoch(epoch, source, validation, sample), penalty=penalty)
                self.history.append(told)
                fallen = told.watched < lowest - self.plan.tol * abs(lowest) or lowest == float("inf")
                without = 0 if fallen else without + 1
                if told.watched < lowest or lowest == float("inf"):
                    lowest, best = told.watched, _copies(self._judge().parameters)
                self.plan.schedule.note_stall(without)
                if self.plan.watch is not None:
                    self.plan.watch(told, self.plan.max_iter)
                if self._find_ending(told, without, validation is not None):
                    break
        except (OutOfTimeError, KeyboardInterrupt) as reason:
            if type(reason) not in (OutOfTimeError, KeyboardInterrupt):
                raise  # another signal than Ctrl-C: the process is to end
            self.ending = Ending.OUT_OF_TIME if isinstance(reason, OutOfTimeError) else Ending.INTERRUPTED
            if not self.history and is_finite(self.network.parameters):
                best = _copies(self._judge().parameters)
        except OutOfRangeError as reason:
            self.ending, self.where = Ending.OVERFLOW, str(reason)
        self._set(best)

    def _penalty(self) -> float:
        """Return the two measures of the weights on which the next error is met: both are to fall together."""
        return 0.5 * self.plan.decay * sum(map(square_length, self.network.weights)) if self.plan.decay else 0.0

    def _find_ending(self, told: Epoch, without: int, watching: bool) -> bool:
        plan = self.plan
        told_loss = float("nan") if told.validation_loss is None else told.validation_loss
        if without >= plan.patience:
            self.ending = Ending.STOPPED_EARLY if watching else Ending.SETTLED
        elif plan.callback is not None and plan.callback(told.epoch, told.loss, told_loss):
            self.ending = Ending.STOPPED
        elif plan.time_limit is not None and told.seconds >= plan.time_limit:
            self.ending = Ending.OUT_OF_TIME
        return self.ending is not Ending.EXHAUSTED

    def _epoch(self, epoch: int, source: Shuffled | Streamed, validation: Rows | None, sample: Any) -> Epoch:
        tally, eta = Tally(len(self.network.weights)), self.plan.schedule(epoch)
        for steps in source.epoch(self.random):
            self._descend(steps, eta, tally)
        if not tally.steps:
            raise ValueError(
                "no batch came: an iterator lasts for one epoch; give a list, or something that begins anew"
            )
        judged = self._judge()
        loss, wrong = (None, None) if validation is None else mean_errors(judged, validation, self.plan.wrong)
        if loss is not None and not isfinite(loss):
            raise OutOfRangeError(f"the validation error left the range of {type_of(judged.weights[0])}")
        seen = self._seen.rows.at(self._seen.places[:LOOKED_AT]).x if sample is None else sample
        dead, idle, within = measure_units(judged, seen)
        if not within:
            raise OutOfRangeError(describe_overflow(judged, seen))
        mean_wrong = tally.wrong / tally.weight
        return Epoch(
            epoch,
            tally.loss / tally.weight,
            mean_wrong,
            loss,
            wrong,
            eta,
            tally.norms(),
            dead,
            idle,
            self._seconds(),
        )

    def _descend(self, steps: Steps, eta: float, tally: Tally) -> None:
        """Take steps: the core does, but for what it does not know."""
        self._seen = steps
        if self.plan.dropout or not is_for_core(self.network, steps.rows):
            for places in steps.each():
                self._step(steps.batch(places), eta, tally)
                self._check_time()
            return
        count = 1 if self.mean is not None else count_at_once(self.network, steps.size)
        for some in steps.stretches(count):
            self._steps(some, eta, tally)
            self._check_time()

    def _check_time(self) -> None:
        if self.plan.time_limit is not None and self._seconds() > self.plan.time_limit:
            raise OutOfTimeError

    def _steps(self, steps: Steps, eta: float, tally: Tally) -> None:
        plan = self.plan
        goes = plan.decay, plan.clip_norm, plan.wrong
        taken = take_steps(self.network, self.memory, plan.optimizer, steps, eta, *goes)
        tally.add_taken(taken)
        if taken.overflow:
            first = taken.steps * steps.size
            parts = steps.batch(steps.places[first : first + steps.size])
            raise OutOfRangeError(describe_overflow(self.network, *(part.x for part in parts)))
        if self.mean is not None:
            self._average()

    def _step(self, parts: list[Batch], eta: float, tally: Tally) -> None:
        count = sum(int(part.y.shape[0]) for part in parts)
        gradients = None
        for part, losses, h, found in self._gradients(parts, count):
            loss = float(namespace(losses).sum(losses * part.weight[:, 0]))
            if not isfinite(loss):
                raise OutOfRangeError(describe_overflow(self.network, part.x))
            tally.loss += loss
            tally.wrong += self.plan.wrong(h, part.y, part.weight)
            tally.weight += float(namespace(losses).sum(part.weight))
            gradients = found if gradients is None else [a + b for a, b in zip(gradients, found, strict=True)]
        assert gradients is not None
        length = tally.add(gradients)
        if self.plan.clip_norm is not None and length > self.plan.clip_norm:
            gradients = [g * (self.plan.clip_norm / length) for g in gradients]
        stepped = self.plan.optimizer.step(self.memory, self.network.parameters, gradients, eta, self.plan.decay)
        self._set(stepped)
        if self.mean is not None:
            self._average()

    def _gradients(self, parts: list[Batch], count: int) -> Iterator[tuple[Batch, Any, Any, list[Any]]]:
        """Yield for each part, or piece of it, the errors (n,), h (n, K), and the gradients. Pieces are as the shapes
        say, not the threads, and so are the sums."""

        def passed(piece: tuple[Batch, list[Any]]) -> tuple[Batch, Any, Any, list[Any]]:
            one, masks = piece
            with np.errstate(all="ignore"):  # another thread has settings of its own
                losses, _, h, found = self.network.gradients(one.x, one.y, one.weight / count, masks)
            return one, losses, h, found

        for part in parts:
            yield from run_each(passed, slice_batch(part, self._masks(part), self.network.weights), effective_threads())

    def _masks(self, part: Batch) -> list[Any]:
        """Return 1/(1 − p) for the hidden units that take part, 0 for the others (Srivastava and others, JMLR 15,
        2014)."""
        p = self.plan.dropout
        if not p:
            return []
        n, dtype = int(part.y.shape[0]), self.network.weights[0].dtype
        found = []
        for units in self.network.sizes[1:-1]:
            mask = (self.random.random_sample((n, units)) >= p) / (1.0 - p)
            found.append(like(mask, part.y, dtype) if elsewhere(part.y) else mask.astype(dtype))
        return found

    def _average(self) -> None:
        rho = self.plan.weight_averaging
        assert rho is not None
        assert self.mean is not None
        self.taken += 1
        share = (1.0 - rho) / (1.0 - rho**self.taken)  # the mean of t steps, though it began elsewhere
        pairs = zip(self.mean, self.network.parameters, strict=True)
        self.mean = [mean + share * (w - mean) for mean, w in pairs]

    def _judge(self) -> Network:
        """Return the network whose weights count: their mean where they are averaged."""
        if self.mean is None or not self.taken:
            return self.network
        return replace(self.network, weights=self.mean[::2], biases=self.mean[1::2])

    def _set(self, parameters: list[Any]) -> None:
        self.network.weights, self.network.biases = parameters[::2], parameters[1::2]

    def _seconds(self) -> float:
        return perf_counter() - self._started


def _copies(arrays: list[Any]) -> list[Any]:
    return [
        each.copy() if isinstance(each, np.ndarray) else namespace(each).asarray(each, copy=True) for each in arrays
    ]
