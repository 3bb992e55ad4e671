"""Support vector regression: a tube of width ε, with what lies outside at the price C."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from deciban.declared_types import Estimator
from deciban.devices import answers
from deciban.errors import DataError
from deciban.kernel_solvers.problem import KernelProblem
from deciban.losses import Floats
from deciban.models.device_rows import repetitions
from deciban.models.limits import check_positive
from deciban.models.transaction import all_or_nothing
from deciban.trust.certificate import digest

from .machine import Scored, SingleMachine, certify, proven, unproven
from .rows import among, arrays_of, to_judge, to_learn, weighed_kernel, width

# Of larger targets the square would leave the range of a float64.
_LARGEST = 1e100


class SupportVectorRegression(Scored, SingleMachine, RegressorMixin, Estimator):  # type: ignore[misc]
    """A function that is flat in the space of a kernel and errs by ε for nothing.

        min over w, b of   ½‖w‖² + C·Σ_i c_i max(0, |y_i − w·φ(x_i) − b| − ε)      (Vapnik 1995)

    learnt by its dual: f(x) = Σ_i β_i K(x, x_i) + b with |β_i| ≤ C c_i; examples inside the tube have β_i = 0.

    Parameters
    ----------
    kernel : a name, an object of `deciban.kernels`, "precomputed", or a function of two tiles of rows.
    C : the price of an error, finite and > 0.
    gamma, degree, coef0 : of the kernels by name; gamma may be "scale" (1/(d·var X)), "auto" (1/d) or "median".
    solver : "auto", or one of `deciban.kernel_solvers`.
    tol, max_iter, time_limit (seconds), callback(iteration, objective, gap) → stop? : when the solver stops.
    warm_start : whether `fit` begins at the last solution.
    memory_mb : how many MiB the solver may fill with values of the kernel.
    random_state : the seed; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores; None is all that joblib and the environment leave.
    epsilon : ≥ 0, half the height of the tube, in units of y.

    Attributes: `support_`, `support_vectors_`, `dual_coef_` (1, m), `intercept_` (1,), `coef_` for the linear kernel;
    `certificate_`; `score_`.

    >>> line = SupportVectorRegression("linear", C=10.0, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> line.predict([[3.0]]).round(6).tolist(), line.coef_.round(6).tolist()
    ([7.0], [[2.0]])
    """

    # The scale σ of noise e^(−|z|/σ)/2σ that a model of LIBSVM with probabilities tells.
    noise_scale_: float | None = None

    def __init__(
        self,
        kernel: Any = "rbf",
        C: float = 1.0,
        epsilon: float = 0.1,
        *,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        solver: Any = "auto",
        tol: float = 1e-4,
        max_iter: int = 1_000_000,
        time_limit: float | None = None,
        callback: Any = None,
        warm_start: bool = False,
        memory_mb: float = 200.0,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.callback = callback
        self.warm_start = warm_start
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn X (N, d), dense or CSR, a Gram matrix (N, N), or N texts, with numbers y (N,); `sample_weight` (N,)
        means repetition."""
        with all_or_nothing(self):
            started = perf_counter()
            self._learn(X, y, sample_weight)
            self._seconds = perf_counter() - started
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        price, epsilon, limits = check_positive("C", self.C), self.epsilon, self._limits()
        if price == np.inf:
            raise ValueError(f"C must be a finite number > 0, got {self.C!r}")
        number = isinstance(epsilon, int | float | np.integer | np.floating) and not isinstance(epsilon, bool)
        if not number or not 0.0 <= epsilon < np.inf:
            raise ValueError(f"epsilon must be a finite number ≥ 0, got {epsilon!r}")
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None: give a number for each row")
        X, y, kernel = to_learn(self, X, y, numeric=True)
        weight = repetitions(sample_weight, X)
        place = np.flatnonzero(weight)
        if len(place) < len(y):
            X, y, weight = among(kernel, X, place), y[place], weight[place]
        y = _bounded(np.asarray(y, dtype=np.float64), place)
        kernel = weighed_kernel(self, kernel, X, weight)
        problem = KernelProblem.regression(kernel, X, y, price * weight, float(epsilon), self._threads())
        solution = self._solved(problem, limits, self._start(problem))
        proof = proven(problem, solution)
        beta = problem.of_rows(solution.beta)
        self._keep(kernel, X, place, beta, proof, solution)
        named, n = f"Σ c·max(0, |y − f| − {epsilon:g})", float(weight.sum())
        data, doubt = digest(*arrays_of(X), y, weight), unproven(kernel, X)
        self._proof = certify(named, kernel, width(X), [(solution, proof)], data, n, {}, self._seed(), doubt)

    @answers
    def predict(self, X: Any) -> Floats:
        """(N,) f(x)."""
        check_is_fitted(self)
        return self.score_(to_judge(self, X), self._threads())[:, 0]


def _bounded(y: Floats, place: Any) -> Floats:
    if np.abs(y).max() > _LARGEST:
        i = int(np.argmax(np.abs(y)))
        raise DataError(f"target {place[i]} is {y[i]:g}; sizes up to {_LARGEST:g} are expected: take a larger unit")
    return y
