"""Means and covariances of joint Gaussians as estimated, how they score, and how far they can be believed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.scores import AffineScore, Score
from deciban.scores.quadratic import QuadraticScore

from ..data.refusal import StatisticError
from .counts import Floats

LOG_2PI = float(np.log(2.0 * np.pi))

# Rows whose doubt is computed together.
_ROWS = 1024


class Joint(NamedTuple):
    """Means centre (d,) + shift (C, d), and for G = 1 or C covariances Σ = (L Lᵀ)⁺ factors L (G, d, r) and log det Σ.

    What is known of them: μ_c | Σ ~ N(mean_c, Σ/kappa_c) with kappa (C,), Σ⁻¹ ~ Wishart(nu, (weight Σ)⁻¹) with nu and
    weight (G,). `student`: predict by integrating over both, with weight = ν − r + 1. `shrinkage` (G,) is ρ.
    """

    centre: Floats
    shift: Floats
    factors: Floats
    log_det: Floats
    kappa: Floats
    nu: Floats
    weight: Floats
    shrinkage: Floats
    student: bool

    @property
    def mean(self) -> Floats:
        """(C, d)."""
        return self.centre + self.shift

    @property
    def rank(self) -> int:
        """The number of directions that carry evidence."""
        return int(self.factors.shape[2])

    def score(self, prior: Floats) -> Score:
        """log p(x | c) + prior_c; where Σ is shared and normal, less log N(x; centre, Σ), the same for every class."""
        refuse_unknown(self.kappa, prior)
        if len(self.factors) == 1 and not self.student:
            L = self.factors[0]
            W = L @ (L.T @ self.shift.T)
            return AffineScore(W, prior, -(0.5 * self.shift + self.centre).T * W)
        r, log_det = self.rank, np.broadcast_to(self.log_det, prior.shape)
        if not self.student:
            constant = -0.5 * (r * LOG_2PI + log_det)
            return QuadraticScore(prior, self.mean, self.factors, constant, np.ones_like(prior))
        nu, width = np.broadcast_to(self.weight, prior.shape).copy(), np.sqrt(1.0 + 1.0 / self.kappa)
        constant = student_constant(nu, r) - 0.5 * log_det - r * np.log(width)
        return QuadraticScore(prior, self.mean, self.factors, constant, width, nu)

    def log_density(self, X: Any) -> Floats:
        """(N, C) log p(x | c) by the definition, of z = (x − mean_c) L, which is spherical, in its r directions:

        normal    z ~ N(0, 1)
        Student   z/√(1 + 1/κ) ~ t_r(0, 1) with `weight` degrees of freedom
        """
        from scipy import stats

        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        r, density = self.rank, np.zeros((len(X), len(self.mean)))
        for c, mean in enumerate(self.mean if r else ()):
            g = min(c, len(self.factors) - 1)
            z = (X - mean) @ self.factors[g]
            if self.student:
                width = np.sqrt(1.0 + 1.0 / self.kappa[c])
                spherical = stats.multivariate_t(np.zeros(r), np.eye(r), self.weight[g])
                density[:, c] = spherical.logpdf(z / width) - r * np.log(width)
            else:
                density[:, c] = stats.norm.logpdf(z).sum(axis=1)
            density[:, c] -= 0.5 * self.log_det[g]
        return density

    def doubt(self, X: Any, label: NDArray[np.intp], against: NDArray[np.intp]) -> Floats:
        """(N,) the variance of log p(x | label) − log p(x | against) over the posterior, for two classes of each row.

        Exact second moments, with z_c = (x − mean_c) L, q = ‖z‖² and h = weight:

            each its own Σ   the sum of   ¼ Σ_{i ≤ r} ψ′((ν + 1 − i)/2) + ½ ν (q/h)² + ν q/(hκ) + r/(2κ²) − q/h
            Σ shared         ¼ ν [(a·b)² + ‖a‖² ‖b‖²]/h² + Σ_c [ν q_c/(hκ_c) + r/(2κ_c²)],   a = z₁ − z₀, b = z₁ + z₀
        """
        found = [np.zeros(0)]
        for i in range(0, X.shape[0], _ROWS):
            block = X[i : i + _ROWS]
            block = np.asarray(block.toarray() if hasattr(block, "toarray") else block, dtype=np.float64)
            pair = label[i : i + _ROWS], against[i : i + _ROWS]
            with np.errstate(all="ignore"):  # nothing is known of classes never seen, or beyond 10^154 deviations
                variance = (
                    self._doubt_shared(block, *pair) if len(self.factors) == 1 else self._doubt_each(block, *pair)
                )
            found.append(np.where(np.isnan(variance), np.inf, variance))
        return np.concatenate(found)

    def _doubt_shared(self, X: Floats, label: NDArray[np.intp], against: NDArray[np.intp]) -> Floats:
        L, h = self.factors[0], self.weight[0]
        own = self.shift @ L
        z = (X - self.centre) @ L
        a, b = own[against] - own[label], 2.0 * z - own[label] - own[against]
        product = (a * b).sum(axis=1) ** 2 + (a * a).sum(axis=1) * (b * b).sum(axis=1)
        variance: Floats = 0.25 * self._known(0) * product / h
        for c in (label, against):
            variance += self._of_mean(0, np.square(z - own[c]).sum(axis=1), self.kappa[c])
        return variance

    def _doubt_each(self, X: Floats, label: NDArray[np.intp], against: NDArray[np.intp]) -> Floats:
        from scipy.special import polygamma

        variance, below = np.zeros(len(X)), np.arange(self.rank)
        for c, h in enumerate(self.weight):
            rows = np.flatnonzero((label == c) | (against == c))
            q = np.square((X[rows] - self.mean[c]) @ self.factors[c]).sum(axis=1)
            of_volume = 0.25 * float(polygamma(1, (self.nu[c] - below) / 2.0).sum()) if np.isfinite(h) else 0.0
            variance[rows] += of_volume + (0.5 * self._known(c) * q - 1.0) * q / h + self._of_mean(c, q, self.kappa[c])
        return variance

    def _known(self, g: int) -> float:
        """ν/h, also where both are infinite: a covariance that is given, not learnt."""
        return float(self.nu[g] / self.weight[g]) if np.isfinite(self.weight[g]) else 1.0

    def _of_mean(self, g: int, q: Floats, kappa: Any) -> Floats:
        """What not knowing the mean adds."""
        added: Floats = self._known(g) * q / kappa + self.rank / (2.0 * kappa**2)
        return added


def refuse_unknown(kappa: Floats, prior: Floats) -> None:
    """A class without examples has no mean; that does not matter while its prior probability is 0."""
    unknown = np.flatnonzero((kappa == 0.0) & (prior > -np.inf))
    if len(unknown):
        raise StatisticError(
            "{label} was declared and has no examples, so its mean is not known: learn some, or use "
            "class_prior='empirical' or estimate='bayes'",
            label=int(unknown[0]),
        )


def student_constant(nu: Floats, r: int) -> Floats:
    """The logarithm of the highest point of Student's density in r dimensions, of scale 1."""
    from scipy.special import gammaln

    constant: Floats = gammaln((nu + r) / 2.0) - gammaln(nu / 2.0) - 0.5 * r * np.log(nu * np.pi)
    return constant
