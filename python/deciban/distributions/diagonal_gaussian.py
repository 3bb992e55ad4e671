"""Measurements that vary on their own: every feature normal, with one variance for all classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import Rows, as_rows, is_sparse
from deciban.scores import AffineScore, IndependentScore, Score

from ..data.refusal import StatisticError
from .central_moments import Batch, check_bounded
from .counts import Floats
from .covariance import (
    LOG_2PI,
    diagonal_shrinkage,
    needs_fourth_moments,
    refuse_no_variance,
    refuse_unknown,
    student_constant,
)
from .priors import Optimum
from .scatter import PowerSums, power_sums


class Diagonal(NamedTuple):
    """Means centre (d,) + shift (C, d) and variance (d,), ∞ for a feature without evidence.

    What is known of them: μ_cj | σ² ~ N(mean_cj, σ_j²/kappa_c), 1/σ_j² ~ Gamma(nu/2, rate weight·variance_j/2).
    """

    centre: Floats
    shift: Floats
    variance: Floats
    kappa: Floats
    nu: float
    weight: float
    shrinkage: Floats
    student: bool

    @property
    def mean(self) -> Floats:
        """(C, d)."""
        return self.centre + self.shift

    @property
    def rank(self) -> int:
        """The number of features that carry evidence."""
        return int(np.isfinite(self.variance).sum())

    def score(self, prior: Floats) -> Score:
        """Return log p(x | c) + prior_c; where normal, less log N(x; centre, σ²), the same for every class."""
        refuse_unknown(self.kappa, prior)
        if not self.student:
            W = (self.shift / self.variance).T
            return AffineScore(W, prior, -(0.5 * self.shift + self.centre).T * W)
        width = np.sqrt(1.0 + 1.0 / self.kappa)[:, None]
        used = np.isfinite(self.variance)
        top = float(student_constant(np.array(self.weight), 1))
        constant = np.where(used, top - np.log(width) - 0.5 * np.log(np.where(used, self.variance, 1.0)), 0.0)
        freedom = np.full_like(constant, self.weight)
        return IndependentScore(prior, self.mean, 1.0 / (width * np.sqrt(self.variance)), constant, freedom)

    def doubt(self, X: Rows, label: NDArray[np.intp], against: NDArray[np.intp]) -> Floats:
        """Return the variance (N,) of log p(x | label) − log p(x | against) over the posterior, for two classes of each
        row:

        Σ_j ½ ν (a_j b_j)²/h² + Σ_c Σ_j [ν z_cj²/(hκ_c) + 1/(2κ_c²)],   z = (x − mean_c)/σ, a = z₁ − z₀, b = z₁ + z₀
        """
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        sd, h = np.sqrt(self.variance), self.weight
        known = self.nu / h if np.isfinite(h) else 1.0
        with np.errstate(all="ignore"):  # nothing is known of classes never seen, or beyond 10^154 deviations
            own, z = self.shift / sd, (X - self.centre) / sd
            a, b = own[against] - own[label], 2.0 * z - own[label] - own[against]
            variance = 0.5 * known * ((a * b) ** 2).sum(axis=1) / h
            for c in (label, against):
                kappa = self.kappa[c]
                variance += known * np.square(z - own[c]).sum(axis=1) / kappa + self.rank / (2.0 * kappa**2)
        return np.where(np.isnan(variance), np.inf, variance)


@dataclass(frozen=True)
class DiagonalGaussian:
    """x_j | c ~ N(μ_cj, σ_j²), features independent given the class: the shared Σ of `JointGaussian`, diagonal.

    The prior is that of `JointGaussian` for each feature by itself: κ0 = alpha, ν0 = 2 + alpha, Ψ0 = alpha·v_j.

    >>> seen = DiagonalGaussian().count(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([0, 0]), None, 1)
    >>> DiagonalGaussian().parameters(seen, "ml").variance.tolist()
    [1.0, 1.0]
    """

    alpha: float = 1.0
    shrinkage: Any = None

    def statistic(self, X: Rows) -> Any:
        """Return x itself, finite; otherwise a `StatisticError` names the row, the column and the value."""
        return check_bounded(X)

    def count(self, X: Rows, y: NDArray[np.intp], weight: Floats | None, C: int) -> PowerSums:
        """Return X (N, d), y (N,) class indices, weight (N,). Cost: one pass, a few rows at a time."""
        batch = Batch(as_rows(X) if is_sparse(X) else X, y, weight, C)
        return power_sums(batch, needs_fourth_moments(self.shrinkage))

    def check_counts(self, seen: Any) -> None:
        """Check nothing: what is below nothing was refused when it was subtracted."""

    def check_state(self, seen: Any) -> None:
        """Raise a ValueError unless the statistics hold what these parameters ask of them."""
        if not isinstance(seen, PowerSums) or (needs_fourth_moments(self.shrinkage) and len(seen.parts) == 1):
            raise ValueError("what was learnt with other parameters does not hold what these ask for: fit again")

    def parameters(self, seen: Any, estimate: str) -> Diagonal:
        """Return means and variances, and what is known of them; with scatter w_j and Ψ_j as in `JointGaussian`,

        "ml":    σ² = w/n, shrunk by ρ towards the mean variance.
        "map":   the joint mode, Ψ/(ν + 2 + C′), where C′ classes have examples.
        "bayes": the posterior predictive of each feature, Student's t with ν degrees of freedom, σ² = Ψ/ν.
        """
        rho = self.shrinkages(seen)
        variance, nu, weight = self._spread(seen, estimate, float(rho[0]))
        if estimate == "ml" and not (variance > 0.0).any():
            raise StatisticError(
                f"no feature varies within the classes (n_samples={seen.n.sum():g}, classes={len(seen.n)}), so they "
                "have no variances: learn more examples of each class, or use estimate='bayes'"
            )
        shift, kappa = seen.from_centre, seen.n
        if estimate != "ml":
            shift, kappa = shift * (kappa / (kappa + self.alpha))[:, None], kappa + self.alpha
        variance = np.where(variance > 0.0, variance, np.inf)
        return Diagonal(seen.centre, shift, variance, kappa, nu, weight, rho, student=estimate == "bayes")

    def covariances(self, seen: Any, estimate: str) -> Floats:
        """Return the diagonal (1, d, d) matrix of the variances; for "bayes" their posterior mean, Ψ/(ν − 2)."""
        variance, _, weight = self._spread(seen, estimate, float(self.shrinkages(seen)[0]))
        return np.diag(variance * (weight / (weight - 2.0)) if estimate == "bayes" else variance)[None]

    def shrinkages(self, seen: Any) -> Floats:
        """Return (1,) ρ."""
        self.check_state(seen)
        n, p = float(seen.n.sum()), int((seen.total > 0.0).sum())
        fourth = float(seen.fourth().sum()) if needs_fourth_moments(self.shrinkage) else 0.0
        return np.array([diagonal_shrinkage(self.shrinkage, self._within(seen), p, n, fourth)])

    def _within(self, seen: Any) -> Floats:
        """Return the scatter (d,) within the classes."""
        return np.where(seen.varies.any(axis=0), np.maximum(seen.variation(), 0.0).sum(axis=0), 0.0)

    def _spread(self, seen: Any, estimate: str, rho: float) -> tuple[Floats, float, float]:
        """Return (d,) variances, 0 where there is none, ν, and the weight that makes Ψ of them."""
        w, n, means, varied = self._within(seen), float(seen.n.sum()), int((seen.n > 0.0).sum()), seen.total > 0.0
        if estimate == "ml":
            if rho == 0.0:
                return w / n, n - means, n
            level = float(w.sum()) / (n * max(1, int(varied.sum())))
            if level <= 0.0:
                refuse_no_variance(n)
            worth = n / (1.0 - rho) if rho < 1.0 else np.inf
            return np.where(varied, (1.0 - rho) * w / n + rho * level, 0.0), 2.0 + worth, worth
        shift = (self.alpha * seen.n / (self.alpha + seen.n)) @ np.square(seen.from_centre)
        psi = np.where(varied, self.alpha * seen.total / n + w + shift, 0.0)
        nu = 2.0 + self.alpha + n
        weight = nu if estimate == "bayes" else nu + 2.0 + means
        return psi / weight, nu, weight

    def optimum(self, seen: Any, found: Diagonal, estimate: str) -> Optimum:
        """Return the variances against the minimum of ½ Σ_j [n log 2π + h (log σ_j² + S_j/σ_j²)], which is at σ² = S:
        for "ml" h = n, for "map" the weight of the mode. For "bayes" it is −log p(X | y).
        """
        S, nu, weight = self._spread(seen, estimate, float(found.shrinkage[0]))
        used, n = np.isfinite(found.variance), float(seen.n.sum())
        ratio, log_variance = S[used] / found.variance[used], float(np.log(found.variance[used]).sum())
        off, r = float(np.abs(ratio - 1.0).max(initial=0.0)), int(used.sum())
        if estimate == "bayes":
            from scipy.special import gammaln

            log_prior = float(np.log(self.alpha * seen.total[used] / n).sum())
            kappas = float(np.log(self.alpha / found.kappa).sum())
            log_psi = log_variance + r * np.log(weight)
            gammas = r * float(gammaln(nu / 2.0) - gammaln((nu - n) / 2.0))
            value = -(gammas + 0.5 * ((nu - n) * log_prior - nu * log_psi + r * kappas - n * r * np.log(np.pi)))
            return Optimum(float(value), float(value), off)
        h = n if estimate == "ml" else weight
        fixed = 0.5 * (n * r * LOG_2PI + h * log_variance)
        primal, dual = fixed + 0.5 * h * float(ratio.sum()), fixed + 0.5 * h * r
        return Optimum(float(primal), float(min(primal, dual)), off)
