"""deciban train of mail and texts: labelled items in, a filter or a model out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import DataError, escape
from ..mail.filter import Filter, train_files, train_rows
from ..mail.journal import begin_anew
from ..mail.online_training import read_sets, train_online
from ..mail.sources import Source
from ..report.progress import Meter, format_count
from ..text.choice import CandidateResult
from ..text.model import Bayes
from ..text.recipes import Recipe
from ..text.settings import Kind, TextColumns, TextSettings
from .items import read_labelled_rows, tell_gone, total_size
from .models import learnt, recipes, tell_approximation
from .online_reading import OnlineReading
from .output import Remarks, print_json, tell_written
from .reporting import report_texts

if TYPE_CHECKING:
    from .labelled_items import Distinct, LabelledItems, Wanted


class Told(NamedTuple):
    """How it is told what was trained: to whom, whether as JSON, and since when it took time."""

    remarks: Remarks
    as_json: bool
    started: float


def train_texts(
    table: str | None,
    sources: list[Source],
    kind: Kind,
    reading: OnlineReading | None,
    output: str,
    given: dict[str, Any],
    told: Told,
    in_files: bool = False,
) -> None:
    """Learn the texts of a table, or the items of files, of which some may be read already, and write the model; where
    they are larger than memory, rows of them are kept `in_files`."""
    contenders, remarks = recipes(kind, given), told.remarks
    if in_files:
        trained = _learn_in_files(table, sources, contenders[0], output, given, remarks)
    else:
        trained = _train(table, sources, contenders, reading, given, remarks)
    if table is not None:
        trained = trained.of_table(TextColumns(given["text"], given["label"]))
    with begin_anew(output, trained.filter.model.compile):
        trained.filter.save(output)
    seconds = perf_counter() - told.started
    if trained.items is not None:
        recipe = next((each for each in contenders if each.model == trained.filter.model.name), contenders[0])
        report_texts(output, trained.filter, recipe, len(trained.tried), trained.items, given, remarks)
    _tell(remarks, trained, seconds, output)
    if told.as_json:
        print_json({**_summary(trained, seconds, output), "tried": [each.to_json() for each in trained.tried]})


class _Trained(NamedTuple):
    """A filter, how many items it has learnt and left out, what was tried, and the items for a report of them."""

    filter: Filter
    n: int
    duplicates: int
    conflicts: int
    tried: list[CandidateResult]
    vanished: int = 0
    items: LabelledItems | None = None

    def of_table(self, columns: TextColumns) -> _Trained:
        """Return the same, with a filter that knows the columns of the table that it was trained on."""
        model = self.filter.model
        known = replace(model, encoder=replace(model.encoder, origin=columns))
        return self._replace(filter=replace(self.filter, model=known))


def _train(
    table: str | None,
    sources: list[Source],
    recipes: list[Recipe],
    reading: OnlineReading | None,
    given: Any,
    remarks: Remarks,
) -> _Trained:
    """Learn the items of a table or of files, which are read once."""
    learner = recipes[0].learner
    if len(recipes) == 1 and isinstance(learner, Bayes) and given["report"] is None:
        return _count(table, sources, recipes[0].settings, learner, given, remarks)
    if reading is not None:
        return _learn_online(reading, given, remarks)
    from .labelled_items import Wanted

    wanted = Wanted(recipes, given["jobs"], remarks.quiet, shown=given["report"] is not None)
    items = _read(table, sources, given, wanted)
    corpus, duplicates, conflicts = _distinct(items)
    trained, tried = learnt(corpus, recipes, given, remarks)
    kept = replace(items, corpus=corpus) if wanted.shown else None
    return _Trained(trained, len(corpus), duplicates, conflicts, tried, items.vanished, kept)


def _learn_in_files(
    table: str | None, sources: list[Source], recipe: Recipe, output: str, given: Any, remarks: Remarks
) -> _Trained:
    """Learn the items of a table or of files, which are read once, by passes over rows of their words in files."""
    from .large_texts import LargeTexts

    paths = [source.path for source in sources] if table is None else [table]
    with LargeTexts.open(paths, recipe, output, given, remarks) as large:
        items = _read(table, sources, given, large.wanted)
        corpus, duplicates, conflicts = _distinct(items)
        return _Trained(large.learn(corpus), len(corpus), duplicates, conflicts, [], items.vanished)


def _read(table: str | None, sources: list[Source], given: Any, wanted: Wanted) -> LabelledItems:
    from .labelled_items import LabelledItems

    return LabelledItems.of_files(sources, wanted) if table is None else LabelledItems.of_rows(table, given, wanted)


def _distinct(items: LabelledItems) -> Distinct:
    """Return the items without those that are equal to one before; of every class there must be one."""
    found = items.distinct()
    corpus = found.corpus
    _check_members(corpus.classes, np.bincount(corpus.y, minlength=len(corpus.classes)), found.conflicts)
    return found


def _count(
    table: str | None, sources: list[Source], settings: TextSettings, bayes: Bayes, given: Any, remarks: Remarks
) -> _Trained:
    """Count the words of all items as they are read, which keeps nothing else of them."""
    gone: list[str] = []
    with Meter("Reading", total_size(sources) if table is None else None, remarks.quiet) as meter:
        if table is None:
            trained, found = train_files(sources, settings, bayes, meter, given["jobs"], gone)
        else:
            trained, found = train_rows(read_labelled_rows(table, given), settings, bayes, meter, given["jobs"])
    tell_gone(gone, settings, remarks)
    _check_members(trained.model.classes, trained.model.encoder.book.items, found.conflicts)
    return _Trained(trained, len(found.members), found.duplicates, found.conflicts, [], len(gone))


def _learn_online(reading: OnlineReading, given: Any, remarks: Remarks) -> _Trained:
    """Learn online what was read meanwhile, of which nothing but the words is kept."""
    found = read_sets(reading.finish(remarks))
    _check_members(found.classes, np.bincount(found.examples.y, minlength=len(found.classes)), found.conflicts)
    trained = train_online(found, given["jobs"])
    vanished = len(reading.gone)
    return _Trained(trained, len(found.examples.y), found.duplicates, found.conflicts, [], vanished)


def _check_members(classes: Sequence[Any], counts: Iterable[float], conflicts: int) -> None:
    for label, count in zip(classes, counts, strict=True):
        if not count:
            same = " Its items are also items of another class, and the first label stands." if conflicts else ""
            raise DataError(
                f"Expected items of every class; '{escape(str(label))}' has none.{same} Nothing was written."
            )


# --- what is told ------------------------------------------------------------------------------------------


def _summary(trained: _Trained, seconds: float, output: str) -> dict[str, Any]:
    model = trained.filter.model
    return {
        "n": trained.n,
        "classes": {
            str(label): round(count) for label, count in zip(model.classes, model.encoder.book.items, strict=True)
        },
        "seconds": seconds,
        "model": model.name,
        "certificate": model.certificate(seconds).to_json(),
        "kind": model.encoder.settings.kind,
        "duplicates": trained.duplicates,
        "conflicts": trained.conflicts,
        "vanished": trained.vanished,
        "words": len(model.encoder.book),
        "dropped": model.encoder.dropped,
        "output": output,
    }


def _tell(remarks: Remarks, trained: _Trained, seconds: float, output: str) -> None:
    model = trained.filter.model
    mail = model.encoder.settings.kind == "mail"
    by_class = zip(model.encoder.book.items, model.classes, strict=True)
    counts = ", ".join(f"{escape(str(label))}: {round(count):,}" for count, label in by_class)
    n = format_count(trained.n, "message" if mail else "text")
    remarks(f"Learnt {n} in {seconds:.2f} s ({counts}).")
    if trained.duplicates:
        remarks(f"{format_count(trained.duplicates, 'exact duplicate')} counted once only.")
    if trained.conflicts:
        remarks(
            f"{format_count(trained.conflicts, 'item')} came under two labels: the first label stands. "
            "Look at them: one of the two is wrong."
        )
    tell_approximation(model.certificate(), remarks)
    if model.encoder.dropped:
        most = model.encoder.settings.max_words
        remarks(f"More than {most:,} distinct words: the {model.encoder.dropped:,} rarest were left out.")
    words = f", {format_count(len(model.encoder.book), 'word')}"
    tell_written(remarks, output, words, "mail.eml" if mail else "text.txt")
