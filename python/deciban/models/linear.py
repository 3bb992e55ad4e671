"""What linear classifiers share: labels to targets, problems to solvers, weights to one affine score."""

from __future__ import annotations

from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from deciban.attached import FindsLabelErrors, Reports
from deciban.certificates.bound import Probabilities
from deciban.certificates.bounding import StatesBounds
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import certified
from deciban.data.declared_types import ClassifierMixin, Estimator
from deciban.data.devices import asked_on_host
from deciban.data.rows import reals_for_core
from deciban.losses import Floats, Loss, Softmax
from deciban.penalties import Penalty
from deciban.scores import AffineScore, Explanation, log_posterior
from deciban.solvers import Limits, Problem, Solution, Solver, Status
from deciban.solvers.problem import worst
from deciban.threads import effective_threads

from ..data.examples import Examples, bounded, examples
from ..data.numbers import linear_rows
from ..data.offered import offered_unless
from ..data.transaction import all_or_nothing
from ..solvers.limits import check_positive, limits_of, seed_of
from .callbacks import TellsCallbacks, reported
from .proofs import certify, interrupted
from .together import fitting, solve_all
from .weights import SparseWeights, dense, scored


def only_margins(model: Any) -> str:
    """Why there are no probabilities, or nothing."""
    if model._probabilistic():
        return ""
    if model.__dict__.get("_label_sets"):
        return "there are no probabilities of sets of labels: fit each label of the matrix alone"
    return (
        f"this {type(model).__name__} has no probabilities: a margin becomes a log-odds by calibration; "
        "fit with calibration=3"
    )


class LinearClassifier(
    TellsCallbacks, SparseWeights, Reports, FindsLabelErrors, StatesBounds, ClassifierMixin, Estimator
):
    """sign(x·w + b), or for many classes the class of the largest x·w_k + b_k.

    A model is a declaration: `_loss()`, `_penalty()`, whether K scores are learnt together (`_together`), and how much
    a unit of the score weighs as evidence (`_temperature`). Everything else is here.

    Attributes: `classes_` (C,) sorted; `coef_` (K, d) and `intercept_` (K,), K = 1 for two classes; `n_iter_`;
    `solution_`, what the solver of each problem said; `certificate_`; `scorer_`, what prediction and explanation see.
    """

    C: Any
    fit_intercept: bool
    class_weight: Any
    solver: str | Solver
    tol: float
    max_iter: int
    time_limit: float | None
    callback: Any
    warm_start: bool
    random_state: Any
    n_jobs: int | None
    solution_: list[Solution]
    _proof: Certificate
    _keeps_single = False  # whether float32 rows make float32 weights and scores

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss, its parameters checked."""

    @abstractmethod
    def _penalty(self) -> Penalty:
        """The penalty, its parameters checked."""

    def _together(self, classes: int) -> bool:
        """Whether all classes share one problem (softmax) instead of one against the rest each."""
        return False

    def _probabilistic(self) -> bool:
        """Whether scores become log-odds."""
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Learning.

    @reported
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn X (N, d), dense or CSR, with labels y (N,); `sample_weight` (N,) means repetition."""
        with all_or_nothing(self):
            started = perf_counter()
            given = examples(self, X, y, sample_weight)
            self._learn(given, self._start(given))
            self._show_in(given.X.dtype)
            self._seconds = perf_counter() - started
        return self

    def _learn(self, given: Examples, start: list[Solution] | None) -> None:
        limits, seed = self._limits(), self._seed()
        problems = self._problems(given)
        with ThreadPoolExecutor(1) as aside:  # on a core that most solvers leave idle
            aside.submit(lambda: given.digest)
            solutions = self._solve(problems, limits, fitting(start, problems), seed)
        try:
            self._become(given, problems, solutions)
        except KeyboardInterrupt:  # what a few passes prove is worth them; who cannot wait says so again
            solutions = [replace(each, status=Status.INTERRUPTED) for each in solutions]
            self._become(given, problems, solutions)
        self._proof = replace(self._proof, seed=seed)
        if not self.status_.finished:  # whoever stopped it does not wait for longer fits of the folds
            limits = replace(limits, max_iter=int(self.n_iter_.max()))
        try:
            self.temperature_ = self._temperature(given, limits, seed)
        except KeyboardInterrupt:
            self.temperature_ = None
            self.solution_ = [replace(each, status=Status.INTERRUPTED) for each in self.solution_]
            self._proof = interrupted(self._proof)

    def _solve(
        self, problems: list[Problem], limits: Limits, start: list[Solution] | None, seed: int
    ) -> list[Solution]:
        return solve_all(problems, limits, self.solver, start, seed)

    def _problems(self, given: Examples) -> list[Problem]:
        penalty, rows, threads = self._penalty(), reals_for_core(bounded(given.X)), self._threads()
        weight = self._strength() * given.weight
        C = len(given.labels)
        if self._together(C):
            return [Problem(rows, given.y, weight, self._loss_together(), penalty, self.fit_intercept, C, threads)]
        loss = self._loss()
        targets = [np.where(given.y == k, 1.0, -1.0) for k in (range(C) if C > 2 else [1])]
        return [Problem(rows, y, weight, loss, penalty, self.fit_intercept, 1, threads) for y in targets]

    def _loss_together(self) -> Loss:
        """The loss of all classes' scores at once."""
        return Softmax()

    def _strength(self) -> float:
        """C, what a unit of loss weighs against the penalty."""
        if check_positive("C", self.C) == np.inf:
            raise ValueError(f"C must be a finite number > 0, got {self.C!r}")
        return float(self.C)

    def _become(self, given: Examples, problems: list[Problem], solutions: list[Solution]) -> None:
        self.classes_ = given.labels
        self.coef_, self.intercept_ = self._weights(problems, solutions)
        self.n_iter_ = np.array([max(1, solution.iterations) for solution in solutions])
        self.solution_ = solutions
        self._proof = certify(problems, solutions, given)

    def _weights(self, problems: list[Problem], solutions: list[Solution]) -> tuple[Floats, Floats]:
        """w (K, d) for the features as they come, and b (K,)."""
        if len(solutions) == 1:  # they may be millions
            return solutions[0].w, solutions[0].b
        return np.concatenate([each.w for each in solutions]), np.concatenate([each.b for each in solutions])

    def _start(self, given: Examples) -> list[Solution] | None:
        """Where a warm start begins: at the last solution, if it was of the same classes."""
        if not getattr(self, "warm_start", False) or not hasattr(self, "solution_"):
            return None
        return list(self.solution_) if np.array_equal(self.classes_, given.labels) else None

    def _limits(self) -> Limits:
        return limits_of(self)

    def _seed(self) -> int:
        return seed_of(self.random_state)

    def _threads(self) -> int:
        return effective_threads(self.n_jobs)

    def _temperature(self, given: Examples, limits: Limits, seed: int) -> float | None:
        """How many nats of log-odds a unit of the score is; None where nobody asked."""
        return 1.0

    # Judging is one affine score.

    @asked_on_host
    def decision_function(self, X: Any) -> Floats:
        """(N,) x·w + b for two classes, > 0 for `classes_[1]`; (N, C) for more."""
        check_is_fitted(self)
        X = linear_rows(self, X, reset=False)
        return self._scored(X)

    def _show_in(self, kind: Any) -> None:
        """Show weights of float32 rows in float32, as scikit-learn's estimator of the same name does."""
        self._kind = kind
        if kind == np.float32 and self._keeps_single:
            self._set_weights(dense(self._get_weights()).astype(np.float32))
            self.intercept_ = self.intercept_.astype(np.float32)

    def _double(self) -> tuple[Floats, Floats]:
        """Weights (K, d) and intercept (K,) in double precision."""
        return dense(self._get_weights()), self.intercept_.astype(np.float64, copy=False)

    def _features(self, X: Any) -> Any:
        """What the weights are for: X itself."""
        return X

    def _scored(self, X: Any) -> Floats:
        s = scored(self._features(X), self._get_weights(), self.intercept_, self._threads())
        return s[:, 0] if len(self.classes_) == 2 and s.shape[1] == 1 else s

    @asked_on_host
    def predict(self, X: Any) -> NDArray[Any]:
        """(N,) the label of the largest score; of equal ones the first in `classes_`."""
        s = self.decision_function(X)
        winner = (s > 0.0).astype(np.intp) if s.ndim == 1 else s.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[winner]
        return labels

    @offered_unless(only_margins)
    @asked_on_host
    def predict_log_proba(self, X: Any) -> Floats:
        """(N, C) log p(c | x)."""
        log_p, kind = self._posterior(X)
        return log_p.astype(kind, copy=False)

    @offered_unless(only_margins)
    @asked_on_host
    def predict_proba(self, X: Any) -> Floats:
        """(N, C) p(c | x): the largest is that of `predict`."""
        log_p, kind = self._posterior(X)
        p: Floats = np.exp(log_p).astype(kind, copy=False)
        return p

    def _posterior(self, X: Any) -> tuple[Floats, Any]:
        """(N, C) log p(c | x) in double precision, and the type to answer in."""
        s = self.decision_function(X)
        return log_posterior(self._in_nats(s)), s.dtype

    def _log_odds(self, X: Any) -> Floats:
        """(N, C) scores in nats, whose differences are log-odds."""
        return self._in_nats(self.decision_function(X))

    def _in_nats(self, s: Floats) -> Floats:
        odds = self._scale() * s.astype(np.float64, copy=False)
        return np.column_stack([np.zeros(len(s)), odds]) if s.ndim == 1 else odds

    def _scale(self) -> float:
        """Nats a unit of the score; 1 where nothing is calibrated."""
        return 1.0 if self.temperature_ is None else self.temperature_

    @property
    def scorer_(self) -> AffineScore:
        """The model as one affine score in nats: W (d, C), and b as its prior."""
        check_is_fitted(self)
        w, b = self._double()
        W, b = self._scale() * w.T, self._scale() * b
        if W.shape[1] == 1:
            W, b = np.hstack([np.zeros_like(W), W]), np.array([0.0, b[0]])
        return AffineScore(W, b)

    def explain(self, X: Any, pair: tuple[Any, Any] | None = None) -> list[Explanation]:
        """Per row: the winner against its runner-up, or the first label of `pair` against the second, and the evidence
        of each feature in decibans, strongest first."""
        check_is_fitted(self)
        if not self._probabilistic():
            raise AttributeError(only_margins(self))
        X = linear_rows(self, X, reset=False)
        names = getattr(self, "feature_names_in_", None)
        score, labels = self.scorer_, self.classes_.tolist()
        X = self._features(X)
        names = None if names is None else list(names)
        return [score.explain(X[[i]], labels, names, pair) for i in range(X.shape[0])]

    @property
    def certificate_(self) -> Certificate:
        """What was minimised, how close to the minimum the fit came, what to do about it, and when to believe it."""
        check_is_fitted(self)
        return certified(self, replace(self._proof, seconds=self._seconds))

    def _probabilities_told(self) -> Probabilities:
        """How there are probabilities, or why not."""
        if not self._probabilistic():
            return Probabilities("none: only margins")
        if self._loss().name in ("logistic", "softmax"):
            return Probabilities("none: log loss was minimised")
        folds = getattr(self, "calibration", None)
        if self.temperature_ is None or folds is None:
            return Probabilities("none: scores are taken as log-odds")
        how = f"{folds} on 3 folds" if isinstance(folds, str) else f"temperature on {folds} folds"
        return Probabilities(how, getattr(self, "_held_out_loss", None))

    @property
    def status_(self) -> Status:
        """How the solver ended: of several the one that is farthest from done."""
        check_is_fitted(self)
        return worst(solution.status for solution in self.solution_)
