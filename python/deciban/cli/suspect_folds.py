"""Labelled items as `deciban suspects` reads them, and what models say of those that they did not learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError
from ..mail.sources import STDIN, Source
from ..models.tables import Rows as TableRows
from ..report.progress import Meter
from ..scores import log_posterior
from ..tables.cells import read_cells
from ..tables.svmlight import LABEL
from ..tables.typed import learnt_from
from ..text.choice import FEWEST, choose
from ..text.corpus import SIZE, Corpus, Read
from ..text.recipes import Recipe
from ..trust.copies import Sketches, copies_of_rows
from ..trust.suspect import Floats, Integers, Suspects
from ..trust.suspects import among
from ..trust.suspicion import Labelled
from .items import numbered, total_size
from .models import Rows, rereading, tell_chosen, tell_tried
from .output import Remarks
from .table_training import contenders_of, wanted_columns


@dataclass(frozen=True)
class Found:
    """The suspects among items of these names, and the model that judged them."""

    suspects: Suspects
    names: Sequence[str]
    model: str


def in_files(sources: list[Source], contenders: list[Recipe], given: Mapping[str, Any], remarks: Remarks) -> Found:
    """Of mail or texts in files, which are read again for every fold."""
    settings, jobs = contenders[0].settings, given["jobs"]
    batches = (
        (names, items, [sources[i].label for i in numbers])
        for numbers, names, items in numbered(sources, settings, jobs)
    )
    again = rereading(sources, settings, jobs)
    return _of_texts(
        _Gathered.of(batches, total_size(sources), contenders[0], again, given, remarks), contenders, given, remarks
    )


def in_rows(path: str, contenders: list[Recipe], given: Mapping[str, Any], remarks: Remarks) -> Found:
    """Of texts in a column of a table."""
    rows = Rows(path, dict(given))
    batches = (
        ([f"{path}:{number}" for number in range(first, first + len(texts))], texts, labels)
        for first, texts, labels in _counted(rows)
    )
    return _of_texts(_Gathered.of(batches, None, contenders[0], rows.again, given, remarks), contenders, given, remarks)


def _counted(rows: Rows) -> Iterator[tuple[int, list[str], list[str]]]:
    first = 1
    for texts, labels in rows.first():
        yield first, texts, labels
        first += len(texts)


@dataclass(frozen=True)
class _Gathered:
    """Items read once: their names, the corpus of them all, their near-duplicates, how many bytes they are."""

    names: list[str]
    corpus: Corpus
    labelled: Labelled
    size: int

    @classmethod
    def of(
        cls,
        batches: Iterator[tuple[list[str], Sequence[str | bytes], list[str]]],
        total: int | None,
        recipe: Recipe,
        again: Read,
        given: Mapping[str, Any],
        remarks: Remarks,
    ) -> _Gathered:
        reader, sketches = recipe.settings.reader(), Sketches(recipe.settings.kind, given["jobs"])
        names: list[str] = []
        labels: list[str] = []
        digests, size = bytearray(), 0
        with Meter("Reading", total, remarks.quiet) as meter:
            for some, items, theirs in batches:
                names += some
                labels += theirs
                digests += b"".join(map(reader.digest, items))
                sketches.add(items)
                size += sum(map(len, items))
                meter(sum(map(len, items)))
        classes, y = np.unique(np.array(labels, dtype=object), return_inverse=True)
        if len(classes) < 2:
            only = f"all items are {classes[0]!r}" if labels else "there are no items"
            raise DataError(f"Expected items of at least two classes; {only}. Add another class.")
        y = y.astype(np.intp)
        known = tuple(classes.tolist())
        keys = np.frombuffer(bytes(digests), dtype=f"S{SIZE}")
        corpus = Corpus(again, known, np.arange(len(y)), y, keys)
        return cls(names, corpus, Labelled(y, known, sketches.copies(), np.ones(len(y))), size)


def _of_texts(read: _Gathered, contenders: list[Recipe], given: Mapping[str, Any], remarks: Remarks) -> Found:
    corpus, jobs = read.corpus, given["jobs"]
    fold = read.labelled.fold(given["folds"], given["seed"])
    once = _first_of_each(corpus)
    recipe = contenders[0]
    if len(contenders) > 1 and once.sum() >= FEWEST:
        recipe, tried = choose(corpus.only(once), contenders, given["time_limit"], jobs, tell_tried(remarks))
        left_out = [each.model for each in contenders[len(tried) :]]
        tell_chosen(recipe.model, left_out, given["time_limit"], remarks)
    log_p = np.empty((len(corpus), len(corpus.classes)))
    with Meter("Judging", read.size, remarks.quiet) as meter:
        for k in range(given["folds"]):
            inside = corpus.only(once & (fold != k)).without_empty()
            judge = recipe.learn(inside, n_jobs=jobs).compile(jobs)
            log_p[fold == k] = _judged(judge, corpus.only(fold == k), inside.classes, meter)
    return Found(read.labelled.suspects(log_p), read.names, recipe.model)


def _judged(judge: Any, held: Corpus, known: tuple[Any, ...], meter: Callable[[int], None]) -> Floats:
    found = [np.empty((0, len(known)))]
    for items, _ in held.batches():
        found.append(log_posterior(judge.scores(items)))
        meter(sum(map(len, items)))
    return among(np.concatenate(found), np.array(known, dtype=object), np.array(held.classes, dtype=object))


def _first_of_each(corpus: Corpus) -> Any:
    """(N,) whether an example is the first of its content and label: as in training, each is learnt once."""
    content = np.unique(corpus.keys, return_inverse=True)[1].reshape(-1)
    once = np.zeros(len(corpus), np.bool_)
    once[np.unique(content * len(corpus.classes) + corpus.y, return_index=True)[1]] = True
    return once


def in_table(path: str, given: Mapping[str, Any], remarks: Remarks) -> Found:
    """Of typed columns."""
    contenders, label, jobs = contenders_of(given), given["label"] or LABEL, given["jobs"]
    cells = read_cells(path, given["encoding"], given["table_format"])
    table = learnt_from(cells, label, given["ignore"], wanted_columns(given, label))
    rows = TableRows.of(table, "standard input" if path == STDIN else path)
    labelled = Labelled(rows.y, rows.classes, copies_of_rows(rows.matrix), np.ones(len(rows)))
    fold = labelled.fold(given["folds"], given["seed"])
    recipe = contenders[0]
    if len(contenders) > 1 and len(rows) >= FEWEST:
        recipe, tried = choose(rows, contenders, given["time_limit"], jobs, tell_tried(remarks))
        left_out = [each.model for each in contenders[len(tried) :]]
        tell_chosen(recipe.model, left_out, given["time_limit"], remarks)
    log_p = np.empty((len(rows), len(rows.classes)))
    with Meter("Judging", None, remarks.quiet) as meter:
        for k in range(given["folds"]):
            log_p[fold == k] = _rows_judged(rows, recipe, fold, k, jobs)
            meter(int(rows.matrix[fold == k].nbytes))
    return Found(labelled.suspects(log_p), [f"{path}:{number}" for number in range(1, len(rows) + 1)], recipe.model)


def _rows_judged(rows: TableRows, recipe: Any, fold: Integers, k: int, jobs: int | None) -> Floats:
    inside, outside = rows.only(fold != k), rows.only(fold == k)
    model = recipe.learn(inside, n_jobs=jobs)
    log_p = log_posterior(model.scores(outside.matrix))
    return among(log_p, np.array(model.classes, dtype=object), np.array(rows.classes, dtype=object))
