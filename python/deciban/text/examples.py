"""Labelled items as sets of words, from which a model can be learnt again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .._core import Wordbook, counts_of_words, sums_of_words
from ..data.labelled import order_of
from ..store import Stored
from .encoder import LARGEST
from .word_sets import Lesson, WordSet

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

# Digests of examples.
_KEY = np.dtype("S16")
_NO_HASHES = np.zeros(0, np.uint64)
_NO_PASSAGES = np.zeros(0, "<u2")
# What a file keeps of examples where there is anything to tell.
_TOLD = ("times", "weights", "passages")


class Examples(NamedTuple):
    """N examples in the order of their digests, `keys`, as sets of words: row i ends at ends[i] in `words`, is of class
    y[i], and came at times[i], in seconds since 1970, or 0; `weight` (N,) is how often each counts, None for once.
    `passages`, as long as `words`, tells as `WordSet` does where each word is; None where nobody asks."""

    ends: Places
    words: NDArray[np.int32]
    y: Places
    times: Places
    keys: NDArray[np.bytes_]
    weight: Floats | None = None
    passages: NDArray[np.uint16] | None = None

    def counts(self, words: int, rows: Places) -> Floats:
        """Return (words,) how many of the examples in these rows have each word."""
        return counts_of_words(self.ends, self.words, words, rows)

    def sums(self, of_each: NDArray[Any], rows: Places) -> Floats:
        """Return the sum over the words of each example in these rows, of numbers (K,) of each word."""
        return sums_of_words(self.ends, self.words, of_each.astype(np.float64), rows)

    def take(self, rows: Places, y: Places) -> Examples:
        """Return the examples in these rows, of classes y."""
        weight = None if self.weight is None else self.weight[rows]
        lengths = (self.ends - self.starts)[rows]
        ends, places = np.cumsum(lengths), places_of(self.starts[rows], lengths)
        passages = None if self.passages is None else self.passages[places]
        return Examples(ends, self.words[places], y, self.times[rows], self.keys[rows], weight, passages)

    def plus(self, other: Examples) -> Examples:
        """Return these examples and then others, whose words have the same numbers."""
        ends = np.concatenate([self.ends, other.ends + len(self.words)])
        words, y, times, keys = (
            np.concatenate([getattr(each, name) for each in (self, other)]) for name in ("words", "y", "times", "keys")
        )
        weights = [np.ones(len(each.y)) if each.weight is None else each.weight for each in (self, other)]
        weighed = any((weight != 1.0).any() for weight in weights)
        weight = np.concatenate(weights) if weighed else None
        passages = None
        if self.passages is not None and other.passages is not None:
            passages = np.concatenate([self.passages, other.passages])
        return Examples(ends, words, y, times, keys, weight, passages)

    def in_order(self) -> Examples:
        """Return the examples as `data.labelled.KeyedExamples.order` has them."""
        order = order_of(self.keys, self.y, self.weight)
        return self.take(order, self.y[order])

    @property
    def starts(self) -> Places:
        """(N,) where each row begins."""
        return np.concatenate([[0], self.ends[:-1]]).astype(np.int64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file's tensors keep."""
        own = {
            "examples.ends": self.ends.astype("<u8"),
            "examples.words": self.words.view("<u4"),
            "examples.classes": self.y.astype("<u4"),
            "examples.digests": np.frombuffer(self.keys.astype(_KEY).tobytes(), np.uint8).reshape(-1, _KEY.itemsize),
        }
        if self.times.any():
            own["examples.times"] = self.times
        if self.weight is not None:
            own["examples.weights"] = self.weight
        if self.passages is not None:
            own["examples.passages"] = self.passages.astype("<u2", copy=False)
        return own

    @classmethod
    def from_stored(cls, stored: Stored, words: int, classes: int) -> Self:
        """Return the examples in a file; ValueError for those that no model of so many words and classes has learnt."""
        told = {name: stored.tensors[f"examples.{name}"].array() for name in ("ends", "words", "classes", "digests")}
        told |= {name: stored.tensors[each].array() for name in _TOLD if (each := f"examples.{name}") in stored.tensors}
        ends, chosen = told["ends"].astype(np.int64), told["words"].astype(np.int32)
        times, y = told.get("times", np.zeros(len(ends), np.int64)), told["classes"].astype(np.int64)
        if (np.diff(ends, prepend=0) < 0).any() or (int(ends[-1]) if len(ends) else 0) != len(chosen):
            raise ValueError("examples that end where their words do are expected")
        if chosen.size and not 0 <= int(chosen.min()) <= int(chosen.max()) < words:
            raise ValueError("examples of known words are expected")
        if (y >= classes).any():
            raise ValueError("examples of known classes are expected")
        weight = told.get("weights")
        if weight is not None and not ((weight > 0.0) & (weight <= LARGEST)).all():
            raise ValueError("examples with weights above 0 are expected")
        passages = told.get("passages")
        if passages is not None and len(passages) != len(chosen):
            raise ValueError("passages for each word are expected")
        keys = told["digests"].reshape(-1).view(_KEY)
        return cls(ends, chosen, y, times, keys, weight, None if passages is None else passages.astype(np.uint16))


def places_of(starts: Places, lengths: Places) -> Places:
    """Return the places of rows of these lengths, one after the other, which begin at these places."""
    places: Places = np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return places


def gather(lessons: Sequence[Lesson], classes: int, placed: bool = True) -> tuple[Wordbook, Examples]:
    """Return the words of some lessons, not counted but once each, and the lessons as sets of these, `placed` in their
    passages."""
    sets = [lesson.words for lesson in lessons]
    each = [np.frombuffer(words.hashes, "<u8") for words in sets]
    hashes, first, places = np.unique(np.concatenate([_NO_HASHES, *each]), return_index=True, return_inverse=True)
    chosen = _names_at(sets, first)
    name_ends = np.cumsum([len(name) for name in chosen], dtype=np.uint64)
    book = Wordbook(hashes, np.ones((len(hashes), classes)), np.ones(classes), b"".join(chosen), name_ends)
    ends = np.cumsum([len(own) for own in each], dtype=np.int64)
    rows = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    order = np.lexsort((places, rows))
    words = places[order].astype(np.int32)
    passages = np.concatenate([_NO_PASSAGES, *(np.frombuffer(words.passages, "<u2") for words in sets)])[order]
    weight = np.array([lesson.weight for lesson in lessons], float)
    keys = np.array([words.digest for words in sets], _KEY)
    y, times = (np.array(values, np.int64) for values in ([each.label for each in lessons], [s.arrival for s in sets]))
    weighed = weight if (weight != 1.0).any() else None
    return book, Examples(ends, words, y, times, keys, weighed, passages.astype(np.uint16) if placed else None)


def _names_at(sets: Sequence[WordSet], places: Places) -> list[bytes]:
    """Return the names of the words at these places among those of all sets: of the others none is made."""
    ends = [np.frombuffer(words.ends, "<u8") for words in sets]
    starts = np.cumsum([0, *map(len, ends)])
    which = np.searchsorted(starts, places, side="right") - 1
    found = []
    for i, k in zip(which.tolist(), (places - starts[which]).tolist(), strict=True):
        found.append(sets[i].names[int(ends[i][k - 1]) if k else 0 : int(ends[i][k])])
    return found


def count_words(book: Wordbook, examples: Examples, classes: int) -> tuple[Wordbook, Examples]:
    """Return the words that the examples have, counted by class, and the examples as sets of these."""
    each = np.repeat(examples.y, np.diff(examples.ends, prepend=0))
    often = None if examples.weight is None else np.repeat(examples.weight, np.diff(examples.ends, prepend=0))
    found = np.bincount(examples.words.astype(np.int64) * classes + each, often, minlength=len(book) * classes)
    counts = found.reshape(len(book), classes).astype(float)
    kept = np.flatnonzero(counts.any(axis=1))
    items = np.bincount(examples.y, examples.weight, minlength=classes).astype(float)
    words = (np.cumsum(counts.any(axis=1)) - 1)[examples.words].astype(np.int32)
    return Wordbook(book.hashes[kept], counts[kept], items, *book.packed_names(kept)), examples._replace(words=words)
