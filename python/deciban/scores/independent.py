"""The score of features that are independent and continuous: normal or Student densities, one a feature and class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban._core import gaussian_scores, student_scores
from deciban.data.rows import Rows, for_core

from .evidence import Floats, Score, Terms

# Beyond so many standard deviations the square would overflow; 10^140 of them say the same.
FARTHEST = 1e140


@dataclass(frozen=True, eq=False)
class IndependentScore(Score):
    """A sum of normal or Student log densities, Σ_j log p(x_j | c), one for each feature and class.

        normal    log p(x_j | c) = constant_cj − ½ z²,                        z = (x_j − location_cj) · scale_cj
        Student   log p(x_j | c) = constant_cj − ½ (ν_cj + 1) log(1 + z²/ν_cj)

    A missing feature, NaN, is left out: that is its exact marginal. |z| counts up to 10^140, so that every finite x has
    a finite score. The cost is N·d·C evaluations; of a sparse X only the values that are not 0.

    Parameters
    ----------
    prior : ndarray of shape (n_classes,)
        Log prior probabilities, in nats.
    location : ndarray of shape (n_classes, n_features)
        Means.
    scale : ndarray of shape (n_classes, n_features)
        Inverse standard deviations 1/σ; 0 is a feature without evidence.
    constant : ndarray of shape (n_classes, n_features)
        Log densities at the mean, in nats.
    freedom : ndarray of shape (n_classes, n_features), optional
        Degrees of freedom ν of Student densities; None for normal ones.

    Examples
    --------
    >>> score = IndependentScore(np.zeros(2), np.array([[0.0], [1.0]]), np.ones((2, 1)), np.zeros((2, 1)))
    >>> score(np.array([[0.0], [np.nan]])).tolist()
    [[0.0, -0.5], [0.0, 0.0]]
    """

    prior: Floats
    location: Floats
    scale: Floats
    constant: Floats
    freedom: Floats | None = None

    def __call__(self, X: Any) -> Floats:
        """(N, C) scores in nats of X (N, d), dense or sparse."""
        rows = for_core(X)
        if self.freedom is None:
            score = gaussian_scores(rows, self.location, self.scale, self.constant)
        else:
            score = student_scores(rows, self.location, self.scale, self.freedom, self.constant)
        result: Floats = score + self.prior
        return result

    def terms(self, row: Rows, label: int, against: int) -> Terms:
        row = row.toarray() if hasattr(row, "toarray") else np.asarray(row)
        x = row.reshape(-1).astype(np.float64)
        feature = np.flatnonzero(~np.isnan(x))
        x = x[feature]
        return Terms(feature, x, self._density(feature, x, label) - self._density(feature, x, against))

    def _density(self, j: Any, x: Floats, c: int) -> Floats:
        z = np.clip((x - self.location[c, j]) * self.scale[c, j], -FARTHEST, FARTHEST)
        if self.freedom is None:
            result: Floats = self.constant[c, j] - 0.5 * z**2
        else:
            nu = self.freedom[c, j]
            result = self.constant[c, j] - 0.5 * (nu + 1.0) * np.log1p(z**2 / nu)
        return result
