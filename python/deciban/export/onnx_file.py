"""A fitted model as an ONNX graph: the one seam to the runtimes of others."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..data.validation import check_is_fitted
from ..errors import DataError
from ..files.replacement import replace

if TYPE_CHECKING:
    import onnx

    from .answers import Answers, Signature
    from .graph import Graph

_TYPES = ("float32", "float64")


def to_onnx(model: Any, path: str | os.PathLike[str] | None = None, *, dtype: str = "float32") -> onnx.ModelProto:
    """Write a fitted model as an ONNX graph of standard operators.

    The graph has one input, `X` of shape (n, d) with any n, and the outputs `label`, `probabilities` and `scores` of a
    classifier, `label` and `scores` of an outlier detector, or `prediction` of a regression: what `predict`,
    `predict_proba` and `decision_function` (of generative and text models `predict_joint_log_proba`) return. Models
    without probabilities have none. Whatever `dtype` is, the graph computes in float64, but for the layers of networks
    that were trained in float32.

    X holds what the model was fitted to. Of a text model these are the counts of its words: see
    `deciban.export.token_counts`. A column of labels holds their codes, 0, 1, …, and their number for a label
    that was never seen. What may be missing is NaN. The metadata of the file are JSON: `classes`, `feature_names`,
    `categories` (labels by column, in the order of their codes), `model` and `deciban_version`.

    Parameters
    ----------
    model : estimator
        A fitted classifier, regression or outlier detector, or the model of a table that `deciban.load` returns.
    path : str or path, optional
        File to write, in one step. By default none is.
    dtype : {"float32", "float64"}, default="float32"
        Type of X, scores and probabilities.

    Returns
    -------
    onnx.ModelProto
        The model; `SerializeToString()` are the bytes of its file.

    Raises
    ------
    ImportError
        If the package onnx is not installed.
    NotFittedError
        If the model is not fitted.
    ValueError
        If the model, its kernel or its labels have no form in ONNX, or `dtype` is another one.

    Examples
    --------
    >>> import deciban
    >>> model = deciban.LogisticRegression().fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"])
    >>> [output.name for output in deciban.to_onnx(model).graph.output]
    ['label', 'probabilities', 'scores']
    """
    if dtype not in _TYPES:
        raise ValueError(f"dtype must be one of {', '.join(map(repr, _TYPES))}, got {dtype!r}")
    _require_onnx()
    from . import tables, texts  # noqa: F401
    from .graph import Graph
    from .models import write_answers

    if hasattr(model, "get_params"):
        check_is_fitted(model)
    g, signature = Graph(), _signature(model)
    answers = write_answers(model, g, g.cast("X", np.float64))
    made = _assemble(g, signature, _outputs(g, answers, model, dtype), dtype, model)
    if g.is_too_large:
        raise DataError(
            f"the model has {g.size / 1e9:.1f} GB of numbers, and an ONNX file holds at most 2.1 GB. Expected a "
            "smaller model. Fit with fewer features or support vectors."
        )
    if path is not None:
        replace(path, made.SerializeToString(deterministic=True))
    return made


def _require_onnx() -> None:
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "ONNX needs the package onnx, which is not installed. Expected it beside Deciban. Run "
            "pip install 'deciban[onnx]'."
        ) from error


def _signature(model: Any) -> Signature:
    """Return how the graph of a model is called."""
    from ..table_models.table_model import TableModel
    from ..text.classifier import TextClassifier
    from .answers import Signature
    from .texts import signature_of_text

    inner = model
    while hasattr(inner, "estimator_"):
        inner = inner.estimator_
    if isinstance(inner, TextClassifier):
        return signature_of_text(inner)
    columns = inner.columns if isinstance(inner, TableModel) else getattr(inner, "columns_", None)
    classes = inner.classes if isinstance(inner, TableModel) else getattr(inner, "classes_", None)
    if columns is not None:
        names = [str(name) for name in columns.names]
        pairs = zip(names, columns.categories, strict=True)
        labels = {name: list(known) for name, known in pairs if known is not None}
        return Signature(len(names), names, labels or None, classes)
    known = getattr(inner, "feature_names_in_", None)
    features = None if known is None else [str(name) for name in known]
    return Signature(int(getattr(inner, "n_features_in_", 0)), features, classes=classes)


def _outputs(g: Graph, answers: Answers, model: Any, dtype: str) -> list[onnx.ValueInfoProto]:
    """Add the outputs under their names, and return their types and shapes."""
    from onnx import TensorProto, helper

    real = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    if answers.label is None:
        flat = answers.width == 1 and getattr(model, "_single", True)
        return [_output(g, "prediction", answers.scores, real, answers.width, flat)]
    kinds = {"i": TensorProto.INT64, "b": TensorProto.BOOL, "U": TensorProto.STRING, "f": TensorProto.DOUBLE}
    from .answers import as_labels

    many = bool(getattr(model, "multilabel_", False) or getattr(model, "_label_sets", False))
    told: Any = getattr(model, "classes_", getattr(model, "classes", None))
    kind = TensorProto.INT64 if many or told is None else kinds[as_labels(told).dtype.kind]
    g.named("label", "Identity", answers.label)
    found = [helper.make_tensor_value_info("label", kind, ["n", len(told)] if many else ["n"])]
    p = answers.probabilities
    if p is None and answers.nats is not None:
        p = g("Softmax", answers.nats, axis=1)
    if p is not None:
        C = 2 if told is None else len(told)
        found.append(_output(g, "probabilities", p, real, C, False))
    return [*found, _output(g, "scores", answers.scores, real, answers.width, answers.width == 1 and not many)]


def _output(g: Graph, name: str, value: str, real: int, width: int, flat: bool) -> onnx.ValueInfoProto:
    from onnx import helper

    g.named(name, "Cast", g("Squeeze", value, [1]) if flat else value, to=real)
    return helper.make_tensor_value_info(name, real, ["n"] if flat else ["n", width])


def _assemble(
    g: Graph, signature: Signature, outputs: list[onnx.ValueInfoProto], dtype: str, model: Any
) -> onnx.ModelProto:
    from onnx import helper

    from .graph import IR, OPSET

    real = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    taken = helper.make_tensor_value_info("X", real, ["n", signature.inputs])
    graph = helper.make_graph(g.nodes, type(model).__name__, [taken], outputs, g.constants)
    made = helper.make_model(
        graph,
        producer_name="deciban",
        producer_version=__version__,
        ir_version=IR,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    helper.set_model_props(made, _metadata(signature, model))
    return made


def _metadata(signature: Signature, model: Any) -> dict[str, str]:
    """Return what the file says of the model, as JSON."""
    told: dict[str, Any] = {"deciban_version": __version__, "model": type(model).__name__}
    if signature.classes is not None:
        told["classes"] = np.asarray(signature.classes).tolist()
    if signature.features is not None:
        told["feature_names"] = list(signature.features)
    if signature.categories is not None:
        told["categories"] = signature.categories
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for name, value in told.items()
    }
