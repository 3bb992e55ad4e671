"""Counts of words that stay within a bound, and are exact all the same: what is forgotten was never learnt.

    uncounted   occurrences, in what was learnt, of words that are not in the book: 0 says that it holds every word

A word of the book is counted in all that was learnt. So once an occurrence has not been counted, no word that is not in
the book is learnt: earlier items may have held it. When those are forgotten nothing is uncounted, and new words enter
again. `text.generations` says more, for who knows the items one by one: there, rare words give way to new ones.

This is on the path of one message from the command line: it loads no NumPy before something is learnt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .._core import Wordbook

    Rows = NDArray[np.intp]

# What rounding leaves of the occurrences in weighted items, as a share of them.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class WordCounts:
    """Words with their counts by class; `dropped` words were left out, and `uncounted` occurrences of words."""

    book: Wordbook
    dropped: int = 0
    uncounted: float = 0.0

    @property
    def is_whole(self) -> bool:
        """Whether every word that was met is counted."""
        return self.uncounted == 0.0

    def plus(self, more: WordCounts, most: int) -> Self:
        """Return what has also met `more`; its new words are passed over where there would be more than `most`."""
        mine, theirs = self._common(more), more._common(self)
        known = find(mine.book, theirs.book) >= 0
        if len(mine.book) + int((~known).sum()) > most:
            theirs = theirs._only(known)
        return mine._with(theirs)

    def merge(self, other: WordCounts, most: int) -> Self:
        """Return what has met both, whichever is first: where there would be more than `most` words, the rarest are
        dropped until half as many are left."""
        return self._common(other)._with(other._common(self)).within(most)

    def within(self, most: int) -> Self:
        """Return the same, or where there are more than `most` words the more frequent ones, half as many."""
        if len(self.book) <= most:
            return self
        kept = self._only_rows(self.book.most_frequent(most // 2))
        return replace(kept, dropped=kept.dropped + len(self.book) - len(kept.book))

    def minus(self, less: WordCounts) -> Self:
        """Return what never met `less`; ValueError if the counts prove that it had not been met."""
        if self.is_whole:
            return replace(self, book=self.book.minus(less.book))
        known = find(self.book, less.book) >= 0
        left = self.uncounted - less._only(known).uncounted
        if left < -_ROUNDING * self.uncounted:
            (name,) = less.book.names([int((~known).argmax())])
            raise ValueError(f"{name!r} is to be forgotten more often than it was learnt")
        book = self.book.minus(less._only(known).book)
        if left <= _ROUNDING * self.uncounted:
            return replace(self, book=book, dropped=0, uncounted=0.0)
        return replace(self, book=book, uncounted=left)

    def _common(self, other: WordCounts) -> Self:
        """Return the words that are counted in all that `other` has met, too."""
        return self if other.is_whole else self._only(find(other.book, self.book) >= 0)

    def _only(self, kept: NDArray[np.bool_]) -> Self:
        return self._only_rows(kept.nonzero()[0])

    def _only_rows(self, rows: Rows) -> Self:
        """Return the words in these rows: what the others were counted is uncounted."""
        if len(rows) == len(self.book):
            return self
        kept = take(self.book, rows)
        return replace(self, book=kept, uncounted=self.uncounted + total(self.book) - total(kept))

    def _with(self, more: WordCounts) -> Self:
        return replace(
            self,
            book=self.book.plus(more.book),
            dropped=self.dropped + more.dropped,
            uncounted=self.uncounted + more.uncounted,
        )


def find(book: Wordbook, other: Wordbook) -> Rows:
    """Return (len(other),) the row of each word of `other` in `book`, or −1."""
    import numpy as np

    mine, theirs = book.hashes, other.hashes
    if not len(mine):
        return np.full(len(theirs), -1)
    rows = np.searchsorted(mine, theirs)
    rows[rows == len(mine)] = 0
    return np.where(mine[rows] == theirs, rows, -1)


def take(book: Wordbook, rows: Rows, items: Any = None) -> Wordbook:
    """Return the words in these rows, ascending, of the same items, or of `items` (C,)."""
    import numpy as np

    return book.take(np.asarray(rows, np.int64), np.array(book.items if items is None else items, np.float64))


def total(book: Wordbook) -> float:
    """Return how often its words were counted, all together."""
    return float(book.parts()[1].sum())
