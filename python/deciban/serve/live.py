"""A model that is followed while others teach it: what classifies is replaced as a whole, never changed.

This is shared by all protocols: it classifies, explains, learns and forgets, and knows nothing of sockets.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

from .. import store
from ..data.text_layout import NAIVE_BAYES, ONLINE
from ..errors import DataError, UsageError, escape
from ..judging import UNSURE_BELOW
from ..mail.journal import SUFFIX
from ..mail.outcomes import Outcome, label_among
from ..mail.reading import Batch
from ..mail.taught import judge_of
from ..mail.teaching import Teaching, teach_filter
from ..text.experts import ServedExperts
from ..verdict import Explanation, Verdict
from .rating import GTUBE, Rating, rate_test_message, rate_verdict

NAMED = 12
"""Words of an explanation of mail."""
_FILES = ("", SUFFIX, f"{SUFFIX}-wal")
_DESCRIBED = 1000  # columns of a table at most that a description of the API lists
Item = str | bytes
Version = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Snapshot:
    """A model as it classifies, the digest of its file, and what its files were when it was read."""

    served: Any
    digest: str
    version: Version


class LiveModel:
    """The model in a file, as it is now: of mail, of texts or of a table.

    Parameters
    ----------
    path : str
        Name of the file.

    Attributes
    ----------
    kind : str
        "mail", "text" or "table".
    classes : list of str
        The labels.
    is_due : bool
        Whether it is to be refreshed, after lessons that only that takes in whole.
    """

    def __init__(self, path: str) -> None:
        self.path, self.is_due, self._lock = path, False, Lock()
        header = store.read_header(path)
        self.kind: str = "table" if store.of_table(header) else header["text"]["kind"]
        self.model: str = str(header.get("model", "table"))
        self.snapshot = self._read()
        self.classes = [str(label) for label in self.snapshot.served.classes]

    def columns(self) -> dict[str, str]:
        """Return of a table what kind each column is, by name; nothing of texts, nor of very many columns."""
        served = self.snapshot.served if self.kind == "table" else None
        if served is None or len(served.names) > _DESCRIBED:
            return {}
        return dict(zip(served.names, served.model.columns.kinds, strict=True))

    @property
    def can_learn(self) -> bool:
        """Whether it learns and forgets single items."""
        return self.kind != "table" and self.model in (ONLINE, NAIVE_BAYES)

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """Return a verdict on each message or text."""
        found: list[Verdict] = self.snapshot.served.judge(items)
        return found

    def explain_item(self, item: Item) -> Explanation:
        """Return the evidence for the verdict on a message or text."""
        why: Explanation = self.snapshot.served.explain(item)
        return why

    def judge_rows(self, rows: Sequence[dict[str, Any]]) -> list[Verdict]:
        """Return a verdict on each row of a table."""
        found: list[Verdict] = self.snapshot.served.judge(_cells(rows))
        return found

    def explain_rows(self, rows: Sequence[dict[str, Any]]) -> list[Explanation]:
        """Return the evidence for the verdict on each row of a table."""
        return [*self.snapshot.served.explain(_cells(rows))]

    def teach(self, items: Sequence[Item], label: str, source: str) -> list[Outcome]:
        """Learn items under a label, durably, and classify by them from now on.

        Parameters
        ----------
        items : sequence of str or bytes
            Messages or texts.
        label : str
            Their label.
        source : str
            Where they came from, for the journal.

        Returns
        -------
        list of Outcome
            What became of each.
        """
        return self._teach(items, source, Teaching(label, at_once=False))

    def unteach(self, items: Sequence[Item], source: str) -> list[Outcome]:
        """Take back the label of each item; the one before it holds again."""
        return self._teach(items, source, Teaching(forget=True))

    def _teach(self, items: Sequence[Item], source: str, teaching: Teaching) -> list[Outcome]:
        if not self.can_learn:
            raise DataError(
                f"{escape(self.path)}: expected a model that learns one item at a time; this one is {self.model!r}. "
                "Train the default model of mail."
            )
        if not items:
            return []
        with self._lock:
            outcomes = self._note(items, source, teaching) if self.model == ONLINE else self._count(items, teaching)
            self.follow()
        return outcomes

    def _note(self, items: Sequence[Item], source: str, teaching: Teaching) -> list[Outcome]:
        """Teach a filter that keeps a journal."""
        result = teach_filter(self.path, iter([Batch([source] * len(items), items)]), teaching, [])
        self.is_due |= result.is_due or "relabelled" in result.outcomes
        return result.each

    def _count(self, items: Sequence[Item], teaching: Teaching) -> list[Outcome]:
        """Teach a filter that counts, and writes its file each time."""
        from ..mail.filter import updating

        with updating(self.path) as update:
            known = update.filter
            update.filter, outcomes = (
                known.forget(items) if teaching.label is None else known.learn(items, teaching.label)
            )
        return outcomes

    def follow(self) -> bool:
        """Read the model again if its files are others by now, and return whether they were."""
        if self.snapshot.version == self._version():
            return False
        self.snapshot = self._read()
        return True

    def _read(self) -> Snapshot:
        version = self._version()  # before it is read: what is written meanwhile is read again
        with store.open_file(self.path) as opened:
            stored = opened.load(tables=True)
        if store.of_table(stored.header) != (self.kind == "table"):
            raise DataError(f"{escape(self.path)}: expected a model of the same kind as before.")
        if self.kind == "table":
            from ..table_models.served import ServedTable  # here, because who serves mail needs no NumPy

            return Snapshot(ServedTable.from_stored(stored), str(stored.header["digest"]), version)
        return Snapshot(judge_of(stored, self.path, 1), str(stored.header["digest"]), version)

    def _version(self) -> Version:
        return tuple(_stat(self.path + suffix) for suffix in _FILES)


class Filter(Protocol):
    """What is asked of a filter: see `LiveFilter`."""

    spam: str
    ham: str

    def rate(self, message: bytes) -> Rating:
        """Return the rating of a message."""

    def explain(self, message: bytes) -> tuple[Rating, Explanation]:
        """Return the rating of a message, and the evidence for it."""

    def learn(self, message: bytes, label: str, source: str) -> Outcome:
        """Learn a message under a label."""

    def forget(self, message: bytes, source: str) -> Outcome:
        """Take back the label of a message."""


class LiveFilter(LiveModel):
    """The mail filter in a file, as it is now, whose verdicts are ratings.

    Parameters
    ----------
    path : str
        Name of the file.
    positive : str, optional
        The class that is spam. By default "spam", else the second class.
    threshold : float, default=10.0
        Decibans of evidence from which on a message is spam.

    Raises
    ------
    DataError
        If the file is no mail filter of two classes.
    """

    def __init__(self, path: str, positive: str | None = None, threshold: float = UNSURE_BELOW) -> None:
        super().__init__(path)
        self.threshold = threshold
        if self.kind != "mail":
            raise DataError(f"{escape(path)}: expected a filter of mail. Train one with deciban train spam=… ham=….")
        self.spam, self.ham = _two_sides(path, self.classes, positive)

    def rate(self, message: bytes) -> Rating:
        """Return the rating of a message."""
        [verdict] = self.judge([message])
        return self.rating_of(message, verdict)

    def explain(self, message: bytes) -> tuple[Rating, Explanation]:
        """Return the rating of a message, and the evidence for it: the strongest words, and the others in one term."""
        served = self.snapshot.served
        why = served.explain(message, most=NAMED) if isinstance(served, ServedExperts) else served.explain(message)
        return self.rating_of(message, why.as_verdict()), why

    def rating_of(self, message: bytes, verdict: Verdict) -> Rating:
        """Return the rating that the verdict on a message amounts to."""
        rating = rate_verdict(verdict, self.spam, self.threshold)
        return rate_test_message(rating) if GTUBE in message else rating

    def learn(self, message: bytes, label: str, source: str) -> Outcome:
        """Learn a message under a label."""
        [outcome] = self.teach([message], label, source)
        return outcome

    def forget(self, message: bytes, source: str) -> Outcome:
        """Take back the label of a message."""
        [outcome] = self.unteach([message], source)
        return outcome


def refresh_command(path: str) -> list[str]:
    """Return the command that refreshes the filter in a file, in a process of its own, as it takes seconds."""
    return [sys.executable, "-m", "deciban", "refresh", path, "--quiet"]


def _cells(rows: Sequence[dict[str, Any]]) -> Any:
    from ..tables.cells import cells_of

    return cells_of(rows, "the request", range(1, len(rows) + 1), 1, "row")


def _stat(path: str) -> tuple[int, ...]:
    try:
        known = os.stat(path)
    except FileNotFoundError:
        return ()
    return known.st_dev, known.st_ino, known.st_size, known.st_mtime_ns


def _two_sides(path: str, classes: list[str], positive: str | None) -> tuple[str, str]:
    """Return the class that is spam and the other one."""
    if len(classes) != 2:
        raise UsageError(f"{escape(path)}: expected a filter of two classes; this one has {len(classes)}.")
    named = "spam" if "spam" in classes else classes[1]
    place = classes.index(named) if positive is None else label_among(classes, positive)
    return classes[place], classes[1 - place]
