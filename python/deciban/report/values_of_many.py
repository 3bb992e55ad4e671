"""What the values of very many columns say, each with all else missing, without a row for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..table_models.naive_bayes import BayesTable
from ..table_models.table_model import TableModel

Floats = NDArray[np.float64]


class Said(NamedTuple):
    """Of values (m,) of columns: the column, which of its probes each is, and what it says for each class, in nats."""

    column: NDArray[np.intp]
    probe: int
    nats: Floats


def said_of_columns(model: TableModel) -> Iterator[Said]:
    """What the first probe of each column says, then what the second does, and so on.

    The nats (m, C) of a value are up to a number that is the same for all classes.
    """
    d = len(model.columns.names)
    rows: list[Floats] = []
    for j in range(d):
        for k, (_, x) in enumerate(model.probes(j)):
            if k == len(rows):
                rows.append(np.full((1, d), np.nan))
            rows[k][0, j] = x
    for k, row in enumerate(rows):
        yield _by_terms(model, row, k) if isinstance(model, BayesTable) else _by_features(model, row, k)


def _by_terms(model: TableModel, row: Floats, k: int) -> Said:
    """Of a score that is a sum over the columns: its terms."""
    features, C, d = model.features(row), len(model.classes), row.shape[1]
    nats = np.zeros((d, C))
    for c in range(1, C):
        found = model.score.terms(features, c, 0)
        column = found.feature[found.feature >= 0]
        np.add.at(nats[:, c], column, found.evidence[found.feature >= 0])
    there = np.flatnonzero(~np.isnan(row[0]))
    return Said(there, k, nats[there])


def _by_features(model: TableModel, row: Floats, k: int) -> Said:
    """Of a score over features that are 0 where a column is missing: one row a feature."""
    features = sparse.csr_array(model.features(row))
    features.eliminate_zeros()
    m, D = len(features.data), features.shape[1]
    rows = sparse.csr_array((features.data, features.indices, np.arange(m + 1)), shape=(m, D))
    nats = model.score(rows) - model.score(sparse.csr_array((1, D)))
    column = np.asarray(model.column(features.indices), dtype=np.intp)
    return Said(column, k, np.asarray(nats))
