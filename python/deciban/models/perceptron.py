"""The perceptron: a hyperplane that is put right whenever it is wrong."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.devices import asked_on_host
from deciban.losses import Floats, Loss, ZeroOne
from deciban.penalties import NoPenalty, Penalty
from deciban.solvers import Limits, Problem, Solution, Status
from deciban.solvers.online import scores_of, spread
from deciban.solvers.perceptron import Rosenblatt, Separation, State

from ..data.examples import Examples
from ..data.offered import offered_unless
from ..data.transaction import all_or_nothing
from .calibrated import held_out_temperature
from .linear import LinearClassifier
from .stream import next_examples

_ADVICE = {
    "plain": "no hyperplane may separate these data: pocket=True keeps the best one met, averaged=True the mean",
    "pocket": "the best hyperplane met; LogisticRegression and LinearSVM find the optimum of a convex error",
    "averaged": "the mean of the hyperplanes met; LogisticRegression and LinearSVM find the optimum of a convex error",
}


# Why there is no `partial_fit`.
_OF_THE_POCKET = "the pocket counts errors on all examples at once: pocket=True needs fit, or choose averaged=True"


class Perceptron(LinearClassifier):
    """sign(x·w + b), learnt from mistakes alone.

        for every example in turn:   while sign(x·w + b) ≠ y:   w ← w + y·x,   b ← b + y          sign(0) = +1

    It stops after a pass without a mistake; that comes if, and only if, a hyperplane separates the classes, and after
    at most (R/γ)² updates (Novikoff 1962): R is the length of the longest (x, 1), γ the widest margin.

    Parameters
    ----------
    pocket : keep, of all hyperplanes met, that of the fewest errors: for data that are not separable. Errors are
        counted after every update where the weights sum to 1,000 at most, so that none met is better; of more examples
        by the ratchet of Gallant (1990): whenever a run of right answers is longer than that of the hyperplane in the
        pocket, and after every pass.
    averaged : the mean of the hyperplanes after every visit (Freund & Schapire 1999), which generalises better.
    max_iter : passes at most. The plain rule that ends there warns (`ConvergenceWarning`): it has not separated the
        classes. With `pocket` or `averaged` it does not: there it is how long to look.
    shuffle : whether each pass is in a new order, of `random_state`.
    calibration : k > 1 fits A on k folds held out, so that A·(x·w + b) are log-odds; None: only margins.
    fit_intercept : whether b is learnt; else it is 0.
    class_weight : None, "balanced" (n / (C·n_c)) or a mapping from labels to weights.
    time_limit (seconds), callback(iteration, objective, gap) → stop? : other reasons to stop; the objective is the
        weight of the mistakes of a pass, and there is no gap.
    random_state : the seed of the orders; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    A sample of weight c may update c times a visit, the last time by what is left of c: weights mean repetition,
    exactly, as equal examples are visited together; with shuffle=False, where repetitions follow one another. Many
    classes: one against the rest. Attributes: those of `LinearClassifier`; `mistakes_` (K,), the updates;
    `novikoff_bound_` (K,), (R/γ)² for the margin γ of the last hyperplane, which the widest one is no less than: so no
    less than the updates; ∞ where the classes were not separated, or after `partial_fit`. The error is not convex: in
    `certificate_` the primal is the weight of the training errors, there is no dual, and `kkt_violation` is the length
    of the mean update that they ask for, ‖Σ_wrong c y (x, 1)‖ / Σc, which is 0 where nothing is wrong.

    Rosenblatt, Psychological Review 65 (1958).

    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> model = Perceptron(calibration=None, random_state=0).fit(X, [0, 0, 0, 1])
    >>> model.predict(X).tolist(), bool(model.mistakes_[0] <= model.novikoff_bound_[0])
    ([0, 0, 0, 1], True)
    """

    tol = 1.0

    def __init__(
        self,
        *,
        pocket: bool = False,
        averaged: bool = False,
        max_iter: int = 1000,
        shuffle: bool = True,
        calibration: int | None = 3,
        fit_intercept: bool = True,
        class_weight: Any = None,
        time_limit: float | None = None,
        callback: Any = None,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.pocket = pocket
        self.averaged = averaged
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.calibration = calibration
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.callback = callback
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def solver(self) -> Rosenblatt:  # type: ignore[override]
        """The rule."""
        if self.pocket and self.averaged:
            raise ValueError("pocket=True keeps one hyperplane and averaged=True the mean of all: choose one of them")
        return Rosenblatt(bool(self.pocket), bool(self.averaged), bool(self.shuffle))

    def _loss(self) -> Loss:
        return ZeroOne()

    def _penalty(self) -> Penalty:
        return NoPenalty()

    def _held_by(self) -> str:
        """Why its mistakes do not tell how many examples hold the boundary."""
        return "mistakes of many passes, in their order, made it"

    def _seeks_optimum(self) -> bool:
        """Whether passes are to end in one without mistakes; the pocket and the mean are for data that have none."""
        return not (self.pocket or self.averaged)

    def _probabilistic(self) -> bool:
        return self.calibration is not None and getattr(self, "temperature_", 1.0) is not None

    def _strength(self) -> float:
        return 1.0

    def _become(self, given: Examples, problems: list[Problem], solutions: list[Solution]) -> None:
        super()._become(given, problems, solutions)
        found = [solution for solution in solutions if isinstance(solution, Separation)]
        self.mistakes_ = np.array([solution.mistakes for solution in found])
        self.novikoff_bound_ = np.array([solution.novikoff_bound for solution in found])
        kind = "pocket" if self.pocket else "averaged" if self.averaged else "plain"
        exhausted = any(solution.status is Status.EXHAUSTED for solution in found)
        updates = [_update_asked_for(problem, each) for problem, each in zip(problems, solutions, strict=True)]
        advice = _ADVICE[kind] if exhausted else self._proof.advice
        self._proof = replace(self._proof, kkt_violation=max(updates), advice=advice)

    def _temperature(self, given: Examples, limits: Limits, seed: int) -> float | None:
        if self.calibration is None:
            return None
        return held_out_temperature(self, given, self.calibration, limits, seed)

    @asked_on_host
    def predict(self, X: Any) -> NDArray[Any]:
        """(N,) the label of the largest score; a score of 0 of two classes speaks for the second: sign(0) = +1."""
        s = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[(s >= 0.0).astype(np.intp) if s.ndim == 1 else s.argmax(axis=1)]
        return labels

    @offered_unless(lambda self: _OF_THE_POCKET if self.pocket else "")
    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """One pass over more examples. New labels bring new classes, each from zero, as if all seen before were the
        rest; `classes` declares labels that may come later. There is no calibration: probabilities need a `fit`. With
        `pocket` there is no such method: it counts errors on all examples at once."""
        with all_or_nothing(self):
            started = perf_counter()
            given, place = next_examples(self, X, y, sample_weight, classes)
            start = self._continued(given, place)
            limits = replace(self._limits(), max_iter=1)
            problems = self._problems(given)
            solutions = self._solve(problems, limits, start, self._seed())
            self._become(given, problems, solutions)
            self._proof = replace(self._proof, status=Status.STREAMED.name.lower())
            self.novikoff_bound_ = np.full(len(solutions), np.inf)
            self.temperature_ = None
            self._seconds = perf_counter() - started
        return self

    def _continued(self, given: Examples, place: Any) -> list[Solution]:
        """Where each problem goes on: where it ended, a new class at zero."""
        K, d = scores_of(len(given.labels)), given.X.shape[1]
        if place is None:
            return [_at(State.zero(d)) for _ in range(K)]
        states = [solution.state for solution in self.solution_ if isinstance(solution, Separation)]

        def column(name: str, mirrored: float) -> Floats:
            return spread(np.array([getattr(state, name) for state in states]), place, len(given.labels), mirrored)

        w, b, early, early_b = (column(name, -1.0) for name in ("w", "b", "early", "early_b"))
        visits, mistakes = column("visits", 1.0), column("mistakes", 1.0)
        return [
            _at(State(w[k], float(b[k]), early[k], float(early_b[k]), float(visits[k]), float(mistakes[k])))
            for k in range(K)
        ]


def _at(state: State) -> Separation:
    return Separation(state.w[None, :], np.array([state.b]), Status.STOPPED, 0, "perceptron", state=state)


def _update_asked_for(problem: Problem, solution: Solution) -> float:
    """‖Σ_wrong c y (x, 1)‖ / Σc."""
    wrong = problem.loss.value(problem.y, problem.scores(solution.w, solution.b)) > 0.0
    u = np.where(wrong, problem.c * problem.y, 0.0)
    constant = float(u.sum()) if problem.intercept else 0.0
    total = max(float(problem.c.sum()), np.finfo(float).tiny)
    return float(np.hypot(np.linalg.norm(problem.combination(u)), constant)) / total
