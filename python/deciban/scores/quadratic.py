"""The score of joint Gaussians: a quadratic form of all features a class, or the logarithm of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban._core import squared_lengths
from deciban.data.rows import Rows
from deciban.lazy import cached_property

from .evidence import VOLUME, Floats, Score, Terms

# Beyond so many standard deviations the square would overflow; 10^140 of them say the same.
_FARTHEST = 1e140
# Numbers in a block of rows, which with its products stays in the cache.
_BLOCK = 2**20


@dataclass(frozen=True, eq=False)
class QuadraticScore(Score):
    """One multivariate normal or, with `freedom` ν, Student density a class; z = (x − mean_c) L_c / width_c.

        normal    score(x)_c = prior_c + constant_c − ½ ‖z‖²
        Student   score(x)_c = prior_c + constant_c − ½ (ν_c + r) log(1 + ‖z‖²/ν_c)

    prior, constant, width and freedom are (C,), mean is (C, d), factors (C, d, r) or, shared by all classes, (1, d, r),
    with L Lᵀ the inverse of the squared scale. ‖z‖ counts up to about 10^140, so that every finite x has a finite
    score. X is dense or sparse; a few rows at a time are made dense. Cost: N·d·r multiplications a factor.

    >>> score = QuadraticScore(np.zeros(2), np.array([[0.0], [1.0]]), np.ones((1, 1, 1)), np.zeros(2), np.ones(2))
    >>> score(np.array([[0.0]])).tolist()
    [[0.0, -0.5]]
    """

    prior: Floats
    mean: Floats
    factors: Floats
    constant: Floats
    width: Floats
    freedom: Floats | None = None

    def __call__(self, X: Any) -> Floats:
        """(N, C) scores in nats of X (N, d), dense or sparse."""
        score = np.empty((len(self.prior), X.shape[0]))
        done = 0
        for block in self._blocks(X):
            rows = slice(done, done + len(block))
            score[:, rows] = self._of_shared(block) if len(self.factors) == 1 else self._of_each(block)
            done += len(block)
        score /= np.square(self.width)[:, None]
        for c, square in enumerate(score):
            score[c] = self._density(square, c)
        score += self.prior[:, None]
        return score.T

    def terms(self, row: Rows, label: int, against: int) -> Terms:
        """Return evidence in nats of every feature that the model uses, for class `label` against class `against`.

        With δ = x − mean_c and the precision P = L Lᵀ/width², ‖z‖² = Σ_j δ_j (P δ)_j: the part of feature j shares
        each interaction of two features equally between them. A normal density has the evidence −½ δ_j (P δ)_j, a
        Student density the logarithm divided in proportion. What is left, the difference of the constants, is the
        `VOLUME` that the classes fill.
        """
        row = row.toarray() if hasattr(row, "toarray") else np.asarray(row)
        x = row.reshape(-1).astype(np.float64)
        evidence = self._shares(x, label) - self._shares(x, against)
        feature = np.flatnonzero(self.factors.any(axis=(0, 2)))
        volume = self.constant[label] - self.constant[against]
        if volume == 0.0:
            return Terms(feature, x[feature], evidence[feature])
        return Terms(np.append(feature, VOLUME), np.append(x[feature], 0.0), np.append(evidence[feature], volume))

    def _shares(self, x: Floats, c: int) -> Floats:
        """Return (d,) the parts of the density of class c, which sum to it less the constant."""
        L = self.factors[c if len(self.factors) > 1 else 0] / self.width[c]
        away = np.clip(x - self.mean[c], -self.farthest, self.farthest)
        square: Floats = away * (L @ (away @ L))
        whole = float(square.sum())
        if self.freedom is None:
            return -0.5 * square
        return square * ((self._density(np.array(whole), c) - self.constant[c]) / whole if whole > 0.0 else 0.0)

    def _density(self, square: Floats, c: int) -> Floats:
        if self.freedom is None:
            normal: Floats = self.constant[c] - 0.5 * square
            return normal
        nu = self.freedom[c]
        density: Floats = self.constant[c] - 0.5 * (nu + self.factors.shape[2]) * np.log1p(square / nu)
        return density

    def _of_each(self, block: Floats) -> Floats:
        """Return (C, b) ‖(x − mean_c) L_c‖²."""
        return squared_lengths(block, *map(np.ascontiguousarray, (self.mean, self.factors, self.farthest)))

    def _of_shared(self, block: Floats) -> Floats:
        """Return the same for one L, by which rows are multiplied once."""
        L, centre = self.factors[0], self.mean.mean(axis=0)
        every = np.clip(block - centre, -self.farthest, self.farthest) @ L
        own = (self.mean - centre) @ L
        return np.stack([np.square(every - each).sum(axis=1) for each in own])

    @cached_property
    def farthest(self) -> Floats:
        """(d,) how far from the mean a feature may lie so that ‖z‖ stays below 10^140."""
        largest = np.abs(self.factors).max(axis=(0, 2), initial=0.0)
        d, r = self.factors.shape[1:]
        farthest: Floats = _FARTHEST / (d * np.sqrt(max(1, r)) * np.where(largest > 0.0, largest, 1.0))
        return farthest

    def _blocks(self, X: Any) -> Iterator[Floats]:
        size = max(1, min(4096, _BLOCK // max(1, X.shape[1])))
        for i in range(0, X.shape[0], size):
            block = X[i : i + size]
            block = block.toarray() if hasattr(block, "toarray") else block
            yield np.ascontiguousarray(block, dtype=np.float64)
