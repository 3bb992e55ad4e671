"""Multilayer perceptrons as .deciban files: what the header and the tensors are, and what is refused.

header   model "mlp" or "mlp-regressor"; classes; certificate; network: activation, output and error by name, many
         (whether a row has many labels), single (whether a regression answers (N,)), loss (the mean error without the
         penalty), and the parameters; table: features (their number), names, labels (the type of classes), columns
         (null)
tensors  weights.1 (features, units) and biases.1 (units,), and so on layer by layer, all float32 or all float64, and
         baseline (features,) float64, from which evidence is weighed, unless it is nothing

Neither the epochs, which tell wall times, nor what the optimizer remembers is kept: who learns on begins at the
weights, and the optimizer anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.certificates.certificate import Certificate
from deciban.data.declared_types import plain
from deciban.data.labels import storable
from deciban.data.refusal import check
from deciban.models.stored import labels_of, names_of
from deciban.store import Stored, rebuild

from ..networks.network import PARTS, Arrays, from_tensors, name_parts, to_tensors
from .classifier import MLPClassifier
from .regressor import MLPRegressor
from .settings import type_of

if TYPE_CHECKING:
    from .estimator import NetworkModel


MODELS: dict[str, type[MLPClassifier | MLPRegressor]] = {"mlp": MLPClassifier, "mlp-regressor": MLPRegressor}
_SCALARS = (str, int, float, bool)
_FIELDS = (*PARTS, "many", "single", "loss", "parameters")


def header_of(model: Any) -> dict[str, Any]:
    """Return what the file's header keeps; ValueError for labels and parameters that a file cannot keep."""
    names = getattr(model, "feature_names_in_", None)
    classes = getattr(model, "classes_", np.zeros(0))
    return {
        "model": next(name for name, family in MODELS.items() if isinstance(model, family)),
        "classes": [plain(label) for label in storable(classes.tolist())],
        "network": {
            **name_parts(model.network_),
            "many": bool(getattr(model, "multilabel_", False)),
            "single": bool(getattr(model, "_single", False)),
            "loss": float(model.loss_),
            "parameters": {
                name: _write_value(model, name, value) for name, value in _parameters_to_keep(model).items()
            },
        },
        "table": {
            "features": int(model.n_features_in_),
            "names": None if names is None else [plain(each) for each in names],
            "labels": "text" if classes.dtype.kind in "UST" else classes.dtype.name,
            "columns": None,
        },
        "certificate": model.certificate_.to_json(),
    }


def _parameters_to_keep(model: NetworkModel) -> dict[str, Any]:
    return {name: value for name, value in model.get_typed_params().items() if name not in ("callback", "n_jobs")}


def _write_value(model: NetworkModel, name: str, value: Any) -> Any:
    """Return a parameter as JSON."""
    if name == "dtype":
        return type_of(value).name
    if name == "hidden_layer_sizes" and not isinstance(value, int):
        return [int(units) for units in value]
    if name == "class_weight" and isinstance(value, Mapping):
        return [[plain(label), float(weight)] for label, weight in value.items()]
    if value is None or type(value) in _SCALARS:
        return value
    if name == "random_state":
        return model._proof.seed  # a generator is of one run only
    raise ValueError(f"a file keeps no {name} that is code, as {value!r} is: set_params({name}=…) to a name before")


def arrays_of(model: Any) -> Arrays:
    """Return what the file's tensors keep."""
    arrays = to_tensors(model.network_)
    if model._baseline is not None:
        arrays["baseline"] = np.asarray(model._baseline, "<f8")
    return arrays


def restore(stored: Stored) -> Any:
    """Return the model in a file that `store.read` has checked; DataError for what does not fit together."""
    return rebuild(stored, _restore)


def _restore(header: Mapping[str, Any], arrays: Arrays) -> Any:
    table, told = header["table"], header["network"]
    check(set(told) == set(_FIELDS), "a network that tells other things")
    model = MODELS[header["model"]]()
    model.set_params(**_read_parameters(model, told["parameters"]))
    d = table["features"]
    check(type(d) is int and d > 0, "a number of features that is none")
    baseline = arrays.pop("baseline", None)
    check(baseline is None or _is_row(baseline, d), "a baseline that is no row")
    check(type(told["many"]) is bool and type(told["single"]) is bool, "a network of no kind")
    classes = _labels(header, told["many"]) if isinstance(model, MLPClassifier) else np.zeros(0)
    K = _outputs(model, told, len(classes), arrays)
    network = from_tensors({name: told[name] for name in PARTS}, arrays, d, K)
    check(type(told["loss"]) in (int, float), "a loss that is no number")
    if isinstance(model, MLPClassifier):
        model.classes_, model.multilabel_ = classes, told["many"]
        check(network.output.name == "logistic" or (network.output.name == "softmax" and not told["many"]), "outputs")
    else:
        model._targets, model._single = K, told["single"]
        check(network.output.name == "linear" and not (told["single"] and K > 1), "outputs of no regression")
    model._restore(
        network, d, None if baseline is None else np.array(baseline), told["loss"], _proof(header, d, classes)
    )
    if table["names"] is not None:
        model.feature_names_in_ = names_of(table["names"], d)
    return model


def _labels(header: Mapping[str, Any], many: bool) -> NDArray[Any]:
    """Return the classes in their order; of many labels a row the names in that of their columns."""
    told, kind = header["classes"], header["table"]["labels"]
    if not many:
        return labels_of(told, kind)
    order = sorted(range(len(told)), key=told.__getitem__)
    ordered = labels_of([told[k] for k in order], kind)
    labels = np.empty_like(ordered)
    labels[order] = ordered
    return labels


def _outputs(model: NetworkModel, told: Mapping[str, Any], C: int, arrays: Arrays) -> int:
    """Return how many outputs there must be."""
    if isinstance(model, MLPRegressor):
        last = arrays[f"biases.{len(arrays) // 2}"]
        return int(last.shape[0])
    check((1 if told["many"] else 2) <= C, "classes that leave no choice")
    return 1 if C == 2 and told["output"] == "logistic" and not told["many"] else C


def _is_row(values: NDArray[Any], d: int) -> bool:
    return values.dtype == np.float64 and values.shape == (d,) and bool(np.isfinite(values).all())


def _read_parameters(model: NetworkModel, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters; ValueError for those that the model has not."""
    unknown = sorted(values.keys() - model.get_params(deep=False).keys() | values.keys() & {"callback"})
    check(not unknown, f"the parameters {unknown}, which no network has")
    found: dict[str, Any] = dict(values)
    if isinstance(found.get("hidden_layer_sizes"), list):
        found["hidden_layer_sizes"] = tuple(found["hidden_layer_sizes"])
        check(all(type(units) is int for units in found["hidden_layer_sizes"]), "hidden layers of no size")
    if isinstance(found.get("class_weight"), list):
        found["class_weight"] = {label: float(weight) for label, weight in found["class_weight"]}
    for name, value in found.items():
        right = value is None or type(value) in _SCALARS or name in ("hidden_layer_sizes", "class_weight")
        check(right and not isinstance(value, list), f"{name} that is no parameter")
    return found


def _proof(header: Mapping[str, Any], d: int, classes: NDArray[Any]) -> Certificate:
    """Return the certificate, whose counts are by label again."""
    proof = Certificate.from_json(header["certificate"], d)
    counts, labels = proof.class_counts, classes.tolist()
    check(set(counts) == set(map(str, labels)), "counts of other classes")
    check(type(proof.iterations) is int and proof.iterations > 0, "a number of epochs that is none")
    check(all(type(each) in (int, float) for each in counts.values()), "counts that are no numbers")
    return replace(proof, class_counts={label: counts[str(label)] for label in labels})
