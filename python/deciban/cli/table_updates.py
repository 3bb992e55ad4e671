"""Rows of tables for learn and forget, which take their labels from a column, or are all of one label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from .. import store
from ..errors import UsageError
from ..files.locks import lock
from ..mail.outcomes import Outcome, label_among
from ..mail.teaching import Updated
from ..table_models.known_rows import KnownRows, hash_rows
from ..table_models.served import ServedTable
from ..table_models.table_model import Origin, TableModel
from ..tables.cells import Cells
from ..tables.matching import read_as
from ..tables.values import text_of
from .table_judging import labels_of, row_batches
from .tabular import refuse_text

_OUTCOME: dict[str, Outcome] = {"plus": "learnt", "minus": "forgotten"}


def update(
    path: str, paths: Sequence[str], verb: Literal["plus", "minus"], label: str | None, given: Mapping[str, Any]
) -> Updated:
    """Learn or forget all rows of the tables at `paths`, or none if anything is wrong with one.

    A table keeps no list of its rows: a row that comes twice counts twice.
    """
    refuse_text(given["text"])
    if label is not None and given["column"] is not None:
        raise UsageError("Expected --as LABEL for all rows, or --label COLUMN; both came. Leave one out.")
    read = row_batches(paths, given["table_format"], given["encoding"])
    _, first = next(read)  # standard input is waited for before the file is locked
    with lock(path):
        before = ServedTable.from_stored(store.read(path, tables=True))
        model, outcomes, only = before.model, Counter[Outcome](), first if len(first) == 1 else None
        origin = before.origin
        for cells in _from(first, read):
            labels = _labels(before, cells, label, given["column"])
            after = model.plus(cells, labels) if verb == "plus" else model.minus(cells, labels)
            # of the two, the one that knows all categories of these rows
            origin = _count(origin, after if verb == "plus" else model, cells, labels, verb)
            model = after
            outcomes[_OUTCOME[verb]] += len(cells)
        model.save(path, origin.header())
    result = Updated(before.classes, outcomes)
    if only is not None and outcomes.total() == 1:
        served = ServedTable(model, origin)
        result.before, result.after = before.judge(only)[0], served.judge(only)[0]
    return result


def _count(
    origin: Origin, model: TableModel, cells: Cells, labels: list[Any], verb: Literal["plus", "minus"]
) -> Origin:
    """Return what is known of the rows that the model was trained on, with these or without."""
    if origin.rows is None:
        return origin
    rows = KnownRows.of(hash_rows(model.columns, read_as(model.columns, cells), list(map(text_of, labels))))
    return replace(origin, rows=origin.rows.plus(rows) if verb == "plus" else origin.rows.minus(rows))


def _from(first: Cells, rest: Iterator[tuple[list[str], Cells]]) -> Iterator[Cells]:
    yield first
    yield from (cells for _, cells in rest)


def _labels(served: ServedTable, cells: Cells, label: str | None, column: str | None) -> list[Any]:
    """Return the label of each row, as the model has it; DataError for one that it does not have."""
    names = [text_of(each) for each in served.classes]
    whose = "the model's"
    if label is not None:
        return [served.classes[label_among(names, label, whose=whose)]] * len(cells)
    column = column or served.origin.label
    if column is None:
        raise UsageError(
            "Expected the labels of these rows. Add --as LABEL, or --label COLUMN for the column that holds them."
        )
    places = {name: k for k, name in enumerate(names)}
    found = []
    for i, name in enumerate(labels_of(cells, column)):
        place = places.get(name)
        if place is None:
            place = label_among(names, name, f"{cells.where(i)}: ", whose)
        found.append(served.classes[place])
    return found
