"""What a text model knows of its words: how often they come, what they tell of the class, their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..distributions import Counts
from ..features.information import binary_information, word_information
from .bucket_words import bucket_names

if TYPE_CHECKING:
    from .recipes import AnyText

Floats = NDArray[np.float64]


def rates(seen: Counts) -> Floats:
    """(C, K) occurrences per item."""
    per_item: Floats = seen.s / np.maximum(seen.n, 1)[:, None]
    return per_item


def information(model: AnyText, seen: Counts) -> Floats:
    """(K,) nats that words tell of the class: that an item holds the word or, where words count as often as they occur,
    that the next word drawn from it is this one."""
    if model.settings.binary:
        return binary_information(seen.n, np.minimum(seen.s, seen.n[:, None]))
    return word_information(seen.n, seen.s)


def names(model: AnyText, rows: NDArray[np.int64]) -> list[str]:
    """Of the words or hash buckets in these rows of the book."""
    bits = model.settings.hashed_bits
    if bits is None:
        return model.book.names(rows.tolist())
    buckets = [each >> (64 - bits) for each in model.book.rows(rows)[0].tolist()]
    named = bucket_names(model.settings, model.words)
    return [f"bucket {j}" if named is None else named[j] for j in buckets]
