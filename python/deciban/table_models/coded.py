"""Models of a table whose columns are coded as features first, and learnt from all rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban.certificates.bound import COMPRESSION, LEAVE_ONE_OUT, PAC_BAYES, SUPPORT, Bound
from deciban.certificates.certificate import Certificate, fields_of
from deciban.certificates.guarantees import SCALED, chosen, unfixed
from deciban.data.columns import Columns
from deciban.data.frame import Floats
from deciban.errors import DataError
from deciban.features.coding import Coding
from deciban.features.column_information import information_of_rows
from deciban.scores import Explanation, log_posterior
from deciban.store import Stored

from ..models.layout import coded_fault
from ..models.stored import columns_from, columns_to
from .table_model import Rows, TableModel

# What asks for features that no example had a say in, or for rows as they come.
OF_EACH = (SUPPORT, COMPRESSION, PAC_BAYES, LEAVE_ONE_OUT)


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedTable(TableModel):
    """A score over the features of `Coding`, in nats, whatever was minimised for it.

    declared   the name of the model, and its parameters
    proof      its certificate as the file keeps it
    told       (d,) what each column told of the class of the rows learnt from, in nats; None in files of old
    fitted     the estimator that learnt it, while it is at hand: no file keeps it

    It judges data frames of the columns it learnt, as `NaiveBayes` does: `predict`, `predict_proba`, `explain`.
    """

    declared: tuple[str, Mapping[str, float | None]]
    columns: Columns
    classes: tuple[Any, ...]
    items: Floats
    coding: Coding
    proof: Mapping[str, Any]
    told: Sequence[float] | None = None
    fitted: Any = None

    @classmethod
    def learn(cls, declared: tuple[str, Mapping[str, float | None]], estimator: Any, rows: Rows) -> Self:
        """The score of a classifier with `scorer_` and `certificate_`, fitted to the coded rows."""
        order = rows.order()
        matrix, y = rows.matrix[order], rows.y[order]
        coding = Coding.of(rows.columns, matrix)
        found = estimator.fit(coding(matrix), rows.labels[order])
        return cls(
            declared=declared,
            columns=rows.columns,
            classes=rows.classes,
            items=np.bincount(y, minlength=len(rows.classes)).astype(np.float64),
            coding=coding,
            proof=unfixed(found.certificate_, SCALED, OF_EACH).to_json(),
            told=information_of_rows(matrix, y, len(rows.classes), coding.labels).tolist(),
            fitted=found,
            **cls._scored(found),
        )

    @staticmethod
    def _scored(found: Any) -> dict[str, Any]:
        """The fields that hold the score of a fitted classifier."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        return self.declared[0]

    def features(self, matrix: Floats) -> Any:
        return self.coding(matrix)

    def column(self, feature: Any) -> Any:
        return self.coding.column(feature)

    def probes(self, j: int) -> list[tuple[str, float]]:
        """Each label; of numbers one deviation above the mean and one below."""
        own, labels = self.columns.names[j], self.labels(j)
        if labels is not None:
            return labels
        mean, deviation = self.coding.mean[j], self.coding.deviation[j]
        return [(f"{own} = {x:.4g}", float(x)) for x in (mean + deviation, mean - deviation)]

    def information(self) -> list[float | None]:
        return super().information() if self.told is None else [*self.told]

    # Data frames.

    def predict(self, X: Any) -> NDArray[Any]:
        """(N,) the label of the largest score of each row of a data frame."""
        labels: NDArray[Any] = np.array(self.classes)[self.scores(self.columns.matrix(X)).argmax(axis=1)]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """(N, C) p(c | x)."""
        p: Floats = np.exp(log_posterior(self.scores(self.columns.matrix(X))))
        return p

    def explain(self, X: Any, pair: tuple[Any, Any] | None = None) -> list[Explanation]:
        """Per row: the winner against its runner-up, or the first label of `pair` against the second, and the evidence
        of each column in decibans, strongest first."""
        rows = self.features(self.columns.matrix(X))
        names = [self.feature_name(k) for k in range(self.coding.width)]
        return [self.score.explain(rows[[i]], self.classes, names, pair) for i in range(rows.shape[0])]

    def feature_name(self, feature: int) -> str:
        """`age`, or `job = clerk`."""
        j = self.column(feature)
        known = self.columns.categories[j]
        own = str(self.columns.names[j])
        return own if known is None else f"{own} = {known[feature - self.coding.starts[j]]}"

    # The file.

    @property
    def certificate(self) -> Certificate:
        try:
            return Certificate(**fields_of(self.proof), seconds=0.0)
        except (TypeError, ValueError) as error:
            raise DataError(f"The model's certificate is damaged: {error}. Train again.") from error

    def with_choice(self, choice: Bound | None) -> Self:
        return replace(self, proof=chosen(self.certificate, choice).to_json())

    def _header(self, section: str) -> dict[str, Any]:
        return {
            "model": self.name,
            "classes": list(self.classes),
            section: dict(self.declared[1]),
            "table": columns_to(self.columns),
            "certificate": dict(self.proof),
            **({} if self.told is None else {"information": list(self.told)}),
        }

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "coding.mean": np.asarray(self.coding.mean, "<f8"),
            "coding.deviation": np.asarray(self.coding.deviation, "<f8"),
            "state.items": np.asarray(self.items, "<f8"),
        }

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """The model in a file that `store.read` has checked; DataError for what does not fit together."""
        header, section = stored.header, cls._section
        wrong = coded_fault(header, section)
        if wrong:
            raise DataError(
                f"{stored.name}: expected {wrong}. The file is not one that this program wrote; train again."
            )
        try:
            columns, C = columns_from(header["table"]), len(header["classes"])
            arrays = {name.partition(".")[2]: tensor.array() for name, tensor in stored.tensors.items()}
            d = len(columns.names)
            width = sum(1 if known is None else len(known) for known in columns.categories)
            own = {name: arrays.pop(name) for name in ("mean", "deviation", "items")}
            held = checked(own, {"mean": (d,), "deviation": (d,), "items": (C,)})
            if (held["deviation"] <= 0.0).any():
                raise ValueError("deviations that are not above 0")
            score = cls._read(header[section], arrays, width, C)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DataError(f"{stored.name}: its model is damaged: {str(error).rstrip('.')}. Train again.") from error
        return cls(
            declared=(header["model"], header[section]),
            columns=columns,
            classes=tuple(header["classes"]),
            items=held["items"],
            coding=Coding(columns, held["mean"], held["deviation"]),
            proof=header["certificate"],
            told=header.get("information"),
            **score,
        )

    # Where the header keeps the parameters.
    _section = ""

    @staticmethod
    def _read(parameters: Mapping[str, Any], arrays: dict[str, NDArray[Any]], width: int, C: int) -> dict[str, Any]:
        """The fields that hold the score in a file; ValueError for what is none."""
        raise NotImplementedError


def checked(arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Floats]:
    """The arrays of these names, and no others, if they are finite numbers of these shapes; ValueError otherwise."""
    if set(arrays) != set(shapes):
        raise ValueError(f"expected the tensors {', '.join(sorted(shapes))}; there are {', '.join(sorted(arrays))}")
    for name, shape in shapes.items():
        array = arrays[name]
        if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{name} are not {shape} finite numbers")
    return {name: np.array(array) for name, array in arrays.items()}
