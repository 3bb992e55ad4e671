"""The multinomial event model: a document is a sequence of words drawn from its class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from deciban._core import log_table
from deciban.data.rows import as_rows, is_sparse, squared
from deciban.scores import AffineScore, PredictiveScore, Score

from ..data.refusal import StatisticError, first
from .counts import Counts, Floats, sums
from .pseudo_counts import PseudoCounts, at, checked, is_vector, pseudo_counts
from .shares import Optimum, log_moments, share_optimum
from .support import LARGEST, check, is_clear


class Urn(NamedTuple):
    """a (C, d) pseudo-counts and counts of each word: the urn of Pólya from which a class draws its words."""

    a: Floats


@dataclass(frozen=True)
class Multinomial:
    """x_j counts the draws of word j, independent given the class, from a vocabulary of d words.

        p(x | c) = Π_j φ_cj^x_j,      Σ_j φ_cj = 1,      φ_c ~ Dirichlet(alpha_c1, …, alpha_cd)

    This is the probability of the words in their order: the number of orders is the same for every class. Statistics:
    n_c examples, s_cj draws of word j. log p(x | c) = x·W_c with W = log φ; absent words weigh nothing. `alpha` is
    a number for all words, (d,) one a word or (C, d) one a class and word. Fractions (TF-IDF) may stand for counts.
    The counts share one total, so none of them may be missing. McCallum & Nigam, AAAI-98 workshop on text.

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
        object.__setattr__(self, "alpha", checked("alpha", self.alpha))

    @classmethod
    def symmetric(cls, alpha: PseudoCounts) -> Self:
        """Dirichlet(alpha, …, alpha) on every φ_c, or of one alpha a word."""
        return cls(alpha)

    def statistic(self, X: Any) -> Any:
        """T(x) = x, finite and ≥ 0; otherwise a `StatisticError` names the row, the column and the value."""
        rows = X.tocsr() if is_sparse(X) else np.asarray(X)
        if not is_clear(rows, "nonnegative"):  # of a place that is told twice only the sum counts
            rows = as_rows(rows)
            check(rows, "nonnegative", _expected, missing=False)
        return rows

    def count(self, X: Any, y: NDArray[np.intp], weight: Floats | None, C: int) -> Counts:
        """X (N, d) of counts, y (N,) class indices, weight (N,). Cost: one pass over the nonzeros."""
        return sums(X, y, weight, C, _expected, support="nonnegative", missing=False)

    def check_counts(self, seen: Counts) -> None:
        """A class without examples has no words (an example was forgotten that never was learnt)."""
        orphan = (seen.n[:, None] <= 0.0) & (seen.s > 1e-9)
        if orphan.any():
            c, j = first(orphan)
            raise StatisticError(
                f"{{label}} would have no examples left, but {seen.s[c, j]:g} of {{feature}}: "
                "an example to forget was never learnt like this",
                feature=j,
                label=c,
            )

    def drawn(self, seen: Counts) -> Floats:
        """(C, d) how often each word was drawn, where the share of each class comes from."""
        return seen.s

    def parameters(self, seen: Counts, estimate: str) -> Floats | Urn:
        """φ (C, d), or for "predictive" the urn that φ is integrated out of: p(x | c) = Π_j (a_cj)_x_j / (Σ a_c)_M,
        with (a)_x = a (a + 1) … (a + x − 1), so that a word once drawn is likelier to come again.

        "bayes": E[φ | data] = (s + alpha) / (Σ_j s_j + alpha·d); alpha = 1 is Laplace's rule.
        "map":   the mode, (s + alpha − 1) / (Σ_j s_j + (alpha − 1)·d), where the posterior has one.
        "ml":    s / Σ_j s_j.
        """
        s = self.drawn(seen)
        a: Floats = s + pseudo_counts(self.alpha, estimate)
        total = a.sum(axis=1, keepdims=True)
        if a.min(initial=1.0) <= 0.0 and (undefined := (a < 0.0) | (total <= 0.0)).any():
            c, j = first(undefined)
            raise StatisticError(
                f"estimate={estimate!r} is undefined for {{feature}} in {{label}} (counted {s[c, j]:g} "
                f"of {s[c].sum():g}, alpha={at(self.alpha, c, j):g}): use estimate='bayes' with alpha > 0",
                feature=j,
                label=c,
            )
        if estimate == "predictive":
            return Urn(a)
        a /= total
        return a

    def affine(self, phi: Floats) -> tuple[Floats, None]:
        """W (d, C) = log φ, −∞ where φ is 0, and None because absent words weigh nothing: log p(x | c) = x·W_c."""
        W = np.array(phi.T, order="C")
        with np.errstate(divide="ignore"):
            return np.log(W, out=W), None

    def score(self, phi: Floats | Urn, prior: Floats) -> Score:
        """log p(x | c) + prior_c."""
        if isinstance(phi, Urn):
            return PredictiveScore(prior, phi.a, phi.a.sum(axis=1), sign=self.sign)
        return AffineScore(self.affine(phi)[0], prior)

    def straight(self, seen: Counts, estimate: str, prior: Floats) -> AffineScore | None:
        """`score` of `parameters` without φ in between; None where some φ is 0 or undefined."""
        added = pseudo_counts(self.alpha, estimate)
        if is_vector(self.alpha) or estimate == "predictive":
            return None
        C, d = seen.s.shape
        total = seen.s.sum(axis=1) + added * d
        W = log_table(seen.s, np.full(C, added), np.log(total)) if (total > 0.0).all() else None
        return None if W is None else AffineScore(W, prior)

    def log_density(self, X: Any, phi: Floats | Urn) -> Floats:
        """(N, C) log p(x | c) = Σ_j x_j log φ_j, or of Pólya's urn, straight from the definition."""
        x = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)[:, None, :]
        if isinstance(phi, Urn):
            from scipy.special import gammaln

            A, M = phi.a.sum(axis=1), x.sum(axis=2)
            drawn: Floats = (gammaln(phi.a + x) - gammaln(phi.a)).sum(axis=2) - gammaln(A + M) + gammaln(A)
            return drawn
        result: Floats = (x * np.log(phi)).sum(axis=2)
        return result

    def optimum(self, seen: Counts, phi: Floats | Urn, estimate: str) -> Optimum:
        """φ, of an urn its mean, against the best value of the objective that `estimate` minimises, one die a class."""
        shares: Floats = phi.a / phi.a.sum(axis=1, keepdims=True) if isinstance(phi, Urn) else phi
        return share_optimum(self.drawn(seen) + pseudo_counts(self.alpha, estimate), shares)

    def doubt(self, X: Any, seen: Counts) -> tuple[Floats, Floats]:
        """(N, C) mean and variance of log p(x | c) over the posterior φ_c ~ Dirichlet(a), a = s + alpha.

        Σ_j x_j ψ(a_j) − M ψ(A)   and   Σ_j x_j² ψ′(a_j) − M² ψ′(A),      M = Σ_j x_j,  A = Σ_j a_j
        """
        a = self.drawn(seen) + pseudo_counts(self.alpha, "bayes")
        (mean, variance), (all_mean, all_variance) = log_moments(a), log_moments(a.sum(axis=1))
        M = np.asarray(X.sum(axis=1), dtype=np.float64).reshape(-1, 1)
        return X @ mean.T - M * all_mean, squared(X) @ variance.T - M**2 * all_variance


def _expected(value: float) -> str:
    advice = "{place}; a multinomial feature is a finite count ≥ 0"
    if np.isnan(value):
        return f"Input X contains NaN, and a multinomial count cannot be missing: {advice}"
    if abs(value) > LARGEST:
        return f"Input X contains infinity or a value beyond 1e300: {advice}"
    return f"Negative values in data for a multinomial model: {advice}"
