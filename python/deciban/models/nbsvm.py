"""Naive Bayes inside a max-margin or logistic model: counting sets the scale, minimising decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.certificates.bound import Facts
from deciban.data.declared_types import parameters
from deciban.data.folds import hashes
from deciban.data.refusal import check_number
from deciban.data.rows import as_rows
from deciban.errors import DataError
from deciban.losses import Floats, Hinge, Logistic, Loss, SquaredHinge, by_name
from deciban.penalties import L2, Penalty
from deciban.solvers import Problem, Solution
from deciban.solvers.problem import Callback

from ..data.examples import RowExamples
from ..data.offered import offer_unless
from .linear import LinearClassifier
from .log_count_ratios import class_counts, log_count_ratios, worth
from .weights import SparseWeights

if TYPE_CHECKING:
    from sklearn.utils import Tags


@dataclass(frozen=True)
class Weighed(Problem):
    """A problem over r∘f, with the ratios r (d,) as `scale`, and the offset κ·f·r, which remembers `pull`, κ."""

    pull: float = 0.0

    @property
    def ratios(self) -> Floats:
        """r (d,)."""
        return np.ones(self.shape[1]) if self.scale is None else self.scale


# Why there is no `coef_`.
_OF_PRESENCE = (
    "NBSVM has no coef_ with binary=True: its score is linear in 1{x > 0}, not in X; weights_ belong to "
    "(X > 0).astype(float), or choose binary=False"
)


@parameters
class NBSVM(LinearClassifier):
    """A linear model whose features are weighted by the log-count ratios of naive Bayes.

        r = log (p / ‖p‖₁) / (q / ‖q‖₁),   p = α + Σ_{y_i = +1} w_i f_i,   q = α + Σ_{y_i = −1} w_i f_i,   f = 1{x > 0}
        min over v, b of   ½‖v‖² + C·Σ_i w_i ℓ(y_i, s_i),      s_i = f_i·(r ∘ (κ + v)) + b

    κ is where the weights are pulled to: at κ > 0 a feature without influence on the loss keeps κ times its weight of
    naive Bayes. For κ = 0 this is the model of Wang & Manning, ACL 2012; their interpolation v ← (1 − β)·mean|v| + β·v
    comes after the fit. Many classes: one against the rest, each with its own r.

    Parameters
    ----------
    C : float, default=0.3
        Cost of errors, > 0.
    alpha : float, default=1.0
        Pseudo-count α of a feature in either class, > 0.
    loss : {"logistic", "squared_hinge", "hinge"}, default="logistic"
        Loss ℓ: "logistic", whose scores are log-odds; "squared_hinge", as in the paper; or "hinge".
    pull : float or "auto", default="auto"
        Centre κ ≥ 0 of the weights; "auto" is the worth of naive Bayes, by examples scored without themselves.
    interpolation : float, default=1.0
        Factor β from 0, nearly naive Bayes, to 1, no interpolation. The paper has 0.25, for κ = 0.
    binary : bool, default=True
        Whether f = 1{x > 0}; else f are the counts themselves.
    calibration : "temperature" or None, default="temperature"
        Temperature scaling on held-out examples, so that A·s are log-odds, where the loss is one of the hinges. None:
        only margins.
    calibration_folds : int, default=3
        Number of folds for the calibration, at least 2. Equal examples share a fold. Only so many folds are held out as
        have 5,000 examples together, 500 of them outside the most frequent class.
    fit_intercept : bool, default=True
        Whether there is an intercept b; else it is 0.
    class_weight : "balanced" or mapping of label to float, optional
        Weights of classes; "balanced" is n / (C·n_c).
    solver : str or Solver, default="auto"
        Solver, "auto" or one of `deciban.solvers`.
    tol : float, default=1e-3
        Relative duality gap (primal − dual) / |primal| to stop at.
    max_iter : int, default=1000
        Largest number of iterations.
    time_limit : float, optional
        Largest number of seconds.
    callback : callable, optional
        Called as `callback(iteration, objective, gap)`; the solver stops when it returns something true.
    warm_start : bool, default=False
        Whether `fit` starts at the last solution.
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
    weights_ : ndarray of shape (n_problems, n_features)
        Weights r ∘ (κ + v) of f; `coef_` exists only with `binary=False`.
    pull_ : ndarray of shape (n_problems,)
        Centre κ.

    Examples
    --------
    >>> X = np.array([[2, 0, 1], [1, 0, 0], [0, 1, 1], [0, 3, 0]])
    >>> NBSVM().fit(X, ["a", "a", "b", "b"]).predict([[1, 0, 1], [0, 1, 0]]).tolist()
    ['a', 'b']
    """

    C: float = 0.3
    _: KW_ONLY
    alpha: float = 1.0
    loss: str = "logistic"
    pull: float | str = "auto"
    interpolation: float = 1.0
    binary: bool = True
    calibration: str | None = "temperature"
    calibration_folds: int = 3
    fit_intercept: bool = True
    class_weight: Mapping[Any, float] | str | None = None
    solver: str = "auto"
    tol: float = 1e-3
    max_iter: int = 1000
    time_limit: float | None = None
    callback: Callback | None = None
    warm_start: bool = False
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    @property
    def coef_(self) -> Any:
        """Weights of X (K, d), with `binary=False`.

        With f = 1{x > 0} no weights of X make the score, and there is an AttributeError.
        """
        if self.binary:
            raise AttributeError(_OF_PRESENCE)
        return self._get_weights()

    @coef_.setter
    def coef_(self, weights: Any) -> None:
        self.weights_ = weights

    def _get_weights(self) -> Any:
        return self.weights_

    sparsify = offer_unless(lambda self: _OF_PRESENCE if self.binary else "")(SparseWeights.sparsify)
    densify = offer_unless(lambda self: _OF_PRESENCE if self.binary else "")(SparseWeights.densify)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.binary
        return tags

    def _loss(self) -> Loss:
        return by_name(self.loss, Logistic, SquaredHinge, Hinge)()

    def _penalty(self) -> Penalty:
        return L2(1.0)

    @property
    def _fits_log_loss(self) -> bool:
        return self.loss == "logistic"

    def _problems(self, given: RowExamples) -> list[Problem]:
        """Return each with r as the scale of its features, and κ·f·r as what the scores have besides."""
        given = replace(given, X=self._features(given.X))
        self._check_weighing()
        hashed = hashes(given.X, self._seed()) if isinstance(self.pull, str) else None
        return [self._weigh_problem(problem, given, hashed) for problem in super()._problems(given)]

    def _weigh_problem(self, problem: Problem, given: RowExamples, hashed: NDArray[np.uint64] | None) -> Weighed:
        counts, rows = class_counts(problem, given.repetition), problem.rows
        r = log_count_ratios(counts, self.alpha).astype(rows[0].dtype if problem.sparse else rows.dtype)
        if hashed is None:
            kappa = float(self.pull)
        else:
            kappa = worth(given.X, problem.y, given.repetition, counts, self.alpha, hashed)
        ratios = r.astype(np.float64)  # as precise as the features are
        offset = kappa * problem.product(ratios[None, :], np.zeros(1)) if kappa else None
        made = {field.name: getattr(problem, field.name) for field in fields(problem)}
        return Weighed(**{**made, "scale": ratios, "offset": offset}, pull=kappa)

    def _check_weighing(self) -> None:
        """Raise ValueError for parameters of the weights that make no sense."""
        check_number("alpha", self.alpha, 0.0, "a finite number ≥ 0")
        if self.alpha == 0.0:
            raise ValueError("alpha must be > 0: a feature that one class has never shown would weigh infinitely")
        if self.pull != "auto":
            check_number("pull", self.pull, 0.0, "a finite number ≥ 0")
        check_number("interpolation", self.interpolation, 0.0, "a finite number ≥ 0")
        if self.interpolation > 1.0:
            raise ValueError(f"interpolation must be from 0 to 1, got {self.interpolation!r}")

    def _weights(self, problems: list[Problem], solutions: list[Solution]) -> tuple[Floats, Floats]:
        beta = float(self.interpolation)
        v, b = super()._weights(problems, solutions)
        if beta < 1.0:
            v = (1.0 - beta) * np.abs(v).mean(axis=1, keepdims=True) + beta * v
        weights = np.empty_like(v)  # they may be millions: written once
        for each, line, found in zip(_all(problems), v, weights, strict=True):
            np.multiply(each.ratios, each.pull + line, out=found)
        return weights, b

    def _become(self, given: RowExamples, problems: list[Problem], solutions: list[Solution]) -> None:
        super()._become(given, problems, solutions)
        self._keep_ratios(problems)

    def _keep_ratios(self, problems: list[Problem]) -> None:
        """Keep what else a fit tells."""
        self.pull_ = np.array([each.pull for each in _all(problems)])
        if float(self.interpolation) != 1.0:  # the scores of the proof are of other weights
            self._proof = replace(self._proof, training_error=None)

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        return replace(
            super().facts_, estimated="what a feature weighs before it is learnt, r, was read off the examples"
        )

    def _features(self, X: Any) -> Any:
        """Return f, in single precision where it is 0 or 1; counts are from 0."""
        X = as_rows(X)  # a place that is told twice is there once
        values = X.data if hasattr(X, "tocsr") else X
        if not self.binary:
            if values.size and values.min() < 0.0:
                raise DataError(f"Negative values in data for a naive Bayes of counts: {values.min():g} came")
            return X
        present = (values > 0.0).astype(np.float32)
        if values is X:
            return present
        return type(X)((present, X.indices, X.indptr), shape=X.shape)


def _all(problems: list[Problem]) -> list[Weighed]:
    return [problem for problem in problems if isinstance(problem, Weighed)]
