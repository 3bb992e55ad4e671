"""What single features add to the score of a machine whose kernel is a function of a sum over the features.

    K(x, v) = f(S),  S = Σ_j g(x_j, v_j)

is that of inner products, distances and differences. With x_j the only thing that changes, from b_j, S changes by
δ = g(x_j, v_j) − g(b_j, v_j): every other row that an explanation asks for has V values of f, not V·d of g.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import is_sparse

from .evidence import Floats

# Numbers of a block of columns.
_TILE = 1 << 18


def suits(kernel: Any, vectors: Any) -> bool:
    """Return whether this is such a kernel, a `SumKernel` by what it can do, of rows of numbers on the host."""
    return hasattr(kernel, "of_feature") and (is_sparse(vectors) or isinstance(vectors, np.ndarray))


def first_and_last(
    kernel: Any, vectors: Any, feature: NDArray[np.intp], start: Floats, x: Floats, baseline: Floats | None, a: Floats
) -> Floats:
    """Return (m,) the mean of what each feature adds when it comes first and when it comes last.

    The features change from `start` (m,) to `x` (m,); the others are those of the baseline, None for zeros. `vectors`
    (V, d) are dense, or CSC where there is no baseline; a (V,) are their coefficients. Cost: V·m values of f, twice.
    """
    begin = _sums(kernel, vectors, baseline)
    end = begin.copy()
    for part, held in _columns(vectors, feature):
        end += _changes(kernel, held, start[part], x[part]).sum(axis=1)
    first, last = np.empty(len(x)), np.empty(len(x))
    for part, held in _columns(vectors, feature):
        change = _changes(kernel, held, start[part], x[part])
        first[part] = a @ kernel.finish(begin[:, None] + change)
        last[part] = a @ kernel.finish(end[:, None] - change)
    at_begin, at_end = (float(a @ kernel.finish(sums.copy())) for sums in (begin, end))
    evidence: Floats = 0.5 * (first - at_begin + at_end - last)
    return evidence


def _changes(kernel: Any, held: Floats, start: Floats, x: Floats) -> Floats:
    changes: Floats = kernel.of_feature(np, x, held) - kernel.of_feature(np, start, held)
    return changes


def _sums(kernel: Any, vectors: Any, baseline: Floats | None) -> Floats:
    """Return S (V,) at the baseline."""
    sums = np.zeros(vectors.shape[0])
    if is_sparse(vectors):
        own = kernel.of_feature(np, np.zeros(1), vectors.data.astype(np.float64))
        return np.bincount(vectors.indices, own, minlength=len(sums)).astype(np.float64)
    for part, held in _columns(vectors, np.arange(vectors.shape[1])):
        sums += kernel.of_feature(np, np.zeros(1) if baseline is None else baseline[part], held).sum(axis=1)
    return sums


def _columns(vectors: Any, feature: NDArray[np.intp]) -> Iterator[tuple[slice, Floats]]:
    """Yield the columns of some features, dense, as many at a time as a cache holds."""
    step = max(1, _TILE // max(1, vectors.shape[0]))
    for first in range(0, len(feature), step):
        part = slice(first, first + step)
        held = vectors[:, feature[part]]
        yield part, np.asarray(held.toarray() if is_sparse(held) else held, dtype=np.float64)
