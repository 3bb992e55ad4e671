"""Linear models of a table: columns coded, one affine score over the codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban._core import scores
from deciban.errors import DataError
from deciban.features.coding import Coding
from deciban.rows import reals_for_core
from deciban.scores import AffineScore, Explanation, log_posterior
from deciban.store import Stored
from deciban.tables.columns import Columns
from deciban.tables.frame import Floats
from deciban.trust.certificate import Certificate

from .layout import linear_fault
from .stored import columns_from, columns_to
from .tables import Rows, TableModel


@dataclass(frozen=True, eq=False)
class LinearTable(TableModel):
    """score(row) = prior + Σ_j x_j W_j over the features of `Coding`, in nats, whatever was minimised for it.

    declared   the name of the model, and its parameters
    proof      its certificate as the file keeps it
    fitted     the estimator that learnt it, while it is at hand: no file keeps it

    It judges data frames of the columns it learnt, as `NaiveBayes` does: `predict`, `predict_proba`, `explain`.
    """

    declared: tuple[str, Mapping[str, float | None]]
    columns: Columns
    classes: tuple[Any, ...]
    items: Floats
    coding: Coding
    affine: AffineScore
    proof: Mapping[str, Any]
    fitted: Any = None

    @classmethod
    def learn(cls, declared: tuple[str, Mapping[str, float | None]], estimator: Any, rows: Rows) -> Self:
        """The score of a classifier with `score_` and `certificate_`, fitted to the coded rows."""
        order = rows.order()
        matrix, y = rows.matrix[order], rows.y[order]
        coding = Coding.of(rows.columns, matrix)
        found = estimator.fit(coding(matrix), rows.labels[order])
        score = found.score_
        affine = AffineScore(np.ascontiguousarray(score.W), np.asarray(score.bias, dtype=np.float64))
        items = np.bincount(y, minlength=len(rows.classes)).astype(np.float64)
        return cls(declared, rows.columns, rows.classes, items, coding, affine, found.certificate_.to_json(), found)

    @property
    def name(self) -> str:
        return self.declared[0]

    @property
    def score(self) -> AffineScore:
        return self.affine

    def features(self, matrix: Floats) -> Any:
        return self.coding(matrix)

    def column(self, feature: int) -> int:
        return self.coding.column(feature)

    def probes(self, j: int) -> list[tuple[str, float]]:
        """Each label; of numbers one deviation above the mean and one below."""
        own, labels = self.columns.names[j], self.labels(j)
        if labels is not None:
            return labels
        mean, deviation = self.coding.mean[j], self.coding.deviation[j]
        return [(f"{own} = {x:.4g}", float(x)) for x in (mean + deviation, mean - deviation)]

    def scores(self, matrix: Floats) -> Floats:
        """(N, C) scores in nats, row by row: that of a row does not depend on which others are there."""
        rows = reals_for_core(self.features(matrix))
        return np.asarray(scores(rows, np.ascontiguousarray(self.affine.W.T), self.affine.prior))

    # Data frames.

    def predict(self, X: Any) -> NDArray[Any]:
        """(N,) the label of the largest score of each row of a data frame."""
        labels: NDArray[Any] = np.array(self.classes)[self.scores(self.columns.matrix(X)).argmax(axis=1)]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """(N, C) p(c | x)."""
        p: Floats = np.exp(log_posterior(self.scores(self.columns.matrix(X))))
        return p

    def explain(self, X: Any) -> list[Explanation]:
        """Per row: the winner against its runner-up, and the evidence of each column in decibans, strongest first."""
        rows = self.features(self.columns.matrix(X))
        names = [self.feature_name(k) for k in range(self.coding.width)]
        return [self.affine.explain(rows[[i]], self.classes, names) for i in range(rows.shape[0])]

    def feature_name(self, feature: int) -> str:
        """`age`, or `job = clerk`."""
        j = self.column(feature)
        known = self.columns.categories[j]
        own = str(self.columns.names[j])
        return own if known is None else f"{own} = {known[feature - self.coding.starts[j]]}"

    # The file.

    @property
    def certificate(self) -> Certificate:
        proof = {name: value for name, value in self.proof.items() if name != "relative_gap"}
        try:
            return Certificate(**proof, seconds=0.0)
        except TypeError as error:
            raise DataError(f"The model's certificate is damaged: {error}. Train again.") from error

    def header(self) -> dict[str, Any]:
        return {
            "model": self.name,
            "classes": list(self.classes),
            "linear": dict(self.declared[1]),
            "table": columns_to(self.columns),
            "certificate": dict(self.proof),
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "score.weights": np.asarray(self.affine.W, "<f8"),
            "score.prior": np.asarray(self.affine.prior, "<f8"),
            "coding.mean": np.asarray(self.coding.mean, "<f8"),
            "coding.deviation": np.asarray(self.coding.deviation, "<f8"),
            "state.items": np.asarray(self.items, "<f8"),
        }

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """The model in a file that `store.read` has checked; DataError for what does not fit together."""
        header = stored.header
        wrong = linear_fault(header)
        if wrong:
            raise DataError(
                f"{stored.name}: expected {wrong}. The file is not one that this program wrote; train again."
            )
        try:
            columns, C = columns_from(header["table"]), len(header["classes"])
            d = len(columns.names)
            width = sum(1 if known is None else len(known) for known in columns.categories)
            arrays = _arrays(
                stored, {"weights": (width, C), "prior": (C,), "mean": (d,), "deviation": (d,), "items": (C,)}
            )
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{stored.name}: its model is damaged: {str(error).rstrip('.')}. Train again.") from error
        coding = Coding(columns, arrays["mean"], arrays["deviation"])
        affine = AffineScore(arrays["weights"], arrays["prior"])
        declared = (header["model"], header["linear"])
        return cls(declared, columns, tuple(header["classes"]), arrays["items"], coding, affine, header["certificate"])


def _arrays(stored: Stored, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Floats]:
    found = {name.partition(".")[2]: tensor.array() for name, tensor in stored.tensors.items()}
    if set(found) != set(shapes):
        raise ValueError(f"expected the tensors {', '.join(sorted(shapes))}; there are {', '.join(sorted(found))}")
    for name, shape in shapes.items():
        array = found[name]
        if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{name} are not {shape} finite numbers")
    if (found["deviation"] <= 0.0).any():
        raise ValueError("deviations that are not above 0")
    return {name: np.array(array) for name, array in found.items()}
