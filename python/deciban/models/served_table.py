"""A model of a table as it judges the rows of files: verdicts, and the evidence cell by cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, Self

import numpy as np

from deciban.conventions import DECIBANS_PER_NAT
from deciban.rows import is_sparse
from deciban.store import Stored
from deciban.tables.by_row import RowColumns
from deciban.tables.cells import Cells
from deciban.tables.frame import Floats
from deciban.tables.matching import read_as
from deciban.tables.sparse import SparseColumns, is_small
from deciban.tables.values import text_of
from deciban.text.served import UNSURE_BELOW, first_two, verdict_of
from deciban.verdict import TextExplanation, TextTerm, Threshold, Verdict

from .table_recipes import from_stored
from .tables import Origin, TableModel

# So many cells of sparse rows are looked at together.
_CELLS = 1 << 18


@dataclass(frozen=True, eq=False)
class ServedTable:
    """What a stored model of a table says of rows, whose columns are found by name.

    Each model has its own rule for a category that was never learnt; `unseen` counts them by column and label.
    """

    model: TableModel
    origin: Origin
    unseen: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """The model in a file that `store.read` has checked."""
        return cls(from_stored(stored), Origin.from_header(stored.header))

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels, in order."""
        return self.model.classes

    def matrix(self, cells: Cells) -> Any:
        """(N, d) the rows as numbers, NaN where missing, and codes of labels: K, past the last, if never learnt."""
        columns = self.model.columns
        matrix = read_as(columns, cells)
        if "category" not in columns.kinds:
            return matrix
        strange = columns.unseen(matrix)
        for j in np.flatnonzero(strange.any(axis=0)).tolist():
            own = str(columns.names[j])
            self.unseen.update((own, text_of(value)) for value in compress(cells.columns[own], strange[:, j]))
        return matrix

    def scores(self, cells: Cells) -> Floats:
        """(N, C) log joint probabilities, in nats."""
        return self.model.scores(self.matrix(cells))

    def judge(
        self, cells: Cells, unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> list[Verdict]:
        """A verdict for each row."""
        return self._verdicts(self.matrix(cells), unsure_below, threshold)

    def _verdicts(self, matrix: Any, below: float, threshold: Threshold | None) -> list[Verdict]:
        if is_sparse(matrix) and matrix.shape[0] > 1:  # intervals look at every cell
            step = max(1, _CELLS // matrix.shape[1])
            if step < matrix.shape[0]:
                parts = (matrix[at : at + step] for at in range(0, matrix.shape[0], step))
                return [verdict for part in parts for verdict in self._verdicts(part, below, threshold)]
        scores, intervals = self.model.scores(matrix).tolist(), self.model.intervals(matrix)
        told = [None] * len(scores) if intervals is None else (intervals * DECIBANS_PER_NAT).tolist()
        return [
            verdict_of(
                self.classes, row, first_two(row), None if each is None else (each[0], each[1]), below, threshold
            )
            for row, each in zip(scores, told, strict=True)
        ]

    def explain(
        self, cells: Cells, unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> list[TextExplanation]:
        """Why each row is judged so, cell by cell: prior + Σ terms = decibans. The text is the row, a line a cell."""
        matrix = self.matrix(cells)
        features = self.model.features(matrix)
        verdicts = self._verdicts(matrix, unsure_below, threshold)
        return [self._explained(cells, i, features[[i]], verdict) for i, verdict in enumerate(verdicts)]

    def _explained(self, cells: Cells, i: int, row: Any, verdict: Verdict) -> TextExplanation:
        known = [str(own) for own in self.model.columns.names]
        values = _values(cells, i, known)
        text, places = _shown(values)
        weighed = None if verdict.against is None else (verdict.label, verdict.against)
        why = self.model.score.explain(row, self.classes, pair=weighed)
        terms = []
        for feature, decibans, _ in why.terms:
            own = str(self.model.columns.names[self.model.column(feature)])
            told = values.get(own, cells.absent)
            terms.append(TextTerm(f"{own} = {text_of(told)}", decibans, 1, places.get(own, ())))
        return TextExplanation(verdict, why.prior_decibans, tuple(terms), text)


def _values(cells: Cells, i: int, names: list[str]) -> dict[str, Any]:
    """Row i by column; of very many that are mostly 0 those that are not."""
    if isinstance(cells.columns, SparseColumns) and not is_small(1, len(names)):
        known = {*names}
        return {own: value for own, value in cells.columns.row(i).items() if own in known}
    row = cells.columns.row(i) if isinstance(cells.columns, RowColumns) else None
    if row is not None:
        return {own: row.get(own, cells.absent) for own in names}
    return {own: cells.columns[own][i] if own in cells.columns else cells.absent for own in names}


def _shown(values: dict[str, Any]) -> tuple[str, dict[str, tuple[tuple[int, int], ...]]]:
    """A row as text, `name: value` a line, and where each value stands in it."""
    lines: list[str] = []
    places: dict[str, tuple[tuple[int, int], ...]] = {}
    at = 0
    for own, value in values.items():
        told = "" if value is None else text_of(value).replace("\n", " ")
        lines.append(f"{own}: {told}")
        start = at + len(own) + 2
        places[own] = ((start, start + len(told)),)
        at += len(lines[-1]) + 1
    return "\n".join(lines), places
