"""The kernel and the rows as a solver sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deciban import _core
from deciban.data.rows import is_sparse, reals_for_core
from deciban.kernels import Kernel, Precomputed
from deciban.kernels.evaluation import in_core

from ..kernels.items import of_gram

if TYPE_CHECKING:
    from .svm import SVM


# Bytes that a value of a Gram matrix takes while it is made.
_GRAM = 16


def fits_gram(model: SVM, kernel: Kernel, X: Any) -> bool:
    """Return whether rows are sparse, and so few that their Gram matrix fits the memory."""
    exact = isinstance(model.solver, str) and model.solver in ("auto", "smo") and (np.inf != model.C or model.nu)
    return bool(exact and is_sparse(X) and not of_gram(kernel) and _GRAM * X.shape[0] ** 2 <= model._memory())


def precompute_sparse(model: SVM, kernel: Kernel, X: Any, n_jobs: int | None) -> tuple[Kernel, Any]:
    """Return the kernel and the rows: few sparse rows as their Gram matrix, by sparse products, which cost as much as
    the features that two rows share, where kernel rows one by one cost all that are there."""
    if not fits_gram(model, kernel, X):
        return kernel, X
    known = in_core(kernel)
    if known:
        return Precomputed(), _core.kernel_gram(reals_for_core(X), *known, n_jobs=n_jobs)
    gram = np.asarray(kernel.tile(X, X), dtype=np.float64)
    return Precomputed(), 0.5 * (gram + gram.T)
