"""What least squares asks of the data: the scatter of features and targets together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deciban.data.rows import is_sparse
from deciban.distributions.centred import Batch
from deciban.distributions.scatter import PooledScatter, pooled_scatter
from deciban.losses import Floats

# A column whose spread is below this share of its length is constant but for the rounding of its values.
LAST_BITS = 4.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Normal:
    """The normal equations G w = z and what surrounds them, centred where there is an intercept.

    G (d, d) = ZᵀZ, z (d, K) = Zᵀt, tt (K,) = Σ t²; `mean` (d + K,) of features and targets, 0 without intercept; n the
    weight of all rows; `floor` (d,) the length of a column that is nothing but rounding.
    """

    G: Floats
    z: Floats
    tt: Floats
    mean: Floats
    n: float
    floor: Floats

    def intercept(self, w: Floats) -> Floats:
        """b (K,) for w (d, K)."""
        d = len(self.G)
        b: Floats = self.mean[d:] - self.mean[:d] @ w
        return b


def joint_scatter(X: Any, Y: Floats, weight: Floats | None) -> PooledScatter:
    """The statistic of (x, y): n, Σ w (x, y) and the scatter about the mean, of X (N, d) dense or CSR and Y (N, K).

    Dense: N·(d + K)² operations; CSR: N·m² for m values a row.
    """
    y = np.zeros(len(Y), dtype=np.intp)
    if not is_sparse(X):
        rows = np.hstack([X, Y]) if len(Y) else np.zeros((0, X.shape[1] + Y.shape[1]))
        return pooled_scatter(Batch(rows, y, weight, 1))
    return pooled_scatter(Batch(_once(sparse.hstack([X, Y], format="csr")), y, weight, 1))


def class_scatter(X: Any, y: NDArray[np.intp], weight: Floats, C: int) -> PooledScatter:
    """The statistic of X by classes y (N,): n (C,), sums (C, d) and the scatter within the classes, pooled."""
    return pooled_scatter(Batch(_once(X) if is_sparse(X) else X, y, weight, C))


def _once(X: Any) -> Any:
    """CSR with each place stored once, in order."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def with_targets(seen: PooledScatter, T: Floats) -> PooledScatter:
    """The statistic of (x, t) where every example of class c has the targets T_c (K,), from that of x by classes."""
    n, apart = seen.n, seen.from_centre
    total = float(n.sum())
    middle = n @ T / total
    both = np.hstack([apart, T - middle])
    W = both.T @ (n[:, None] * both)
    d = apart.shape[1]
    W[:d, :d] += seen.scatter()[0]
    centre = np.concatenate([seen.centre, middle])[None, :]
    return PooledScatter.about(np.array([total]), centre, np.zeros_like(centre), W)


def normal_equations(seen: PooledScatter, d: int, intercept: bool) -> Normal:
    """From the statistic of d features and the targets after them."""
    n, mean, W = float(seen.n[0]), seen.mean()[0], seen.scatter()[0]
    length = np.sqrt(W.diagonal() + n * np.square(mean))[:d]
    if not intercept:
        W, mean = W + n * np.outer(mean, mean), np.zeros_like(mean)
    floor = LAST_BITS * length
    return Normal(W[:d, :d], W[:d, d:], W.diagonal()[d:], mean, n, floor)


def as_matrix(rows: Any) -> Any:
    """X as SciPy or NumPy has it, from what the core takes."""
    if not isinstance(rows, tuple):
        return rows
    data, indices, indptr, d = rows
    return sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, d))
