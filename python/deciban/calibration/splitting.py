"""Splits for calibration: folds of our own, splitters of scikit-learn, pairs of indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike

from deciban.data.devices import elsewhere
from deciban.data.folds import Places, Split, folds_of_any, splits_of

from .examples import ExamplesOfAny

HELD_OUT = "held-out"
FOLDS = 5
"""What `cv=None` is, as in scikit-learn."""


class Splitter(Protocol):
    """A splitter such as those of `sklearn.model_selection`."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[Any]:
        """Yield the places to fit and those held out, split by split."""


Folds: TypeAlias = int | str | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
"""A number of folds, "held-out", a splitter, or pairs of the places to fit and those held out."""


def check_folds(cv: object) -> Folds:
    """Return the number of folds, "held-out", a splitter of scikit-learn, or pairs of indices."""
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


def is_splitter(cv: object) -> TypeGuard[Splitter]:
    """Return whether it splits as those of `sklearn.model_selection` do."""
    return hasattr(cv, "split") and not isinstance(cv, str | bytes | type)


def describe_folds(cv: object) -> str:
    """Return in words what the calibrator learnt from, for a certificate."""
    if is_splitter(cv):
        return f"the folds of {type(cv).__name__}"
    if isinstance(cv, str):
        return "a fifth held out"
    return f"{check_folds(cv)} folds" if cv is None or isinstance(cv, int) else "folds that were given"


def splits(given: ExamplesOfAny, cv: Folds, seed: int, parameters: Mapping[str, Any]) -> list[Split]:
    """Return the indices of the examples to fit and of those held out, fold by fold.

    A splitter sees the examples that count, with its `parameters`, such as groups; pairs are of all that came.
    """
    if isinstance(cv, int):
        return splits_of(folds_of_any(given.X, cv, seed), cv)
    if is_splitter(cv):
        more = given.with_parameters(parameters).parameters
        X = np.zeros((len(given.y), 1)) if elsewhere(given.X) else given.X
        return [(_places(a, len(given.y)), _places(b, len(given.y))) for a, b in cv.split(X, given.labels, **more)]
    now = np.full(given.came, -1)
    now[given.place] = np.arange(len(given.place))
    pairs = [[now[_places(rows, given.came)] for rows in pair] for pair in cast(Iterable[Any], cv)]
    return [(inside[inside >= 0], outside[outside >= 0]) for inside, outside in pairs]


def _places(rows: ArrayLike, n: int) -> Places:
    """Return indices from 0, of indices that may count from the end, or of n truth values."""
    found = np.asarray(rows)
    if found.dtype.kind == "b" and found.shape == (n,):
        return np.flatnonzero(found)
    places: Places = found.astype(np.intp)
    wrong = places[(places < -n) | (places >= n)]
    if len(wrong):
        raise ValueError(f"cv names the place {wrong[0]}; there are {n} examples, at the places 0 to {n - 1}")
    return np.where(places < 0, places + n, places)
