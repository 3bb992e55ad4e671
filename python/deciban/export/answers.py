"""What a model answers of rows, as values of a graph, and what else a file says of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import DataError

from .graph import Graph, Value


@dataclass(frozen=True)
class Answers:
    """Values of a graph.

    label          (N,) the label, or (N, L) of many labels 0 and 1; None of a regression
    scores         (N, width) what `decision_function` or `predict_joint_log_proba` return; of a regression `predict`
    nats           (N, C) scores in nats whose softmax is the posterior; None of a model without probabilities
    probabilities  what `predict_proba` returns, where it is no softmax of `nats`
    """

    scores: Value
    width: int
    label: Value | None = None
    nats: Value | None = None
    probabilities: Value | None = None


@dataclass(frozen=True)
class Signature:
    """How a graph is called: `inputs` is the number of columns of X, `features` their names where they have some,
    `categories` the labels that stand behind the codes of a column, `classes` what is told apart."""

    inputs: int
    features: Sequence[str] | None = None
    categories: dict[str, list[Any]] | None = None
    classes: Sequence[Any] | None = None


def name_places(g: Graph, classes: Any, place: Value) -> Value:
    """Return (N,) the labels of places of classes; DataError for labels that ONNX has no type for."""
    return g("Gather", as_labels(classes), place, axis=0)


def as_labels(classes: Any) -> Any:
    """Return labels as ONNX knows them: whole numbers, truth values, float64, or texts."""
    labels = np.asarray(classes)
    if labels.dtype.kind == "O":
        kinds = {type(each) for each in labels.tolist()}
        if all(issubclass(kind, str) for kind in kinds):
            return labels.astype(str)
        if len(kinds) == 1:
            labels = np.array(labels.tolist())
    if labels.dtype.kind in "iu":
        return labels.astype(np.int64)
    if labels.dtype.kind == "f":
        return labels.astype(np.float64)
    if labels.dtype.kind in "bU":
        return labels
    raise DataError(
        f"labels {labels.tolist()[:3]} cannot be written as ONNX. Expected whole numbers, truth values, numbers or "
        "texts, all of one type. Fit with such labels."
    )
