"""Support vector regression: a tube of width ε, with what lies outside at the price C."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, field, replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban.data.declared_types import Estimator, parameters
from deciban.data.device_rows import repetitions
from deciban.data.devices import answers
from deciban.data.digest import digest
from deciban.data.mixins import RegressorMixin
from deciban.data.rows import Rows
from deciban.data.transaction import all_or_nothing
from deciban.data.validation import check_is_fitted
from deciban.errors import DataError
from deciban.kernel_solvers.certificate import prove_solution
from deciban.kernel_solvers.problem import KernelProblem, KernelSolution, Limits, Status
from deciban.kernels import Kernel
from deciban.losses import Floats
from deciban.solvers.limits import check_positive
from deciban.solvers.problem import Callback

from ..kernels.items import among, arrays_of, scale_kernel, to_judge, to_learn, width
from .machine import Scored, SingleMachine, certify, unproven
from .margins import check_nu

# Of larger targets the square would leave the range of a float64.
_LARGEST = 1e100
# A share of what ν lets be paid for errors that is rounding.
_PAID = 1e-9


@parameters
class SVMRegressor(Scored, SingleMachine, RegressorMixin, Estimator):
    """Support vector regression: a function that is flat in the space of a kernel, with errors up to ε free.

        min over w, b of       ½‖w‖² + C·Σ_i c_i max(0, |y_i − w·φ(x_i) − b| − ε)      (Vapnik 1995)
        nu:  over w, b, ε ≥ 0  the same + C·ν·ε·Σc      (Schölkopf, Smola, Williamson & Bartlett 2000)

    It is fitted by its dual: f(x) = Σ_i β_i K(x, x_i) + b with |β_i| ≤ C c_i; examples inside the tube have β_i = 0.
    With `nu` it is the `NuSVR` of scikit-learn.

    Parameters
    ----------
    kernel : str, callable or Kernel, default="rbf"
        A name ("rbf", "linear", "poly", "sigmoid", "gaussian", "multiquadric", "wave", "laplacian", "cosine", "chi2",
        "additive_chi2"), "precomputed" for Gram matrices, "spectrum" for texts, a kernel of `deciban.kernels`, or a
        function of two arrays of rows.
    C : float, default=1.0
        Cost of errors, finite and > 0.
    epsilon : float, default=0.1
        Half the height ε ≥ 0 of the tube, in units of y.
    nu : float, optional
        Share ν, from above 0 to 1, in place of epsilon, which is fitted then: at most this share of the examples lies
        outside the tube, at least this share are support vectors or lie on its edge.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Inverse width of kernels that have a name, or a rule: "scale" is 1/(d·var X), "auto" 1/d, "median" one over the
        median squared distance of two rows.
    degree : int, default=3
        Degree of the polynomial kernel, length of the strings of "spectrum".
    coef0 : float, default=0.0
        Constant of the polynomial, sigmoid and multiquadric kernels.
    solver : str, default="auto"
        Solver, "auto" or a name of `deciban.kernel_solvers`.
    tol : float, default=1e-4
        Relative duality gap (primal − dual) / |primal| to stop at.
    max_iter : int, default=1_000_000
        Largest number of iterations.
    time_limit : float, optional
        Largest number of seconds.
    callback : callable, optional
        Called as `callback(iteration, objective, gap)`; the solver stops when it returns something true.
    warm_start : bool, default=False
        Whether `fit` starts at the last solution, if it was of as many examples of the same classes.
    memory_mb : float, default=200.0
        Memory for values of the kernel, in MiB.
    random_state : int, RandomState instance or None, default=None
        Seed of the solver; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    epsilon_ : float
        Half the height of the tube, given or fitted.
    support_ : ndarray of int of shape (n_support,)
        Indices of the support vectors.
    support_vectors_ : array-like of shape (n_support, n_features)
        The support vectors.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients β.
    intercept_ : ndarray of shape (1,)
        Intercept b.
    coef_ : ndarray of shape (1, n_features)
        Weights, for the linear kernel.
    scorer_ : KernelScore
        The compiled score.
    certificate_ : Certificate
        Objective, duality gap, and how the fit ended.

    Examples
    --------
    >>> line = SVMRegressor("linear", C=10.0, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> line.predict([[3.0]]).round(6).tolist(), line.coef_.round(6).tolist()
    ([7.0], [[2.0]])
    >>> tube = SVMRegressor("linear", nu=0.5).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.5, 1.5, 3.0])
    >>> round(tube.epsilon_, 6)
    0.375
    """

    kernel: str | Kernel | Callable[..., Any] = "rbf"
    C: float = 1.0
    epsilon: float = 0.1
    _: KW_ONLY
    nu: float | None = None
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    solver: Any = "auto"
    tol: float = 1e-4
    max_iter: int = 1_000_000
    time_limit: float | None = None
    callback: Callback | None = None
    warm_start: bool = False
    memory_mb: float = 200.0
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    # None where a file of LIBSVM does not tell it.
    epsilon_: float | None = field(default=None, init=False)
    # The scale σ of noise e^(−|z|/σ)/2σ that a model of LIBSVM with probabilities tells.
    noise_scale_: float | None = field(default=None, init=False)

    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the function to examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        SVMRegressor
            The fitted estimator itself.
        """
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
        y = _check_size(np.asarray(y, dtype=np.float64), place)
        kernel = scale_kernel(self, kernel, X, weight)
        if nu is None:
            named, middle = f"Σ c·max(0, |y − f| − {epsilon:g})", 0.0
            problem = KernelProblem.regression(kernel, X, y, price * weight, epsilon, self._threads())
            solution = self._solve(problem, limits, self._start(problem))
        else:  # about the middle, targets that are all equal are 0
            named, middle = "ν tube", 0.5 * float(y.min()) + 0.5 * float(y.max())
            problem = KernelProblem.nu_regression(kernel, X, y - middle, price * weight, nu, self._threads())
            problem, solution = self._of_nu(problem, limits)
        proof = prove_solution(problem, solution)
        self._keep(kernel, X, place, problem.of_rows(solution.beta), proof, solution)
        self.intercept_ = np.array([float(proof.b.mean()) + middle])
        self.epsilon_ = epsilon if nu is None else max(0.0, 0.5 * float(proof.b[0] - proof.b[-1]))
        data, doubt, n = digest(*arrays_of(X), y, weight), unproven(kernel, X), float(weight.sum())
        self._proof = certify(named, kernel, width(X), [(solution, proof)], data, n, {}, self._seed(), doubt)

    def _of_nu(self, problem: KernelProblem, limits: Limits) -> tuple[KernelProblem, KernelSolution]:
        """Return the solution; where its tube has no height, of the problem of ε = 0, of whose optimum that is one.

        Both variables of a row are then between their bounds, and are large numbers of a small difference where C is.
        """
        started = perf_counter()
        solution = self._solve(problem, limits, self._start(problem))
        beta, paid, N = problem.of_rows(solution.beta), 2.0 * float(problem.sums[0]), problem.count
        cut = not solution.status.finished and solution.status is not Status.EXHAUSTED
        if cut or float(np.abs(beta).sum()) >= (1.0 - _PAID) * paid or solution.iterations >= limits.max_iter:
            return problem, solution
        flat = KernelProblem.regression(problem.kernel, problem.X, problem.t[:N], problem.hi[:N], 0.0, problem.n_jobs)
        rest = limits.after(perf_counter() - started, solution.iterations)
        start = replace(solution, beta=np.concatenate([np.maximum(beta, 0.0), np.minimum(beta, 0.0)]))
        found = self._solve(flat, rest, start)
        found = replace(found, iterations=solution.iterations + found.iterations, trace=solution.trace + found.trace)
        affordable = float(np.abs(flat.of_rows(found.beta)).sum()) <= (1.0 + _PAID) * paid
        return (flat, found) if affordable else (problem, solution)

    def _tube(self) -> tuple[float, float | None]:
        """Return ε and ν."""
        epsilon, nu = self.epsilon, self.nu
        number = isinstance(epsilon, int | float | np.integer | np.floating) and not isinstance(epsilon, bool)
        if not number or not 0.0 <= epsilon < np.inf:
            raise ValueError(f"epsilon must be a finite number ≥ 0, got {epsilon!r}")
        return float(epsilon), None if nu is None else check_nu(nu)

    @answers
    def predict(self, X: Rows) -> Floats:
        """Predict the targets of examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predictions f(x).
        """
        check_is_fitted(self)
        return self.scorer_(to_judge(self, X), self._threads())[:, 0]


def _check_size(y: Floats, place: Any) -> Floats:
    if np.abs(y).max() > _LARGEST:
        i = int(np.argmax(np.abs(y)))
        raise DataError(f"target {place[i]} is {y[i]:g}; sizes up to {_LARGEST:g} are expected: take a larger unit")
    return y
