"""Near-duplicates: texts with nearly the same words, rows with the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from deciban._core import Dictionary, Reader, TokenCorpus
from deciban.data.rows import check_sparse, is_sparse

from .folds import hashes

ALIKE = 0.8
"""Texts are near-duplicates if they share so much of all their words and pairs of words."""
OFTEN, FEW = 0.05, 10
"""Where a larger share of the distinct rows of numbers occurs again, and more than so many, that is a coincidence."""
KEY = 0
"""Of the hash of words."""
_FUNCTIONS, _BAND = 128, 4
_BITS, _DIGITS, _TEXTS, _PAIRS = 30, 6, 4096, 1 << 16

Integers = NDArray[np.intp]


@dataclass(frozen=True)
class Copies:
    """Near-duplicates among N examples.

    group   (N,) the same number for near-duplicates; it depends on what they hold, not on where they stand
    telling (N,) whether a label other than that of one's near-duplicates is a sign of an error
    """

    group: Integers
    telling: NDArray[np.bool_]


class Sketches:
    """Texts as MinHash signatures, of 512 bytes each, and the near-duplicates among them.

        s_k(text) = min over its words w of h_k(w),       P(s_k(A) = s_k(B)) = |A ∩ B| / |A ∪ B|

    Words are single words and pairs. Signatures that agree in four functions in a row are compared with the first such
    one; those that agree in 80 % of all 128 are near-duplicates, and so are near-duplicates of near-duplicates. Broder,
    On the resemblance and containment of documents, 1997; in bands, Indyk & Motwani, STOC 1998: of pairs that share
    80 %, one in 10⁷ agrees nowhere. Cost: 128 operations a word, and 32 comparisons a text, however many are alike.
    """

    def __init__(self, kind: Literal["text", "mail"] = "text", n_jobs: int | None = None) -> None:
        reader = Reader(kind, (1, 2), KEY)
        self._words = Dictionary(reader, b"", binary=True, hashed_bits=_BITS, n_jobs=n_jobs)
        random = np.random.default_rng(0)
        self._factor, self._shift = random.integers(2**63, size=(2, _FUNCTIONS), dtype=np.uint64) * np.uint64(2)
        self._factor += np.uint64(1)
        self._parts: list[NDArray[np.uint32]] = [np.empty((0, _FUNCTIONS), np.uint32)]

    def add(self, texts: Sequence[str | bytes]) -> None:
        """Add more texts, after those before."""
        for start in range(0, len(texts), _TEXTS):
            self._parts.append(self._sign(*self._words.rows(texts[start : start + _TEXTS])))

    def add_tokens(self, tokens: TokenCorpus) -> None:
        """Add all texts of a corpus of single words and pairs at least, whose hash has the key `KEY`."""
        for start in range(0, len(tokens), _TEXTS):
            places = np.arange(start, min(start + _TEXTS, len(tokens)))
            self._parts.append(self._sign(*self._words.rows_of(tokens, places)))

    def _sign(self, ends: NDArray[np.int64], buckets: NDArray[np.int32], _: Any) -> NDArray[np.uint32]:
        """Return (N, 128); of a text without words all are the largest number."""
        words = buckets.astype(np.uint64)
        starts = np.concatenate([[0], ends[:-1]])
        some = np.flatnonzero(ends > starts)
        signed = np.full((len(ends), _FUNCTIONS), np.iinfo(np.uint32).max, np.uint32)
        for k in range(_FUNCTIONS if len(some) else 0):
            hashed = ((words * self._factor[k] + self._shift[k]) >> np.uint64(32)).astype(np.uint32)
            signed[some, k] = np.minimum.reduceat(hashed, starts[some])
        return signed

    def copies(self) -> Copies:
        """Return the near-duplicates among all texts. One without words says nothing."""
        signed = np.concatenate(self._parts)
        distinct, member = np.unique(signed, axis=0, return_inverse=True)
        left, right = _alike(distinct)
        D = len(distinct)
        edges = sparse.coo_array((np.ones(len(left), np.int8), (left, right)), shape=(D, D))
        group = connected_components(edges, directed=False)[1].astype(np.intp)
        wordless = (signed == np.iinfo(np.uint32).max).all(axis=1)
        return Copies(group[member.reshape(-1)], ~wordless)


def _alike(distinct: NDArray[np.uint32]) -> tuple[Integers, Integers]:
    """Return pairs of near-duplicates among distinct signatures (D, 128)."""
    D = len(distinct)
    odd = np.random.default_rng(1).integers(2**63, size=_BAND, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    found: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    for start in range(0, _FUNCTIONS, _BAND):
        key = (distinct[:, start : start + _BAND] * odd).sum(axis=1, dtype=np.uint64)
        _, first, bucket = np.unique(key, return_index=True, return_inverse=True)
        leader = first[bucket]
        others = np.flatnonzero(leader != np.arange(D))
        found.append(leader[others] * D + others)
    pairs = np.unique(np.concatenate(found))
    left, right = pairs // max(D, 1), pairs % max(D, 1)
    near = np.zeros(len(pairs), np.bool_)
    for at in range(0, len(pairs), _PAIRS):
        some = slice(at, at + _PAIRS)
        near[some] = (distinct[left[some]] == distinct[right[some]]).mean(axis=1) >= ALIKE
    return left[near], right[near]


def copies_of_rows(X: Any) -> Copies:
    """Return rows of X (N, d), dense or CSR, whose numbers are equal to six digits, missing ones too.

    Rows that measure something are equal because one is a copy of the other; rows of a few categories are so by
    chance, and then labels may differ. Where more than 5 % of the distinct rows, and more than ten, occur again, it is
    taken for chance.
    """
    if is_sparse(X):
        X = check_sparse(X).tocsr().astype(np.float64)
        X.data = _round(X.data)
    else:
        X = _round(np.asarray(X, dtype=np.float64))
    _, group, size = np.unique(hashes(X, 0), return_inverse=True, return_counts=True)
    telling = (size > 1).sum() <= max(OFTEN * len(size), FEW)
    return Copies(group.reshape(-1).astype(np.intp), np.full(len(group), telling))


def _round(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to six digits, each number on its own scale."""
    size = np.abs(x)
    usual = (size > 1e-290) & (size < 1e290)
    scale = 10.0 ** (_DIGITS - 1 - np.floor(np.log10(np.where(usual, size, 1.0))))
    rounded: NDArray[np.float64] = np.where(usual, np.round(x * scale) / scale, np.where(size <= 1e-290, 0.0, x))
    return rounded
