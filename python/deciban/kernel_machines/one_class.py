"""The one-class machine: where most of the examples are, and what is strange."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from deciban.data.declared_types import Estimator
from deciban.data.device_rows import repetitions
from deciban.data.devices import answers
from deciban.data.digest import digest
from deciban.data.offered import offered_unless
from deciban.data.transaction import all_or_nothing
from deciban.kernel_solvers.certificate import KernelProof, proven
from deciban.kernel_solvers.problem import KernelProblem
from deciban.losses import Floats

from ..kernels.items import among, arrays_of, to_judge, to_learn, weighed_kernel, width
from .machine import SingleMachine, certify, unproven
from .margins import check_nu


def _without_marks(model: Any) -> str:
    """Why there are no probabilities, or nothing."""
    if getattr(model, "marks_", None) is not None:
        return ""
    return "this OneClassSVM has no probabilities: only models of LIBSVM that were trained with -b 1 do"


# By so much of ρ, the examples on the boundary are known whatever the rounding.
_GRAIN = 1e-10


class OneClassSVM(SingleMachine, OutlierMixin, Estimator):  # type: ignore[misc]
    """A surface that parts most of the examples from the origin of a kernel's space: inside is known, outside strange.

        min over w, ρ of   ½‖w‖² + Σ_i c_i max(0, ρ − w·φ(x_i)) − ν Σc ρ       (Schölkopf et al., Neural Computation 13,
                                                                                  2001, times νΣc)
    f(x) = Σ_i α_i K(x, x_i) − ρ with 0 ≤ α_i ≤ c_i and Σ α = ν Σc. At most the share ν of the examples is outside, at
    least the share ν are support vectors (their proposition 4).

    Parameters
    ----------
    nu : in (0, 1].
    kernel : a name, an object of `deciban.kernels`, "precomputed", or a function of two tiles of rows.
    gamma, degree, coef0 : of the kernels by name; gamma may be "scale" (1/(d·var X)), "auto" (1/d) or "median".
    solver : "auto", or one of `deciban.kernel_solvers`.
    tol, max_iter, time_limit (seconds), callback(iteration, objective, gap) → stop? : when the solver stops.
    warm_start : whether `fit` begins at the last solution.
    memory_mb : how many MiB the solver may fill with values of the kernel.
    random_state : the seed; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores; None is all that joblib and the environment leave.

    Examples on the boundary are known.

    Attributes: `support_`, `support_vectors_`, `dual_coef_` α (1, m), `intercept_` −ρ (1,), `offset_` ρ, `coef_` for
    the linear kernel; `certificate_`; `scorer_`.

    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [9.0]])
    >>> OneClassSVM(nu=0.2, gamma=1.0).fit(X).predict([[0.15], [9.5]]).tolist()
    [1, -1]
    """

    # Ten decisions in ascending order that a model of LIBSVM with probabilities tells.
    marks_: Floats | None = None

    def __init__(
        self,
        kernel: Any = "rbf",
        nu: float = 0.5,
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

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn X (N, d), dense or CSR, a Gram matrix (N, N), or N texts; y is not looked at, `sample_weight` (N,)
        means repetition."""
        with all_or_nothing(self):
            started = perf_counter()
            self._learn(X, sample_weight)
            self._seconds = perf_counter() - started
        return self

    def _learn(self, X: Any, sample_weight: Any) -> None:
        nu, limits = check_nu(self.nu), self._limits()
        X, _, kernel = to_learn(self, X)
        weight = repetitions(sample_weight, X)
        place = np.flatnonzero(weight)
        if len(place) < len(weight):
            X, weight = among(kernel, X, place), weight[place]
        kernel = weighed_kernel(self, kernel, X, weight)
        problem = KernelProblem.one_class(kernel, X, weight, nu, self._threads())
        solution = self._solved(problem, limits, self._start(problem))
        proof = proven(problem, solution)
        self._keep(kernel, X, place, solution.beta, proof, solution)
        self.intercept_ += _to_the_boundary(problem, solution.beta, proof)
        data, doubt = digest(*arrays_of(X), weight), unproven(kernel, X)
        found, n = [(solution, proof)], float(weight.sum())
        self._proof = certify("one class", kernel, width(X), found, data, n, {}, self._seed(), doubt)

    @property
    def offset_(self) -> float:
        """ρ, the threshold of `score_samples`."""
        check_is_fitted(self)
        return -float(self.intercept_[0])

    @answers
    def decision_function(self, X: Any) -> Floats:
        """(N,) f(x), ≥ 0 for what is known."""
        return self._decisions(X)

    @answers
    def score_samples(self, X: Any) -> Floats:
        """(N,) f(x) + ρ, without the threshold."""
        return self._decisions(X) + self.offset_

    @answers
    def predict(self, X: Any) -> NDArray[np.intp]:
        """(N,) 1 for what is known, −1 for what is strange."""
        return np.where(self._decisions(X) >= 0.0, 1, -1)

    @offered_unless(_without_marks)
    @answers
    def predict_proba(self, X: Any) -> Floats:
        """Return (N, 2) the probabilities of −1 and 1 that a model of LIBSVM tells by the marks of its decisions: of
        known by k/10 below the mark k, .001 below the first one and .999 above the last."""
        s = self._decisions(X)
        place = np.searchsorted(np.asarray(self.marks_), s, side="right")
        known = np.where(place == 0, 0.001, np.where(place == 10, 0.999, place / 10.0))
        return np.column_stack([1.0 - known, known])

    def _decisions(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self.scorer_(to_judge(self, X), self._threads())[:, 0]


def _to_the_boundary(problem: KernelProblem, beta: Floats, proof: KernelProof) -> float:
    """What f lacks, within the solver's tolerance, for all free support vectors to be known."""
    free = (beta > 0.0) & (beta < problem.hi)
    b = float(proof.b[0])
    short = -float((proof.scores[free] + b).min(initial=0.0))
    return short + _GRAIN * max(1.0, abs(b))
