"""Linear regression as a classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, replace
from functools import partial
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban._core import scores
from deciban.certificates.bound import Facts
from deciban.data.declared_types import parameters
from deciban.data.devices import ask_on_host, fetch
from deciban.data.estimator import clone
from deciban.data.folds import Places
from deciban.data.refusal import check_number
from deciban.data.rows import Rows, as_rows, is_sparse, reals_for_core
from deciban.data.samples import check_sample_weight
from deciban.data.validation import check_classification_targets, check_is_fitted, column_or_1d, not_fitted
from deciban.distributions.scatter import PooledScatter
from deciban.losses import Floats, Loss, Squared
from deciban.penalties import L2, NoPenalty, Penalty
from deciban.solvers import Limits, Problem, Solution, Status, closed_form
from deciban.solvers.closed_form import DIRECT, from_moments
from deciban.solvers.problem import Callback
from deciban.solvers.second_moments import RoundedSums, class_normal_equations, class_scatter

from ..calibration.out_of_fold import FitAndScore
from ..data.capacity import require_room
from ..data.examples import RowExamples, class_weights
from ..data.numbers import linear_rows
from ..data.transaction import all_or_nothing
from .kept_rows import KeptRows, defer_statistic, make_all
from .label_sets import LearnsLabelSets
from .normal_equations import advice, certify_moments, leverage
from .tally import Labels, Tally


@parameters
class LeastSquaresClassifier(LearnsLabelSets):
    """Classification by least squares to ±1: sign(x·w + b), or of many classes the largest x·w_k + b_k.

        min over w, b of   Σ_i w_i (y_i − x_i·w − b)² + α·½‖w‖²,      y_i ∈ {−1, +1}, one class against the rest each

    For two classes of equal weight w has the direction of Fisher's discriminant (Fisher 1936; Bishop 2006, section
    4.1.5); with many classes one that lies between others may never win (Hastie, Tibshirani & Friedman 2009, section
    4.2). It needs one pass, and its state is a sum: `partial_fit`, `+` and `forget` are exact to rounding, classes come
    and go, and a model that learns in pieces is not calibrated. Up to 4000 features. `fit` also takes y (N, L) of 0 and
    1, one column a label (multi-label): then `predict` and `decision_function` are (N, L).

    Parameters
    ----------
    alpha : float, default=1.0
        Strength α ≥ 0 of the penalty. scikit-learn's `RidgeClassifier(a)` is alpha = 2a.
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
    solver : str, default="auto"
        One of "auto", "closed-form", or another of `deciban.solvers`, which the following parameters then stop.
    tol : float, default=1e-6
        Relative duality gap (primal − dual) / |primal| to stop at.
    max_iter : int, default=10_000
        Largest number of iterations.
    time_limit : float, optional
        Largest number of seconds.
    callback : callable, optional
        Called as `callback(iteration, objective, gap)`; the solver stops when it returns something true.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of examples; None is 0.
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
    counts_ : Statistics
        The statistic.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = LeastSquaresClassifier(calibration=None).fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[0.0], [1.6]]).tolist(), model.decision_function([[1.5]]).round(9).tolist()
    (['no', 'yes'], [0.0])
    """

    alpha: float = 1.0
    _: KW_ONLY
    calibration: str | None = "temperature"
    calibration_folds: int = 3
    fit_intercept: bool = True
    class_weight: Mapping[Any, float] | str | None = None
    solver: str = "auto"
    tol: float = 1e-6
    max_iter: int = 10_000
    time_limit: float | None = None
    callback: Callback | None = None
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    _keeps_single = True
    _folds_stand_alone = False  # their sums are those of all less their own
    counts_ = defer_statistic("counts_", "The statistic; None beyond 4000 features.")

    def __getstate__(self) -> Any:
        """A pickle, like a file, has the statistic and no rows."""
        return make_all(self, super().__getstate__())

    def _loss(self) -> Loss:
        return Squared()

    def _penalty(self) -> Penalty:
        check_number("alpha", self.alpha, 0.0, "a finite number ≥ 0")
        return L2(float(self.alpha)) if self.alpha else NoPenalty()

    def _strength(self) -> float:
        return 1.0

    # At once.

    def _numbers_of_class(self, given: RowExamples) -> float:
        return 2.0 * super()._numbers_of_class(given)  # unrounded sums, and the targets together

    def _learn(self, given: RowExamples, start: list[Solution] | None) -> None:
        self._limits(), self._penalty()
        self.counts_ = None
        if given.X.shape[1] <= DIRECT:
            count, rows = partial(class_scatter, C=len(given.classes)), (given.X, given.y, given.weight)
            self.counts_ = KeptRows.of(*rows, count) or count(*rows)
        self._declared = given.classes[:0]
        super()._learn(given, start)

    def _solve(
        self, problems: list[Problem], limits: Limits, start: list[Solution] | None, seed: int
    ) -> list[Solution]:
        if self.solver not in ("auto", closed_form.NAME):
            return super()._solve(problems, limits, start, seed)
        C = len(problems) if len(problems) > 1 else 2
        seen, targets = vars(self)["counts_"], _targets(C)
        known = isinstance(seen, PooledScatter)
        normal = partial(class_normal_equations, seen, targets, self.fit_intercept) if known else None
        solutions, self._fit = closed_form.solve_together(problems, limits, normal)
        return solutions

    def _become(self, given: RowExamples, problems: list[Problem], solutions: list[Solution]) -> None:
        super()._become(given, problems, solutions)
        self.n_iter_ = np.maximum(1, self.n_iter_)
        fit = self.__dict__.pop("_fit", None)
        if fit is not None and (told := advice(fit, given.X.shape[1], bool(self.alpha))):
            self._proof = replace(self._proof, advice=told)

    def _fit_again(self, given: RowExamples, limits: Limits, seed: int) -> FitAndScore:
        """Return what fits the others of some examples and scores these: of kept rows by rounded sums less those of
        these, where they are many and tell enough."""
        anew, (N, d) = super()._fit_again(given, limits, seed), given.X.shape
        if not isinstance(vars(self)["counts_"], KeptRows) or 2 * d > N:
            return anew
        l2, Y = self._penalty().l2, _targets(len(given.classes))[given.y]
        whole = RoundedSums.of(given.X, Y, given.weight)

        def fit_and_score(inside: Places, outside: Places) -> tuple[Floats, bool]:
            X = given.X[outside]
            normal = whole.less(RoundedSums.of(X, Y[outside], given.weight[outside])).normal(self.fit_intercept)
            fit = None if normal is None or len(inside) < d else from_moments(normal, l2)
            if fit is None or fit.rank != d or (fit.scaled_condition or np.inf) > closed_form.WELL_CONDITIONED:
                return anew(inside, outside)
            w = np.ascontiguousarray(fit.w.T)
            return scores(reals_for_core(X), w, fit.b, n_jobs=self._threads()), False

        return fit_and_score

    def _score_held_out(
        self, given: RowExamples, inside: Places, outside: Places, limits: Limits, seed: int
    ) -> tuple[Floats, bool]:
        """Return scores of some rows by what the others say: by the statistic less that of those rows, or anew where
        the others are fewer than columns, or there is no statistic yet."""
        C, l2, seen = len(given.classes), self._penalty().l2, vars(self)["counts_"]
        few = len(inside) < given.X.shape[1] and not is_sparse(given.X)
        if few or not isinstance(seen, PooledScatter):
            part = given.only(inside)
            problems = self._problems(part)
            Y = np.column_stack([problem.y for problem in problems])
            fit = closed_form.least_squares(problems[0].rows, Y, part.weight, l2, self.fit_intercept)
        else:
            # Sums of sparse rows are not centred: a difference would lose the digits of a column that hardly varies.
            anew = is_sparse(given.X)
            rest = _count(given, inside) if anew else seen - _count(given, outside)
            fit = from_moments(class_normal_equations(rest, _targets(C), self.fit_intercept), l2)
        rows = reals_for_core(given.X[outside])
        return scores(rows, np.ascontiguousarray(fit.w.T), fit.b, n_jobs=self._threads()), False

    @ask_on_host
    def leverages(self, X: Rows) -> Floats:
        """Return the leverages h(x) = 1/n + (x − x̄)ᵀ(ZᵀZ + ½αI)⁺(x − x̄) of rows.

        For a training row of weight 1 it is the derivative of its score by its own label.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Leverages.
        """
        check_is_fitted(self)
        X = linear_rows(self, X, dtype=np.float64, reset=False)
        normal = class_normal_equations(self._tally().counts, _targets(len(self.classes_)), self.fit_intercept)
        return leverage(normal, self._penalty().l2, self.fit_intercept, X)

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        none = vars(self)["counts_"] is None
        reason = f"beyond {DIRECT:,} features there is no statistic to take it out of" if none else ""
        if self.class_weight is not None:
            reason = "class weights make an example count for more than one"
        return replace(super().facts_, left_out=reason)

    # In pieces.

    def partial_fit(
        self, X: Rows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more examples; new labels make new classes.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            RowExamples.
        y : array-like of shape (n_samples,)
            Labels.
        classes : array-like, optional
            Labels that may come later.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        LeastSquaresClassifier
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            started = perf_counter()
            first = not hasattr(self, "counts_")
            more = self._piece(X, y, sample_weight, first)
            if classes is not None:
                more += more.nothing(np.unique(column_or_1d(fetch(classes))))
            self._derive(more if first else self._tally() + more)
            self._seconds = perf_counter() - started
        return self

    def forget(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take back rows that were learnt with these labels and weights; a class with nothing left goes, too.

        What is left has, to the last bit, the statistic of the other rows alone: sums and products are kept unrounded.
        A model keeps sums, not rows, so it cannot know which rows it has learnt. It refuses what its sums prove
        impossible: more examples of a class than were learnt, sums where no example is left, and variances or
        covariances that no data have. Other rows that were never learnt are subtracted all the same, and what is left
        is then the model of no data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Rows that were learnt.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            The weights with which they were learnt.

        Returns
        -------
        LeastSquaresClassifier
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a label was never learnt, or the sums prove that a row was not; the model is unchanged then.
        """
        check_is_fitted(self)
        with all_or_nothing(self):
            left = self._tally() - self._piece(X, y, sample_weight, first=False)
            self._derive(left.without_the_forgotten())
        return self

    def __add__(self, other: object) -> Self:
        """The model of both data sets together; both must have the same parameters and features."""
        if not isinstance(other, type(self)):
            return NotImplemented
        mine, theirs = self._merge_key(), other._merge_key()
        for name, value in mine.items():
            if not np.array_equal(value, theirs[name]):
                raise ValueError(f"cannot merge models of different {name}: {value!r} and {theirs[name]!r}")
        merged: Self = clone(self)
        merged.__dict__.update({k: v for k, v in self.__dict__.items() if k.endswith("_in_")})
        merged._kind = np.result_type(self._kind, other._kind)
        merged._derive(self._tally() + other._tally())
        merged._seconds = self._seconds + other._seconds
        return merged

    def __radd__(self, other: object) -> Self:
        """`sum(models)` begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _merge_key(self) -> dict[str, Any]:
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return {**self.learning_params(), "n_features_in_": self.n_features_in_, "feature_names_in_": names}

    def _piece(self, X: Any, y: Any, sample_weight: Any, first: bool) -> Tally:
        """Return the statistic of a batch; rows of weight 0 are as if they were not there."""
        self._limits(), self._penalty()
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight='balanced' changes with every piece: give a mapping from labels to weights")
        X, y = linear_rows(self, X, y, order="C", reset=first)
        self._kind = X.dtype if first else self._kind
        check_classification_targets(y)
        weight = check_sample_weight(sample_weight, X)
        if X.shape[1] > DIRECT:
            raise ValueError(f"learning in pieces keeps d² sums, for at most {DIRECT} features; X has {X.shape[1]}")
        counted = weight > 0.0
        labels, index = np.unique(y[counted], return_inverse=True)
        require_room(len(labels), 16.0 * X.shape[1])
        given: Any = self.class_weight
        if isinstance(given, Mapping):  # of labels that other pieces bring, too
            given = {label: given[label] for label in labels.tolist() if label in given}
        weight = weight[counted] * class_weights(given, labels, index, weight[counted])[index]
        counts = class_scatter(as_rows(X)[counted], index.astype(np.intp), weight, len(labels))
        return Tally(labels, counts, labels[:0])

    def _tally(self) -> Tally:
        if self._label_sets:
            raise ValueError("learning in pieces is of y (N,); what was learnt is a matrix of labels: fit anew")
        if self.counts_ is None:
            raise ValueError(f"learning in pieces keeps d² sums, for at most {DIRECT} features; fit has kept none")
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight='balanced' changes with every piece: give a mapping from labels to weights")
        return Tally(self.classes_, self.counts_, self._declared)

    def _derive(self, tally: Tally) -> None:
        """Derive weights and certificate from the statistic."""
        self.classes_: Labels = tally.classes
        self.counts_, self._declared, self.temperature_ = tally.counts, tally.declared, None
        C, l2 = len(tally.classes), self._penalty().l2
        if not tally.counts.n.any():
            raise not_fitted("nothing would be left: every example is to be forgotten; fit anew instead")
        normal = class_normal_equations(tally.counts, _targets(C), self.fit_intercept)
        fit = from_moments(normal, l2)
        self.coef_, self.intercept_ = np.ascontiguousarray(fit.w.T), fit.b
        self.n_iter_ = np.ones(len(fit.b), dtype=int)
        self.solution_ = [
            Solution(w[None, :], np.array([b]), Status.EXACT, 0, closed_form.NAME)
            for w, b in zip(self.coef_, self.intercept_, strict=True)
        ]
        self._show_in(getattr(self, "_kind", np.float64))
        counts = dict(zip(tally.classes.tolist(), tally.counts.n.tolist(), strict=True))
        self._proof = replace(certify_moments(normal, fit, l2, tally.counts), class_counts=counts)


def _count(given: RowExamples, rows: Places) -> PooledScatter:
    """Return the statistic of some rows."""
    return class_scatter(given.X[rows], given.y[rows], given.weight[rows], len(given.classes))


def _targets(C: int) -> Floats:
    """Return (C, K) the targets of each class: −1 and +1 of two, of more +1 in its own column, and −1 elsewhere."""
    return np.array([[-1.0], [1.0]]) if C == 2 else 2.0 * np.eye(C) - 1.0
