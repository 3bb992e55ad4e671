"""Means and covariances of joint Gaussians as estimated, how they score, and how far they can be believed.

A covariance is shrunk towards a multiple of the identity, so that its expected error is smallest:

Σ̂ = (1 − ρ) S + ρ m I,      m = tr S / p,      S (p, p) the covariance of N examples about the means of their classes

It is factored so that its rank is seen; the factor makes features uncorrelated, each of variance 1.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from scipy.linalg.lapack import dpstrf, dtrtri

from deciban.data.rows import Rows
from deciban.scores import AffineScore, Score
from deciban.scores.quadratic import QuadraticScore

from ..data.refusal import StatisticError
from .counts import Floats

Shrinkage = float | Literal["ledoit-wolf", "oracle-approximating", "auto"] | None

SHRINKAGES = ("ledoit-wolf", "oracle-approximating", "auto")


def check_shrinkage(option: Any) -> None:
    """Check that an option is None, a number from 0 to 1, or the name of a rule; raise a ValueError otherwise."""
    number = isinstance(option, int | float | np.integer | np.floating) and not isinstance(option, bool)
    if option is None or (number and 0.0 <= option <= 1.0) or (isinstance(option, str) and option in SHRINKAGES):
        return
    raise ValueError(
        f"shrinkage must be None, a number from 0 to 1, 'ledoit-wolf', 'oracle-approximating' or 'auto', got {option!r}"
    )


def needs_fourth_moments(option: object) -> bool:
    """Return whether the rule needs the fourth moments of the data, as that of Ledoit and Wolf ("auto") does."""
    return isinstance(option, str) and option in ("ledoit-wolf", "auto")


def matrix_shrinkage(option: Any, W: Floats, p: int, N: float, fourth: float) -> float:
    """Return ρ for the scatter W = N S (d, d) of N examples, p of whose features vary, with Σ ‖z‖⁴ = fourth.

    "ledoit-wolf": ρ = min(b², δ²) / δ²,  b² = (Σ ‖z‖⁴ / N − ‖S‖²) / N,  δ² = ‖S − m I‖².  Ledoit & Wolf, Journal of
        Multivariate Analysis 88, 2004, Lemma 3.3.
    "oracle-approximating": ρ = min(1, (tr S² + tr² S) / ((N + 1) (tr S² − tr² S / p))).  Chen, Wiesel, Eldar & Hero,
        IEEE Transactions on Signal Processing 58, 2010, eq. 23 without its terms in 2/p, as scikit-learn has it.
    """
    if not isinstance(option, str) or N == 0.0:
        return float(option or 0.0)
    trace = float(W.trace())
    if trace <= 0.0:
        return 0.0
    square = float(np.square(W / trace).sum())  # of S in the unit in which its trace is 1
    apart = square - 1.0 / p
    if needs_fourth_moments(option):
        return _share((fourth / trace * N / trace - square) / N, apart)
    return _share(square + 1.0, (N + 1.0) * apart)


def diagonal_shrinkage(option: Any, w: Floats, p: int, N: float, fourth: float) -> float:
    """Return ρ for a diagonal covariance s = w/N (d,), from N examples with Σ_i Σ_j z_ij⁴ = fourth.

    The same two arguments for estimators that are diagonal. "ledoit-wolf" with sums over the diagonal only;
    "oracle-approximating" with var s_j = 2 σ_j⁴ / N in the place of the Wishart moments, whose fixed point is
    ρ = min(1, k Σ s² / ((N + k) (Σ s² − (Σ s)² / p))),  k = 2 (1 − 1/p).
    """
    if not isinstance(option, str) or N == 0.0:
        return float(option or 0.0)
    trace = float(w.sum())
    if trace <= 0.0:
        return 0.0
    square = float(np.square(w / trace).sum())
    apart = square - 1.0 / p
    if needs_fourth_moments(option):
        return _share((fourth / trace * N / trace - square) / N, apart)
    k = 2.0 * (1.0 - 1.0 / p)
    return _share(k * square, (N + k) * apart)


def refuse_shrinkage(estimate: str) -> None:
    """Refuse a shrinkage beside a prior, which shrinks already."""
    raise ValueError(
        f"shrinkage is for estimate='ml', not {estimate!r}, whose prior shrinks already: leave one of them out"
    )


def refuse_no_variance(n: float, label: int | None = None) -> None:
    """Refuse data without any variance: there is nothing to shrink towards."""
    where = "within the classes" if label is None else "in {label}"
    raise StatisticError(
        f"no feature varies {where} (n_samples={n:g}), so there is no variance to shrink towards: "
        "learn more examples, or use estimate='bayes'",
        label=label,
    )


def _share(numerator: float, denominator: float) -> float:
    """Return numerator / denominator from 0 to 1; 0 where S is a multiple of the identity already."""
    return min(1.0, max(0.0, numerator / denominator)) if denominator > 0.0 else 0.0


# A feature of which the others leave less than this share of its variance unexplained is one of their combinations:
# in features computed in single precision the rounding alone leaves 10^−14.
_UNEXPLAINED = 1e-12


class Whitening(NamedTuple):
    """L (d, r) with L Lᵀ = S⁺ and the logarithm of the pseudo-determinant of S (d, d), of rank r.

    z = (x − mean) L has the covariance 1. Both are taken in the units in which the diagonal of S is 1, and brought
    back, so that the units of the features do not matter: S⁺ = D⁻¹ (D⁻¹ S D⁻¹)⁺ D⁻¹, D² = diag S.
    """

    L: Floats
    log_det: float

    @property
    def rank(self) -> int:
        return int(self.L.shape[1])


def whitening(S: Floats, used: NDArray[np.bool_] | None = None) -> Whitening:
    """Return the factor of S (d, d), symmetric and positive semidefinite, in the features `used` (d,) of variance above
    0.

    A pivoted Cholesky factorisation, P S Pᵀ = G Gᵀ with G (k, r) lower trapezoidal; where r < k the QR factorisation
    G = Q T of it, so that S⁺ = Q T⁻ᵀ T⁻¹ Qᵀ. Higham, Accuracy and Stability of Numerical Algorithms, 2002,
    section 10.3. Cost: k³/3 operations, and 2 k r² more where the rank is not full.

    >>> whitening(np.array([[4.0, 2.0], [2.0, 1.0]])).rank
    1
    """
    variance = S.diagonal()
    used = variance > 0.0 if used is None else used & (variance > 0.0)
    scale = np.sqrt(variance[used])
    k = len(scale)
    if k == 0:
        return Whitening(np.zeros((len(S), 0)), 0.0)
    R = S[np.ix_(used, used)] / scale[:, None] / scale
    factor, order, rank, _ = dpstrf(R.T, tol=max(_UNEXPLAINED, 4.0 * k * np.finfo(np.float64).eps), lower=1)
    G = np.tril(factor[:, :rank])
    whitened = np.empty((k, rank))
    if rank == k:
        whitened[order - 1] = dtrtri(G, lower=1)[0].T
        log_det = 2.0 * np.log(G.diagonal()).sum()
    else:
        Q, T = qr(G, mode="economic")
        whitened[order - 1] = solve_triangular(T, Q.T).T if rank else Q
        log_det = 2.0 * np.log(np.abs(T.diagonal())).sum()
    L = np.zeros((len(S), rank))
    L[used] = whitened / scale[:, None]
    return Whitening(L, float(log_det + 2.0 * np.log(scale).sum()))


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

    def require_shapes(self) -> None:
        """Raise ValueError for parts of other numbers of classes, directions or columns."""
        C, d = np.shape(self.shift)
        G = 1 if len(self.factors) == 1 else C
        fit = np.shape(self.centre) == (d,) and np.shape(self.kappa) == (C,) and np.shape(self.factors)[:2] == (G, d)
        if not fit or any(np.shape(each) != (G,) for each in (self.log_det, self.nu, self.weight, self.shrinkage)):
            raise ValueError("means and covariances of the same classes and columns are expected")

    @property
    def mean(self) -> Floats:
        """(C, d)."""
        return self.centre + self.shift

    @property
    def rank(self) -> int:
        """The number of directions that carry evidence."""
        return int(self.factors.shape[2])

    def score(self, prior: Floats) -> Score:
        """Return log p(x | c) + prior_c; where Σ is shared and normal, less log N(x; centre, Σ), the same for every
        class."""
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

    def log_density(self, X: Rows) -> Floats:
        """Return (N, C) log p(x | c) by the definition, of z = (x − mean_c) L, which is spherical, in its r directions:

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
        """Return the variance (N,) of log p(x | label) − log p(x | against) over the posterior, for two classes of each
        row.

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
        """Return ν/h, also where both are infinite: a covariance that is given, not learnt."""
        return float(self.nu[g] / self.weight[g]) if np.isfinite(self.weight[g]) else 1.0

    def _of_mean(self, g: int, q: Floats, kappa: Any) -> Floats:
        """Return what not knowing the mean adds."""
        added: Floats = self._known(g) * q / kappa + self.rank / (2.0 * kappa**2)
        return added


def refuse_unknown(kappa: Floats, prior: Floats) -> None:
    """Refuse a class without examples, which has no mean; that does not matter while its prior probability is 0."""
    unknown = np.flatnonzero((kappa == 0.0) & (prior > -np.inf))
    if len(unknown):
        raise StatisticError(
            "{label} was declared and has no examples, so its mean is not known: learn some, or use "
            "class_prior='empirical' or estimate='bayes'",
            label=int(unknown[0]),
        )


def student_constant(nu: Floats, r: int) -> Floats:
    """Return the logarithm of the highest point of Student's density in r dimensions, of scale 1."""
    from scipy.special import gammaln

    constant: Floats = gammaln((nu + r) / 2.0) - gammaln(nu / 2.0) - 0.5 * r * np.log(nu * np.pi)
    return constant
