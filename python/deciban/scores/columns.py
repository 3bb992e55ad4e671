"""Scores that add: each part sees its own columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import Rows

from .affine import AffineScore
from .evidence import Floats, Score, Terms

Part = tuple[NDArray[np.intp], Score]


@dataclass(frozen=True, eq=False)
class ColumnScore(Score):
    """A sum of scores of groups of columns, score(x) = prior + Σ_parts part(x[columns]).

    Independent groups of features of several types compile to it.

    Parameters
    ----------
    prior : ndarray of shape (n_classes,)
        Log prior probabilities, in nats.
    parts : tuple of (ndarray of int, Score)
        Columns, and the score of them, with prior 0.

    Examples
    --------
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

    def terms(self, row: Rows, label: int, against: int) -> Terms:
        row = row.tocsr() if hasattr(row, "tocsr") else np.asarray(row)
        row = row.reshape(1, -1)
        found = [(columns, part.terms(row[:, columns], label, against)) for columns, part in self.parts]
        feature = np.concatenate([columns[terms.feature] for columns, terms in found])
        order = np.argsort(feature, kind="stable")
        x = np.concatenate([terms.x for _, terms in found])
        evidence = np.concatenate([terms.evidence for _, terms in found])
        return Terms(feature[order], x[order], evidence[order])


def join_scores(prior: Floats, parts: Sequence[Part], d: int) -> Score:
    """Join the scores of groups of columns to one score.

    Parameters
    ----------
    prior : ndarray of shape (n_classes,)
        Log prior probabilities, in nats.
    parts : sequence of (ndarray of int, Score)
        Columns, and the score of them, with prior 0.
    d : int
        Number of columns.

    Returns
    -------
    Score
        One `AffineScore` where all parts are affine and leave no column out, else a `ColumnScore`.

    Examples
    --------
    >>> half = AffineScore(np.array([[1.0, 0.0]]), np.zeros(2))
    >>> join_scores(np.zeros(2), [(np.array([0]), half), (np.array([1]), half)], 2).W.tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    affine = [(columns, part) for columns, part in parts if isinstance(part, AffineScore)]
    if len(affine) < len(parts) or sum(len(columns) for columns, _ in parts) < d:
        return ColumnScore(prior, tuple(parts))
    W, absent = np.zeros((d, len(prior))), np.zeros((d, len(prior)))
    for columns, part in affine:
        W[columns] = part.W
        absent[columns] = 0.0 if part.absent is None else part.absent
    return AffineScore(W, prior, absent if absent.any() else None)
