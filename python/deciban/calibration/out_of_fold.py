"""Out-of-fold scores: of each example by a model that was not fitted to it, from which a calibrator learns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from deciban.data.folds import Places, Split, check_folds, hashes, splits_of, usable

from .scaling import Scaling, fit_scaling
from .targets import Floats, once_wrong
from .temperature import loss_of_scores, temperature

if TYPE_CHECKING:  # who reads only what was calibrated loads no solvers
    from ..solvers.problem import Limits

# So many different examples held out tell a line, so many of them outside the most frequent class: of more, further
# folds are not fitted.
_ENOUGH, _OTHERS = 5000, 500

# The relative gap to which folds are fitted: so many times that of all examples, as their scores tell one number, but
# not above this where that is smaller.
_LOOSER, _TOLERANCE = 100.0, 1e-4

FitAndScore = Callable[[Places, Places], tuple[Floats, bool]]
"""Fits a model to the examples at the first places, and returns the scores (n, K) of those at the second, and whether
the fit was interrupted: then there are none."""


class OutOfFold(NamedTuple):
    """Scores (n, K) with class indices y (n,) and weights (n,); `rows` (n,) are the places of the examples among all,
    and `fold` (n,) the splits that held them out."""

    scores: Floats
    y: Places
    weight: Floats
    rows: Places
    fold: Places

    @classmethod
    def collect(
        cls, splits: Iterable[Split], y: Places, weight: Floats, C: int, fit_and_score: FitAndScore, K: int = 1
    ) -> Self:
        """Return the scores of the examples that each split holds out, in the order of the splits.

        Splits that hold nothing out, or leave one of the C classes without examples, are left out. y (N,) are class
        indices, weight (N,) weights, and K is the number of columns where nothing could be held out.
        """
        held: list[Floats] = []
        places = [np.zeros(0, dtype=np.intp)]
        for inside, outside in usable(splits, y, C):
            scores, interrupted = fit_and_score(inside, outside)
            if interrupted:
                raise KeyboardInterrupt
            held.append(scores)
            places.append(outside)
        rows = np.concatenate(places)
        fold = np.repeat(np.arange(len(places)), [len(each) for each in places])
        found = np.concatenate(held).astype(np.float64, copy=False) if held else np.zeros((0, K))
        return cls(found, y[rows], weight[rows], rows, fold)

    def scaling(self) -> Scaling | None:
        """Return the line that suits the scores, (n, C) or margins (n, 1), in whatever unit they are; None without any.

        Before anything tells otherwise, the mean score is worth the proportions of the classes, and scores differ from
        it by a nat.
        """
        s = np.hstack([np.zeros_like(self.scores), self.scores]) if self.scores.shape[1] == 1 else self.scores
        if not len(self.y) or not self.weight.any():
            return None
        counts = np.bincount(self.y, self.weight, minlength=s.shape[1])
        mean = np.average(s, axis=0, weights=self.weight)
        unit = float(np.sqrt(np.average(np.square(s - mean), axis=0, weights=self.weight).sum() / (s.shape[1] - 1)))
        unit = unit if unit > 0.0 else 1.0
        usual = np.log((counts + 1.0) / (counts.sum() + len(counts)))
        found = fit_scaling((s - mean) / unit, self.y, self.weight, once_wrong, usual)
        if found is None:
            return None
        A = found.slope / unit
        return Scaling(A, tuple((np.array(found.offset) - A * mean).tolist())).rounded()

    def temperature(self) -> float:
        """Return the A that suits the scores; 1 without any."""
        return temperature(self.scores, self.y, self.weight) if len(self.y) else 1.0

    def of_folds(self, k: int) -> str:
        """Return how many of k folds were held out.

        >>> none = np.zeros(0, dtype=np.intp)
        >>> OutOfFold(np.zeros((0, 1)), none, np.zeros(0), none, none).of_folds(3)
        '0 of 3 folds'
        """
        fitted = len(np.unique(self.fold))
        return f"{k} folds" if fitted == k else f"{fitted} of {k} folds"

    def log_loss(self, scale: float) -> float | None:
        """Return the mean −log softmax(scale·s)_y; None without scores, or where no double holds it."""
        return loss_of_scores(scale * self.scores, self.y, self.weight) if len(self.y) else None

    def of_pairs(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Self]:
        """Yield for the k-th pair the scores of column k alone, of the examples of its classes, the first positive."""
        columns = np.ascontiguousarray(self.scores.T)
        members = [np.flatnonzero(self.y == c) for c in range(1 + max(map(max, pairs), default=-1))]
        for scores, (i, j) in zip(columns, pairs, strict=True):
            own = np.sort(np.concatenate([members[i], members[j]]))
            y = (self.y[own] == i).astype(np.intp)
            parts = {"weight": self.weight[own], "rows": self.rows[own], "fold": self.fold[own]}
            yield self._replace(scores=scores[own, None], y=y, **parts)


def count_folds(n: int) -> int:
    """Return the number of folds of n examples: the fewer they are, the more each of them counts.

    >>> [count_folds(n) for n in (100, 1000, 10_000)]
    [10, 5, 3]
    """
    return 10 if n <= 500 else 5 if n <= 2000 else 3


def limits_of_folds(limits: Limits) -> Limits:
    """Return when a fit of a fold is to stop, where that of all examples stops at `limits`."""
    return replace(limits, callback=None, tol=max(limits.tol, min(_LOOSER * limits.tol, _TOLERANCE)))


def hold_out(rows: Any, y: Places, k: int, seed: int, each: int = 0) -> list[Split]:
    """Return the first of k splits of rows, of classes y (N,), that together hold out as many examples as tell a line,
    and `each` of every class; all of them where there are not so many. Equal examples count as one."""
    return hold_out_hashed(hashes(rows, seed), y, k, each)


def hold_out_hashed(hashed: NDArray[np.uint64], y: Places, k: int, each: int = 0) -> list[Split]:
    """Return the same of rows with these hashes (N,)."""
    C, fold = int(y.max(initial=-1)) + 1, (hashed % np.uint64(k)).astype(np.intp)
    first = np.unique(hashed * np.uint64(C) + y.astype(np.uint64), return_index=True)[1]
    held = np.bincount(fold[first] * C + y[first], minlength=k * C).reshape(k, C).cumsum(axis=0)
    count = held.sum(axis=1)
    told = (count >= _ENOUGH) & (count - held.max(axis=1, initial=0) >= _OTHERS) & (held >= each).all(axis=1)
    return splits_of(fold, k)[: int(told.argmax()) + 1 if told.any() else k]


def check_calibration(model: Any, methods: tuple[str, ...] = ("temperature",)) -> int:
    """Return the number of folds of a model's calibration; ValueError where it is none of these methods."""
    method = model.calibration
    if not isinstance(method, str) or method not in methods:
        known = f"{', '.join(['None', *map(repr, methods[:-1])])} or {methods[-1]!r}"
        hint = ". The number of folds is calibration_folds." if isinstance(method, int) else ""
        raise ValueError(f"calibration must be {known}, got {method!r}{hint}")
    return check_folds(model.calibration_folds, "calibration_folds")
