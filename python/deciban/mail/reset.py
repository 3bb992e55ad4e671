"""Which labels a reset takes back: those that were given since a time, from a source, or of a class."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from .. import store
from ..data.text_layout import ONLINE
from ..errors import DataError, escape
from ..files.locks import lock
from ..text.single_words import SingleWords
from ..text.word_sets import WordSet
from .filter import Filter, guard, solution, solve
from .journal import Entry, Journal
from .ledger import Ledger, digest_of
from .outcomes import label_among
from .steps import Stepping
from .taught import lessons_of


class Given(NamedTuple):
    """A label that an item has, with the time and the source of the entry that gave it; None where it was trained."""

    label: int
    told: float | None = None
    source: str | None = None
    automatic: bool = False


class Wanted(NamedTuple):
    """What labels are to be taken back: those for which all hold that are not None."""

    since: float | None = None
    source: str | None = None
    label: str | None = None
    automatic: bool = False

    def holds(self, given: Given, label: int | None) -> bool:
        """Return whether a label is to be taken back; `label` is the number of the class that is wanted."""
        return (
            (self.since is None or (given.told is not None and given.told >= self.since))
            and (self.source is None or (given.source is not None and fnmatchcase(given.source, self.source)))
            and (label is None or given.label == label)
            and (given.automatic or not self.automatic)
        )


class Reset(NamedTuple):
    """How many items matched of how many that are known, and how many of these have no time and no source."""

    n: int
    known: int
    trained: int


Labels = tuple[int, ...]


def reset(path: str | os.PathLike[str], wanted: Wanted, *, dry_run: bool = False, force: bool = False) -> Reset:
    """Take back all labels that are wanted, as if they had never been given; or say only how many items have some.

    Raises
    ------
    DataError
        If the filter is of another model than the default one of mail, a class would be left without items, or a canary
        would have another verdict and `force` does not give it up.
    """
    if dry_run:
        with Journal.open(path, write=False) as journal:
            return _plan(path, journal, wanted)[0]
    with lock(path), Journal.open(path, write=True) as journal:
        assert journal is not None
        result, entries = _plan(path, journal, wanted)
        if entries:
            known: list[Filter] = []
            journal.write(lambda: known.append(_note(path, journal, entries, force)))
            solve(path, journal, known[0])
        return result


def _note(path: str | os.PathLike[str], journal: Journal, entries: Sequence[Entry], force: bool) -> Filter:
    """Note entries, and take the steps anew: verdicts heed them even where the filter cannot be written. Return what it
    will be."""
    journal.add(entries)
    known = solution(path, journal)
    guard(journal, known, "This reset", force)
    with store.open_file(path) as opened:
        stored = opened.view()
        Stepping(SingleWords(stored), journal.steps).begin(opened, lessons_of(journal.each_entry(), stored))
    return known


def _plan(path: str | os.PathLike[str], journal: Journal | None, wanted: Wanted) -> tuple[Reset, list[Entry]]:
    """Return what a reset finds, and the entries that take it back."""
    stored = store.read(path, tables=True)
    if store.of_table(stored.header) or stored.header["model"] != ONLINE:
        raise DataError(
            f"{escape(os.fspath(path))}: expected a filter of the default model of mail, online; others keep no "
            "journal of what they were taught. Forget the messages: deciban forget."
        )
    classes = [str(c) for c in stored.header["classes"]]
    label = None if wanted.label is None else label_among(classes, wanted.label)
    if journal is not None:
        journal.require_classes(classes)
    before, words = _labels_given(Ledger.from_stored(stored), journal)
    matching = {d: given for d, given in before.items() if any(wanted.holds(each, label) for each in given)}
    after = {**before, **{d: _without(given, wanted, label) for d, given in matching.items()}}
    _require_classes_left(classes, before, after)
    trained = sum(given[-1].told is None for given in before.values())
    entries = []
    for digest, given in matching.items():
        none = WordSet(digest, 0, None, None, None, None)  # type: ignore[arg-type]  # as of items in the file
        entries.extend(_steps_back(words.get(digest, none), given, after[digest]))
    return Reset(len(matching), len(before), trained), entries


def _labels_given(ledger: Ledger, journal: Journal | None) -> tuple[dict[bytes, list[Given]], dict[bytes, WordSet]]:
    """Return the labels that each known item has, in the order in which they were given, and the words of those that
    the filter's file may not have yet."""
    labels: dict[bytes, Labels] = {}
    for key, label in zip(ledger.digests, ledger.classes.tolist(), strict=True):
        digest = digest_of(key)
        labels[digest] = (*labels.get(digest, ()), label)
    told: dict[bytes, list[Given]] = {}
    words = {}
    if journal is not None:
        for digest, now, source, when, automatic in journal.told():
            had = told.get(digest)
            told[digest] = _given([Given(c) for c in now[:-1]] if had is None else had, now, when, source, automatic)
            if had is not None and not automatic and [each.label for each in had] == [*now]:  # somebody confirms it
                told[digest] = [*had[:-1], *(each._replace(automatic=False) for each in had[-1:])]
        for each in journal.entries():
            labels[each.words.digest], words[each.words.digest] = each.labels, each.words
    return {d: _given(told.get(d, []), now, None, None) for d, now in labels.items() if now}, words


def _given(
    had: Sequence[Given], now: Labels, when: float | None, source: str | None, automatic: bool = False
) -> list[Given]:
    """Return the labels of an item that had some, when an entry says which it has now: what they begin with is kept,
    what follows is what the entry gave."""
    kept = 0
    while kept < min(len(had), len(now)) and had[kept].label == now[kept]:
        kept += 1
    return [*had[:kept], *(Given(c, when, source, automatic) for c in now[kept:])]


def _without(given: Sequence[Given], wanted: Wanted, label: int | None) -> list[Given]:
    """Return the labels that an item would have if those that are wanted had not been given."""
    left: list[Given] = []
    for each in given:
        if not wanted.holds(each, label) and (not left or left[-1].label != each.label):
            left.append(each)
    return left


def _steps_back(words: WordSet, before: Sequence[Given], after: Sequence[Given]) -> list[Entry]:
    """Return entries that take labels back to where the first is gone, and give again what came later, with its time
    and source."""
    same = 0
    while same < len(after) and after[same] == before[same]:
        same += 1
    labels = tuple(each.label for each in after)
    return [
        Entry(words, labels[:same]),
        *(
            Entry(words, labels[: k + 1], each.source or "", told=each.told, automatic=each.automatic)
            for k, each in enumerate(after)
            if k >= same
        ),
    ]


def _require_classes_left(
    classes: Sequence[str], before: dict[bytes, list[Given]], after: dict[bytes, list[Given]]
) -> None:
    """Raise DataError for a reset after which a class that has items would have none."""
    had, left = (Counter(given[-1].label for given in each.values() if given) for each in (before, after))
    gone = [name for c, name in enumerate(classes) if had[c] and not left[c]]
    if had and not left:
        raise DataError(
            "Expected that something is left in the filter; this is all it knows. Narrow what is to be reset, or "
            "delete its file and train anew."
        )
    if gone:
        raise DataError(
            f"Expected that each class keeps a message; this takes all of {', '.join(map(repr, gone))}. Narrow what is "
            "to be reset, or learn others of that class first."
        )
