"""What learn and forget do with a filter that learns online: its journal has it at once, its file by and by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import store
from ..data.text_layout import ONLINE
from ..errors import StorageError, escape
from ..files.locks import lock
from ..text.single_words import SingleWords, hashes_of
from ..text.word_sets import Lesson, WordSet, word_sets
from ..verdict import Verdict
from .autolearning import Autolearning
from .canaries import CanaryError, Changed
from .journal import Entry, Journal
from .outcomes import Outcome, label_among, require_label
from .reading import Batch
from .steps import Stepping
from .taught import SOLVED_AT_ONCE, KnownLabels, drift_of, lessons_of

if TYPE_CHECKING:
    from .filter import Filter

Labels = tuple[int, ...]
"""The numbers of the classes of an item, the last in force."""


class Words(NamedTuple):
    """How many words a filter holds and may hold, how many have given way to others, and how many occurrences were not
    counted."""

    held: int
    most: int
    retired: int
    uncounted: float

    @classmethod
    def of(cls, known: Filter) -> Words:
        """Return those of a filter."""
        encoder = known.model.encoder
        return cls(len(encoder.book), encoder.settings.max_words, encoder.retired, encoder.uncounted)


@dataclass
class Updated:
    """What an update did. The verdicts are there where there was one item; words, and how many items `vanished`, moved
    away before they were read, where items have words; how many are `waiting` to be in its file, of a filter that
    learns online, and whether these are so many that it `is_due` to be solved; why that was `refused`; and the
    canaries that were `given_up`; and what became of `each` item of a filter that learns online, in their order."""

    classes: Sequence[Any]
    outcomes: Counter[Outcome]
    before: Verdict | None = None
    after: Verdict | None = None
    words: tuple[Words, Words] | None = None
    vanished: int = 0
    waiting: int | None = None
    is_due: bool = False
    refused: str = ""
    given_up: list[str] = field(default_factory=list)
    each: list[Outcome] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return {
            "n": self.outcomes.total(),
            "outcomes": dict(self.outcomes),
            "before": self.before and self.before.to_json(),
            "after": self.after and self.after.to_json(),
            **({} if self.words is None else {"words": self.words[1]._asdict(), "vanished": self.vanished}),
            **({} if self.waiting is None else {"waiting": self.waiting}),
            **({"given_up": self.given_up} if self.given_up else {}),
        }


class Teaching(NamedTuple):
    """What items are to be learnt as: under a label, None where each has its own; forgotten; or, where `least` decibans
    are given, under the verdicts that claim so many. With `force`, canaries that would change are given up. Without
    `at_once` what is learnt never solves the filter, which takes seconds; who asks for that refreshes it later."""

    label: str | None = None
    forget: bool = False
    least: float | None = None
    force: bool = False
    at_once: bool = True


def teach_filter(path: str, batches: Iterator[Batch], teaching: Teaching, gone: Sequence[str]) -> Updated:
    """Learn items, or forget them: all of them, or none."""
    with lock(path), store.open_file(path) as opened, Journal.open(path, write=True) as journal:
        assert journal is not None
        told = _Told(path, opened, journal, teaching)
        journal.write(lambda: told.take(batches))
        waiting, most = journal.waiting(), told.words.served.settings.max_words
        grown, refused = told.known.has_grown(waiting), ""
        if told.changes_file or (grown and told.is_solved_at_once()):
            refused = _solve(path, journal, told.solution)
        if not refused and not journal.waiting():
            waiting, before = 0, told.held
            with store.open_file(path) as solved:
                words = SingleWords(solved.view())
                after, held = words.experts(words.rows(told.of_only()), words.offsets), len(words)
        else:
            before, after, held = told.held, told.stepping.experts(told.of_only()), told.stepping.held()
        sizes, due = (Words(before, most, 0, 0.0), Words(held, most, 0, 0.0)), told.known.has_grown(waiting)
        classes = told.words.served.classes
        result = Updated(classes, told.outcomes, words=sizes, vanished=len(gone), waiting=waiting, is_due=due)
        result.refused, result.given_up = refused, [each.canary.source for each in told.given_up]
        result.each = told.each
        if told.outcomes.total() == 1:
            after = replace(after, drift=drift_of(journal))
            result.before, result.after = told.before, after.judge([told.only])[0]
    return result


def _solve(path: str, journal: Journal, known: Filter | None) -> str:
    """Solve the filter, if it changes the verdict of no canary; return why not."""
    from .filter import solve  # here, because one message more seldom needs it

    try:
        solve(path, journal, known)
    except CanaryError as error:
        return str(error)
    except StorageError as error:
        what = str(error).partition(". Nothing was changed")[0]
        raise StorageError(
            f"{what}. What was told is in its journal, and verdicts heed it; make room and run deciban refresh."
        ) from error
    return ""


class _Said(NamedTuple):
    """A verdict, and the same as evidence counts by what was labelled since."""

    raw: Verdict
    heeded: Verdict


class _Told:
    """A filter while it is told what items are.

    `stepping` learns every new item at once; `known` is what its file knows, and `held` how many words it knew before.
    `changes_file` tells that the filter must be solved, as an item that the file knows is gone, or is another of a
    filter that is solved at once, or as one is the first of its class; `stale`, that steps were taken for what is no
    longer so. `only` is the last item, judged `before`. By
    `drift` evidence counts less than what is noted, by which drift is told.
    """

    def __init__(self, path: str, opened: store.Opened, journal: Journal, teaching: Teaching) -> None:
        self.path, self.opened, self.journal, self.teaching = path, opened, journal, teaching
        self.forget = teaching.forget
        self.stored = opened.view()
        self.words, self.known = SingleWords(self.stored), KnownLabels(self.stored)
        self.stepping = Stepping(self.words, journal.steps)
        self.classes = [str(c) for c in self.words.served.classes]
        journal.require_classes(self.classes)
        self.label = None if teaching.label is None else label_among(self.classes, teaching.label)
        self.own: Autolearning | None = None
        self.solution: Filter | None = None
        self.given_up: list[Changed] = []
        self.outcomes, self.changes_file, self.stale = Counter[Outcome](), False, False
        self.each: list[Outcome] = []
        self.held = 0
        self.only: str | bytes = b""
        self.before: Verdict | None = None
        self.drift = drift_of(journal)

    def take(self, batches: Iterator[Batch]) -> None:
        """Note in the journal what the items are."""
        self._bring_up_to_date()
        self.held = self.stepping.held()
        if self.teaching.least is not None:
            self.own = self._autolearning(self.teaching.least)
        for names, items, labels in batches:
            sets = word_sets(self.words.served.settings, items)
            served = self.stepping.experts(hashes_of(sets))
            judged, heeding = served.judged(items), replace(served, drift=self.drift)
            verdicts = [_Said(served.verdict(each), heeding.verdict(each)) for each in judged]
            self.only, self.before = items[-1], verdicts[-1].heeded
            own = [self.label] * len(items) if labels is None else list(map(self._class_of, labels, names))
            if self.own is not None:
                own = [self.classes.index(str(each.heeded.label)) for each in verdicts]
            new = [lesson for told in zip(names, sets, verdicts, own, strict=True) for lesson in self._note(*told)]
            served.learn(new)
            self.stepping.write(served, new)
        if self.stale and not self.changes_file:
            self._step_anew()
        if len(self.journal.canaries):
            self._guard("Forgetting this" if self.forget else "Learning this")

    def _guard(self, what: str) -> None:
        """Raise CanaryError if what was noted changes the verdict of a canary, or give that up."""
        if self.changes_file:
            from .filter import guard, solution  # here, because one message more seldom needs it

            self.solution = solution(self.path, self.journal)
            self.given_up = guard(self.journal, self.solution, what, self.teaching.force)
            return
        hashes = hashes_of(each.words for each in self.journal.canaries.all())
        self.given_up = self.journal.canaries.guard(self.stepping.experts(hashes), what, self.teaching.force)

    def _autolearning(self, least: float) -> Autolearning:
        """Return what the filter may label by itself, by what it knows so far."""
        known, automatic = self.known.counts(len(self.classes)), Counter[str]()
        for each in self.journal.entries():
            old = self.known[each.words.digest][-1:]
            known.subtract(old)
            known.update(each.labels[-1:])
        for _, labels in self.journal.automatic():
            automatic[self.classes[labels[-1]]] += 1
        return Autolearning(least, Counter({name: known[c] for c, name in enumerate(self.classes)}), automatic)

    def is_solved_at_once(self) -> bool:
        """Return whether the filter is solved as soon as its file says what is no longer so."""
        return self.teaching.at_once and len(self.known) <= SOLVED_AT_ONCE

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

    def _note(self, name: str, words: WordSet, said: _Said, label: int | None) -> Iterator[Lesson]:
        """Note what one item is; yield it if it is to be learnt by a step."""
        known, open_labels = self.known[words.digest], self.journal.labels(words.digest)
        has = known if open_labels is None else open_labels
        became, labels = self._step(has, label) if self.own is None else self._label(self.own, has, said.heeded)
        self.outcomes[became] += 1
        self.each.append(became)
        by_itself = self.own is not None
        confirmed = became == "already known" and not by_itself and self.journal.is_automatic(words.digest)
        if confirmed:  # from now on it is a label that somebody gave
            self.journal.add([Entry(words, labels, name, str(said.raw.label), said.raw.decibans)])
        if became not in ("learnt", "relabelled", "forgotten"):
            return
        self.journal.add([Entry(words, labels, name, str(said.raw.label), said.raw.decibans, automatic=by_itself)])
        at_once = self.forget or self.is_solved_at_once()
        self.changes_file |= (bool(known) and at_once) or labels[-1:] in [(c,) for c in self.words.served.empty]
        if became == "learnt" or (became == "relabelled" and open_labels is None):
            yield Lesson(words, labels[-1])
        else:
            self.stale = True

    def _label(self, own: Autolearning, labels: Labels, verdict: Verdict) -> tuple[Outcome, Labels]:
        """Return what becomes of an item that has some labels, if any, under its verdict, and which it has then."""
        became: Outcome = "already known" if labels else own.judge(verdict)
        if became != "learnt":
            return became, labels
        own.learn(verdict)
        return became, (self.classes.index(str(verdict.label)),)

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


def is_due(path: str) -> bool:
    """Return whether the journal of a filter has lessons that only a refresh takes in whole: many, or of items that its
    file knows otherwise."""
    header = store.read_header(path)
    if store.of_table(header) or header.get("model") != ONLINE:
        return False
    with store.open_file(path) as opened, Journal.open(path, write=False) as journal:
        if journal is None or not journal.waiting():
            return False
        journal.require_classes(header["classes"])
        known = KnownLabels(opened.view())
        return known.has_grown(journal.waiting()) or any(known[each.words.digest] for each in journal.each_entry())
