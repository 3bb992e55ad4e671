"""Filters that are learnt online while files are read: of each item only its words are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from deciban.threads import on_threads

from .._core import WordSets
from ..errors import DataError
from ..text.corpus import keys_of
from ..text.counting import occurrences_of
from ..text.encoder import WordEncoder
from ..text.examples import Examples
from ..text.online import OnlineText
from ..text.settings import TextSettings
from .filter import Filter
from .ledger import Ledger


class Reading(Protocol):
    """Items of these classes that were read as sets of the words that the settings make of them."""

    @property
    def sets(self) -> WordSets: ...
    @property
    def settings(self) -> TextSettings: ...
    @property
    def classes(self) -> Sequence[str]: ...


class ReadItems(NamedTuple):
    """Labelled items, each content once, as sets of the words of an encoder; how many came again under the same label,
    and under another."""

    classes: tuple[str, ...]
    encoder: WordEncoder
    examples: Examples
    duplicates: int
    conflicts: int


def read_sets(reading: Reading) -> ReadItems:
    """Return what was read, once."""
    counted, ends, words, passages, y, times, digests, duplicates, conflicts = reading.sets.finish()
    encoder = WordEncoder.of(reading.settings, occurrences_of(counted, None))
    examples = Examples(ends, words, y, times, keys_of(digests), None, passages)
    return ReadItems(tuple(reading.classes), encoder, examples, duplicates, conflicts)


def train_online(read: ReadItems, n_jobs: int | None = None) -> Filter:
    """Return the filter of these items, which is the same in whichever order they were read."""
    if not len(read.encoder.book):
        raise DataError("No words were found in the items: nothing to learn from.")
    ledger = Ledger.of_distinct(read.examples.keys, read.examples.y)
    return Filter(_learn(read, n_jobs=n_jobs), ledger)


@on_threads
def _learn(read: ReadItems, n_jobs: int | None = None) -> OnlineText:
    return OnlineText.of(read.classes, read.encoder, read.examples, n_jobs)
