"""Folds and parts held out: of equal rows, of groups, in proportion to the classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban._core import row_digests
from deciban.data.devices import elsewhere, on_host, take
from deciban.data.labelled import KeyedExamples
from deciban.data.rows import check_sparse, for_core, is_sparse
from deciban.data.samples import are_mappings, are_texts
from deciban.data.validation import check_array

# So many rows come to the host at once.
_ROWS = 4096
# What is held out is one of so many parts.
_PARTS = 5

Places = NDArray[np.intp]
Split = tuple[Places, Places]
"""Indices of the examples to fit, and of those held out."""


def folds(X: Any, k: int, seed: int) -> NDArray[np.intp]:
    """Return (N,) the fold, 0 … k − 1, of each row of X (N, d), dense or CSR, or of each of N texts, by a hash of its
    values.

    Equal rows share a fold, so that what is held out was never learnt, that a weight means repetition here, too, and
    that the order of the rows does not matter.

    >>> folds(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]), 3, 4).tolist()
    [2, 0, 2]
    """
    return (hashes(X, seed) % np.uint64(k)).astype(np.intp)


def folds_of_any(X: Any, k: int, seed: int) -> NDArray[np.intp]:
    """Return (N,) `folds` of examples in any form: texts, mappings, rows on any device, data frames, longer arrays."""
    if are_texts(X):
        texts: Sequence[str | bytes] = list(X)
        decoded = [text if isinstance(text, str) else text.decode("latin-1") for text in texts]
        return folds(np.array(decoded, dtype=object), k, seed)
    if elsewhere(X):
        return folds(X, k, seed)
    if are_mappings(X):
        return folds(np.array([repr(sorted(row.items(), key=repr)) for row in X], dtype=object), k, seed)
    if not hasattr(X, "columns"):
        X = X.reshape(len(X), -1) if isinstance(X, np.ndarray) and X.ndim > 2 else X
        X = check_array(check_sparse(X), accept_sparse="csr", dtype=None, ensure_all_finite=False)
        if is_sparse(X) or X.dtype.kind in "biuf":
            return folds(X, k, seed)
        X = on_host(X, None)
    from deciban.data.columns import Columns

    return folds(Columns.infer(X).matrix(X), k, seed)


def splits_of(fold: NDArray[np.intp], k: int) -> list[Split]:
    """Return the splits of k folds: each holds one fold out, and fits the others."""
    return [(np.flatnonzero(fold != j), np.flatnonzero(fold == j)) for j in range(k)]


def usable(splits: Iterable[Split], y: NDArray[np.intp], C: int) -> Iterator[Split]:
    """Yield the splits that hold something out and leave examples of all C classes, y (N,), to fit."""
    return (each for each in splits if len(each[1]) and len(np.unique(y[each[0]])) == C)


def whole_and_folds(fold: NDArray[np.intp], k: int, y: NDArray[np.intp], C: int) -> list[Split]:
    """Return the split that fits all examples and holds none out, and the usable ones of k folds; ValueError if none.

    Paths over a parameter go along them.
    """
    some = list(usable(splits_of(fold, k), y, C))
    if not some:
        raise ValueError(f"no fold of {k} leaves examples of every class to learn from: give more examples")
    return [(np.arange(len(fold)), np.zeros(0, dtype=np.intp)), *some]


def check_folds(k: object, name: str = "cv") -> int:
    """Return the number of folds, or raise a ValueError unless it is a whole number from 2."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 2:
        raise ValueError(f"{name} must be a whole number of folds from 2, got {k!r}")
    return int(k)


def hashes(X: Any, seed: int) -> NDArray[np.uint64]:
    """Return (N,) a hash of each row of X (N, d), dense or CSR: Σ_j r_j·h(x_j) modulo 2^64 with random odd r (Carter &
    Wegman 1979), mixed by h, the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014); of N texts, BLAKE2."""
    if X.ndim == 1:
        key = (seed % 2**64).to_bytes(8, "little")
        each = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest() for text in X)
        return np.frombuffer(b"".join(each), dtype="<u8").astype(np.uint64)
    if is_sparse(X):
        return row_digests(for_core(X), seed % 2**64)
    parts = (on_host(take(X, slice(i, i + _ROWS)), None) for i in range(0, X.shape[0], _ROWS))
    return np.concatenate([np.zeros(0, np.uint64), *(row_digests(for_core(part), seed % 2**64) for part in parts)])


def deal_stratified(y: NDArray[np.intp], k: int, rng: np.random.RandomState) -> NDArray[np.intp]:
    """Return a fold, 0 … k − 1, for each of N examples of classes y (N,), in proportion to the classes.

    They are shuffled, sorted by class and dealt like cards: folds differ by one example at most, as a whole and in
    every class.
    """
    return _deal(y, rng.permutation(len(y)), k)


def _deal(y: NDArray[np.intp], shuffled: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    order = shuffled[np.argsort(y[shuffled], kind="stable")]
    fold = np.empty(len(y), dtype=np.intp)
    fold[order] = np.arange(len(y)) % k
    return fold


def deal_grouped(
    y: NDArray[np.intp], group: NDArray[np.intp], weight: NDArray[np.float64], k: int, seed: int
) -> NDArray[np.intp]:
    """Return a fold, 0 … k − 1, for each of N examples: those of a group share one, and classes are in proportion.

    Neither the order of the examples nor what classes are called makes a difference.
    """
    numbers, member = np.unique(group, return_inverse=True)
    votes = np.zeros((len(numbers), int(y.max()) + 1))
    np.add.at(votes, (member.reshape(-1), y), weight)
    shuffled = np.random.RandomState(seed % 2**32).permutation(len(numbers))
    place = np.argsort(shuffled)
    alone = (votes > 0.0) & ((votes > 0.0).sum(axis=1, keepdims=True) == 1)
    met = np.where(alone, place[:, None], len(numbers)).min(axis=0)  # names have no say in which class is the first
    label = votes[:, np.argsort(met, kind="stable")].argmax(axis=1)
    return _deal(label, shuffled, k)[member.reshape(-1)]


def hold_out_share(groups: Sequence[Places], share: float, seed: int) -> NDArray[np.bool_]:
    """Return whether each of N examples is held out: about `share` of each of the groups of places, of none all.

    Early stopping watches them. ValueError where none is held out.
    """
    random, n = np.random.RandomState(seed % 2**32), sum(map(len, groups))
    held = np.zeros(n, dtype=bool)
    for places in groups:
        count = min(len(places) - 1, int(np.ceil(share * len(places) - 0.5)))
        held[random.permutation(places)[:count]] = True
    if not held.any():
        raise ValueError(
            f"validation_fraction={share:g} of {n} examples holds none out: raise it, or give validation=(X, y)"
        )
    return held


def hold_out(examples: KeyedExamples, seed: int) -> NDArray[np.bool_]:
    """Return whether each of N examples is held out, a fifth of every class, equal ones together; of no class all are.

    It does not matter in which order they are read.
    """
    order, y = examples.order(), examples.y
    _, first, back = np.unique(examples.keys[order], return_index=True, return_inverse=True)
    part = deal_stratified(y[order][first], _PARTS, np.random.RandomState(seed % 2**32))
    held = np.empty(len(examples), dtype=np.bool_)
    held[order] = (part == 0)[back]
    for c in np.unique(y):
        if held[y == c].all():
            held[y == c] = False
    return held
