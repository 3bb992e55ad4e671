"""Model files of LIBSVM, written and read (Chang & Lin, ACM Trans. Intell. Syst. Technol. 2, 2011).

    svm_type c_svc | nu_svc | one_class | epsilon_svr | nu_svr
    kernel_type linear | polynomial | rbf | sigmoid | precomputed
    gamma, degree, coef0, nr_class, total_sv, rho, label, probA, probB, nr_sv, each with its numbers, then a line "SV"
    and a line a support vector: its C − 1 coefficients, then place:value pairs, places from 1; of a Gram matrix
    0:column

LIBSVM's f = Σ coef K − ρ is positive for the first label of a pair. Numbers are written in full: what is read back
judges to the last bit as what was written, but for the order of sums of two classes in descending labels.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from deciban.data.devices import fetch
from deciban.data.rows import is_sparse
from deciban.errors import DataError, escape, unreadable
from deciban.files.regular import open_regular
from deciban.files.replacement import replace
from deciban.kernels import RBF, Gaussian, Kernel, Linear, Polynomial, Precomputed, Tanh

from .arrangement import Arrangement
from .libsvm_text import Parsed, check_start, parse
from .one_class import OneClassSVM
from .one_vs_one import pairs
from .probabilities import Calibration
from .regressor import SVMRegressor
from .svm import SVM

_START = 1 << 12  # bytes, by which what is no model is refused
Machine = SVM | SVMRegressor | OneClassSVM


def save_libsvm(model: Machine, path: str | os.PathLike[str]) -> None:
    """Write a fitted kernel machine as a model file of LIBSVM, in one step or not at all.

    Parameters
    ----------
    model : SVM, SVMRegressor or OneClassSVM
        The fitted machine.
    path : path-like
        Name of the file.

    Raises
    ------
    ValueError
        If such a file cannot hold it: kernels and labels that LIBSVM does not have, and one class against the rest.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from deciban import SVM
    >>> model = SVM("linear", calibration=None).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_libsvm(model, pathlib.Path(folder, "model"))
    ...     load_libsvm(pathlib.Path(folder, "model")).predict([[0.5], [3.5]]).tolist()
    [0, 1]
    """
    replace(path, "".join(f"{line}\n" for line in _lines(model)).encode())


def load_libsvm(path: str | os.PathLike[str], n_features: int | None = None) -> Machine:
    """Read the kernel machine in a model file of LIBSVM.

    Probabilities are those of `svm-predict -b 1`, and so are the labels: where `probB` is not 0 the most probable one
    need not have the most votes. Of one class the ten marks of its decisions are kept (`marks_`, `predict_proba`), of a
    regression the scale of its noise (`noise_scale_`).

    Parameters
    ----------
    path : path-like
        Name of the file.
    n_features : int, optional
        Number of features. By default the largest index in the file.

    Returns
    -------
    SVM, SVMRegressor or OneClassSVM
        The fitted machine.

    Raises
    ------
    NoInputError
        If there is no such file.
    DataError
        If it is no model file of LIBSVM; the message names the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from deciban import SVMRegressor
    >>> model = SVMRegressor("linear", C=10.0, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_libsvm(model, pathlib.Path(folder, "model"))
    ...     load_libsvm(pathlib.Path(folder, "model")).predict([[3.0]]).round(6).tolist()
    [7.0]
    """
    name = escape(os.fspath(path))
    with open_regular(path) as file:
        try:
            start = file.read(_START)
            check_start(start, name)
            content = start + file.read()
        except OSError as error:
            raise unreadable(os.fspath(path), error) from error
    return _model(parse(content, name, n_features))


# --- writing -----------------------------------------------------------------------------------------------


def _lines(model: Machine) -> Iterator[str]:
    sign = 1.0
    if isinstance(model, SVM):
        if model._held.style == "ovr":
            raise ValueError("LIBSVM's files are of each class against each: fit with multi_class='ovo'")
        labels = model.classes_.tolist()
        if model.calibrated_ is not None and model.calibrated_.maps:
            raise ValueError(
                "LIBSVM's files hold a scale of log-odds, no curve: fit with calibration='temperature', or None"
            )
        if any(type(label) not in (int, float) or label != int(label) for label in labels):
            raise ValueError(f"LIBSVM's labels are whole numbers; these are {labels[:4]}: number the classes")
        labels = [int(label) for label in labels]
        sign = -1.0 if len(labels) == 2 else 1.0
        yield f"svm_type {'c_svc' if model.nu is None else 'nu_svc'}"
    else:
        tube = "epsilon_svr" if getattr(model, "nu", None) is None else "nu_svr"
        yield f"svm_type {'one_class' if isinstance(model, OneClassSVM) else tube}"
    yield from _of_kernel(model.kernel_)
    yield f"nr_class {len(labels) if isinstance(model, SVM) else 2}"
    yield f"total_sv {model.dual_coef_.shape[1]}"
    yield f"rho {_numbers(-sign * model.intercept_)}"
    if isinstance(model, SVM):
        yield f"label {' '.join(map(str, labels))}"
        if model.temperature_ is not None:
            A = np.atleast_1d(np.asarray(model.temperature_, dtype=np.float64))
            yield f"probA {_numbers(-A)}"
            shift = model.calibrated_.shift  # type: ignore[union-attr]
            yield f"probB {_numbers(0.0 * A if shift is None else -sign * np.atleast_1d(shift))}"
        yield f"nr_sv {' '.join(str(int(n)) for n in model.n_support_)}"
    elif isinstance(model, OneClassSVM):
        if model.marks_ is not None:
            yield f"prob_density_marks {_numbers(model.marks_)}"
    elif model.noise_scale_ is not None:
        yield f"probA {_numbers([model.noise_scale_])}"
    yield "SV"
    for i, row in enumerate(_vectors(fetch(model._vectors))):
        yield f"{_numbers(sign * model.dual_coef_[:, i])} {row}"


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)


def _of_kernel(kernel: Kernel) -> Iterator[str]:
    if isinstance(kernel, Gaussian):
        kernel = RBF(gamma=0.5 / kernel.sigma**2)
    if isinstance(kernel, Linear | Precomputed):
        yield f"kernel_type {kernel.name}"
    elif isinstance(kernel, RBF):
        yield from ("kernel_type rbf", f"gamma {float(kernel.gamma)!r}")
    elif isinstance(kernel, Polynomial | Tanh):
        if isinstance(kernel, Polynomial):
            yield from ("kernel_type polynomial", f"degree {int(kernel.degree)}")
        else:
            yield "kernel_type sigmoid"
        yield from (f"gamma {float(kernel.scale)!r}", f"coef0 {float(kernel.shift)!r}")
    else:
        raise ValueError(f"LIBSVM has no kernel {kernel.name!r}: save as a .deciban file")


def _vectors(vectors: Any) -> Iterator[str]:
    if vectors.ndim == 1:
        if vectors.dtype == object:
            raise ValueError("LIBSVM's files hold no texts: save as a .deciban file")
        yield from (f"0:{int(column) + 1}" for column in vectors)
    for i in range(vectors.shape[0]) if vectors.ndim == 2 else ():
        row = vectors[[i]].tocoo() if is_sparse(vectors) else None
        places, values = (np.flatnonzero(vectors[i]), vectors[i]) if row is None else (row.col, row.data)
        kept = values[places] if row is None else values
        yield " ".join(f"{int(j) + 1}:{float(x)!r}" for j, x in zip(places, kept, strict=True))


# --- reading -----------------------------------------------------------------------------------------------


def _model(read: Parsed) -> Machine:
    kernel = _kernel(read)
    m = read.coefficients.shape[1]
    if read.svm_type in ("one_class", "epsilon_svr", "nu_svr"):
        nu = 0.5 if read.svm_type == "nu_svr" else None
        single = OneClassSVM(kernel) if read.svm_type == "one_class" else SVMRegressor(kernel, nu=nu)
        single._restore(kernel, read.vectors, _support(read.vectors), read.coefficients, -read.rho, read.n_features)
        if isinstance(single, OneClassSVM):
            single.marks_ = read.marks
        else:
            single.noise_scale_ = None if read.scale is None else float(read.scale[0])
        return single
    labels = np.array(read.labels)
    classes = np.sort(labels)
    if len(labels) == 2:
        held, A, B = _two(read, bool(labels[0] > labels[1]))
    else:
        held, A, B = _each_against_each(read, np.argsort(labels))
    known = None if A is None else Calibration(A, shift=B if np.any(B) else None)
    model = SVM(kernel, nu=0.5 if read.svm_type == "nu_svc" else None, calibration=None if A is None else "temperature")
    vectors = read.vectors[held.support]
    held = Arrangement(held.style, np.arange(m), held.n_support, held.dual, held.intercept)
    model._restore(kernel, vectors, _support(vectors), held, classes, known, read.n_features)
    return model


def _support(vectors: Any) -> Any:
    """Return the places of the support vectors in training, where the file tells: of a Gram matrix it does."""
    return vectors if vectors.ndim == 1 else np.arange(vectors.shape[0])


def _kernel(read: Parsed) -> Kernel:
    gamma = read.gamma if read.gamma is not None else 1.0 / max(1, read.n_features)
    made: dict[str, Any] = {
        "linear": lambda: Linear(),
        "precomputed": lambda: Precomputed(),
        "rbf": lambda: RBF(gamma=gamma),
        "polynomial": lambda: Polynomial(scale=gamma, shift=read.coef0, degree=read.degree),
        "sigmoid": lambda: Tanh(scale=gamma, shift=read.coef0),
    }
    try:
        kernel: Kernel = made[read.kernel_type]()
    except (ValueError, TypeError) as error:
        raise DataError(f"{read.name}: its kernel is not one: {error}.") from error
    return kernel


def _two(read: Parsed, swapped: bool) -> tuple[Arrangement, Any, Any]:
    """Of two classes f is positive for the larger label, which may be the file's first or second."""
    sign = 1.0 if swapped else -1.0
    first = np.arange(int(read.nr_sv[0]))
    second = np.arange(int(read.nr_sv[0]), int(sum(read.nr_sv)))
    support = np.concatenate([second, first] if swapped else [first, second])
    n = np.array(read.nr_sv[::-1] if swapped else read.nr_sv)
    held = Arrangement("two", support, n, sign * read.coefficients[:, support], -sign * read.rho)
    if read.scale is None or read.shift is None:
        return held, None, None
    return held, float(read.scale[0]), sign * float(read.shift[0])


def _each_against_each(read: Parsed, order: Any) -> tuple[Arrangement, Any, Any]:
    """Return the file's classes in ascending order: a pair that is turned round changes its sign."""
    C = len(order)
    ends = np.concatenate([[0], np.cumsum(read.nr_sv)]).astype(np.intp)
    of = [np.arange(ends[c], ends[c + 1]) for c in range(C)]
    support = np.concatenate([of[c] for c in order])
    n = np.array([read.nr_sv[c] for c in order])
    starts = np.concatenate([[0], np.cumsum(n)]).astype(np.intp)
    dual, b = np.zeros((C - 1, len(support))), np.zeros(C * (C - 1) // 2)
    scale, shift = np.ones_like(b), np.zeros_like(b)
    place = {pair: k for k, pair in enumerate(pairs(C))}
    for k, (i, j) in enumerate(pairs(C)):
        u, v = int(order[i]), int(order[j])
        sign, at = (1.0, place[(u, v)]) if u < v else (-1.0, place[(v, u)])
        dual[j - 1, starts[i] : starts[i + 1]] = sign * read.coefficients[v - (v > u), of[u]]
        dual[i, starts[j] : starts[j + 1]] = sign * read.coefficients[u - (u > v), of[v]]
        b[k] = -sign * read.rho[at]
        if read.scale is not None and read.shift is not None:
            scale[k], shift[k] = read.scale[at], sign * read.shift[at]
    held = Arrangement("ovo", support, n, dual, b)
    return (held, None, None) if read.scale is None else (held, scale, shift)
