"""Several learners on the same folds: what each says of every example by models that did not learn it, and how fast."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from types import FrameType, TracebackType
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from deciban.theory.expected_errors import draw_order
from deciban.theory.statement import whole

from ..data.convergence import warn_once
from .suspects import Floats, Integers, Labelled


class Interruption:
    """Remembers that a signal came, also where what it interrupted goes on: `check()` interrupts again then.

    Looks in the main thread only, at the signals that somebody in Python is told of; that one is told, too.

    >>> with Interruption() as interruption:
    ...     interruption.check()
    """

    def __init__(self) -> None:
        self.came: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if callable(before := signal.getsignal(number)):
                    self._before[number] = before
                    signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.came = number
        self._before[number](number, frame)

    def check(self) -> None:
        """Raise KeyboardInterrupt, or what whoever is told of the signal raises, if one came."""
        if self.came is not None:
            self._before[self.came](self.came, None)
            raise KeyboardInterrupt


# What is impossible to a model costs −log of this, 708.4 nats, as in `evaluate`.
_SMALLEST = float(np.log(np.finfo(np.float64).tiny))
_SIZES = 4


class FoldPrediction(NamedTuple):
    """Predictions of n examples: winners (n,) as class indices, log_p (n, C) or None, and their seconds."""

    winners: Integers
    log_p: Floats | None
    seconds: float


class Size(NamedTuple):
    """Bytes of a model: of its file, or estimated from the arrays that it holds."""

    bytes: int
    of_file: bool


class FittedLearner(Protocol):
    """A learner fitted to some of the examples."""

    def judge(self, rows: Integers) -> FoldPrediction:
        """Predict these examples."""

    def size(self) -> Size:
        """Return its size."""


class Learner(Protocol):
    """A way to learn examples that it knows by their places."""

    @property
    def name(self) -> str:
        """What it is called."""

    def learn(self, rows: Integers) -> FittedLearner:
        """Fit the learner to these examples; ValueError where it cannot be."""


class Fit(NamedTuple):
    """A fit that is done: `done` of `total`, that of `model`, on `n` examples, in `seconds` since all began."""

    model: str
    n: int
    done: int
    total: int
    seconds: float


Callback = Callable[[Fit], Any]


@dataclass(frozen=True)
class Plan:
    """A cross-validation: repeats × folds, and sizes of training sets for the learning curves, None for five."""

    folds: int
    repeats: int = 1
    sizes: tuple[int, ...] | None = None
    seed: int = 0

    def check(self) -> None:
        """Raise ValueError for what makes no sense."""
        whole("folds", self.folds, 2)
        whole("repeats", self.repeats)
        whole("seed", self.seed, 0)
        for size in self.sizes or ():
            whole("sizes", size, 2)
        if list(self.sizes or ()) != sorted(set(self.sizes or ())):
            raise ValueError(
                f"sizes must be numbers of examples, each larger than the one before, got {list(self.sizes or ())!r}"
            )


@dataclass(frozen=True, eq=False)
class Pass:
    """All N examples judged once: the fold of each, winners (N,), losses (N,) −log p(y | x) in nats or None, seconds of
    each fit and of judging all."""

    fold: Integers
    winners: Integers
    losses: Floats | None
    fits: tuple[float, ...]
    judging: float


@dataclass(eq=False)
class Outcome:
    """The outcome of a learner: a pass for each repeat and each size; log_p (N, C) of the first pass."""

    passes: list[Pass] = field(default_factory=list)
    curve: dict[int, Pass] = field(default_factory=dict)
    log_p: Floats | None = None
    size: Size | None = None
    refusal: str = ""


class _StoppedError(Exception):
    """No time is left, or the callback said stop."""


@dataclass(eq=False)
class CrossValidation:
    """The work, and what is done of it; `ended` is empty, "time", "callback" or "interrupt".

    learnable (N,)  which examples are learnt where they are not held out, such as the first of equal ones
    """

    labelled: Labelled
    learners: Sequence[Learner]
    plan: Plan
    time_limit: float | None = None
    callback: Callback | None = None
    learnable: NDArray[np.bool_] | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    ended: str = ""

    def __post_init__(self) -> None:
        self.plan.check()
        self.y = self.labelled.y
        self.fold = self.labelled.fold(self.plan.folds, self.plan.seed)
        self.orders = [self._order(k) for k in range(self.plan.folds)]
        self.pool = min(map(len, self.orders))
        self.sizes = self._sizes()
        self._done, self._stop = 0, False
        self._total = len(self.learners) * self._each()

    def _each(self) -> int:
        """Return the number of fits of a learner."""
        return self.plan.folds * (self.plan.repeats + len(self.sizes))

    @warn_once()
    def run(self) -> None:
        """Fit and judge: all folds of each learner, then the other repeats, then the curves from the smallest size.

        A pass that is not finished does not count. Ctrl-C before any learner has finished is Ctrl-C.
        """
        self._started = perf_counter()
        with Interruption() as self._interruption:
            try:
                self._all()
            except _StoppedError as reason:
                self.ended = str(reason)
            except KeyboardInterrupt as reason:
                if type(reason) is not KeyboardInterrupt or not self._some():
                    raise
                self.ended = "interrupt"

    def _some(self) -> bool:
        """Return whether a learner has finished."""
        return any(each.passes for each in self.outcomes.values())

    def _all(self) -> None:
        for learner in self.learners:
            self._try_learner(learner)
        for repeat in range(1, self.plan.repeats):
            self._again(self.labelled.fold(self.plan.folds, self.plan.seed + repeat))
        for size in self.sizes:
            for each in self._list_finished():
                with suppress(ValueError):  # too few to learn from: a gap in the curve
                    self.outcomes[each.name].curve[size] = self._pass(each, self.fold, size)[0]

    def _again(self, fold: Integers) -> None:
        """Run another repeat, which counts once all have finished it; a model that refuses it is left out."""
        done, refused = {}, {}
        for each in self._list_finished():
            try:
                done[each.name] = self._pass(each, fold)[0]
            except ValueError as error:
                refused[each.name] = _describe_refusal(error)
        for name, one in done.items():
            self.outcomes[name].passes.append(one)
        for name, reason in refused.items():
            self.outcomes[name] = Outcome(refusal=reason)

    def _list_finished(self) -> list[Learner]:
        return [each for each in self.learners if self.outcomes[each.name].passes]

    def _try_learner(self, learner: Learner) -> None:
        outcome, before = Outcome(), self._done
        self.outcomes[learner.name] = outcome
        try:
            done, outcome.log_p, learnt = self._pass(learner, self.fold)
        except ValueError as error:
            outcome.refusal = _describe_refusal(error)
            self._total -= self._each() - (self._done - before)
            if learner is self.learners[-1] and not self._some():
                raise
        else:
            outcome.size = learnt.size()
            outcome.passes.append(done)

    def _pass(
        self, learner: Learner, fold: Integers, size: int | None = None
    ) -> tuple[Pass, Floats | None, FittedLearner]:
        """Judge every example by what learnt none of its fold, from `size` examples where that is given; all
        log p, and what learnt last."""
        N, C = len(self.y), len(self.labelled.classes)
        winners, log_p, seconds, judging = np.empty(N, np.intp), np.empty((N, C)), list[float](), 0.0
        for k in range(self.plan.folds):
            inside = self._inside(fold, k) if size is None else np.sort(self.orders[k][:size])
            learnt = self._fit_learner(learner, inside, seconds)
            outside = np.flatnonzero(fold == k)
            said = learnt.judge(outside)
            self._interruption.check()
            winners[outside] = said.winners
            log_p[outside] = np.nan if said.log_p is None else said.log_p
            judging += said.seconds
            self._tell(learner.name, len(inside))
        told = None if np.isnan(log_p).any() else log_p
        losses = None if told is None else -np.maximum(told[np.arange(N), self.y], _SMALLEST)
        return Pass(fold, winners, losses, tuple(seconds), judging), told, learnt

    def _fit_learner(self, learner: Learner, inside: Integers, seconds: list[float]) -> FittedLearner:
        """Fit a learner, unless it is time to stop. The first learner has all the time that it needs."""
        begun = perf_counter()
        late = self.time_limit is not None and begun - self._started >= self.time_limit
        if self._stop or (late and self._some()):
            raise _StoppedError("callback" if self._stop else "time")
        learnt = learner.learn(inside)
        seconds.append(perf_counter() - begun)
        self._interruption.check()
        return learnt

    def _tell(self, name: str, n: int) -> None:
        self._done += 1
        if self.callback is not None:
            fit = Fit(name, n, self._done, self._total, perf_counter() - self._started)
            self._stop = bool(self.callback(fit)) or self._stop

    # --- which examples --------------------------------------------------------------------------------------

    def _inside(self, fold: Integers, k: int) -> Integers:
        inside = fold != k
        return np.flatnonzero(inside if self.learnable is None else inside & self.learnable)

    def _order(self, k: int) -> Integers:
        """Return the training examples of fold k in random order, each beginning with the classes in proportion."""
        inside = self._inside(self.fold, k)
        return inside[draw_order(self.y[inside], np.random.default_rng([self.plan.seed, k]), True)]

    def _sizes(self) -> tuple[int, ...]:
        if self.plan.sizes is None:
            halves = sorted({self.pool >> k for k in range(1, _SIZES + 1)})
            return tuple(size for size in halves if size >= 2 and self._classes(size) == len(self.labelled.classes))
        sizes = [whole("sizes", size, 2, self.pool) for size in self.plan.sizes]
        for size in sizes:
            if self._classes(size) < 2:
                raise ValueError(f"sizes must be large enough to draw two classes; {size} examples had one")
        return tuple(size for size in sizes if size < self.pool)

    def _classes(self, size: int) -> int:
        return min(len(np.unique(self.y[each[:size]])) for each in self.orders)

    def training_sizes(self) -> Iterator[int]:
        """Return the number of training examples of each fold."""
        return (len(each) for each in self.orders)


def _describe_refusal(error: ValueError) -> str:
    return str(error) or type(error).__name__
