"""What single features add to the score of an RBF machine, in closed form.

With x_j the only thing that changes, every similarity changes by a factor, and but for e^(±γ x_j²) only those to
vectors that have the feature j, too:

    K(x_j e_j, v) = K(0, v)·e^(−γ x_j² + 2γ x_j v_j)            K(x without j, v) = K(x, v)·e^(γ x_j² − 2γ x_j v_j)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import is_sparse

from .evidence import Floats

# Factors up to e^30, and what rounding makes of them, are taken.
_LARGEST = 30.0


def suits(kernel: Any, vectors: Any, x: Floats) -> bool:
    """Return whether this is about such a machine, and features x (m,) of a row for which the factors are moderate."""
    if getattr(kernel, "name", "") != "rbf" or not is_sparse(vectors):
        return False
    largest = max(float(np.abs(part).max(initial=0.0)) for part in (x, vectors.data))
    return bool(kernel.gamma * largest * largest <= _LARGEST)


def first_and_last(
    gamma: float, columns: Any, feature: NDArray[np.intp], x: Floats, weight: Floats, empty: Floats
) -> tuple[Floats, Floats]:
    """Return (m,) the sums Σ a_i K(x_j e_j, v_i) of each feature alone, and Σ a_i K(x without j, v_i) of all but it.

    `columns` are the vectors (V, d) as CSC; `weight` (V,) are a_i K(x, v_i), `empty` (V,) a_i K(0, v_i). Cost: what the
    columns of these features hold.
    """
    first, last = np.empty(len(feature)), np.empty(len(feature))
    all_weight, all_empty = float(weight.sum()), float(empty.sum())
    for k, j in enumerate(feature.tolist()):
        part = slice(columns.indptr[j], columns.indptr[j + 1])
        rows, away = columns.indices[part], 2.0 * gamma * x[k] * columns.data[part]
        first[k] = all_empty + float(empty[rows] @ np.expm1(away))
        last[k] = all_weight + float(weight[rows] @ np.expm1(-away))
    bend = np.exp(-gamma * np.square(x))
    return bend * first, last / bend


def alone(gamma: float, columns: Any, A: Floats) -> Floats:
    """Return (d, C) what each feature adds to the score of the empty item when it comes alone, as large as it is on
    average in the vectors that have it; 0 for one that none has. `columns` are the vectors (V, d) as CSC, A (V, C)."""
    V, d = columns.shape
    empty = np.exp(-gamma * np.asarray(columns.power(2).sum(axis=1)).reshape(V, 1)) * A
    count = np.diff(columns.indptr)
    of = np.repeat(np.arange(d), count)
    mean = np.bincount(of, columns.data, minlength=d) / np.maximum(count, 1)
    grown = columns.copy()
    grown.data = np.expm1(2.0 * gamma * mean[of] * columns.data)
    bend, total = np.exp(-gamma * np.square(mean))[:, None], empty.sum(axis=0)
    found: Floats = bend * (total + grown.T @ empty) - total
    return found
