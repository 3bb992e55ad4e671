"""A model of a table as a picture of its regions, if its columns can be drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..features.coding import Coding
from ..losses import Floats
from ..table_models.table_model import Rows, TableModel
from .inventory import LINEAR_NAMES
from .regions import decision_regions

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def picture(model: TableModel, rows: Rows) -> Figure | str:
    """Draw the regions of a model over its training rows, or return the sentence why there are none.

    Two columns of numbers are drawn in their own units. More are standardised, categories an indicator for each label,
    and the plane is that of the leading components.
    """
    order = rows.order()
    matrix, labels = rows.X[order], rows.labels[order]
    coding = getattr(model, "coding", None) or Coding.of(rows.columns, matrix)
    if coding.width < 2:
        return "There is no picture of one column: regions need two features or more."
    numbers = rows.columns.categories.count(None) == len(rows.columns.names)
    if numbers and coding.width == 2:
        drawn = np.where(np.isnan(matrix), coding.mean, matrix)
        read = coding if hasattr(model, "coding") else None
        return decision_regions(
            _Asked(model, drawn, read), drawn, labels, names=[str(own) for own in rows.columns.names]
        )
    coded = coding(matrix)
    if hasattr(model, "coding"):
        asked = _Asked(model, coded, None)
    elif numbers:
        asked = _Asked(model, coded, lambda z: z * coding.deviation + coding.mean)
    else:
        return f"There is no picture of {model.name} with categories: its columns are no numbers, which a plane needs."
    return decision_regions(asked, coded, labels)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A model of a table, asked about points as a classifier is; what its estimator knows of the street is known.

    `read` makes of points what the model reads, features where it codes columns and else columns; None: they are that.
    """

    model: TableModel
    rows: Any
    read: Callable[[Floats], Any] | None

    @property
    def classes_(self) -> tuple[Any, ...]:
        return self.model.classes

    @property
    def called_(self) -> str:
        return LINEAR_NAMES.get(self.model.name, self.model.name)

    def __getattr__(self, name: str) -> Any:
        fitted = getattr(self.model, "fitted", None)
        if fitted is not None and name in ("zones_", "margin_", "support_"):
            return getattr(fitted, name)
        if fitted is not None and name == "support_vectors_" and hasattr(fitted, name):
            return self.rows[fitted.support_]
        raise AttributeError(name)

    def decision_function(self, points: Any) -> Floats:
        read = points if self.read is None else self.read(points)
        if not hasattr(self.model, "coding"):
            return self.model.scores(read)
        street = getattr(self.model, "fitted", None) if hasattr(self, "margin_") else None
        return np.asarray(self.model.scorer(read) if street is None else street.decision_function(read))

    def predict(self, points: Any) -> NDArray[Any]:
        s = self.decision_function(points)
        labels: NDArray[Any] = np.array(self.classes_)[(s > 0.0).astype(np.intp) if s.ndim == 1 else s.argmax(axis=1)]
        return labels
