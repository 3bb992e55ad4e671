"""Models of a table whose columns are coded as features first, and learnt from all rows at once: one score of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from deciban._core import scores
from deciban.artifact.artifact import Minimised
from deciban.calibration.scaling import Scaling
from deciban.certificates.bound import COMPRESSION, LEAVE_ONE_OUT, PAC_BAYES, SUPPORT, Probabilities
from deciban.certificates.guarantees import SCALED, withdraw
from deciban.data.columns import Columns
from deciban.data.frame import Floats
from deciban.data.lazy_sequences import Numbered
from deciban.data.rows import reals_for_core
from deciban.errors import DataError
from deciban.features.coding import FARTHEST, Coding
from deciban.features.column_information import information_of_rows
from deciban.kernels import RBF
from deciban.networks.network import PARTS, Network, name_parts
from deciban.scores import AffineScore, Explanation, KernelScore, NetworkScore, Score, posterior
from deciban.scores.scaled import scale_score
from deciban.scores.tensors import Arrays, affine_from, check_arrays, kernel_from, network_from
from deciban.store import Stored
from deciban.verdict import Pair

from ..models.layout import find_coded_fault
from ..models.stored import columns_from, columns_to
from .table_model import Rows, TableModel

# What asks for features that no example had a say in, or for rows as they come.
OF_EACH = (SUPPORT, COMPRESSION, PAC_BAYES, LEAVE_ONE_OUT)
KERNEL, NETWORK = "kernel-svm", "mlp"
_OF_ENCODER = ("mean", "deviation", "items", "information")
# Signals beyond would leave the range of a float64 in what is made of them.
_LARGEST = 1e200


@dataclass(frozen=True)
class TableSettings:
    """Which model, and its parameters."""

    model: str
    parameters: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as a file's header keeps them."""
        return dict(self.parameters)


@dataclass(frozen=True, eq=False)
class ColumnEncoder:
    """Rows of typed columns as features; `items` (C,) are the weights of the rows of each class that it met, and
    `information` (d,) is what each column told of their class, in nats: None in files of old."""

    coding: Coding
    items: Floats
    information: Sequence[float] | Floats | None = None

    @classmethod
    def of(cls, coding: Coding, items: Floats, information: Floats) -> Self:
        """Return the encoder of what was counted."""
        return cls(coding, items, information if isinstance(coding.columns.names, Numbered) else information.tolist())

    @property
    def columns(self) -> Columns:
        """The columns, as they are found in a table."""
        return self.coding.columns

    def header(self) -> dict[str, Any]:
        """Return what a file's header keeps."""
        own = {"table": columns_to(self.columns)}
        told = self.information is not None and not isinstance(self.columns.names, Numbered)
        return {**own, "information": list(self.information)} if told else own  # type: ignore[arg-type]

    def arrays(self) -> Arrays:
        """Return what a file's tensors keep."""
        return {
            "coding.mean": np.asarray(self.coding.mean, "<f8"),
            "coding.deviation": np.asarray(self.coding.deviation, "<f8"),
            "state.items": np.asarray(self.items, "<f8"),
            **self._long_information(),
        }

    def _long_information(self) -> Arrays:
        """Return what a file keeps as a tensor of columns that are only numbered, as there may be a million."""
        told = self.information is not None and isinstance(self.columns.names, Numbered)
        return {"coding.information": np.asarray(self.information, "<f8")} if told else {}

    @classmethod
    def from_stored(cls, header: Mapping[str, Any], arrays: Arrays) -> Self:
        """Return the encoder of a file; ValueError for what does not fit together."""
        columns, C = columns_from(header["table"]), len(header["classes"])
        d = len(columns.names)
        wanted = {"mean": (d,), "deviation": (d,), "items": (C,)}
        held = check_arrays(arrays, wanted | ({"information": (d,)} if "information" in arrays else {}))
        if (held["deviation"] <= 0.0).any():
            raise ValueError("deviations that are not above 0")
        if not ((held["items"] >= 0.0) & (held["items"] < np.inf)).all():
            raise ValueError("numbers of rows that are none")
        information = held.get("information", header.get("information"))
        return cls(Coding(columns, held["mean"], held["deviation"]), held["items"], information)


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedTable(Minimised, TableModel):
    """score(row) = scorer(features of `Coding`), in nats, whatever was minimised for it.

    `fitted` is the estimator that learnt it, while it is at hand: no file keeps it. It judges data frames of the
    columns it learnt, as `NaiveBayes` does: `predict`, `predict_proba`, `explain`. Evidence of machines and networks is
    weighed against the row of which everything is missing.
    """

    settings: TableSettings
    encoder: ColumnEncoder
    fitted: Any = None

    SUMS: ClassVar[bool] = False
    """Whether the estimator learns on from sums, and calibrates itself."""

    @classmethod
    def learn(cls, settings: TableSettings, estimator: Any, rows: Rows) -> Self:
        """Learn the coded rows with a classifier that has `scorer_` and `certificate_`."""
        order = rows.order()
        matrix, y, C = rows.X[order], rows.y[order], len(rows.classes)
        coding = Coding.of(rows.columns, matrix)
        coded = coding(matrix)
        line = None
        if cls.SUMS or not hasattr(estimator, "_fit_again"):
            estimator.fit(coded, rows.labels[order])
        else:
            from deciban.calibration.lines import Examples  # and scikit-learn, for which only those wait who learn

            line = Examples(coded, rows.labels[order], seed=estimator._seed(), raw=matrix).fit(estimator)
        information = information_of_rows(matrix, y, C, coding.labels)
        items = np.bincount(y, minlength=C).astype(np.float64)
        return cls.of_fit(settings, rows.classes, ColumnEncoder.of(coding, items, information), estimator, line)

    @classmethod
    def of_fit(
        cls,
        settings: TableSettings,
        classes: tuple[Any, ...],
        encoder: ColumnEncoder,
        found: Any,
        line: tuple[Scaling | None, Probabilities] | None,
    ) -> Self:
        """Return the model of a classifier that was fitted to coded rows, and the line of its scores, if it has one."""
        score, proof = scorer_of(found), found.certificate_
        if line is not None:
            scaling, how = line
            score = score if scaling is None else scale_score(score, scaling.slope, np.array(scaling.offset))
            proof = replace(proof, calibration=how)
        return cls(
            settings=settings,
            classes=classes,
            encoder=encoder,
            scorer=score,
            proof=withdraw(proof, SCALED, OF_EACH).to_json(),
            fitted=found,
            **cls._state_of(found),
        )

    @staticmethod
    def _state_of(found: Any) -> dict[str, Any]:
        """Return what else is kept of a fitted classifier."""
        return {}

    @property
    def columns(self) -> Columns:
        return self.encoder.columns

    @property
    def items(self) -> Floats:
        return self.encoder.items

    @property
    def coding(self) -> Coding:
        """How columns become features."""
        return self.encoder.coding

    def features(self, matrix: Floats) -> Any:
        return self.coding(matrix)

    def joint(self, matrix: Any) -> Floats:
        """Return (N, C) the same, row by row: that of a row does not depend on which others are there."""
        return score_by_row(self.scorer, self.features(matrix))

    def column(self, feature: Any) -> Any:
        return self.coding.column(feature)

    def probes(self, j: int) -> list[tuple[str, float]]:
        """Return each label; of numbers one deviation above the mean and one below."""
        own, labels = self.columns.names[j], self.labels(j)
        if labels is not None:
            return labels
        mean, deviation = self.coding.mean[j], self.coding.deviation[j]
        return [(f"{own} = {x:.4g}", float(x)) for x in (mean + deviation, mean - deviation)]

    def information(self) -> list[float | None]:
        known = self.encoder.information
        return super().information() if known is None else np.asarray(known, dtype=np.float64).tolist()

    # Data frames.

    def predict(self, X: Any) -> NDArray[Any]:
        """Return (N,) the label of the largest score of each row of a data frame."""
        labels: NDArray[Any] = np.array(self.classes)[self.joint(self.columns.matrix(X)).argmax(axis=1)]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return (N, C) p(c | x)."""
        return posterior(self.scores(self.columns.matrix(X)))

    def explain(self, X: Any, *, pair: Pair | None = None) -> list[Explanation]:
        """Return per row the winner against its runner-up, or the first label of `pair` against the second, and the
        evidence of each column in decibans, strongest first."""
        rows = self.features(self.columns.matrix(X))
        names = [self.feature_name(k) for k in range(self.coding.width)]
        return [self.scorer.explain(rows[[i]], self.classes, names, pair, self.claims) for i in range(rows.shape[0])]

    def feature_name(self, feature: int) -> str:
        """Return the name of a feature: `age`, or `job = clerk`."""
        j = self.column(feature)
        known = self.columns.categories[j]
        own = str(self.columns.names[j])
        return own if known is None else f"{own} = {known[feature - self.coding.starts[j]]}"

    # The file.

    @property
    def section(self) -> str:
        return section_of(self.name)

    def header(self) -> dict[str, Any]:
        found = super().header()
        return {**found, self.section: {**found[self.section], **_parameters_of(self.scorer)}}

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """Return the model in a file that `store.read` has checked; DataError for what does not fit together."""
        header, section = stored.header, section_of(stored.header["model"])
        wrong = find_coded_fault(header, section)
        if wrong:
            raise DataError(
                f"{stored.name}: expected {wrong}. The file is not one that this program wrote; train again."
            )
        arrays = {name.partition(".")[2]: tensor.array() for name, tensor in stored.tensors.items()}
        try:
            encoder = ColumnEncoder.from_stored(header, {n: arrays.pop(n) for n in _OF_ENCODER if n in arrays})
            width, C = encoder.coding.width, len(header["classes"])
            state = cls._state_from(arrays, width, C)
            scorer = _scorer_from(header["model"], header[section], arrays, width, C)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DataError(f"{stored.name}: its model is damaged: {str(error).rstrip('.')}. Train again.") from error
        return cls(
            settings=TableSettings(header["model"], header[section]),
            classes=tuple(header["classes"]),
            encoder=encoder,
            scorer=scorer,
            proof=header["certificate"],
            **state,
        )

    @staticmethod
    def _state_from(arrays: Arrays, width: int, C: int) -> dict[str, Any]:
        """Take from the arrays of a file what is kept besides the score; ValueError for what is none."""
        return {}


def section_of(model: str) -> str:
    """Return where the header keeps the parameters of a model."""
    return "coded" if model in (KERNEL, NETWORK) else "linear"


def scorer_of(found: Any) -> Score:
    """Return the score of a fitted classifier of coded rows, which has no baseline: 0 is what is missing."""
    held = found.scorer_
    if isinstance(held, KernelScore):
        return KernelScore(held.kernel, held.vectors, held.A, held.intercept)
    if isinstance(held, NetworkScore):
        return _in_double(found.network_)
    return AffineScore(np.ascontiguousarray(held.W), np.asarray(held.bias, dtype=np.float64))


@singledispatch
def score_by_row(scorer: Any, rows: Any) -> Floats:
    """Return (N, C) scores of rows of features, each the same whichever others are there."""
    found: Floats = scorer(rows)
    return found


@score_by_row.register
def _(scorer: AffineScore, rows: Any) -> Floats:
    return np.asarray(scores(reals_for_core(rows), np.ascontiguousarray(scorer.W.T), scorer.prior))


@score_by_row.register
def _(scorer: NetworkScore, rows: Any) -> Floats:
    net = scorer.network
    h, s = rows, np.zeros(0)
    for layer, (W, b) in enumerate(zip(net.weights, net.biases, strict=True)):
        h = net.activation.forward(s) if layer else h
        s = np.asarray(scores(reals_for_core(h), np.ascontiguousarray(W.T), b))
    return s


def _parameters_of(scorer: Score) -> dict[str, Any]:
    """Return what a file's header keeps of a score."""
    if isinstance(scorer, KernelScore):
        return {"gamma": scorer.kernel.gamma}
    return name_parts(scorer.network) if isinstance(scorer, NetworkScore) else {}


def _scorer_from(model: str, parameters: Mapping[str, Any], arrays: Arrays, width: int, C: int) -> Score:
    if model == KERNEL:
        return kernel_from(RBF(float(parameters["gamma"])), arrays, width, C)
    if model == NETWORK:
        return _in_double(network_from({name: parameters[name] for name in PARTS}, arrays, width, C))
    return affine_from(arrays, width, C)


def _in_double(network: Network) -> NetworkScore:
    """Return the network as it judges, in float64; ValueError where its signals could leave the range."""
    weights = [np.asarray(W, dtype=np.float64) for W in network.weights]
    biases = [np.asarray(b, dtype=np.float64) for b in network.biases]
    reach = FARTHEST
    for W, b in zip(weights, biases, strict=True):
        reach = reach * float(np.abs(W).sum(axis=0).max()) + float(np.abs(b).max())
        if reach > _LARGEST:
            raise ValueError("numbers that are too large")
    return NetworkScore(Network(weights, biases, network.activation, network.output, network.error))
