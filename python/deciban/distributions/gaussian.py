"""Measurements: each feature normal, independent given the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import Rows, as_rows, is_sparse
from deciban.scores import AffineScore, IndependentScore, Score

from ..data.refusal import StatisticError, check_number, first
from .counts import Floats
from .distribution import Family, check_support
from .moments import LAST_BITS, Moments, moments
from .priors import Optimum, PseudoCounts, check_pseudo_counts, count_at, log_moments, pseudo_counts

_LOG_2PI = float(np.log(2.0 * np.pi))


class Normal(NamedTuple):
    """location, variance (C, d) and, for Student's t, freedom (C, d); variance is its squared scale.

    A variance of ∞ stands for a feature that never varied: no evidence.
    """

    location: Floats
    variance: Floats
    freedom: Floats | None


class Posterior(NamedTuple):
    """Normal-inverse-gamma parameters (C, d): mean m, κ examples for it, ν for the variance, scatter 2b."""

    m: Floats
    kappa: Floats
    nu: Floats
    scatter: Floats


@dataclass(frozen=True)
class Gaussian(Family):
    """The Gaussian distribution, x_j | c ~ N(μ_cj, σ²_cj), independent given the class.

        μ | σ² ~ N(mean, σ²/kappa),      1/σ² ~ Gamma(nu/2, rate nu·variance/2)

    that is: kappa examples seen beforehand with this mean, nu with this variance. Statistics: weight, Σ x and Σ x² of
    each class. Estimates: "bayes" is the posterior predictive, Student's t with ν degrees of freedom about m, squared
    scale (scatter/ν)·(1 + 1/κ); "map" the mode of the posterior, σ² = scatter / (ν + 3), where σ² is shared / (ν + C +
    2); "ml" the mean, and the scatter about it over n. A feature that never varied is no evidence. Murphy, Conjugate
    Bayesian analysis of the Gaussian distribution (2007), section 3.

    Over the posterior, with δ = x − m, τ = 1/σ² and b = scatter/2, log p(x_j | c) has

        mean ½ [ψ(ν/2) − log b − log 2π − δ² ν/2b − 1/κ]
        variance ¼ ψ′(ν/2) + ¼ [δ⁴ ν/2b² + 2 δ² ν/(κ b) + 2/κ²] − δ²/2b

    as E τ = ν/2b, var τ = ν/2b², cov(log τ, τ) = 1/b. Where σ² is shared, classes are taken as if independent.

    Parameters
    ----------
    mean : float, optional
        Prior mean of μ. By default the mean of the feature over all classes.
    kappa : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Pseudo-counts of the prior mean.
    variance : float, optional
        Prior value of σ². By default the variance of the feature over all classes.
    nu : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Pseudo-counts of the prior variance.
    shared : bool, default=False
        Whether one σ²_j serves all classes; then "ml" and "map" are affine in x.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> scale = Gaussian()
    >>> seen = scale.count(np.array([[1.0], [3.0]]), np.array([0, 0]), np.ones(2), 1)
    >>> [part.tolist() for part in scale.parameters(seen, "ml")[:2]]
    [[[2.0]], [[1.0]]]
    """

    mean: float | None = None
    kappa: PseudoCounts = 1.0
    variance: float | None = None
    nu: PseudoCounts = 1.0
    shared: bool = False
    var_smoothing: ClassVar[float] = 0.0
    name: ClassVar[str] = "gaussian"
    missing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("kappa", "nu"):
            object.__setattr__(self, name, check_pseudo_counts(name, getattr(self, name)))
        if self.mean is not None:
            check_number("mean", self.mean, -np.inf, "None or a finite number")
        if self.variance is not None:
            check_number("variance", self.variance, np.finfo(np.float64).tiny, "None or a finite number > 0")

    @classmethod
    def symmetric(cls, alpha: PseudoCounts) -> Gaussian:
        return cls(kappa=alpha, nu=alpha)

    @property
    def alpha(self) -> PseudoCounts:
        """How many examples the prior is worth."""
        return self.kappa

    def statistic(self, X: Rows) -> Any:
        X = as_rows(X)
        check_support(X, "finite", _error_expected)
        return X

    def count(self, X: Rows, y: NDArray[np.intp], weight: Floats | None, C: int) -> Moments:
        return moments(as_rows(X), y, weight, C)

    def check_counts(self, seen: Moments) -> None:
        wrong = seen.variation() < -LAST_BITS * seen.q[0]
        if wrong.any():
            c, j = first(wrong)
            raise StatisticError(
                "{feature} would have a variance below zero in {label}: "
                "an example to forget was never learnt like this",
                feature=j,
                label=c,
            )

    def posterior(self, seen: Moments, prior: bool = True) -> Posterior:
        """Return the posterior of μ and σ².

        Parameters
        ----------
        seen : Moments
            Statistics of all examples.
        prior : bool, default=True
            Whether the prior counts; without it the posterior is of the data alone.

        Returns
        -------
        Posterior
            Location m, κ, ν and scatter of each class and feature.
        """
        n = seen.seen
        mean, scatter = seen.mean(), seen.scatter()
        kappa, nu = (pseudo_counts(each, "bayes" if prior else "ml") for each in (self.kappa, self.nu))
        m0, v0 = self._prior_of(seen)
        weight = kappa + n
        m = mean + np.divide(kappa * (m0 - mean), weight, out=np.zeros_like(mean), where=weight > 0.0)
        shift = np.divide(kappa * n * (mean - m0) ** 2, weight, out=np.zeros_like(mean), where=weight > 0.0)
        if not self.shared:
            return Posterior(m, weight, nu + n, nu * v0 + scatter + shift)
        every = (nu + n.sum(axis=0), nu * v0 + (scatter + shift).sum(axis=0))
        return Posterior(m, weight, *(np.broadcast_to(part, m.shape) for part in every))

    def _never(self, seen: Moments, prior: bool = True) -> NDArray[np.bool_]:
        """Return (1, d) which features never varied, and have no variance beforehand."""
        never: NDArray[np.bool_] = (seen.pool().scatter() <= 0.0) & (self.variance is None or not prior)
        return never & (self._smooth_variance(seen) == 0.0)

    def _smooth_variance(self, seen: Moments) -> float:
        """Return what is added to every variance: a share of the largest variance of a feature over all classes."""
        if not self.var_smoothing:
            return 0.0
        pooled = seen.pool()
        n = pooled.seen
        variance = np.divide(pooled.scatter(), n, out=np.zeros(n.shape), where=n > 0.0)
        return float(self.var_smoothing * variance.max(initial=0.0))

    def _prior_of(self, seen: Moments) -> tuple[Floats | float, Floats | float]:
        pooled = seen.pool()
        n = pooled.seen
        own = np.divide(pooled.scatter(), n, out=np.zeros(n.shape), where=n > 0.0)
        mean = pooled.mean() if self.mean is None else self.mean
        return mean, own if self.variance is None else self.variance

    def parameters(self, seen: Moments, estimate: str) -> Normal:
        pseudo_counts(self.kappa, estimate)
        estimate = "bayes" if estimate == "predictive" else estimate
        m, kappa, nu, scatter = self.posterior(seen, prior=estimate != "ml")
        never = self._never(seen, prior=estimate != "ml")
        known = kappa > 0.0
        if estimate == "bayes":
            known = known & (nu > 0.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                variance = scatter / nu * (1.0 + 1.0 / kappa)
        else:
            modes = 0.0 if estimate == "ml" else 2.0 + (len(m) if self.shared else 1.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                variance = scatter / (nu + modes)
        variance = variance + self._smooth_variance(seen)
        undefined = ~never & ~(known & (variance > 0.0))
        if undefined.any():
            self._refuse(seen, estimate, first(undefined))
        variance = np.where(never, np.inf, variance)
        freedom = np.where(never, 1.0, nu) if estimate == "bayes" else None
        return Normal(m, variance, freedom)

    def _refuse(self, seen: Moments, estimate: str, place: tuple[int, ...]) -> None:
        c, j = place
        n = seen.seen[c, j]
        what = f"does not vary in the {n:g} examples of" if n > 0.0 else "was never seen in"
        raise StatisticError(
            f"estimate={estimate!r} is undefined for {{feature}} in {{label}}: it {what} that class "
            f"(kappa={count_at(self.kappa, c, j):g}, nu={count_at(self.nu, c, j):g}): "
            "use estimate='bayes' with alpha > 0",
            feature=j,
            label=c,
        )

    def score(self, normal: Normal, prior: Floats) -> Score:
        m, variance, freedom = normal
        if self.shared and freedom is None:
            middle = m.mean(axis=0)
            W = ((m - middle) / variance).T
            return AffineScore(W.copy(), prior, -0.5 * W * (m + middle).T)
        return IndependentScore(prior, m, 1.0 / np.sqrt(variance), _constant(normal), freedom)

    def log_density(self, X: Rows, normal: Normal) -> Floats:
        from scipy import stats

        x = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)[:, None, :]
        m, variance, freedom = normal
        scale = np.sqrt(np.where(np.isinf(variance), 1.0, variance))
        density = stats.norm.logpdf(x, m, scale) if freedom is None else stats.t.logpdf(x, freedom, m, scale)
        result: Floats = np.nansum(np.where(np.isinf(variance), 0.0, density), axis=2)
        return result

    def optimum(self, seen: Moments, normal: Normal, estimate: str) -> Optimum:
        estimate = "bayes" if estimate == "predictive" else estimate
        m, kappa, nu, scatter = self.posterior(seen, prior=estimate != "ml")
        modes = {"ml": 0.0, "map": 2.0 + (len(m) if self.shared else 1.0), "bayes": 0.0}[estimate]
        varied = np.isfinite(normal.variance) & (scatter > 0.0)
        factor = (1.0 + 1.0 / np.maximum(kappa, 1e-300)) if estimate == "bayes" else np.ones_like(m)
        weight, share = nu + modes, 1.0 / len(m) if self.shared else 1.0
        best = np.where(varied, scatter / weight, 1.0)
        added = self._smooth_variance(seen)  # no part of the minimum
        variance = np.where(varied, best * normal.variance / (best * factor + added), 1.0)
        away = kappa * (normal.location - m) ** 2
        primal = 0.5 * share * (weight * np.log(variance) + (scatter + away) / variance)
        dual = 0.5 * share * (weight * np.log(best) + weight)
        off = np.maximum(np.abs(variance / best - 1.0), np.abs(normal.location - m) / np.sqrt(variance))
        violation = float(off[varied].max(initial=0.0))
        total = float(primal[varied].sum())
        return Optimum(total, min(total, float(dual[varied].sum())), violation)

    def doubt(self, X: Any, seen: Moments) -> tuple[Floats, Floats]:
        m, kappa, nu, scatter = self.posterior(seen)
        b = np.maximum((scatter + nu * self._smooth_variance(seen)) / 2.0, np.finfo(np.float64).tiny)
        kappa, half = np.maximum(kappa, 1e-6), np.maximum(nu / 2.0, 1e-6)
        mean_log, variance_log = log_moments(half)
        varied = ~self._never(seen)[0]

        def evaluate(x: Floats | float, c: int, j: Any = slice(None)) -> tuple[Floats, Floats]:
            """Give both of features j with the values x, in class c; nothing of what is missing."""
            square = np.minimum((x - m[c, j]) ** 2 / b[c, j], 1e140)  # δ²/b
            expected = mean_log[c, j] - np.log(b[c, j]) - _LOG_2PI - square * half[c, j] - 1.0 / kappa[c, j]
            spread = (square + 4.0 / kappa[c, j]) * square * half[c, j] + 2.0 / kappa[c, j] ** 2
            around = 0.25 * (variance_log[c, j] + spread) - 0.5 * square
            use = varied[j] & ~np.isnan(x)
            return np.where(use, 0.5 * expected, 0.0), np.where(use, around, 0.0)

        mean, variance = np.empty((X.shape[0], len(m))), np.empty((X.shape[0], len(m)))
        for c in range(len(m)):
            for found, each in zip((mean, variance), _sum_by_row(X, evaluate, c), strict=True):
                found[:, c] = each
        return mean, variance


@dataclass(frozen=True)
class SmoothedGaussian(Gaussian):
    """`Gaussian`, where to every variance that share of the largest variance of a feature over all classes is added.

    scikit-learn's rule for features that hardly vary in a class.
    """

    var_smoothing: float = 0.0  # type: ignore[misc]  # a constant of the class above


def _constant(normal: Normal) -> Floats:
    """Return the logarithm (C, d) of the density's highest point; 0 for a feature that is no evidence."""
    from scipy.special import gammaln

    _, variance, nu = normal
    with np.errstate(divide="ignore"):
        top = -0.5 * (_LOG_2PI + np.log(variance))
    if nu is not None:
        top = gammaln((nu + 1.0) / 2.0) - gammaln(nu / 2.0) - 0.5 * (np.log(nu) + np.log(np.pi) + np.log(variance))
    result: Floats = np.where(np.isinf(variance), 0.0, top)
    return result


def _sum_by_row(X: Any, evaluate: Any, c: int) -> list[Floats]:
    """Return sum `evaluate` over the features of each row (N,), for class c; of sparse rows the sum of zeros is made
    once, and of each row only what its nonzeros change."""
    if not is_sparse(X):
        return [each.sum(axis=1) for each in evaluate(np.asarray(X, dtype=np.float64), c)]
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return [
        none.sum() + np.bincount(row, here - none[X.indices], X.shape[0])
        for here, none in zip(evaluate(X.data, c, X.indices), evaluate(0.0, c), strict=True)
    ]


def _error_expected(value: float) -> str:
    return "Input X contains infinity or a value beyond 1e300: {place}; a Gaussian feature is a finite number"
