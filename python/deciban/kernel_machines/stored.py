"""Kernel machines as .deciban files: what the header and the tensors are, and what is refused.

header   model "kernel-svm", "support-vector-regression" or "one-class-svm"; classes; certificate; machine: style
         and the parameters; kernel: its name and numbers, of a sum or product the list of its parts; table: features
         (their number), names, labels (the type of classes), columns (null)
tensors  dual, intercept, n_support, support; of a regression epsilon; temperature, of LIBSVM's models with shift,
         marks or noise_scale, or the
         isotonic curves: at, nats and their sizes, and
         baseline where there are; vectors: a table; or data,
         indices and indptr of a sparse one; or columns of a Gram matrix; or texts, UTF-8, and their sizes
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.calibration.isotonic import Monotone
from deciban.certificates.certificate import Certificate
from deciban.data.declared_types import Estimator, plain
from deciban.data.devices import fetch
from deciban.data.labels import storable
from deciban.kernels import CATALOGUE, HISTOGRAMS, Kernel, Precomputed, Product, Spectrum, Sum
from deciban.models.stored import labels_of, names_of
from deciban.store import Stored, rebuild

from ..data.refusal import check
from ..kernels.tensors import Arrays, indices_of, vectors_from, vectors_to
from ..scores.tensors import refuse_large
from .arrangement import Arrangement
from .one_class import OneClassSVM
from .probabilities import Calibration
from .regressor import SVMRegressor
from .svm import SVM

MODELS: dict[str, Any] = {
    "kernel-svm": SVM,
    "support-vector-regression": SVMRegressor,
    "one-class-svm": OneClassSVM,
}
_FAMILIES: tuple[Any, ...] = (*CATALOGUE, *HISTOGRAMS, Precomputed, Spectrum)
_TENSORS = {
    *("dual", "intercept", "n_support", "support", "epsilon", "temperature", "shift", "marks", "noise_scale"),
    *("isotonic.at", "isotonic.nats", "isotonic.sizes", "baseline"),
    *(
        "vectors",
        "vectors.data",
        "vectors.indices",
        "vectors.indptr",
        "vectors.columns",
        "vectors.texts",
        "vectors.sizes",
    ),
}
_KERNELS: dict[str, Any] = {each.name: each for each in _FAMILIES}


def header_of(model: Any) -> dict[str, Any]:
    """Return what the file's header keeps; ValueError for kernels, parameters and labels that a file cannot keep."""
    name = next(name for name, family in MODELS.items() if isinstance(model, family))
    names = getattr(model, "feature_names_in_", None)
    classes = getattr(model, "classes_", np.zeros(0))
    return {
        "model": name,
        "classes": [plain(label) for label in storable(classes.tolist())] if len(classes) else [],
        "machine": {
            "style": model._held.style if isinstance(model, SVM) else "one",
            "parameters": _parameters(model),
        },
        "kernel": _write_kernel(model.kernel_),
        "table": {
            "features": int(getattr(model, "n_features_in_", 0)),
            "names": None if names is None else [plain(each) for each in names],
            "labels": "text" if classes.dtype.kind in "UST" else classes.dtype.name,
            "columns": None,
        },
        "certificate": None if model._proof is None else model.certificate_.to_json(),
    }


def _parameters(model: Estimator) -> dict[str, Any]:
    """Return the parameters but for the kernel, which the file has, and what is of one run only."""
    kept = {}
    for name, value in model.get_typed_params().items():
        if name in ("kernel", "callback", "random_state", "class_weight", "n_jobs"):
            continue
        kept[name] = value if value is None or type(value) in (str, int, float, bool) else repr(value)
        if type(value) is float and not np.isfinite(value):
            kept[name] = "inf"
    return kept


def _write_kernel(kernel: Kernel) -> dict[str, Any]:
    if isinstance(kernel, Sum | Product):
        return {"name": kernel.name, "kernels": [_write_kernel(part) for part in kernel.kernels]}
    if type(kernel) is not _KERNELS.get(kernel.name):
        raise ValueError(f"a file keeps no kernel {kernel.name!r}: it is code; keep the code and fit again")
    return {"name": kernel.name, **{key: plain(value) for key, value in asdict(kernel).items()}}


def arrays_of(model: Any) -> Arrays:
    """Return what the file's tensors keep."""
    arrays: Arrays = {
        "dual": np.asarray(model.dual_coef_, "<f8"),
        "intercept": np.asarray(model.intercept_, "<f8"),
        "n_support": np.asarray(model.n_support_, "<i8"),
        "support": np.asarray(model.support_, "<i8"),
    }
    for name, value in (
        ("temperature", getattr(model, "temperature_", None)),
        ("shift", getattr(getattr(model, "calibrated_", None), "shift", None)),
        ("marks", getattr(model, "marks_", None)),
        ("noise_scale", getattr(model, "noise_scale_", None)),
        ("epsilon", getattr(model, "epsilon_", None)),
        ("baseline", getattr(model, "_baseline", None)),
    ):
        if value is not None:
            arrays[name] = np.atleast_1d(np.asarray(value, "<f8"))
    return arrays | _curves(model) | vectors_to(fetch(model._vectors))


def _curves(model: SVM) -> Arrays:
    known = getattr(model, "calibrated_", None)
    if known is None or not known.maps:
        return {}
    return {
        "isotonic.at": np.concatenate([each.at for each in known.maps]).astype("<f8"),
        "isotonic.nats": np.concatenate([each.nats for each in known.maps]).astype("<f8"),
        "isotonic.sizes": np.array([len(each.at) for each in known.maps], "<i8"),
    }


def restore(stored: Stored) -> Any:
    """Return the model in a file that `store.read` has checked; DataError for what does not fit together."""
    return rebuild(stored, _restore)


def _restore(header: Mapping[str, Any], arrays: Arrays) -> Any:
    table, machine = header["table"], header["machine"]
    kernel = _read_kernel(header["kernel"])
    model = MODELS[header["model"]](kernel)
    model.set_params(**_read_parameters(model, machine["parameters"]))
    d = table["features"]
    check(type(d) is int and 0 <= d < 1 << 40, "a number of features that is none")
    unknown = sorted(name for name in arrays if name not in _TENSORS)
    check(not unknown, f"the tensors {unknown}, which no machine has")
    m = arrays["dual"].shape[1]
    support = indices_of(arrays, "support", m)
    vectors = vectors_from(kernel, arrays, m, d)
    proof = None if header["certificate"] is None else Certificate.from_json(header["certificate"], d)
    if isinstance(model, SVM):
        classes = labels_of(header["classes"], table["labels"])
        held = _arrangement(machine["style"], arrays, len(classes), m)
        known = _calibration(arrays, held)
        baseline = arrays.get("baseline")
        model._restore(
            kernel,
            vectors,
            support,
            held,
            classes,
            known,
            d,
            None if baseline is None else _reals(baseline, (d,)),
            proof,
        )
        check((known is None) == (model.calibration is None), "a calibration without log-odds, or log-odds without one")
    else:
        b = _reals(arrays["intercept"], (1,))
        model._restore(kernel, vectors, support, _reals(arrays["dual"], (1, m)), b, d, proof)
        if "marks" in arrays:
            model.marks_ = _reals(arrays["marks"], (10,))
        if "noise_scale" in arrays:
            model.noise_scale_ = float(_reals(arrays["noise_scale"], (1,))[0])
        if isinstance(model, SVMRegressor):
            model.epsilon_ = _half_height(model, arrays)
    if table["names"] is not None:
        model.feature_names_in_ = names_of(table["names"], d)
    return model


def _half_height(model: SVMRegressor, arrays: Arrays) -> float | None:
    """Return ε, which older files tell as a parameter only, and LIBSVM's do not."""
    if "epsilon" not in arrays:
        return None if model._proof is None else float(model.epsilon)
    epsilon = float(_reals(arrays["epsilon"], (1,))[0])
    check(epsilon >= 0.0, "a tube of negative height")
    return epsilon


def _calibration(arrays: Arrays, held: Arrangement) -> Calibration | None:
    machines = len(held.intercept) if held.style == "ovo" else 1
    if "temperature" in arrays:
        A = _reals(arrays["temperature"], (machines,))
        if "shift" in arrays:
            B = _reals(arrays["shift"], (machines,))
            return Calibration(A, shift=B) if held.style == "ovo" else Calibration(float(A[0]), shift=float(B[0]))
        check(bool((A > 0.0).all()), "a scale of log-odds that is not above 0")
        return Calibration(A if held.style == "ovo" else float(A[0]))
    if "isotonic.at" not in arrays:
        return None
    sizes, n = indices_of(arrays, "isotonic.sizes", machines), arrays["isotonic.at"].size
    check(int(sizes.sum()) == n and bool((sizes > 0).all()), "curves of another length")
    ends = np.cumsum(sizes)[:-1]
    at, nats = (np.split(_reals(arrays[f"isotonic.{name}"], (n,)), ends) for name in ("at", "nats"))
    rising = all(bool((np.diff(f) > 0.0).all() and (np.diff(g) >= 0.0).all()) for f, g in zip(at, nats, strict=True))
    check(rising, "curves of log-odds that fall")
    return Calibration(maps=tuple(Monotone(f, g) for f, g in zip(at, nats, strict=True)))


def _read_parameters(model: Estimator, values: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(values.keys() - model.get_params(deep=False).keys() | values.keys() & {"kernel", "callback"})
    check(not unknown, f"the parameters {unknown}, which no machine has")
    return {name: np.inf if value == "inf" else value for name, value in values.items()}


def _read_kernel(values: Mapping[str, Any]) -> Kernel:
    name = values["name"]
    if name in ("sum", "product"):
        parts = tuple(_read_kernel(part) for part in values["kernels"])
        check(len(parts) < 100, "too many kernels")
        return Sum(parts) if name == "sum" else Product(parts)
    family = _KERNELS[name]
    given = {key: value for key, value in values.items() if key != "name"}
    check(set(given) == {field.name for field in fields(family)}, f"a kernel {name!r} of other numbers")
    kernel: Kernel = family(**given)
    return kernel


def _arrangement(style: str, arrays: Arrays, C: int, m: int) -> Arrangement:
    shapes = {"two": (1, 1), "ovo": (C - 1, C * (C - 1) // 2), "ovr": (C, C)}
    rows, K = shapes[style]
    check(C >= 2 and (style == "two") == (C == 2), "classes of another number")
    n = indices_of(arrays, "n_support", C)
    check(int(n.sum()) == m, "support vectors of another number")
    dual, b = _reals(arrays["dual"], (rows, m)), _reals(arrays["intercept"], (K,))
    return Arrangement(style, np.arange(m), n, dual, b)


def _reals(values: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float64]:
    check(values.dtype == np.float64 and values.shape == shape, "numbers amiss")
    refuse_large(values)
    return np.array(values)
