"""How much a word counts before anything is learnt, and how long an item is then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..scores import AffineScore

if TYPE_CHECKING:
    from ..calibration.scaling import Scaling
    from ..certificates.bound import Probabilities
    from ..data.folds import Places

Floats = NDArray[np.float64]

# Between idf, by which TfidfVectorizer multiplies, and idf², by which the product of two of its rows does.
STEEPER = 1.5


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
    """Return every row with the word that is in every item, whose idf is 1, divided by its length.

    A score without an intercept has the sign, and of many the largest the place, that it has before the division: the
    model judges words as they come, divided by one length, the quadratic mean, for all.
    """
    X.data *= idf[X.indices]
    length = np.sqrt(X.power(2).sum(axis=1) + 1.0)
    rows = sparse.csr_array(sparse.hstack([X, np.ones((X.shape[0], 1))], format="csr"))
    rows.data /= np.repeat(length, np.diff(rows.indptr))
    mean = float(np.sqrt(weight @ np.square(length) / weight.sum()))
    return Weighed(rows, idf / mean, 1.0 / mean, length / mean)


def scaling_as_judged(
    model: Any, weighed: Weighed, y: NDArray[np.intp], weight: Floats | None, seed: int
) -> tuple[Scaling | None, Probabilities]:
    """Return the line that makes scores of the fitted `model` log-odds, by out-of-fold scores of items as they are
    judged, and how it came about.

    A penalty makes scores too small, words that are not independent make them too large, and one that is stretched by
    the length of its item is no log-odds any more, whatever was minimised.
    """
    from sklearn.base import clone  # a second, which only those wait for who learn

    from ..calibration.out_of_fold import OutOfFold, count_folds, enough
    from ..calibration.temperature import loss_of_scores
    from ..certificates.bound import Probabilities
    from ..data.folds import folds, splits_of
    from ..solvers import Status

    again, weight = clone(model), np.ones(len(y)) if weight is None else weight
    stretch = np.ones(len(y)) if weighed.stretch is None else weighed.stretch
    if not model.status_.finished:  # whoever stopped it does not wait for longer fits of the folds
        again.set_params(max_iter=int(model.n_iter_.max()))

    def fit_and_score(inside: Places, outside: Places) -> tuple[Floats, bool]:
        again.fit(weighed.rows[inside], y[inside], weight[inside])
        s = again.decision_function(weighed.rows[outside]).reshape(len(outside), -1)
        return s * stretch[outside, None], again.status_ is Status.INTERRUPTED

    k = count_folds(len(y))
    splits = enough(splits_of(folds(weighed.rows, k, seed), k))
    held = OutOfFold.collect(splits, y, weight, len(model.classes_), fit_and_score)
    line = held.scaling()
    if line is None:
        return None, Probabilities("none: scores are taken as log-odds")
    s = np.hstack([np.zeros_like(held.scores), held.scores]) if held.scores.shape[1] == 1 else held.scores
    return line, Probabilities(f"a line, on {k} folds", loss_of_scores(line(s), held.y, held.weight))
