"""Counts of events in equal stretches: each feature at its own rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import Rows, as_rows, square_values
from deciban.scores import AffineScore, PredictiveScore, Score

from ..data.refusal import StatisticError, first
from .counts import Counts, Floats, sums
from .distribution import LARGEST, Family, check_support
from .priors import Optimum, PseudoCounts, check_pseudo_counts, count_at, log_moments, pseudo_counts, sum_weighted_logs


class Rates(NamedTuple):
    """a (C, d) events in b (C, d) examples, pseudo-counts among them: what is known of each rate."""

    a: Floats
    b: Floats


@dataclass(frozen=True)
class Poisson(Family):
    """The Poisson distribution of counts of events with rate λ_cj, independent given the class.

        p(x | c) = Π_j λ_cj^x_j e^(−λ_cj) / x_j!,      λ_cj ~ Gamma(alpha, rate beta)

    Statistics: n_c examples, s_cj events. Estimates of λ (C, d): "bayes" is E[λ | data] = (s + alpha) / (n + beta), of
    all Poisson distributions the nearest to the exact predictive in Kullback–Leibler divergence; "map" the mode, (s +
    alpha − 1) / (n + beta), where the posterior has one; "ml" is s / n. "predictive" integrates λ ~ Gamma(a, rate b)
    out: x_j is negative binomial, p(x_j | c) = Γ(a + x_j) / (Γ(a) x_j!) · (b/(b + 1))^a · (1/(b + 1))^x_j.

    With W = log λ and absent = −λ, log p(x | c) is affine in x but for Σ log x_j!, which is the same for every class;
    fractions may stand for counts. Over the posterior a feature has mean x (ψ(a) − log b) − a/b and, as cov(log λ, λ) =
    1/b, variance x² ψ′(a) − 2x/b + a/b². Gelman et al., Bayesian Data Analysis, section 2.6.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Events of the examples seen beforehand.
    beta : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Number of examples seen beforehand.

    Raises
    ------
    ValueError
        If a pseudo-count is negative.

    Examples
    --------
    >>> shop = Poisson()
    >>> seen = shop.count(np.array([[4], [6]]), np.array([0, 0]), np.ones(2), 1)
    >>> shop.parameters(seen, "ml").tolist(), shop.parameters(seen, "bayes").round(3).tolist()
    ([[5.0]], [[3.667]])
    """

    alpha: PseudoCounts = 1.0
    beta: PseudoCounts = 1.0
    name: ClassVar[str] = "poisson"
    missing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, check_pseudo_counts(name, getattr(self, name)))

    @classmethod
    def symmetric(cls, alpha: PseudoCounts) -> Poisson:
        return cls(alpha, alpha)

    def statistic(self, X: Rows) -> Any:
        X = as_rows(X)
        check_support(X, "nonnegative", _error_expected)
        return X

    def count(self, X: Rows, y: NDArray[np.intp], weight: Floats | None, C: int) -> Counts:
        return sums(X, y, weight, C, _error_expected, support="nonnegative")

    def check_counts(self, seen: Counts) -> None:
        orphan = (np.broadcast_to(seen.seen, seen.s.shape) <= 0.0) & (seen.s > 1e-9)
        if orphan.any():
            c, j = first(orphan)
            raise StatisticError(
                f"{{label}} would have no examples left, but {seen.s[c, j]:g} of {{feature}}: "
                "an example to forget was never learnt like this",
                feature=j,
                label=c,
            )

    def _shape_rate(self, seen: Counts, estimate: str) -> tuple[Floats, Floats]:
        n = np.broadcast_to(seen.seen, seen.s.shape)
        beta = 0.0 if estimate == "ml" else pseudo_counts(self.beta, "bayes")
        return seen.s + pseudo_counts(self.alpha, estimate), n + beta

    def parameters(self, seen: Counts, estimate: str) -> Floats | Rates:
        a, b = self._shape_rate(seen, estimate)
        undefined = (a < 0.0) | (b <= 0.0)
        if undefined.any():
            c, j = first(undefined)
            raise StatisticError(
                f"estimate={estimate!r} is undefined for {{feature}} in {{label}} (counted {seen.s[c, j]:g} in "
                f"{np.broadcast_to(seen.seen, seen.s.shape)[c, j]:g} examples, alpha={count_at(self.alpha, c, j):g}, "
                f"beta={count_at(self.beta, c, j):g}): use estimate='bayes' with alpha > 0 and beta > 0",
                feature=j,
                label=c,
            )
        if estimate == "predictive":
            return Rates(a, b)
        rate: Floats = a / b
        return rate

    def affine(self, rate: Floats) -> tuple[Floats, Floats]:
        """Return the weights of log p(x | c) = x·W_c + Σ_j absent_jc, up to what is the same for every class.

        Parameters
        ----------
        rate : ndarray of shape (n_classes, n_features)
            Rates λ.

        Returns
        -------
        W : ndarray of shape (n_features, n_classes)
            Weights log λ; −∞ where λ is 0.
        absent : ndarray of shape (n_features, n_classes)
            Evidence −λ of an absent feature.
        """
        with np.errstate(divide="ignore"):
            return np.ascontiguousarray(np.log(rate).T), np.ascontiguousarray(-rate.T)

    def score(self, rate: Floats | Rates, prior: Floats) -> Score:
        if isinstance(rate, Rates):
            a, b = rate
            return PredictiveScore(prior, a, W=-np.log1p(b), absent=-a * np.log1p(1.0 / b))
        W, absent = self.affine(rate)
        return AffineScore(W, prior, absent)

    def log_density(self, X: Rows, rate: Floats | Rates) -> Floats:
        from scipy.special import gammaln

        x = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)[:, None, :]
        if isinstance(rate, Rates):
            a, b = rate
            drawn = gammaln(a + x) - gammaln(a) - gammaln(x + 1.0) - a * np.log1p(1.0 / b) - x * np.log1p(b)
            predictive: Floats = np.nansum(drawn, axis=2)
            return predictive
        result: Floats = np.nansum(x * np.log(rate) - rate - gammaln(x + 1.0), axis=2)
        return result

    def optimum(self, seen: Counts, rate: Floats | Rates, estimate: str) -> Optimum:
        a, b = self._shape_rate(seen, estimate)
        if isinstance(rate, Rates):
            rate = rate.a / rate.b
        primal = float((b * rate).sum()) - sum_weighted_logs(a, rate)
        least = float(a.sum()) - sum_weighted_logs(a, a / b)
        violation = float((np.abs(b * rate - a) / np.maximum(1.0, a)).max(initial=0.0))
        return Optimum(primal, min(primal, least), violation)

    def doubt(self, X: Rows, seen: Counts) -> tuple[Floats, Floats]:
        a, b = self._shape_rate(seen, "bayes")
        b = np.maximum(b, np.finfo(np.float64).tiny)
        mean, variance = log_moments(a)
        none = np.zeros(len(a))
        expected = AffineScore((mean - np.log(b)).T, none, (-a / b).T)(X)
        square = AffineScore(variance.T, none)(square_values(X))
        return expected, square + AffineScore((-2.0 / b).T, none, (a / b**2).T)(X)


def _error_expected(value: float) -> str:
    if abs(value) > LARGEST:
        return "Input X contains infinity or a value beyond 1e300: {place}; a Poisson feature is a finite count ≥ 0"
    return "Negative values in data for a Poisson model: {place}; a Poisson feature is a count ≥ 0"
