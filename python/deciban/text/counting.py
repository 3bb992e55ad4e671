"""From labelled items to counts, with what else was found on the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .._core import Counter, Reader, Wordbook
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
    """

    book: Wordbook
    dropped: int
    digests: bytes
    members: list[int]
    duplicates: int
    conflicts: int


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
        n_jobs=n_jobs,
    )


def listed(texts: Iterable[str | bytes]) -> list[str | bytes]:
    """The texts as a list; one alone is refused, as it would be read letter by letter."""
    if isinstance(texts, (str, bytes)):
        raise TypeError("an iterable of texts is expected, not one text: put it in a list")
    return texts if isinstance(texts, list) else list(texts)


def count(
    settings: TextSettings,
    items: Iterable[str | bytes],
    members: Sequence[int],
    classes: int,
    weights: Sequence[float] | None = None,
    n_jobs: int | None = None,
    reader: Reader | None = None,
) -> tuple[Wordbook, int]:
    """The words of `items`, item i of class members[i] < classes, with its weight if there are weights; and how many
    rare words were dropped.
    """
    pass_ = counter(settings, classes, weighted=weights is not None, n_jobs=n_jobs, reader=reader)
    pass_.add(items, members, weights)
    book, dropped, *_ = pass_.finish()
    return book, dropped
