"""Labelled examples for any classifier: texts, rows of numbers, rows of a data frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.classifier import Classifier
from deciban.data.convergence import refuse_interrupted
from deciban.data.devices import fetch
from deciban.data.estimator import BaseEstimator
from deciban.data.labelled import WeighedExamples
from deciban.data.mixins import is_classifier
from deciban.data.refusal import refuse_lazy
from deciban.data.rows import Rows, check_sparse, is_sparse
from deciban.data.samples import check_sample_weight, n_samples, take_rows
from deciban.data.validation import assert_all_finite, check_classification_targets, column_or_1d


@dataclass(frozen=True, eq=False, kw_only=True)
class ExamplesOfAny(WeighedExamples):
    """Labelled examples in whatever form a model takes them: `place` (N,), where each stood among the `came` that came,
    and `parameters`, what else a model's `fit` is given, of which those with N values are one an example."""

    EACH = (*WeighedExamples.EACH, "place")

    classes: NDArray[Any]
    place: NDArray[np.intp]
    came: int
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def with_parameters(self, parameters: Mapping[str, Any]) -> Self:
        """Return the same with parameters of `fit` that were given for all examples."""
        return replace(self, parameters=_of_rows(parameters, self.came, self.place))

    def fit_model(self, model: Any, rows: NDArray[np.intp]) -> Any:
        """Fit the model to some of them."""
        more = _of_rows(self.parameters, len(self.y), rows)
        whole = len(rows) == len(self.y)
        with refuse_interrupted():
            return model.fit(self.X if whole else self.take(rows), self.labels[rows], **more)


def examples(X: Rows, y: ArrayLike, sample_weight: ArrayLike | None) -> ExamplesOfAny:
    """Check examples as far as any classifier needs it; those of weight 0 are left out."""
    X = as_indexable(X)
    labels = column_or_1d(fetch(y), warn=True)
    if n_samples(X) != len(labels):
        raise ValueError(f"one label per example is expected; there are {n_samples(X)} and {len(labels)} labels")
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    weight = np.ones(len(labels))
    if sample_weight is not None:
        weight = check_sample_weight(sample_weight, labels)
    kept, came = np.flatnonzero(weight), len(weight)
    if len(kept) < came:
        X = take_rows(X, kept)
        labels, weight = labels[kept], weight[kept]
    classes, places = np.unique(labels, return_inverse=True)
    return ExamplesOfAny(X=X, y=places.astype(np.intp), classes=classes, weight=weight, place=kept, came=came)


def _of_rows(parameters: Mapping[str, Any], n: int, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Return parameters of `fit` for some of n examples: arrays of n values are cut, others stay."""
    found = {}
    for name, given in parameters.items():
        value = fetch(given)
        if hasattr(value, "__array__") and not hasattr(value, "shape"):
            value = np.asarray(value)
        found[name] = take_rows(as_indexable(value), rows) if _has_values(value, n) else value
    return found


def _has_values(value: object, n: int) -> bool:
    """Return whether it has n values, one an example."""
    many = hasattr(value, "shape") or (hasattr(value, "__len__") and not isinstance(value, str | bytes | Mapping))
    return many and getattr(value, "shape", (1,)) != () and n_samples(value) == n


def as_indexable(X: Any) -> Any:
    """Return X in a form of which some rows can be taken."""
    if isinstance(X, str | bytes):
        raise TypeError("a sequence of examples is expected, not one text: put it in a list")
    refuse_lazy(X)
    if is_sparse(X):
        return check_sparse(X).tocsr()
    if hasattr(X, "shape"):
        return X
    return np.asarray(X) if hasattr(X, "__array__") else list(X)


def check(model: object) -> None:
    """Raise ValueError for what is no classifier."""
    if isinstance(model, type) or not hasattr(model, "fit") or not is_classifier(model):
        raise ValueError(f"model must be a classifier, such as LinearSVM(), got {model!r}")


def check_together(model: Classifier, given: ExamplesOfAny) -> None:
    """Raise ValueError for what cannot be dealt into folds and fitted."""
    if len(given.classes) < 2:
        found = f"all labels are {given.classes.tolist()[0]!r} (1 class)" if len(given.y) else "there is no example"
        raise ValueError(f"at least two classes are expected; {found}")
    if _takes_gram(model):
        raise ValueError(
            "the rows of a Gram matrix cannot be dealt into folds without its columns: give the machine a "
            "calibration of its own (calibration='temperature')"
        )


def _takes_gram(model: Any) -> bool:
    """Return whether its rows are those of a Gram matrix; of our own models, only those with a kernel can."""
    if isinstance(model, BaseEstimator) and not hasattr(model, "kernel"):
        return False
    from sklearn.utils import get_tags

    return bool(get_tags(model).input_tags.pairwise)
