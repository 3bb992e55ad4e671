"""Labelled items as the verbs read them that judge by folds: read once, and then again for every fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.copies import Sketches
from ..errors import DataError
from ..evaluation.suspicion import Labelled
from ..mail.sources import STDIN, Source
from ..report.progress import Meter
from ..table_models.table_model import Rows as TableRows
from ..tables.cells import read_cells
from ..tables.svmlight import LABEL
from ..tables.typed import learnt_from
from ..text.corpus import SIZE, Corpus, Read
from ..text.recipes import Recipe
from .items import numbered, total_size
from .models import Rows, rereading
from .output import Remarks
from .table_training import wanted_columns


@dataclass(frozen=True)
class LabelledItems:
    """Items read once: their names, the corpus of them all, their near-duplicates, how many bytes they are."""

    names: list[str]
    corpus: Corpus
    labelled: Labelled
    size: int

    @classmethod
    def of_files(
        cls, sources: list[Source], recipe: Recipe, given: Mapping[str, Any], remarks: Remarks, kept: int = 0
    ) -> LabelledItems:
        """Of mail or texts in files, which are read again each time, unless they have at most `kept` bytes."""
        settings, jobs = recipe.settings, given["jobs"]
        batches = (
            (names, items, [sources[i].label for i in numbers])
            for numbers, names, items in numbered(sources, settings, jobs)
        )
        total = total_size(sources)
        return cls._of(batches, total, recipe, rereading(sources, settings, jobs), given, remarks, 0 < total <= kept)

    @classmethod
    def of_rows(cls, path: str, recipe: Recipe, given: Mapping[str, Any], remarks: Remarks) -> LabelledItems:
        """Of texts in a column of a table."""
        rows = Rows(path, dict(given))
        batches = (
            ([f"{path}:{number}" for number in range(first, first + len(texts))], texts, labels)
            for first, texts, labels in _counted(rows)
        )
        return cls._of(batches, None, recipe, rows.again, given, remarks)

    @classmethod
    def _of(
        cls,
        batches: Iterator[tuple[list[str], Sequence[str | bytes], list[str]]],
        total: int | None,
        recipe: Recipe,
        again: Read,
        given: Mapping[str, Any],
        remarks: Remarks,
        keep: bool = False,
    ) -> LabelledItems:
        reader, sketches = recipe.settings.reader(), Sketches(recipe.settings.kind, given["jobs"])
        names: list[str] = []
        labels: list[str] = []
        held: list[Sequence[str | bytes]] = []
        digests, size = bytearray(), 0
        with Meter("Reading", total, remarks.quiet) as meter:
            for some, items, theirs in batches:
                names += some
                labels += theirs
                digests += b"".join(map(reader.digest, items))
                sketches.add(items)
                held += [items] if keep else []
                size += sum(map(len, items))
                meter(sum(map(len, items)))
        classes, y = np.unique(np.array(labels, dtype=object), return_inverse=True)
        if len(classes) < 2:
            only = f"all items are {classes[0]!r}" if labels else "there are no items"
            raise DataError(f"Expected items of at least two classes; {only}. Add another class.")
        y = y.astype(np.intp)
        known = tuple(classes.tolist())
        keys = np.frombuffer(bytes(digests), dtype=f"S{SIZE}")
        corpus = Corpus((lambda: iter(held)) if keep else again, known, np.arange(len(y)), y, keys)
        return cls(names, corpus, Labelled(y, known, sketches.copies(), np.ones(len(y))), size)

    def first_of_each(self) -> NDArray[np.bool_]:
        """(N,) whether an example is the first of its content and label: as in training, each is learnt once."""
        corpus = self.corpus
        content = np.unique(corpus.keys, return_inverse=True)[1].reshape(-1)
        once = np.zeros(len(corpus), np.bool_)
        once[np.unique(content * len(corpus.classes) + corpus.y, return_index=True)[1]] = True
        return once


def _counted(rows: Rows) -> Iterator[tuple[int, list[str], list[str]]]:
    first = 1
    for texts, labels in rows.first():
        yield first, texts, labels
        first += len(texts)


def labelled_table(path: str, given: Mapping[str, Any]) -> TableRows:
    """Rows of typed columns."""
    label = given["label"] or LABEL
    cells = read_cells(path, given["encoding"], given["table_format"])
    table = learnt_from(cells, label, given["ignore"], wanted_columns(given, label))
    return TableRows.of(table, "standard input" if path == STDIN else path)
