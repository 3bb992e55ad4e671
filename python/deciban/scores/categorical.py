"""The score of categories: a table to look up, which is the affine form over one-hot features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import Rows
from deciban.lazy import cached_property

from .affine import AffineScore
from .evidence import Floats, Score, Terms

# Rows that are scored together: their codes and scores stay in the cache.
_ROWS = 4096


@dataclass(frozen=True, eq=False)
class CategoricalScore(Score):
    """A score of categories, score(x)_c = prior_c + Σ_j table[offset_j + x_j, c].

    Feature j has the codes 0 … K_j − 1, and any code from K_j on is a category that was not in the training data. A
    missing feature, NaN, is left out: that is its exact marginal. Over the one-hot form of x this is an affine score.
    The cost is a look-up per feature and row; of a sparse X only the values that are not 0.

    Parameters
    ----------
    prior : ndarray of shape (n_classes,)
        Log prior probabilities, in nats.
    table : ndarray of shape (Σ_j (K_j + 1), n_classes)
        Log probabilities of the categories, in nats; the last row of each feature is for new categories.
    offsets : ndarray of int of shape (n_features + 1,)
        First row of each feature.

    Examples
    --------
    >>> score = CategoricalScore(np.zeros(1), np.log([[0.5], [0.25], [0.25]]), np.array([0, 3]))
    >>> np.exp(score(np.array([[0.0], [1.0], [9.0], [np.nan]]))).round(2).ravel().tolist()
    [0.5, 0.25, 0.25, 1.0]
    """

    prior: Floats
    table: Floats
    offsets: NDArray[np.intp]

    def statistic(self, X: Any) -> Any:
        """Return the one-hot form of X; a missing feature has no entry.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Codes, dense.

        Returns
        -------
        csr_array of shape (n_samples, Σ_j (K_j + 1))
            Ones at the rows of `table`.
        """
        from scipy import sparse

        places, known = self._places(np.asarray(X, dtype=np.float64), np.arange(X.shape[1]))
        ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        return sparse.csr_array((np.ones(int(ends[-1])), places[known], ends), shape=(len(X), len(self.table)))

    @property
    def affine(self) -> AffineScore:
        """The same score over T(x)."""
        return AffineScore(self.table, self.prior)

    def __call__(self, X: Any) -> Floats:
        """(N, C) scores in nats of X (N, d), dense or sparse."""
        if hasattr(X, "tocsr"):
            return self._of_sparse(X.tocsr())
        return np.concatenate([self._of_block(X[i : i + _ROWS]) for i in range(0, max(1, len(X)), _ROWS)])

    def _of_block(self, X: Any) -> Floats:
        # Missing codes look up a row of zeros behind the table.
        table = np.vstack([self.table, np.zeros(len(self.prior))])
        score = np.tile(self.prior, (len(X), 1))
        places, known = self._places(np.asarray(X, dtype=np.float64), np.arange(X.shape[1]))
        places[~known] = len(self.table)
        for column in places.T:
            score += table[column]
        return score

    def _of_sparse(self, X: Any) -> Floats:
        from scipy import sparse

        places, known = self._places(X.data, X.indices)
        zero, indptr = self.offsets[X.indices], X.indptr
        shape = (X.shape[0], len(self.table))
        found = sparse.csr_array((known.astype(np.float64), np.where(known, places, 0), indptr), shape=shape)
        instead = sparse.csr_array((np.ones(len(zero)), zero, indptr), shape=shape)
        score = AffineScore(self.table, np.zeros(len(self.prior)))
        replaced = AffineScore(np.where(np.isfinite(self.table), self.table, 0.0), np.zeros(len(self.prior)))
        if not np.isfinite(self._of_zeros).all():
            return self._of_block(X.toarray())  # a code 0 that is impossible cannot be taken back by subtraction
        result: Floats = self.prior + self._of_zeros + score(found) - replaced(instead)
        return result

    @cached_property
    def _of_zeros(self) -> Floats:
        result: Floats = self.table[self.offsets[:-1]].sum(axis=0)
        return result

    def _places(self, codes: Floats, feature: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return rows of the table for codes of the given features, and which of the codes are not missing."""
        known = ~np.isnan(codes)
        K = np.diff(self.offsets)[feature] - 1
        places = self.offsets[feature] + np.minimum(np.where(known, codes, 0.0), K).astype(np.intp)
        return places, known

    def terms(self, row: Rows, label: int, against: int) -> Terms:
        row = row.toarray() if hasattr(row, "toarray") else np.asarray(row)
        x = row.reshape(-1).astype(np.float64)
        places, known = self._places(x, np.arange(len(x)))
        place = places[known]
        evidence = self.table[place, label] - self.table[place, against]
        return Terms(np.flatnonzero(known), x[known], evidence)
