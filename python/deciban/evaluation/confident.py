"""Confident learning: which labels are wrong, and how many, by probabilities of a model that did not learn them.

    t_j  = mean of p_j(x) over the examples labelled j               how sure the model is of class j
    ĵ(x) = argmax of p_j(x) over the classes with p_j(x) ≥ t_j       none, where it is sure of none
    C_ij = how many examples labelled i have ĵ = j                   the confident joint
    Q_ij = C_ij / Σ_j C_ij · n_i / n                                 its rows brought to the counts of the labels

Σ_{i≠j} Q_ij is the share of labels that are wrong, and the examples off the diagonal of C are the candidates.
Northcutt, Jiang & Chuang, Confident learning: estimating uncertainty in dataset labels, JAIR 70, 2021, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# A mean of equal numbers may be above them by what rounding adds.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class ConfidentJoint:
    """What N labels and probabilities say together, every example by its weight.

    thresholds  (C,) t_j
    counts      (C, C) C_ij: row i as labelled, column j as the model is sure of
    joint       (C, C) Q_ij, summing to 1
    sure        (N,) ĵ(x), −1 where the model is sure of no class
    """

    thresholds: Floats
    counts: Floats
    joint: Floats
    sure: NDArray[np.intp]

    @property
    def share(self) -> float:
        """The share of labels that are wrong."""
        return float(max(0.0, 1.0 - np.trace(self.joint)))


def confident_joint(y: NDArray[np.intp], p: Floats, weight: Floats) -> ConfidentJoint:
    """Of labels y (N,), indices of C classes that all occur, out-of-fold probabilities p (N, C) and weight (N,) > 0.

    A class that no example is surely of keeps its labels.

    >>> y, p = np.array([0, 0, 0, 1, 1]), np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.2, 0.8], [0.1, 0.9]])
    >>> found = confident_joint(y, p, np.ones(5))
    >>> found.thresholds.round(2).tolist(), found.counts.tolist()
    ([0.6, 0.85], [[2.0, 1.0], [0.0, 1.0]])
    >>> round(found.share, 2)
    0.2
    """
    N, C = p.shape
    own = p[np.arange(N), y]
    n = np.bincount(y, weight, minlength=C)
    thresholds = np.bincount(y, weight * own, minlength=C) / n
    reached = p >= thresholds - _ROUNDING
    sure = np.where(reached.any(axis=1), np.where(reached, p, -1.0).argmax(axis=1), -1)
    counts = np.zeros((C, C))
    np.add.at(counts, (y[sure >= 0], sure[sure >= 0]), weight[sure >= 0])
    rows = counts.sum(axis=1)
    believed = np.where(rows[:, None] > 0.0, counts, np.eye(C))
    joint = believed / believed.sum(axis=1, keepdims=True) * n[:, None] / n.sum()
    return ConfidentJoint(thresholds, counts, joint, sure)
