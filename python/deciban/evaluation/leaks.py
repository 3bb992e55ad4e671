"""Columns of a table that alone tell the class: mostly another form of the label, or known only after it.

A column is judged by itself on each row by the other rows: the class that most of those with the same value have, or of
a number three of the four next to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import is_sparse

from ..certificates.intervals import upper_limit
from ..table_models.table_model import Rows

ALLOWED = 0.01
"""A column leaks only if its error is at most so large, with a confidence of 97.5 %, and"""
TIMES = 5.0
"""if it is so many times smaller than that of every column that does not."""
_FEW, _MOST = 1_000, 20_000  # rows: by the first a column is given up, by the second it is judged
_FEWEST = 64  # values that are told apart as numbers are
Integers = NDArray[np.intp]


@dataclass(frozen=True)
class Leak:
    """A column that alone tells the class: its errors on n rows, and the error of the best column that does not."""

    name: str
    errors: int
    n: int
    rest: float

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return {"column": self.name, "errors": self.errors, "n": self.n, "rest": self.rest}


def find_leaks(rows: Rows) -> list[Leak]:
    """Return the columns of labelled rows that alone tell the class, the best first.

    Parameters
    ----------
    rows : Rows
        The rows. Of more than 20,000 as many are taken, at even steps.

    Returns
    -------
    list of Leak
        The columns.
    """
    few, many = _some(rows, _FEW), _some(rows, _MOST)
    majority = 1.0 - np.bincount(rows.y).max() / len(rows)
    names = rows.columns.names
    told = [rows.columns.kinds[j] in ("category", "truth") for j in range(len(names))]
    first = _errors(few[0], few[1], range(len(names)), told)
    hopeful = [j for j in range(len(names)) if first[j] <= 5.0 * ALLOWED * len(few[1])]
    n = len(many[1])
    errors = dict(zip(hopeful, _errors(many[0], many[1], hopeful, told), strict=True))
    leaking = [j for j in hopeful if upper_limit(errors[j], n, 0.025) <= ALLOWED]
    others = [first[j] / len(few[1]) for j in range(len(names)) if j not in leaking]
    rest = min([*others, majority])
    found = [Leak(str(names[j]), errors[j], n, rest) for j in leaking if errors[j] / n * TIMES <= rest]
    return sorted(found, key=lambda leak: leak.errors)


def _some(rows: Rows, most: int) -> tuple[Any, Integers]:
    """Return some of the rows, in an order that does not depend on theirs, and their classes."""
    order = np.asarray(rows.order())
    chosen = order[np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).astype(np.intp))]
    X = rows.X[chosen]
    return (X.tocsc() if is_sparse(X) else X), rows.y[chosen]


def _errors(X: Any, y: Integers, columns: Any, told: list[bool]) -> list[int]:
    """Return the errors of some columns of rows (N, d), dense or CSC."""
    classes = int(y.max(initial=0)) + 1
    if not is_sparse(X):
        return [_error(X[:, j], y, classes, told[j]) for j in columns]
    total = np.bincount(y, minlength=classes)
    found = []
    for j in columns:
        at = slice(X.indptr[j], X.indptr[j + 1])
        there = y[X.indices[at]]
        zeros = total - np.bincount(there, minlength=classes)
        found.append(_error(X.data[at], there, classes, told[j]) + _wrong(zeros[None]))
    return found


def _error(x: NDArray[np.float64], y: Integers, classes: int, told: bool) -> int:
    """Return the errors of one column, by its values or, of numbers, by the next ones if these err less."""
    if not len(x):
        return 0
    values = np.unique(x, return_inverse=True)[1].reshape(-1)
    by_value = _wrong(_table(values, y, classes))
    if told or values.max() < _FEWEST:
        return by_value
    own = y[np.argsort(x, kind="stable")]
    padded = np.concatenate([[-1, -1], own, [-1, -1]])
    near = np.stack([padded[k : k + len(own)] for k in (0, 1, 3, 4)])
    alike, there = (near == own).sum(axis=0), (near >= 0).sum(axis=0)
    return min(by_value, int((alike < np.minimum(there, 3)).sum()))


def _table(values: Integers, y: Integers, classes: int) -> Integers:
    return np.bincount(values * classes + y, minlength=(int(values.max()) + 1) * classes).reshape(-1, classes)


def _wrong(counts: Integers) -> int:
    """Return how many rows, counted by value and class, the others of their value do not name the class of."""
    n, most = int(counts.sum()), counts.max(axis=1)
    rival = np.sort(counts, axis=1)[:, -2]
    right = np.where(most - 1 > rival, most, 0).sum()
    return n - int(right)
