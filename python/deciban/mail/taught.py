"""A filter as it judges, with what it was taught since it was solved.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Iterable

from ..data.text_layout import ONLINE
from ..errors import DataError
from ..store import Stored, of_table, read
from ..text.experts import SETTLED_AT, ServedExperts
from ..text.served import ServedText
from ..text.word_sets import Lesson
from .journal import SUFFIX, Entry, Journal

_SIZE = 16  # bytes of a digest


def judge_of(stored: Stored, path: str | os.PathLike[str], n_jobs: int | None = None) -> ServedText:
    """Return the filter in the file at `path`, as it was read, with what its journal says that it was taught since."""
    served = ServedText.from_stored(stored, n_jobs)
    if stored.header["model"] == ONLINE and os.path.exists(os.fspath(path) + SUFFIX):
        with Journal.open(path, write=False) as journal:
            if journal is not None:
                journal.require_classes(served.classes)
                teach(served, journal.entries(solved=True), stored)
    return served


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


def teach(served: ServedText, entries: Iterable[Entry], stored: Stored) -> None:
    """Teach a filter the items of its journal that its file does not have."""
    known = KnownLabels(stored)
    new = (each for each in entries if each.labels and each.words.hashes is not None and not known[each.words.digest])
    assert isinstance(served, ServedExperts)
    try:
        served.learn([Lesson(each.words, each.labels[-1]) for each in new])
    except (ValueError, TypeError) as error:
        raise DataError(
            f"{stored.name}{SUFFIX}: expected items as sets of words; it is damaged ({error}). Restore it from a "
            "backup, or move it away: the filter then knows what its file says."
        ) from error


class KnownLabels:
    """The numbers of the classes that items have by the file of a filter, the last in force; by digest."""

    def __init__(self, stored: Stored) -> None:
        digests, classes = (stored.tensors.get(f"ledger.{name}") for name in ("digests", "classes"))
        if digests is None or classes is None:  # of a filter that was fitted from Python
            digests, classes = stored.tensors["examples.digests"], stored.tensors["examples.classes"]
        self.digests, self.classes = digests.data, array("H" if classes.dtype == "U16" else "I", classes.data)

    def __len__(self) -> int:
        return len(self.classes)

    def __getitem__(self, digest: bytes) -> tuple[int, ...]:
        first = place = bisect_left(range(len(self)), digest, key=self._at)
        while place < len(self) and self._at(place) == digest:
            place += 1
        return tuple(self.classes[first:place])

    def _at(self, place: int) -> bytes:
        return bytes(self.digests[_SIZE * place : _SIZE * (place + 1)])

    def has_grown(self, waiting: int) -> bool:
        """Return whether so many items that the file does not have are a reason to solve the filter anew."""
        return waiting > SETTLED_AT * len(self)
