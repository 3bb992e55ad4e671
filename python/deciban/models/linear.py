"""Linear classifiers: labels to targets, problems to solvers, weights to one affine score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from deciban._core import scores
from deciban.attached import FindsLabelErrors, Reports, StatesBounds
from deciban.certificates.bound import Facts, Probabilities
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import add_bounds
from deciban.data.declared_types import Estimator
from deciban.data.devices import ask_on_host
from deciban.data.folds import Places
from deciban.data.mixins import ClassifierMixin
from deciban.data.rows import Rows, reals_for_core
from deciban.data.validation import check_is_fitted
from deciban.losses import Floats, Loss, Softmax
from deciban.penalties import Penalty
from deciban.scores import AffineScore, Explanation, log_posterior, posterior
from deciban.solvers import Limits, Problem, Solution, Solver, Status
from deciban.solvers.problem import Callback, worst
from deciban.solvers.reduction import Siblings
from deciban.threads import check_overdue, effective_threads, using
from deciban.verdict import Pair

from ..calibration.out_of_fold import FitAndScore, OutOfFold, check_calibration, hold_out, limits_of_folds
from ..data.capacity import require_room
from ..data.examples import RowExamples, examples, refuse_large
from ..data.numbers import linear_rows
from ..data.offered import offer_unless
from ..data.transaction import all_or_nothing
from ..solvers.limits import check_positive, draw_seed, read_limits
from ..solvers.side_by_side import Beside, beside
from .callbacks import TellsCallbacks, report_to_callbacks
from .proofs import certify, mark_interrupted, preparing, prove
from .together import fitting, solve_all
from .weights import SparseWeights, dense, score_rows

if TYPE_CHECKING:
    from sklearn.utils import Tags


def only_margins(model: Any) -> str:
    """Return why there are no probabilities, or nothing."""
    if model._probabilistic():
        return ""
    if model.__dict__.get("_label_sets"):
        return "there are no probabilities of sets of labels: fit each label of the matrix alone"
    proof = getattr(model, "certificate_", None)
    if proof is not None and proof.status == "interrupted":
        return (
            f"this {type(model).__name__} has no probabilities: it was interrupted before its margins were calibrated; "
            "fit it to its end"
        )
    return (
        f"this {type(model).__name__} has no probabilities: a margin becomes a log-odds by calibration; "
        "fit with calibration='temperature'"
    )


_FEW = 1 << 15
"""Values of X, of at most so many of which one thread is quicker: most of a fit is the interpreter's. On two threads,
tables of up to 17,000 values take 1.1 times as long, those of 20,000 as long, those from 100,000 on 0.7 times."""
_MUCH = 1 << 27
"""Values of X, of more of which the fits of the folds, that have rows of their own, wait for that of all examples."""
_STOPPED = (Status.OUT_OF_TIME, Status.STOPPED, Status.INTERRUPTED, Status.OVERFLOW)


class LinearClassifier(
    TellsCallbacks, SparseWeights, Reports, FindsLabelErrors, StatesBounds, ClassifierMixin, Estimator
):
    """sign(x·w + b), or for many classes the class of the largest x·w_k + b_k.

    A model is a declaration: `_loss()`, `_penalty()`, whether K scores are learnt together (`_together`), and how much
    a unit of the score weighs as evidence (`_calibrate`). Everything else is here.

    Attributes: `classes_` (C,) sorted; `coef_` (K, d) and `intercept_` (K,), K = 1 for two classes; `n_iter_`;
    `solution_`, what the solver of each problem said; `certificate_`; `scorer_`, what prediction and explanation see.
    """

    C: float
    fit_intercept: bool
    class_weight: Mapping[Any, float] | str | None
    calibration: str | None
    calibration_folds: int
    solver: str | Solver
    tol: float
    max_iter: int
    time_limit: float | None
    callback: Callback | None
    warm_start: bool
    random_state: int | np.random.RandomState | None
    n_jobs: int | None
    solution_: list[Solution]
    _proof: Certificate
    _folds_stand_alone = True  # whether the fits of folds ask nothing of that of all examples
    _keeps_single = False  # whether float32 rows make float32 weights and scores

    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss, its parameters checked."""

    @abstractmethod
    def _penalty(self) -> Penalty:
        """Return the penalty, its parameters checked."""

    def _together(self, classes: int) -> bool:
        """Return whether all classes share one problem (softmax) instead of one against the rest each."""
        return False

    @property
    def _fits_log_loss(self) -> bool:
        """Return whether scores are log-odds, as log loss is minimised, and need no calibration."""
        return False

    def _probabilistic(self) -> bool:
        """Return whether scores become log-odds."""
        return self._fits_log_loss or (self.calibration is not None and getattr(self, "temperature_", 1.0) is not None)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Learning.

    @report_to_callbacks
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model to labelled examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            RowExamples.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            started = perf_counter()
            given = examples(self, X, y, sample_weight)
            require_room(len(given.classes), self._numbers_of_class(given))
            few = given.X.size <= _FEW and self.n_jobs is None
            with using(1 if few else None):
                self._learn(given, self._start(given))
            self._show_in(given.X.dtype)
            self._seconds = perf_counter() - started
        return self

    def _numbers_of_class(self, given: RowExamples) -> float:
        """Return how many numbers a fit keeps for each class, as measured: targets, duals, weights and scores, all of
        them more often where the classes share a problem."""
        copies = 16.0 if self._together(len(given.classes)) else 8.0
        return float(copies * sum(given.X.shape))

    def _learn(self, given: RowExamples, start: list[Solution] | None) -> None:
        limits, seed = self._limits(), self._seed()
        with self._folds_beside(given, limits, seed) as folds:
            self._learn_all(given, start, limits, seed, folds)

    def _learn_all(
        self,
        given: RowExamples,
        start: list[Solution] | None,
        limits: Limits,
        seed: int,
        folds: Beside[OutOfFold] | None,
    ) -> None:
        problems = Siblings.join(self._problems(given))
        with preparing(problems, given):
            solutions = self._solve(problems, limits, fitting(start, problems), seed)
        cut_short = any(each.status is Status.INTERRUPTED for each in solutions)
        try:
            self._become(given, problems, solutions)
        except KeyboardInterrupt:  # what a few passes prove is worth them; who cannot wait says so again
            solutions = [replace(each, status=Status.INTERRUPTED) for each in solutions]
            self._become(given, problems, solutions)
        self._proof = replace(self._proof, seed=seed)
        try:
            if cut_short:
                raise KeyboardInterrupt  # nor for any, who pressed Ctrl-C
            self.temperature_ = self._calibrate(given, limits, seed, folds)
        except KeyboardInterrupt:
            self.temperature_ = None
            self.solution_ = [replace(each, status=Status.INTERRUPTED) for each in self.solution_]
            self._proof = mark_interrupted(self._proof)

    def _solve(
        self, problems: list[Problem], limits: Limits, start: list[Solution] | None, seed: int
    ) -> list[Solution]:
        return solve_all(problems, limits, self.solver, start, seed)

    def _problems(self, given: RowExamples) -> list[Problem]:
        penalty, rows, threads = self._penalty(), reals_for_core(refuse_large(given.X)), self._threads()
        weight = self._strength() * given.weight
        C = len(given.classes)
        if self._together(C):
            return [Problem(rows, given.y, weight, self._loss_together(), penalty, self.fit_intercept, C, threads)]
        loss = self._loss()
        targets = [np.where(given.y == k, 1.0, -1.0) for k in (range(C) if C > 2 else [1])]
        return [Problem(rows, y, weight, loss, penalty, self.fit_intercept, 1, threads) for y in targets]

    def _loss_together(self) -> Loss:
        """Return the loss of all classes' scores at once."""
        return Softmax()

    def _strength(self) -> float:
        """Return C, what a unit of loss weighs against the penalty."""
        if check_positive("C", self.C) == np.inf:
            raise ValueError(f"C must be a finite number > 0, got {self.C!r}")
        return float(self.C)

    def _become(self, given: RowExamples, problems: list[Problem], solutions: list[Solution]) -> None:
        self.classes_ = given.classes
        self.coef_, self.intercept_ = self._weights(problems, solutions)
        self.n_iter_ = np.array([max(1, solution.iterations) for solution in solutions])
        self.solution_ = solutions
        proofs = [prove(*pair) for pair in zip(problems, solutions, strict=True)]
        self._proof = certify(problems, solutions, proofs, given)
        self._note_scores(given, problems, solutions, [proof.scores for proof in proofs])

    def _note_scores(
        self, given: RowExamples, problems: list[Problem], solutions: list[Solution], scores: list[Floats]
    ) -> None:
        """Keep what the scores of the training examples tell, if anything."""

    def _weights(self, problems: list[Problem], solutions: list[Solution]) -> tuple[Floats, Floats]:
        """Return w (K, d) for the features as they come, and b (K,)."""
        if len(solutions) == 1:  # they may be millions
            return solutions[0].w, solutions[0].b
        return np.concatenate([each.w for each in solutions]), np.concatenate([each.b for each in solutions])

    def _start(self, given: RowExamples) -> list[Solution] | None:
        """Return where a warm start begins: at the last solution, if it was of the same classes."""
        if not getattr(self, "warm_start", False) or not hasattr(self, "solution_"):
            return None
        return list(self.solution_) if np.array_equal(self.classes_, given.classes) else None

    def _limits(self) -> Limits:
        return read_limits(self)

    def _seed(self) -> int:
        return draw_seed(self.random_state)

    def _threads(self) -> int:
        return effective_threads(self.n_jobs)

    def _folds(self) -> int | None:
        """Return how many folds the calibration asks for; None where there is none, or scores are log-odds."""
        return None if self._fits_log_loss or self.calibration is None else check_calibration(self)

    def _folds_beside(
        self, given: RowExamples, limits: Limits, seed: int
    ) -> AbstractContextManager[Beside[OutOfFold] | None]:
        """Return what begins the fits of the folds beside that of all examples, on cores that most solvers leave idle,
        and waits for them; of nothing where there is no calibration, no second core, or no room."""
        if self._folds() is None or not self._has_room_beside(given.X):
            return nullcontext()
        return beside(partial(self._hold_out, given, limits_of_folds(limits), seed))

    def _has_room_beside(self, X: Any) -> bool:
        """Return whether the fits of folds are worth another core beside that of all examples."""
        return self._folds_stand_alone and _FEW < X.size <= _MUCH and self._threads() > 1

    def _calibrate(
        self, given: RowExamples, limits: Limits, seed: int, folds: Beside[OutOfFold] | None
    ) -> float | None:
        """Return the nats of log-odds that a unit of the score is, by out-of-fold scores; None without calibration."""
        k = self._folds()
        if k is None:
            return 1.0 if self._fits_log_loss else None
        folds = self._unless_stopped(folds)
        held = self._hold_out(given, self._limits_of_folds(limits), seed) if folds is None else folds()
        A = held.temperature()
        told = f"{self.calibration} on {held.of_folds(k)}"
        self._held_out = Probabilities(told, held.log_loss(A))
        return A

    def _hold_out(self, given: RowExamples, limits: Limits, seed: int) -> OutOfFold:
        """Return the scores of examples by models that were not fitted to them."""
        splits = hold_out(given.X, given.y, check_calibration(self), seed)
        anew = self._fit_again(given, limits, seed)
        return OutOfFold.collect(splits, given.y, given.weight, len(given.classes), anew)

    def _was_stopped(self) -> bool:
        """Return whether the fit ended before it was done."""
        return any(each.status in _STOPPED for each in self.solution_)

    def _unless_stopped(self, folds: Beside[OutOfFold] | None) -> Beside[OutOfFold] | None:
        """Return the folds that were begun beside the fit; none, ended, where that was stopped: others are shorter."""
        if folds is not None and self._was_stopped():
            folds.end()
            return None
        return folds

    def _limits_of_folds(self, limits: Limits) -> Limits:
        """Return when the fit of a fold stops: whoever stopped that of all does not wait for longer ones."""
        limits = limits_of_folds(limits)
        return replace(limits, max_iter=int(self.n_iter_.max())) if self._was_stopped() else limits

    def _fit_again(self, given: RowExamples, limits: Limits, seed: int) -> FitAndScore:
        """Return what fits the same model to some of the examples and scores others, without a proof of each."""
        return lambda inside, outside: self._score_held_out(given, inside, outside, limits, seed)

    def _score_held_out(
        self, given: RowExamples, inside: Places, outside: Places, limits: Limits, seed: int
    ) -> tuple[Floats, bool]:
        """Return scores of examples by a fit to others, and whether it was interrupted."""
        part = given.only(inside)
        check_overdue()
        problems = self._problems(part)
        check_overdue()
        solutions = self._solve(problems, limits, None, seed)
        check_overdue()
        w, b = self._weights(problems, solutions)
        rows = reals_for_core(self._features(given.X[outside]))
        s = scores(rows, np.ascontiguousarray(w), b, n_jobs=self._threads())
        return s, any(solution.status is Status.INTERRUPTED for solution in solutions)

    # Judging is one affine score.

    @ask_on_host
    def decision_function(self, X: Rows) -> Floats:
        """Return the scores x·w + b.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            RowExamples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores; for two classes one, which is > 0 for `classes_[1]`.
        """
        check_is_fitted(self)
        X = linear_rows(self, X, reset=False)
        return self._score(X)

    def _show_in(self, kind: DTypeLike) -> None:
        """Show weights of float32 rows in float32, as scikit-learn's estimator of the same name does."""
        self._kind = kind
        if kind == np.float32 and self._keeps_single:
            self._set_weights(dense(self._get_weights()).astype(np.float32))
            self.intercept_ = self.intercept_.astype(np.float32)

    def _double(self) -> tuple[Floats, Floats]:
        """Return weights (K, d) and intercept (K,) in double precision."""
        return dense(self._get_weights()), self.intercept_.astype(np.float64, copy=False)

    def _features(self, X: Rows) -> Any:
        """Return what the weights are for: X itself."""
        return X

    def _score(self, X: Rows) -> Floats:
        s = score_rows(self._features(X), self._get_weights(), self.intercept_, self._threads())
        return s[:, 0] if len(self.classes_) == 2 and s.shape[1] == 1 else s

    @ask_on_host
    def predict(self, X: Rows) -> NDArray[Any]:
        """Predict the label of the largest score; of equal ones the first in `classes_`.

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
        winner = (s > 0.0).astype(np.intp) if s.ndim == 1 else s.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[winner]
        return labels

    @offer_unless(only_margins)
    @ask_on_host
    def predict_log_proba(self, X: Rows) -> Floats:
        """Return (N, C) log p(c | x)."""
        s = self.decision_function(X)
        return log_posterior(self._in_nats(s)).astype(s.dtype, copy=False)

    @offer_unless(only_margins)
    @ask_on_host
    def predict_proba(self, X: Rows) -> Floats:
        """Return (N, C) p(c | x): the largest is that of `predict`."""
        s = self.decision_function(X)
        return posterior(self._in_nats(s)).astype(s.dtype, copy=False)

    def _log_odds(self, X: Rows) -> Floats:
        """Return (N, C) scores in nats, whose differences are log-odds."""
        return self._in_nats(self.decision_function(X))

    def _in_nats(self, s: Floats) -> Floats:
        odds = self._scale() * s.astype(np.float64, copy=False)
        return np.column_stack([np.zeros(len(s)), odds]) if s.ndim == 1 else odds

    def _scale(self) -> float:
        """Return nats a unit of the score; 1 where nothing is calibrated."""
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

    def explain(self, X: Rows, *, pair: Pair | None = None) -> list[Explanation]:
        """Explain the predictions of examples by the evidence of each feature.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            RowExamples.
        pair : tuple of (label, label), optional
            Two labels: the evidence is for the first against the second. By default it is for the winner against its
            runner-up.

        Returns
        -------
        list of Explanation
            The explanation of each example, in decibans, the strongest terms first.

        Raises
        ------
        AttributeError
            If the model has no calibration, and so only margins.
        """
        check_is_fitted(self)
        if not self._probabilistic():
            raise AttributeError(only_margins(self))
        rows = self._features(linear_rows(self, X, reset=False))
        names = getattr(self, "feature_names_in_", None)
        score, labels = self.scorer_, self.classes_.tolist()
        names = None if names is None else list(names)
        return [score.explain(rows[[i]], labels, names, pair) for i in range(rows.shape[0])]

    @property
    def certificate_(self) -> Certificate:
        """Objective, distance to the minimum, advice, and bounds on the error."""
        check_is_fitted(self)
        return add_bounds(self, replace(self._proof, seconds=self._seconds))

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        check_is_fitted(self)
        return Facts(self._probabilities(), margins="")

    def _probabilities(self) -> Probabilities:
        """Return how there are probabilities, or why not."""
        if not self._probabilistic():
            return Probabilities("none: only margins")
        if self._fits_log_loss:
            return Probabilities("none: log loss was minimised")
        if self.temperature_ is None or self.calibration is None:
            return Probabilities("none: scores are taken as log-odds")
        read = Probabilities(f"{self.calibration} on {self.calibration_folds} folds")  # all that a file tells
        return getattr(self, "_held_out", read)

    @property
    def status_(self) -> Status:
        """Status of the solver: of several the one that is farthest from done."""
        check_is_fitted(self)
        return worst(solution.status for solution in self.solution_)
