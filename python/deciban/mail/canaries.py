"""Canaries: messages whose verdicts must stay as they are, or nothing new is published.

They are sets of words in the journal of a filter. Whatever changes verdicts asks them first: learn and forget, refresh,
reset, rollback and training anew. Where one would get another label nothing is changed.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import DataError, escape
from ..text.experts import ServedExperts
from ..text.settings import TextSettings
from ..text.word_sets import WordSet
from ..verdict import Verdict

LAYOUT = (
    "CREATE TABLE canaries (digest BLOB PRIMARY KEY, label TEXT NOT NULL, source TEXT NOT NULL, "
    "settings TEXT NOT NULL, arrival INTEGER NOT NULL, hashes BLOB NOT NULL, passages BLOB NOT NULL, "
    "names BLOB NOT NULL, ends BLOB NOT NULL)",
)
_NAMED = 5
"""Canaries that an error names."""


FORCE = "Give these canaries up with --force, or remove them: deciban canary --remove."
REMOVE = "Give these canaries up: deciban canary --remove."


class Canary(NamedTuple):
    """A message that must keep a label, and where it came from."""

    words: WordSet
    label: str
    source: str


class Canaries:
    """The canaries in a journal."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __len__(self) -> int:
        found: int = self.connection.execute("SELECT count(*) FROM canaries").fetchone()[0]
        return found

    def all(self) -> list[Canary]:
        """Return them in the order in which they were added."""
        rows = self.connection.execute(
            "SELECT digest, arrival, hashes, passages, names, ends, label, source FROM canaries ORDER BY rowid"
        )
        return [Canary(WordSet(*row[:6]), *row[6:]) for row in rows]

    def add(self, canaries: Sequence[Canary], settings: TextSettings) -> None:
        """Add canaries, as these settings read them, or give those that are there another label."""
        read = json.dumps(settings.to_json(), sort_keys=True)
        self.connection.executemany(
            "INSERT OR REPLACE INTO canaries (digest, label, source, settings, arrival, hashes, passages, names, ends) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(each.words.digest, each.label, escape(each.source), read, *each.words[1:]) for each in canaries],
        )

    def remove(self, digests: Sequence[bytes]) -> int:
        """Remove those with these digests, and return how many there were."""
        before = len(self)
        self.connection.executemany("DELETE FROM canaries WHERE digest = ?", [(digest,) for digest in digests])
        return before - len(self)

    def guard(self, served: ServedExperts, what: str, force: bool = False, advice: str = FORCE) -> list[Changed]:
        """Raise CanaryError if experts who know all words of the canaries would change one, or remove those with
        `force`, and return them."""
        known = self.all()
        found = changed(known, served) if known else []
        if found and not force:
            raise refusal(found, known, what, advice)
        self.remove([each.canary.words.digest for each in found])
        return found

    def require_kept(self, served: object, name: str) -> None:
        """Raise CanaryError unless a filter that takes the place of another changes none."""
        if not isinstance(served, ServedExperts) or not self.are_read_by(served.settings):
            raise CanaryError(
                f"{name}: has {len(self):,} canaries, which a filter trained so reads otherwise. Nothing was changed. "
                "Write it elsewhere: -o. Or give the canaries up: deciban canary --remove."
            )
        self.guard(served, f"{name}: training anew", advice=f"Write it elsewhere: -o. {REMOVE}")

    def are_read_by(self, settings: TextSettings) -> bool:
        """Return whether a filter of these settings reads the canaries as they are."""
        read = json.dumps(settings.to_json(), sort_keys=True)
        return all(row[0] == read for row in self.connection.execute("SELECT DISTINCT settings FROM canaries"))


class Changed(NamedTuple):
    """A canary, and the verdict that it would have."""

    canary: Canary
    verdict: Verdict


def changed(canaries: Sequence[Canary], served: ServedExperts) -> list[Changed]:
    """Return the canaries that have another label by experts who know all their words."""
    verdicts = served.judge_sets([each.words for each in canaries])
    pairs = zip(canaries, verdicts, strict=True)
    return [Changed(each, verdict) for each, verdict in pairs if str(verdict.label) != each.label]


def refusal(found: Sequence[Changed], canaries: Sequence[Canary], what: str, advice: str) -> CanaryError:
    """Return what to say where `what` would change the verdicts of these."""
    each = [
        f"{one.canary.source} from {escape(one.canary.label)} to {escape(str(one.verdict.label))}, "
        f"{one.verdict.decibans:.1f} dB"
        for one in found[:_NAMED]
    ]
    more = f", and {len(found) - _NAMED:,} more" * (len(found) > _NAMED)
    return CanaryError(
        f"{what} would change the verdict on {len(found):,} of {len(canaries):,} canaries: {'; '.join(each)}{more}. "
        f"Nothing was changed. {advice}"
    )


class CanaryError(DataError):
    """What is about to be done would change the verdict of a canary."""
