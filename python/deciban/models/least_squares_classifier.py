"""Linear regression as a classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from deciban._core import scores
from deciban.calibration.temperature import loss_of_scores, temperature
from deciban.data.devices import asked_on_host, fetched
from deciban.data.folds import folds
from deciban.data.refusal import check_number
from deciban.data.rows import as_rows, is_sparse, reals_for_core
from deciban.distributions.scatter import PooledScatter
from deciban.losses import Floats, Loss, Squared
from deciban.penalties import L2, NoPenalty, Penalty
from deciban.solvers import Limits, Problem, Solution, Status, closed_form
from deciban.solvers.closed_form import DIRECT, from_moments
from deciban.solvers.second_moments import class_scatter, normal_equations, with_targets

from ..data.examples import Examples, class_weights
from ..data.numbers import linear_rows
from ..data.transaction import all_or_nothing
from .label_sets import LearnsLabelSets
from .normal_equations import advice, certify_moments, leverage
from .tally import Labels, Tally


class LeastSquaresClassifier(LearnsLabelSets):
    """sign(x·w + b), or of many classes the largest x·w_k + b_k, where w and b are the least squares to ±1.

        min over w, b of   Σ_i w_i (y_i − x_i·w − b)² + α·½‖w‖²,      y_i ∈ {−1, +1}, one class against the rest each

    Parameters
    ----------
    alpha : α ≥ 0; 0 is no penalty. scikit-learn's RidgeClassifier(a) is alpha = 2a.
    calibration : the number of folds on whose held-out rows `predict_proba` is calibrated, or None. Equal rows share a
        fold. A fold is taken out of the statistic, so that holding it out costs one more pass over its rows.
    fit_intercept : whether b is learnt; else it is 0.
    class_weight : None, "balanced" (n / (C·n_c)) or a mapping from labels to weights.
    solver : "auto" and "closed-form", or another of `deciban.solvers`, which the following then stop.
    tol : the relative duality gap (primal − dual) / |primal| to stop at.
    max_iter, time_limit (seconds), callback(iteration, objective, gap) → stop? : other reasons to stop.
    random_state : the seed of the order in which examples are visited; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    For two classes of equal weight w points as that of Fisher's discriminant does (Fisher 1936; Bishop 2006, section
    4.1.5); with many classes one that lies between others may never win (Hastie, Tibshirani & Friedman 2009, section
    4.2). It needs one pass, and its state is a sum: `partial_fit`, `+` and `forget` are exact to rounding, classes come
    and go, and what is learnt that way is not calibrated. Up to 4000 features. `fit` also takes y (N, L) of 0 and 1,
    one column a label (multi-label): then `predict` and `decision_function` are (N, L).

    Attributes: `classes_` (C,) sorted; `coef_` (K, d) and `intercept_` (K,), K = 1 for two classes; `n_iter_`;
    `solution_`; `counts_`, the statistic; `certificate_`; `scorer_`, what prediction and explanation see.

    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = LeastSquaresClassifier(calibration=None).fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[0.0], [1.6]]).tolist(), model.decision_function([[1.5]]).round(9).tolist()
    (['no', 'yes'], [0.0])
    """

    counts_: Any

    _keeps_single = True

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        calibration: int | None = 3,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        callback: Any = None,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.calibration = calibration
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.callback = callback
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _loss(self) -> Loss:
        return Squared()

    def _penalty(self) -> Penalty:
        check_number("alpha", self.alpha, 0.0, "a finite number ≥ 0")
        return L2(float(self.alpha)) if self.alpha else NoPenalty()

    def _strength(self) -> float:
        return 1.0

    # At once.

    def _learn(self, given: Examples, start: list[Solution] | None) -> None:
        self._limits(), self._penalty()
        kept = given.X.shape[1] <= DIRECT
        self.counts_ = class_scatter(given.X, given.y, given.weight, len(given.labels)) if kept else None
        self._declared = given.labels[:0]
        super()._learn(given, start)

    def _solve(
        self, problems: list[Problem], limits: Limits, start: list[Solution] | None, seed: int
    ) -> list[Solution]:
        if self.solver not in ("auto", closed_form.NAME):
            return super()._solve(problems, limits, start, seed)
        C = len(problems) if len(problems) > 1 else 2
        moments = None if self.counts_ is None else with_targets(self.counts_, _targets(C))
        solutions, self._fit = closed_form.solve_together(problems, limits, moments)
        return solutions

    def _become(self, given: Examples, problems: list[Problem], solutions: list[Solution]) -> None:
        super()._become(given, problems, solutions)
        self.n_iter_ = np.maximum(1, self.n_iter_)
        fit = self.__dict__.pop("_fit", None)
        if fit is not None and (told := advice(fit, given.X.shape[1], bool(self.alpha))):
            self._proof = replace(self._proof, advice=told)

    def _temperature(self, given: Examples, limits: Limits, seed: int) -> float | None:
        k = self.calibration
        if k is None:
            return None
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 2:
            raise ValueError(f"calibration must be None or a number of folds from 2, got {k!r}")
        fold = folds(given.X, int(k), seed)
        held, rows = [], []
        for outside in (np.flatnonzero(fold == i) for i in range(int(k))):
            left = np.bincount(given.y, minlength=len(given.labels))
            left = left - np.bincount(given.y[outside], minlength=len(left))
            if len(outside) and left.all():
                held.append(self._held_out(given, outside))
                rows.append(outside)
        self._held_out_loss = None
        if not held:
            return 1.0
        order, s = np.concatenate(rows), np.concatenate(held)
        found = temperature(s, given.y[order], given.weight[order])
        self._held_out_loss = loss_of_scores(found * s, given.y[order], given.weight[order])
        return found

    def _held_out(self, given: Examples, outside: Any) -> Floats:
        """Scores of some rows by what the others say: the statistic less that of those rows."""
        C, l2, X = len(given.labels), self._penalty().l2, given.X[outside]
        if self.counts_ is None:
            inside = given.only(~np.isin(np.arange(len(given.y)), outside))
            problems = self._problems(inside)
            Y = np.column_stack([problem.y for problem in problems])
            fit = closed_form.least_squares(problems[0].rows, Y, inside.weight, l2, self.fit_intercept)
        else:
            rest = with_targets(self._rest(given, outside), _targets(C))
            fit = from_moments(normal_equations(rest, given.X.shape[1], self.fit_intercept), l2)
        return scores(reals_for_core(X), np.ascontiguousarray(fit.w.T), fit.b, n_jobs=self._threads())

    def _rest(self, given: Examples, outside: Any) -> PooledScatter:
        """The statistic of the other rows. Sums of sparse rows are not centred, so that a difference of two would lose
        the digits of a column that hardly varies: these are counted anew."""
        C = len(given.labels)
        if is_sparse(given.X):
            inside = given.only(~np.isin(np.arange(len(given.y)), outside))
            return class_scatter(inside.X, inside.y, inside.weight, C)
        rest: PooledScatter = self.counts_ - class_scatter(given.X[outside], given.y[outside], given.weight[outside], C)
        return rest

    @asked_on_host
    def leverages(self, X: Any) -> Floats:
        """(N,) h(x), for a row that was learnt with weight 1 how much its score follows its own label: see
        `LinearRegression.leverages`."""
        check_is_fitted(self)
        X = linear_rows(self, X, dtype=np.float64, reset=False)
        seen = with_targets(self._tally().counts, _targets(len(self.classes_)))
        normal = normal_equations(seen, self.n_features_in_, self.fit_intercept)
        return leverage(normal, self._penalty().l2, self.fit_intercept, X)

    def _keeps_examples_together(self) -> str:
        """Why an example cannot be taken out of what was learnt."""
        if self.class_weight is not None:
            return "class weights make an example count for more than one"
        return "" if self.counts_ is not None else f"beyond {DIRECT:,} features there is no statistic to take it out of"

    # In pieces.

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more. New labels bring new classes; `classes` declares labels that may come later."""
        with all_or_nothing(self):
            started = perf_counter()
            first = not hasattr(self, "counts_")
            more = self._piece(X, y, sample_weight, first)
            if classes is not None:
                more += more.nothing(np.unique(column_or_1d(fetched(classes))))
            self._derive(more if first else self._tally() + more)
            self._seconds = perf_counter() - started
        return self

    def forget(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take back what was learnt of X, y with these weights; a class with nothing left goes too.

        What is left has, to the last bit, the statistic of the other rows alone: sums and products are kept unrounded.

        A model keeps sums, not rows, so it cannot know which rows it has learnt. It refuses what its sums prove
        impossible: more examples of a class than were learnt, sums where no example is left, and
        variances or covariances that no data have.
        Other rows that were never learnt are taken away all the same, and what is left is then the model of no data.

        Parameters
        ----------
        X : array or sparse matrix (N, d)
            Rows that were learnt.
        y : array (N,)
            Their labels.
        sample_weight : array (N,), optional
            The weights with which they were learnt.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a label was never learnt, or the sums prove that a row was not; the model is left as it was.
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
        """The statistic of a batch; rows of weight 0 are as if they were not there."""
        self._limits(), self._penalty()
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight='balanced' changes with every piece: give a mapping from labels to weights")
        X, y = linear_rows(self, X, y, order="C", reset=first)
        self._kind = X.dtype if first else self._kind
        check_classification_targets(y)
        weight = _check_sample_weight(fetched(sample_weight), X, dtype=np.float64, ensure_non_negative=True)
        if X.shape[1] > DIRECT:
            raise ValueError(f"learning in pieces keeps d² sums, for at most {DIRECT} features; X has {X.shape[1]}")
        counted = weight > 0.0
        labels, index = np.unique(y[counted], return_inverse=True)
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
        """Weights and certificate from the statistic."""
        self.classes_: Labels = tally.classes
        self.counts_, self._declared, self.temperature_ = tally.counts, tally.declared, None
        d, C, l2 = self.n_features_in_, len(tally.classes), self._penalty().l2
        if not tally.counts.n.any():
            raise NotFittedError("nothing would be left: every example is to be forgotten; fit anew instead")
        seen = with_targets(tally.counts, _targets(C))
        normal = normal_equations(seen, d, self.fit_intercept)
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


def _targets(C: int) -> Floats:
    """(C, K) the targets of each class: −1 and +1 of two, of more +1 in its own column, and −1 elsewhere."""
    return np.array([[-1.0], [1.0]]) if C == 2 else 2.0 * np.eye(C) - 1.0
