"""The review of what a filter has classified: which messages are worth a look, why they were rated so, corrections.

The API and the page ask this; it knows nothing of HTTP.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock

from .. import store
from ..errors import DataError
from ..mail.journal import Journal
from ..mail.outcomes import Outcome
from ..mail.taught import KnownLabels
from ..verdict import Explanation
from .keeping import Keeper
from .kept import Kept, KeptMessages, Query
from .live import LiveFilter, LiveModel
from .rating import Rating

DUPLICATES = "duplicates"
"""The list of near-duplicates, beside those of `kept.LISTS`."""
VERDICTS = ("spam", "ham", "unsure")
MOST = 200
"""Messages of a list that are answered at once."""
LATEST = 2**62
"""The largest number that a message may have."""
COMPARED = 1_000
"""So many messages, the newest, are compared with each other."""
_SHORT = 1 << 16  # bytes of a message that is compared whole


class GoneError(Exception):
    """A message that is no longer kept, or never was."""


@dataclass
class Review:
    """The messages that are kept beside a filter, and the filter that rates and learns them."""

    known: LiveFilter
    kept: KeptMessages
    _lock: Lock = field(default_factory=Lock)
    _compared: int = -1
    _groups: list[list[int]] = field(default_factory=list)

    def select(self, query: Query) -> list[Kept]:
        """Return the messages of a list, with the labels that they have now."""
        return self._with_labels(self.kept.select(query))

    def count(self, query: Query) -> int:
        """Return how many messages a list has."""
        return self.kept.count(query)

    def get(self, number: int) -> Kept:
        """Return the message of a number; GoneError where it is not kept."""
        found = self.kept.get(number)
        if found is None:
            raise GoneError
        return self._with_labels([found])[0]

    def message(self, each: Kept) -> bytes:
        """Return what is kept of the text of a message; GoneError where it has gone meanwhile."""
        found = self.kept.content(each.id)
        if found is None:
            raise GoneError
        return found

    def explain(self, message: bytes) -> tuple[Rating, Explanation]:
        """Return what the filter says of a message now, and all of the evidence for it."""
        why = self.known.explain_item(message)
        return self.known.rating_of(message, why.as_verdict()), why

    def correct(self, number: int, label: str | None, source: str) -> tuple[Outcome, Kept]:
        """Learn a message under a label, or take its label back where that is None; return what became of it.

        Raises
        ------
        GoneError
            If it is not kept.
        DataError
            If it was too long to be kept whole.
        """
        each = self.get(number)
        message = self.message(each)
        if not self.kept.is_whole(each):
            raise DataError(
                f"Message {number}: expected one of at most {self.kept.limits.message_bytes:,} bytes; it has "
                f"{each.size:,}, and was not kept whole. Learn it from its file."
            )
        outcome = self.known.forget(message, source) if label is None else self.known.learn(message, label, source)
        self.kept.label([each.digest], self.labels([each.digest])[0])
        return outcome, self.get(number)

    def correct_all(self, numbers: Sequence[int], label: str, source: str) -> int:
        """Learn messages under a label; return of how many it changed the label.

        One that has gone meanwhile, or was not kept whole, is passed over.
        """
        changed = 0
        for number in numbers:
            each = self.kept.get(number)
            if each is not None and self.kept.is_whole(each):
                with suppress(GoneError):  # meanwhile
                    changed += self.correct(number, label, source)[0] in ("learnt", "relabelled")
        return changed

    def labels(self, digests: Iterable[bytes]) -> list[str | None]:
        """Return the labels that messages have now, by whoever gave them; None for those that the filter does not
        know."""
        wanted = [*digests]
        with Journal.open(self.known.path, write=False) as journal:
            told = [None if journal is None else journal.labels(digest) for digest in wanted]
        with store.open_file(self.known.path) as opened:
            own = KnownLabels(opened.view())
            found = [own[digest] if labels is None else labels for digest, labels in zip(wanted, told, strict=True)]
        return [self.known.classes[labels[-1]] if labels else None for labels in found]

    def _with_labels(self, found: Sequence[Kept]) -> list[Kept]:
        labels = self.labels(each.digest for each in found)
        return [
            each if each.label == label else each.with_label(label) for each, label in zip(found, labels, strict=True)
        ]

    def duplicates(self) -> list[list[Kept]]:
        """Return groups of near-duplicates among the newest messages, the largest first; in each the newest first."""
        with self._lock:
            newest = self.kept.newest()
            if newest != self._compared:
                self._groups, self._compared = self._find_groups(), newest
            groups = self._groups
        known = {each.id: each for each in self._with_labels(self.kept.select(Query(limit=2 * COMPARED)))}
        found = [[known[number] for number in group if number in known] for group in groups]
        return [group for group in found if len(group) > 1]

    def _find_groups(self) -> list[list[int]]:
        from ..data.copies import Sketches  # here, because who only classifies needs no NumPy

        sketches, members = Sketches("mail", 1), []
        for each, message in self.kept.contents(COMPARED):
            sketches.add([message[:_SHORT]])
            members.append(each.id)
        if not members:
            return []
        groups: dict[int, list[int]] = {}
        copies = sketches.copies()
        for number, group, tells in zip(members, copies.group.tolist(), copies.telling.tolist(), strict=True):
            if tells:
                groups.setdefault(group, []).append(number)
        return sorted((each for each in groups.values() if len(each) > 1), key=lambda each: (-len(each), -each[0]))


def review_of(known: LiveModel, keeper: Keeper | None) -> Review | None:
    """Return the review of a filter whose messages are kept; None where none are."""
    return Review(known, keeper.kept) if keeper is not None and isinstance(known, LiveFilter) else None
