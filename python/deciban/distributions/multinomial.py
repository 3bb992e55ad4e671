"""The multinomial event model: a document is a sequence of words drawn from its class."""

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
class Multinomial:
    """x_j counts the draws of word j, independent given the class, from a vocabulary of d words.

        p(x | c) = Π_j φ_cj^x_j,      Σ_j φ_cj = 1,      φ_c ~ Dirichlet(alpha, …, alpha)

    This is the probability of the words in their order: the number of orders is the same for every class.
    Statistics: n_c examples, s_cj draws of word j. log p(x | c) = x·W_c with W = log φ; absent words weigh
    nothing. Fractions (TF-IDF) may stand for counts. McCallum & Nigam, AAAI-98 workshop on text.

    >>> dice = Multinomial()
    >>> seen = dice.count(np.array([[2, 0], [1, 0]]), np.array([0, 0]), np.ones(2), 1)
    >>> dice.parameters(seen, "bayes").tolist()
    [[0.8, 0.2]]
    """

    alpha: float = 1.0
    name: ClassVar[str] = "multinomial"

    def __post_init__(self) -> None:
        check_prior("alpha", self.alpha)

    @classmethod
    def symmetric(cls, alpha: float) -> Multinomial:
        """Dirichlet(alpha, …, alpha) on every φ_c."""
        return cls(alpha)

    def statistic(self, X: Any) -> Any:
        """T(x) = x, finite and ≥ 0; otherwise a `StatisticError` names the row, the column and the value."""
        X = as_rows(X)
        values = X.data if is_sparse(X) else X
        if values.dtype == bool or values.size == 0 or (values.min() >= 0 and values.max() < np.inf):
            return X
        advice = "a multinomial feature is a finite count ≥ 0"
        refuse_where(lambda v: v < 0, X, "Negative values in data for a multinomial model", advice)
        refuse_where(lambda v: ~np.isfinite(v), X, "Infinite or missing values in data", advice)
        return X

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

    def count(self, X: Any, y: NDArray[np.intp], weight: Floats, C: int) -> Counts:
        """X (N, d) of counts, y (N,) class indices, weight (N,). Cost: one pass over the nonzeros."""
        return class_sums(self.statistic(X), y, weight, C)

    def parameters(self, seen: Counts, estimate: str) -> Floats:
        """φ (C, d).

        "bayes": E[φ | data] = (s + alpha) / (Σ_j s_j + alpha·d); alpha = 1 is Laplace's rule.
        "map":   the mode, (s + alpha − 1) / (Σ_j s_j + (alpha − 1)·d), where the posterior has one.
        "ml":    s / Σ_j s_j.
        """
        a = seen.s + pseudo_counts(self.alpha, estimate)
        total = a.sum(axis=1, keepdims=True)
        undefined = (a < 0.0) | (total <= 0.0)
        if undefined.any():
            c, j = first(undefined)
            raise StatisticError(
                f"estimate={estimate!r} is undefined for {{feature}} in {{label}} (counted {seen.s[c, j]:g} "
                f"of {seen.s[c].sum():g}, alpha={self.alpha:g}): use estimate='bayes' with alpha > 0",
                feature=j,
                label=c,
            )
        phi: Floats = a / total
        return phi

    def affine(self, phi: Floats) -> tuple[Floats, None]:
        """W (d, C) = log φ, and None because absent words weigh nothing: log p(x | c) = x·W_c."""
        if phi.size and phi.min() <= 0.0:
            c, j = first(phi <= 0.0)
            raise StatisticError(
                "{feature} never occurs in {label}, so its probability there is 0 and the evidence infinite: "
                "use estimate='bayes' with alpha > 0, or leave the feature out",
                feature=j,
                label=c,
            )
        return np.ascontiguousarray(np.log(phi).T), None

    def log_density(self, X: Any, phi: Floats) -> Floats:
        """(N, C) log p(x | c) = Σ_j x_j log φ_j, straight from the definition."""
        x = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)[:, None, :]
        result: Floats = (x * np.log(phi)).sum(axis=2)
        return result

    def optimum(self, seen: Counts, phi: Floats, estimate: str) -> Optimum:
        """φ against the best value of the objective that `estimate` minimises, one die a class."""
        return share_optimum(seen.s + pseudo_counts(self.alpha, estimate), phi)
