"""Which words count in which items, once there are more words than a filter holds: rare ones give way to new ones.

    item.generation                when it was learnt
    word.born, word.until          from which generation on, and before which, items count it

    count of a word  =  how often it occurs in the items with born ≤ generation < until

A new generation begins where the words of an item do not fit. The rarest words retire then: they no longer speak, but
their counts are kept, and are exact. When nothing is left that was learnt from that generation on, they return. So
what is learnt and forgotten was never learnt, in any order, and nothing is taken from the counts of other items. At
most half as many words are retired as the filter holds; beyond, the oldest are let go for good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import Wordbook
from ..data.text_layout import LAST_GENERATION
from ..errors import DataError
from ..store import Stored, narrowest
from .word_counts import WordCounts, find, take, total

Ints = NDArray[np.uint32]
Rows = NDArray[np.intp]
Choice = Callable[[Wordbook, Rows, int], Rows]
"""Of some rows of a book, so many that may best give way."""

_SHARE = 8
"""What is learnt at once puts at most 1/8 of the words of a full filter in the place of others."""


@dataclass(frozen=True)
class Retired:
    """R words that gave way: hashes (R,), counts (R, C), names, which end at ends (R,), born (R,) and until (R,).

    They stand in the order in which they gave way, those that did together by ascending hash.
    """

    hashes: NDArray[np.uint64]
    counts: NDArray[np.float64]
    names: bytes
    ends: NDArray[np.uint64]
    born: Ints
    until: Ints

    @classmethod
    def none(cls, classes: int) -> Retired:
        """Return no words."""
        number = np.empty(0, np.uint32)
        return cls(np.empty(0, np.uint64), np.empty((0, classes)), b"", np.empty(0, np.uint64), number, number)

    def __len__(self) -> int:
        return len(self.hashes)

    def _slice(self, start: int, end: int) -> Retired:
        first = int(self.ends[start - 1]) if start else 0
        last = int(self.ends[end - 1]) if end else 0
        part = slice(start, end)
        return Retired(
            self.hashes[part],
            self.counts[part],
            self.names[first:last],
            self.ends[part] - np.uint64(first) if len(self.ends) else self.ends,
            self.born[part],
            self.until[part],
        )

    def plus(self, book: Wordbook, born: Ints, until: int) -> Retired:
        """Return also the words of this book, which items count before generation `until`."""
        hashes, counts, _, names, ends = book.parts()
        return Retired(
            np.concatenate([self.hashes, hashes]),
            np.concatenate([self.counts, counts]),
            self.names + names,
            np.concatenate([self.ends, (ends if len(ends) else np.zeros(len(hashes), np.uint64)) + len(self.names)]),
            np.concatenate([self.born, born]),
            np.concatenate([self.until, np.full(len(hashes), until, np.uint32)]),
        )

    def split(self, until: int) -> tuple[Retired, Retired]:
        """Return those that gave way before this generation, and the others."""
        place = int(np.searchsorted(self.until, until))
        return self._slice(0, place), self._slice(place, len(self))

    def book(self) -> tuple[Wordbook, Ints]:
        """Return the words that gave way together, as a book of no items, and the generations in which they were born;
        without those that no item holds any more."""
        classes = self.counts.shape[1]
        ends = self.ends if self.names else self.ends[:0]  # buckets have no names
        whole = Wordbook(self.hashes, self.counts, np.zeros(classes), self.names, ends)
        held = np.flatnonzero(self.counts.any(axis=1))
        return take(whole, held), self.born[held]

    def change(self, by: Wordbook, generation: int, sign: int) -> tuple[Retired, float]:
        """Return the words with the counts of `by`, of items of a generation, added or subtracted, and how often other
        words stand there."""
        hashes, counts, *_ = by.parts()
        if not len(hashes):
            return self, 0.0
        within = np.flatnonzero((self.born <= generation) & (generation < self.until))
        places = np.minimum(np.searchsorted(hashes, self.hashes[within]), len(hashes) - 1)
        same = hashes[places] == self.hashes[within]
        within, places = within[same], places[same]
        changed = self.counts.copy()
        changed[within] += sign * counts[places]
        if (changed[within] < 0.0).any():
            raise ValueError("a word that gave way is to be forgotten more often than it was learnt")
        return replace(self, counts=changed), float(counts.sum() - counts[places].sum())


@dataclass(frozen=True)
class Generations:
    """The generation `now`, `born` (V,) of the words of the book, which generations `opened` may end again, and the
    words that are `retired`."""

    now: int
    born: Ints
    opened: tuple[int, ...]
    retired: Retired

    @classmethod
    def first(cls, book: Wordbook, now: int = 0, born: Ints | None = None) -> Generations:
        """Return the first generations of a book from which nothing gave way."""
        born = np.zeros(len(book), np.uint32) if born is None else born
        return cls(now, born, (), Retired.none(len(book.items)))

    # The file.

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file's tensors keep."""
        gone = self.retired
        return {
            "state.born": self.born,
            "state.opened": np.array(self.opened, np.uint32),
            "retired.hashes": gone.hashes,
            "retired.counts": narrowest(gone.counts),
            "retired.words": np.frombuffer(gone.names, "u1"),
            "retired.ends": gone.ends,
            "retired.born": gone.born,
            "retired.until": gone.until,
        }

    @classmethod
    def from_stored(cls, stored: Stored) -> Generations | None:
        """Return those in a file that `store.read` has checked, or None; ValueError for parts that do not fit."""
        if "generation" not in stored.header:
            return None
        parts = {
            name.partition(".")[2]: tensor for name, tensor in stored.tensors.items() if name.startswith("retired.")
        }
        now, born = stored.header["generation"], stored.tensors["state.born"].array()
        opened = stored.tensors["state.opened"].array()
        gone = Retired(
            parts["hashes"].array(),
            parts["counts"].array().astype(np.float64),
            bytes(parts["words"].data),
            parts["ends"].array(),
            parts["born"].array(),
            parts["until"].array(),
        )
        for each in (born, opened, gone.until):
            if (each > now).any():
                raise ValueError("generations that are still to come")
        rises = (opened[1:] > opened[:-1]).all() and (gone.until[1:] >= gone.until[:-1]).all()
        if not (rises and np.isin(gone.until, opened).all() and (gone.born < gone.until).all()):
            raise ValueError("generations out of order")
        for until in np.unique(gone.until).tolist():
            gone.split(until + 1)[0].split(until)[1].book()  # which checks hashes, counts and names
        return cls(now, born, tuple(opened.tolist()), gone)

    def follow(self, before: Wordbook, after: Wordbook, new: int) -> Generations:
        """Return the same for another book, in which new words are born in generation `new`."""
        rows = find(before, after)
        born = np.where(rows >= 0, self.born[rows], new) if len(before) else np.full(len(after), new)
        return replace(self, born=born.astype(np.uint32))


@dataclass(frozen=True)
class State:
    """Counts of words, and the generations; None where every word is counted in every item."""

    seen: WordCounts
    generations: Generations | None = None

    def learn(self, more: Wordbook, most: int, choose: Choice) -> tuple[State, int]:
        """Return what has also learnt `more`, within `most` words, and the generation of its items."""
        book = self.seen.book
        known = find(book, more)
        new = np.flatnonzero(known < 0)
        if len(book) + len(new) <= most:
            return self._learn(more, self._first().now if self.generations else 0)
        of, generation = self._first(), self._first().now + 1
        if generation >= LAST_GENERATION:
            raise DataError(f"Expected words to give way {LAST_GENERATION - 1:,} times at most. Train again.")
        taken, gone = _give_way(book, more, known, new, most, choose)
        kept = np.ones(len(book), bool)
        kept[gone] = False
        retired = of.retired.plus(take(book, gone, np.zeros(len(book.items))), of.born[gone], generation)
        smaller = take(book, np.flatnonzero(kept))
        within = take(more, np.sort(np.concatenate([np.flatnonzero(known >= 0), taken])))
        refused = total(more) - total(within)
        of = Generations(generation, of.born[kept], (*of.opened, generation), retired)
        seen = replace(self.seen, book=smaller, uncounted=self.seen.uncounted + refused)
        left, generation = replace(self, seen=seen, generations=of)._learn(within, generation)
        of = left._first()
        # A word that was refused now may be met again: then it is of a later generation than these items.
        left = replace(left, generations=replace(of, now=of.now + (refused > 0.0)))
        return left._let_go(most // 2), generation

    def _learn(self, more: Wordbook, generation: int) -> tuple[State, int]:
        book = self.seen.book.plus(more)
        of = self.generations and self.generations.follow(self.seen.book, book, generation)
        return State(replace(self.seen, book=book), of), generation

    def _first(self) -> Generations:
        return self.generations or Generations.first(self.seen.book)

    def _let_go(self, most: int) -> State:
        """Return the state without the words that gave way first, where there are more than `most`."""
        of = self._first()
        if len(of.retired) <= most:
            return self
        gone, left = of.retired.split(int(of.retired.until[len(of.retired) - most - 1]) + 1)
        opened = tuple(each for each in of.opened if each > int(gone.until[-1]))
        seen = replace(
            self.seen,
            dropped=self.seen.dropped + len(gone),
            uncounted=self.seen.uncounted + float(gone.counts.sum()),
        )
        return State(seen, replace(of, opened=opened, retired=left))

    def forget(self, less: Wordbook, generation: int) -> State:
        """Return what never learnt `less`, items of a generation."""
        return self._change(less, generation, -1)

    def learn_again(self, more: Wordbook, generation: int) -> State:
        """Return what has learnt `more` as items of an earlier generation: as before they were forgotten."""
        return self._change(more, generation, 1)

    def _change(self, by: Wordbook, generation: int, sign: int) -> State:
        book, of = self.seen.book, self.generations
        if of is None:
            return State(replace(self.seen, book=book.minus(by) if sign < 0 else book.plus(by)))
        rows = find(book, by)
        counted = (rows >= 0) & (of.born[rows] <= generation) if len(book) else rows >= 0
        part = take(by, np.flatnonzero(counted))
        other = take(by, np.flatnonzero(~counted), np.zeros(len(by.items)))
        changed = book.minus(part) if sign < 0 else book.plus(part)
        retired, uncounted = of.retired.change(other, generation, sign)
        seen = replace(self.seen, book=changed, uncounted=self.seen.uncounted + sign * uncounted)
        return State(seen, replace(of.follow(book, changed, of.now), retired=retired))

    def settle(self, newest: int) -> State:
        """Return the state where no item is of a later generation than `newest`: what gave way since then returns."""
        state = self
        while state.generations and state.generations.opened and newest < state.generations.opened[-1]:
            state = state._close(state.generations)
        of = state.generations
        if of and state.seen.uncounted == 0.0 and not len(of.retired):
            return State(replace(state.seen, dropped=0))
        return state

    def _close(self, of: Generations) -> State:
        """Return the state before the generation that was opened last."""
        left, gone = of.retired.split(of.opened[-1])
        returned, born = gone.book()
        book = self.seen.book.plus(returned)
        found = replace(of.follow(self.seen.book, book, 0), now=of.opened[-1] - 1, opened=of.opened[:-1], retired=left)
        found.born[find(book, returned)] = born
        return State(replace(self.seen, book=book), found)


def _give_way(book: Wordbook, more: Wordbook, known: Rows, new: Rows, most: int, choose: Choice) -> tuple[Rows, Rows]:
    """Return which of the `new` rows of `more` are taken, the most frequent, and which rows of the book give way."""
    room = max(most - len(book), 0)
    others = np.ones(len(book), bool)
    others[known[known >= 0]] = False
    free = np.flatnonzero(others)
    size = min(len(new), max(room, most // _SHARE), room + len(free))
    counts = more.parts()[1][new].sum(axis=1)
    taken = new[np.argsort(-counts, kind="stable")[:size]]
    return taken, np.sort(choose(book, free, size - room)) if size > room else free[:0]
