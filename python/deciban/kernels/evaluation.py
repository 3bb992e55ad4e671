"""Sums over kernels: what scores, certificates and gradients are made of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from deciban import _core
from deciban.data.devices import elsewhere, like, move, namespace, on_host, take_any, to_double
from deciban.data.frame import Floats
from deciban.data.rows import Rows, is_sparse, reals_for_core
from deciban.threads import check_overdue

from .dot_product import Linear, Polynomial, Tanh
from .kernel import Kernel
from .radial import FAR, RBF, Gaussian, Multiquadric, Radial, Wave

# How many values of a kernel are held at once.
_TILE = 1 << 22
# And on a device, where each call has its price.
_TILE_ELSEWHERE = 1 << 24
# A sum of coefficients that is this share of their sizes is 0 but for rounding.
_BALANCED = 1e-10


def in_core(kernel: Any) -> tuple[str, list[float]] | None:
    """Return the core's name of a kernel and its parameters, or None for a kernel that it does not compute.

    >>> in_core(Gaussian(sigma=2.0))
    ('rbf', [0.125])
    """
    match kernel:
        case Linear():
            return "linear", []
        case Polynomial():
            return "polynomial", [kernel.scale, kernel.shift, float(kernel.degree)]
        case RBF():
            return "rbf", [kernel.gamma]
        case Gaussian():
            return "rbf", [0.5 / kernel.sigma**2]
        case Tanh():
            return "tanh", [kernel.scale, kernel.shift]
        case Multiquadric():
            return "multiquadric", [kernel.shift]
        case Wave():
            return "wave", [kernel.theta]
    return None


def rows_in_core(X: Rows) -> bool:
    """Return whether the core reads such rows: NumPy's and SciPy's."""
    return isinstance(X, np.ndarray) or is_sparse(X)


def scores(kernel: Kernel, X: Any, Z: Any, coefficients: Floats, n_jobs: int | None = None) -> Floats:
    """Return (n, K) Σ_j K(x_i, z_j) coefficients_jk in float64, for rows X (n, d), centres Z (m, d), coefficients (m,
    K).

    Cost: n·m values of the kernel; the core sums them up as it makes them, other libraries hold a tile at a time. Where
    X or Z is elsewhere, tiles and sums are computed there, and the sums brought to the host.
    """
    target = X if elsewhere(X) else Z
    if elsewhere(target):
        return _scores_elsewhere(kernel, X, move(Z, target) if _are_rows(Z) else Z, coefficients, target)
    known = in_core(kernel)
    if isinstance(kernel, Linear) and rows_in_core(X) and rows_in_core(Z) and is_sparse(X) == is_sparse(Z):
        W = linear_weights(Z, np.asarray(coefficients, dtype=np.float64))
        return _core.scores(reals_for_core(X), W, np.zeros(len(W)), n_jobs=n_jobs)
    if known and rows_in_core(X) and rows_in_core(Z) and is_sparse(X) == is_sparse(Z):
        c = np.ascontiguousarray(coefficients, dtype=np.float64)
        X, Z = _near(kernel, X, Z)
        return _core.kernel_scores(reals_for_core(X), reals_for_core(Z), c, *known, n_jobs=n_jobs)
    n, m = _count(X), _count(Z)
    out = np.zeros((n, coefficients.shape[1]))
    step = max(1, _TILE // max(m, 1))
    Z = _doubles(Z)
    for first in range(0, n if m else 0, step):
        check_overdue()
        part = slice(first, first + step)
        out[part] = np.asarray(kernel.tile(_doubles(take_any(X, part)), Z), dtype=np.float64) @ coefficients
    return out


def scores_by_group(
    kernel: Kernel, X: Any, Z: Any, coefficients: Floats, ends: Sequence[int], n_jobs: int | None = None
) -> Floats:
    """Return (n, G, K) the same sums of each of G groups of the centres, which end at `ends`, by itself."""
    G, K = len(ends), coefficients.shape[1]
    known = in_core(kernel)
    if known and Z.shape[0] and rows_in_core(X) and rows_in_core(Z) and is_sparse(X) == is_sparse(Z):
        c = np.ascontiguousarray(coefficients, dtype=np.float64)
        X, Z = _near(kernel, X, Z)
        sums = _core.kernel_scores(reals_for_core(X), reals_for_core(Z), c, *known, ends=ends, n_jobs=n_jobs)
        return sums.reshape(-1, G, K)
    out = np.zeros((_count(X), G, K))
    for g, (first, end) in enumerate(pairwise([0, *ends])):
        own = slice(first, end)
        if first < end:
            out[:, g] = scores(kernel, X, take_any(Z, own), coefficients[own], n_jobs)
    return out


def _near(kernel: Kernel, X: Any, Z: Any) -> tuple[Any, Any]:
    """Return rows and centres, both less the middle of these where they are dense and far from the origin."""
    if is_sparse(Z) or not _is_far(kernel, Z):
        return X, Z
    middle = np.mean(Z, axis=0, dtype=np.float64)
    return X - middle, Z - middle


def _is_far(kernel: Kernel, Z: Any) -> bool:
    """Return whether dense rows lie so far from the origin that their distances lose digits to their norms."""
    if not isinstance(kernel, Radial) or not len(Z):
        return False
    return bool(float(np.einsum("ij,ij->i", Z, Z, dtype=np.float64).max()) > FAR * kernel.unit)


def linear_weights(Z: Any, coefficients: Floats, rows_of: Sequence[tuple[slice, Any]] = ()) -> Floats:
    """Return (K, d) Σ_j coefficients_jk z_j, of rows far from the origin as precise as of those near it.

    Coefficients that sum to 0 up to rounding, as those of a machine with an intercept do, are taken to do so: the
    origin is then of no account, and is moved to the first row. Instead of coefficients (m, K) there may be a table of
    (C − 1, m), each row of which belongs, for the columns of a slice, to the machine that `rows_of` names.
    """
    origin = None if is_sparse(Z) or not Z.shape[0] else np.asarray(Z[0], dtype=np.float64)
    near = Z if origin is None else Z - origin
    parts = rows_of or [(slice(0, Z.shape[0]), np.arange(coefficients.shape[1]))]
    K = 1 + max(int(np.max(machines, initial=-1)) for _, machines in parts)
    W, total, size = np.zeros((K, Z.shape[1])), np.zeros(K), np.zeros(K)
    for own, machines in parts:
        c = np.ascontiguousarray(coefficients[:, own].T if rows_of else coefficients)
        if not c.shape[0]:
            continue
        W[machines] += _core.combination(reals_for_core(near[own]), c)
        total[machines] += c.sum(axis=0)
        size[machines] += np.abs(c).sum(axis=0)
    if origin is not None:
        W += np.where(np.abs(total) <= _BALANCED * size, 0.0, total)[:, None] * origin
    return W


def _scores_elsewhere(kernel: Kernel, X: Rows, Z: Any, coefficients: Floats, target: Any) -> Floats:
    """Return sums of tiles in the library and on the device of `target`, in double precision where there is one."""
    n, m = _count(X), _count(Z)
    out = np.zeros((n, coefficients.shape[1]))
    Z = _doubles(Z)
    step = max(1, _TILE_ELSEWHERE // max(m, 1))
    for first in range(0, n if m else 0, step):
        check_overdue()
        part = slice(first, first + step)
        K = kernel.tile(_doubles(move(take_any(X, part), target)), Z)
        if elsewhere(K):
            K = namespace(K).matmul(K, like(np.asarray(coefficients), K, dtype=K.dtype))
            out[part] = on_host(K)
        else:
            out[part] = K @ coefficients
    return out


def _are_rows(Z: Any) -> bool:
    """Return whether centres are rows of numbers, and not indices of columns."""
    return bool(getattr(Z, "ndim", 0) == 2)


def scores_among(kernel: Kernel, X: Any, coefficients: Floats, n_jobs: int | None = None) -> Floats:
    """Return (N,) Σ_j K(x_i, x_j) coefficients_j in float64, for the rows of X themselves."""
    known = in_core(kernel)
    if known and rows_in_core(X):
        if not is_sparse(X) and _is_far(kernel, X):
            X = X - np.mean(X, axis=0, dtype=np.float64)
        return _core.kernel_within(reals_for_core(X), coefficients, *known, n_jobs=n_jobs)
    support = np.flatnonzero(coefficients)
    return scores(kernel, X, take_any(kernel.centres(X), support), coefficients[support, None], n_jobs)[:, 0]


def _count(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _doubles(X: Any) -> Any:
    if not hasattr(X, "dtype") or "int" in str(X.dtype):
        return X
    if elsewhere(X):
        return to_double(X)
    return X if X.dtype in (np.float64, object) else X.astype(np.float64)
