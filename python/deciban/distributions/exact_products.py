"""Sums of products of rows, Σ w x xᵀ, to the last bit: by matrix products of slices that no order of summing rounds.

    x_ij = 2^E_j (a + b 2^−22 + c 2^−44 + …),      a, b, c … whole multiples of 2^−21, at most 1

Products of two slices are whole numbers of their unit below 2^42, and 2,048 of them sum to less than 2^53: whatever
BLAS does, and with however many threads, nothing is rounded. Rows whose numbers need many slices are multiplied one by
one. Ozaki, Ogita, Oishi & Rump, Numerical Algorithms 59, 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dgemm

from deciban._core import row_products

from . import parts

Floats = NDArray[np.float64]

_BITS = 22
_ROWS = 2**11
# Rows at once: their slices are kept until they are multiplied, and their sums fit 63 bits.
_CHUNK = 2**22
# So many products are as quick one by one.
_FEW, _NARROW = 1 << 17, 8
# Where more slices are needed, rows that need them are multiplied one by one if they are less than this share.
_SLICES, _WILD = 3, 0.02
_MOST = 12
# Numbers below this enter products as multiples of 2^−537, whose products are multiples of 2^−1074.
_SMALL, _FINEST = 2.0**-484, 1.5 * 2.0**-485
_SPLIT = 2.0**27 + 1.0


def two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a · b = product + error, exactly, for magnitudes below 10^290."""
    product = a * b
    (a_hi, a_lo), (b_hi, b_lo) = _halves(a), _halves(b)
    return product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a + b = sum + error, exactly."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def _halves(a: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLIT * a
    hi = scaled - (scaled - a)
    return hi, a - hi


def products(X: Floats, weight: Floats | None) -> Floats:
    """(L, d, d) Σ w x xᵀ in parts, of X (N, d) finite and at most 10^150, weight (N,) ≥ 0 or None for 1 each."""
    N, d = X.shape
    if d <= _NARROW or N * d * d <= _FEW:
        return _one_by_one(X, weight)
    size = max(_ROWS, _CHUNK // d // _ROWS * _ROWS)
    terms: list[Floats] = []
    for i in range(0, N, size):
        terms += _of_chunk(X[i : i + size], None if weight is None else weight[i : i + size])
    return parts.total(terms)


def _one_by_one(X: Floats, weight: Floats | None) -> Floats:
    found = row_products(np.ascontiguousarray(X, dtype=np.float64), weight)
    return found.reshape(len(found), X.shape[1], X.shape[1])


def _of_chunk(X: Floats, weight: Floats | None) -> list[Floats]:
    X = np.asarray(X, dtype=np.float64)
    size = np.abs(X)
    tiny = (size < _SMALL) & (size > 0.0)
    wild: NDArray[np.bool_] = np.zeros(len(X), dtype=np.bool_)
    if weight is not None:
        wild = wild | tiny.any(axis=1)
    if tiny.any():
        X = np.where(tiny, (X + _FINEST) - _FINEST, X)
    right, E, more = _slices(X, np.zeros_like(X), wild)
    wild = wild | more
    left, F = right, E
    if weight is not None:
        left, F, more = _slices(*two_product(np.broadcast_to(weight[:, None], X.shape), X), wild)
        wild = wild | more
    terms = [_one_by_one(X[wild], None if weight is None else weight[wild])] if wild.any() else []
    levels: dict[int, NDArray[np.int64]] = {}
    for p, a in enumerate(left):
        for q, b in enumerate(right[p:] if left is right else right, p if left is right else 0):
            found = levels.setdefault(p + q, np.zeros((X.shape[1], X.shape[1]), dtype=np.int64))
            _multiply(a, b, wild, found, twice=left is right and p != q)
    return terms + [_scaled(found, F[:, None] + E - 2 * (_BITS - 1) - _BITS * level) for level, found in levels.items()]


def _slices(
    X: Floats, low: Floats, ignored: NDArray[np.bool_]
) -> tuple[list[Floats], NDArray[np.intp], NDArray[np.bool_]]:
    """Slices of X + low as whole numbers up to 2^21, E (d,), and which rows they do not hold, beside those ignored."""
    E = np.frexp(np.abs(X).max(axis=0, initial=0.0))[1].astype(np.intp)
    rest, low = np.ldexp(X, _BITS - 1 - E), np.ldexp(low, _BITS - 1 - E)
    found: list[Floats] = []
    while True:
        slice_ = np.rint(rest)
        found.append(slice_)
        rest, low = two_sum(rest - slice_, low)
        more = ((rest != 0.0) | (low != 0.0)).any(axis=1) & ~ignored
        share = more.mean() if len(more) else 0.0
        if not more.any() or len(found) == _MOST or (len(found) >= _SLICES and share <= _WILD):
            return found, E, more
        rest, low = np.ldexp(rest, _BITS), np.ldexp(low, _BITS)


def _multiply(a: Floats, b: Floats, wild: NDArray[np.bool_], into: NDArray[np.int64], twice: bool) -> None:
    """Adds aᵀb over the rows that are not wild, or aᵀb + bᵀa."""
    for i in range(0, len(a), _ROWS):
        rows = slice(i, i + _ROWS)
        left, right = a[rows], b[rows]
        if wild[rows].any():
            left = np.where(wild[rows, None], 0.0, left)
        if not left.any() or not right.any():
            continue
        # SciPy's product, and the only one: NumPy brings another BLAS, whose threads would wait awake for work.
        product = dgemm(1.0, left.T, right.T, trans_b=True).astype(np.int64)
        into += product
        if twice:
            into += product.T


def sparse_products(X: Any, weight: Floats | None) -> Floats:
    """The same of X (N, d) in CSR with each place stored once: N·m² operations a pair of slices, m values a row."""
    from scipy import sparse

    data = np.asarray(X.data, dtype=np.float64)
    data = np.where(np.abs(data) < _SMALL, (data + _FINEST) - _FINEST, data)
    d = X.shape[1]
    right, E = _slices_of_entries(data, np.zeros_like(data), X.indices, d)
    left, F = right, E
    if weight is not None:
        of_row = np.repeat(weight, np.diff(X.indptr))
        left, F = _slices_of_entries(*two_product(of_row, data), X.indices, d)

    def rows(values: Floats) -> Any:
        return sparse.csr_array((values, X.indices, X.indptr), shape=X.shape)

    left_rows, right_rows = [rows(values) for values in left], [rows(values) for values in right]
    levels: dict[int, NDArray[np.int64]] = {}
    for p, a in enumerate(left_rows):
        for q, b in enumerate(right_rows):
            found = levels.setdefault(p + q, np.zeros((d, d), dtype=np.int64))
            for i in range(0, X.shape[0], _ROWS):
                product = (a[i : i + _ROWS].T @ b[i : i + _ROWS]).tocoo()
                found[product.coords] += product.data.astype(np.int64)
    return parts.total(
        [_scaled(found, F[:, None] + E - 2 * (_BITS - 1) - _BITS * level) for level, found in levels.items()]
    )


def _slices_of_entries(
    data: Floats, low: Floats, column: NDArray[Any], d: int
) -> tuple[list[Floats], NDArray[np.intp]]:
    """All slices of data + low, whose exponents E (d,) are those of their columns."""
    top = np.zeros(d)
    np.maximum.at(top, column, np.abs(data))
    E = np.frexp(top)[1].astype(np.intp)
    rest, low = np.ldexp(data, _BITS - 1 - E[column]), np.ldexp(low, _BITS - 1 - E[column])
    found: list[Floats] = []
    while not found or rest.any() or low.any():
        found.append(np.rint(rest))
        rest, low = two_sum(rest - found[-1], low)
        rest, low = np.ldexp(rest, _BITS), np.ldexp(low, _BITS)
    return found, E


def _scaled(whole: NDArray[np.int64], exponent: NDArray[np.intp]) -> Floats:
    """Whole numbers times powers of two as sums of two float64."""
    high = (whole >> 30) << 30
    return np.ldexp(np.stack([high.astype(np.float64), (whole - high).astype(np.float64)]), exponent)
