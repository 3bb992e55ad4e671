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
_AT_ONCE = 1 << 21  # values
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
    if upper_limit(0, min(len(rows), _MOST), 0.025) > ALLOWED:
        return []
    few = _some(rows, _FEW)
    majority = 1.0 - np.bincount(rows.y).max() / len(rows)
    names = rows.columns.names
    told = rows.columns.of_kind("category", "truth")
    first = _errors(few[0], few[1], np.arange(len(names)), told)
    hopeful = np.flatnonzero(first <= 5.0 * ALLOWED * len(few[1]))
    if not len(hopeful):
        return []
    many = _some(rows, _MOST)
    n, errors = len(many[1]), _errors(many[0], many[1], hopeful, told[hopeful])
    low = [each for each in np.unique(errors).tolist() if upper_limit(each, n, 0.025) <= ALLOWED]
    leaks = np.isin(errors, low)
    others = np.delete(first, hopeful[leaks]) / len(few[1])
    rest = float(min(others.min(initial=1.0), majority))
    leaking = zip(hopeful[leaks].tolist(), errors[leaks].tolist(), strict=True)
    found = [Leak(str(names[j]), own, n, rest) for j, own in leaking if own / n * TIMES <= rest]
    return sorted(found, key=lambda leak: leak.errors)


def _some(rows: Rows, most: int) -> tuple[Any, Integers]:
    """Return some of the rows, in an order that does not depend on theirs, and their classes."""
    order = np.asarray(rows.order())
    chosen = order[np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).astype(np.intp))]
    X = rows.X[chosen]
    return (X.tocsc() if is_sparse(X) else X), rows.y[chosen]


def _errors(X: Any, y: Integers, columns: Integers, told: NDArray[np.bool_]) -> Integers:
    """Return the errors of some columns of rows (N, d), dense or CSC; those that are `told` apart are no numbers."""
    counts = np.diff(X.indptr)[columns] if is_sparse(X) else np.full(len(columns), len(y))
    found = np.zeros(len(columns), np.intp)
    block = (np.cumsum(counts) + len(y) * np.arange(1, len(columns) + 1)) // _AT_ONCE
    for own in np.split(np.arange(len(columns)), np.flatnonzero(np.diff(block)) + 1):
        if not is_sparse(X):
            x, members, at = X[:, columns[own]].T.reshape(-1), np.tile(y, len(own)), np.repeat(own, len(y))
        else:
            part = X[:, columns[own]]
            x, members, at = part.data, y[part.indices], np.repeat(own, counts[own])
        at = at - own[0] if len(own) else at
        found[own] = _errors_of(x, members, at, told[own])
        if is_sparse(X):
            found[own] += _errors_of_zeros(y, members, at, len(own))
    return found


def _errors_of(x: NDArray[np.float64], y: Integers, column: Integers, told: NDArray[np.bool_]) -> Integers:
    """Return the errors of each column by its values x or, of numbers, by the next ones if these err less."""
    if not len(x):
        return np.zeros(len(told), np.intp)
    order = np.lexsort((x, column))
    x, y, column = x[order], y[order], column[order]
    is_new = np.ones(len(x), np.bool_)
    is_new[1:] = (column[1:] != column[:-1]) | ((x[1:] != x[:-1]) & ~(np.isnan(x[1:]) & np.isnan(x[:-1])))
    value = np.cumsum(is_new) - 1
    by_value = _sums(_wrong(value, y), column[is_new], len(told))
    alike, there = np.zeros(len(x), np.intp), np.zeros(len(x), np.intp)
    for k in (1, 2):
        same = column[k:] == column[:-k]
        for own in (slice(k, None), slice(None, -k)):
            there[own] += same
            alike[own] += same & (y[k:] == y[:-k])
    near = _sums(alike < np.minimum(there, 3), column, len(told))
    few = _sums(is_new, column, len(told)) <= _FEWEST
    return np.where(told | few, by_value, np.minimum(by_value, near))


def _errors_of_zeros(y: Integers, members: Integers, column: Integers, d: int) -> Integers:
    """Return the errors of each of d columns on the rows that are 0 there, by the classes of all rows and of others."""
    classes = int(y.max(initial=0)) + 1
    zeros = np.bincount(y, minlength=classes) - np.bincount(column * classes + members, minlength=d * classes).reshape(
        d, classes
    )
    at, label = np.nonzero(zeros)
    return _sums_of_runs(at, zeros[at, label], d)


def _wrong(group: Integers, y: Integers) -> Integers:
    """Return how many rows of each group, of which the numbers ascend, the others of it do not name the class of."""
    classes = int(y.max(initial=0)) + 1
    pairs, counts = np.unique(group * classes + y, return_counts=True)
    return _sums_of_runs(pairs // classes, counts, int(group[-1]) + 1)


def _sums_of_runs(group: Integers, counts: Integers, groups: int) -> Integers:
    """Return the same of groups whose classes have these counts: all rows, or all but those of a class that leads
    without any one of them."""
    order = np.lexsort((counts, group))
    group, counts = group[order], counts[order]
    last = np.ones(len(group), np.bool_)
    last[:-1] = group[1:] != group[:-1]
    rival = np.zeros(len(group), np.intp)
    rival[1:] = np.where(group[1:] == group[:-1], counts[:-1], 0)
    right = np.where(last & (counts - 1 > rival), counts, 0)
    return _sums(counts - right, group, groups)


def _sums(values: NDArray[Any], group: Integers, groups: int) -> Integers:
    return np.bincount(group, weights=values, minlength=groups).astype(np.intp)
