"""Typed columns as the numbers of a linear model: standardised measurements, an indicator for each label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deciban.tables.columns import Columns

Floats = NDArray[np.float64]

# A coded row has one value a column; so many times as many features, and zeros are left out.
_SPARSE = 4


@dataclass(frozen=True, eq=False)
class Coding:
    """A row of d typed columns as one of D features.

        number, whole, truth    (x − mean) / deviation, of the rows learnt from;      missing: 0, as if it were the mean
        category of K labels    K features, 1 for the label and 0 for the others;     missing, or never learnt: all 0

    mean, deviation (d,): 0 and 1 for categories; the deviation of a column that does not vary is 1.

    >>> columns = Columns(("age", "job"), ("whole", "category"), (None, ("clerk", "judge")))
    >>> coding = Coding.of(columns, np.array([[30.0, 0.0], [50.0, 1.0]]))
    >>> coding(np.array([[60.0, 1.0], [np.nan, np.nan]])).tolist()
    [[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """

    columns: Columns
    mean: Floats
    deviation: Floats

    @classmethod
    def of(cls, columns: Columns, matrix: Floats) -> Self:
        """From the rows (N, d) to be learnt from, as `Columns.matrix` gives them."""
        mean, deviation = np.zeros(len(columns.names)), np.ones(len(columns.names))
        for j, known in enumerate(columns.categories):
            x = matrix[:, j][~np.isnan(matrix[:, j])]
            if known is None and len(x):
                largest = max(float(np.abs(x).max()), np.finfo(np.float64).tiny)
                mean[j] = largest * (x / largest).mean()  # squares of large numbers are beyond a float64
                spread = largest * float((x / largest - mean[j] / largest).std())
                deviation[j] = spread if spread > 0.0 else 1.0
        return cls(columns, mean, deviation)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """(d + 1,) the first feature of each column, and D."""
        widths = [1 if known is None else len(known) for known in self.columns.categories]
        return np.concatenate([[0], np.cumsum(widths)]).astype(np.intp)

    @property
    def labels(self) -> NDArray[np.bool_]:
        """(d,) which columns are categories."""
        return np.array([known is not None for known in self.columns.categories])

    def column(self, feature: int) -> int:
        """The column that a feature codes."""
        return int(np.searchsorted(self.starts, feature, side="right")) - 1

    def __call__(self, matrix: Floats) -> Any:
        """(N, D) float64, CSR where most of it is 0."""
        n, d = matrix.shape
        feature = np.tile(self.starts[:-1], (n, 1))
        value = np.empty((n, d))
        for j, known in enumerate(self.columns.categories):
            x = matrix[:, j]
            if known is None:
                with np.errstate(over="ignore"):
                    value[:, j] = np.clip(np.nan_to_num((x - self.mean[j]) / self.deviation[j]), -FARTHEST, FARTHEST)
            else:
                there = (x >= 0.0) & (x < len(known))
                value[:, j] = there
                feature[:, j] += np.where(there, x, 0.0).astype(np.intp)
        if self.width == d == self.columns.categories.count(None):
            return value
        rows = sparse.csr_array((value.ravel(), feature.ravel(), np.arange(0, n * d + 1, d)), shape=(n, self.width))
        rows.eliminate_zeros()
        return rows if self.width > _SPARSE * d else rows.toarray()

    @property
    def width(self) -> int:
        """D."""
        return int(self.starts[-1])


# Beyond so many deviations the squares of a model would overflow.
FARTHEST = 1e100
