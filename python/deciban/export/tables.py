"""Models of tables as nodes: from columns of numbers on, in which labels are codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.features.coding import FARTHEST
from deciban.table_models.coded import CodedTable

from .answers import Answers, name_places
from .formulas import claim
from .graph import Graph, Value
from .models import write_answers
from .scores import Rows, write_score


@write_answers.register
def _(model: CodedTable, g: Graph, x: Value) -> Answers:
    s = write_score(model.scorer, g, Rows(g, _code(g, model.coding, x)))
    label = name_places(g, np.array(model.classes), g.largest(s))
    return Answers(s, len(model.classes), label, claim(g, s, model.claims))


def _code(g: Graph, coding: Any, x: Value) -> Value:
    """Return (N, D) the features of typed columns: numbers standardised, an indicator for each label."""
    gone = g("IsNaN", x)
    number = g("Div", g("Sub", g("Where", gone, coding.mean, x), coding.mean), coding.deviation)
    number = g("Clip", number, -FARTHEST, FARTHEST)
    if not coding.labels.any():
        return number
    parts, starts = [], coding.starts
    for j, known in enumerate(coding.columns.categories):
        if known is None:
            parts.append(g.column(number, j))
        else:
            codes = np.arange(starts[j + 1] - starts[j], dtype=np.float64)
            parts.append(g.truth(g("Equal", g.column(x, j), codes)))
    return g.beside(*parts)
