"""Linear regression: least squares and its relatives."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban._core import scores
from deciban.attached import StatesBounds
from deciban.certificates.bound import Facts, Probabilities
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import add_bounds
from deciban.data.declared_types import parameters
from deciban.data.devices import ask_on_host
from deciban.data.refusal import check_number
from deciban.data.rows import Rows, is_sparse, reals_for_core
from deciban.data.validation import check_is_fitted, not_fitted
from deciban.losses import Absolute, Floats, Huber, Loss, Squared, by_name
from deciban.penalties import NonNegative, Penalty
from deciban.penalties import by_name as penalty_by_name
from deciban.solvers import Limits, Problem, Solution, Solver, Status
from deciban.solvers.closed_form import DIRECT, Fit, from_moments
from deciban.solvers.problem import Callback
from deciban.solvers.second_moments import joint_scatter, normal_equations
from deciban.threads import effective_threads

from ..data.numbers import linear_rows
from ..data.transaction import all_or_nothing
from ..solvers.limits import draw_seed, read_limits
from .additive import Additive
from .callbacks import TellsCallbacks, report_to_callbacks
from .kept_rows import KeptRows
from .normal_equations import certify_moments, leverage, statistic
from .proofs import preparing
from .regression import certify_regression, solve_regression
from .responses import Responses, responses
from .together import fitting
from .weights import SparseWeights

if TYPE_CHECKING:
    from sklearn.utils import Tags


@dataclass(frozen=True, eq=False)
class FittedLines:
    """w (K, d), b (K,) and what is known of how they were found."""

    w: Floats
    b: Floats
    fit: Fit | None
    proof: Certificate
    solutions: tuple[Solution, ...] = ()


@dataclass(frozen=True, eq=False)
class UnprovenLines:
    """The same in closed form, with what it takes to prove it, which costs about what it took to find it."""

    w: Floats
    b: Floats
    fit: Fit | None
    solutions: tuple[Solution, ...]
    problems: list[Problem]
    given: Responses
    seed: int

    def prove(self) -> FittedLines:
        """Return them with their proof."""
        proof = certify_regression(self.problems, list(self.solutions), self.fit, self.given)
        return FittedLines(self.w, self.b, self.fit, replace(proof, seed=self.seed), self.solutions)


@parameters
class LinearRegression(TellsCallbacks, SparseWeights, StatesBounds, Additive):
    """Linear regression ŷ = x·w + b: least squares, absolute or Huber's loss; ridge, lasso or elastic net.

        min over w, b of   Σ_i w_i ℓ(y_i, x_i·w + b) + α·Ω(w)

    Least squares is solved by orthogonal factorisations and never by an inverse; where columns are combinations of
    others w is the shortest of all optima, and `rank_` shows it. Its state is the statistic Σ w (1, x, y)(1, x, y)ᵀ,
    kept about the mean to all digits, so that with loss "squared" and penalty None or "l2", `partial_fit`, `+` and
    `forget` are sums. `fit` computes from the data themselves; a model that learns in pieces computes from the
    statistic, with half the digits where columns are nearly collinear. It is kept for up to 4000 features; of at most
    4 million dense values a copy of the rows is kept in its place until it is asked for, as is the certificate of a
    closed form: each costs as much as the fit. Legendre
    (1805); Hoerl & Kennard, Technometrics 12 (1970); Tibshirani, J. R. Statist. Soc. B 58 (1996); Huber, Ann. Math.
    Statist. 35 (1964).

    Parameters
    ----------
    loss : {"squared", "absolute", "huber"}, default="squared"
        Loss ℓ of r = y − s: r²; |r|; or ½r² up to |r| = δ, δ(|r| − ½δ) beyond.
    penalty : {"l2", "l1", "elasticnet"} or None, default=None
        Penalty Ω: ½‖w‖²; ‖w‖₁; ρ‖w‖₁ + ½(1 − ρ)‖w‖²; or none. The intercept is never penalised.
    alpha : float or array-like of shape (n_targets,), default=1.0
        Strength α ≥ 0 of the penalty, or one for each target, which `partial_fit` does not take. The loss is a sum, not
        a mean, and the square has no ½: scikit-learn's `Ridge(a)` is alpha = 2a; its `Lasso(a)` and `ElasticNet(a)` are
        alpha = 2Na.
    l1_ratio : float, default=0.5
        Share ρ of the 1-norm in "elasticnet", from 0 to 1.
    positive : bool, default=False
        Whether weights are restricted to ≥ 0 (with loss "squared" or "huber"; the intercept is free).
    delta : float, default=1.35
        Residual δ > 0 from which Huber's loss is linear, in units of y. It is not scaled by the spread of the errors.
    fit_intercept : bool, default=True
        Whether there is an intercept b; else it is 0.
    solver : str or Solver, default="auto"
        One of "auto"; "closed-form" (squared; None, "l2"); "coordinate" ("l1", "elasticnet"; not absolute); "newton"
        (huber, squared); "descent" or `deciban.solvers.Descent(batch=…)`; "reweighted" (huber, absolute; None, "l2");
        "linear-programme" (absolute; None, "l1"); "smoothing" (absolute; "l2"); "interior-point" (absolute; a penalty);
        "dual-coordinate" ("l2").
    tol : float, default=1e-6
        Relative duality gap (primal − dual) / |primal| to stop at.
    max_iter : int, default=10_000
        Largest number of iterations.
    time_limit : float, optional
        Largest number of seconds.
    callback : callable, optional
        Called as `callback(iteration, objective, gap)`; the solver stops when it returns something true.
    warm_start : bool, default=False
        Whether `fit` starts at the last solution, unless it is in closed form.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of examples; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Weights w.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept b.
    rank_ : int or None
        Rank of the centred X; None where it was not determined.
    n_iter_ : int
        Number of iterations.
    status_ : str
        How the fit ended.
    statistics_ : Statistics or None
        The statistic, where the state is a sum.
    certificate_ : Certificate
        Objective, duality gap, and how the fit ended.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X had names.

    Examples
    --------
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0])
    >>> model.coef_.round(9).tolist(), round(model.intercept_, 9), model.rank_
    ([2.0], 1.0, 1)
    """

    _: KW_ONLY
    loss: Literal["squared", "absolute", "huber"] = "squared"
    penalty: Literal["l2", "l1", "elasticnet"] | None = None
    alpha: float | ArrayLike = 1.0
    l1_ratio: float = 0.5
    positive: bool = False
    delta: float = 1.35
    fit_intercept: bool = True
    solver: str | Solver = "auto"
    tol: float = 1e-6
    max_iter: int = 10_000
    time_limit: float | None = None
    callback: Callback | None = None
    warm_start: bool = False
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    _found: FittedLines | UnprovenLines | None = field(init=False)
    _sparse = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags

    # Learning.

    @report_to_callbacks
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None, covariance: Any = None) -> Self:
        """Fit the model to examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.
        covariance : array-like of shape (n_samples,) or (n_samples, n_samples), optional
            Variances or covariance V of the errors: generalised least squares (Aitken 1935), whitened by Cholesky's
            factor.

        Returns
        -------
        LinearRegression
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a covariance is given for another loss than "squared".
        """
        with all_or_nothing(self):
            started = perf_counter()
            loss, penalty, limits = self._loss(), self._penalty(), self._limits()
            given, matrix = responses(self, X, y, sample_weight, covariance)
            if covariance is not None and not isinstance(loss, Squared):
                raise ValueError(
                    f"a covariance needs the loss 'squared', got {self.loss!r}: give sample_weight instead"
                )
            given = given if matrix is None else given.whiten(matrix, self.fit_intercept)
            linear = isinstance(loss, Squared) and not penalty.l1 and not penalty.nonnegative
            keep = linear and given.X.shape[1] <= DIRECT and np.ndim(self.alpha) == 0
            later = keep and given.centre is None
            kept = KeptRows.of(given.X, given.Y, given.weight, joint_scatter) if later else None
            self.statistics_ = kept or (statistic(given) if keep else None)
            given = given if kept is None else replace(given, X=kept.X, Y=kept.y, weight=kept.weight)
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
        """Return the penalty of each target."""
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
        penalty = penalty_by_name(self.penalty, float(alpha), self.l1_ratio)
        penalty = penalty if penalty.l1 or penalty.l2 else penalty_by_name(None, 0.0)
        return NonNegative(penalty) if self.positive else penalty

    def _limits(self) -> Limits:
        return read_limits(self)

    def _minimise(self, given: Responses, loss: Loss, limits: Limits) -> FittedLines | UnprovenLines:
        rows, inside = reals_for_core(given.X), self.fit_intercept and given.centre is None
        problems = [
            Problem(
                rows, np.ascontiguousarray(y), given.weight, loss, penalty, inside, 1, effective_threads(self.n_jobs)
            )
            for y, penalty in zip(given.Y.T, self._penalties(given.Y.shape[1]), strict=True)
        ]
        known = vars(self)["statistics_"]
        moments = None if given.centre is not None or isinstance(known, KeptRows) else known
        seed = draw_seed(self.random_state)
        last = getattr(self, "_found", None) if self.warm_start else None
        start = fitting(None if last is None else last.solutions, problems)
        with nullcontext() if isinstance(known, KeptRows) else preparing(problems, given):
            solutions, fit = solve_regression(problems, limits, self.solver, seed, moments, start)
        w, b = (np.concatenate([getattr(each, name) for each in solutions]) for name in "wb")
        if isinstance(known, KeptRows) and all(each.status is Status.EXACT for each in solutions):
            return UnprovenLines(w, b, fit, tuple(solutions), problems, given, seed)
        if given.centre is not None and self.fit_intercept:
            d = w.shape[1]
            b = given.centre[d:] - w @ given.centre[:d]
        try:
            proof = certify_regression(problems, solutions, fit, given)
        except KeyboardInterrupt:  # what a few passes prove is worth them; who cannot wait says so again
            solutions = [replace(each, status=Status.INTERRUPTED) for each in solutions]
            proof = certify_regression(problems, solutions, fit, given)
        return FittedLines(w, b, fit, replace(proof, seed=seed), tuple(solutions))

    def __getstate__(self) -> Any:
        """A pickle, like a file, has the proof."""
        if isinstance(vars(self).get("_found"), UnprovenLines):
            self._prove()
        return super().__getstate__()

    def _prove(self) -> Certificate:
        """Return the proof of what was found, made now where the fit has left it for later."""
        found = self._derive_fit()
        if isinstance(found, UnprovenLines):
            found = self._found = found.prove()
        return found.proof

    def _derive_fit(self) -> FittedLines | UnprovenLines:
        check_is_fitted(self)
        if self._found is None:
            seen, l2 = self._require_statistics(), self._penalty().l2
            if not seen.n.any():
                raise not_fitted("nothing is learnt: every example was forgotten; fit or partial_fit first")
            normal = normal_equations(seen, self.n_features_in_, self.fit_intercept)
            fit = from_moments(normal, l2)
            proof = certify_moments(normal, fit, l2, seen)
            self._found = FittedLines(np.ascontiguousarray(fit.w.T), fit.b, fit, proof)
        return self._found

    # Judging.

    @ask_on_host
    def predict(self, X: Rows) -> Floats:
        """Predict the targets of examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions x·w + b.
        """
        found = self._derive_fit()
        rows = linear_rows(self, X, reset=False)
        s: Floats = scores(reals_for_core(rows), found.w, found.b, n_jobs=effective_threads(self.n_jobs))
        s = s.astype(np.result_type(rows.dtype, self._shown), copy=False)
        return s[:, 0] if self._single else s

    @property
    def _shown(self) -> Any:
        """The type in which weights and predictions are shown: single where least squares learnt float32 rows."""
        return np.float32 if self._kind == np.float32 and self.loss == "squared" else np.float64

    @ask_on_host
    def leverages(self, X: Rows) -> Floats:
        """Return the leverages h(x) = 1/n + (x − x̄)ᵀ(ZᵀZ + ½αI)⁺(x − x̄) of rows.

        For a training row of weight 1 it is the derivative of its prediction by its own y; for any row σ²·h(x) is the
        variance of its prediction. They come from the statistic; `models.hat.leverages` takes them from the data, by a
        QR factorisation.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Leverages.
        """
        self._derive_fit()
        X = linear_rows(self, X, dtype=np.float64, reset=False)
        normal = normal_equations(self._require_statistics(), self.n_features_in_, self.fit_intercept)
        return leverage(normal, self._penalty().l2, self.fit_intercept, X)

    @property
    def coef_(self) -> Any:
        """(d,), or (K, d) where y was (N, K); after `sparsify` a sparse array (K, d)."""
        if self._sparse:
            return self.sparse_coef_
        w = self._derive_fit().w.astype(self._shown, copy=False)
        return w[0] if self._single else w

    @property
    def sparse_coef_(self) -> Any:
        """(K, d) the weights as a SciPy sparse array, K = 1 where y was (N,)."""
        from scipy.sparse import csr_array

        return csr_array(self._derive_fit().w.astype(self._shown, copy=False))

    def _set_weights(self, weights: Any) -> None:
        self._sparse = is_sparse(weights)

    @property
    def intercept_(self) -> Any:
        """Intercept b, or (K,) of them where y was (N, K)."""
        b = self._derive_fit().b.astype(self._shown, copy=False)
        return (b[0] if self._shown is np.float32 else float(b[0])) if self._single else b

    @property
    def rank_(self) -> int | None:
        """Number of independent columns of X, centred where there is an intercept; None where not determined."""
        fit = self._derive_fit().fit
        return None if fit is None else fit.rank

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver, 1 for a closed form."""
        return max([1, *(each.iterations for each in self._derive_fit().solutions)])

    @property
    def status_(self) -> Status:
        """Status of the solver: of several the one that is farthest from done."""
        ended = [each.status for each in self._derive_fit().solutions] or [Status.EXACT]
        return next((status for status in ended if not status.finished), ended[0])

    @property
    def certificate_(self) -> Certificate:
        """Objective, distance to the minimum, and advice."""
        proof = self._prove()
        return add_bounds(self, replace(proof, seconds=self._seconds, seed=proof.seed or 0))

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        return Facts(Probabilities("none: no probabilities"), left_out=self._why_together())

    def _why_together(self) -> str:
        """Return why an example cannot be taken out of what was learnt."""
        if self.loss != "squared" or self.penalty not in (None, "l2") or self.positive:
            return "it is exact for least squares without a penalty, or with 'l2'"
        known = vars(self)["statistics_"]
        if known is None:
            return f"beyond {DIRECT:,} features no statistic is kept"
        if isinstance(known, KeptRows):
            return ""
        n = self._prove().n
        tied = abs(float(known.n.sum()) - n) > 1e-9 * n
        return "a covariance ties the errors of examples together" if tied else ""
