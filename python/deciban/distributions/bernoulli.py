"""The multivariate Bernoulli event model: which features are there, and which are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deciban._core import log_table
from deciban.data.rows import Rows, as_rows, is_sparse
from deciban.scores import AffineScore

from ..data.refusal import StatisticError, first
from .counts import Counts, Floats, sums
from .distribution import LARGEST, Family, Straight, check_support
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


@dataclass(frozen=True)
class Bernoulli(Family, Straight):
    """The Bernoulli distribution of features that are present or absent, x_j ∈ {0, 1}, independent given the class.

        p(x | c) = Π_j φ_cj^x_j · (1 − φ_cj)^(1 − x_j),      φ_cj ~ Beta(alpha, beta)

    Statistics: n_c examples, s_cj of them with x_j = 1. Estimates of φ (C, d): "bayes" is E[φ | data] =
    (s + alpha) / (n + alpha + beta), with alpha = beta = 1 Laplace's rule; "map" the mode,
    (s + alpha − 1) / (n + alpha + beta − 2), where the posterior has one; "ml" is s / n.

    log p(x | c) is affine in x, with W = logit φ and absent = log(1 − φ), so an absent feature is evidence, too. Over
    the posterior φ ~ Beta(a, b), log φ has mean ψ(a) − ψ(a + b) and variance ψ′(a) − ψ′(a + b); log(1 − φ) the same
    with b. McCallum & Nigam, AAAI-98 workshop on text.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Pseudo-counts of presence.
    beta : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Pseudo-counts of absence.
    binarize : float, optional
        Threshold: the statistic is T(x)_j = 1{x_j > binarize}. Without it x must be 0 or 1.

    Raises
    ------
    ValueError
        If a pseudo-count is negative, or `binarize` is no finite number.

    Examples
    --------
    >>> coin = Bernoulli()
    >>> seen = coin.count(np.array([[1], [1], [0]]), np.array([0, 0, 0]), np.ones(3), 1)
    >>> coin.parameters(seen, "bayes").tolist(), coin.parameters(seen, "ml").round(3).tolist()
    ([[0.6]], [[0.667]])
    """

    alpha: PseudoCounts = 1.0
    beta: PseudoCounts = 1.0
    binarize: float | None = None
    name: ClassVar[str] = "bernoulli"
    missing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, check_pseudo_counts(name, getattr(self, name)))
        number = isinstance(self.binarize, int | float | np.integer | np.floating)
        if self.binarize is not None and not (number and np.isfinite(self.binarize)):
            raise ValueError(f"binarize must be None or a finite number, got {self.binarize!r}")

    @classmethod
    def symmetric(cls, alpha: PseudoCounts) -> Bernoulli:
        return cls(alpha, alpha)

    def statistic(self, X: Rows) -> Any:
        X = as_rows(X)
        check_support(X, "finite" if self.binarize is not None else "binary", _error_expected)
        return X if self.binarize is None else _mark_present(X, self.binarize)

    def count(self, X: Rows, y: NDArray[np.intp], weight: Floats | None, C: int) -> Counts:
        X = as_rows(X)
        if self.binarize is None:
            return sums(X, y, weight, C, _error_expected, support="binary")
        if is_sparse(X):
            _refuse_zeros_present(self.binarize)
        return sums(X, y, weight, C, _error_expected, support="finite", above=float(self.binarize))

    def check_counts(self, seen: Counts) -> None:
        n = np.broadcast_to(seen.seen, seen.s.shape)
        above = seen.s > n + 1e-9 * np.maximum(1.0, n)
        if above.any():
            c, j = first(above)
            raise StatisticError(
                f"{{feature}} would be present in {seen.s[c, j]:g} of {n[c, j]:g} examples of {{label}}: "
                "an example to forget was never learnt like this",
                feature=j,
                label=c,
            )

    def _count_presence(self, seen: Counts, alpha: object, beta: Any) -> tuple[Floats, Floats]:
        """Return counts of presence and of absence with pseudo-counts, each (C, d)."""
        present = np.minimum(seen.s, seen.seen)  # sums of fractional weights can pass n by an ulp
        absent = seen.seen - present
        present += alpha
        absent += beta
        return present, absent

    def parameters(self, seen: Counts, estimate: str) -> Floats:
        added = pseudo_counts(self.alpha, estimate), pseudo_counts(self.beta, estimate)
        a, b = self._count_presence(seen, *added)
        low = min(a.min(initial=1.0), b.min(initial=1.0))
        b += a
        if low <= 0.0 and (undefined := (a < 0.0) | (a > b) | (b <= 0.0)).any():
            c, j = first(undefined)
            n = np.broadcast_to(seen.seen, seen.s.shape)
            raise StatisticError(
                f"estimate={estimate!r} is undefined for {{feature}} in {{label}} "
                f"(present in {seen.s[c, j]:g} of {n[c, j]:g} examples, "
                f"alpha={count_at(self.alpha, c, j):g}, beta={count_at(self.beta, c, j):g}): "
                "use estimate='bayes' with alpha > 0",
                feature=j,
                label=c,
            )
        a /= b
        return a

    def affine(self, phi: Floats) -> tuple[Floats, Floats]:
        """Return the weights of log p(x | c) = x·W_c + Σ_j absent_jc.

        Parameters
        ----------
        phi : ndarray of shape (n_classes, n_features)
            Probabilities φ of presence.

        Returns
        -------
        W : ndarray of shape (n_features, n_classes)
            Weights logit φ; ∓∞ where φ is 0 or 1.
        absent : ndarray of shape (n_features, n_classes)
            Evidence log(1 − φ) of an absent feature.
        """
        W = np.array(phi.T, order="C")
        with np.errstate(divide="ignore"):
            absent = np.subtract(1.0, W)  # to the last bit of 1: logarithms of it err by 1e-16 nats, and log1p is slow
            np.log(absent, out=absent)
            np.log(W, out=W)
        always = phi.T >= 1.0 if phi.max(initial=0.0) >= 1.0 else None
        np.subtract(W, absent, out=W, where=True if always is None else ~always)
        if always is not None:
            W[always] = np.inf
        return W, absent

    def score(self, phi: Floats, prior: Floats) -> AffineScore:
        W, absent = self.affine(phi)
        return AffineScore(W, prior, absent)

    def straight(self, seen: Counts, estimate: str, prior: Floats) -> AffineScore | None:
        alpha, beta = pseudo_counts(self.alpha, estimate), pseudo_counts(self.beta, estimate)
        if is_vector(self.alpha) or is_vector(self.beta):
            return None
        total = seen.n + (alpha + beta)
        if seen.missing is not None or not (total > 0.0).all():
            return None
        log_total = np.log(total)
        present = log_table(seen.s, np.full(len(total), alpha), log_total)
        absent = log_table(seen.s, seen.n + beta, log_total, less=True)
        if present is None or absent is None:
            return None
        return AffineScore(np.subtract(present, absent, out=present), prior, absent)

    def log_density(self, X: Rows, phi: Floats) -> Floats:
        x = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)[:, None, :]
        result: Floats = np.nansum(x * np.log(phi) + (1.0 - x) * np.log(1.0 - phi), axis=2)
        return result

    def optimum(self, seen: Counts, phi: Floats, estimate: str) -> Optimum:
        added = pseudo_counts(self.alpha, estimate), pseudo_counts(self.beta, estimate)
        counted = np.stack(self._count_presence(seen, *added), axis=-1)
        return share_optimum(counted, np.stack([phi, 1.0 - phi], axis=-1))

    def doubt(self, X: Rows, seen: Counts) -> tuple[Floats, Floats]:
        a, b = self._count_presence(seen, pseudo_counts(self.alpha, "bayes"), pseudo_counts(self.beta, "bayes"))
        moments = zip(log_moments(a), log_moments(b), log_moments(a + b), strict=True)
        mean, variance = (
            AffineScore((present - absent).T, np.zeros(len(a)), (absent - both).T)(X)
            for present, absent, both in moments
        )
        return mean, variance


def _error_expected(value: float) -> str:
    if abs(value) > LARGEST:
        return "Input X contains infinity or a value beyond 1e300: {place}; a Bernoulli feature is 0 or 1"
    return (
        "a Bernoulli feature is 0 or 1: {place}; "
        "binarise (x > 0) first, or choose the multinomial model for counts"
    )  # fmt: skip


def _mark_present(X: Any, threshold: float) -> Any:
    """Return 1{X > threshold}, dense or CSR like X; NaN stays."""
    if not is_sparse(X):
        present = np.greater(X, threshold).astype(np.float64)
        return np.where(np.isnan(X), np.nan, present) if X.dtype.kind == "f" else present
    _refuse_zeros_present(threshold)
    present = np.greater(X.data, threshold)
    if X.dtype.kind == "f" and (gone := np.isnan(X.data)).any():
        present = np.where(gone, np.nan, present)
    from scipy import sparse

    return sparse.csr_array((present, X.indices, X.indptr), shape=X.shape)


def _refuse_zeros_present(threshold: float) -> None:
    if threshold < 0.0:
        raise ValueError(
            f"binarize={threshold!r} would make every zero of a sparse matrix present: "
            "use binarize ≥ 0, or a dense array"
        )
