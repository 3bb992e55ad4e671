"""Rows of tables for the verbs that judge: classify, explain, evaluate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data.frame import Floats
from ..errors import DataError, NoInputError, UsageError, escape
from ..mail.sources import STDIN
from ..scores import log_posterior
from ..table_models.known_rows import KnownRows, hash_rows
from ..table_models.served import ServedTable
from ..tables.cells import Cells, read_cells
from ..tables.kinds import Kind
from ..tables.typed import instead
from ..tables.values import text_of
from ..verdict import Explanation, Threshold
from .items import NUMBERED


def row_batches(paths: Sequence[str], kind: Kind | None, encoding: str | None) -> Iterator[tuple[list[str], Cells]]:
    """Yield the rows of tables, named by table and row: `people.csv:17`; that name alone is that one row."""
    if len(paths) == 1 and not os.path.lexists(paths[0]):
        match = NUMBERED.fullmatch(paths[0])
        if match and os.path.isfile(match[1]):
            yield _only(match[1], int(match[2]), kind, encoding)
            return
    for path in paths or [STDIN]:
        for cells in read_cells(path, encoding, kind):
            yield [f"{path}:{row}" for row in range(cells.first_row, cells.first_row + len(cells))], cells


def _only(path: str, number: int, kind: Kind | None, encoding: str | None) -> tuple[list[str], Cells]:
    rows = 0
    for cells in read_cells(path, encoding, kind):
        rows = cells.first_row + len(cells) - 1
        if number <= rows:
            return [f"{path}:{number}"], cells.only(number - cells.first_row)
    raise NoInputError(f"{escape(path)}: expected a row with the number {number}; there are {rows:,}.")


def explain_rows(
    served: ServedTable,
    paths: Sequence[str],
    kind: Kind | None,
    encoding: str | None,
    below: float,
    threshold: Threshold | None = None,
) -> Iterator[tuple[str, Explanation]]:
    """Yield each row with why it is judged so."""
    for names, cells in row_batches(paths, kind, encoding):
        yield from zip(names, served.explain(cells, below, threshold), strict=True)


class JudgedRows(NamedTuple):
    """The labels of N rows, log p(c | x) (N, C) of them, the names of the C classes, and how many of the rows the model
    was trained on, more than would be by chance; None where its file does not tell."""

    labels: list[str]
    logs: Floats
    classes: list[str]
    known: int | None


def judge_rows(
    served: ServedTable,
    examples: Sequence[str],
    options: Mapping[str, Any],
    verb: str,
    keep: Callable[[Cells], None] | None = None,
) -> JudgedRows:
    """Return the labels of the rows of a table, log p(c | x) (N, C) of them, and the names of the C classes; `keep` is
    called with the rows, batch by batch."""
    if len(examples) != 1:
        raise UsageError(f"Expected one table to {verb} a model of typed columns; {len(examples)} arguments came.")
    if "=" in examples[0] and not os.path.lexists(examples[0]):
        raise UsageError(
            f"Expected a table with its labels in a column, as this model judges rows; came {escape(examples[0])}. "
            "Name the table, and the column with --label."
        )
    label = options["label"] or served.origin.label
    if label is None:
        raise UsageError("Expected the column of the labels of this table. Add --label COLUMN.")
    labels: list[str] = []
    classes = [text_of(c) for c in served.classes]
    scores, hashes = [], []
    for cells in read_cells(examples[0], options["encoding"], options["table_format"]):
        own, matrix = labels_of(cells, label), served.matrix(cells)
        labels += own
        scores.append(served.model.scores(matrix))
        if served.origin.rows is not None:
            hashes.append(hash_rows(served.model.columns, matrix, own))
        if keep is not None:
            keep(cells)
    trained = served.origin.rows
    known = None if trained is None else trained.find(KnownRows.of(np.concatenate(hashes)))
    return JudgedRows(labels, log_posterior(np.concatenate(scores)), classes, known)


def labels_of(cells: Cells, label: str) -> list[str]:
    """Return the labels in a column of these rows; DataError where there is none."""
    if label not in cells.columns:
        raise DataError(
            f"{cells.name}: expected a column '{escape(label)}'; {instead(label, cells.columns, '--label')}"
        )
    found = []
    for i, value in enumerate(cells.columns[label]):
        text = "" if value is None or value != value else text_of(value).strip()
        if not text:
            raise DataError(
                f"{cells.where(i)}: expected a label in column '{escape(label)}'; it is empty. "
                "Fill it in, or remove the row."
            )
        found.append(text)
    return found
