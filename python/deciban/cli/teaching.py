"""What learn and forget do with a filter that learns online: its journal has it at once, its file by and by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .. import store
from ..errors import StorageError, escape
from ..files.locks import lock
from ..mail.journal import Entry, Journal
from ..mail.outcomes import Outcome, label_among, require_label
from ..mail.steps import Stepping
from ..mail.taught import SOLVED_AT_ONCE, KnownLabels, lessons_of
from ..text.single_words import SingleWords, hashes_of
from ..text.word_sets import Lesson, WordSet, word_sets
from ..verdict import Verdict
from .items import Batch
from .updates import Updated, Words

Labels = tuple[int, ...]
"""The numbers of the classes of an item, the last in force."""


def teach_filter(path: str, batches: Iterator[Batch], label: str | None, forget: bool, gone: Sequence[str]) -> Updated:
    """Learn items under a label, or forget them: all of them, or none."""
    with lock(path), store.open_file(path) as opened, Journal.open(path, write=True) as journal:
        assert journal is not None
        told = _Told(opened, journal, label, forget)
        journal.write(lambda: told.take(batches))
        waiting, most = journal.waiting(), told.words.served.settings.max_words
        if told.changes_file or (told.known.has_grown(waiting) and len(told.known) <= SOLVED_AT_ONCE):
            _solve(path, journal)
            waiting, before = 0, told.held
            with store.open_file(path) as solved:
                words = SingleWords(solved.view())
                after, held = words.experts(words.rows(told.of_only()), words.offsets), len(words)
        else:
            before, after, held = told.held, told.stepping.experts(told.of_only()), told.stepping.held()
        sizes, due = (Words(before, most, 0, 0.0), Words(held, most, 0, 0.0)), told.known.has_grown(waiting)
        classes = told.words.served.classes
        result = Updated(classes, told.outcomes, words=sizes, vanished=len(gone), waiting=waiting, is_due=due)
        if told.outcomes.total() == 1:
            result.before, result.after = told.before, after.judge([told.only])[0]
    return result


def _solve(path: str, journal: Journal) -> None:
    from ..mail.filter import solve  # here, because one message more seldom needs it

    try:
        solve(path, journal)
    except StorageError as error:
        what = str(error).partition(". Nothing was changed")[0]
        raise StorageError(
            f"{what}. What was told is in its journal, and verdicts heed it; make room and run deciban refresh."
        ) from error


class _Told:
    """A filter while it is told what items are.

    `stepping` learns every new item at once; `known` is what its file knows, and `held` how many words it knew before.
    `changes_file` tells that the filter must be solved, as an item that the file knows is gone, or is another of a
    filter that is solved at once, or as one is the first of its class; `stale`, that steps were taken for what is no
    longer so. `only` is the last item, judged `before`.
    """

    def __init__(self, opened: store.Opened, journal: Journal, label: str | None, forget: bool) -> None:
        self.opened, self.journal, self.forget = opened, journal, forget
        self.stored = opened.view()
        self.words, self.known = SingleWords(self.stored), KnownLabels(self.stored)
        self.stepping = Stepping(self.words, journal.steps)
        self.classes = [str(c) for c in self.words.served.classes]
        journal.require_classes(self.classes)
        self.label = None if label is None else label_among(self.classes, label)
        self.outcomes, self.changes_file, self.stale = Counter[Outcome](), False, False
        self.held = 0
        self.only: str | bytes = b""
        self.before: Verdict | None = None

    def take(self, batches: Iterator[Batch]) -> None:
        """Note in the journal what the items are."""
        self._bring_up_to_date()
        self.held = self.stepping.held()
        for names, items, labels in batches:
            sets = word_sets(self.words.served.settings, items)
            served = self.stepping.experts(hashes_of(sets))
            verdicts = served.judge(items)
            self.only, self.before = items[-1], verdicts[-1]
            own = [self.label] * len(items) if labels is None else list(map(self._class_of, labels, names))
            new = [lesson for told in zip(names, sets, verdicts, own, strict=True) for lesson in self._note(*told)]
            served.learn(new)
            self.stepping.write(served, new)
        if self.stale and not self.changes_file:
            self._step_anew()

    def of_only(self) -> list[int]:
        """Return the hashes of the words of the last item."""
        return hashes_of(word_sets(self.words.served.settings, [self.only]))

    def _bring_up_to_date(self) -> None:
        """Verify the file unless it was; take the steps anew where they are those of another."""
        solution = self.journal.solution()
        if solution is not None and solution.identity == self.opened.identity:
            return
        self.opened.verify()
        if solution is not None and solution.is_of(self.opened):
            self.journal.steps.note(solution._replace(identity=self.opened.identity))
        else:
            self._step_anew()

    def _step_anew(self) -> None:
        self.stepping.begin(self.opened, lessons_of(self.journal.each_entry(), self.stored))

    def _class_of(self, label: str, name: str) -> int:
        return label_among(self.classes, label, f"{escape(name)}: ")

    def _note(self, name: str, words: WordSet, verdict: Verdict, label: int | None) -> Iterator[Lesson]:
        """Note what one item is; yield it if it is to be learnt by a step."""
        known, open_labels = self.known[words.digest], self.journal.labels(words.digest)
        became, labels = self._step(known if open_labels is None else open_labels, label)
        self.outcomes[became] += 1
        if became in ("already known", "not known"):
            return
        self.journal.add([Entry(words, labels, name, str(verdict.label), verdict.decibans)])
        at_once = self.forget or len(self.known) <= SOLVED_AT_ONCE
        self.changes_file |= (bool(known) and at_once) or labels[-1:] in [(c,) for c in self.words.served.empty]
        if became == "learnt" or (became == "relabelled" and open_labels is None):
            yield Lesson(words, labels[-1])
        else:
            self.stale = True

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
