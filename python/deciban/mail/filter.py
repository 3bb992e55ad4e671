"""The filter: a text model, the ledger of what it learnt, and the file both live in.

filter, counted = train_files(find(["spam=Junk/", "ham=Inbox.mbox"]))
filter.save("filter.deciban")
with updating("filter.deciban") as update:
    update.filter, outcomes = update.filter.learn([message], "spam")
"""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import store
from .._core import Counter
from ..errors import DataError
from ..files.locks import lock
from ..text.counting import Counted, Occurrences, WordRoom, counter, occurrences
from ..text.encoder import WordEncoder
from ..text.experts import ServedExperts
from ..text.left_out import Sample
from ..text.model import DEFAULTS, Bayes, TextModel
from ..text.online import OnlineText
from ..text.restoring import AnyText, from_stored
from ..text.served import ServedText
from ..text.settings import TextSettings
from ..text.single_words import SingleWords
from ..text.word_sets import Lesson, WordSet, word_sets
from .canaries import Changed
from .journal import Entry, Journal
from .ledger import Ledger, digest_of, find
from .outcomes import Outcome, label_among, refuse_minimised, require_label, require_left
from .reading import read_files
from .sources import Source


@dataclass(frozen=True)
class Filter:
    """A text model with a ledger of the items that it has learnt.

    Learning is exact addition, forgetting exact subtraction: after `learn` and `forget` of the same items the filter,
    and its file, are the same, to the last byte. That needs a model that counts; a linear one is fitted to all items at
    once, and refuses.

    Parameters
    ----------
    model : TextModel
        The model.
    ledger : Ledger
        Digests of the items, with their labels.

    Examples
    --------
    >>> from deciban import TextClassifier
    >>> model = TextClassifier(model="naive-bayes").fit([b"cheap pills", b"lunch at noon"], ["spam", "ham"]).model_
    >>> known, outcomes = Filter(model, Ledger.of(b"", [])).learn([b"cheap loan"], "spam")
    >>> outcomes, known.forget([b"cheap loan"])[1]
    (['learnt'], ['forgotten'])
    """

    model: AnyText
    ledger: Ledger

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Filter:
        """Read the filter in a .deciban file.

        Parameters
        ----------
        path : path-like
            Name of the file.

        Returns
        -------
        Filter
            The filter.
        """
        return cls.of_stored(store.read(path))

    @classmethod
    def of_stored(cls, stored: store.Stored) -> Filter:
        """Return the filter in a file that `store.read` has checked.

        Parameters
        ----------
        stored : Stored
            What the file holds.

        Returns
        -------
        Filter
            The filter.
        """
        return cls(from_stored(stored), Ledger.from_stored(stored))

    def save(self, path: str | os.PathLike[str]) -> ServedText:
        """Write the filter to a file, in one step.

        Parameters
        ----------
        path : path-like
            Name of the file.

        Returns
        -------
        ServedText
            The compiled score that was written.
        """
        served = self.model.compile()
        self.model.save(path, arrays=self.ledger.arrays())
        return served

    def taught(self, entries: Iterable[Entry]) -> Filter:
        """Return the filter that also knows what the entries of a journal say.

        Parameters
        ----------
        entries : iterable of Entry
            The last of each item.

        Returns
        -------
        Filter
            The new filter.
        """
        labels = {each.words.digest: each for each in entries}
        ledger = self.ledger.given({digest: each.labels for digest, each in labels.items()})
        return self._with(ledger, {digest: each.words for digest, each in labels.items()}) if labels else self

    def class_of(self, label: str) -> int:
        """Return the index of a label.

        Parameters
        ----------
        label : str
            The label.

        Returns
        -------
        int
            Its index.

        Raises
        ------
        DataError
            If there is no such label; the message names those there are.
        """
        return label_among([str(c) for c in self.model.classes], label)

    def counts(self) -> TextModel:
        """Return the model, if it counts.

        Returns
        -------
        TextModel
            The model.

        Raises
        ------
        DataError
            If the model cannot learn.
        """
        refuse_minimised(self.model.name)
        assert isinstance(self.model, TextModel)
        return self.model

    def learn(self, items: Sequence[str | bytes], label: str) -> tuple[Filter, list[Outcome]]:
        """Learn items under a label.

        An item that is known under another label moves to this one; one that is known under this label changes nothing.

        Parameters
        ----------
        items : sequence of str or bytes
            Messages or texts.
        label : str
            Their label.

        Returns
        -------
        filter : Filter
            The new filter.
        outcomes : list of Outcome
            What happened to each item.
        """
        target = self.class_of(label)
        reader = self.model.encoder.settings.reader()
        outcomes: list[Outcome] = []
        new: dict[bytes, str | bytes] = {}
        less = Pieces()
        for item in items:
            digest = reader.digest(item)
            row = self.ledger.row(digest)
            if digest in new or (row is not None and row.label == target):
                outcomes.append("already known")
                continue
            new[digest] = item
            if row is not None:
                less[row.generation].append((item, row.label))
            outcomes.append("learnt" if row is None else "relabelled")
        if not new:
            return self, outcomes
        if isinstance(self.model, OnlineText):
            sets = zip(new, word_sets(self.model.encoder.settings, new.values()), strict=True)
            return self._with(self.ledger.learnt([*new], target, 0), dict(sets)), outcomes
        known, more = self.counts(), self._count([(item, target) for item in new.values()])
        encoder, generation = known.encoder.learn(more)
        learnt = Filter(replace(known, encoder=encoder), self.ledger.learnt([*new], target, generation))
        return learnt._without(less) if less else learnt, outcomes

    def forget(self, items: Sequence[str | bytes], label: str | None = None) -> tuple[Filter, list[Outcome]]:
        """Take back the last label of each item; the one that it replaced is valid again.

        Parameters
        ----------
        items : sequence of str or bytes
            Messages or texts.
        label : str, optional
            The label that they must have.

        Returns
        -------
        filter : Filter
            The new filter.
        outcomes : list of Outcome
            What happened to each item.

        Raises
        ------
        DataError
            If an item was learnt under another label.
        """
        wanted, classes = None if label is None else self.class_of(label), self.model.classes
        reader, ledger = self.model.encoder.settings.reader(), self.ledger
        outcomes: list[Outcome] = []
        again, less = Pieces(), Pieces()
        for item in items:
            digest = reader.digest(item)
            row = ledger.row(digest)
            if row is None:
                outcomes.append("not known")
                continue
            require_label(classes, row.label, wanted)
            less[row.generation].append((item, row.label))
            ledger = ledger.forgotten(digest)
            before = ledger.row(digest)
            if before is not None:
                again[before.generation].append((item, before.label))
            outcomes.append("forgotten")
        if ledger is self.ledger:
            return self, outcomes
        if isinstance(self.model, OnlineText):
            return self._with(ledger, {}), outcomes
        known = self.counts()
        encoder = known.encoder
        for generation, pieces in again.items():
            encoder = encoder.learn_again(self._count(pieces), generation)
        return Filter(replace(known, encoder=encoder), ledger)._without(less), outcomes

    def _with(self, ledger: Ledger, new: Mapping[bytes, WordSet]) -> Filter:
        """Return the filter that has learnt what a ledger says, of which some items are new."""
        assert isinstance(self.model, OnlineText)
        keys, labels = ledger.in_force()
        rows, y = find(self.model.examples.keys, keys), labels.astype(np.int64)
        old, others = rows >= 0, np.flatnonzero(rows < 0).tolist()
        more = [Lesson(new[digest_of(keys[i])], int(y[i])) for i in others]
        return Filter(self.model.revised(rows[old], y[old], more), ledger)

    def _without(self, less: Pieces) -> Filter:
        """Return the filter whose counts never held these items; the ledger knows it already."""

        def change() -> WordEncoder:
            encoder = self.counts().encoder
            for generation, pieces in less.items():
                encoder = encoder.forget(self._count(pieces), generation)
            return encoder.settle(self.ledger.newest)

        model = self.counts().changed(change)
        return Filter(model, self.ledger if model.encoder.generations else self.ledger.without_generations())

    def _count(self, items: list[tuple[str | bytes, int]]) -> Occurrences:
        settings, classes = self.model.encoder.settings, len(self.model.classes)
        return occurrences(settings, [item for item, _ in items], [c for _, c in items], classes, bounded=False)


class Pieces(defaultdict[int, list[tuple[str | bytes, int]]]):
    """Items with their classes, by generation."""

    def __init__(self) -> None:
        super().__init__(list)


def solve(path: str | os.PathLike[str], journal: Journal, known: Filter | None = None, *, force: bool = False) -> None:
    """Write the filter as if it had been trained with what its journal says; who calls this holds its file alone.

    Raises CanaryError where that would change the verdict of a canary, unless with `force`, or if it is `known` already
    what the filter will be.
    """
    asked = known is None
    if known is None:
        known = solution(path, journal)
    if journal.entries():

        def put() -> None:
            if asked:
                guard(journal, known, "Solving the filter", force)
            known.save(path)
            with store.open_file(path) as opened:
                journal.close_open(opened, SingleWords(opened.view()))

        journal.write(put)  # who learns meanwhile locks the new file, and waits for the journal


def solution(path: str | os.PathLike[str], journal: Journal) -> Filter:
    """Return what the filter will be when it is solved with what its journal says."""
    known = Filter.load(path)
    journal.require_classes(known.model.classes)
    if entries := journal.entries():
        known = known.taught(entries)
        require_left(sum(known.model.encoder.book.items))
    return known


def guard(journal: Journal, known: Filter, what: str, force: bool) -> list[Changed]:
    """Raise CanaryError if a filter would change the verdict of a canary, or give that up with `force`."""
    if not len(journal.canaries):
        return []
    served = known.model.compile()
    assert isinstance(served, ServedExperts)
    return journal.canaries.guard(served, what, force)


def solved(stored: store.Stored, entries: Iterable[Entry]) -> store.Stored:
    """Return what the file of a filter will hold that knows what these entries say, too."""
    known = Filter.of_stored(stored).taught(entries)
    return store.parse(store.to_bytes(known.model.header(), {**known.model.arrays(), **known.ledger.arrays()}))


@dataclass
class Update:
    """A filter under the lock of its file; assign `filter` to write it."""

    filter: Filter


@contextlib.contextmanager
def updating(path: str | os.PathLike[str]) -> Iterator[Update]:
    """Loads the filter, holds its file alone, and writes it in one step if the block changed it.

    Two processes that update at once wait for each other, so neither's learning is lost; an exception or an
    interruption inside the block leaves the file as it was.
    """
    with lock(path):
        update = Update(Filter.load(path))
        before = update.filter
        yield update
        if update.filter.ledger is not before.ledger:
            update.filter.save(path)


Progress = Callable[[int], None]
"""Told how many bytes have been read since the last call."""


def train_files(
    sources: Sequence[Source],
    settings: TextSettings = DEFAULTS["mail"].settings,
    bayes: Bayes = DEFAULTS["mail"].bayes,
    progress: Progress | None = None,
    n_jobs: int | None = None,
    gone: list[str] | None = None,
) -> tuple[Filter, Counted]:
    """Learn the items of files; exact duplicates count once. Memory stays bounded whatever the size. The paths of files
    that were moved away before they were read are in `gone` at the end."""
    settings = bayes.vectors(settings)
    labels = sorted({source.label for source in sources})
    places = {label: k for k, label in enumerate(labels)}
    members = [places[source.label] for source in sources]
    pass_ = counter(settings, len(labels), once=True, n_jobs=n_jobs)
    room, sample = WordRoom(settings), Sample.streamed(settings.reader())
    for numbers, items in read_files(sources, settings, n_jobs, gone):
        room.require(len(labels), pass_, items)
        pass_.add(items, [members[i] for i in numbers])
        sample.add(items, [members[i] for i in numbers])
        if progress is not None:
            progress(sum(items.sizes()))
    room.require(len(labels), pass_)
    return _finish(pass_, sample, settings, bayes, labels)


def train_rows(
    batches: Iterable[tuple[Sequence[str], Sequence[str]]],
    settings: TextSettings = DEFAULTS["text"].settings,
    bayes: Bayes = DEFAULTS["text"].bayes,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> tuple[Filter, Counted]:
    """Learn batches of (texts, labels), labels as they come; exact duplicates count once."""
    settings = bayes.vectors(settings)
    labels: dict[str, int] = {}
    pass_ = counter(settings, 1, once=True, n_jobs=n_jobs)
    room, sample = WordRoom(settings), Sample.streamed(settings.reader())
    for texts, names in batches:
        members = [labels.setdefault(name, len(labels)) for name in names]
        room.require(len(labels), pass_, texts)
        pass_.grow(len(labels))
        pass_.add(texts, members)
        sample.add(texts, members)
        if progress is not None:
            progress(sum(map(len, texts)))
    room.require(len(labels), pass_)
    return _finish(pass_, sample, settings, bayes, list(labels))


def knowing(model: TextModel, found: Occurrences) -> TextModel:
    """Return the model that knows in which of the items that were counted each word counts."""
    return replace(model, encoder=model.encoder.knowing(found))


def _finish(
    pass_: Counter, sample: Sample, settings: TextSettings, bayes: Bayes, labels: list[str]
) -> tuple[Filter, Counted]:
    counted = Counted.of(pass_)
    in_order = sorted(labels)
    model = knowing(TextModel.of(settings, bayes, labels, counted.found), counted.found)
    when = counted.found.generations
    ledger = Ledger.of(counted.digests, counted.members, 0 if when is None else when)
    if len(labels) < 2:
        only = f"all items are {labels[0]!r}" if labels else "there are no items"
        raise DataError(f"expected items of at least two classes; {only}. Add another class.")
    model = model.calibrate(sample)
    if labels != in_order:
        place = {label: k for k, label in enumerate(in_order)}
        model, ledger = model.with_classes(in_order), ledger.with_classes([place[c] for c in labels])
    return Filter(model, ledger), counted
