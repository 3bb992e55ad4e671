"""A filter as it judges, with what it was taught since it was solved.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..data.text_layout import ONLINE
from ..drift import Drift
from ..errors import DataError
from ..judging import UNSURE_BELOW
from ..store import Opened, Stored, of_table, read
from ..text.experts import SETTLED_AT, ServedExperts
from ..text.served import ServedText
from ..text.single_words import SingleWords, hashes_of
from ..text.word_sets import Lesson, WordSet, word_sets
from ..verdict import Explanation, Threshold, Verdict
from .database import errors_of
from .history import History
from .journal import SUFFIX, Entry, Journal
from .steps import experts_of, put

_SIZE = 16  # bytes of a digest
_FEW = 16
"""Items at most of which only the words are read; for more all words are."""
_SHORT = 1 << 20  # bytes of them
SOLVED_AT_ONCE = 20_000
"""Items at most of a filter that learn solves by itself; one that knows more waits for refresh."""


def judge_of(stored: Stored, path: str | os.PathLike[str], n_jobs: int | None = None) -> ServedText:
    """Return the filter in the file at `path`, as it was read, with what its journal says that it was taught since."""
    served = ServedText.from_stored(stored, n_jobs)
    if stored.header["model"] == ONLINE and os.path.exists(os.fspath(path) + SUFFIX):
        with Journal.open(path, write=False) as journal:
            if journal is not None:
                journal.require_classes(served.classes)
                assert isinstance(served, ServedExperts)
                served = replace(served, drift=drift_of(journal))
                _let_know(served, journal, stored)
    return served


def drift_of(journal: Journal) -> Drift:
    """Return what the evidence of a filter counts by the labels in its journal."""
    with errors_of(journal.path + SUFFIX):
        return History(journal.connection).drift()


def _let_know(served: ServedExperts, journal: Journal, stored: Stored) -> None:
    """Let experts of all words of a file know what its journal does."""
    with journal.at_once():
        solution = journal.solution()
        if solution is not None and solution.digest == stored.header["digest"]:
            put(served, journal.steps, solution.offsets)
        else:
            teach(served, journal.each_entry(solved=True), stored)


class TaughtFilter:
    """A filter that learns online, as it judges, with what it was taught since it was solved.

    Of a few items only what is known of their words is read, of its file and of its journal; of many everything is,
    once.

    Parameters
    ----------
    opened : Opened
        Its file, which stays open.
    path : path-like
        The name of the file.
    n_jobs : int, optional
        Number of threads.
    """

    def __init__(self, opened: Opened, path: str | os.PathLike[str], n_jobs: int | None = None) -> None:
        self.opened, self.path, self.n_jobs = opened, path, n_jobs
        self.words = SingleWords(opened.view(), n_jobs)
        self.settings, self.classes = self.words.served.settings, self.words.served.classes
        self._whole: ServedText | None = None

    def judge(
        self, items: Sequence[str | bytes], unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> list[Verdict]:
        """Return a verdict for each item."""
        return self._experts(items).judge(items, unsure_below, threshold)

    def explain(
        self, item: str | bytes, unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> Explanation:
        """Return why the item is judged so, word by word."""
        return self._experts([item]).explain(item, unsure_below, threshold)

    def judge_sets(self, sets: Sequence[WordSet]) -> list[Verdict]:
        """Return a verdict for each item, of which only its words are at hand."""
        whole = self._whole_filter()
        assert isinstance(whole, ServedExperts)
        return whole.judge_sets(sets)

    def _experts(self, items: Sequence[str | bytes]) -> ServedText:
        """Return experts that know the words of these items."""
        if self._whole is None and len(items) <= _FEW and sum(map(len, items)) <= _SHORT:
            few = self._experts_of_few(items)
            if few is not None:
                return few
        return self._whole_filter()

    def _whole_filter(self) -> ServedText:
        """Return experts that know all words: of the file's examples, which take most of its room, nothing is kept."""
        if self._whole is None:
            self.opened.verify()
            self._whole = judge_of(self.opened.view(), self.path, self.n_jobs)
        return self._whole

    def _experts_of_few(self, items: Sequence[str | bytes]) -> ServedExperts | None:
        """Return experts that know these words only; None where the steps in the journal are not those of this file."""
        hashes = hashes_of(word_sets(self.settings, items))
        with Journal.open(self.path, write=False) as journal:
            if journal is None:
                self.opened.verify()
                return self.words.experts(self.words.rows(hashes), self.words.offsets)
            journal.require_classes(self.classes)
            with journal.at_once():
                solution = journal.solution()
                if solution is None or not solution.is_of(self.opened):
                    return None
                if solution.identity != self.opened.identity:
                    self.opened.verify()
                experts = experts_of(self.words, journal.steps, hashes)
                return replace(experts, drift=drift_of(journal))


def open_filter(opened: Opened, path: str | os.PathLike[str], n_jobs: int | None = None) -> ServedText | TaughtFilter:
    """Return the filter in a file of a model of texts, with what its journal says that it was taught since."""
    if opened.header.get("model") == ONLINE:
        return TaughtFilter(opened, path, n_jobs)
    return ServedText.from_stored(opened.load(), n_jobs)


def read_solved(path: str | os.PathLike[str], *, tables: bool = False) -> Stored:
    """Return what a file holds, as `store.read`; of a filter that was taught since it was solved, what it will hold."""
    stored = read(path, tables=tables)
    if of_table(stored.header) or stored.header["model"] != ONLINE:
        return stored
    with Journal.open(path, write=False) as journal:
        if journal is None:
            return stored
        journal.require_classes(stored.header["classes"])
        entries = journal.entries()
    if not entries:
        return stored
    from .filter import solved  # here, because few need it

    return solved(stored, entries)


def serve_solved(stored: Stored, path: str | os.PathLike[str], n_jobs: int | None = None) -> ServedText:
    """Return the filter that `read_solved` has read, as it judges by what was labelled since."""
    served = ServedText.from_stored(stored, n_jobs)
    if not isinstance(served, ServedExperts):
        return served
    with Journal.open(path, write=False) as journal:
        return served if journal is None else replace(served, drift=drift_of(journal))


def teach(served: ServedExperts, entries: Iterable[Entry], stored: Stored) -> None:
    """Teach a filter the items of its journal that its file does not have."""
    try:
        served.learn(lessons_of(entries, stored))
    except (ValueError, TypeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{stored.name}{SUFFIX}: expected items as sets of words; it is damaged ({error}). Restore it from a "
            "backup, or move it away: the filter then knows what its file says."
        ) from error


def lessons_of(entries: Iterable[Entry], stored: Stored) -> Iterator[Lesson]:
    """Yield what is to be learnt of entries: items that are in the file of the filter under no label, or another."""
    known = KnownLabels(stored)
    for each in entries:
        if each.labels and each.words.hashes is not None and known[each.words.digest][-1:] != each.labels[-1:]:
            yield Lesson(each.words, each.labels[-1])


class KnownLabels:
    """The numbers of the classes that items have by the file of a filter, the last in force; by digest."""

    def __init__(self, stored: Stored) -> None:
        digests, classes = (stored.tensors.get(f"ledger.{name}") for name in ("digests", "classes"))
        if digests is None or classes is None:  # of a filter that was fitted from Python
            digests, classes = stored.tensors["examples.digests"], stored.tensors["examples.classes"]
        self.digests, self.classes, self.code = digests.data, classes.data, "H" if classes.dtype == "U16" else "I"
        self.width = array(self.code).itemsize

    def __len__(self) -> int:
        return len(self.digests) // _SIZE

    def __getitem__(self, digest: bytes) -> tuple[int, ...]:
        first = place = bisect_left(range(len(self)), digest, key=self._at)
        while place < len(self) and self._at(place) == digest:
            place += 1
        return tuple(array(self.code, self.classes[self.width * first : self.width * place]))

    def _at(self, place: int) -> bytes:
        return bytes(self.digests[_SIZE * place : _SIZE * (place + 1)])

    def counts(self, classes: int) -> Counter[int]:
        """Return how many items each class has, by the last labels of all."""
        found = Counter(dict.fromkeys(range(classes), 0))
        labels, digests = array(self.code, bytes(self.classes[:])), bytes(self.digests[:])
        for place, label in enumerate(labels):
            own, following = (digests[_SIZE * at : _SIZE * (at + 1)] for at in (place, place + 1))
            found[label] += own != following
        return found

    def has_grown(self, waiting: int) -> bool:
        """Return whether so many items that the file does not have are a reason to solve the filter anew."""
        return waiting > SETTLED_AT * len(self)
