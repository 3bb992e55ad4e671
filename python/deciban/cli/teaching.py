"""What learn and forget do with a filter that learns online: its journal has it at once, its file by and by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .. import store
from ..errors import StorageError, escape
from ..files.locks import lock
from ..mail.journal import Entry, Journal
from ..mail.outcomes import Outcome, label_among, require_label
from ..mail.taught import KnownLabels, teach
from ..text.experts import ServedExperts
from ..text.word_sets import Lesson, WordSet, word_sets
from ..verdict import Verdict
from .items import Batch
from .updates import Updated, Words

Labels = tuple[int, ...]
"""The numbers of the classes of an item, the last in force."""


def teach_filter(path: str, batches: Iterator[Batch], label: str | None, forget: bool, gone: Sequence[str]) -> Updated:
    """Learn items under a label, or forget them: all of them, or none."""
    with lock(path), Journal.open(path, write=True) as journal:
        assert journal is not None
        told = _Told(path, journal, label, forget)
        before = _words(told.served)
        journal.write(lambda: told.take(batches))
        solves = told.changes_file or told.known.has_grown(journal.waiting())
        if solves:
            from ..mail.filter import solve  # here, because one message more seldom needs it

            try:
                solve(path, journal)
            except StorageError as error:
                what = str(error).partition(". Nothing was changed")[0]
                raise StorageError(
                    f"{what}. What was told is in its journal, and verdicts heed it; make room and run deciban refresh."
                ) from error
        served = _served(path, journal)[1] if solves or told.stale else told.served
        result = Updated(served.classes, told.outcomes, words=(before, _words(served)), vanished=len(gone))
        if told.outcomes.total() == 1:
            result.before, result.after = told.before, served.judge([told.only])[0]
    return result


def _served(path: str, journal: Journal) -> tuple[store.Stored, ServedExperts]:
    """Return the filter in a file, and how it judges with what it was taught since."""
    stored = store.read(path)
    served = ServedExperts.from_stored(stored)
    journal.require_classes(served.classes)
    teach(served, journal.entries(), stored)
    return stored, served


def _words(served: ServedExperts) -> Words:
    return Words(len(served.experts), served.settings.max_words, 0, 0.0)


class _Told:
    """A filter while it is told what items are.

    `served` judges, and is taught every new item at once; `known` is what its file knows. `changes_file` tells that an
    item which the file knows is another, or is gone, or that one is the first of its class, so that the filter must be
    solved; `stale`, that `served` was taught what is no longer so. `only` is the last item, judged `before`.
    """

    def __init__(self, path: str, journal: Journal, label: str | None, forget: bool) -> None:
        self.journal, self.forget = journal, forget
        stored, self.served = _served(path, journal)
        self.known, self.classes = KnownLabels(stored), [str(c) for c in self.served.classes]
        self.label = None if label is None else label_among(self.classes, label)
        self.outcomes, self.changes_file, self.stale = Counter[Outcome](), False, False
        self.only: str | bytes = b""
        self.before: Verdict | None = None

    def take(self, batches: Iterator[Batch]) -> None:
        """Note in the journal what the items are."""
        for names, items, labels in batches:
            verdicts = self.served.judge(items)
            self.only, self.before = items[-1], verdicts[-1]
            own = [self.label] * len(items) if labels is None else list(map(self._class_of, labels, names))
            each = zip(names, word_sets(self.served.settings, items), verdicts, own, strict=True)
            new = [lesson for told in each for lesson in self._note(*told)]
            self.served.learn(new)

    def _class_of(self, label: str, name: str) -> int:
        return label_among(self.classes, label, f"{escape(name)}: ")

    def _note(self, name: str, words: WordSet, verdict: Verdict, label: int | None) -> Iterator[Lesson]:
        """Note what one item is; yield it if it is new."""
        known = self.known[words.digest]
        labels = self.journal.labels(words.digest)
        became, labels = self._step(known if labels is None else labels, label)
        self.outcomes[became] += 1
        if became in ("already known", "not known"):
            return
        self.journal.add([Entry(words, labels, name, str(verdict.label), verdict.decibans)])
        self.changes_file |= bool(known) or labels[-1:] in [(c,) for c in self.served.empty]
        self.stale |= became != "learnt"
        if became == "learnt":
            yield Lesson(words, labels[-1])

    def _step(self, labels: Labels, label: int | None) -> tuple[Outcome, Labels]:
        """Return what becomes of an item that has some labels under another, and which it has then."""
        if not self.forget:
            assert label is not None
            if labels[-1:] == (label,):
                return "already known", labels
            return "relabelled" if labels else "learnt", (*labels, label)
        if not labels:
            return "not known", labels
        require_label(self.classes, labels[-1], label)
        return "forgotten", labels[:-1]
