"""From labelled items to counts, with what else was found on the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .._core import Counter, Reader, Wordbook
from .bucket_words import BucketWords
from .settings import TextSettings


@dataclass(frozen=True)
class Counted:
    """What a pass over labelled items found.

    book        how often each word was seen in each class
    dropped     rare words left out because there were too many distinct ones
    digests     16 bytes for each item counted, ascending, one after the other (only where items count once)
    members     the class of each of them
    duplicates  items that had been there already under the same class, and so were not counted again
    conflicts   items that had been there already under another class: the first one stands
    words       the words of hash buckets, where they are kept
    """

    book: Wordbook
    dropped: int
    digests: bytes
    members: list[int]
    duplicates: int
    conflicts: int
    words: BucketWords | None = None

    @classmethod
    def of(cls, pass_: Counter) -> Counted:
        """Finish a counter and take what it has found."""
        found = pass_.finish()
        return cls(*found, words=words_of(pass_))


class Occurrences(NamedTuple):
    """How often words were seen: the book, how many rare ones were dropped, and the words of hash buckets, if kept."""

    book: Wordbook
    dropped: int
    words: BucketWords | None

    @classmethod
    def of(cls, pass_: Counter) -> Occurrences:
        """Finish a counter and take what it has found."""
        book, dropped, *_ = pass_.finish()
        return cls(book, dropped, words_of(pass_))


def words_of(pass_: Counter) -> BucketWords | None:
    """Take the words of hash buckets that a finished counter has kept, or None."""
    found = pass_.words()
    return None if found is None else BucketWords(*found)


def counter(
    settings: TextSettings,
    classes: int,
    *,
    once: bool = False,
    weighted: bool = False,
    n_jobs: int | None = None,
    reader: Reader | None = None,
) -> Counter:
    """A counter of the core with these settings, by their reader unless another is given."""
    return Counter(
        reader or settings.reader(),
        classes,
        binary=settings.binary,
        hashed_bits=settings.hashed_bits,
        most_words=settings.max_words,
        once=once,
        weighted=weighted,
        readable=settings.readable,
        n_jobs=n_jobs,
    )


def listed(texts: Iterable[str | bytes]) -> list[str | bytes]:
    """The texts as a list; one alone is refused, as it would be read letter by letter."""
    if isinstance(texts, (str, bytes)):
        raise TypeError("an iterable of texts is expected, not one text: put it in a list")
    return texts if isinstance(texts, list) else list(texts)


def occurrences(
    settings: TextSettings,
    items: Iterable[str | bytes],
    members: Sequence[int],
    classes: int,
    weights: Sequence[float] | None = None,
    n_jobs: int | None = None,
    reader: Reader | None = None,
) -> Occurrences:
    """Count the words of `items`, item i of class members[i] < classes, with its weight if there are weights, and the
    words of hash buckets where the settings keep them."""
    pass_ = counter(settings, classes, weighted=weights is not None, n_jobs=n_jobs, reader=reader)
    pass_.add(items, members, weights)
    return Occurrences.of(pass_)
