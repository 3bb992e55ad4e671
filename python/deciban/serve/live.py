"""A filter that is followed while others teach it: what classifies is replaced as a whole, never changed.

This is shared by all protocols: it rates, explains, learns and forgets messages, and knows nothing of sockets.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from threading import Lock

from .. import store
from ..data.text_layout import ONLINE
from ..errors import DataError, UsageError, escape
from ..judging import UNSURE_BELOW
from ..mail.journal import SUFFIX
from ..mail.outcomes import Outcome, label_among
from ..mail.reading import Batch
from ..mail.taught import judge_of
from ..mail.teaching import Teaching, teach_filter
from ..text.served import ServedText
from ..verdict import Explanation, Verdict
from .rating import GTUBE, Rating, rate_test_message, rate_verdict

_FILES = ("", SUFFIX, f"{SUFFIX}-wal")
Version = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Snapshot:
    """A filter as it classifies, and what its files were when it was read."""

    served: ServedText
    version: Version


class LiveFilter:
    """The mail filter in a file, as it is now; it `is_due` to be refreshed after lessons that only that takes in whole.

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
        self.path, self.threshold = path, threshold
        header = store.read_header(path)
        _require_mail(path, header)
        classes = [str(label) for label in header["classes"]]
        self.spam, self.ham = _two_sides(path, classes, positive)
        self.can_learn = header["model"] == ONLINE
        self.is_due = False
        self._lock = Lock()
        self.snapshot = self._read()

    def rate(self, message: bytes) -> Rating:
        """Return the rating of a message."""
        [verdict] = self.snapshot.served.judge([message])
        return self._rate(message, verdict)

    def explain(self, message: bytes) -> tuple[Rating, Explanation]:
        """Return the rating of a message, and the evidence for it."""
        why = self.snapshot.served.explain(message)
        return self._rate(message, why.as_verdict()), why

    def _rate(self, message: bytes, verdict: Verdict) -> Rating:
        rating = rate_verdict(verdict, self.spam, self.threshold)
        return rate_test_message(rating) if GTUBE in message else rating

    def learn(self, message: bytes, label: str, source: str) -> Outcome:
        """Learn a message under a label, durably, and classify by it from now on.

        Parameters
        ----------
        message : bytes
            The message.
        label : str
            Its label.
        source : str
            Where it came from, for the journal.

        Returns
        -------
        Outcome
            What became of it.
        """
        return self._teach(message, source, Teaching(label, at_once=False))

    def forget(self, message: bytes, source: str) -> Outcome:
        """Take back the label of a message; the one before it holds again."""
        return self._teach(message, source, Teaching(forget=True))

    def _teach(self, message: bytes, source: str, teaching: Teaching) -> Outcome:
        if not self.can_learn:
            raise DataError(
                f"{escape(self.path)}: expected a filter that learns one message at a time. Train it with the default "
                "model of mail."
            )
        with self._lock:
            result = teach_filter(self.path, iter([Batch([source], [message])]), teaching, [])
            self.follow()
        [outcome] = result.outcomes
        self.is_due |= result.is_due or outcome == "relabelled"
        return outcome

    def follow(self) -> bool:
        """Read the filter again if its files are others by now, and return whether they were."""
        if self.snapshot.version == self._version():
            return False
        self.snapshot = self._read()
        return True

    def _read(self) -> Snapshot:
        version = self._version()  # before it is read: what is written meanwhile is read again
        with store.open_file(self.path) as opened:
            _require_mail(self.path, opened.header)
            return Snapshot(judge_of(opened.load(), self.path, 1), version)

    def _version(self) -> Version:
        return tuple(_stat(self.path + suffix) for suffix in _FILES)


def _stat(path: str) -> tuple[int, ...]:
    try:
        known = os.stat(path)
    except FileNotFoundError:
        return ()
    return known.st_dev, known.st_ino, known.st_size, known.st_mtime_ns


def _require_mail(path: str, header: dict[str, object]) -> None:
    text = header.get("text")
    if store.of_table(header) or not isinstance(text, dict) or text.get("kind") != "mail":
        raise DataError(f"{escape(path)}: expected a filter of mail. Train one with deciban train spam=… ham=….")


def _two_sides(path: str, classes: list[str], positive: str | None) -> tuple[str, str]:
    """Return the class that is spam and the other one."""
    if len(classes) != 2:
        raise UsageError(f"{escape(path)}: expected a filter of two classes; this one has {len(classes)}.")
    named = "spam" if "spam" in classes else classes[1]
    place = classes.index(named) if positive is None else label_among(classes, positive)
    return classes[place], classes[1 - place]
