"""The perceptron: weights that are put right whenever they are wrong.

    for every example in turn:   while sign(x·w + b) ≠ y:   w ← w + y·x,   b ← b + y          sign(0) = +1

Rosenblatt, Psychological Review 65 (1958). Novikoff (1962): if some (u, β) of length 1 has y (x·u + β) ≥ γ > 0 on all
examples, there are at most (R/γ)² updates, R the length of the longest (x, 1). The pocket is that of Gallant, IEEE
Trans. Neural Networks 1 (1990), with ratchet; the average that of Freund & Schapire, Machine Learning 37 (1999).
The loops are the core's (`crates/core/src/solve/perceptron.rs`).

Cost: an update, and a look at an example, are what a row stores; of the pocket a count of errors besides, which is
a look at every example: after every update up to 1,000 repetitions (Σ c), so that it is the best of all weights met;
of more, by Gallant's ratchet, after every run of right answers longer than that of the weights in the pocket, and after
every pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from deciban import _core
from deciban.losses import Floats, Perceptron, ZeroOne

from .limits import Watch
from .problem import Limits, Problem, Solution
from .reduction import Merged

NAME = "perceptron"
EXACT = False
# So many times as many passes as all up to the best one follow it, before the mean is taken.
_FORGETS = 4
# As many passes as visit so many examples are awaited at least: few examples that a hyperplane separates need them, and
# they cost little. Of 59 small separable problems 5 passes separate 31, with this 41.
_VISITS = 2000


@dataclass(frozen=True)
class State:
    """The last weights, the early ones u (the mean of all is w − u/t), visits t, and updates."""

    w: Floats
    b: float
    early: Floats
    early_b: float
    visits: float = 0.0
    mistakes: float = 0.0

    @classmethod
    def zero(cls, d: int) -> Self:
        """Return the state before anything is learnt."""
        return cls(np.zeros(d), 0.0, np.zeros(d), 0.0)

    @property
    def mean(self) -> tuple[Floats, float]:
        """The mean of the weights after every visit."""
        t = max(self.visits, np.finfo(float).tiny)
        return self.w - self.early / t, self.b - self.early_b / t


@dataclass(frozen=True)
class Separation(Solution):
    """A solution with its `mistakes` (updates) and `novikoff_bound`: (R/γ)² ≥ mistakes for the γ of the last weights,
    which is no larger than the largest there is; ∞ where they do not separate the data. `state` continues it."""

    mistakes: float = 0.0
    novikoff_bound: float = np.inf
    state: State | None = None


@dataclass(frozen=True)
class Rosenblatt:
    """The rule, and which of the weights it met are wanted: the last, with `pocket` those of the fewest errors, with
    `averaged` the mean. Each pass is in an order of its own, or with `shuffle=False` in that of the examples.

    An example of weight c takes at most c updates a visit, the last by what is left of c: weights are repetitions.
    Shuffled, equal examples are visited together and orders are of their values, so that this is exact; with
    `shuffle=False` it is where repetitions stand one behind the other. It ends, too, after `patience` passes, of few
    examples as many as visit 2,000, and as many as all up to the best one (for the mean, which forgets slowly, four
    times as many), without markedly fewer mistakes: a tenth, or of more than a hundred as many as their root, which is
    what passes differ by chance; None: it does not.
    """

    pocket: bool = False
    averaged: bool = False
    shuffle: bool = True
    patience: int | None = None
    NAME = NAME

    def refusal(self, problem: Problem) -> str | None:
        """Return what the problem lacks, or None."""
        if not isinstance(problem.loss, ZeroOne) and type(problem.loss) is not Perceptron:
            return f"counts mistakes: its loss is 'zero_one' or 'perceptron', not {problem.loss.name!r}"
        if problem.offset is not None:
            return "takes scores without an offset"
        if problem.penalty.l1 or problem.penalty.l2:
            return f"has no penalty; {problem.penalty.name!r} is one"
        return None

    def solve(self, problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Separation:
        """Make passes until one is without mistakes (converged: the data are separated), from where `start` ended."""
        merged = Merged.of_problem(problem).problem
        if self.shuffle:  # orders of the same examples, however these come
            problem = merged
        watch = Watch(limits)
        state = _start_state(problem, start)
        d = problem.shape[1]
        early = (state.early, state.early_b) if self.averaged else (np.zeros(0), 0.0)
        last, early, visits, mistakes, best, passes, bound, ending = _core.perceptron(
            problem.rows,
            problem.y,
            problem.c,
            (state.w, state.b),
            early,
            state.visits,
            state.mistakes,
            intercept=problem.intercept,
            shuffle=seed if self.shuffle else None,
            pocket=self.pocket,
            max_iter=limits.max_iter,
            patience=None if self.patience is None else self._patience(int((merged.c > 0.0).sum()), self.patience),
            watch=watch.for_core(),
            n_jobs=problem.n_jobs,
        )
        state = State(*last, *(early if self.averaged else (np.zeros(d), 0.0)), visits, mistakes)
        w, b = state.mean if self.averaged else best
        status = watch.ended(ending)
        given = (w[None, :], np.array([b]), status, passes, NAME, None, tuple(watch.trace))
        return Separation(*given, mistakes, bound, state)

    def _patience(self, examples: int, passes: int) -> tuple[int, int]:
        """Return after how many passes without fewer mistakes it ends, and how many times those up to the best."""
        return max(passes, -(-_VISITS // max(examples, 1))), _FORGETS if self.averaged else 1


def _start_state(problem: Problem, start: Solution | None) -> State:
    if isinstance(start, Separation) and start.state is not None:
        return start.state
    d = problem.shape[1]
    if start is None:
        return State.zero(d)
    return State(np.ascontiguousarray(start.w[0]), float(start.b[0]), np.zeros(d), 0.0)


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    return Rosenblatt().refusal(problem)


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Separation:
    """Return the last weights of the plain rule, in shuffled passes."""
    return Rosenblatt().solve(problem, limits, start, seed)
