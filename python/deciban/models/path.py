"""A path over the strength of a linear model's penalty, each fit begun at the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier

from deciban.certificates.certificate import Certificate
from deciban.certificates.rates import Interval, clopper_pearson
from deciban.data.convergence import warned_once
from deciban.data.folds import folds
from deciban.data.rows import is_sparse, reals_for_core
from deciban.losses import Floats
from deciban.penalties import L1
from deciban.solvers import Problem, Status
from deciban.solvers.null import best_shift
from deciban.threads import effective_threads

from ..data.examples import bounded, examples
from ..solvers.limits import check_positive, seed_of
from .responses import responses
from .weights import dense

# How many strengths are tried where none are given, and over how many powers of ten.
_TRIED, _DECADES = 10, 4.0


class Tried(NamedTuple):
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
    """What was `tried`, from the strongest penalty to the weakest; the `value` of the `parameter` ("C" or "alpha") that
    was chosen, and the `model` that has learnt all examples at it."""

    tried: tuple[Tried, ...]
    parameter: str
    value: float
    model: Any = field(repr=False)


@warned_once()
def path(
    model: Any,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    Cs: Sequence[float] | None = None,
    alphas: Sequence[float] | None = None,
    cv: int = 5,
) -> Path:
    """Fit a linear model along `Cs` or `alphas`; choose the simplest fit that is good enough on examples held out.

        value* = the strongest penalty with   e ≤ min e + its standard error     (Breiman, Friedman, Olshen & Stone
                                                                                  1984, §3.4.3)

    Parameters
    ----------
    model : a linear estimator with a penalty: one with a price C (`LogisticRegression`, `LinearSVM`, `LinearSVR`), or
        one with alpha (`LinearRegression`, `LeastSquaresClassifier`). It is not changed.
    X, y, sample_weight : the examples, as for `fit`.
    Cs, alphas : the values of C or of alpha, whichever the model has. None: ten over four powers of ten from the
        strongest penalty under which a weight is not 0 (l1, elastic net), else over eight about 1/mean ‖x − x̄‖², so
        that units do not matter.
    cv : a number of folds from 2. Equal examples share a fold.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        For a model that has no penalty, and values that are not finite numbers > 0.

    Each fit begins where the one before ended (Friedman, Hastie & Tibshirani, Journal of Statistical Software 33,
    2010), and comes with its certificate; the model's limits hold for each. Ctrl-C ends the path at the last value that
    is complete. No calibration is learnt on the way, only by the model that is chosen.

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
    tried: list[Tried] = []
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


def check_folds(cv: Any) -> int:
    """Return the number of folds, or raise a ValueError unless it is a whole number from 2."""
    if isinstance(cv, bool) or not isinstance(cv, int | np.integer) or cv < 2:
        raise ValueError(f"cv must be a number of folds from 2, got {cv!r}")
    return int(cv)


def _values(model: Any, Cs: Sequence[float] | None, alphas: Sequence[float] | None) -> tuple[str, list[float] | None]:
    """The name of the parameter, and its values if there are some."""
    name = type(model).__name__
    known = model.get_params(deep=False)
    parameter = "C" if "C" in known else "alpha" if "alpha" in known else ""
    if not parameter or "fit_intercept" not in known:
        raise ValueError(
            f"a path is one of linear models with a penalty, got {name}: for SVM there is deciban.kernel_machines.path"
        )
    if known.get("penalty", "l2") in (None, "none"):
        raise ValueError(f"{name} has penalty={known['penalty']!r}: a path needs 'l2', 'l1' or 'elastic_net'")
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

    def __init__(self, model: Any, parameter: str, X: Any, y: Any, sample_weight: Any, k: int) -> None:
        self.model, self.parameter, self.classes = model, parameter, is_classifier(model)
        self.seen = clone(model)
        if self.classes:
            given = examples(self.seen, X, y, sample_weight)
            self.X, self.y, self.weight = given.X, given.labels[given.y], given.repetition
            self.rows: Any = given
        else:
            self.rows, _ = responses(self.seen, X, y, sample_weight)
            self.X, self.weight = self.rows.X, self.rows.weight
            self.y = self.rows.Y[:, 0] if self.rows.single else self.rows.Y
        fold = folds(self.X, k, seed_of(model.random_state))
        self.sets = [np.ones(len(self.y), dtype=bool), *(fold != j for j in range(k) if self._is_able(fold != j))]
        if len(self.sets) == 1:
            raise ValueError(f"no fold of {k} leaves examples of every class to learn from: give more examples")
        self.fits = [self._begun() for _ in self.sets]

    def _is_able(self, kept: NDArray[np.bool_]) -> bool:
        """Whether there is something to learn from and something held out."""
        some = bool(kept.any()) and not kept.all()
        return some and (not self.classes or len(np.unique(self.y[kept])) == len(np.unique(self.y)))

    def _begun(self) -> Any:
        fresh = clone(self.model)
        wanted = {"warm_start": True, "calibration": None}
        return fresh.set_params(**{name: wanted[name] for name in wanted.keys() & fresh.get_params(deep=False)})

    def fit(self, value: float) -> Tried:
        """Fit all sets at one value and judge them; KeyboardInterrupt at the fit that Ctrl-C ended."""
        losses, weight = [], []
        for kept, model in zip(self.sets, self.fits, strict=True):
            model.set_params(**{self.parameter: value})
            model.fit(self.X[kept], self.y[kept], sample_weight=self.weight[kept])
            if model.status_ is Status.INTERRUPTED:
                raise KeyboardInterrupt
            if not kept.all():
                losses.append(self._losses(model, ~kept))
                weight.append(self.weight[~kept])
        error, interval, spread = _judged(np.concatenate(losses), np.concatenate(weight), self.classes)
        whole = self.fits[0]
        coef = np.atleast_2d(dense(whole.coef_)).astype(np.float64)
        return Tried(value, error, interval, spread, coef, np.atleast_1d(whole.intercept_), whole.certificate_)

    def _losses(self, model: Any, held: NDArray[np.bool_]) -> Floats:
        """Of each example held out: 1 where it is judged wrongly, or its loss, the mean over the targets."""
        if self.classes:
            return np.asarray(model.predict(self.X[held]) != self.y[held], dtype=np.float64)
        s, y = model.predict(self.X[held]), self.y[held]
        loss = model._loss().value(np.ravel(y), np.ravel(s).astype(np.float64)).reshape(y.shape)
        each: Floats = loss if loss.ndim == 1 else loss.mean(axis=1)
        return each

    def grid(self) -> list[float]:
        """Values for any units: those under which weights begin to be told from 0, and on to weak penalties."""
        share = {"l1": 1.0, "elastic_net": getattr(self.model, "l1_ratio", 1.0)}.get(
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
        """What is minimised under λ‖w‖₁ with a price of 1."""
        if self.classes:
            one = clone(self.model).set_params(**{self.parameter: 1.0})
            return [problem.with_penalty(L1(1.0)) for problem in one._problems(self.rows)]
        rows, loss = reals_for_core(bounded(self.X)), self.model._loss()
        threads = effective_threads(self.model.n_jobs)
        free = bool(self.model.fit_intercept)
        return [
            Problem(rows, np.ascontiguousarray(y), self.weight, loss, L1(1.0), free, 1, threads) for y in self.rows.Y.T
        ]


def _slopes(problem: Problem) -> float:
    """The largest |Σ c a x_j| without weights: from this λ₁ on all stay 0."""
    if problem.K > 1 or not np.isfinite(problem.loss.curvature_bound):
        return problem.slopes_at_zero
    shift = best_shift(problem, np.zeros(len(problem.y))) if problem.intercept else 0.0
    return replace(problem, offset=np.full(len(problem.y), shift)).slopes_at_zero


def _spread(X: Any, weight: Floats) -> float:
    """The mean of ‖x − x̄‖²."""
    share = weight / weight.sum()
    mean = np.asarray(share @ X, dtype=np.float64).ravel()
    squares = np.asarray(share @ (X.multiply(X) if is_sparse(X) else np.square(X, dtype=np.float64)), dtype=np.float64)
    return float(np.maximum(squares.ravel() - mean * mean, 0.0).sum())


def _judged(losses: Floats, weight: Floats, classes: bool) -> tuple[float, Interval, float]:
    """The mean, its interval and its standard error."""
    n = float(weight.sum())
    error = float(weight @ losses) / n
    if classes:
        return error, clopper_pearson(round(error * n), round(n)), float(np.sqrt(error * (1.0 - error) / n))
    spread = float(np.sqrt(weight @ (losses - error) ** 2) / n)
    return error, (error - 1.96 * spread, error + 1.96 * spread), spread
