"""Items of kernel machines: rows of numbers, a Gram matrix, or texts, by scikit-learn's rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data import device_rows
from deciban.data.devices import elsewhere, fetch, move, namespace, on_host, take, to_double
from deciban.data.digest import digest
from deciban.data.examples import RowExamples, refuse_large, weigh_rows
from deciban.data.examples import arrays_of as stored_as
from deciban.data.numbers import numeric_rows
from deciban.data.rows import Rows, as_rows, is_sparse
from deciban.data.validation import check_consistent_length, column_or_1d
from deciban.errors import DataError
from deciban.kernels import Function, Kernel, Linear, by_name
from deciban.lazy import cached_property
from deciban.losses import Floats

from .evaluation import linear_weights

_REALS: Any = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C", "accept_large_sparse": True}


@dataclass(frozen=True, eq=False, kw_only=True)
class Items(RowExamples):
    """Examples of a kernel machine: X is what `kernel` reads, `place` (N,) where they were in what was given."""

    EACH = (*RowExamples.EACH, "place")

    kernel: Kernel
    place: NDArray[np.intp]

    @cached_property
    def digest(self) -> str:
        """The name of X, be it numbers or texts, y and the weights."""
        return digest(*arrays_of(self.X), self.y, self.weight)

    def take(self, places: NDArray[np.intp]) -> Any:
        return among(self.kernel, self.X, places)


def items(model: Any, X: Any, y: Any, sample_weight: Any) -> Items:
    """Return labelled items, checked and counted; those of weight 0 are as if they were not there."""
    X, y, kernel = to_learn(model, X, y)
    counted = weigh_rows(model, y if elsewhere(X) else X, y, fetch(sample_weight))
    place = np.arange(len(y)) if counted.kept is None else counted.kept
    X = X if counted.kept is None else among(kernel, X, counted.kept)
    kernel = scale_kernel(model, kernel, X, counted.repetition)
    return Items(X=X, **counted.fields(), kernel=kernel, place=place)


def to_learn(model: Any, X: Any, y: Any = None, numeric: bool = False) -> tuple[Any, Any, Kernel]:
    """Return X and, where there are targets, y by scikit-learn's rules; and the kernel that the model's parameters say.
    X stays where it is, y comes to the host."""
    y = fetch(y)
    spoken = of_texts(model.kernel) or (callable(model.kernel) and _are_texts(X))
    if spoken:
        X = _texts(X)
        if y is not None:
            check_consistent_length(X, y)
            y = column_or_1d(y, warn=True)
    elif elsewhere(X):
        X = device_rows.check_rows(model, X)
        y = y if y is None else device_rows.targets(X, y, numeric)
    elif y is None:
        X = refuse_large(as_rows(numeric_rows(model, X, **_REALS)))
    else:
        X, y = numeric_rows(model, X, y, y_numeric=numeric, **_REALS)
        X = refuse_large(as_rows(X))
    kernel = by_name(model.kernel, X, gamma=model.gamma, degree=model.degree, coef0=model.coef0)
    if spoken and isinstance(kernel, Function):
        kernel = replace(kernel, texts=True)
    return indexable(kernel.accept(X)), y, kernel


def scale_kernel(model: Any, kernel: Kernel, X: Any, weight: Floats) -> Kernel:
    """Return the kernel whose gamma "scale" is of rows X (N, d) with `weight` (N,); others stay as they are."""
    if isinstance(model.kernel, Kernel) or not _is(model.gamma, "scale") or X.ndim != 2 or (weight == 1.0).all():
        return kernel
    share = weight / (X.shape[1] * weight.sum())
    if elsewhere(X):
        mean, variance = device_rows.weigh_moments(X, share)
    elif is_sparse(X):
        mean = float(share @ np.asarray(X.sum(axis=1)).reshape(-1))
        away = X.copy()
        away.data = np.square(X.data - mean) - mean**2
        variance = float(share @ np.asarray(away.sum(axis=1)).reshape(-1)) + mean**2
    else:
        mean = float(share @ np.asarray(X.sum(axis=1)).reshape(-1))
        variance = float(share @ np.square(X - mean).sum(axis=1))
    gamma = 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0
    return by_name(model.kernel, X, gamma=gamma, degree=model.degree, coef0=model.coef0)


def _is(value: object, name: str) -> bool:
    return isinstance(value, str) and value == name


def to_judge(model: Any, X: Rows) -> Any:
    """Return X as the kernel of a fitted model reads it."""
    kernel = model.kernel_
    if of_texts(kernel):
        return indexable(kernel.accept(_texts(X)))
    if elsewhere(X):
        return kernel.accept(device_rows.check_rows(model, X, reset=False), model.n_features_in_)
    X = numeric_rows(model, X, reset=False, **_REALS)
    return kernel.accept(as_rows(X), model.n_features_in_)


def of_texts(kernel: Any) -> bool:
    """Return whether a kernel, or a name, compares texts."""
    if getattr(kernel, "texts", False) is True:
        return True
    return any(map(of_texts, getattr(kernel, "kernels", ()))) or getattr(kernel, "name", kernel) == "spectrum"


def of_gram(kernel: Any) -> bool:
    """Return whether X is the Gram matrix."""
    return isinstance(getattr(kernel, "name", kernel), str) and getattr(kernel, "name", kernel) == "precomputed"


def among(kernel: Any, X: Rows, places: Any) -> Any:
    """Return the items at the given places, for training."""
    return between(kernel, X, places, places)


def between(kernel: Any, X: Rows, places: Any, learnt: Any) -> Any:
    """Return the items at the given places, for prediction by a model fitted to others of X."""
    return take(take(X, places), learnt, axis=1) if of_gram(kernel) else take(X, places)


def baseline(given: Items) -> Floats | None:
    """Return the mean item, against which features are weighed; None for zeros, of sparse rows or a linear kernel."""
    if given.X.ndim != 2 or is_sparse(given.X) or of_gram(given.kernel) or isinstance(given.kernel, Linear):
        return None
    if elsewhere(given.X):
        return device_rows.weigh_mean(given.X, given.repetition)
    mean: Floats = np.average(given.X, axis=0, weights=given.repetition).astype(np.float64)
    return mean


def indexable(X: Rows) -> Any:
    """Return X as it is, but a list of texts as an array of them, whose places can be taken."""
    return np.array([*X, None], dtype=object)[:-1] if isinstance(X, list) else X


def vectors_of(centres: Any, support: NDArray[np.intp]) -> Any:
    """Return the support vectors as a score keeps them: of a Gram matrix, the indices of its columns."""
    return support if centres.ndim == 1 and centres.dtype != object else centres


def arrays_of(X: Any) -> list[Any]:
    """Return X as arrays of numbers, for the digest of the data."""
    if elsewhere(X) or is_sparse(X) or X.dtype != object:
        return stored_as(X)
    parts = [text.encode("utf-8", "surrogatepass") for text in X]
    return [np.array([len(part) for part in parts]), np.frombuffer(b"".join(parts), dtype=np.uint8)]


def weights(dual: Floats, vectors: Any) -> Floats:
    """Return (k, d) Σ β v of coefficients (k, m) and rows (m, d), on the host."""
    if not elsewhere(vectors):
        return linear_weights(vectors, np.ascontiguousarray(dual.T))
    vectors = to_double(vectors)
    w: Floats = on_host(namespace(vectors).matmul(move(dual, vectors), vectors))
    return w


def width(X: Any) -> int:
    """Return the number of features of the items; texts have none."""
    return int(X.shape[1]) if X.ndim == 2 else 0


def _are_texts(X: Any) -> bool:
    """Return whether X is a list or an array of texts."""
    return (
        not elsewhere(X)
        and not is_sparse(X)
        and hasattr(X, "__len__")
        and len(X) > 0
        and isinstance(next(iter(X)), str)
    )


def _texts(X: Any) -> list[str]:
    texts = X.tolist() if hasattr(X, "tolist") else X
    if isinstance(texts, str) or not hasattr(texts, "__len__"):
        raise DataError(f"a list of texts is expected, got {type(X).__name__}")
    wrong = next((i for i, text in enumerate(texts) if not isinstance(text, str)), None)
    if wrong is not None:
        raise DataError(f"a list of texts is expected; item {wrong} is {type(texts[wrong]).__name__}")
    if not len(texts):
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required: no texts were given")
    return list(texts)
