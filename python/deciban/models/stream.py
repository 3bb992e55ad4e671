"""The next examples of a stream, for `partial_fit`: labels may be new, and may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.devices import fetch
from deciban.data.rows import Rows, as_rows
from deciban.data.samples import check_sample_weight
from deciban.data.validation import check_classification_targets, column_or_1d

from ..data.capacity import require_room
from ..data.examples import RowExamples, class_weights
from ..data.numbers import linear_rows

if TYPE_CHECKING:
    from .linear import LinearClassifier


def next_examples(
    model: LinearClassifier, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None, classes: ArrayLike | None
) -> tuple[RowExamples, NDArray[np.intp] | None]:
    """Return the batch, with the labels known until now, those in it and those in `classes`, and where the old ones are
    in them (None at the start). Rows of weight 0 are as if they were not there."""
    known = getattr(model, "classes_", None)
    rows, labelled = linear_rows(model, X, y, order="C", reset=known is None, accept_large_sparse=True)
    check_classification_targets(labelled)
    repetition = check_sample_weight(sample_weight, rows)
    counted = repetition > 0.0
    if not counted.all():
        rows, labelled, repetition = rows[counted], labelled[counted], repetition[counted]
    labels = _unite_labels(known, labelled, None if classes is None else column_or_1d(fetch(classes)))
    if len(labels) < 2:
        raise ValueError(
            f"at least two classes are expected; all labels are {labels.tolist()} (1 class): say with classes=[…] "
            "which are to come"
        )
    require_room(len(labels), 8.0 * sum(rows.shape))
    index = np.searchsorted(labels, labelled)
    if isinstance(model.class_weight, str):
        raise ValueError("class_weight='balanced' needs all examples at once: fit, or give a mapping from labels")
    weight = repetition * class_weights(model.class_weight, labels, index, repetition)[index]
    return RowExamples(X=as_rows(rows), y=index, classes=labels, weight=weight, repetition=repetition), (
        None if known is None else np.searchsorted(labels, known)
    )


def _unite_labels(*parts: NDArray[Any] | None) -> NDArray[Any]:
    there = [part for part in parts if part is not None and len(part)]
    kinds = {"text" if part.dtype.kind in "USOT" else "number" for part in there}
    if len(kinds) > 1:
        shown = " and ".join(str(part.tolist()[:3]) for part in there)
        raise ValueError(f"labels of one kind are expected, numbers or text, got {shown}")
    return np.unique(np.concatenate(there)) if there else np.empty(0)
