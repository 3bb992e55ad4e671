"""A filter that notes in the log of a request what it was asked, and answered."""

from __future__ import annotations

from dataclasses import dataclass

from ..mail.outcomes import Outcome
from ..verdict import Explanation
from .live import Filter
from .logs import RequestLog
from .rating import Rating


@dataclass
class NotedFilter:
    """A filter for one request, which is logged later."""

    known: Filter
    entry: RequestLog

    def __post_init__(self) -> None:
        self.spam, self.ham = self.known.spam, self.known.ham

    def rate(self, message: bytes) -> Rating:
        """Return the rating of a message."""
        rating = self.known.rate(message)
        self._note(message, rating)
        return rating

    def explain(self, message: bytes) -> tuple[Rating, Explanation]:
        """Return the rating of a message, and the evidence for it."""
        rating, why = self.known.explain(message)
        self._note(message, rating)
        return rating, why

    def learn(self, message: bytes, label: str, source: str) -> Outcome:
        """Learn a message under a label."""
        self.entry.size = len(message)
        outcome = self.entry.verdict = self.known.learn(message, label, source)
        return outcome

    def forget(self, message: bytes, source: str) -> Outcome:
        """Take back the label of a message."""
        self.entry.size = len(message)
        outcome = self.entry.verdict = self.known.forget(message, source)
        return outcome

    def _note(self, message: bytes, rating: Rating) -> None:
        self.entry.size, self.entry.score = len(message), rating.score
        self.entry.verdict = self.spam if rating.is_spam else self.ham
