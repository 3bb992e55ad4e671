"""Categories: each feature has outcomes of its own, and each class a histogram of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deciban._core import class_categories, largest
from deciban.data.rows import Rows, as_rows, for_core
from deciban.scores import CategoricalScore

from ..data.refusal import StatisticError, count_or_refuse, first
from .counts import Counts, Floats, class_weights, less, less_missing, plus_missing
from .distribution import LARGEST, Family, check_support
from .priors import Optimum, PseudoCounts, check_pseudo_counts, count_at, log_moments, pseudo_counts, share_optimum

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
        """Return the same counts with room for more categories a feature."""
        codes = tuple(np.arange(k) for k in self.sizes)
        return self if sizes == self.sizes else self.recode(codes, sizes)

    def recode(self, codes: tuple[NDArray[np.intp], ...], sizes: Sizes) -> CategoryCounts:
        """Return the same counts where category k of feature j is now called codes[j][k], of sizes[j]."""
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
        return CategoryCounts(n, s, missing, a.sizes).trim()

    def trim(self) -> CategoryCounts:
        """Return the same counts without room for codes above all that are left."""
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
class Categorical(Family):
    """The categorical distribution of features with K_j categories, coded 0 … K_j − 1, independent given the class.

        p(x | c) = Π_j φ_cj,x_j,      Σ_k φ_cjk = 1,      φ_cj ~ Dirichlet(alpha, …, alpha)

    Statistics: n_c examples, s_cjk of them in category k. Estimates of φ_j (C, K_j + 1), whose last column is the share
    of a category that was not in the training data: "bayes" is E[φ | data] = (s + alpha) / (n + alpha K_j), with alpha
    = 1 Laplace's rule; "map" the mode, (s + alpha − 1) / (n + (alpha − 1) K_j), where the posterior has one; "ml" is s
    / n. A new category has the share of any category with no count, alpha / (n + alpha K_j).

    Over one-hot features log p(x | c) is affine, W = log φ. Over the posterior φ_cj ~ Dirichlet(a), log φ_k has mean
    ψ(a_k) − ψ(A) and variance ψ′(a_k) − ψ′(A), A = Σ_k a_k. Murphy, Machine Learning (2012), section 3.5.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Pseudo-counts of each category.
    sizes : int or sequence of int, optional
        Numbers of categories K_j, of all features or of each; by default one more than the largest code, and at least
        that.

    Raises
    ------
    ValueError
        If a pseudo-count is negative, or `sizes` are no whole numbers from 1.

    Examples
    --------
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
        object.__setattr__(self, "alpha", check_pseudo_counts("alpha", self.alpha))
        if isinstance(self.sizes, int | np.integer) and self.sizes >= 1:
            return
        whole = isinstance(self.sizes, tuple) and all(isinstance(k, int | np.integer) and k >= 1 for k in self.sizes)
        if self.sizes is not None and not whole:
            raise ValueError(f"sizes must be None or a tuple of whole numbers ≥ 1, got {self.sizes!r}")

    @classmethod
    def symmetric(cls, alpha: PseudoCounts) -> Categorical:
        return cls(alpha)

    def statistic(self, X: Rows) -> Any:
        X = as_rows(X)
        check_support(X, "whole", _error_expected)
        return X

    def count(self, X: Rows, y: NDArray[np.intp], weight: Floats | None, C: int) -> CategoryCounts:
        rows = for_core(as_rows(X))
        top = count_or_refuse(lambda: largest(rows), _error_expected)
        if isinstance(self.sizes, tuple) and len(self.sizes) != len(top):
            raise ValueError(f"sizes must be one number for each of {len(top)} features, got {self.sizes!r}")
        sizes = tuple((np.maximum(top, 0.0) + 1.0).tolist())
        _refuse_many(sizes, C)
        offsets = np.concatenate([[0.0], np.cumsum(sizes)]).astype(np.intp)
        s, missing = count_or_refuse(lambda: class_categories(rows, y, weight, C, offsets), _error_expected)
        return CategoryCounts(class_weights(y, weight, C), s, missing, tuple(map(int, sizes)))

    def _known(self, seen: CategoryCounts) -> CategoryCounts:
        """Return the counts with room for the categories that are declared."""
        if self.sizes is None:
            return seen
        least = self.sizes if isinstance(self.sizes, tuple) else (int(self.sizes),) * len(seen.sizes)
        return seen.of_sizes(tuple(map(max, seen.sizes, least)))

    def check_counts(self, seen: CategoryCounts) -> None:
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
        """Return counts with pseudo-counts (C, ΣK), and their totals by feature (C, d), from a number, (d,) or (C,
        d)."""
        K = np.array(seen.sizes, dtype=np.float64)
        n = np.broadcast_to(seen.seen, (len(seen.n), len(K)))
        each = np.repeat(added, seen.sizes, axis=-1) if np.ndim(added) else added
        return seen.s + each, n + added * K

    def parameters(self, seen: CategoryCounts, estimate: str) -> Shares:
        added, seen = pseudo_counts(self.alpha, estimate), self._known(seen)
        a, total = self._shares(seen, added)
        feature = np.repeat(np.arange(len(seen.sizes)), seen.sizes)
        undefined = (a < 0.0) | (total <= 0.0)[:, feature]
        if undefined.any():
            c, k = first(undefined)
            j = int(feature[k])
            raise StatisticError(
                f"estimate={estimate!r} is undefined for {{feature}} in {{label}} (category {k - seen.offsets[j]} "
                f"counted {seen.s[c, k]:g} times, alpha={count_at(self.alpha, c, j):g}): "
                "use estimate='bayes' with alpha > 0",
                feature=j,
                label=c,
            )
        table = np.insert(a / total[:, feature], seen.offsets[1:], np.maximum(added, 0.0) / total, axis=1)
        return Shares(table, _with_unseen(seen.offsets))

    def score(self, phi: Shares, prior: Floats) -> CategoricalScore:
        with np.errstate(divide="ignore"):
            table = np.log(np.array(phi.table.T, order="C"))
        return CategoricalScore(prior, table, phi.offsets)

    def log_density(self, X: Rows, phi: Shares) -> Floats:
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        result = np.zeros((len(X), len(phi.table)))
        for i, row in enumerate(X):
            for x, share in zip(row, phi, strict=True):
                if not np.isnan(x):
                    result[i] += np.log(share[:, min(int(x), share.shape[1] - 1)])
        return result

    def optimum(self, seen: CategoryCounts, phi: Shares, estimate: str) -> Optimum:
        added, seen = pseudo_counts(self.alpha, estimate), self._known(seen)
        counts = np.split(self._shares(seen, added)[0], seen.offsets[1:-1], axis=1)
        return sum(
            (share_optimum(a, share[:, :-1]) for a, share in zip(counts, phi, strict=True)), Optimum(0.0, 0.0, 0.0)
        )

    def doubt(self, X: Rows, seen: CategoryCounts) -> tuple[Floats, Floats]:
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
    """Return where each feature begins when every one has a place more."""
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


def _error_expected(value: float) -> str:
    if abs(value) > LARGEST:
        return "Input X contains infinity or a value beyond 1e300: {place}; a category is coded 0, 1, 2, …"
    if value < 0.0:
        return "Negative values in data for a categorical model: {place}; a category is coded 0, 1, 2, …"
    return (
        "a category is coded 0, 1, 2, …: {place}; "
        "choose 'gaussian' for measurements, or give labels as text in a data frame"
    )  # fmt: skip
