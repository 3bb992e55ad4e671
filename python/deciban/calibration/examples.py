"""Labelled examples for any classifier: texts, rows of numbers, rows of a data frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_method_params,
    _check_sample_weight,
    _num_samples,
    assert_all_finite,
    column_or_1d,
)

from deciban.data.devices import elsewhere, fetched, take
from deciban.data.rows import is_sparse

from .targets import Floats


@dataclass(frozen=True)
class Examples:
    """X of N examples, `labels` (N,), y (N,) their places in `classes`, weight (N,) > 0, whether it was given,
    place (N,), where each stood among the `came` that came, and `parameters`, what else a model's `fit` is given, of
    which those with N values are one an example."""

    X: Any
    labels: NDArray[Any]
    y: NDArray[np.intp]
    classes: NDArray[Any]
    weight: Floats
    weighed: bool
    place: NDArray[np.intp]
    came: int
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def with_parameters(self, parameters: Mapping[str, Any]) -> Self:
        """The same with parameters of `fit` that were given for all that came."""
        return replace(self, parameters=_of_rows(parameters, self.came, self.place))

    def only(self, rows: NDArray[np.intp]) -> Any:
        """X of some of them."""
        return take(self.X, rows) if elsewhere(self.X) else _safe_indexing(self.X, rows)

    def learnt(self, model: Any, rows: NDArray[np.intp]) -> Any:
        """The model, fitted to some of them."""
        more = _of_rows(self.parameters, len(self.y), rows)
        whole = len(rows) == len(self.y)
        return model.fit(self.X if whole else self.only(rows), self.labels[rows], **more)


def examples(X: Any, y: Any, sample_weight: Any) -> Examples:
    """Checked as far as any classifier asks for it; examples of weight 0 are left out."""
    X = brought(X)
    labels = column_or_1d(fetched(y), warn=True)
    if _num_samples(X) != len(labels):
        raise ValueError(f"one label per example is expected; there are {_num_samples(X)} and {len(labels)} labels")
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    weight = np.ones(len(labels))
    if sample_weight is not None:
        weight = _check_sample_weight(fetched(sample_weight), labels, dtype=np.float64, ensure_non_negative=True)
    kept, came = np.flatnonzero(weight), len(weight)
    if len(kept) < came:
        X = take(X, kept) if elsewhere(X) else _safe_indexing(X, kept)
        labels, weight = labels[kept], weight[kept]
    classes, places = np.unique(labels, return_inverse=True)
    return Examples(X, labels, places.astype(np.intp), classes, weight, sample_weight is not None, kept, came)


def _of_rows(parameters: Mapping[str, Any], n: int, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Parameters of `fit` for some of n examples: arrays of n values are cut, others stay."""
    found: dict[str, Any] = _check_method_params(np.empty(n), {k: fetched(v) for k, v in parameters.items()}, rows)
    return found


def brought(X: Any) -> Any:
    """X in a form of which some rows can be taken."""
    if isinstance(X, str | bytes):
        raise TypeError("a sequence of examples is expected, not one text: put it in a list")
    if is_sparse(X):
        return X.tocsr()
    if hasattr(X, "shape"):
        return X
    return np.asarray(X) if hasattr(X, "__array__") else list(X)


def are_texts(X: Any) -> bool:
    """Whether X (N,) are texts."""
    if is_sparse(X) or len(getattr(X, "shape", (0,))) != 1:
        return False
    return len(X) > 0 and isinstance(next(iter(X)), str | bytes)


def check(model: Any) -> None:
    """ValueError for what is no classifier."""
    if isinstance(model, type) or not hasattr(model, "fit") or not is_classifier(model):
        raise ValueError(f"model must be a classifier, such as LinearSVM(), got {model!r}")


def check_together(model: Any, given: Examples) -> None:
    """ValueError for what cannot be dealt into folds and learnt."""
    if len(given.classes) < 2:
        found = f"all labels are {given.classes.tolist()[0]!r} (1 class)" if len(given.y) else "there is no example"
        raise ValueError(f"at least two classes are expected; {found}")
    if get_tags(model).input_tags.pairwise:
        raise ValueError(
            "the rows of a Gram matrix cannot be dealt into folds without its columns: give the machine a "
            "calibration of its own (calibration=3)"
        )
