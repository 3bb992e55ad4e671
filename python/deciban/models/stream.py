"""The next examples of a stream, for `partial_fit`: labels may be new, and may be missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from deciban.data.devices import fetched
from deciban.data.rows import as_rows

from ..data.examples import Examples, class_weights
from ..data.numbers import linear_rows


def next_examples(
    model: Any, X: Any, y: Any, sample_weight: Any, classes: Any
) -> tuple[Examples, NDArray[np.intp] | None]:
    """The batch, with the labels known until now, those in it and those in `classes`, and where the old ones are in
    them (None at the start). Rows of weight 0 are as if they were not there."""
    known = getattr(model, "classes_", None)
    X, y = linear_rows(
        model,
        X,
        y,
        order="C",
        reset=known is None,
        accept_large_sparse=True,
    )
    check_classification_targets(y)
    repetition = _check_sample_weight(fetched(sample_weight), X, dtype=np.float64, ensure_non_negative=True)
    counted = repetition > 0.0
    X, y, repetition = (X, y, repetition) if counted.all() else (X[counted], y[counted], repetition[counted])
    labels = _united(known, y, None if classes is None else column_or_1d(fetched(classes)))
    if len(labels) < 2:
        raise ValueError(
            f"at least two classes are expected; all labels are {labels.tolist()} (1 class): say with classes=[…] "
            "which are to come"
        )
    index = np.searchsorted(labels, y)
    if isinstance(model.class_weight, str):
        raise ValueError("class_weight='balanced' needs all examples at once: fit, or give a mapping from labels")
    weight = repetition * class_weights(model.class_weight, labels, index, repetition)[index]
    return Examples(as_rows(X), index, weight, labels, repetition), (
        None if known is None else np.searchsorted(labels, known)
    )


def _united(*parts: NDArray[Any] | None) -> NDArray[Any]:
    there = [part for part in parts if part is not None and len(part)]
    kinds = {"text" if part.dtype.kind in "USOT" else "number" for part in there}
    if len(kinds) > 1:
        shown = " and ".join(str(part.tolist()[:3]) for part in there)
        raise ValueError(f"labels of one kind are expected, numbers or text, got {shown}")
    return np.unique(np.concatenate(there)) if there else np.empty(0)
