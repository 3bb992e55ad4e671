"""A model of a table as it judges the rows of files: verdicts, and the evidence cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from itertools import compress
from math import fsum
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban.conventions import DECIBANS_PER_NAT
from deciban.data.frame import Floats
from deciban.data.rows import is_sparse
from deciban.judging import NAMED_ABSENT, UNSURE_BELOW, first_two, verdict_of
from deciban.lazy import cached_property
from deciban.scores import VOLUME
from deciban.scores.evidence import NO_TERMS, Terms
from deciban.store import Stored
from deciban.tables.by_row import RowColumns
from deciban.tables.cells import Cells
from deciban.tables.matching import read_as
from deciban.tables.sparse import SparseColumns, is_small
from deciban.tables.values import text_of
from deciban.threads import on_threads
from deciban.verdict import Explanation, Term, Threshold, Verdict

from .recipes import restore
from .table_model import Origin, TableModel

# Of a row of very many columns so many are named.
_NAMED = 1 << 14


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
        """Return the model in a file that `store.read` has checked."""
        return cls(restore(stored), Origin.from_header(stored.header))

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels, in order."""
        return self.model.classes

    @cached_property
    def names(self) -> list[str]:
        """The columns by name, as text."""
        return [str(own) for own in self.model.columns.names]

    def matrix(self, cells: Cells) -> Any:
        """Return (N, d) the rows as numbers, NaN where missing, and codes of labels: K, past the last, if never
        learnt."""
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
        """Return (N, C) scores of which the posterior is made, in nats."""
        return self.model.scores(self.matrix(cells))

    def judge(
        self, cells: Cells, unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> list[Verdict]:
        """Return a verdict for each row."""
        matrix = self.matrix(cells)
        return self._verdicts(matrix, self.model.joint(matrix).tolist(), unsure_below, threshold)

    def _verdicts(
        self, matrix: Any, scores: list[list[float]], below: float, threshold: Threshold | None
    ) -> list[Verdict]:
        intervals, claims = self.model.intervals(matrix), self.model.claims
        told = [None] * len(scores) if intervals is None else [(low, high) for low, high in intervals.tolist()]
        return [
            verdict_of(self.classes, row, first_two(row), each, below, threshold, claims)
            for row, each in zip(scores, told, strict=True)
        ]

    def explain(
        self, cells: Cells, unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> Iterator[Explanation]:
        """Return why each row is judged so, cell by cell: prior + Σ terms = decibans. The text is the row, a line a
        cell.

        Of rows that are mostly 0 the text leaves the zeros out, and but for the strongest they are one term together;
        so are all but the 16,384 strongest terms.
        """
        matrix = self.matrix(cells)
        features = self.model.features(matrix)
        scores, claims = self.model.joint(matrix).tolist(), self.model.claims
        verdicts = self._verdicts(matrix, scores, unsure_below, threshold)
        return (
            self._explain_row(cells, i, matrix[[i]], features[[i]], verdict).times(
                claims.pair(row, first_two(row)).factor
            )
            for i, (row, verdict) in enumerate(zip(scores, verdicts, strict=True))
        )

    def _explain_row(self, cells: Cells, i: int, row: Any, features: Any, verdict: Verdict) -> Explanation:
        found, prior = self._weigh(features, verdict)
        columns, evidence = self.model.column(found.feature), found.evidence * DECIBANS_PER_NAT
        others = _others(row, columns, found.feature)
        kept = [(self.names[columns[at]], float(evidence[at])) for at in np.flatnonzero(~others).tolist()]
        values = self._values(cells, i, row)
        text, places = _show_row(values, {own for own, _ in kept})
        terms = [
            Term(f"{own} = {text_of(values.get(own, cells.absent))}", decibans, 1.0, places.get(own, ()))
            for own, decibans in kept
        ]
        if others.any():
            terms.append(Term(f"({others.sum():,} other columns)", fsum(evidence[others]), 0.0))
            terms.sort(key=lambda term: -abs(term.decibans))
        return Explanation.of_verdict(verdict, prior * DECIBANS_PER_NAT, tuple(terms), text)

    @on_threads
    def _weigh(self, features: Any, verdict: Verdict) -> tuple[Terms, float]:
        """Return the terms of a row whose verdict is known, the strongest first, and what was believed before, in
        nats."""
        if verdict.against is None:
            return NO_TERMS, 0.0
        scorer, label, against = self.model.scorer, *map(self.classes.index, (verdict.label, verdict.against))
        terms = scorer.terms(features, label, against)
        return terms.strongest_first(), float(scorer.prior[label] - scorer.prior[against])

    def _values(self, cells: Cells, i: int, numbers: Any) -> dict[str, Any]:
        """Return row i by column; of very many that are mostly 0 those that are not, which stand in the row of
        numbers."""
        names = self.names
        plain = is_sparse(numbers) and {*self.model.columns.kinds} <= {"number", "whole"}
        if plain and isinstance(cells.columns, SparseColumns) and not is_small(1, len(names)):
            return {names[j]: value for j, value in zip(numbers.indices.tolist(), numbers.data.tolist(), strict=True)}
        row = cells.columns.row(i) if isinstance(cells.columns, RowColumns) else None
        if row is not None:
            return {own: row.get(own, cells.absent) for own in names}
        return {own: cells.columns[own][i] if own in cells.columns else cells.absent for own in names}


def _others(row: Any, columns: NDArray[np.intp], features: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which terms, of which the strongest come first, are told together: those of columns that a sparse row
    leaves out, but for the strongest, and what is more than anyone reads."""
    others = np.zeros(len(columns), np.bool_)
    others[_NAMED:] = True
    if is_sparse(row):
        left_out = np.flatnonzero((features != VOLUME) & ~np.isin(columns, row.indices))
        others[left_out[NAMED_ABSENT:]] = True
    return others


def _show_row(values: dict[str, Any], wanted: Set[str]) -> tuple[str, dict[str, tuple[tuple[int, int], ...]]]:
    """Return a row as text, `name: value` a line, and where the values that are wanted stand in it."""
    lines: list[str] = []
    places: dict[str, tuple[tuple[int, int], ...]] = {}
    at = 0
    for own, value in values.items():
        told = "" if value is None else text_of(value).replace("\n", " ")
        lines.append(f"{own}: {told}")
        if own in wanted:
            start = at + len(own) + 2
            places[own] = ((start, start + len(told)),)
        at += len(lines[-1]) + 1
    return "\n".join(lines), places
