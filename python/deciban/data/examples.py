"""Labelled rows as linear models take them, by scikit-learn's rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.data.declared_types import Estimator
from deciban.data.digest import digest
from deciban.data.frame import Floats
from deciban.data.rows import as_rows, is_sparse
from deciban.data.samples import check_sample_weight, check_total
from deciban.data.validation import check_classification_targets
from deciban.errors import DataError
from deciban.lazy import cached_property

from .labelled import WeighedExamples
from .labels import places
from .numbers import cell, linear_rows


@dataclass(frozen=True, eq=False, kw_only=True)
class RowExamples(WeighedExamples):
    """Labelled rows X (N, d), dense in C order or CSR, of sorted `classes`.

    `repetition` are the sample weights alone; `weight` has the class weights in it, too.
    """

    EACH = (*WeighedExamples.EACH, "repetition")

    classes: NDArray[Any]
    repetition: Floats

    @cached_property
    def digest(self) -> str:
        """The name of X, y and the weights."""
        return digest(*arrays_of(self.X), self.y, self.weight)


def arrays_of(X: Any) -> list[Any]:
    """Return the arrays that X is stored as."""
    return [X.data, X.indices, X.indptr] if is_sparse(X) else [X]


def examples(model: Estimator, X: Any, y: Any, sample_weight: Any, reset: bool = True) -> RowExamples:
    """Check and count examples; rows of weight 0 are as if they were not there."""
    X, y = linear_rows(
        model,
        X,
        y,
        order="C",
        reset=reset,
        accept_large_sparse=True,
    )
    counted = weigh_rows(model, X, y, sample_weight)
    return RowExamples(X=as_rows(X if counted.kept is None else X[counted.kept]), **counted.fields())


class Weighed(NamedTuple):
    """The places of the rows that count, or None for all, and what is known of these."""

    kept: NDArray[np.intp] | None
    y: NDArray[np.intp]
    weight: Floats
    classes: NDArray[Any]
    repetition: Floats

    def fields(self) -> dict[str, Any]:
        """Return what is known of the rows, by the names that `RowExamples` has for it."""
        found = self._asdict()
        del found["kept"]
        return found


def weigh_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> Weighed:
    """Return labels and weights of the rows of X, which `model.class_weight` weighs, too."""
    check_classification_targets(y)
    repetition = check_sample_weight(sample_weight, X)
    kept = None
    if not repetition.all():
        kept = np.flatnonzero(repetition)
        y, repetition = y[kept], repetition[kept]
    labels, index = places(y)
    if len(labels) < 2:
        found = f"all labels are {labels.tolist()[0]!r}" if len(labels) else "no example has a weight above 0"
        raise ValueError(f"at least two classes are expected; {found} (1 class)" if len(labels) else found)
    weight = repetition * class_weights(model.class_weight, labels, index, repetition)[index]
    check_total(weight, "sample_weight times class_weight")
    if not weight.all():
        raise ValueError("class_weight of 0 leaves a class without examples: leave the rows out instead")
    return Weighed(kept, index, weight, labels, repetition)


# Of larger numbers the squares of a sum of products would leave the range of a float64.
_LARGEST = 1e100


def refuse_large(X: Any) -> Any:
    """Return X, or raise a DataError that names the value that is too large to be multiplied."""
    values = X.data if is_sparse(X) else X
    if not values.size or max(float(values.max()), -float(values.min())) <= _LARGEST:
        return X
    place = int(np.argmax(np.abs(values) > _LARGEST))
    i, j = cell(X, place)
    raise DataError(
        f"row {i}, feature {j} is {values.flat[place]:g}; sizes up to {_LARGEST:g} are expected: "
        "give the feature in a larger unit"
    )


def class_weights(given: object, labels: NDArray[Any], y: NDArray[np.intp], repetition: Floats) -> Floats:
    """Return (C,) what an example of each class weighs: 1, "balanced" n / (C·n_c), or a mapping from labels."""
    if given is None:
        return np.ones(len(labels))
    if isinstance(given, str) and given == "balanced":
        n = np.bincount(y, repetition, minlength=len(labels))
        balanced: Floats = n.sum() / (len(labels) * n)
        return balanced
    if not isinstance(given, Mapping):
        raise ValueError(f"class_weight must be None, 'balanced' or a mapping from labels to weights, got {given!r}")
    known = set(labels.tolist())
    unknown = [label for label in given if label not in known]
    if unknown:
        raise ValueError(f"class_weight names {unknown}, which no label is; labels are {labels.tolist()}")
    weights = np.array([given.get(label, 1.0) for label in labels.tolist()], dtype=np.float64)
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise ValueError(f"class_weight must be finite numbers ≥ 0, got {dict(given)!r}")
    return weights
