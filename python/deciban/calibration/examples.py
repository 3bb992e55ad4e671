"""Labelled examples for any classifier: texts, rows of numbers, rows of a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing, check_array, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    assert_all_finite,
    column_or_1d,
    has_fit_parameter,
)

from deciban.devices import elsewhere, fetched, on_host, take
from deciban.rows import is_sparse
from deciban.trust.folds import folds

from .targets import Floats


@dataclass(frozen=True)
class Examples:
    """X of N examples, `labels` (N,), y (N,) their places in `classes`, weight (N,) > 0, whether it was given,
    and place (N,), where each stood among those that came."""

    X: Any
    labels: NDArray[Any]
    y: NDArray[np.intp]
    classes: NDArray[Any]
    weight: Floats
    weighed: bool
    place: NDArray[np.intp]

    def only(self, rows: NDArray[np.intp]) -> Any:
        """X of some of them."""
        return take(self.X, rows) if elsewhere(self.X) else _safe_indexing(self.X, rows)

    def learnt(self, model: Any, rows: NDArray[np.intp]) -> Any:
        """The model, fitted to some of them."""
        more = {"sample_weight": self.weight[rows]} if self.weighed else {}
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
    kept = np.flatnonzero(weight)
    if len(kept) < len(weight):
        X = take(X, kept) if elsewhere(X) else _safe_indexing(X, kept)
        labels, weight = labels[kept], weight[kept]
    classes, places = np.unique(labels, return_inverse=True)
    return Examples(X, labels, places.astype(np.intp), classes, weight, sample_weight is not None, kept)


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


def dealt(X: Any, k: int, seed: int) -> NDArray[np.intp]:
    """(N,) a fold for each example, by `trust.folds`: equal ones share one, wherever they stand."""
    if are_texts(X):
        texts: Sequence[str | bytes] = list(X)
        decoded = [text if isinstance(text, str) else text.decode("latin-1") for text in texts]
        return folds(np.array(decoded, dtype=object), k, seed)
    if elsewhere(X):
        return folds(X, k, seed)
    if not hasattr(X, "columns"):
        X = check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False)
        if is_sparse(X) or X.dtype.kind in "biuf":
            return folds(X, k, seed)
        X = on_host(X, None)
    from deciban.tables.columns import Columns

    return folds(Columns.infer(X).matrix(X), k, seed)


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
    if given.weighed and not (isinstance(model, FrozenEstimator) or has_fit_parameter(model, "sample_weight")):
        raise ValueError(f"{type(model).__name__} takes no sample_weight: leave it out")


HELD_OUT = "held-out"


def checked_folds(cv: Any) -> Any:
    """How many folds, "held-out", or pairs of places."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool) and cv >= 2:
        return int(cv)
    if isinstance(cv, str) and cv == HELD_OUT:
        return cv
    pairs = list(cv) if isinstance(cv, Iterable) and not isinstance(cv, str) else []
    if pairs and all(isinstance(each, tuple) and len(each) == 2 for each in pairs):
        return pairs
    raise ValueError(
        f"cv must be 'held-out', a number of folds from 2, or pairs of places to learn and to hold out, got {cv!r}"
    )


Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def splits(given: Examples, cv: Any, seed: int) -> list[Split]:
    """Places of the examples to learn and of those held out, fold by fold: of so many folds, or as pairs say."""
    if isinstance(cv, int):
        fold = dealt(given.X, cv, seed)
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(cv)]
    now = np.full(int(given.place.max()) + 1, -1)
    now[given.place] = np.arange(len(given.place))
    found = []
    for pair in cv:
        inside, outside = (np.asarray(rows, dtype=np.intp) for rows in pair)
        inside, outside = (now[rows[rows < len(now)]] for rows in (inside, outside))
        found.append((inside[inside >= 0], outside[outside >= 0]))
    return found
