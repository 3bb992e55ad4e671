"""The filter: a text model, the ledger of what it learnt, and the file both live in.

filter, counted = train_files(find(["spam=Junk/", "ham=Inbox.mbox"]))
filter.save("filter.deciban")
with updating("filter.deciban") as update:
    update.filter, outcomes = update.filter.learn([message], "spam")
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from .. import store
from .._core import Counter
from ..data.text_layout import NAIVE_BAYES
from ..errors import DataError
from ..text.counting import Counted, Occurrences, counter, occurrences
from ..text.model import DEFAULTS, Bayes, TextModel
from ..text.recipes import AnyText, from_stored
from ..text.served import ServedText
from ..text.settings import TextSettings
from .ledger import Ledger
from .reading import read_files
from .sources import Source

# What became of one item: counted now; known under this label, nothing changed; moved here from another label.
Outcome = Literal["learnt", "already known", "relabelled", "forgotten", "not known"]


@dataclass(frozen=True)
class Filter:
    """A text model that knows what it has learnt.

    Learning is exact addition, forgetting exact subtraction: after `learn` and `forget` of the same items the
    filter, and its file, are what they were, to the last byte. That takes a model that counts; a linear one was learnt
    from all items at once, and refuses with DataError.
    """

    model: AnyText
    ledger: Ledger

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Filter:
        """The filter in a .deciban file."""
        stored = store.read(path)
        return cls(from_stored(stored), Ledger.from_stored(stored))

    def save(self, path: str | os.PathLike[str]) -> ServedText:
        """Write the file in one step; gives the compiled score that was written."""
        served = self.model.compile()
        store.write(path, self.model.header(), {**self.model.arrays(served), **self.ledger.arrays()})
        return served

    def class_of(self, label: str) -> int:
        """The number of a label; DataError names those there are."""
        return label_among([str(c) for c in self.model.classes], label)

    def counts(self) -> TextModel:
        """The model, if it counts; DataError if it cannot learn on."""
        refuse_minimised(self.model.name)
        assert isinstance(self.model, TextModel)
        return self.model

    def learn(self, items: Sequence[bytes], label: str) -> tuple[Filter, list[Outcome]]:
        """Learn items as `label`. One known under another label moves here; known under this one, nothing happens."""
        target, _ = self.class_of(label), self.counts()
        reader, ledger = self.model.settings.reader(), self.ledger
        outcomes: list[Outcome] = []
        more: list[tuple[bytes, int]] = []
        less: list[tuple[bytes, int]] = []
        for item in items:
            digest = reader.digest(item)
            known = ledger.label(digest)
            if known == target:
                outcomes.append("already known")
                continue
            if known is not None:
                less.append((item, known))
            more.append((item, target))
            ledger = ledger.learnt(digest, target)
            outcomes.append("learnt" if known is None else "relabelled")
        return self._updated(more, less, ledger), outcomes

    def forget(self, items: Sequence[bytes], label: str | None = None) -> tuple[Filter, list[Outcome]]:
        """Take back the last label of each item (which must be `label`, if given); what it replaced holds again."""
        wanted, _ = None if label is None else self.class_of(label), self.counts()
        reader, ledger = self.model.settings.reader(), self.ledger
        outcomes: list[Outcome] = []
        more: list[tuple[bytes, int]] = []
        less: list[tuple[bytes, int]] = []
        for item in items:
            digest = reader.digest(item)
            known = ledger.label(digest)
            if known is None:
                outcomes.append("not known")
                continue
            if wanted is not None and known != wanted:
                raise DataError(
                    f"this item was learnt as {self.model.classes[known]!r}, not as {label!r}; nothing was changed. "
                    f"To take that back, forget it --as {self.model.classes[known]}."
                )
            less.append((item, known))
            ledger = ledger.forgotten(digest)
            before = ledger.label(digest)
            if before is not None:
                more.append((item, before))
            outcomes.append("forgotten")
        return self._updated(more, less, ledger), outcomes

    def _updated(self, more: list[tuple[bytes, int]], less: list[tuple[bytes, int]], ledger: Ledger) -> Filter:
        model = self.counts()
        if more:
            model = model.plus(self._count(more))
        if less:
            model = model.minus(self._count(less))
        return Filter(model, ledger)

    def _count(self, items: list[tuple[bytes, int]]) -> Occurrences:
        settings, classes = self.model.settings, len(self.model.classes)
        return occurrences(settings, [item for item, _ in items], [c for _, c in items], classes)


def label_among(labels: Sequence[str], label: str, where: str = "", whose: str = "the filter's") -> int:
    """Return the place of a label among `whose` labels; DataError, which begins with `where`, names those there are."""
    if label in labels:
        return labels.index(label)
    close = get_close_matches(label, labels, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    listed = ", ".join(map(repr, labels[:20])) + ", …" * (len(labels) > 20)
    raise DataError(f"{where}expected one of {whose} labels, {listed}; got {label!r}.{hint}")


def refuse_minimised(model: str) -> None:
    """DataError unless a model of this name can learn on and forget."""
    if model != NAIVE_BAYES:
        raise DataError(
            f"expected a model that counts, to learn on and forget; this one is {model!r}, learnt by minimising over "
            "all items at once. Train anew with all of them, or train with --model naive-bayes."
        )


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
    with store.locked(path):
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
) -> tuple[Filter, Counted]:
    """Learn the items of files; exact duplicates count once. Memory stays bounded whatever the size."""
    settings = bayes.vectors(settings)
    labels = sorted({source.label for source in sources})
    members = [labels.index(source.label) for source in sources]
    pass_ = counter(settings, len(labels), once=True, n_jobs=n_jobs)
    for numbers, items in read_files(sources, settings, n_jobs):
        pass_.add(items, [members[i] for i in numbers])
        if progress is not None:
            progress(sum(map(len, items)))
    return _finished(pass_, settings, bayes, labels)


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
    for texts, names in batches:
        members = [labels.setdefault(name, len(labels)) for name in names]
        pass_.grow(len(labels))
        pass_.add(texts, members)
        if progress is not None:
            progress(sum(map(len, texts)))
    return _finished(pass_, settings, bayes, list(labels))


def _finished(pass_: Counter, settings: TextSettings, bayes: Bayes, labels: list[str]) -> tuple[Filter, Counted]:
    counted = Counted.of(pass_)
    in_order = sorted(labels)
    model = TextModel(settings, bayes, tuple(labels), counted.book, counted.dropped, words=counted.words)
    ledger = Ledger.of(counted.digests, counted.members)
    if len(labels) < 2:
        only = f"all items are {labels[0]!r}" if labels else "there are no items"
        raise DataError(f"expected items of at least two classes; {only}. Add another class.")
    if labels != in_order:
        model, ledger = model.with_classes(in_order), ledger.with_classes([in_order.index(c) for c in labels])
    return Filter(model, ledger), replace(counted, book=model.book)
