"""The mutual information of a feature and the class, from counts alone: how much knowing one tells of the other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

BITS_PER_NAT = 1.0 / math.log(2.0)

# Sums of fractional weights, taken in another order, differ by this share.
_ROUNDING = 1e-12


def entropy(weight: ArrayLike) -> Floats:
    """Return H = −Σ_c p_c log p_c in nats, p = weight / Σ weight; weight (C,) gives a number, (C, d) one a column.

    >>> round(float(entropy([1.0, 1.0])) * BITS_PER_NAT, 6)
    1.0
    """
    weight = np.asarray(weight, dtype=np.float64)
    total = weight.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(total / weight, where=weight > 0.0, out=np.zeros_like(weight))
        shares = np.where(total > 0.0, weight / total, 0.0)
    result: Floats = (shares * log).sum(axis=0)
    return result


def binary_information(n: ArrayLike, s: ArrayLike) -> Floats:
    """Return I_j (d,) in nats of the class and a feature that is present or absent.

        I_j = Σ_c { θ_jc π_c log(θ_jc / θ_j) + (1 − θ_jc) π_c log[(1 − θ_jc) / (1 − θ_j)] },    θ_j = Σ_c π_c θ_jc

    n (C,) weight of each class, π_c = n_c / Σ n; s (C, d) weight of its examples that have feature j,
    θ_jc = s_jc / n_c, 0 ≤ s ≤ n. Where feature j is not known of every example, n is (C, d), the weight of those
    where it is. 0 log 0 = 0; the result is within [0, H(class)], and exactly 0 for a feature that is as frequent in
    every class. Cost: O(C·d). Manning, Raghavan & Schütze 2008, eq. 13.17.

    >>> (binary_information([2, 2], [[2, 1], [0, 1]]) * BITS_PER_NAT).round(6).tolist()
    [1.0, 0.0]
    """
    n, s = np.asarray(n, dtype=np.float64), np.asarray(s, dtype=np.float64)
    n = n if n.ndim == 2 else n[:, None]
    absent = n - s
    if s.size and (s.min() < 0.0 or (absent < -_ROUNDING * n).any()):
        c, j = (int(k) for k in np.argwhere((s < 0.0) | (absent < -_ROUNDING * n))[0])
        raise ValueError(
            f"s must be within 0 and n, the weight of the class: feature {j} in class {c} has s = {s[c, j]:g}; "
            "occurrences of words are not examples, see word_information"
        )
    return _clip(_sum_information(n, s) + _sum_information(n, np.maximum(absent, 0.0)), n)


def word_information(n: ArrayLike, s: ArrayLike) -> Floats:
    """Return I_j (d,) in nats of the class of a document and the event that the next word drawn from it is word j.

    This is `binary_information` with θ_jc = s_jc / Σ_j s_jc. n (C,) weight of the documents of each class, s (C, d)
    words drawn. π_c = n_c / Σ n is the share of documents, the prior that the model itself puts on the class of a
    document to judge; McCallum & Nigam (AAAI-98 workshop on text, §3) take the share of words instead, which lets
    a class of long documents speak for more than it holds. A class without words draws none and is left out.

    >>> (word_information([1, 1], [[8, 8, 0], [2, 0, 2]]) * BITS_PER_NAT).round(3).tolist()
    [0.0, 0.311, 0.311]
    """
    n, s = np.asarray(n, dtype=np.float64), np.asarray(s, dtype=np.float64)
    words = s.sum(axis=1)
    per_word = np.where(words > 0.0, n, 0.0) / np.where(words > 0.0, words, 1.0)
    return binary_information(np.where(words > 0.0, n, 0.0), s * per_word[:, None])


def categorical_information(counts: ArrayLike, offsets: ArrayLike) -> Floats:
    """Return I_j (d,) in nats of the class and a feature of K_j categories.

        I_j = Σ_k Σ_c p(k, c) log [p(k, c) / (p(k) p(c))]

    counts (C, Σ_j K_j) weights of the examples by class and category; those of feature j are the columns from
    offsets[j] to offsets[j + 1]. What is missing of a feature is not counted. Cost: O(C·Σ K).

    >>> (categorical_information([[2, 0, 0], [0, 1, 1]], [0, 3]) * BITS_PER_NAT).round(6).tolist()
    [1.0]
    """
    counts, offsets = np.asarray(counts, dtype=np.float64), np.asarray(offsets, dtype=np.intp)
    starts, sizes = offsets[:-1], np.diff(offsets)
    n = np.add.reduceat(counts, starts, axis=1)
    told = _sum_information(np.repeat(n, sizes, axis=1), counts)
    return _clip(np.add.reduceat(told, starts), n)


def _sum_information(n: Floats, s: Floats) -> Floats:
    """Return Σ_c p(k, c) log [p(k, c) / (p(k) p(c))] of K outcomes seen s (C, K) times in classes of weight n (C, K or
    1)."""
    N, S = n.sum(axis=0), s.sum(axis=0)
    told = np.zeros(s.shape[1])
    for n_c, s_c in zip(n, s, strict=True):  # class by class, so that memory stays O(K)
        seen = s_c > 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            # One quotient of products: exactly 1 where the outcome is as frequent in the class as overall.
            ratio = (s_c * N) / (n_c * S)
            told += np.where(seen, s_c / N * np.log(ratio, where=seen, out=np.zeros_like(ratio)), 0.0)
    return told


def _clip(told: Floats, n: Floats) -> Floats:
    """Clip what rounding lets step over what holds for the numbers: 0 ≤ I ≤ H(class)."""
    return np.clip(told, 0.0, entropy(n))
