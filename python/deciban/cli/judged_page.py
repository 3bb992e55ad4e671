"""deciban evaluate --report: the page of a model, and of what it said of the examples given."""

from __future__ import annotations

import pickle
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.spool import Spool
from ..evaluation.evaluation import Evaluation
from ..evaluation.judgements import Floats, Judgements
from ..judging import UNSURE_BELOW
from ..verdict import Threshold
from .reporting import report_evaluation

if TYPE_CHECKING:
    from ..pages.explained import Shown
    from ..store import Stored
    from ..table_models.served import ServedTable
    from ..tables.cells import Cells
    from ..text.served import ServedText
    from .output import Remarks


@dataclass
class JudgedPage:
    """What is kept of an evaluation for its page at `path`, by a threshold: the labels of the examples, and log p of
    each; and texts or mail as they came, or rows in batches, of which each ends before the row `ends`."""

    path: str
    language: str | None
    filter_file: str
    labels: Sequence[str] = ()
    logs: Floats = field(default_factory=lambda: np.empty((0, 0)))
    spool: Spool = field(default_factory=Spool)
    ends: list[int] = field(default_factory=list)
    threshold: Threshold | None = None

    def keep(self, labels: Sequence[str], logs: Floats) -> None:
        """Keep what was said of each example."""
        self.labels, self.logs = labels, logs

    def keep_rows(self, cells: Cells) -> None:
        """Keep more rows of a table."""
        self.spool.add([cells.name], [pickle.dumps(cells)])
        self.ends.append(len(cells) + (self.ends[-1] if self.ends else 0))

    def of_texts(
        self,
        stored: Stored,
        found: Evaluation,
        learnt: int,
        served: ServedText,
        remarks: Remarks,
    ) -> None:
        """Write the page of a model of texts, `learnt` of whose examples it knew."""
        self._write(stored, found, learnt, lambda wanted: self._texts(served, wanted), remarks)

    def of_table(
        self, stored: Stored, found: Evaluation, known: int | None, served: ServedTable, remarks: Remarks
    ) -> None:
        """Write the page of a model of typed columns, `known` of whose rows it was trained on."""
        self._write(stored, found, known, lambda wanted: self._rows(served, wanted), remarks)

    def _write(self, stored: Stored, found: Evaluation, learnt: int | None, why: Any, remarks: Remarks) -> None:
        from ..pages.explained import Shown, places
        from ..pages.measured import Measured
        from ..pages.words import words_in

        words = words_in(self.language).about(stored.header.get("text", {}).get("kind", "table"))
        column = {str(label): c for c, label in enumerate(found.classes)}
        truth = np.array([column.get(label, -1) for label in self.labels], dtype=np.intp)
        known = np.flatnonzero(truth >= 0)
        said = Judgements(tuple(found.classes), truth[known], self.logs[known])
        how = words("how.evaluated", judged=f"{found.n:,}")
        if learnt:
            how += " " + words("how.learnt", n=f"{learnt:,}")
        chosen = [int(known[i]) for i in places(said, self.threshold)]
        told = {place: (name, each) for place, name, each in why(set(chosen))}
        shown: list[Shown] = [Shown(told[i][0], self.labels[i], told[i][1]) for i in chosen if i in told]
        measured = Measured(said, found, how, shown, fresh=learnt == 0, learnt=learnt or 0)
        report_evaluation(self.path, stored, self.filter_file, measured, words, remarks)

    def _texts(self, served: ServedText, wanted: set[int]) -> Iterator[tuple[int, str, Any]]:
        """Yield some of the items: the number, the name and the explanation of each."""
        for place in wanted:
            name, item = self.spool[place]
            yield place, name, served.explain(item, UNSURE_BELOW, self.threshold)

    def _rows(self, served: ServedTable, wanted: set[int]) -> Iterator[tuple[int, str, Any]]:
        """Return some of the rows: the number, the name and the explanation of each."""
        for place in wanted:
            batch = bisect_right(self.ends, place)
            name, kept = self.spool[batch]
            assert isinstance(kept, bytes)
            cells: Cells = pickle.loads(kept)  # of this process: nobody else has written it
            only = cells.only(place - self.ends[batch] + len(cells))
            yield place, f"{name}:{only.first_row}", next(served.explain(only, UNSURE_BELOW, self.threshold))
