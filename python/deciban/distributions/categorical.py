"""Categories: each feature has outcomes of its own, and each class a histogram of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deciban._core import class_categories, largest
from deciban.data.rows import as_rows, for_core
from deciban.scores import CategoricalScore

from ..data.refusal import StatisticError, counted, first
from .counts import (
    Counts,
    Floats,
    class_weights,
    less,
    less_missing,
    plus_missing,
)
from .pseudo_counts import PseudoCounts, at, checked, pseudo_counts
from .shares import Optimum, log_moments, share_optimum
from .support import LARGEST, check

Sizes = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class CategoryCounts(Counts):
    """n (C,) weight per class, s (C, Σ_j K_j) weight of each category of each feature, K = `sizes` (d,).

    Counts of different sizes add as if the smaller had seen none of the further categories.
    """

    sizes: Sizes = ()

    @property
    def offsets(self) -> NDArray[np.intp]:
        """(d + 1,) where the categories of each feature begin in s."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.intp)

    def of_sizes(self, sizes: Sizes) -> CategoryCounts:
        """The same counts with room for more categories a feature."""
        codes = tuple(np.arange(k) for k in self.sizes)
        return self if sizes == self.sizes else self.recoded(codes, sizes)

    def recoded(self, codes: tuple[NDArray[np.intp], ...], sizes: Sizes) -> CategoryCounts:
        """The same counts where category k of feature j is now called codes[j][k], of sizes[j]."""
        wide = replace(self, s=np.zeros((len(self.n), sum(sizes))), sizes=sizes)
        places = [start + code for start, code in zip(wide.offsets[:-1], codes, strict=True)]
        wide.s[:, np.concatenate([*places, np.zeros(0, np.intp)]).astype(np.intp)] = self.s
        return wide

    def _alike(self, other: CategoryCounts) -> tuple[CategoryCounts, CategoryCounts]:
        sizes = tuple(map(max, self.sizes, other.sizes))
        return self.of_sizes(sizes), other.of_sizes(sizes)

    def __add__(self, other: Counts) -> CategoryCounts:
        assert isinstance(other, CategoryCounts)
        a, b = self._alike(other)
        return CategoryCounts(a.n + b.n, a.s + b.s, plus_missing(a.missing, b.missing), a.sizes)

    def __sub__(self, other: Counts) -> CategoryCounts:
        assert isinstance(other, CategoryCounts)
        a, b = self._alike(other)
        n = less(a.n, b.n)
        try:
            s = less(a.s, b.s)
        except StatisticError as error:
            k = error.feature or 0
            j = int(np.searchsorted(a.offsets, k, side="right")) - 1
            text = error.text.replace("{feature}", f"category {k - a.offsets[j]} of {{feature}}", 1)
            raise StatisticError(text, feature=j, label=error.label) from None
        missing = less_missing(a.missing, b.missing, (len(n), len(a.sizes)))
        return CategoryCounts(n, s, missing, a.sizes).trimmed()

    def trimmed(self) -> CategoryCounts:
        """The same counts without room for codes above all that are left."""
        parts = np.split(self.s, self.offsets[1:-1], axis=1)
        sizes = tuple(max(1, int(np.flatnonzero(part.any(axis=0)).max(initial=0)) + 1) for part in parts)
        if sizes == self.sizes:
            return self
        s = np.concatenate([part[:, :k] for part, k in zip(parts, sizes, strict=True)], axis=1)
        return replace(self, s=s, sizes=sizes)


@dataclass(frozen=True, eq=False)
class Shares(Sequence[Floats]):
    """φ_j (C, K_j + 1) for each feature j, side by side in one table; the last column of each is for the unseen."""

    table: Floats
    offsets: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, j: Any) -> Any:
        if not -len(self) <= j < len(self):
            raise IndexError(j)
        return self.table[:, self.offsets[j] : self.offsets[j + 1]]


@dataclass(frozen=True)
class Categorical:
    """Feature j is one of K_j categories, coded 0 … K_j − 1, independent given the class.

        p(x | c) = Π_j φ_cj,x_j,      Σ_k φ_cjk = 1,      φ_cj ~ Dirichlet(alpha, …, alpha)

    K_j is one more than the largest code seen, or `sizes`[j], or `sizes`, where that is more. `alpha` is a number, (d,)
    one a feature or (C, d) one a class and feature, for each category. A category never seen in training has the
    share of any category with no count, alpha / (n + alpha K_j). Statistics: n_c examples, s_cjk of them in
    category k. Over one-hot features log p(x | c) is affine, W = log φ. Murphy, Machine Learning, 2012, section
    3.5.

    >>> die = Categorical()
    >>> seen = die.count(np.array([[0], [2], [2]]), np.array([0, 0, 0]), np.ones(3), 1)
    >>> phi = die.parameters(seen, "bayes")
    >>> [share.round(3).tolist() for share in phi]
    [[[0.333, 0.167, 0.5, 0.167]]]
    """

    alpha: PseudoCounts = 1.0
    sizes: Sizes | int | None = None
    name: ClassVar[str] = "categorical"
    missing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checked("alpha", self.alpha))
        if isinstance(self.sizes, int | np.integer) and self.sizes >= 1:
            return
        whole = isinstance(self.sizes, tuple) and all(isinstance(k, int | np.integer) and k >= 1 for k in self.sizes)
        if self.sizes is not None and not whole:
            raise ValueError(f"sizes must be None or a tuple of whole numbers ≥ 1, got {self.sizes!r}")

    @classmethod
    def symmetric(cls, alpha: PseudoCounts) -> Categorical:
        """Dirichlet(alpha, …, alpha) on every φ_cj."""
        return cls(alpha)

    def statistic(self, X: Any) -> Any:
        """The codes, whole and ≥ 0; otherwise a `StatisticError` names the row, the column and the value."""
        X = as_rows(X)
        check(X, "whole", _expected)
        return X

    def count(self, X: Any, y: NDArray[np.intp], weight: Floats | None, C: int) -> CategoryCounts:
        """X (N, d) of codes, y (N,) class indices, weight (N,). Cost: two passes over the nonzeros."""
        rows = for_core(as_rows(X))
        top = counted(lambda: largest(rows), _expected)
        if isinstance(self.sizes, tuple) and len(self.sizes) != len(top):
            raise ValueError(f"sizes must be one number for each of {len(top)} features, got {self.sizes!r}")
        sizes = tuple((np.maximum(top, 0.0) + 1.0).tolist())
        _refuse_many(sizes, C)
        offsets = np.concatenate([[0.0], np.cumsum(sizes)]).astype(np.intp)
        s, missing = counted(lambda: class_categories(rows, y, weight, C, offsets), _expected)
        return CategoryCounts(class_weights(y, weight, C), s, missing, tuple(map(int, sizes)))

    def _known(self, seen: CategoryCounts) -> CategoryCounts:
        """The counts with room for the categories that are declared."""
        if self.sizes is None:
            return seen
        least = self.sizes if isinstance(self.sizes, tuple) else (int(self.sizes),) * len(seen.sizes)
        return seen.of_sizes(tuple(map(max, seen.sizes, least)))

    def check_counts(self, seen: CategoryCounts) -> None:
        """Each feature's categories add up to the examples (none was forgotten that never was learnt)."""
        n = np.broadcast_to(seen.seen, (len(seen.n), len(seen.sizes)))
        total = _by_feature(seen)
        wrong = np.abs(total - n) > 1e-9 * np.maximum(1.0, n)
        if wrong.any():
            c, j = first(wrong)
            raise StatisticError(
                f"{{feature}} would have {total[c, j]:g} categories in {n[c, j]:g} examples of {{label}}: "
                "an example to forget was never learnt like this",
                feature=j,
                label=c,
            )

    def _shares(self, seen: CategoryCounts, added: Any) -> tuple[Floats, Floats]:
        """Counts with pseudo-counts (C, ΣK), and their totals by feature (C, d), from a number, (d,) or (C, d)."""
        K = np.array(seen.sizes, dtype=np.float64)
        n = np.broadcast_to(seen.seen, (len(seen.n), len(K)))
        each = np.repeat(added, seen.sizes, axis=-1) if np.ndim(added) else added
        return seen.s + each, n + added * K

    def parameters(self, seen: CategoryCounts, estimate: str) -> Shares:
        """φ_j (C, K_j + 1) for each feature j; the last column is the share of a category never seen.

        "bayes": E[φ | data] = (s + alpha) / (n + alpha K_j); alpha = 1 is Laplace's rule.
        "map":   the mode, (s + alpha − 1) / (n + (alpha − 1) K_j), where the posterior has one.
        "ml":    s / n.
        """
        added, seen = pseudo_counts(self.alpha, estimate), self._known(seen)
        a, total = self._shares(seen, added)
        feature = np.repeat(np.arange(len(seen.sizes)), seen.sizes)
        undefined = (a < 0.0) | (total <= 0.0)[:, feature]
        if undefined.any():
            c, k = first(undefined)
            j = int(feature[k])
            raise StatisticError(
                f"estimate={estimate!r} is undefined for {{feature}} in {{label}} (category {k - seen.offsets[j]} "
                f"counted {seen.s[c, k]:g} times, alpha={at(self.alpha, c, j):g}): use estimate='bayes' with alpha > 0",
                feature=j,
                label=c,
            )
        table = np.insert(a / total[:, feature], seen.offsets[1:], np.maximum(added, 0.0) / total, axis=1)
        return Shares(table, _with_unseen(seen.offsets))

    def score(self, phi: Shares, prior: Floats) -> CategoricalScore:
        """log p(x | c) + prior_c, −∞ for a category that has no share."""
        with np.errstate(divide="ignore"):
            table = np.log(np.array(phi.table.T, order="C"))
        return CategoricalScore(prior, table, phi.offsets)

    def log_density(self, X: Any, phi: Shares) -> Floats:
        """(N, C) log p(x | c) = Σ_j log φ_j,x_j, straight from the definition."""
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        result = np.zeros((len(X), len(phi.table)))
        for i, row in enumerate(X):
            for x, share in zip(row, phi, strict=True):
                if not np.isnan(x):
                    result[i] += np.log(share[:, min(int(x), share.shape[1] - 1)])
        return result

    def optimum(self, seen: CategoryCounts, phi: Shares, estimate: str) -> Optimum:
        """φ against the best value of the objective that `estimate` minimises, one die a feature and class."""
        added, seen = pseudo_counts(self.alpha, estimate), self._known(seen)
        counts = np.split(self._shares(seen, added)[0], seen.offsets[1:-1], axis=1)
        return sum(
            (share_optimum(a, share[:, :-1]) for a, share in zip(counts, phi, strict=True)), Optimum(0.0, 0.0, 0.0)
        )

    def doubt(self, X: Any, seen: CategoryCounts) -> tuple[Floats, Floats]:
        """(N, C) mean and variance of log p(x | c) over the posterior φ_cj ~ Dirichlet(a), a = s + alpha.

        log φ_k has mean ψ(a_k) − ψ(A) and variance ψ′(a_k) − ψ′(A), A = Σ_k a_k.
        """
        seen = self._known(seen)
        alpha = pseudo_counts(self.alpha, "bayes")
        a, total = self._shares(seen, alpha)
        feature, offsets = np.repeat(np.arange(len(seen.sizes)), seen.sizes), _with_unseen(seen.offsets)
        unseen = [np.broadcast_to(part, total.shape) for part in log_moments(np.asarray(alpha))]
        tables = [
            np.insert(of_k - of_all[:, feature], seen.offsets[1:], of_none - of_all, axis=1)
            for of_k, of_all, of_none in zip(log_moments(a), log_moments(total), unseen, strict=True)
        ]
        none = np.zeros(len(a))
        mean, variance = (CategoricalScore(none, table.T.copy(), offsets)(X) for table in tables)
        return mean, variance


def _with_unseen(offsets: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where each feature begins when every one has a place more."""
    return offsets + np.arange(len(offsets))


def _by_feature(seen: CategoryCounts) -> Floats:
    if not seen.sizes:
        return np.zeros((len(seen.n), 0))
    return np.add.reduceat(seen.s, seen.offsets[:-1], axis=1)


# A table of so many numbers is a gigabyte: codes that are no codes.
_MOST = 1 << 27


def _refuse_many(sizes: tuple[float, ...], C: int) -> None:
    if sum(sizes) * C > _MOST:
        j = int(np.argmax(sizes))
        raise StatisticError(
            f"{{feature}} has the code {sizes[j] - 1:.15g}, and a table of all codes up to there is too large: "
            "number the categories from 0, or give a data frame or an array of labels",
            feature=j,
        )


def _expected(value: float) -> str:
    if abs(value) > LARGEST:
        return "Input X contains infinity or a value beyond 1e300: {place}; a category is coded 0, 1, 2, …"
    if value < 0.0:
        return "Negative values in data for a categorical model: {place}; a category is coded 0, 1, 2, …"
    return (
        "a category is coded 0, 1, 2, …: {place}; "
        "choose 'gaussian' for measurements, or give labels as text in a data frame"
    )  # fmt: skip
