"""A table of how often each value of each feature comes with each class: tables of parts of the data add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban._core import information
from deciban.data.labels import union

from .information import Floats


@dataclass(frozen=True, eq=False)
class ValueTable:
    """Weights of the values of d features by class; what is not listed is 0.

    n (C,) weight of each of the sorted `labels`; entry k says that the value `values[k]` ≠ 0 of feature `features[k]`
    comes with class `classes[k]` with the weight `weights[k]`. Entries are sorted by feature, value and class.
    """

    d: int
    labels: NDArray[Any]
    n: Floats
    features: NDArray[np.int64]
    values: Floats
    classes: NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(cls, X: Any, y: NDArray[np.intp], weight: Floats | None, labels: NDArray[Any]) -> ValueTable:
        """Return the table of X (N, d), dense or CSR, and y (N,) indices into labels."""
        from scipy.sparse import csr_array

        rows = csr_array(X)
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        weight = np.ones(len(y)) if weight is None else weight
        row = np.repeat(np.arange(len(y)), np.diff(rows.indptr))
        n = np.bincount(y, weight, minlength=len(labels)).astype(np.float64)
        values = rows.data.astype(np.float64)
        there = values != 0.0
        found = (rows.indices[there], values[there], y[row][there], weight[row][there])
        return cls(rows.shape[1], labels, n, *_group(*found))

    def __add__(self, other: ValueTable) -> ValueTable:
        labels = np.array(union(self.labels.tolist(), other.labels.tolist()))
        mine, theirs = (np.searchsorted(labels, each.labels) for each in (self, other))
        n = np.zeros(len(labels))
        n[mine] += self.n
        n[theirs] += other.n
        joined = [
            np.concatenate(pair)
            for pair in (
                (self.features, other.features),
                (self.values, other.values),
                (mine[self.classes], theirs[other.classes]),
                (self.weights, other.weights),
            )
        ]
        return ValueTable(self.d, labels, n, *_group(*joined))

    def information(self) -> Floats:
        """Return (d,) the mutual information of each feature and the class, in nats."""
        C, told = len(self.n), np.zeros(self.d)
        ends = np.searchsorted(self.features, np.arange(self.d + 1))
        seen = np.flatnonzero(self.n)
        for j in np.flatnonzero(np.diff(ends)).tolist():
            here = slice(int(ends[j]), int(ends[j + 1]))
            absent = self.n - np.bincount(self.classes[here], self.weights[here], minlength=C)
            x = np.concatenate([self.values[here], np.zeros(len(seen))])[:, None]
            y = np.concatenate([self.classes[here], seen]).astype(np.intp)
            weight = np.concatenate([self.weights[here], np.maximum(absent[seen], 0.0)])
            told[j] = information(x, y, weight, C)[0]
        return told


def _group(features: Any, values: Any, classes: Any, weights: Any) -> tuple[Any, Any, Any, Any]:
    """Return each place once, in order, with the sum of its weights."""
    order = np.lexsort((classes, values, features))
    features, values, classes, weights = (each[order] for each in (features, values, classes, weights))
    if not len(order):
        return features.astype(np.int64), values, classes.astype(np.int64), weights
    new = (np.diff(features) != 0) | (np.diff(values) != 0.0) | (np.diff(classes) != 0)
    first = np.concatenate([[0], np.flatnonzero(new) + 1])
    return (
        features[first].astype(np.int64),
        values[first],
        classes[first].astype(np.int64),
        np.add.reduceat(weights, first),
    )
