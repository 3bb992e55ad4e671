"""The score of features that are independent and continuous: normal or Student densities, one a feature and class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban._core import gaussian_scores, student_scores
from deciban.data.rows import for_core

from .evidence import Floats, Score, Terms

# Beyond so many standard deviations the square would overflow; 10^140 of them say the same.
_FARTHEST = 1e140


@dataclass(frozen=True, eq=False)
class IndependentScore(Score):
    """Σ_j log p(x_j | c) with one normal or, where `freedom` ν is given, Student density a feature and class.

        normal    log p(x_j | c) = constant_cj − ½ z²,                        z = (x_j − location_cj) · scale_cj
        Student   log p(x_j | c) = constant_cj − ½ (ν_cj + 1) log(1 + z²/ν_cj)

    location, scale (1/σ), constant and freedom are (C, d), prior is (C,). A scale of 0 is a feature without evidence.
    A missing feature, NaN, is left out: that is its exact marginal. |z| counts up to 10^140, so that every finite x
    has a finite score. Cost: N·d·C evaluations; of a sparse X only the nonzeros.

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

    def terms(self, row: Any, label: int, against: int) -> Terms:
        """Evidence of every feature that is not missing, in nats, for class `label` against class `against`."""
        row = row.toarray() if hasattr(row, "toarray") else np.asarray(row)
        x = row.reshape(-1).astype(np.float64)
        feature = np.flatnonzero(~np.isnan(x))
        x = x[feature]
        return Terms(feature, x, self._density(feature, x, label) - self._density(feature, x, against))

    def _density(self, j: Any, x: Floats, c: int) -> Floats:
        z = np.clip((x - self.location[c, j]) * self.scale[c, j], -_FARTHEST, _FARTHEST)
        if self.freedom is None:
            result: Floats = self.constant[c, j] - 0.5 * z**2
        else:
            nu = self.freedom[c, j]
            result = self.constant[c, j] - 0.5 * (nu + 1.0) * np.log1p(z**2 / nu)
        return result
