"""Linear support vector regression: a hyperplane that errs by ε for nothing."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from deciban._core import scores
from deciban.certificates.bounding import StatesBounds
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import certified
from deciban.data.declared_types import Estimator
from deciban.data.refusal import check_number
from deciban.data.rows import reals_for_core
from deciban.losses import EpsilonInsensitive, Floats, Loss, SquaredEpsilonInsensitive, by_name
from deciban.penalties import L2
from deciban.solvers import Limits, Problem, Solution, Status
from deciban.threads import effective_threads

from ..data.examples import bounded
from ..data.numbers import linear_rows
from ..data.transaction import all_or_nothing
from ..solvers.limits import check_positive, limits_of, seed_of
from .regression import certify_regression
from .responses import Responses, responses
from .together import fitting, solve_all


class LinearSVR(StatesBounds, RegressorMixin, Estimator):  # type: ignore[misc]
    """A hyperplane that is flat and errs by ε for nothing.

        min over w, b of   ½‖w‖² + C·Σ_i w_i ℓ(y_i, x_i·w + b),      ℓ = max(0, |y − s| − ε)   or its square

    Vapnik, The Nature of Statistical Learning Theory (1995), §6.1; Ho & Lin, JMLR 13 (2012). Unlike in LIBLINEAR the
    intercept is not penalised.

    Parameters
    ----------
    epsilon : ε ≥ 0, half the height of the tube, in units of y.
    C : the price of an error, > 0.
    loss : "epsilon_insensitive" or "squared_epsilon_insensitive".
    fit_intercept : whether b is learnt; else it is 0.
    solver : "auto" (`deciban.solvers.choose` says which and why), or one of its names.
    tol : the relative duality gap (primal − dual) / |primal| to stop at.
    max_iter, time_limit (seconds), callback(iteration, objective, gap) → stop? : other reasons to stop.
    warm_start : begin where the last fit ended.
    random_state : the seed of the order in which dual coordinate ascent visits examples.
    n_jobs : threads; None and -1 are all there are.

    `sample_weight` means repetition, to the last bit. Attributes: `coef_` (d,), `intercept_`, `n_iter_`, `status_`,
    `solution_`, `certificate_`, `n_features_in_`, `feature_names_in_`.

    Examples
    --------
    >>> line = LinearSVR(epsilon=0.0, C=10.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> line.predict([[3.0]]).round(4).tolist(), line.coef_.round(4).tolist()
    ([7.0], [2.0])
    """

    solution_: list[Solution]
    _proof: Certificate

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 1000,
        time_limit: float | None = None,
        callback: Any = None,
        warm_start: bool = False,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.callback = callback
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn X (N, d), dense or CSR, with numbers y (N,); `sample_weight` (N,) means repetition."""
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
            reals_for_core(bounded(given.X)),
            np.ascontiguousarray(given.Y[:, 0]),
            price * given.weight,
            loss,
            L2(1.0),
            self.fit_intercept,
            1,
            effective_threads(self.n_jobs),
        )
        seed = seed_of(self.random_state)
        start = fitting(getattr(self, "solution_", None) if self.warm_start else None, [problem])
        self.solution_ = solve_all([problem], limits, self.solver, start, seed)
        self._proof = replace(certify_regression([problem], self.solution_, None, given), seed=seed)
        self.coef_, self.intercept_ = self.solution_[0].w[0], float(self.solution_[0].b[0])
        self.n_iter_ = max(1, self.solution_[0].iterations)

    def _loss(self) -> Loss:
        check_number("epsilon", self.epsilon, 0.0, "a finite number ≥ 0")
        return by_name(self.loss, EpsilonInsensitive, SquaredEpsilonInsensitive)(float(self.epsilon))  # type: ignore[call-arg]

    def _limits(self) -> Limits:
        return limits_of(self)

    def _price(self) -> float:
        if check_positive("C", self.C) == np.inf:
            raise ValueError(f"C must be a finite number > 0, got {self.C!r}")
        return float(self.C)

    def predict(self, X: Any) -> Floats:
        """(N,) x·w + b."""
        check_is_fitted(self)
        X = linear_rows(self, X, reset=False)
        w, b = np.ascontiguousarray(self.coef_)[None, :], np.array([self.intercept_])
        s: Floats = scores(reals_for_core(X), w, b, n_jobs=effective_threads(self.n_jobs))
        return s[:, 0]

    @property
    def status_(self) -> Status:
        """How the solver ended."""
        check_is_fitted(self)
        return self.solution_[0].status

    @property
    def certificate_(self) -> Certificate:
        """What was minimised, how close to the minimum the fit came, and what to do about it."""
        check_is_fitted(self)
        return certified(self, replace(self._proof, seconds=self._seconds))

    def _keeps_examples_together(self) -> str:
        """Why an example cannot be taken out of what was learnt."""
        return "it is exact for least squares without a penalty, or with 'l2'"
