"""A row of a table as an explanation that people read: its cells line by line, and what each says."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..judging import first_two, verdict_of
from ..table_models.table_model import TableModel
from ..verdict import TextExplanation, TextTerm


def explained(model: TableModel, x: NDArray[np.float64]) -> TextExplanation:
    """Why the model judges the row x (d,), of numbers and codes of labels, as it does."""
    row = x[None]
    scores = model.scores(row)[0].tolist()
    why = model.score.explain(model.features(row), model.classes)
    lines, places, cells, at = [], [], [], 0
    for j, own in enumerate(model.columns.names):
        told = _cell(model, j, float(x[j]))
        lines.append(f"{own}: {told}")
        places.append((at + len(lines[-1]) - len(told), at + len(lines[-1])))
        cells.append(f"{own} = {told}")
        at += len(lines[-1]) + 1
    terms = []
    for feature, decibans, _ in why.terms:
        j = model.column(feature)
        terms.append(TextTerm(cells[j], decibans, 1, (places[j],)))
    verdict = verdict_of(model.classes, scores, first_two(scores), None)
    return TextExplanation(verdict, why.prior_decibans, tuple(terms), "\n".join(lines))


def _cell(model: TableModel, j: int, x: Any) -> str:
    if np.isnan(x):
        return ""
    known = model.columns.categories[j]
    if known is not None:
        return str(known[int(x)]) if 0 <= x < len(known) else ""
    return str(x == 1.0).lower() if model.columns.kinds[j] == "truth" else f"{x:g}"
