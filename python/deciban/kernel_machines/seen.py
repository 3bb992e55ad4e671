"""The kernel and the rows as a solver sees them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.data.rows import is_sparse
from deciban.kernels import Kernel, Precomputed
from deciban.kernels.evaluation import in_core
from deciban.losses import Floats
from deciban.models.side_by_side import threads_for

from ..kernels.items import of_gram

if TYPE_CHECKING:
    from .svm import SVM


# Bytes that a value of a Gram matrix takes while it is made.
_GRAM = 16
# Rows of it that are made at once.
_ROWS = 256


def fits_gram(model: SVM, kernel: Kernel, X: Any) -> bool:
    """Return whether rows are sparse, and so few that their Gram matrix fits the memory."""
    exact = isinstance(model.solver, str) and model.solver in ("auto", "smo") and (np.inf != model.C or model.nu)
    return bool(exact and is_sparse(X) and not of_gram(kernel) and _GRAM * X.shape[0] ** 2 <= model._memory())


def precompute_sparse(model: SVM, kernel: Kernel, X: Any, n_jobs: int | None) -> tuple[Kernel, Any]:
    """Return the kernel and the rows: few sparse rows as their Gram matrix, by sparse products, which cost as much as
    the features that two rows share, where kernel rows one by one cost all that are there."""
    if not fits_gram(model, kernel, X):
        return kernel, X
    if in_core(kernel):
        return Precomputed(), _half_made(kernel, X.tocsr(), n_jobs)
    gram = np.asarray(kernel.tile(X, X), dtype=np.float64)
    return Precomputed(), 0.5 * (gram + gram.T)


def _half_made(kernel: Kernel, X: Any, n_jobs: int | None) -> Floats:
    """Return K (N, N) of a kernel that is symmetric: the rows up to the diagonal, some at a time, on all cores there
    are, and what is above it from these."""
    n = X.shape[0]
    starts = range(0, n, _ROWS)
    K = np.empty((n, n))

    def make(first: int) -> None:
        rows, known = slice(first, first + _ROWS), min(n, first + _ROWS)
        K[rows, :known] = kernel.tile(X[rows], X[:known])

    with ThreadPoolExecutor(threads_for(len(starts), n_jobs)) as pool:
        list(pool.map(make, starts[::-1]))  # the longest first
    for first in starts:
        rows, own = slice(first, first + _ROWS), K[first : first + _ROWS, first : first + _ROWS]
        K[:first, rows] = K[rows, :first].T
        own[:] = 0.5 * (own + own.T)
    return K
