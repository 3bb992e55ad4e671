"""Folds that equal rows share."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import on_host, take
from deciban.data.rows import is_sparse

_ROWS = 4096


def folds(X: Any, k: int, seed: int) -> NDArray[np.intp]:
    """(N,) the fold, 0 … k − 1, of each row of X (N, d), dense or CSR, or of each of N texts, by a hash of its values.

    Equal rows share a fold, so that what is held out was never learnt, that a weight means repetition here, too, and
    that the order of the rows does not matter.

    >>> folds(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]), 3, 0).tolist()
    [2, 1, 2]
    """
    return (hashes(X, seed) % np.uint64(k)).astype(np.intp)


def hashes(X: Any, seed: int) -> NDArray[np.uint64]:
    """(N,) the hash of each row of X (N, d), dense or CSR: Σ_j r_j·bits(x_j) modulo 2^64 with random odd r (Carter &
    Wegman 1979), mixed by the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014); of N texts, BLAKE2."""
    if X.ndim == 1:
        key = (seed % 2**64).to_bytes(8, "little")
        each = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest() for text in X)
        return np.frombuffer(b"".join(each), dtype="<u8").astype(np.uint64)
    odd = np.random.default_rng(seed).integers(2**63, size=X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    h = np.zeros(X.shape[0], dtype=np.uint64)
    if is_sparse(X):
        X = X.tocsr()
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        np.add.at(h, row, bits_of(X.data) * odd[X.indices])
    else:
        for i in range(0, len(h), _ROWS):
            h[i : i + _ROWS] = (bits_of(take(X, slice(i, i + _ROWS))) * odd).sum(axis=1, dtype=np.uint64)
    return mixed(h)


def mixed(h: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers of 64 bits each of which hangs on all bits of `h`'s (the finaliser of SplitMix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        h = (h ^ (h >> np.uint64(shift))) * np.uint64(factor)
    h ^= h >> np.uint64(31)
    return h


def bits_of(x: Any) -> NDArray[np.uint64]:
    """The bits of numbers of double precision; those of −0.0 are those of 0.0."""
    bits: NDArray[np.uint64] = (on_host(x) + 0.0).view(np.uint64)  # + 0.0 makes one zero of two
    return bits
