"""A path over the strength of a linear model's penalty, each fit begun at the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from deciban.certificates.certificate import Certificate
from deciban.certificates.intervals import Interval, clopper_pearson
from deciban.data.convergence import warn_once
from deciban.data.estimator import clone
from deciban.data.folds import Places, check_folds, folds, whole_and_folds
from deciban.data.mixins import is_classifier
from deciban.data.rows import Rows, is_sparse, reals_for_core
from deciban.losses import Floats
from deciban.penalties import L1
from deciban.solvers import Problem, Status
from deciban.solvers.problem import best_shift
from deciban.threads import effective_threads

from ..data.examples import examples, refuse_large
from ..solvers.limits import check_positive, draw_seed
from .least_squares import LinearRegression
from .linear import LinearClassifier
from .linear_svr import LinearSVR
from .responses import responses
from .weights import dense

LinearModel: TypeAlias = LinearClassifier | LinearRegression | LinearSVR

# How many strengths are tried where none are given, and over how many powers of ten.
_TRIED, _DECADES = 10, 4.0


class PathPoint(NamedTuple):
    """One `value` of C or alpha: the error on the examples held out, with its interval (95 %) and standard error; and
    of the fit of all examples its weights (K, d), K = 1 for one score, its intercepts (K,) and its certificate.

    The error of a classifier is the share that it judged wrongly (interval of Clopper & Pearson 1934); that of a
    regression its mean loss, which is in the units of the loss (interval: 1.96 standard errors).
    """

    value: float
    error: float
    interval: Interval
    standard_error: float
    coef: Floats
    intercept: Floats
    certificate: Certificate

    @property
    def n_weights(self) -> int:
        """Count the weights that are not 0."""
        return int(np.count_nonzero(self.coef))


@dataclass(frozen=True)
class Path:
    """Fits along a penalty, and the selected one.

    Parameters
    ----------
    tried : tuple of PathPoint
        The fits, from the strongest penalty to the weakest.
    parameter : {"C", "alpha"}
        Parameter of the penalty.
    value : float
        Its selected value.
    model : estimator
        The model fitted to all examples at it.

    Examples
    --------
    >>> from deciban import LogisticRegression
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> path(LogisticRegression(), X, X[:, 0] > 0.0, Cs=[1.0]).parameter
    'C'
    """

    tried: tuple[PathPoint, ...]
    parameter: str
    value: float
    model: LinearModel = field(repr=False)


@warn_once()
def path(
    model: LinearModel,
    X: Rows,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    Cs: Sequence[float] | None = None,
    alphas: Sequence[float] | None = None,
    cv: int = 5,
) -> Path:
    """Fit a linear model along values of C or alpha, and select the simplest one that is good enough.

    Errors e are those on held-out examples:

        value* = the strongest penalty with   e ≤ min e + its standard error     (Breiman, Friedman, Olshen & Stone
                                                                                  1984, §3.4.3)

    Each fit starts at the one before (Friedman, Hastie & Tibshirani, Journal of Statistical Software 33, 2010), and has
    its certificate; the model's limits apply to each. Ctrl-C ends the path at the last value that is complete. Only the
    selected model is calibrated.

    Parameters
    ----------
    model : estimator
        A linear estimator with a penalty and C (`LogisticRegression`, `LinearSVM`, `LinearSVR`) or alpha
        (`LinearRegression`, `LeastSquaresClassifier`). It is not changed.
    X : array-like or CSR matrix of shape (n_samples, n_features)
        Examples.
    y : array-like of shape (n_samples,)
        Labels or targets.
    sample_weight : array-like of shape (n_samples,), optional
        Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.
    Cs : sequence of float, optional
        Values of C. By default ten over four powers of ten from the strongest penalty under which a weight is not 0
        ("l1", "elasticnet"), else over eight about 1/mean ‖x − x̄‖², so that units do not matter.
    alphas : sequence of float, optional
        Values of alpha, for models that have it.
    cv : int, default=5
        Number of folds, from 2. Equal examples share a fold.

    Returns
    -------
    Path
        The fits with their errors, and the selected model.

    Raises
    ------
    ValueError
        If the model has no penalty, or values are not finite and > 0.

    Examples
    --------
    >>> from deciban import LogisticRegression
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> found = path(LogisticRegression(penalty="l1"), X, X[:, 0] > 0.0)
    >>> [each.n_weights for each in found.tried][:4], found.tried[-1].certificate.status
    ([0, 1, 1, 2], 'converged')
    """
    parameter, values = _values(model, Cs, alphas)
    along = _Along(model, parameter, X, y, sample_weight, check_folds(cv))
    values = values if values is not None else along.grid()
    tried: list[PathPoint] = []
    try:
        for value in sorted(values, reverse=parameter == "alpha"):
            tried.append(along.fit(value))
    except KeyboardInterrupt:
        if not tried:
            raise
    chosen = tried[simplest(tried)]
    fitted = clone(model).set_params(**{parameter: chosen.value}).fit(X, y, sample_weight=sample_weight)
    return Path(tuple(tried), parameter, chosen.value, fitted)


def simplest(tried: Sequence[Any]) -> int:
    """Return the place of the first, which is the simplest, whose error is within a standard error of the least.

    >>> from types import SimpleNamespace
    >>> simplest([SimpleNamespace(error=e, standard_error=0.1) for e in (0.5, 0.3, 0.25)])
    1
    """
    best = min(tried, key=lambda each: each.error)
    return next(k for k, each in enumerate(tried) if each.error <= best.error + best.standard_error)


def _values(
    model: LinearModel, Cs: Sequence[float] | None, alphas: Sequence[float] | None
) -> tuple[str, list[float] | None]:
    """Return the name of the parameter, and its values if there are some."""
    name = type(model).__name__
    known = model.get_params(deep=False)
    parameter = "C" if "C" in known else "alpha" if "alpha" in known else ""
    if not parameter or "fit_intercept" not in known:
        raise ValueError(
            f"a path is one of linear models with a penalty, got {name}: for SVM there is deciban.kernel_machines.path"
        )
    if known.get("penalty", "l2") is None:
        raise ValueError(f"{name} has penalty={known['penalty']!r}: a path needs 'l2', 'l1' or 'elasticnet'")
    given, other = (Cs, alphas) if parameter == "C" else (alphas, Cs)
    if other is not None:
        wrong = "alphas" if parameter == "C" else "Cs"
        raise ValueError(f"{name} has no {wrong[:-1]}: give {parameter}s instead of {wrong}")
    if given is None:
        return parameter, None
    values = sorted({check_positive(parameter, value) for value in given})
    if not values or np.inf in values:
        raise ValueError(f"{parameter}s must be finite numbers > 0, at least one; got {list(given)!r}")
    return parameter, values


class _Along:
    """All examples, and those that each fold leaves to learn from, each with an estimator that goes along."""

    def __init__(
        self, model: LinearModel, parameter: str, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None, k: int
    ) -> None:
        self.model, self.parameter, self.classes = model, parameter, is_classifier(model)
        self.seen = clone(model)
        if self.classes:
            given = examples(self.seen, X, y, sample_weight)
            self.X, self.y, self.weight = given.X, given.labels, given.repetition
            self.rows: Any = given
        else:
            self.rows, _ = responses(self.seen, X, y, sample_weight)
            self.X, self.weight = self.rows.X, self.rows.weight
            self.y = self.rows.Y[:, 0] if self.rows.single else self.rows.Y
        labels, y = (given.classes, given.y) if self.classes else ([0], np.zeros(len(self.y), dtype=np.intp))
        self.splits = whole_and_folds(folds(self.X, k, draw_seed(model.random_state)), k, y, len(labels))
        self.fits = [self._clone_to_start() for _ in self.splits]

    def _clone_to_start(self) -> Any:
        fresh = clone(self.model)
        wanted = {"warm_start": True, "calibration": None}
        return fresh.set_params(**{name: wanted[name] for name in wanted.keys() & fresh.get_params(deep=False)})

    def fit(self, value: float) -> PathPoint:
        """Fit all sets at one value and judge them; KeyboardInterrupt at the fit that Ctrl-C ended."""
        losses, weight = [], []
        for (inside, outside), model in zip(self.splits, self.fits, strict=True):
            model.set_params(**{self.parameter: value})
            model.fit(self.X[inside], self.y[inside], sample_weight=self.weight[inside])
            if model.status_ is Status.INTERRUPTED:
                raise KeyboardInterrupt
            if len(outside):
                losses.append(self._losses(model, outside))
                weight.append(self.weight[outside])
        error, interval, spread = _estimate_error(np.concatenate(losses), np.concatenate(weight), self.classes)
        whole = self.fits[0]
        coef = np.atleast_2d(dense(whole.coef_)).astype(np.float64)
        return PathPoint(value, error, interval, spread, coef, np.atleast_1d(whole.intercept_), whole.certificate_)

    def _losses(self, model: LinearModel, held: Places) -> Floats:
        """Return of each example held out 1 where it is misclassified, or its loss, the mean over the targets."""
        if self.classes:
            return np.asarray(model.predict(self.X[held]) != self.y[held], dtype=np.float64)
        s, y = model.predict(self.X[held]), self.y[held]
        loss = model._loss().value(np.ravel(y), np.ravel(s).astype(np.float64)).reshape(y.shape)
        each: Floats = loss if loss.ndim == 1 else loss.mean(axis=1)
        return each

    def grid(self) -> list[float]:
        """Return values for any units: those under which weights begin to be told from 0, and on to weak penalties."""
        share = {"l1": 1.0, "elasticnet": getattr(self.model, "l1_ratio", 1.0)}.get(
            getattr(self.model, "penalty", "l2"), 0.0
        )
        if share:
            strongest = max(_slopes(problem) for problem in self._problems()) / float(share)
            strengths = strongest * np.logspace(0.0, -_DECADES, _TRIED)
        else:
            strengths = _spread(self.X, self.weight) * np.logspace(_DECADES, -_DECADES, _TRIED)
        strengths = np.where((strengths > 0.0) & np.isfinite(strengths), strengths, 1.0)
        return [float(s) for s in (1.0 / strengths if self.parameter == "C" else strengths)]

    def _problems(self) -> list[Problem]:
        """Return what is minimised under λ‖w‖₁ with a price of 1."""
        if self.classes:
            one = clone(self.model).set_params(**{self.parameter: 1.0})
            return [problem.with_penalty(L1(1.0)) for problem in one._problems(self.rows)]
        rows, loss = reals_for_core(refuse_large(self.X)), self.model._loss()
        threads = effective_threads(self.model.n_jobs)
        free = bool(self.model.fit_intercept)
        return [
            Problem(rows, np.ascontiguousarray(y), self.weight, loss, L1(1.0), free, 1, threads) for y in self.rows.Y.T
        ]


def _slopes(problem: Problem) -> float:
    """Return the largest |Σ c a x_j| without weights: from this λ₁ on all stay 0."""
    if problem.K > 1 or not np.isfinite(problem.loss.curvature_bound):
        return problem.slopes_at_zero
    shift = best_shift(problem, np.zeros(len(problem.y))) if problem.intercept else 0.0
    return replace(problem, offset=np.full(len(problem.y), shift)).slopes_at_zero


def _spread(X: Any, weight: Floats) -> float:
    """Return the mean of ‖x − x̄‖²."""
    share = weight / weight.sum()
    mean = np.asarray(share @ X, dtype=np.float64).ravel()
    squares = np.asarray(share @ (X.multiply(X) if is_sparse(X) else np.square(X, dtype=np.float64)), dtype=np.float64)
    return float(np.maximum(squares.ravel() - mean * mean, 0.0).sum())


def _estimate_error(losses: Floats, weight: Floats, classes: bool) -> tuple[float, Interval, float]:
    """Return the mean, its interval and its standard error."""
    n = float(weight.sum())
    error = float(weight @ losses) / n
    if classes:
        return error, clopper_pearson(round(error * n), round(n)), float(np.sqrt(error * (1.0 - error) / n))
    spread = float(np.sqrt(weight @ (losses - error) ** 2) / n)
    return error, (error - 1.96 * spread, error + 1.96 * spread), spread
