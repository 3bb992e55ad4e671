"""Scores that add: each part sees its own columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .affine import AffineScore
from .evidence import Floats, Score, Terms

Part = tuple[NDArray[np.intp], Score]


@dataclass(frozen=True, eq=False)
class ColumnScore(Score):
    """score(x) = prior + Σ_parts part(x[columns]): what independent groups of features of several kinds compile to.

    `parts` are (columns, score) with prior 0 each.

    >>> half = AffineScore(np.array([[1.0, 0.0]]), np.zeros(2))
    >>> ColumnScore(np.zeros(2), ((np.array([0]), half), (np.array([1]), half)))(np.array([[1.0, 2.0]])).tolist()
    [[3.0, 0.0]]
    """

    prior: Floats
    parts: tuple[Part, ...]

    def __call__(self, X: Any) -> Floats:
        """(N, C) scores in nats of X (N, d), dense or sparse."""
        score = np.tile(self.prior, (X.shape[0], 1))
        for columns, part in self.parts:
            score += part(X[:, columns])
        return score

    def terms(self, row: Any, label: int, against: int) -> Terms:
        """The evidence of all parts, by ascending feature."""
        row = row.tocsr() if hasattr(row, "tocsr") else np.asarray(row)
        row = row.reshape(1, -1)
        found = [(columns, part.terms(row[:, columns], label, against)) for columns, part in self.parts]
        feature = np.concatenate([columns[terms.feature] for columns, terms in found])
        order = np.argsort(feature, kind="stable")
        x = np.concatenate([terms.x for _, terms in found])
        evidence = np.concatenate([terms.evidence for _, terms in found])
        return Terms(feature[order], x[order], evidence[order])


def joined(prior: Floats, parts: Sequence[Part], d: int) -> Score:
    """One score of rows of d columns; one `AffineScore` where all parts are affine and leave no column out."""
    affine = [(columns, part) for columns, part in parts if isinstance(part, AffineScore)]
    if len(affine) < len(parts) or sum(len(columns) for columns, _ in parts) < d:
        return ColumnScore(prior, tuple(parts))
    W, absent = np.zeros((d, len(prior))), np.zeros((d, len(prior)))
    for columns, part in affine:
        W[columns] = part.W
        absent[columns] = 0.0 if part.absent is None else part.absent
    return AffineScore(W, prior, absent if absent.any() else None)
