"""How much a word counts before anything is learnt, and how long an item is then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from .._core import combination
from ..data.rows import for_core
from ..features import tfidf
from ..scores import AffineScore

if TYPE_CHECKING:
    from scipy import sparse

Floats = NDArray[np.float64]

# What the word that is in every item counts beside the mean length of items: without it a model of one frequent and
# some rare classes has nothing to say how frequent they are, and of 1 it outweighs the words of short items.
EVERYWHERE = 0.2


@dataclass(frozen=True, eq=False)
class Weighing:
    """How words become the features that a linear model learns from, and how its weights become those of words.

    idf       (d,) what each word is multiplied by; None: words count as they come
    constant  the word that is in every item, (d + 1); 0 where there is none, and the model has an intercept
    length    the quadratic mean of the lengths of items, by which rows are divided, or with a constant their scores
    """

    idf: Floats | None = None
    constant: float = 0.0
    length: float = 1.0

    @classmethod
    def of(cls, weighting: str, n: float, present: Floats, squares: Floats) -> Self:
        """Return the weighing of n items, `present` (d,) of which have each word, whose occurrences in an item have
        the sum of squares `squares` (d,)."""
        if weighting == "none":
            return cls()
        idf = _idf(n, present)
        if weighting == "idf":
            mean = float(squares @ np.square(idf) / n)
            return cls(idf, length=_round(np.sqrt(mean)) if mean > 0.0 else 1.0)
        idf = _steepen(idf)
        mean = float(squares @ np.square(idf) / n)
        # To three digits, so that weights and repetitions, which round otherwise, have the same rows.
        constant = float(f"{EVERYWHERE * np.sqrt(mean):.3g}") or 1.0
        return cls(idf, constant, _round(np.sqrt(mean + constant**2)))

    def rows(self, X: sparse.csr_array) -> sparse.csr_array:
        """Return the rows X (N, d) weighed; X is changed."""
        if self.idf is None:
            return X
        if not self.constant:
            return scale_words(X, self.idf / self.length)
        return directions(_with_last(X, self.constant), np.append(self.idf, 1.0))

    def stretch(self, rows: sparse.csr_array) -> Floats | None:
        """Return (N,) how many times as large the score of an item is when judged than when learnt, of rows that were
        weighed; None: equal."""
        if not self.constant:
            return None
        stretch: Floats = self.constant / rows.data[rows.indptr[1:] - 1] / self.length
        return stretch

    @property
    def scale(self) -> Floats | None:
        """(d,) what the weight of each word is multiplied by; None: 1."""
        return None if self.idf is None else self.idf / self.length

    def of_words(self, score: AffineScore) -> tuple[Floats, Floats]:
        """Return (d, C) weights and (C,) prior of what was learnt, for words as they come."""
        if self.idf is None:
            return score.W, score.prior
        W = (self.idf / self.length)[:, None] * score.W[: len(self.idf)]
        return W, score.prior + (self.constant / self.length) * score.W[-1] if self.constant else score.prior


def weigh(weighting: str, X: sparse.csr_array, weight: Floats | None) -> tuple[Weighing, sparse.csr_array]:
    """Return how the rows X (N, d) of items of `weight` (N,), None for 1 each, are weighed, as `text.linear.Linear`
    says, and the weighed rows. X is changed."""
    if weighting == "none":
        return Weighing(), X
    found = Weighing.of(weighting, *word_sums(X, weight))
    return found, found.rows(X)


def mark_words(rows: sparse.csr_array) -> sparse.csr_array:
    """Return which words rows have, weighed or not, (N, d) of bools: it tells equal items from others on whatever
    processor they were weighed, of which the last digits of idf are not the same."""
    return type(rows)((np.ones(len(rows.data), dtype=np.bool_), rows.indices, rows.indptr), shape=rows.shape)


def word_sums(X: sparse.csr_array, weight: Floats | None) -> tuple[float, Floats, Floats]:
    """Return how many items X (N, d) has, how many have each word (d,), and the sums of its squares in them (d,)."""
    weight = np.ones(X.shape[0]) if weight is None else weight
    n, sums = float(weight.sum()), _sums_of_words(X, weight)
    if (X.data == 1.0).all():
        return n, sums, sums
    return n, _sums_of_words(X > 0.0, weight), _sums_of_words(X.power(2), weight)


def rarity(X: sparse.csr_array, weight: Floats) -> Floats:
    """Return (d,) idf^(3/2) of each word in the items X (N, d) of `weight` (N,)."""
    return _steepen(_idf(float(weight.sum()), _sums_of_words(X > 0.0, weight)))


def _steepen(idf: Floats) -> Floats:
    """Return (d,) idf^(3/2): between idf, by which TfidfVectorizer multiplies, and idf², by which the product of two of
    its rows does."""
    return idf * np.sqrt(idf)  # whose digits are the same on all processors, which those of a power are not


def _sums_of_words(X: Any, weight: Floats) -> Floats:
    """Return (d,) Xᵀ·weight, on all cores."""
    found: Floats = combination(for_core(X.astype(np.float64, copy=False)), np.ascontiguousarray(weight)[:, None])[0]
    return found


def _idf(n: float, present: Floats) -> Floats:
    """Return (d,) 1 + ln((1 + n)/(1 + n_j)) of words in n_j of n items (Spärck Jones 1972)."""
    idf: Floats = _round(1.0 + np.log((1.0 + n) / (1.0 + present)))
    return idf


def _round(values: Any) -> Any:
    """Return values to 24 bits: of logarithms and sums of products the last of 53 differ between processors, and with
    them would what is learnt, down to which items are held out for calibration."""
    return np.float64(np.float32(values))


def scale_words(X: sparse.csr_array, scale: Floats) -> sparse.csr_array:
    """Return the rows X (N, d), each word times its scale (d,). X is changed."""
    return tfidf.weigh(X, scale)


def directions(X: sparse.csr_array, scale: Floats) -> sparse.csr_array:
    """Return the rows X (N, d), each word times its scale (d,), divided by their lengths; empty rows stay. X is
    changed."""
    return tfidf.weigh(X, scale, norm="l2")


def _with_last(X: sparse.csr_array, constant: float) -> sparse.csr_array:
    """Return X (N, d) with a last column of a constant, (N, d + 1)."""
    N, d = X.shape
    indptr = X.indptr + np.arange(N + 1, dtype=X.indptr.dtype)
    last = indptr[1:] - 1
    words = np.ones(len(X.data) + N, dtype=np.bool_)
    words[last] = False
    data, indices = np.full(len(words), constant), np.full(len(words), d, dtype=X.indices.dtype)
    data[words], indices[words] = X.data, X.indices
    return type(X)((data, indices, indptr), shape=(N, d + 1))
