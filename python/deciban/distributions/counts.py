"""The sufficient statistics of counted data, and what every distribution asks of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.errors import DataError

Floats = NDArray[np.float64]

# Sums of fractional weights, taken in another order, differ by this share; whole numbers do not differ.
_ROUNDING = 1e-12
# Up to here C multiply-adds a nonzero cost less than a sparse product that looks for its places.
_FEW_CLASSES = 32


class StatisticError(DataError):
    """A refusal that knows its place, so that a model can say it again with the user's own names.

    `text` may contain {feature} and {label}, whose indices are `feature` and `label`.
    """

    def __init__(self, text: str, *, feature: int | None = None, label: int | None = None) -> None:
        self.text, self.feature, self.label = text, feature, label
        known = feature is not None or label is not None
        super().__init__(text.format(feature=f"feature {feature}", label=f"class {label}") if known else text)

    def named(self, features: Callable[[int], str], labels: Callable[[int], str]) -> DataError:
        """The same refusal as a plain DataError, with `features(j)` and `labels(c)` in place of numbers."""
        feature = "" if self.feature is None else features(self.feature)
        label = "" if self.label is None else labels(self.label)
        return DataError(self.text.format(feature=feature, label=label))


@dataclass(frozen=True, eq=False)
class Counts:
    """Sufficient statistics of weighted data: n (C,) weight per class, s (C, d) summed features per class.

    They add: the whole is the sum of its parts, and taking a part away leaves the rest, exactly so (to the
    last bit) while the numbers are whole and below 2^53. Nobody has seen less than nothing, so a difference
    below zero is a `StatisticError` that names the class and the feature.

    >>> some = Counts(np.array([2.0]), np.array([[3.0, 1.0]]))
    >>> some + some - some == some
    True
    """

    n: Floats
    s: Floats

    @staticmethod
    def zero(C: int, d: int) -> Counts:
        """Nothing seen yet of C classes and d features."""
        return Counts(np.zeros(C), np.zeros((C, d)))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.n + other.n, self.s + other.s)

    def __sub__(self, other: Counts) -> Counts:
        return Counts(_less(self.n, other.n), _less(self.s, other.s))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return np.array_equal(self.n, other.n) and np.array_equal(self.s, other.s)

    __hash__ = None  # type: ignore[assignment]

    def among(self, places: NDArray[np.intp], C: int) -> Counts:
        """The same statistics as part of C classes: row k moves to row places[k], the others are zero."""
        moved = Counts.zero(C, self.s.shape[1])
        moved.n[places], moved.s[places] = self.n, self.s
        return moved


def _less(learnt: Floats, forgotten: Floats) -> Floats:
    left: Floats = learnt - forgotten
    short = left < -_ROUNDING * learnt
    if short.any():
        place = first(short)
        what = "examples of {label}" if len(place) == 1 else "{feature} in {label}"
        raise StatisticError(
            f"cannot forget more than was learnt: {what}: {learnt[place]:g} learnt, "
            f"{forgotten[place]:g} to forget; forget only what was learnt, with the same label and weight",
            label=place[0],
            feature=place[1] if len(place) == 2 else None,
        )
    return np.where(left < 0.0, 0.0, left)


def first(marked: NDArray[np.bool_]) -> tuple[int, ...]:
    """The place of the first True."""
    return tuple(int(k) for k in np.argwhere(marked)[0])


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix; whoever has one has loaded SciPy, so this does not."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def weighted_log(a: Floats, p: Floats) -> float:
    """Σ a·log p, with 0·log 0 = 0."""
    return float((a * np.log(p, where=a > 0.0, out=np.zeros(np.broadcast_shapes(a.shape, p.shape)))).sum())


def as_rows(X: Any) -> Any:
    """X as an (N, d) array or as CSR with one entry a place; no copy where X is one of these already."""
    if not is_sparse(X):
        return np.asarray(X)
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def class_sums(X: Any, y: NDArray[np.intp], weight: Floats, C: int) -> Counts:
    """n_c = Σ_{i: y_i = c} w_i and s_c = Σ_{i: y_i = c} w_i x_i: one product, member (C, N) @ X (N, d).

    Sums run in the order of the rows, whatever the format or the number of threads.
    """
    N = len(y)
    if is_sparse(X) and C <= _FEW_CLASSES:
        member = np.zeros((C, N))
        member[y, np.arange(N)] = weight
    else:
        from scipy import sparse

        member = sparse.csr_array((weight, (y, np.arange(N))), shape=(C, N))
    s = member @ X
    s = s.toarray() if is_sparse(s) else s
    n = np.bincount(y, weights=weight, minlength=C).astype(np.float64)
    return Counts(n, np.ascontiguousarray(s, dtype=np.float64))


def refuse_where(bad: Callable[[Any], NDArray[np.bool_]], X: Any, expected: str, advice: str) -> None:
    """Raise for the first entry of X that `bad` marks, naming its row, its column and its value."""
    values = X.data if is_sparse(X) else X
    marked = bad(values)
    if not marked.any():
        return
    place = first(marked)
    value = values[place]
    if is_sparse(X):
        place = (int(np.searchsorted(X.indptr, place[0], side="right")) - 1, int(X.indices[place[0]]))
    row, column = place
    raise StatisticError(f"{expected}: row {row}, {{feature}} is {value:g}; {advice}", feature=column)


def pseudo_counts(alpha: float, estimate: str) -> float:
    """What an estimate adds to a count before taking shares, for a Dirichlet or Beta prior alpha.

    "bayes" alpha (the posterior mean), "map" alpha − 1 (the posterior mode), "ml" 0 (the raw ratio).
    """
    known = {"bayes": alpha, "map": alpha - 1.0, "ml": 0.0}
    if estimate not in known:
        raise ValueError(f"estimate must be one of 'bayes', 'map', 'ml', got {estimate!r}")
    return known[estimate]


def check_prior(name: str, value: Any) -> None:
    """A Dirichlet or Beta parameter is a finite number ≥ 0 (0: no prior, the raw ratio)."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not 0.0 <= value < np.inf:
        raise ValueError(f"{name} must be a finite number ≥ 0, got {value!r}")


class Optimum(NamedTuple):
    """How far shares φ are from the best ones: the primal, its Lagrangian dual, the stationarity violated."""

    primal: float
    dual: float
    violation: float

    def __add__(self, other: object) -> Optimum:
        if not isinstance(other, Optimum):
            return NotImplemented
        return Optimum(self.primal + other.primal, self.dual + other.dual, max(self.violation, other.violation))


def share_optimum(a: Floats, phi: Floats) -> Optimum:
    """Judge φ (…, K) as a solution of   min_φ −Σ_k a_k log φ_k   subject to Σ_k φ_k = 1,   a ≥ 0.

    The Lagrangian is smallest at φ_k = a_k / λ, and its best multiplier is λ = A = Σ_k a_k, so the dual is
    A log A − Σ_k a_k log a_k, found from the counts alone; a dual above the primal is rounding and is cut.
    Violation: max_k |a_k − A φ_k| / max(1, A).
    """
    A = a.sum(axis=-1, keepdims=True)
    primal = -weighted_log(a, phi)
    dual = weighted_log(A, A) - weighted_log(a, a)
    violation = float((np.abs(a - A * phi) / np.maximum(1.0, A)).max(initial=0.0))
    return Optimum(primal, min(primal, dual), violation)
