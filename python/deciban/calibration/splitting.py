"""Which examples a calibrator learns from: folds of our own, splitters of scikit-learn, pairs of places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from deciban.data.devices import elsewhere, on_host
from deciban.data.folds import folds
from deciban.data.rows import is_sparse

from .examples import Examples, are_texts

HELD_OUT = "held-out"
FOLDS = 5
"""What `cv=None` is, as in scikit-learn."""

Places = NDArray[np.intp]
Split = tuple[Places, Places]


def checked_folds(cv: Any) -> Any:
    """How many folds, "held-out", a splitter of scikit-learn, or pairs of places."""
    if cv is None:
        return FOLDS
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool) and cv >= 2:
        return int(cv)
    if (isinstance(cv, str) and cv == HELD_OUT) or is_splitter(cv):
        return cv
    pairs = list(cv) if isinstance(cv, Iterable) and not isinstance(cv, str | bytes) else []
    if pairs and all(isinstance(each, Sequence | np.ndarray) and len(each) == 2 for each in pairs):
        return pairs
    raise ValueError(
        "cv must be None, 'held-out', a number of folds from 2, a splitter such as StratifiedKFold(), or pairs of "
        f"places to learn and to hold out, got {cv!r}"
    )


def is_splitter(cv: Any) -> bool:
    """Whether it splits as those of `sklearn.model_selection` do."""
    return hasattr(cv, "split") and not isinstance(cv, str | bytes | type)


def describe_folds(cv: Any) -> str:
    """Return in words what the calibrator learnt from, for a certificate."""
    if is_splitter(cv):
        return f"the folds of {type(cv).__name__}"
    if isinstance(cv, str):
        return "a fifth held out"
    return f"{checked_folds(cv)} folds" if cv is None or isinstance(cv, int) else "folds that were given"


def splits(given: Examples, cv: Any, seed: int, parameters: Mapping[str, Any]) -> list[Split]:
    """Places of the examples to learn and of those held out, fold by fold.

    A splitter sees the examples that count, with its `parameters`, such as groups; pairs are of all that came.
    """
    if isinstance(cv, int):
        fold = dealt(given.X, cv, seed)
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(cv)]
    if is_splitter(cv):
        more = given.with_parameters(parameters).parameters
        X = np.zeros((len(given.y), 1)) if elsewhere(given.X) else given.X
        return [(_places(a, len(given.y)), _places(b, len(given.y))) for a, b in cv.split(X, given.labels, **more)]
    now = np.full(given.came, -1)
    now[given.place] = np.arange(len(given.place))
    pairs = [[now[_places(rows, given.came)] for rows in pair] for pair in cv]
    return [(inside[inside >= 0], outside[outside >= 0]) for inside, outside in pairs]


def _places(rows: Any, n: int) -> Places:
    """Places from 0, of places that may count from the end, or of n truth values."""
    found = np.asarray(rows)
    if found.dtype.kind == "b" and found.shape == (n,):
        return np.flatnonzero(found)
    places: Places = found.astype(np.intp)
    wrong = places[(places < -n) | (places >= n)]
    if len(wrong):
        raise ValueError(f"cv names the place {wrong[0]}; there are {n} examples, at the places 0 to {n - 1}")
    return np.where(places < 0, places + n, places)


def dealt(X: Any, k: int, seed: int) -> NDArray[np.intp]:
    """(N,) a fold for each example, by `data.folds`: equal ones share one, wherever they stand."""
    if are_texts(X):
        texts: Sequence[str | bytes] = list(X)
        decoded = [text if isinstance(text, str) else text.decode("latin-1") for text in texts]
        return folds(np.array(decoded, dtype=object), k, seed)
    if elsewhere(X):
        return folds(X, k, seed)
    if _are_mappings(X):
        return folds(np.array([repr(sorted(row.items(), key=repr)) for row in X], dtype=object), k, seed)
    if not hasattr(X, "columns"):
        X = X.reshape(len(X), -1) if isinstance(X, np.ndarray) and X.ndim > 2 else X
        X = check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False)
        if is_sparse(X) or X.dtype.kind in "biuf":
            return folds(X, k, seed)
        X = on_host(X, None)
    from deciban.data.columns import Columns

    return folds(Columns.infer(X).matrix(X), k, seed)


def _are_mappings(X: Any) -> bool:
    """Whether X (N,) are mappings, as `DictVectorizer` takes them."""
    if is_sparse(X) or hasattr(X, "columns") or len(getattr(X, "shape", (0,))) != 1:
        return False
    return len(X) > 0 and isinstance(next(iter(X)), Mapping)
