"""From labelled items to counts, with what else was found on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import Counter, Reader, Wordbook
from ..data.capacity import COPIES, has_room, require_room
from .bucket_words import BucketWords
from .settings import TextSettings
from .word_counts import WordCounts

if TYPE_CHECKING:
    from .._core import _CountedWords


@dataclass(frozen=True)
class Counted:
    """What a pass over labelled items found.

    found       the words
    digests     16 bytes for each item counted, ascending, one after the other (only where items count once)
    members     the class of each of them
    duplicates  items that had been there already under the same class, and so were not counted again
    conflicts   items that had been there already under another class: the first one stands
    """

    found: Occurrences
    digests: bytes
    members: NDArray[np.uint32]
    duplicates: int
    conflicts: int

    @classmethod
    def of(cls, pass_: Counter) -> Counted:
        """Finish a counter and take what it has found."""
        counted, digests, members, generations, duplicates, conflicts = pass_.finish()
        found = occurrences_of(counted, pass_.words(), generations)
        return cls(found, digests, members, duplicates, conflicts)


class Occurrences(NamedTuple):
    """How often words were seen in items.

    book         how often each word was seen in each class
    dropped      rare words left out because there were too many distinct ones
    words        the words of hash buckets, where they are kept
    uncounted    occurrences of words that were dropped
    generation   how often words were dropped
    born         (V,) how often they had been when each word of the book was first counted; None where they never were
    generations  of each item how often they had been when it was counted, where that is known
    """

    book: Wordbook
    dropped: int
    words: BucketWords | None
    uncounted: float = 0.0
    generation: int = 0
    born: NDArray[np.uint32] | None = None
    generations: NDArray[np.uint32] | None = None

    @property
    def seen(self) -> WordCounts:
        """The words, with what was left out."""
        return WordCounts(self.book, self.dropped, self.uncounted)


def occurrences_of(
    found: _CountedWords, words: _CountedWords | None, generations: NDArray[np.uint32] | None = None
) -> Occurrences:
    """Return what the core has counted, and the generations of the items."""
    book, dropped, uncounted, times, born = found
    named = None if words is None else BucketWords(*words[:3])
    partial = (times, born, generations) if times else ()
    return Occurrences(book, dropped, named, uncounted, *partial)


def counter(
    settings: TextSettings,
    classes: int,
    *,
    once: bool = False,
    weighted: bool = False,
    n_jobs: int | None = None,
    reader: Reader | None = None,
    bounded: bool = True,
) -> Counter:
    """Return a counter of the core with these settings, by their reader unless another is given; rare words are dropped
    where it is `bounded`."""
    return Counter(
        reader or settings.reader(),
        classes,
        binary=settings.binary,
        hashed_bits=settings.hashed_bits,
        most_words=settings.max_words if bounded else 1 << 32,
        once=once,
        weighted=weighted,
        readable=settings.readable,
        n_jobs=n_jobs,
    )


def list_texts(texts: Iterable[str | bytes]) -> list[str | bytes]:
    """Return the texts as a list; one alone is refused, as it would be read letter by letter."""
    if isinstance(texts, (str, bytes)):
        raise TypeError("an iterable of texts is expected, not one text: put it in a list")
    return as_list(texts)


def as_list(texts: Any) -> list[Any]:
    """Return texts as a list."""
    return texts if isinstance(texts, list) else list(from_arrow(texts))


def from_arrow(texts: Any) -> Any:
    """Return an array of Arrow, whose items are scalars of its own, as a list; other texts as they are."""
    return texts.to_pylist() if hasattr(texts, "to_pylist") else texts


def occurrences(
    settings: TextSettings,
    items: Iterable[str | bytes],
    members: Sequence[int],
    classes: int,
    weights: Sequence[float] | None = None,
    n_jobs: int | None = None,
    reader: Reader | None = None,
    bounded: bool = True,
) -> Occurrences:
    """Count the words of `items`, item i of class members[i] < classes, with its weight if there are weights, and the
    words of hash buckets where the settings keep them; what is to be added to others, or taken from them, is not
    `bounded` by itself."""
    items = list_texts(items)

    def count_together() -> int:
        return len(occurrences(settings, items, [0] * len(items), 1, None, n_jobs, reader, bounded).book)

    size = sum(len(item) for item in items if isinstance(item, (str, bytes)))
    require_room_for_words(classes, settings, count_together, size, bounded)
    pass_ = counter(settings, classes, weighted=weights is not None, n_jobs=n_jobs, reader=reader, bounded=bounded)
    pass_.add(items, members, weights)
    counted, *_ = pass_.finish()
    return occurrences_of(counted, pass_.words())


def require_room_for_words(
    classes: int,
    settings: TextSettings,
    count: Callable[[], int],
    most: float = math.inf,
    bounded: bool = True,
    where: str = "y holds",
) -> None:
    """Raise DataError unless a model may keep the counts of all words for every class.

    There are `most` words at most, and where they are `bounded` no more than the settings take. Where even these are
    too many, `count` counts them, over all classes together.
    """
    if settings.hashed_bits is not None:
        most = min(most, 1 << settings.hashed_bits)
    elif bounded:
        most = min(most, settings.max_words)
    if classes > 1 and not has_room(classes, COPIES * most):
        require_room(classes, COPIES * count(), where)


class WordRoom:
    """Refuses classes × words beyond the limit while items are still being read."""

    def __init__(self, settings: TextSettings) -> None:
        self._settings, self._size = settings, 0

    def require(self, classes: int, pass_: Counter, items: Sequence[str | bytes] = ()) -> None:
        """Raise DataError where the counts of the words so far, or of these items, take too much for all classes."""
        self._size += sum(map(len, items))

        def distinct() -> int:
            new = len(occurrences(self._settings, items, [0] * len(items), 1).book) if items else 0
            return max(new, pass_.distinct())

        require_room_for_words(classes, self._settings, distinct, self._size, where="there are")
