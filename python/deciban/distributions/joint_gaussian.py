"""Measurements that vary together: each class a multivariate normal distribution, its covariance estimated or given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import Rows, as_rows, is_sparse
from deciban.errors import DataError

from ..data.refusal import StatisticError
from .central_moments import Batch, check_bounded
from .counts import Floats
from .covariance import LOG_2PI, Joint, Whitening, matrix_shrinkage, needs_fourth_moments, refuse_no_variance, whitening
from .priors import Optimum
from .scatter import ClassScatter, PooledScatter, class_scatter, pool_scatter

Scatter = PooledScatter | ClassScatter
MOST = 10_000
"""Of more features, covariances take more memory than most machines have: some 5 GB of 10,000."""


class Spread(NamedTuple):
    """Σ (d, d) of one group of classes, ν, and the weight that makes Ψ of it."""

    matrix: Floats
    nu: float
    weight: float


@dataclass(frozen=True)
class JointGaussian:
    """x | c ~ N(μ_c, Σ), or N(μ_c, Σ_c) unless `shared`.

        Σ ~ inverse Wishart(Ψ0, ν0),  μ_c | Σ ~ N(m, Σ/κ0):   κ0 = alpha,  ν0 = p + 1 + alpha,  Ψ0 = alpha · diag(v)

    with m and v the means and variances of all examples and p the number of features that vary at all: alpha examples
    of each class seen beforehand at the mean of all, and alpha of uncorrelated features with their variances, which
    are the mean of Σ under the prior. After n_c examples of mean x̄_c and scatter W_c,

        κ_c = κ0 + n_c,   ν_c = ν0 + n_c,   m_c = (κ0 m + n_c x̄_c)/κ_c,
        Ψ_c = Ψ0 + W_c + (κ0 n_c/κ_c) (x̄_c − m)(x̄_c − m)ᵀ;   where Σ is shared, ν0 and Ψ0 plus the sums over classes.

    Murphy, Conjugate Bayesian analysis of the Gaussian distribution, 2007, section 8; Gelman et al., Bayesian Data
    Analysis, 3rd edition, 2013, section 3.6. "ml" may shrink Σ, see `shrinkage`; directions in which it finds no
    variance within the classes have no density and are left out of all classes alike.

    >>> pair = JointGaussian()
    >>> seen = pair.count(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([0, 0]), None, 1)
    >>> pair.covariances(seen, "ml").tolist(), pair.parameters(seen, "ml").rank
    ([[[1.0, -1.0], [-1.0, 1.0]]], 1)
    """

    shared: bool = True
    alpha: float = 1.0
    shrinkage: Any = None

    def statistic(self, X: Rows) -> Any:
        """Return x itself, finite; otherwise a `StatisticError` names the row, the column and the value."""
        return check_bounded(X)

    def count(self, X: Any, y: NDArray[np.intp], weight: Floats | None, C: int) -> Scatter:
        """Return X (N, d), y (N,) class indices, weight (N,). Cost: N·d² operations, a few rows at a time.

        A shared covariance keeps one scatter matrix of all classes; to shrink it as Ledoit and Wolf say it keeps one a
        class, since no less tells the fourth moments about means that are yet to move.
        """
        if X.shape[1] > MOST:
            raise DataError(
                f"X has {X.shape[1]:,} features; the covariances of at most {MOST:,} are kept, d² numbers. Select "
                "features first, or choose naive Bayes."
            )
        batch = Batch(as_rows(X) if is_sparse(X) else X, y, weight, C)
        fourth = needs_fourth_moments(self.shrinkage)
        return pool_scatter(batch) if self.shared and not fourth else class_scatter(batch, fourth)

    def check_counts(self, seen: Any) -> None:
        """Check nothing: what is below nothing was refused when it was subtracted."""

    def check_state(self, seen: Any) -> None:
        """Raise a ValueError unless the statistics hold what these parameters ask of them."""
        kinds = PooledScatter | ClassScatter if self.shared else ClassScatter
        if not isinstance(seen, kinds) or (needs_fourth_moments(self.shrinkage) and len(seen.parts) == 1):
            raise ValueError("what was learnt with other parameters does not hold what these ask for: fit again")

    # Estimates.

    def parameters(self, seen: Any, estimate: str) -> Joint:
        """Return means and covariances, and what is known of them.

        "ml":    Σ = W/n, shrunk by ρ; known as by Jeffreys' prior, ν = n − C′, or where ρ > 0 by the inverse Wishart
                 prior worth nρ/(1 − ρ) examples, whose posterior mean this is.
        "map":   the joint mode, Σ = Ψ/(ν + p + 1 + C′), where C′ classes with examples share Σ.
        "bayes": the posterior predictive, Student's t with ν − p + 1 degrees of freedom about m_c and the squared
                 scale Σ (1 + 1/κ_c), Σ = Ψ/(ν − p + 1).
        """
        rho = self.shrinkages(seen)
        base = self._directions(seen) if estimate == "ml" and not rho.any() else None
        spreads = (self._spread(seen, estimate, g, rho[g]) for g in range(len(rho)))
        found = [(self._whiten(seen, g, each.matrix, base), each.nu, each.weight) for g, each in enumerate(spreads)]
        whitened, nu, weight = zip(*found, strict=True)
        shift, kappa = seen.from_centre, seen.n
        if estimate != "ml":
            shift, kappa = shift * (kappa / (kappa + self.alpha))[:, None], kappa + self.alpha
        return Joint(
            centre=seen.centre,
            shift=shift,
            factors=np.stack([each.L for each in whitened]),
            log_det=np.array([each.log_det for each in whitened]),
            kappa=kappa,
            nu=np.array(nu),
            weight=np.array(weight),
            shrinkage=rho,
            student=estimate == "bayes",
        )

    def log_density(self, X: Rows, found: Joint) -> Floats:
        """Return (N, C) log p(x | c), straight from the definition."""
        return found.log_density(X)

    def covariances(self, seen: Any, estimate: str) -> Floats:
        """Return (G, d, d) Σ as estimated; for "bayes" its posterior mean, Ψ/(ν − p − 1)."""
        found = []
        for g, rho in enumerate(self.shrinkages(seen)):
            matrix, _, weight = self._spread(seen, estimate, g, rho)
            found.append(matrix * (weight / (weight - 2.0)) if estimate == "bayes" else matrix)
        return np.stack(found)

    def shrinkages(self, seen: Any) -> Floats:
        """Return (G,) ρ of each covariance."""
        self.check_state(seen)
        p = int((seen.total > 0.0).sum())
        fourth = seen.fourth() if needs_fourth_moments(self.shrinkage) else np.zeros(len(seen.n))
        groups = range(1 if self.shared else len(seen.n))
        scatters = (self._scatter(seen, g) for g in groups)
        rho = [
            matrix_shrinkage(self.shrinkage, W, p, n, float(fourth[self._of(g)].sum()))
            for g, (W, n) in enumerate(scatters)
        ]
        return np.array(rho)

    def _of(self, g: int) -> slice:
        """Return the classes of group g."""
        return slice(None) if self.shared else slice(g, g + 1)

    def _scatter(self, seen: Any, g: int) -> tuple[Floats, float]:
        """Return W (d, d) and n of a group; of all classes for one that was declared and never seen."""
        W, n = seen.scatter(), float(seen.n[self._of(g)].sum())
        if self.shared or n == 0.0:
            return (W[0] if len(W) == 1 else W.sum(axis=0)), float(seen.n.sum())
        return W[g], n

    def _spread(self, seen: Any, estimate: str, g: int, rho: float) -> Spread:
        W, n = self._scatter(seen, g)
        total, classes = seen.total, self._of(g)
        varied, means = total > 0.0, int((seen.n[classes] > 0.0).sum())
        p = int(varied.sum())
        if estimate == "ml":
            matrix = W / n
            if rho == 0.0:
                return Spread(matrix, n - means, n)
            matrix *= 1.0 - rho
            level = float(W.trace()) / (n * max(1, p))
            if level <= 0.0:
                refuse_no_variance(n, None if self.shared else g)
            matrix[varied, varied] += rho * level
            worth = n / (1.0 - rho) if rho < 1.0 else np.inf
            return Spread(matrix, p + 1 + worth, worth)
        own = seen.n[classes]
        away = np.sqrt(self.alpha * own / (self.alpha + own))[:, None] * seen.from_centre[classes]
        n = float(own.sum())
        matrix = (W if n > 0.0 else 0.0 * W) + away.T @ away
        matrix[varied, varied] += self.alpha * total[varied] / seen.n.sum()
        nu = p + 1 + self.alpha + n
        weight = nu - p + 1 if estimate == "bayes" else nu + p + 1 + means
        return Spread(matrix / weight, nu, weight)

    def _directions(self, seen: Any) -> Whitening:
        """Return the directions that vary within the classes, for an estimate from the data alone."""
        n = float(seen.n.sum())
        found = whitening(seen.scatter().sum(axis=0) / n, seen.varies.any(axis=0))
        if found.rank == 0:
            raise StatisticError(
                f"no feature varies within the classes (n_samples={n:g}, classes={len(seen.n)}), so they have no "
                "covariance: learn more examples of each class, or use estimate='bayes'"
            )
        return found

    def _whiten(self, seen: Any, g: int, matrix: Floats, base: Whitening | None) -> Whitening:
        """Return the factor of one covariance within the directions of `base`, or of all features that vary."""
        varied = seen.total > 0.0
        if base is None:
            found, needed = whitening(matrix, varied), int(varied.sum())
        elif self.shared:
            return base
        else:
            used, needed = seen.varies.any(axis=0), base.rank
            if needed == used.sum():
                found = whitening(matrix, used & (seen.varies[g] | (seen.n[g] == 0.0)))
            else:
                inner = whitening(base.L.T @ matrix @ base.L)
                found = Whitening(base.L @ inner.L, inner.log_det + base.log_det)
        if found.rank < needed and not self.shared:
            remedy = "" if self.shrinkage else "shrinkage='auto', "
            raise StatisticError(
                f"{{label}} varies in {found.rank} of the {needed} directions in which its covariance is needed "
                f"(examples: {seen.n[g]:g}): use {remedy}estimate='bayes' "
                "or covariance='shared'",
                label=g,
            )
        return found

    # How good they are.

    def optimum(self, seen: Any, found: Joint, estimate: str) -> Optimum:
        """Return Σ against the minimum of ½ Σ_groups h [r log 2π + log det Σ + tr(Σ⁻¹ S)], which is at Σ = S: for "ml"
        h = n and S is W/n, shrunk; for "map" h is the weight of the mode and S = Ψ/h. Means are at their best for any
        Σ. For "bayes" it is −log p(X | y), the least free energy that any posterior has.
        """
        total = Optimum(0.0, 0.0, 0.0)
        for g, rho in enumerate(found.shrinkage):
            S, L = self._spread(seen, estimate, g, float(rho)).matrix, found.factors[g]
            n, r = float(seen.n[self._of(g)].sum()), found.rank
            whitened = L.T @ S @ L
            off = float(np.abs(whitened - np.eye(r)).max(initial=0.0))
            if estimate == "bayes":
                value = -self._log_evidence(seen, found, g)
                total += Optimum(value, value, off)
                continue
            h = n if estimate == "ml" else float(found.weight[g])
            fixed = 0.5 * (n * r * LOG_2PI + h * found.log_det[g])
            primal, dual = fixed + 0.5 * h * float(whitened.trace()), fixed + 0.5 * h * r
            total += Optimum(primal, min(primal, dual), off)
        return total

    def _log_evidence(self, seen: Any, found: Joint, g: int) -> float:
        """Return log p(X | y) of one group: Murphy 2007, eq. 266."""
        from scipy.special import multigammaln

        r, total, own = found.rank, seen.total, seen.n[self._of(g)]
        n, nu = float(own.sum()), float(found.nu[g])
        log_prior = float(np.log(self.alpha * total[total > 0.0] / seen.n.sum()).sum())
        log_psi = found.log_det[g] + r * np.log(found.weight[g])
        gammas = multigammaln(nu / 2.0, r) - multigammaln((nu - n) / 2.0, r) if r else 0.0
        kappas = float(np.log(self.alpha / (self.alpha + own)).sum())
        return float(gammas + 0.5 * ((nu - n) * log_prior - nu * log_psi + r * kappas - n * r * np.log(np.pi)))


@dataclass(frozen=True, eq=False)
class GivenCovariance(JointGaussian):
    """x | c ~ N(μ_c, Σ_g) with means from the statistics and Σ (G, d, d) as given: one of all classes, or one a class.

    What is known of Σ counts as if it were the scatter of the examples over their number.

    >>> pair = GivenCovariance(covariance=np.eye(2)[None])
    >>> seen = pair.count(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([0, 0]), None, 1)
    >>> pair.covariances(seen, "ml").tolist(), pair.parameters(seen, "ml").rank
    ([[[1.0, 0.0], [0.0, 1.0]]], 2)
    """

    covariance: Any = None

    def _spread(self, seen: Any, estimate: str, g: int, rho: float) -> Spread:
        n = seen.n[self._of(g)]
        matrix: Floats = np.array(self.covariance[g])
        return Spread(matrix, float(n.sum()) - int((n > 0.0).sum()), float(n.sum()))

    def _directions(self, seen: Any) -> Any:
        """Return nothing: what varies is what the covariances say."""
        return None
