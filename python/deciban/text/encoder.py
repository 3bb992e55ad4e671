"""From items to words: how they are read, and every word that was met, with how often in each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import Dictionary, Wordbook
from ..claims import Claims
from ..distributions import Counts
from ..features.information import binary_information, word_information
from ..store import Stored, narrowest
from .bucket_words import BucketWords, bucket_names, dropped_in_header, narrow, settings_in
from .counting import Occurrences
from .generations import Generations, State
from .settings import TextColumns, TextSettings
from .word_counts import WordCounts

Floats = NDArray[np.float64]

# As many as 32-bit places tell apart.
_NO_BOUND = 1 << 32


@dataclass(frozen=True, kw_only=True)
class WordEncoder:
    """Items as rows of their words, or of the hash buckets of their words.

    `book` counts every word by class, also those outside the dictionary: which words are the most frequent is derived
    like every other parameter, so that any order of learning and unlearning ends in the same model. If there were more
    than `settings.max_words` distinct words, the `dropped` rarest are not in it, and `uncounted` occurrences;
    `generations` tell then in which items each word counts, where these are known one by one. `words` are those of hash
    buckets, where they are kept. Each word counts `scale` (K,) times, None for once; where `of_length_one`, rows are
    divided by their lengths. `origin` names the columns of the table that the items were in, if they were.
    """

    settings: TextSettings
    book: Wordbook
    dropped: int = 0
    uncounted: float = 0.0
    generations: Generations | None = None
    words: BucketWords | None = None
    scale: Floats | None = None
    of_length_one: bool = False
    origin: TextColumns | None = None

    @classmethod
    def of(cls, settings: TextSettings, found: Occurrences) -> WordEncoder:
        """Return the encoder of the words of items that were counted."""
        return cls(
            settings=settings,
            book=found.book,
            dropped=found.dropped,
            uncounted=found.uncounted,
            words=found.words,
        )

    @property
    def claims(self) -> Claims:
        """What so many items can tell."""
        return Claims(float(np.array(self.book.items).sum()))

    def features(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], Counts]:
        """Return the words that are features, the most frequent ones or all buckets: their rows (K,) in the book, their
        hashes (K,), and how often each was seen in each class."""
        k, seen = self.settings.max_features, len(self.book)
        rows = self.book.most_frequent(seen if k is None or self.settings.hashed_bits else min(k, seen))
        hashes, counts = self.book.rows(rows)
        return rows, hashes, Counts(np.array(self.book.items), np.ascontiguousarray(counts.T))

    def names(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the names of the words or hash buckets in these rows of the book."""
        bits = self.settings.hashed_bits
        if bits is None:
            return self.book.names(rows.tolist())
        buckets = [each >> (64 - bits) for each in self.book.rows(rows)[0].tolist()]
        named = bucket_names(self.settings, self.words)
        return [f"bucket {j}" if named is None else named[j] for j in buckets]

    def information(self, seen: Counts) -> Floats:
        """Return (K,) nats that words tell of the class: that an item holds the word or, where words count as often as
        they occur, that the next word drawn from it is this one."""
        if self.settings.binary:
            return binary_information(seen.n, np.minimum(seen.s, seen.n[:, None]))
        return word_information(seen.n, seen.s)

    def dictionary(self, n_jobs: int | None = None) -> Dictionary:
        """Return all words of the book as columns, in the core."""
        return dictionary_of(self.settings, pack(self.book.parts()[0]), n_jobs)

    # Learning is +, unlearning −.

    @property
    def seen(self) -> WordCounts:
        """The words, with what was left out."""
        return WordCounts(self.book, self.dropped, self.uncounted)

    @property
    def retired(self) -> int:
        """How many words gave way to others."""
        return 0 if self.generations is None else len(self.generations.retired)

    def plus(self, more: WordEncoder | Occurrences) -> WordEncoder:
        """Return the encoder that has also met these words, as far as it may hold them."""
        return self._after(self.seen.plus(more.seen, self.settings.max_words), _sum(self.words, more.words, self))

    def merge(self, other: WordEncoder, bounded: bool = True) -> WordEncoder:
        """Return the encoder that has met the words of both, whichever is first; with more words than it may hold where
        it is not `bounded`."""
        words, most = None, self.settings.max_words if bounded else _NO_BOUND
        if self.words is not None and other.words is not None:
            words = self.words.merge(other.words, most)
        return self._after(self.seen.merge(other.seen, most), words)

    def within_bound(self) -> WordEncoder:
        """Return the encoder with no more words than it may hold, the more frequent ones."""
        most = self.settings.max_words
        return self._after(self.seen.within(most), None if self.words is None else self.words.within(most))

    def minus(self, less: WordEncoder | Occurrences) -> WordEncoder:
        """Return the encoder that never met these words; ValueError if the counts prove that it had not met them."""
        return self._after(self.seen.minus(less.seen), _difference(self.words, less.words))

    def _after(self, seen: WordCounts, words: BucketWords | None, of: Generations | None = None) -> WordEncoder:
        return replace(
            self, book=seen.book, dropped=seen.dropped, uncounted=seen.uncounted, words=words, generations=of
        )

    # The same where items are known one by one.

    def knowing(self, found: Occurrences) -> WordEncoder:
        """Return the encoder that knows in which of the items that were counted each word counts."""
        if found.born is None:
            return self
        return replace(self, generations=Generations.first(self.book, found.generation, found.born))

    def learn(self, more: Occurrences) -> tuple[WordEncoder, int]:
        """Return the encoder that has also learnt these items, whose words fit or have rarer ones give way, and their
        generation."""
        state, generation = self._state().learn(more.book, self.settings.max_words, self._rarest)
        return self._after(state.seen, _sum(self.words, more.words, self), state.generations), generation

    def learn_again(self, more: Occurrences, generation: int) -> WordEncoder:
        """Return the encoder that has learnt these items again, which were of a generation."""
        state = self._state().learn_again(more.book, generation)
        return self._after(state.seen, _sum(self.words, more.words, self), state.generations)

    def forget(self, less: Occurrences, generation: int) -> WordEncoder:
        """Return the encoder that never learnt these items of a generation."""
        state = self._state().forget(less.book, generation)
        return self._after(state.seen, _difference(self.words, less.words), state.generations)

    def settle(self, newest: int) -> WordEncoder:
        """Return the encoder where no item is of a later generation than `newest`."""
        state = self._state().settle(newest)
        return self._after(state.seen, self.words, state.generations)

    def _state(self) -> State:
        return State(self.seen, self.generations)

    def _rarest(self, book: Wordbook, rows: NDArray[np.intp], n: int) -> NDArray[np.intp]:
        """Return the rows of the n words of which the fewest were seen; of equal ones those that tell least of the
        class."""
        _, counts = book.rows(rows)
        totals = counts.sum(axis=1)
        limit = np.partition(totals, n - 1)[n - 1]
        rarest, tied = np.flatnonzero(totals < limit), np.flatnonzero(totals == limit)
        told = self.information(Counts(np.array(book.items), np.ascontiguousarray(counts[tied].T)))
        chosen = tied[np.argsort(told, kind="stable")[: n - len(rarest)]]
        first: NDArray[np.intp] = rows[np.concatenate([rarest, chosen])]
        return first

    def with_classes(self, place: list[int], classes: int) -> WordEncoder:
        """Return the same counts as part of more classes, each at its new place."""
        hashes, counts, items, words, ends = self.book.parts()
        wide, members = np.zeros((len(hashes), classes)), np.zeros(classes)
        wide[:, place], members[place] = counts, items
        return replace(self, book=Wordbook(hashes, wide, members, words, ends))

    def only_classes(self, kept: NDArray[np.intp]) -> WordEncoder:
        """Return the same counts of some of the classes."""
        hashes, counts, items, words, ends = self.book.parts()
        return replace(self, book=Wordbook(hashes, np.ascontiguousarray(counts[:, kept]), items[kept], words, ends))

    # The file.

    def header(self) -> dict[str, Any]:
        """Return what a file's header keeps."""
        partial = {"uncounted": narrow(self.uncounted)} if self.uncounted else {}
        of = {"generation": self.generations.now} if self.generations else {}
        return {
            "text": self.settings.to_json(),
            "dropped": self.dropped,
            **partial,
            **of,
            **({} if self.origin is None else {"origin": self.origin._asdict()}),
            **dropped_in_header(self.words),
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file's tensors keep: the words with their counts."""
        hashes, counts, items, words, ends = self.book.parts()
        return {
            "state.hashes": hashes,
            "state.counts": narrowest(counts),
            "state.items": items,
            "state.words": np.frombuffer(words, "u1"),
            "state.ends": ends,
            **({} if self.generations is None else self.generations.arrays()),
            **({} if self.words is None else self.words.arrays()),
            **({} if self.scale is None else {"score.scale": self.scale.astype("<f8")}),
        }

    @classmethod
    def from_stored(cls, stored: Stored, of_length_one: bool = False) -> WordEncoder:
        """Return the encoder in a file that `store.read` has checked; ValueError for parts that do not fit together."""
        parts = ("hashes", "counts", "items", "words", "ends")
        hashes, counts, items, words, ends = (stored.tensors[f"state.{part}"] for part in parts)
        seen = counts.array().astype(np.float64)
        book = Wordbook(hashes.array(), seen, items.array(), bytes(words.data), ends.array())
        named, scale = BucketWords.from_stored(stored), None
        if "score.scale" in stored.tensors:
            scale = np.array(stored.tensors["score.scale"].array())
            if not ((scale > 0.0) & (scale <= LARGEST)).all():
                raise ValueError("words that weigh nothing, or too much")
        return cls(
            settings=settings_in(stored.header["text"], named),
            book=book,
            dropped=stored.header["dropped"],
            uncounted=float(stored.header.get("uncounted", stored.header["dropped"])),
            generations=Generations.from_stored(stored),
            words=named,
            scale=scale,
            of_length_one=of_length_one,
            origin=TextColumns.from_header(stored.header),
        )


# Beyond such sizes sums would leave the range of a float64.
LARGEST = 1e100


def _sum(mine: BucketWords | None, theirs: BucketWords | None, of: WordEncoder) -> BucketWords | None:
    return None if mine is None or theirs is None else mine.plus(theirs, of.settings.max_words)


def _difference(mine: BucketWords | None, theirs: BucketWords | None) -> BucketWords | None:
    return None if mine is None or theirs is None else mine.minus(theirs)


def dictionary_of(settings: TextSettings, hashes: bytes, n_jobs: int | None) -> Dictionary:
    """Return the words as columns, in the core."""
    return Dictionary(
        settings.reader(), hashes, binary=settings.binary, hashed_bits=settings.hashed_bits, n_jobs=n_jobs
    )


def rates(seen: Counts) -> Floats:
    """Return (C, K) occurrences per item."""
    per_item: Floats = seen.s / np.maximum(seen.n, 1)[:, None]
    return per_item


def pack(array: NDArray[Any]) -> bytes:
    """Return an array as it lies in a file."""
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
