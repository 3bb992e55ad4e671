"""deciban evaluate --report: the page of a model, and of what it said of the examples given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..evaluation.evaluation import Evaluation
from ..evaluation.judgements import Floats, Judgements
from ..mail.sources import STDIN, find
from .reporting import report_evaluation

if TYPE_CHECKING:
    from ..pages.samples import Shown
    from ..store import Stored
    from ..table_models.served import ServedTable
    from ..text.served import ServedText
    from .output import Remarks


@dataclass
class JudgedPage:
    """What is kept of an evaluation for its page at `path`: the labels of the examples, and log p of each."""

    path: str
    language: str | None
    filter_file: str
    examples: Sequence[str]
    labels: Sequence[str] = ()
    logs: Floats = field(default_factory=lambda: np.empty((0, 0)))

    def keep(self, labels: Sequence[str], logs: Floats) -> None:
        """What was said of each example."""
        self.labels, self.logs = labels, logs

    def of_texts(
        self,
        stored: Stored,
        found: Evaluation,
        learnt: int,
        served: ServedText,
        columns: Mapping[str, Any],
        remarks: Remarks,
    ) -> None:
        """Write the page of a model of texts, `learnt` of whose examples it knew."""
        self._write(stored, found, learnt, lambda wanted: self._texts(served, columns, wanted), remarks)

    def of_table(
        self, stored: Stored, found: Evaluation, served: ServedTable, columns: Mapping[str, Any], remarks: Remarks
    ) -> None:
        """Write the page of a model of typed columns."""
        self._write(stored, found, None, lambda wanted: self._rows(served, columns, wanted), remarks)

    def _write(self, stored: Stored, found: Evaluation, learnt: int | None, why: Any, remarks: Remarks) -> None:
        from ..pages.measured import Measured
        from ..pages.samples import Shown, places
        from ..pages.words import words_in

        words = words_in(self.language)
        column = {str(label): c for c, label in enumerate(found.classes)}
        truth = np.array([column.get(label, -1) for label in self.labels], dtype=np.intp)
        known = np.flatnonzero(truth >= 0)
        said = Judgements(tuple(found.classes), truth[known], self.logs[known])
        how = words("how.evaluated", judged=f"{found.n:,}")
        if learnt:
            how += " " + words("how.learnt", n=f"{learnt:,}")
        chosen = [int(known[i]) for i in places(said)]
        told = {place: (name, each) for place, name, each in why(set(chosen))}
        shown: list[Shown] = [Shown(told[i][0], self.labels[i], told[i][1]) for i in chosen if i in told]
        measured = Measured(said, found, how, shown, fresh=learnt == 0)
        report_evaluation(self.path, stored, self.filter_file, measured, words, remarks)

    def _texts(
        self, served: ServedText, columns: Mapping[str, Any], wanted: set[int]
    ) -> Iterator[tuple[int, str, Any]]:
        """Some of the items, read once more: the number, the name and the explanation of each."""
        from .items import named
        from .models import Rows

        if columns["text"] is None:
            batches = named(find(self.examples), served.settings, served.n_jobs)
        elif self.examples[0] == STDIN:  # which has been read
            return
        else:
            batches = Rows(self.examples[0], dict(columns)).named()  # type: ignore[assignment]
        start = 0
        for names, items in batches:
            for place in [each for each in wanted if start <= each < start + len(items)]:
                yield place, names[place - start], served.explain(items[place - start])
            start += len(items)

    def _rows(
        self, served: ServedTable, columns: Mapping[str, Any], wanted: set[int]
    ) -> Iterator[tuple[int, str, Any]]:
        """Some of the rows, likewise."""
        from ..tables.cells import read_cells

        path, start = self.examples[0], 0
        if path == STDIN:
            return
        for cells in read_cells(path, columns["encoding"], columns["table_format"]):
            for place in [each for each in wanted if start <= each < start + len(cells)]:
                only = cells.only(place - start)
                yield place, f"{path}:{only.first_row}", next(served.explain(only))
            start += len(cells)
