"""Naive Bayes as a model of a table: each column by a distribution of its kind."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from deciban.certificates.bound import Bound
from deciban.certificates.certificate import Certificate
from deciban.claims import Claims
from deciban.data.columns import Columns
from deciban.data.frame import Floats, Kind
from deciban.errors import DataError
from deciban.features.column_information import information_of_counts
from deciban.lazy import cached_property
from deciban.scores import Score
from deciban.store import Stored
from deciban.tables.cells import Cells
from deciban.tables.matching import read_as
from deciban.tables.widening import NEVER_LEARNT, refuse_strange, with_categories_of

from ..models.naive_bayes import NaiveBayes
from ..models.stored import arrays_of, header_of, restore
from .coded import TableSettings
from .table_model import Rows, TableModel, refusals_of, refusals_of_rows, table_of


@dataclass(frozen=True, eq=False, kw_only=True)
class BayesTable(TableModel):
    """`NaiveBayes`, whose file it writes: the encoder is its columns, the settings and the scorer are its own.

    What is missing is no evidence. A category never learnt has its predictive share, alpha / (n + alpha K), as it has
    in `NaiveBayes` itself.
    """

    encoder: Columns
    model: NaiveBayes

    @classmethod
    def of(cls, model: NaiveBayes, columns: Columns) -> Self:
        """Return the model of these columns that the estimator has learnt."""
        settings = TableSettings("naive-bayes", model.get_params(deep=False))
        return cls(settings=settings, classes=tuple(model.classes_.tolist()), encoder=columns, model=model)

    @classmethod
    def learn(cls, rows: Rows, alpha: float = 1.0) -> Self:
        """Learn of every column its distribution: normal, Bernoulli or categorical."""
        order = rows.order()
        model = bayes_of_columns(alpha)
        with refusals_of_rows(rows, order):
            model.fit(table_of(rows.columns, rows.X[order]), rows.labels[order])
        return cls.of(model, rows.columns)

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """Return the model in a file that `store.read` has checked; DataError where its columns have no names."""
        model = restore(stored)
        names, columns = getattr(model, "feature_names_in_", None), model.columns_
        if columns is None and names is not None:
            number: Kind = "number"
            columns = Columns(tuple(names.tolist()), (number,) * len(names), (None,) * len(names))
        if columns is None or any(not isinstance(name, str) for name in columns.names):
            raise DataError(
                f"{stored.name}: expected a model whose columns have names, to find them in a table; this one learnt "
                "an array. Judge with it from Python, deciban.load, or fit it on a data frame."
            )
        return cls.of(model, columns)

    @property
    def columns(self) -> Columns:
        return self.encoder

    @property
    def items(self) -> Floats:
        items: Floats = self.model.class_count_
        return items

    @property
    def claims(self) -> Claims:
        return self.model._claims()

    @property
    def section(self) -> str:
        return "bayes"

    @property
    def scorer(self) -> Score:
        return self.model.scorer_

    def features(self, matrix: Floats) -> Any:
        return self.model._encode_rows(matrix)

    def column(self, feature: Any) -> Any:
        return feature

    def probes(self, j: int) -> list[tuple[str, float]]:
        """Return each label; of numbers the means of the classes."""
        own, labels = self.columns.names[j], self.labels(j)
        if labels is not None:
            return labels
        means = sorted({*self._means[:, j].tolist()})
        return [(f"{own} = {self.columns.label(j, float(f'{mean:.4g}'))}", mean) for mean in means if mean == mean]

    @cached_property
    def _means(self) -> Floats:
        """(C, d) the means of numbers in the classes, NaN for all other columns."""
        means = np.full((len(self.classes), len(self.columns.names)), np.nan)
        for columns, part in getattr(self.model._compile_counts(self.model.counts_), "parts", ()):
            if hasattr(part, "location"):
                means[:, columns] = part.location
        return means

    def information(self) -> list[float | None]:
        return information_of_counts(self.model)

    def intervals(self, matrix: Floats) -> Floats | None:
        return self.model._intervals(self.model._encode_rows(matrix))

    def certificate(self, seconds: float = 0.0) -> Certificate:
        return replace(self.model.certificate_, seconds=seconds)

    def with_choice(self, choice: Bound | None) -> Self:
        model = copy(self.model)
        model._choice = choice
        return self.of(model, self.columns)

    def plus(self, cells: Cells, labels: Sequence[Any]) -> Self:
        """Return new categories become known, as they would have been from the beginning."""
        return self._update("partial_fit", cells, labels)

    def minus(self, cells: Cells, labels: Sequence[Any]) -> Self:
        """Return a category of which nothing is left is no longer known."""
        self._require_rest(labels, cells.name)
        refuse_strange(self.columns, cells, NEVER_LEARNT)
        return self._update("forget", cells, labels)

    def _update(self, verb: str, cells: Cells, labels: Sequence[Any]) -> Self:
        model, columns = copy(self.model), with_categories_of(self.columns, cells)
        matrix, y = read_as(columns, cells), np.array(labels, dtype=self.model.classes_.dtype)
        with refusals_of(cells):
            if model.columns_ is not None:
                getattr(model, verb)(table_of(columns, matrix, declared=False), y)
                return self.of(model, model.columns_)
            with catch_warnings():
                simplefilter("ignore", UserWarning)  # the columns have no names here, but are in their order
                getattr(model, verb)(matrix, y)
        return self.of(model, self.columns)

    def header(self) -> dict[str, Any]:
        return header_of(self.model)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return arrays_of(self.model)


def bayes_of_columns(alpha: float) -> NaiveBayes:
    """Return what learns each column by the distribution of its type."""
    return NaiveBayes("auto", alpha=alpha, calibration="affine")
