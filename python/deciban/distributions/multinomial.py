"""The multinomial event model: a document is a sequence of words drawn from its class; and its complement.

In the complement model a class is known by the words of all the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from deciban._core import log_table
from deciban.data.rows import Rows, as_rows, is_sparse, square_values
from deciban.scores import AffineScore, PredictiveScore, Score

from ..data.refusal import StatisticError, first
from .counts import Counts, Floats, sums
from .distribution import LARGEST, Family, Straight, check_support, is_in_support
from .priors import (
    Optimum,
    PseudoCounts,
    check_pseudo_counts,
    count_at,
    is_vector,
    log_moments,
    pseudo_counts,
    share_optimum,
)


class Urn(NamedTuple):
    """a (C, d) pseudo-counts and counts of each word: the urn of Pólya from which a class draws its words."""

    a: Floats


@dataclass(frozen=True)
class Multinomial(Family, Straight):
    """The multinomial distribution of counts x_j of the draws of word j, from a vocabulary of d words.

        p(x | c) = Π_j φ_cj^x_j,      Σ_j φ_cj = 1,      φ_c ~ Dirichlet(alpha_c1, …, alpha_cd)

    This is the probability of the words in their order: the number of orders is the same for every class. Statistics:
    n_c examples, s_cj draws of word j. Estimates of φ (C, d): "bayes" is E[φ | data] = (s + alpha) / (Σ_j s_j +
    alpha·d), with alpha = 1 Laplace's rule; "map" the mode, (s + alpha − 1) / (Σ_j s_j + (alpha − 1)·d), where the
    posterior has one; "ml" is s / Σ_j s_j. "predictive" integrates φ out: p(x | c) = Π_j (a_cj)_x_j / (Σ a_c)_M with
    (a)_x = a (a + 1) … (a + x − 1), Pólya's urn, where a word once drawn is likelier to come again.

    log p(x | c) = x·W_c with W = log φ; absent words weigh nothing. Fractions (TF-IDF) may stand for counts. The counts
    share one total, so none of them may be missing. Over the posterior φ_c ~ Dirichlet(a) log p(x | c) has mean Σ_j x_j
    ψ(a_j) − M ψ(A) and variance Σ_j x_j² ψ′(a_j) − M² ψ′(A), M = Σ_j x_j, A = Σ_j a_j. McCallum & Nigam, AAAI-98
    workshop on text.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Pseudo-counts of each word.

    Raises
    ------
    ValueError
        If a pseudo-count is negative.

    Examples
    --------
    >>> dice = Multinomial()
    >>> seen = dice.count(np.array([[2, 0], [1, 0]]), np.array([0, 0]), np.ones(2), 1)
    >>> dice.parameters(seen, "bayes").tolist()
    [[0.8, 0.2]]
    """

    alpha: PseudoCounts = 1.0
    name: ClassVar[str] = "multinomial"
    missing: ClassVar[bool] = False
    sign: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", check_pseudo_counts("alpha", self.alpha))

    @classmethod
    def symmetric(cls, alpha: PseudoCounts) -> Self:
        return cls(alpha)

    def statistic(self, X: Any) -> Any:
        rows = X.tocsr() if is_sparse(X) else np.asarray(X)
        if not is_in_support(rows, "nonnegative"):  # of a place that is told twice only the sum counts
            rows = as_rows(rows)
            check_support(rows, "nonnegative", _error_expected, missing=False)
        return rows

    def count(self, X: Rows, y: NDArray[np.intp], weight: Floats | None, C: int) -> Counts:
        return sums(X, y, weight, C, _error_expected, support="nonnegative", missing=False)

    def check_counts(self, seen: Counts) -> None:
        orphan = (seen.n[:, None] <= 0.0) & (seen.s > 1e-9)
        if orphan.any():
            c, j = first(orphan)
            raise StatisticError(
                f"{{label}} would have no examples left, but {seen.s[c, j]:g} of {{feature}}: "
                "an example to forget was never learnt like this",
                feature=j,
                label=c,
            )

    def count_draws(self, seen: Counts) -> Floats:
        """Return the counts of words from which the shares of each class are estimated.

        Parameters
        ----------
        seen : Counts
            Statistics of all examples.

        Returns
        -------
        ndarray of shape (n_classes, n_features)
            Counts: of the class itself, or for `Complement` of all other classes.
        """
        return seen.s

    def parameters(self, seen: Counts, estimate: str) -> Floats | Urn:
        s = self.count_draws(seen)
        a: Floats = s + pseudo_counts(self.alpha, estimate)
        total = a.sum(axis=1, keepdims=True)
        if a.min(initial=1.0) <= 0.0 and (undefined := (a < 0.0) | (total <= 0.0)).any():
            c, j = first(undefined)
            raise StatisticError(
                f"estimate={estimate!r} is undefined for {{feature}} in {{label}} (counted {s[c, j]:g} "
                f"of {s[c].sum():g}, alpha={count_at(self.alpha, c, j):g}): use estimate='bayes' with alpha > 0",
                feature=j,
                label=c,
            )
        if estimate == "predictive":
            return Urn(a)
        a /= total
        return a

    def affine(self, phi: Floats) -> tuple[Floats, None]:
        """Return the weights of log p(x | c) = x·W_c.

        Parameters
        ----------
        phi : ndarray of shape (n_classes, n_features)
            Shares φ of words.

        Returns
        -------
        W : ndarray of shape (n_features, n_classes)
            Weights log φ, −∞ where φ is 0; of `Complement` −log φ̃.
        absent : None
            None, because absent words weigh nothing.
        """
        W = np.array(phi.T, order="C")
        with np.errstate(divide="ignore"):
            return np.log(W, out=W), None

    def score(self, phi: Floats | Urn, prior: Floats) -> Score:
        if isinstance(phi, Urn):
            return PredictiveScore(prior, phi.a, phi.a.sum(axis=1), sign=self.sign)
        return AffineScore(self.affine(phi)[0], prior)

    def straight(self, seen: Counts, estimate: str, prior: Floats) -> AffineScore | None:
        added = pseudo_counts(self.alpha, estimate)
        if is_vector(self.alpha) or estimate == "predictive":
            return None
        C, d = seen.s.shape
        total = seen.s.sum(axis=1) + added * d
        W = log_table(seen.s, np.full(C, added), np.log(total)) if (total > 0.0).all() else None
        return None if W is None else AffineScore(W, prior)

    def log_density(self, X: Rows, phi: Floats | Urn) -> Floats:
        x = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)[:, None, :]
        if isinstance(phi, Urn):
            from scipy.special import gammaln

            A, M = phi.a.sum(axis=1), x.sum(axis=2)
            drawn: Floats = (gammaln(phi.a + x) - gammaln(phi.a)).sum(axis=2) - gammaln(A + M) + gammaln(A)
            return drawn
        result: Floats = (x * np.log(phi)).sum(axis=2)
        return result

    def optimum(self, seen: Counts, phi: Floats | Urn, estimate: str) -> Optimum:
        shares: Floats = phi.a / phi.a.sum(axis=1, keepdims=True) if isinstance(phi, Urn) else phi
        return share_optimum(self.count_draws(seen) + pseudo_counts(self.alpha, estimate), shares)

    def doubt(self, X: Any, seen: Counts) -> tuple[Floats, Floats]:
        a = self.count_draws(seen) + pseudo_counts(self.alpha, "bayes")
        (mean, variance), (all_mean, all_variance) = log_moments(a), log_moments(a.sum(axis=1))
        M = np.asarray(X.sum(axis=1), dtype=np.float64).reshape(-1, 1)
        return X @ mean.T - M * all_mean, square_values(X) @ variance.T - M**2 * all_variance


def _error_expected(value: float) -> str:
    advice = "{place}; a multinomial feature is a finite count ≥ 0"
    if np.isnan(value):
        return f"Input X contains NaN, and a multinomial count cannot be missing: {advice}"
    if abs(value) > LARGEST:
        return f"Input X contains infinity or a value beyond 1e300: {advice}"
    return f"Negative values in data for a multinomial model: {advice}"


@dataclass(frozen=True)
class Complement(Multinomial):
    """The complement of the multinomial distribution: words weigh against a class as often as they occur in all others.

        score_c(x) = −Σ_j x_j log φ̃_cj,      φ̃_cj = (alpha + Σ_c'≠c s_c'j) / Σ_k (alpha + Σ_c'≠c s_c'k)

    All classes but one have nearly the same amount of text, so that no class is favoured for having more of it. The
    statistics are those of `Multinomial`. This is a score, not a density: p(x | c) ∝ 1 / φ̃_c. With one class there are
    no others, and φ̃ is the prior alone. Rennie, Shih, Teevan & Karger, ICML 2003, section 3.1; their normalised
    weights (section 3.2) are left out, as they are no log-odds. The posterior of φ̃_c is taken as if classes were
    independent.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Pseudo-counts of each word.

    Examples
    --------
    >>> model = Complement()
    >>> seen = model.count(np.array([[2, 0], [0, 1]]), np.array([0, 1]), np.ones(2), 2)
    >>> model.parameters(seen, "bayes").round(3).tolist()
    [[0.333, 0.667], [0.75, 0.25]]
    """

    name: ClassVar[str] = "complement"
    sign: ClassVar[float] = -1.0

    def count_draws(self, seen: Counts) -> Floats:
        result: Floats = seen.s.sum(axis=0) - seen.s
        return result

    def affine(self, phi: Floats) -> tuple[Floats, None]:
        _refuse_certain(phi)
        return -super().affine(phi)[0], None

    def score(self, phi: Floats | Urn, prior: Floats) -> Score:
        if isinstance(phi, Urn):
            _refuse_certain(phi.a)
        return super().score(phi, prior)

    def straight(self, seen: Counts, estimate: str, prior: Floats) -> AffineScore | None:
        added = pseudo_counts(self.alpha, estimate)
        if is_vector(self.alpha) or estimate == "predictive":
            return None
        C, d = seen.s.shape
        drawn, mine = seen.s.sum(axis=0), seen.s.sum(axis=1)
        total = mine.sum() - mine + added * d
        if not (total > 0.0).all():
            return None
        W = log_table(seen.s, np.full(C, added), np.log(total), v=drawn, less=True)
        return None if W is None else AffineScore(np.negative(W, out=W), prior)

    def log_density(self, X: Rows, phi: Floats | Urn) -> Floats:
        return -super().log_density(X, phi)

    def doubt(self, X: Rows, seen: Counts) -> tuple[Floats, Floats]:
        mean, variance = super().doubt(X, seen)
        return -mean, variance


def _refuse_certain(shares: Floats) -> None:
    if (shares <= 0.0).any():
        c, j = first(shares <= 0.0)
        raise StatisticError(
            "{feature} occurs in no class but {label}, so its evidence is infinite: "
            "use estimate='bayes' with alpha > 0, or leave the feature out",
            feature=j,
            label=c,
        )
