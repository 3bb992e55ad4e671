"""The multivariate Bernoulli event model: which features are there, and which are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .counts import (
    Counts,
    Floats,
    Optimum,
    StatisticError,
    as_rows,
    check_prior,
    class_sums,
    first,
    is_sparse,
    pseudo_counts,
    refuse_where,
    share_optimum,
)


@dataclass(frozen=True)
class Bernoulli:
    """Each feature is present or absent: x_j ∈ {0, 1}, independent given the class.

    With a threshold `binarize` the statistic is T(x)_j = 1{x_j > binarize}; without, x itself must be 0 or 1.

        p(x | c) = Π_j φ_cj^x_j · (1 − φ_cj)^(1 − x_j),      φ_cj ~ Beta(alpha, beta)

    Statistics: n_c examples, s_cj of them with x_j = 1. log p(x | c) is affine in x, with W = logit φ and
    absent = log(1 − φ), so an absent feature is evidence too. McCallum & Nigam, AAAI-98 workshop on text.

    >>> coin = Bernoulli()
    >>> seen = coin.count(np.array([[1], [1], [0]]), np.array([0, 0, 0]), np.ones(3), 1)
    >>> coin.parameters(seen, "bayes").tolist(), coin.parameters(seen, "ml").round(3).tolist()
    ([[0.6]], [[0.667]])
    """

    alpha: float = 1.0
    beta: float = 1.0
    binarize: float | None = None
    name: ClassVar[str] = "bernoulli"

    def __post_init__(self) -> None:
        check_prior("alpha", self.alpha)
        check_prior("beta", self.beta)
        number = isinstance(self.binarize, int | float | np.integer | np.floating)
        if self.binarize is not None and not (number and np.isfinite(self.binarize)):
            raise ValueError(f"binarize must be None or a finite number, got {self.binarize!r}")

    @classmethod
    def symmetric(cls, alpha: float) -> Bernoulli:
        """Beta(alpha, alpha) on every φ."""
        return cls(alpha, alpha)

    def statistic(self, X: Any) -> Any:
        """T(X) (N, d) of 0 and 1, dense or CSR like X; cost O(nonzeros).

        Without a threshold, anything but 0 and 1 is a `StatisticError` naming row, column and value.
        """
        X = as_rows(X)
        if self.binarize is not None:
            return _present(X, self.binarize)
        values = X.data if is_sparse(X) else X
        if values.dtype != bool and not ((values == 0) | (values == 1)).all():
            refuse_where(
                lambda v: (v != 0) & (v != 1),
                X,
                "a Bernoulli feature is 0 or 1",
                "binarise (x > 0) first, or choose the multinomial model for counts",
            )
        return X

    def check_counts(self, seen: Counts) -> None:
        """No feature was present in more examples than there were (one forgotten that never was learnt)."""
        above = seen.s > seen.n[:, None] + 1e-9 * np.maximum(1.0, seen.n[:, None])
        if above.any():
            c, j = first(above)
            raise StatisticError(
                f"{{feature}} would be present in {seen.s[c, j]:g} of {seen.n[c]:g} examples of {{label}}: "
                "an example to forget was never learnt like this",
                feature=j,
                label=c,
            )

    def count(self, X: Any, y: NDArray[np.intp], weight: Floats, C: int) -> Counts:
        """X (N, d), y (N,) class indices, weight (N,). Cost: one pass over the nonzeros."""
        return class_sums(self.statistic(X), y, weight, C)

    def _present_absent(self, seen: Counts, estimate: str) -> tuple[Floats, Floats]:
        """Counts of presence and of absence with the pseudo-counts of `estimate`, each (C, d)."""
        present = np.minimum(seen.s, seen.n[:, None])  # sums of fractional weights can pass n by an ulp
        absent = seen.n[:, None] - present
        return present + pseudo_counts(self.alpha, estimate), absent + pseudo_counts(self.beta, estimate)

    def parameters(self, seen: Counts, estimate: str) -> Floats:
        """φ (C, d).

        "bayes": E[φ | data] = (s + alpha) / (n + alpha + beta); alpha = beta = 1 is Laplace's rule.
        "map":   the mode, (s + alpha − 1) / (n + alpha + beta − 2), where the posterior has one.
        "ml":    s / n.
        """
        a, b = self._present_absent(seen, estimate)
        undefined = (a < 0.0) | (b < 0.0) | (a + b <= 0.0)
        if undefined.any():
            c, j = first(undefined)
            raise StatisticError(
                f"estimate={estimate!r} is undefined for {{feature}} in {{label}} "
                f"(present in {seen.s[c, j]:g} of {seen.n[c]:g} examples, "
                f"alpha={self.alpha:g}, beta={self.beta:g}): "
                "use estimate='bayes' with alpha > 0",
                feature=j,
                label=c,
            )
        phi: Floats = a / (a + b)
        return phi

    def affine(self, phi: Floats) -> tuple[Floats, Floats]:
        """W (d, C) = logit φ and absent (d, C) = log(1 − φ): log p(x | c) = x·W_c + Σ_j absent_jc."""
        certain = (phi <= 0.0) | (phi >= 1.0)
        if certain.any():
            c, j = first(certain)
            raise StatisticError(
                f"{{feature}} is {'always' if phi[c, j] > 0.5 else 'never'} present in {{label}}, so its "
                f"probability there is {phi[c, j]:g} and the evidence infinite: "
                "use estimate='bayes' with alpha > 0, or leave the feature out",
                feature=j,
                label=c,
            )
        absent = np.log1p(-phi)
        return np.ascontiguousarray((np.log(phi) - absent).T), np.ascontiguousarray(absent.T)

    def log_density(self, X: Any, phi: Floats) -> Floats:
        """(N, C) log p(x | c) = Σ_j [x_j log φ_j + (1 − x_j) log(1 − φ_j)], straight from the definition."""
        x = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)[:, None, :]
        result: Floats = (x * np.log(phi) + (1.0 - x) * np.log(1.0 - phi)).sum(axis=2)
        return result

    def optimum(self, seen: Counts, phi: Floats, estimate: str) -> Optimum:
        """φ against the best value of the objective that `estimate` minimises, one coin a feature."""
        counted = np.stack(self._present_absent(seen, estimate), axis=-1)
        return share_optimum(counted, np.stack([phi, 1.0 - phi], axis=-1))


def _present(X: Any, threshold: float) -> Any:
    """1{X > threshold}, dense or CSR like X."""
    if not is_sparse(X):
        return np.greater(X, threshold).astype(np.float64)
    if threshold < 0.0:
        raise ValueError(
            f"binarize={threshold!r} would make every zero of a sparse matrix present: "
            "use binarize ≥ 0, or a dense array"
        )
    present = np.greater(X.data, threshold).astype(np.float64)
    from scipy import sparse

    return sparse.csr_array((present, X.indices, X.indptr), shape=X.shape)
