"""The one-class machine: where most of the examples are, and what is strange."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, field
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.declared_types import Estimator, parameters
from deciban.data.device_rows import repetitions
from deciban.data.devices import answers
from deciban.data.digest import digest
from deciban.data.mixins import OutlierMixin
from deciban.data.offered import offer_unless
from deciban.data.rows import Rows
from deciban.data.transaction import all_or_nothing
from deciban.data.validation import check_is_fitted
from deciban.kernel_solvers.certificate import KernelProof, prove_solution
from deciban.kernel_solvers.problem import KernelProblem
from deciban.kernels import Kernel
from deciban.losses import Floats
from deciban.solvers.problem import Callback

from ..kernels.items import among, arrays_of, scale_kernel, to_judge, to_learn, width
from .machine import SingleMachine, certify, unproven
from .margins import check_nu


def _without_marks(model: OneClassSVM) -> str:
    """Return why there are no probabilities, or nothing."""
    if getattr(model, "marks_", None) is not None:
        return ""
    return "this OneClassSVM has no probabilities: only models of LIBSVM that were trained with -b 1 do"


# By so much of ρ, the examples on the boundary are known whatever the rounding.
_GRAIN = 1e-10


@parameters
class OneClassSVM(SingleMachine, OutlierMixin, Estimator):
    """Separate most examples from the origin of the space of a kernel: inside is normal, outside an outlier.

        min over w, ρ of   ½‖w‖² + Σ_i c_i max(0, ρ − w·φ(x_i)) − ν Σc ρ

    f(x) = Σ_i α_i K(x, x_i) − ρ with 0 ≤ α_i ≤ c_i and Σ α = ν Σc. At most the share ν of the examples is outside, at
    least the share ν are support vectors. Examples on the boundary are normal. Schölkopf et al., Neural Computation 13
    (2001), proposition 4; the objective is theirs times νΣc.

    Parameters
    ----------
    kernel : str, callable or Kernel, default="rbf"
        A name ("rbf", "linear", "poly", "sigmoid", "gaussian", "multiquadric", "wave", "laplacian", "cosine", "chi2",
        "additive_chi2"), "precomputed" for Gram matrices, "spectrum" for texts, a kernel of `deciban.kernels`, or a
        function of two arrays of rows.
    nu : float, default=0.5
        Share ν, from above 0 to 1.
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
    support_ : ndarray of int of shape (n_support,)
        Indices of the support vectors.
    support_vectors_ : array-like of shape (n_support, n_features)
        The support vectors.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients α.
    intercept_ : ndarray of shape (1,)
        Intercept −ρ.
    offset_ : float
        Threshold ρ.
    coef_ : ndarray of shape (1, n_features)
        Weights, for the linear kernel.
    scorer_ : KernelScore
        The compiled score.
    certificate_ : Certificate
        Objective, duality gap, and how the fit ended.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [9.0]])
    >>> OneClassSVM(nu=0.2, gamma=1.0).fit(X).predict([[0.15], [9.5]]).tolist()
    [1, -1]
    """

    kernel: str | Kernel | Callable[..., Any] = "rbf"
    nu: float = 0.5
    _: KW_ONLY
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

    # Ten decisions in ascending order that a model of LIBSVM with probabilities tells.
    marks_: Floats | None = field(default=None, init=False)

    def fit(self, X: Rows, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the surface to examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        OneClassSVM
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            started = perf_counter()
            self._learn(X, sample_weight)
            self._seconds = perf_counter() - started
        return self

    def _learn(self, X: Rows, sample_weight: ArrayLike | None) -> None:
        nu, limits = check_nu(self.nu), self._limits()
        X, _, kernel = to_learn(self, X)
        weight = repetitions(sample_weight, X)
        place = np.flatnonzero(weight)
        if len(place) < len(weight):
            X, weight = among(kernel, X, place), weight[place]
        kernel = scale_kernel(self, kernel, X, weight)
        problem = KernelProblem.one_class(kernel, X, weight, nu, self._threads())
        solution = self._solve(problem, limits, self._start(problem))
        proof = prove_solution(problem, solution)
        self._keep(kernel, X, place, solution.beta, proof, solution)
        self.intercept_ += _to_the_boundary(problem, solution.beta, proof)
        data, doubt = digest(*arrays_of(X), weight), unproven(kernel, X)
        found, n = [(solution, proof)], float(weight.sum())
        self._proof = certify("one class", kernel, width(X), found, data, n, {}, self._seed(), doubt)

    @property
    def offset_(self) -> float:
        """Threshold ρ of `score_samples`."""
        check_is_fitted(self)
        return -float(self.intercept_[0])

    @answers
    def decision_function(self, X: Rows) -> Floats:
        """Return f(x), which is ≥ 0 for normal examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decisions f(x).
        """
        return self._decisions(X)

    @answers
    def score_samples(self, X: Rows) -> Floats:
        """Return f(x) + ρ, without the threshold.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores f(x) + ρ.
        """
        return self._decisions(X) + self.offset_

    @answers
    def predict(self, X: Rows) -> NDArray[np.intp]:
        """Predict 1 for normal examples and −1 for outliers.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.

        Returns
        -------
        ndarray of int of shape (n_samples,)
            Predictions 1 or −1.
        """
        return np.where(self._decisions(X) >= 0.0, 1, -1)

    @offer_unless(_without_marks)
    @answers
    def predict_proba(self, X: Rows) -> Floats:
        """Return (N, 2) the probabilities of −1 and 1 that a model of LIBSVM tells by the marks of its decisions: of
        known by k/10 below the mark k, .001 below the first one and .999 above the last."""
        s = self._decisions(X)
        place = np.searchsorted(np.asarray(self.marks_), s, side="right")
        known = np.where(place == 0, 0.001, np.where(place == 10, 0.999, place / 10.0))
        return np.column_stack([1.0 - known, known])

    def _decisions(self, X: Rows) -> Floats:
        check_is_fitted(self)
        return self.scorer_(to_judge(self, X), self._threads())[:, 0]


def _to_the_boundary(problem: KernelProblem, beta: Floats, proof: KernelProof) -> float:
    """Return what f lacks, within the solver's tolerance, for all free support vectors to be known."""
    free = (beta > 0.0) & (beta < problem.hi)
    b = float(proof.b[0])
    short = -float((proof.scores[free] + b).min(initial=0.0))
    return short + _GRAIN * max(1.0, abs(b))
