"""Support vector regression: a tube of width ε, with what lies outside at the price C."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from deciban.data.declared_types import Estimator
from deciban.data.device_rows import repetitions
from deciban.data.devices import answers
from deciban.data.digest import digest
from deciban.data.transaction import all_or_nothing
from deciban.errors import DataError
from deciban.kernel_solvers.certificate import proven
from deciban.kernel_solvers.problem import KernelProblem, KernelSolution, Limits, Status
from deciban.losses import Floats
from deciban.solvers.limits import check_positive

from ..kernels.items import among, arrays_of, to_judge, to_learn, weighed_kernel, width
from .machine import Scored, SingleMachine, certify, unproven
from .margins import check_nu

# Of larger targets the square would leave the range of a float64.
_LARGEST = 1e100
# A share of what ν lets be paid for errors that is rounding.
_PAID = 1e-9


class SVMRegressor(Scored, SingleMachine, RegressorMixin, Estimator):  # type: ignore[misc]
    """A function that is flat in the space of a kernel and errs by ε for nothing.

        min over w, b of       ½‖w‖² + C·Σ_i c_i max(0, |y_i − w·φ(x_i) − b| − ε)      (Vapnik 1995)
        nu:  over w, b, ε ≥ 0  the same + C·ν·ε·Σc      (Schölkopf, Smola, Williamson & Bartlett 2000)

    learnt by its dual: f(x) = Σ_i β_i K(x, x_i) + b with |β_i| ≤ C c_i; examples inside the tube have β_i = 0. With
    `nu` it is scikit-learn's `NuSVR`, as `SVM` with `nu` is its `NuSVC`.

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
    nu : in (0, 1], instead of epsilon, which is learnt then: at most this share of the examples lies outside the tube,
        at least this share are support vectors or lie on its edge. None: epsilon counts.

    Attributes: `epsilon_`, half the height of the tube, given or learnt; `support_`, `support_vectors_`, `dual_coef_`
    (1, m), `intercept_` (1,), `coef_` for the linear kernel; `certificate_`; `scorer_`.

    >>> line = SVMRegressor("linear", C=10.0, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> line.predict([[3.0]]).round(6).tolist(), line.coef_.round(6).tolist()
    ([7.0], [[2.0]])
    >>> tube = SVMRegressor("linear", nu=0.5).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.5, 1.5, 3.0])
    >>> round(tube.epsilon_, 6)
    0.375
    """

    # None where a file of LIBSVM does not tell it.
    epsilon_: float | None = None
    # The scale σ of noise e^(−|z|/σ)/2σ that a model of LIBSVM with probabilities tells.
    noise_scale_: float | None = None

    def __init__(
        self,
        kernel: Any = "rbf",
        C: float = 1.0,
        epsilon: float = 0.1,
        *,
        nu: float | None = None,
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
        self.nu = nu
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
        price, (epsilon, nu), limits = check_positive("C", self.C), self._tube(), self._limits()
        if price == np.inf:
            raise ValueError(f"C must be a finite number > 0, got {self.C!r}")
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None: give a number for each row")
        X, y, kernel = to_learn(self, X, y, numeric=True)
        weight = repetitions(sample_weight, X)
        place = np.flatnonzero(weight)
        if len(place) < len(y):
            X, y, weight = among(kernel, X, place), y[place], weight[place]
        y = _bounded(np.asarray(y, dtype=np.float64), place)
        kernel = weighed_kernel(self, kernel, X, weight)
        if nu is None:
            named, middle = f"Σ c·max(0, |y − f| − {epsilon:g})", 0.0
            problem = KernelProblem.regression(kernel, X, y, price * weight, epsilon, self._threads())
            solution = self._solved(problem, limits, self._start(problem))
        else:  # about the middle, targets that are all equal are 0
            named, middle = "ν tube", 0.5 * float(y.min()) + 0.5 * float(y.max())
            problem = KernelProblem.nu_regression(kernel, X, y - middle, price * weight, nu, self._threads())
            problem, solution = self._of_nu(problem, limits)
        proof = proven(problem, solution)
        self._keep(kernel, X, place, problem.of_rows(solution.beta), proof, solution)
        self.intercept_ = np.array([float(proof.b.mean()) + middle])
        self.epsilon_ = epsilon if nu is None else max(0.0, 0.5 * float(proof.b[0] - proof.b[-1]))
        data, doubt, n = digest(*arrays_of(X), y, weight), unproven(kernel, X), float(weight.sum())
        self._proof = certify(named, kernel, width(X), [(solution, proof)], data, n, {}, self._seed(), doubt)

    def _of_nu(self, problem: KernelProblem, limits: Limits) -> tuple[KernelProblem, KernelSolution]:
        """The solution; where its tube has no height, of the problem of ε = 0, of whose optimum that is one.

        Both variables of a row are then between their bounds, and are large numbers of a small difference where C is.
        """
        started = perf_counter()
        solution = self._solved(problem, limits, self._start(problem))
        beta, paid, N = problem.of_rows(solution.beta), 2.0 * float(problem.sums[0]), problem.count
        cut = not solution.status.finished and solution.status is not Status.EXHAUSTED
        if cut or float(np.abs(beta).sum()) >= (1.0 - _PAID) * paid or solution.iterations >= limits.max_iter:
            return problem, solution
        flat = KernelProblem.regression(problem.kernel, problem.X, problem.t[:N], problem.hi[:N], 0.0, problem.n_jobs)
        left = None if limits.time_limit is None else max(1e-3, limits.time_limit - (perf_counter() - started))
        rest = replace(limits, max_iter=limits.max_iter - solution.iterations, time_limit=left)
        start = replace(solution, beta=np.concatenate([np.maximum(beta, 0.0), np.minimum(beta, 0.0)]))
        found = self._solved(flat, rest, start)
        found = replace(found, iterations=solution.iterations + found.iterations, trace=solution.trace + found.trace)
        affordable = float(np.abs(flat.of_rows(found.beta)).sum()) <= (1.0 + _PAID) * paid
        return (flat, found) if affordable else (problem, solution)

    def _tube(self) -> tuple[float, float | None]:
        """ε and ν."""
        epsilon, nu = self.epsilon, self.nu
        number = isinstance(epsilon, int | float | np.integer | np.floating) and not isinstance(epsilon, bool)
        if not number or not 0.0 <= epsilon < np.inf:
            raise ValueError(f"epsilon must be a finite number ≥ 0, got {epsilon!r}")
        return float(epsilon), None if nu is None else check_nu(nu)

    @answers
    def predict(self, X: Any) -> Floats:
        """(N,) f(x)."""
        check_is_fitted(self)
        return self.scorer_(to_judge(self, X), self._threads())[:, 0]


def _bounded(y: Floats, place: Any) -> Floats:
    if np.abs(y).max() > _LARGEST:
        i = int(np.argmax(np.abs(y)))
        raise DataError(f"target {place[i]} is {y[i]:g}; sizes up to {_LARGEST:g} are expected: take a larger unit")
    return y
