"""What a filter has learnt by steps since it was solved: the words that moved, and the offsets, in its journal.

They are a function of the file of the filter and of the open entries of the journal, in the order in which these came:
whoever learns one more reads and writes its words only; when an entry is taken back, or when the file is another,
they are computed anew. Beside them stands which file they belong to, and what the file was when it was last verified.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ..store import Opened
from ..text.experts import ServedExperts
from ..text.single_words import SingleWords, hashes_of, pack_rows, rows_of
from ..text.word_sets import Lesson

LAYOUT = (
    "CREATE TABLE steps (word INTEGER PRIMARY KEY, row BLOB NOT NULL)",
    "CREATE TABLE solution (digest TEXT NOT NULL, identity TEXT NOT NULL, offsets BLOB NOT NULL, words INT NOT NULL)",
)
"""`word` is a hash, signed, as SQLite has numbers."""
_ALL, _SIGN = 1 << 64, 1 << 63
_AT_ONCE = 500  # words that one statement asks for
_UNMET = 1.0  # the doubt of a word that no example has
_LESSONS = 256
"""Lessons that are learnt before what they change is written."""


class Solution(NamedTuple):
    """The `digest` of the file that steps begin with, and its `identity` when it was verified; the offsets after the
    steps, and how many words are known then."""

    digest: str
    identity: str
    offsets: bytes
    words: int

    def is_of(self, opened: Opened) -> bool:
        """Return whether the steps begin with this file."""
        return bool(self.digest == opened.header["digest"])


class Steps:
    """The steps in a journal."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def solution(self) -> Solution | None:
        """Return with what the steps begin; None where nobody has noted it."""
        row = self.connection.execute("SELECT digest, identity, offsets, words FROM solution").fetchone()
        return None if row is None else Solution(*row)

    def rows(self, hashes: Sequence[int]) -> dict[int, bytes]:
        """Return the rows of those of these words that moved."""
        found: dict[int, bytes] = {}
        for first in range(0, len(hashes), _AT_ONCE):
            some = hashes[first : first + _AT_ONCE]
            marks = ",".join("?" * len(some))
            told = self.connection.execute(
                f"SELECT word, row FROM steps WHERE word IN ({marks})", [*map(_signed, some)]
            )
            found.update((word % _ALL, row) for word, row in told)
        return found

    def all_rows(self) -> Iterator[dict[int, bytes]]:
        """Yield the rows of all words that moved, some at a time."""
        told = self.connection.execute("SELECT word, row FROM steps")
        while some := told.fetchmany(1 << 16):
            yield {word % _ALL: row for word, row in some}

    def begin(self, opened: Opened, offsets: bytes, words: int) -> None:
        """Begin anew with a file that was verified."""
        self.connection.execute("DELETE FROM steps")
        self.note(Solution(opened.header["digest"], opened.identity, offsets, words))

    def note(self, solution: Solution) -> None:
        """Note where the steps are by now."""
        self.connection.execute("DELETE FROM solution")
        self.connection.execute("INSERT INTO solution VALUES (?, ?, ?, ?)", solution)

    def write(self, rows: Mapping[int, bytes]) -> None:
        """Put rows of words in the place of those that were there."""
        pairs = ((_signed(word), row) for word, row in rows.items())
        self.connection.executemany("INSERT OR REPLACE INTO steps VALUES (?, ?)", pairs)


class Stepping:
    """A filter that learns by steps, which are written to its journal; who has this holds its file alone.

    Parameters
    ----------
    words : SingleWords
        What the file knows.
    steps : Steps
        What the journal knows, which is up to date.
    """

    def __init__(self, words: SingleWords, steps: Steps) -> None:
        self.words, self.steps = words, steps

    def held(self) -> int:
        """Return how many words the filter knows."""
        solution = self.steps.solution()
        assert solution is not None
        return solution.words

    def experts(self, hashes: Sequence[int]) -> ServedExperts:
        """Return experts that know these words, as far as the filter does, and can learn all of them."""
        return experts_of(self.words, self.steps, hashes, dict.fromkeys(hashes, self.words.unknown))

    def write(self, served: ServedExperts, lessons: Iterable[Lesson]) -> None:
        """Note what these experts have learnt of lessons."""
        hashes = hashes_of(lesson.words for lesson in lessons)
        if not hashes:
            return
        solution = self.steps.solution()
        assert solution is not None
        before = zip(array("Q", served.hashes), array("d", served.doubts), strict=True)
        new = {hash_ for hash_, doubt in before if doubt == _UNMET}.intersection(hashes)
        self.steps.write(rows_of(served, hashes))
        offsets = self.words.offsets_of(served)
        self.steps.note(solution._replace(offsets=offsets, words=solution.words + len(new)))

    def begin(self, opened: Opened, lessons: Iterable[Lesson]) -> None:
        """Take all steps anew from the beginning."""
        self.steps.begin(opened, self.words.offsets, len(self.words))
        left = iter(lessons)
        while some := [*islice(left, _LESSONS)]:
            served = self.experts(hashes_of(lesson.words for lesson in some))
            served.learn(some)
            self.write(served, some)


def experts_of(
    words: SingleWords, steps: Steps, hashes: Sequence[int], unknown: Mapping[int, bytes] | None = None
) -> ServedExperts:
    """Return experts that know those of these words that a file or its journal knows, and others as `unknown` says."""
    solution, moved = steps.solution(), steps.rows(hashes)
    offsets = words.offsets if solution is None else solution.offsets
    _require_rows(moved, offsets, words.served)
    return words.experts({**(unknown or {}), **words.rows(hashes), **moved}, offsets)


def put(served: ServedExperts, steps: Steps, offsets: bytes) -> None:
    """Let experts of all words of a file know what the steps say."""
    for rows in steps.all_rows():
        _require_rows(rows, offsets, served)
        own = pack_rows(rows, offsets, len(served.fusion.intercept))
        served.experts.put(own["hashes"], own["weights"], own["doubts"], own["prior"], own["squares"])


def _require_rows(rows: Mapping[int, bytes], offsets: bytes, served: ServedExperts) -> None:
    """Raise ValueError for rows or offsets of experts of other columns."""
    columns = len(served.fusion.intercept)
    if {*map(len, rows.values())} - {12 * columns + 8} or len(offsets) != 12 * columns * served.fusion.experts:
        raise ValueError("rows of weights, a doubt and squares, and offsets of each expert are expected")


def _signed(hash_: int) -> int:
    return hash_ - _ALL if hash_ >= _SIGN else hash_
