"""The perceptron: a hyperplane that is put right whenever it is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.certificates.bound import Facts
from deciban.data.declared_types import parameters
from deciban.data.devices import ask_on_host
from deciban.data.refusal import check_whole
from deciban.data.rows import Rows
from deciban.losses import Floats, Loss, ZeroOne
from deciban.penalties import NoPenalty, Penalty
from deciban.solvers import Problem, Solution, Status
from deciban.solvers.online import scores_of, spread
from deciban.solvers.perceptron import Rosenblatt, Separation, State
from deciban.solvers.problem import Callback

from ..data.examples import RowExamples
from ..data.offered import offer_unless
from ..data.transaction import all_or_nothing
from .linear import LinearClassifier
from .stream import next_examples

_ADVICE = {
    "plain": "no hyperplane may separate these data: pocket=True keeps the best one met, averaged=True the mean",
    "pocket": "the best hyperplane met; LogisticRegression and LinearSVM find the optimum of a convex error",
    "averaged": "the mean of the hyperplanes met; LogisticRegression and LinearSVM find the optimum of a convex error",
}


# Why there is no `partial_fit`.
_OF_THE_POCKET = "the pocket counts errors on all examples at once: pocket=True needs fit, or choose averaged=True"


@parameters
class Perceptron(LinearClassifier):
    """The perceptron, sign(x·w + b), fitted by its mistakes alone.

        for every example in turn:   while sign(x·w + b) ≠ y:   w ← w + y·x,   b ← b + y          sign(0) = +1

    It stops after a pass without a mistake; that comes if, and only if, a hyperplane separates the classes and
    `n_iter_no_change` is patient enough, and after at most (R/γ)² updates (Novikoff 1962): R is the length of the
    longest (x, 1), γ the widest margin. A sample of
    weight c may update c times a visit, the last time by what is left of c: weights mean repetition, exactly, as equal
    examples are visited together; with shuffle=False, where repetitions follow one another. Many classes: one against
    the rest.

    The error is not convex: in `certificate_` the primal is the weight of the training errors, there is no dual, and
    `kkt_violation` is the length of the mean update that they ask for, ‖Σ_wrong c y (x, 1)‖ / Σc, which is 0 where
    nothing is wrong. Rosenblatt, Psychological Review 65 (1958).

    Parameters
    ----------
    pocket : bool, default=False
        Whether to keep, of all hyperplanes met, that of the fewest errors: for data that are not separable. Errors are
        counted after every update where the weights sum to 1,000 at most, so that none met is better; of more examples
        by the ratchet of Gallant (1990): whenever a run of right answers is longer than that of the hyperplane in the
        pocket, and after every pass.
    averaged : bool, default=False
        Whether to return the mean of the hyperplanes after every visit (Freund & Schapire 1999), which generalises
        better.
    max_iter : int, default=1000
        Largest number of passes. The plain rule that ends there warns (`ConvergenceWarning`): it has not separated the
        classes. With `pocket` or `averaged` it does not.
    n_iter_no_change : int, default=5
        It ends, too, after so many passes, of fewer than 400 examples as many as visit 2,000, and as many as all up to
        the best one, without markedly fewer mistakes (of the pocket, errors; with `averaged`, four times as many as all
        up to the best one): where no hyperplane separates the classes, more passes bring nothing. Markedly fewer are a
        tenth, or of more than a hundred as many as their root: less is what passes differ by chance. With `max_iter` or
        more it never does.
    shuffle : bool, default=True
        Whether each pass is in a new order.
    calibration : "temperature" or None, default="temperature"
        Temperature scaling on held-out examples, so that A·(x·w + b) are log-odds: it makes probabilities, and evidence
        in decibans. None: only margins, and less time.
    calibration_folds : int, default=3
        Number of folds for the calibration, at least 2. Equal examples share a fold. Only so many folds are held out as
        have 5,000 examples together, 500 of them outside the most frequent class.
    fit_intercept : bool, default=True
        Whether there is an intercept b; else it is 0.
    class_weight : "balanced" or mapping of label to float, optional
        Weights of classes; "balanced" is n / (C·n_c).
    time_limit : float, optional
        Largest number of seconds.
    callback : callable, optional
        Called as `callback(iteration, objective, gap)`; training stops when it returns something true. The objective is
        the weight of the mistakes of a pass, and there is no gap.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights w; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts b.
    n_iter_ : ndarray of int
        Number of iterations of each problem.
    status_ : str
        How the fit ended.
    solution_ : list of Solution
        Solution of each problem.
    scorer_ : Score
        The compiled score, for predictions and explanations.
    certificate_ : Certificate
        Objective, duality gap, and how the fit ended.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X had names.
    mistakes_ : ndarray of shape (n_problems,)
        Number of updates.
    novikoff_bound_ : ndarray of shape (n_problems,)
        Bound (R/γ)² on the updates, for the margin γ of the last hyperplane, which is at most the widest; ∞ where the
        classes were not separated, or after `partial_fit`.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> model = Perceptron(calibration=None, random_state=0).fit(X, [0, 0, 0, 1])
    >>> model.predict(X).tolist(), bool(model.mistakes_[0] <= model.novikoff_bound_[0])
    ([0, 0, 0, 1], True)
    """

    _: KW_ONLY
    pocket: bool = False
    averaged: bool = False
    max_iter: int = 1000
    n_iter_no_change: int = 5
    shuffle: bool = True
    calibration: str | None = "temperature"
    calibration_folds: int = 3
    fit_intercept: bool = True
    class_weight: Mapping[Any, float] | str | None = None
    time_limit: float | None = None
    callback: Callback | None = None
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    tol = 1.0

    @property
    def solver(self) -> Rosenblatt:  # type: ignore[override]
        """The rule."""
        if self.pocket and self.averaged:
            raise ValueError("pocket=True keeps one hyperplane and averaged=True the mean of all: choose one of them")
        patience = check_whole("n_iter_no_change", self.n_iter_no_change)
        return Rosenblatt(bool(self.pocket), bool(self.averaged), bool(self.shuffle), patience)

    def _loss(self) -> Loss:
        return ZeroOne()

    def _penalty(self) -> Penalty:
        return NoPenalty()

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        return replace(super().facts_, support="mistakes of many passes, in their order, made it")

    def _seeks_optimum(self) -> bool:
        """Return whether passes are to end in one without mistakes; the pocket and the mean never need to."""
        return not (self.pocket or self.averaged)

    def _strength(self) -> float:
        return 1.0

    def _become(self, given: RowExamples, problems: list[Problem], solutions: list[Solution]) -> None:
        super()._become(given, problems, solutions)
        found = [solution for solution in solutions if isinstance(solution, Separation)]
        self.mistakes_ = np.array([solution.mistakes for solution in found])
        self.novikoff_bound_ = np.array([solution.novikoff_bound for solution in found])
        kind = "pocket" if self.pocket else "averaged" if self.averaged else "plain"
        exhausted = any(solution.status is Status.EXHAUSTED for solution in found)
        if exhausted:
            self._proof = replace(self._proof, advice=_ADVICE[kind])

    def _note_scores(
        self, given: RowExamples, problems: list[Problem], solutions: list[Solution], scores: list[Floats]
    ) -> None:
        updates = [_update_asked_for(problem, s) for problem, s in zip(problems, scores, strict=True)]
        self._proof = replace(self._proof, kkt_violation=max(updates))

    @ask_on_host
    def predict(self, X: Rows) -> NDArray[Any]:
        """Predict the label of the largest score; a score of 0 of two classes is for the second: sign(0) = +1.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            RowExamples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        s = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[(s >= 0.0).astype(np.intp) if s.ndim == 1 else s.argmax(axis=1)]
        return labels

    @offer_unless(lambda self: _OF_THE_POCKET if self.pocket else "")
    def partial_fit(
        self, X: Rows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Make one pass over more examples. New labels bring new classes, each from zero, as if all seen before were
        the rest; `classes` declares labels that may come later. There is no calibration: probabilities need a `fit`.
        With `pocket` there is no such method: it counts errors on all examples at once."""
        with all_or_nothing(self):
            started = perf_counter()
            given, place = next_examples(self, X, y, sample_weight, classes)
            start = self._resume(given, place)
            limits = replace(self._limits(), max_iter=1)
            problems = self._problems(given)
            solutions = self._solve(problems, limits, start, self._seed())
            self._become(given, problems, solutions)
            self._proof = replace(self._proof, status=Status.STREAMED.name.lower())
            self.novikoff_bound_ = np.full(len(solutions), np.inf)
            self.temperature_ = None
            self._seconds = perf_counter() - started
        return self

    def _resume(self, given: RowExamples, place: Any) -> list[Solution]:
        """Return where each problem goes on: where it ended, a new class at zero."""
        K, d = scores_of(len(given.classes)), given.X.shape[1]
        if place is None:
            return [_at(State.zero(d)) for _ in range(K)]
        states = [solution.state for solution in self.solution_ if isinstance(solution, Separation)]

        def column(name: str, mirrored: float) -> Floats:
            return spread(np.array([getattr(state, name) for state in states]), place, len(given.classes), mirrored)

        w, b, early, early_b = (column(name, -1.0) for name in ("w", "b", "early", "early_b"))
        visits, mistakes = column("visits", 1.0), column("mistakes", 1.0)
        return [
            _at(State(w[k], float(b[k]), early[k], float(early_b[k]), float(visits[k]), float(mistakes[k])))
            for k in range(K)
        ]


def _at(state: State) -> Separation:
    return Separation(state.w[None, :], np.array([state.b]), Status.STOPPED, 0, "perceptron", state=state)


def _update_asked_for(problem: Problem, s: Floats) -> float:
    """Return ‖Σ_wrong c y (x, 1)‖ / Σc."""
    wrong = problem.loss.value(problem.y, s) > 0.0
    u = np.where(wrong, problem.c * problem.y, 0.0)
    constant = float(u.sum()) if problem.intercept else 0.0
    total = max(float(problem.c.sum()), np.finfo(float).tiny)
    return float(np.hypot(np.linalg.norm(problem.combination(u)), constant)) / total
