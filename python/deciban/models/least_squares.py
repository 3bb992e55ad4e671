"""Linear regression: least squares and its relatives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from deciban._core import scores
from deciban.certificates.bounding import StatesBounds
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import certified
from deciban.data.devices import asked_on_host
from deciban.data.refusal import check_number
from deciban.data.rows import is_sparse, reals_for_core
from deciban.losses import Absolute, Floats, Huber, Loss, Squared, by_name
from deciban.penalties import NonNegative, Penalty
from deciban.penalties import by_name as penalty_by_name
from deciban.solvers import Limits, Problem, Solution, Solver, Status
from deciban.solvers.closed_form import DIRECT, Fit, from_moments
from deciban.solvers.second_moments import normal_equations
from deciban.threads import effective_threads

from ..data.numbers import linear_rows
from ..data.transaction import all_or_nothing
from ..solvers.limits import limits_of, seed_of
from .additive import Additive
from .callbacks import TellsCallbacks, reported
from .normal_equations import certify_moments, leverage, statistic
from .regression import certify_regression, solve_regression
from .responses import Responses, responses
from .together import fitting
from .weights import SparseWeights


@dataclass(frozen=True, eq=False)
class Found:
    """w (K, d), b (K,) and what is known of how they were found."""

    w: Floats
    b: Floats
    fit: Fit | None
    proof: Certificate
    solutions: tuple[Solution, ...] = ()


class LinearRegression(TellsCallbacks, SparseWeights, StatesBounds, Additive):
    """ŷ = x·w + b, by least squares, ridge, lasso, elastic net, least absolute deviations or Huber's loss.

        min over w, b of   Σ_i w_i ℓ(y_i, x_i·w + b) + α·Ω(w)

    Parameters
    ----------
    loss : "squared" (y − s)²; "absolute" |y − s|; "huber" ½r² up to |r| = δ, δ(|r| − ½δ) beyond, r = y − s.
    penalty : None; "l2" ½‖w‖²; "l1" ‖w‖₁; "elastic_net" ρ‖w‖₁ + ½(1 − ρ)‖w‖², ρ = `l1_ratio`. Never on the intercept.
    alpha : α ≥ 0, what the penalty weighs, or (K,) of them, one a target, which `partial_fit` does not take. The loss
        is a sum, not a mean, and the square has no ½: scikit-learn's Ridge(a) is alpha = 2a; its Lasso(a) and
        ElasticNet(a) are alpha = 2Na.
    positive : whether weights below 0 are forbidden (with loss "squared" or "huber"; the intercept is free).
    l1_ratio : ρ from 0 to 1, of the penalty "elastic_net".
    delta : δ > 0, where Huber's loss turns straight, in the units of y. It is not scaled by the spread of the errors.
    fit_intercept : whether b is learnt; else it is 0.
    solver : "auto", or "closed-form" (squared; None, "l2"), "coordinate" ("l1", "elastic_net"; not absolute), "newton"
        (huber, squared), "descent" or `deciban.solvers.Descent(batch=…)`, "reweighted" (huber, absolute; None, "l2"),
        "linear-programme" (absolute; None, "l1"), "smoothing" (absolute; "l2"), "interior-point" (absolute; a penalty),
        "dual-coordinate" ("l2").
    tol : the relative duality gap (primal − dual) / |primal| to stop at; closed forms go to rounding.
    max_iter, time_limit (seconds), callback(iteration, objective, gap) → stop? : other reasons to stop.
    warm_start : whether `fit` begins where the last one ended, unless it is in closed form.
    random_state : the seed of the order in which examples are visited; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Least squares is solved by orthogonal factorisations and never by an inverse; where columns are combinations of
    others w is the shortest of all optima and `rank_` says so (`deciban.solvers.closed_form`). Its state is the
    statistic Σ w (1, x, y)(1, x, y)ᵀ, kept about the mean to all digits, so that with loss "squared" and penalty None
    or "l2", `partial_fit`, `+` and `forget` are sums. What `fit` finds comes from the data themselves; what is learnt
    in pieces comes from the statistic, with half the digits where columns are nearly collinear. It is kept for up to
    4000 features.

    `fit(…, covariance=V)`: generalised least squares (Aitken 1935) for errors of variances V (N,) or covariance V
    (N, N), whitened by Cholesky's factor. `sample_weight` means repetition. y may be (N, K): K regressions.

    Attributes: `coef_` (d,) or (K, d), `intercept_`, `rank_` of the centred X (None where it was not determined),
    `n_iter_`, `status_`, `certificate_`, `statistics_`, `n_features_in_`, `feature_names_in_`.
    Legendre 1805; Hoerl & Kennard, Technometrics 12 (1970); Tibshirani, J. R. Statist. Soc. B 58 (1996); Huber, Ann.
    Math. Statist. 35 (1964).

    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0])
    >>> model.coef_.round(9).tolist(), round(model.intercept_, 9), model.rank_
    ([2.0], 1.0, 1)
    """

    _found: Found | None
    _sparse = False

    def __init__(
        self,
        *,
        loss: Literal["squared", "absolute", "huber"] = "squared",
        penalty: Literal["l2", "l1", "elastic_net"] | None = None,
        alpha: float | ArrayLike = 1.0,
        l1_ratio: float = 0.5,
        positive: bool = False,
        delta: float = 1.35,
        fit_intercept: bool = True,
        solver: str | Solver = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        callback: Any = None,
        warm_start: bool = False,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.positive = positive
        self.delta = delta
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
        tags.target_tags.multi_output = True
        return tags

    # Learning.

    @reported
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, covariance: Any = None) -> Self:
        """Learn X (N, d), dense or CSR, y (N,) or (N, K), from nothing."""
        with all_or_nothing(self):
            started = perf_counter()
            loss, penalty, limits = self._loss(), self._penalty(), self._limits()
            given, matrix = responses(self, X, y, sample_weight, covariance)
            if covariance is not None and not isinstance(loss, Squared):
                raise ValueError(
                    f"a covariance needs the loss 'squared', got {self.loss!r}: give sample_weight instead"
                )
            given = given if matrix is None else given.whitened(matrix, self.fit_intercept)
            linear = isinstance(loss, Squared) and not penalty.l1 and not penalty.nonnegative
            keep = linear and given.X.shape[1] <= DIRECT and np.ndim(self.alpha) == 0
            self.statistics_ = statistic(given) if keep else None
            self._single, self._kind, self._sparse = given.single, given.kind, False
            self._found = self._minimise(given, loss, limits)
            self._seconds = perf_counter() - started
        return self

    # Minimising.

    def _loss(self) -> Loss:
        loss = by_name(self.loss, Squared, Absolute, Huber)
        if loss is not Huber:
            return loss()
        check_number("delta", self.delta, np.nextafter(0.0, 1.0), "a finite number > 0")
        return Huber(float(self.delta))

    def _penalties(self, targets: int) -> list[Penalty]:
        """The penalty of each target."""
        if np.ndim(self.alpha) == 0:
            return [self._penalty()] * targets
        strengths = np.asarray(self.alpha)
        if strengths.shape not in ((1,), (targets,)):
            raise ValueError(
                f"Number of targets and number of penalties do not correspond: {strengths.size} != {targets}. alpha "
                "must be one number, or one for each target."
            )
        return [self._penalty(each) for each in np.broadcast_to(strengths, targets).tolist()]

    def _penalty(self, alpha: Any = None) -> Penalty:
        if alpha is None:
            alpha = self.alpha if np.ndim(self.alpha) == 0 else np.max(self.alpha)
        check_number("alpha", alpha, 0.0, "a finite number ≥ 0")
        if self.penalty == "elastic_net":
            check_number("l1_ratio", self.l1_ratio, 0.0, "a number from 0 to 1")
            if self.l1_ratio > 1.0:
                raise ValueError(f"l1_ratio must be a number from 0 to 1, got {self.l1_ratio!r}")
        penalty = penalty_by_name(self.penalty, float(alpha), float(self.l1_ratio))
        penalty = penalty if penalty.l1 or penalty.l2 else penalty_by_name(None, 0.0)
        return NonNegative(penalty) if self.positive else penalty

    def _limits(self) -> Limits:
        return limits_of(self)

    def _minimise(self, given: Responses, loss: Loss, limits: Limits) -> Found:
        rows, inside = reals_for_core(given.X), self.fit_intercept and given.centre is None
        problems = [
            Problem(
                rows, np.ascontiguousarray(y), given.weight, loss, penalty, inside, 1, effective_threads(self.n_jobs)
            )
            for y, penalty in zip(given.Y.T, self._penalties(given.Y.shape[1]), strict=True)
        ]
        moments = None if given.centre is not None else self.statistics_
        seed = seed_of(self.random_state)
        last = getattr(self, "_found", None) if self.warm_start else None
        start = fitting(None if last is None else last.solutions, problems)
        solutions, fit = solve_regression(problems, limits, self.solver, seed, moments, start)
        try:
            proof = certify_regression(problems, solutions, fit, given)
        except KeyboardInterrupt:  # what a few passes prove is worth them; who cannot wait says so again
            solutions = [replace(each, status=Status.INTERRUPTED) for each in solutions]
            proof = certify_regression(problems, solutions, fit, given)
        w, b = (np.concatenate([getattr(each, name) for each in solutions]) for name in "wb")
        if given.centre is not None and self.fit_intercept:
            d = w.shape[1]
            b = given.centre[d:] - w @ given.centre[:d]
        return Found(w, b, fit, replace(proof, seed=seed), tuple(solutions))

    def _learnt(self) -> Found:
        check_is_fitted(self)
        if self._found is None:
            seen, l2 = self._known(), self._penalty().l2
            if not seen.n.any():
                raise NotFittedError("nothing is learnt: every example was forgotten; fit or partial_fit first")
            normal = normal_equations(seen, self.n_features_in_, self.fit_intercept)
            fit = from_moments(normal, l2)
            proof = certify_moments(normal, fit, l2, seen)
            self._found = Found(np.ascontiguousarray(fit.w.T), fit.b, fit, proof)
        return self._found

    # Judging.

    @asked_on_host
    def predict(self, X: Any) -> Floats:
        """(N,) or (N, K) x·w + b."""
        found = self._learnt()
        X = linear_rows(self, X, reset=False)
        s: Floats = scores(reals_for_core(X), found.w, found.b, n_jobs=effective_threads(self.n_jobs))
        s = s.astype(np.result_type(X.dtype, self._shown), copy=False)
        return s[:, 0] if self._single else s

    @property
    def _shown(self) -> Any:
        """The type in which weights and predictions are shown: single where least squares learnt float32 rows."""
        return np.float32 if self._kind == np.float32 and self.loss == "squared" else np.float64

    @asked_on_host
    def leverages(self, X: Any) -> Floats:
        """(N,) h(x) = 1/n + (x − x̄)ᵀ(ZᵀZ + ½αI)⁺(x − x̄): for a row that was learnt with weight 1 how much its
        prediction follows its own y; for any row σ²·h(x) is the variance of its prediction. From the statistic;
        `models.hat.leverages` takes them from the data, by a QR factorisation."""
        self._learnt()
        X = linear_rows(self, X, dtype=np.float64, reset=False)
        normal = normal_equations(self._known(), self.n_features_in_, self.fit_intercept)
        return leverage(normal, self._penalty().l2, self.fit_intercept, X)

    @property
    def coef_(self) -> Any:
        """(d,), or (K, d) where y was (N, K); after `sparsify` a sparse array (K, d)."""
        if self._sparse:
            return self.sparse_coef_
        w = self._learnt().w.astype(self._shown, copy=False)
        return w[0] if self._single else w

    @property
    def sparse_coef_(self) -> Any:
        """(K, d) the weights as a SciPy sparse array, K = 1 where y was (N,)."""
        from scipy.sparse import csr_array

        return csr_array(self._learnt().w.astype(self._shown, copy=False))

    def _set_weights(self, weights: Any) -> None:
        self._sparse = is_sparse(weights)

    @property
    def intercept_(self) -> Any:
        """b, or (K,) where y was (N, K)."""
        b = self._learnt().b.astype(self._shown, copy=False)
        return (b[0] if self._shown is np.float32 else float(b[0])) if self._single else b

    @property
    def rank_(self) -> int | None:
        """How many columns of X, centred where there is an intercept, are independent; None where not determined."""
        fit = self._learnt().fit
        return None if fit is None else fit.rank

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver, 1 for a closed form."""
        return max(1, self._learnt().proof.iterations)

    @property
    def status_(self) -> Status:
        """How the solver ended: of several the one that is farthest from done."""
        ended = [each.status for each in self._learnt().solutions] or [Status.EXACT]
        return next((status for status in ended if not status.finished), ended[0])

    @property
    def certificate_(self) -> Certificate:
        """What was minimised, how close to the minimum the fit came, and what to do about it."""
        proof = self._learnt().proof
        return certified(self, replace(proof, seconds=self._seconds, seed=proof.seed or 0))

    def _keeps_examples_together(self) -> str:
        """Why an example cannot be taken out of what was learnt."""
        if self.loss != "squared" or self.penalty not in (None, "l2") or self.positive:
            return "it is exact for least squares without a penalty, or with 'l2'"
        if self.statistics_ is None:
            return f"beyond {DIRECT:,} features no statistic is kept"
        tied = abs(float(self.statistics_.n.sum()) - self._learnt().proof.n) > 1e-9 * self._learnt().proof.n
        return "a covariance ties the errors of examples together" if tied else ""
