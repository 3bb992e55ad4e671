"""How much a word counts before anything is learnt, and how long an item is then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..scores import AffineScore

if TYPE_CHECKING:
    from scipy import sparse

Floats = NDArray[np.float64]

# Between idf, by which TfidfVectorizer multiplies, and idf², by which the product of two of its rows does.
STEEPER = 1.5
# What the word that is in every item counts beside the mean length of items: without it a model of one frequent and
# some rare classes has nothing to say how frequent they are, and of 1 it outweighs the words of short items.
EVERYWHERE = 0.2


@dataclass(frozen=True, eq=False)
class Weighed:
    """Rows as a linear model learns them, and how its weights become those of the words.

    rows      CSR (N, d); or (N, d + 1), where the last column is the word that is in every item
    scale     (d,) what the weight of each word is multiplied by
    constant  the same of the word that is in every item; 0 where there is none, and the model has an intercept
    stretch   (N,) how many times as large the score of an item is when judged than when learnt; None: equal
    """

    rows: sparse.csr_array
    scale: Floats
    constant: float = 0.0
    stretch: Floats | None = None

    def of_words(self, score: AffineScore) -> tuple[Floats, Floats]:
        """Return (d, C) weights and (C,) prior of what was learnt, for words as they come."""
        W = self.scale[:, None] * score.W[: len(self.scale)]
        return W, score.prior + self.constant * score.W[-1] if self.constant else score.prior


def weigh(weighting: str, X: sparse.csr_array, weight: Floats | None) -> Weighed:
    """Return the rows X (N, d) of items of `weight` (N,), None for 1 each, weighed as `text.linear.Linear` says."""
    if weighting == "none":
        return Weighed(X, np.ones(X.shape[1]))
    weight = np.ones(X.shape[0]) if weight is None else weight
    idf = rarity(X, weight)
    if weighting == "unit-idf":
        return _of_length_one(X, weight, idf**STEEPER)
    mean = float((weight @ X.power(2)) @ np.square(idf) / weight.sum())
    scale = idf / np.sqrt(mean) if mean > 0.0 else idf
    X.data *= scale[X.indices]
    return Weighed(X, scale)


def rarity(X: sparse.csr_array, weight: Floats) -> Floats:
    """Return (d,) 1 + ln((1 + N)/(1 + n_j)) of a word in n_j of N items (Spärck Jones 1972)."""
    idf: Floats = 1.0 + np.log((1.0 + weight.sum()) / (1.0 + weight @ (X > 0.0)))
    return idf


def scale_words(X: sparse.csr_array, scale: Floats) -> sparse.csr_array:
    """Return the rows X (N, d), each word times its scale (d,). X is changed."""
    X.data *= scale[X.indices]
    return X


def directions(X: sparse.csr_array, scale: Floats) -> sparse.csr_array:
    """Return the rows X (N, d), each word times its scale (d,), divided by their lengths; empty rows stay. X is
    changed."""
    X = scale_words(X, scale)
    length = np.sqrt(X.power(2).sum(axis=1))
    X.data /= np.repeat(np.where(length > 0.0, length, 1.0), np.diff(X.indptr))
    return X


def _of_length_one(X: sparse.csr_array, weight: Floats, idf: Floats) -> Weighed:
    """Return every row with the word that is in every item, divided by its length.

    A score without an intercept has the sign, and of many the largest the place, that it has before the division: the
    model judges words as they come, divided by one length, the quadratic mean, for all.
    """
    X.data *= idf[X.indices]
    squared = X.power(2).sum(axis=1)
    # To three digits, so that weights and repetitions, which round otherwise, have the same rows.
    constant = float(f"{EVERYWHERE * np.sqrt(weight @ squared / weight.sum()):.3g}") or 1.0
    length = np.sqrt(squared + constant**2)
    rows = _with_last(X, constant)
    rows.data /= np.repeat(length, np.diff(rows.indptr))
    mean = float(np.sqrt(weight @ np.square(length) / weight.sum()))
    return Weighed(rows, idf / mean, constant / mean, length / mean)


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
