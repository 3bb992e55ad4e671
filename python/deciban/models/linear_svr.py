"""Linear support vector regression: a hyperplane that errs by ε for nothing."""

from __future__ import annotations

from dataclasses import KW_ONLY, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban._core import scores
from deciban.attached import StatesBounds
from deciban.certificates.bound import Facts, Probabilities
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import add_bounds
from deciban.data.declared_types import Estimator, parameters
from deciban.data.mixins import RegressorMixin
from deciban.data.refusal import check_number
from deciban.data.rows import Rows, reals_for_core
from deciban.data.validation import check_is_fitted, column_or_1d
from deciban.losses import EpsilonInsensitive, Floats, Loss, SquaredEpsilonInsensitive, by_name
from deciban.penalties import L2
from deciban.solvers import Limits, Problem, Solution, Status
from deciban.solvers.problem import Callback
from deciban.threads import effective_threads

from ..data.examples import refuse_large
from ..data.numbers import linear_rows
from ..data.transaction import all_or_nothing
from ..solvers.limits import check_positive, draw_seed, read_limits
from .regression import certify_regression
from .responses import Responses, responses
from .together import fitting, solve_all

if TYPE_CHECKING:
    from sklearn.utils import Tags


@parameters
class LinearSVR(StatesBounds, RegressorMixin, Estimator):
    """Linear support vector regression: a flat hyperplane, with errors up to ε free.

        min over w, b of   ½‖w‖² + C·Σ_i w_i ℓ(y_i, x_i·w + b),      ℓ = max(0, |y − s| − ε)   or its square

    `sample_weight` means repetition, to the last bit. Unlike in LIBLINEAR the intercept is not penalised. Vapnik, The
    Nature of Statistical Learning Theory (1995), § 6.1; Ho & Lin, JMLR 13 (2012).

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the height ε ≥ 0 of the tube, in units of y.
    C : float, default=1.0
        Cost of errors, > 0.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        Loss ℓ.
    fit_intercept : bool, default=True
        Whether there is an intercept b; else it is 0.
    solver : str or Solver, default="auto"
        Solver, "auto" or one of `deciban.solvers`.
    tol : float, default=1e-6
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
    coef_ : ndarray of shape (n_features,)
        Weights w.
    intercept_ : float
        Intercept b.
    n_iter_ : int
        Number of iterations.
    status_ : str
        How the fit ended.
    solution_ : list of Solution
        The solution.
    certificate_ : Certificate
        Objective, duality gap, and how the fit ended.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X had names.

    Examples
    --------
    >>> line = LinearSVR(epsilon=0.0, C=10.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> line.predict([[3.0]]).round(4).tolist(), line.coef_.round(4).tolist()
    ([7.0], [2.0])
    """

    _: KW_ONLY
    epsilon: float = 0.0
    C: float = 1.0
    loss: str = "epsilon_insensitive"
    fit_intercept: bool = True
    solver: str = "auto"
    tol: float = 1e-6
    max_iter: int = 1000
    time_limit: float | None = None
    callback: Callback | None = None
    warm_start: bool = False
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    solution_: list[Solution] = field(init=False)
    _proof: Certificate = field(init=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model to examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        LinearSVR
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If y is not one number a row.
        """
        with all_or_nothing(self):
            started = perf_counter()
            loss, limits, price = self._loss(), self._limits(), self._price()
            if getattr(y, "ndim", 1) == 2 and np.shape(y)[1] == 1:
                y = column_or_1d(y, warn=True)
            given, _ = responses(self, X, y, sample_weight)
            if not given.single:
                raise ValueError(f"y must be (N,), one number a row; got the shape {given.Y.shape}")
            self._learn(given, loss, limits, price)
            self._seconds = perf_counter() - started
        return self

    def _learn(self, given: Responses, loss: Loss, limits: Limits, price: float) -> None:
        problem = Problem(
            reals_for_core(refuse_large(given.X)),
            np.ascontiguousarray(given.Y[:, 0]),
            price * given.weight,
            loss,
            L2(1.0),
            self.fit_intercept,
            1,
            effective_threads(self.n_jobs),
        )
        seed = draw_seed(self.random_state)
        start = fitting(getattr(self, "solution_", None) if self.warm_start else None, [problem])
        self.solution_ = solve_all([problem], limits, self.solver, start, seed)
        self._proof = replace(certify_regression([problem], self.solution_, None, given), seed=seed)
        self.coef_, self.intercept_ = self.solution_[0].w[0], float(self.solution_[0].b[0])
        self.n_iter_ = max(1, self.solution_[0].iterations)

    def _loss(self) -> Loss:
        check_number("epsilon", self.epsilon, 0.0, "a finite number ≥ 0")
        return by_name(self.loss, EpsilonInsensitive, SquaredEpsilonInsensitive)(float(self.epsilon))  # type: ignore[call-arg]

    def _limits(self) -> Limits:
        return read_limits(self)

    def _price(self) -> float:
        if check_positive("C", self.C) == np.inf:
            raise ValueError(f"C must be a finite number > 0, got {self.C!r}")
        return float(self.C)

    def predict(self, X: Rows) -> Floats:
        """Predict the targets of examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predictions x·w + b.
        """
        check_is_fitted(self)
        X = linear_rows(self, X, reset=False)
        w, b = np.ascontiguousarray(self.coef_)[None, :], np.array([self.intercept_])
        s: Floats = scores(reals_for_core(X), w, b, n_jobs=effective_threads(self.n_jobs))
        return s[:, 0]

    @property
    def status_(self) -> Status:
        """Status of the solver."""
        check_is_fitted(self)
        return self.solution_[0].status

    @property
    def certificate_(self) -> Certificate:
        """Objective, distance to the minimum, and advice."""
        check_is_fitted(self)
        return add_bounds(self, replace(self._proof, seconds=self._seconds))

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        return Facts(Probabilities("none: no probabilities"))
