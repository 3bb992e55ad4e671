"""What hash buckets are called: the words that were met in them, counted by name beside the buckets.

    bucket(word) = the first b bits of its hash          so a bucket's words stand side by side, by ascending hash

Words are counted as a dictionary counts them, so that learning adds and forgetting subtracts exactly. At most
`TextSettings.max_words` distinct words are kept, 2^20 unless set otherwise: 24 bytes and the name each, some 40 MB at
most for words of usual length. Beyond, the rarest are dropped, which `dropped` tells, and new ones passed over: the
counts of buckets stay exact, but which words name them may then depend on the order of learning.

`BucketNames` is on the path of one message from the command line: it loads no NumPy.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from ..lazy import cached_property
from .settings import TextSettings
from .word_counts import WordCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..store import Stored, Tensor

SHOWN = 3
"""So many words name a bucket, the most frequent first."""
PREFIX = "state.readable."
PARTS = ("hashes", "counts", "words", "ends")
_CODES = {"U32": "I", "F64": "d"}


@dataclass(frozen=True)
class BucketNames:
    """The names of the 2^bits buckets, from words as they lie in a file: little-endian, by ascending hash.

    hashes (V,) of 64 bits, counts (V,) of `kind` "U32" or "F64", words one after the other, which end at ends (V,).
    """

    bits: int
    hashes: bytes
    counts: bytes
    kind: str
    words: bytes
    ends: bytes

    @classmethod
    def from_tensors(cls, bits: int, tensors: Mapping[str, Tensor]) -> BucketNames | None:
        """Return the names that the tensors of a file give, or None."""
        if PREFIX + "hashes" not in tensors:
            return None
        parts = {part: bytes(tensors[PREFIX + part].data) for part in PARTS}
        return cls(bits=bits, kind=tensors[PREFIX + "counts"].dtype, **parts)

    def __getitem__(self, bucket: int) -> str:
        """The name of a bucket; DataError for names of a damaged file."""
        shift = 64 - self.bits
        first = bisect_left(self._hashes, bucket << shift)
        last = bisect_left(self._hashes, (bucket + 1) << shift, first)
        return join_words(bucket, ((self._counts[i], self._word(i)) for i in range(first, last)))

    def all(self) -> list[str]:
        """Return the names of all buckets, each once."""
        names = [f"bucket {j}" for j in range(1 << self.bits)]
        shift = 64 - self.bits
        for bucket, words in groupby(range(len(self._hashes)), key=lambda i: self._hashes[i] >> shift):
            names[bucket] = join_words(bucket, ((self._counts[i], self._word(i)) for i in words))
        return distinct(names)

    def _word(self, i: int) -> str:
        try:
            return self.words[self._ends[i - 1] if i else 0 : self._ends[i]].decode()
        except UnicodeDecodeError as error:
            raise DataError(f"The model's words are damaged: {error}. Train again.") from error

    @cached_property
    def _hashes(self) -> array[int]:
        return array("Q", self.hashes)

    @cached_property
    def _ends(self) -> array[int]:
        return array("Q", self.ends)

    @cached_property
    def _counts(self) -> array[Any]:
        return array(_CODES[self.kind], self.counts)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def join_words(bucket: int, counted: Iterable[tuple[float, str]]) -> str:
    """Return the name of a bucket of these words, each with its count: the most frequent ones, then an ellipsis.

    >>> join_words(17, [(1, "loan"), (4, "cheap")]), join_words(17, []), join_words(17, [(1, each) for each in "dcba"])
    ('cheap|loan', 'bucket 17', 'a|b|c|…')
    """
    words = [word for _, word in sorted(counted, key=lambda each: (-each[0], each[1]))]
    if not words:
        return f"bucket {bucket}"
    return "|".join([*words[:SHOWN], *(["…"] if len(words) > SHOWN else [])])


def distinct(names: list[str]) -> list[str]:
    """Return the names with the number of the bucket where two are the same: "a|b" may be one word, or two.

    >>> distinct(["a", "b", "a"])
    ['a (bucket 0)', 'b', 'a (bucket 2)']
    """
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    if len(seen) == len(names):
        return names
    return distinct([f"{name} (bucket {j})" if seen[name] > 1 else name for j, name in enumerate(names)])


def bucket_names(settings: TextSettings, words: BucketWords | None) -> BucketNames | None:
    """Return what hash buckets are called, where their words are kept."""
    bits = settings.hashed_bits
    return None if bits is None or words is None else words.names(bits)


def dropped_in_header(words: BucketWords | None) -> dict[str, int | float]:
    """Return what a file's header tells of the words, if they are kept: how many rare ones are not, and how often words
    were not counted."""
    if words is None:
        return {}
    partial = {"readable_uncounted": narrow(words.uncounted)} if words.uncounted else {}
    return {"readable_dropped": words.dropped, **partial}


def narrow(count: float) -> int | float:
    """Return a whole number as such."""
    return int(count) if count.is_integer() else count


def settings_in(values: dict[str, Any], words: BucketWords | None) -> TextSettings:
    """Return the settings that a file's header holds; buckets stay as readable as they are."""
    settings = TextSettings.from_json(values)
    return replace(settings, readable=settings.hashed_bits is None or words is not None)


@dataclass(frozen=True)
class BucketWords(WordCounts):
    """The words that were met, with how often over all classes."""

    def minus(self, less: WordCounts) -> BucketWords:
        """Return the words without those of `less`; ValueError for what was not met, if all are counted."""
        if self.is_whole:
            return super().minus(less)
        import numpy as np

        from .word_counts import find, take

        # Of words that had been dropped before they were met again, fewer occurrences are counted than there were.
        rows = find(self.book, less.book)
        hashes, counts, items, names, ends = take(less.book, np.flatnonzero(rows >= 0)).parts()
        counted = np.minimum(counts, self.book.rows(rows[rows >= 0].astype(np.int64))[1])
        part = BucketWords(type(less.book)(hashes, counted, items, names, ends))
        passed = float(less.book.parts()[1].sum() - counted.sum())
        return replace(super().minus(part), uncounted=max(self.uncounted - passed, 0.0))

    def names(self, bits: int) -> BucketNames:
        """Return the names that they give to 2^bits buckets."""
        arrays = self.arrays()
        kind = "U32" if arrays[PREFIX + "counts"].dtype.kind == "u" else "F64"
        parts = {part: arrays[PREFIX + part].tobytes() for part in PARTS}
        return BucketNames(bits=bits, kind=kind, **parts)

    def to_json(self) -> dict[str, int]:
        """Return how many words there are, and how many were dropped."""
        return {"kept": len(self.book), "dropped": self.dropped}

    # The file.

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the file keeps of them."""
        import numpy as np

        from ..store import narrowest

        hashes, counts, _, words, ends = self.book.parts()
        kept = (hashes, narrowest(counts)[:, 0], np.frombuffer(words, "u1"), ends)
        return {PREFIX + part: np.ascontiguousarray(each) for part, each in zip(PARTS, kept, strict=True)}

    @classmethod
    def from_stored(cls, stored: Stored) -> BucketWords | None:
        """Return those in a file that `store.read` has checked, or None; ValueError for parts that do not fit."""
        import numpy as np

        from .._core import Wordbook

        if PREFIX + "hashes" not in stored.tensors:
            return None
        hashes, counts, words, ends = (stored.tensors[PREFIX + part] for part in PARTS)
        seen = counts.array().astype(np.float64)[:, None]
        book = Wordbook(hashes.array(), seen, np.zeros(1), bytes(words.data), ends.array())
        dropped = stored.header["readable_dropped"]
        return cls(book, dropped, float(stored.header.get("readable_uncounted", dropped)))
