"""The sufficient statistics of counted data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from deciban._core import OutsideSupport, class_sums
from deciban.data.rows import Rows, as_rows, for_core

from ..data.refusal import StatisticError, count_or_refuse, first

Floats = NDArray[np.float64]

# Sums of fractional weights, taken in another order, differ by this share; whole numbers do not differ.
ROUNDING = 1e-12
# Less than this share of what was learnt is what rounding has left of nothing; whole numbers below 10^13 are more.
_NOTHING = 1e-13


class Statistics(Protocol):
    """The sufficient statistics of a distribution, with one row a class; they add and subtract.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.distributions import Counts
    >>> part = Counts(np.array([2.0]), np.array([[3.0, 1.0]]))
    >>> (part + part).n.tolist()
    [4.0]
    """

    @property
    def n(self) -> Floats:
        """(C,) weight of each class."""
        ...

    @property
    def missing(self) -> Floats | None:
        """(C, d) weight of the examples whose feature j is missing; None where none is."""
        ...

    def __add__(self, other: Self) -> Self: ...
    def __sub__(self, other: Self) -> Self: ...
    def among(self, places: NDArray[np.intp], C: int) -> Self:
        """Return the same statistics as part of C classes; those of the others are zero.

        Parameters
        ----------
        places : ndarray of int of shape (n_classes,)
            New index of each class.
        C : int
            Number of classes.

        Returns
        -------
        Statistics
            The statistics of C classes.
        """
        ...

    def select_classes(self, classes: NDArray[np.intp]) -> Self:
        """Return the statistics of some classes.

        Parameters
        ----------
        classes : ndarray of int
            Indices of the classes.

        Returns
        -------
        Statistics
            Their statistics.
        """
        ...

    def arrays(self) -> tuple[Floats, ...]:
        """Return all arrays of the statistics, for a digest.

        Returns
        -------
        tuple of ndarray
            The arrays.
        """
        ...


@dataclass(frozen=True, eq=False)
class Counts:
    """Sufficient statistics of weighted data: a weight and summed features for each class.

    They add: the whole is the sum of its parts, and taking a part away leaves the rest, exactly so (to the last bit)
    while the numbers are whole and below 2^53. A difference below zero is a `StatisticError` that names the class and
    the feature.

    Parameters
    ----------
    n : ndarray of shape (n_classes,)
        Weight of each class.
    s : ndarray of shape (n_classes, n_features)
        Weighted sums of features.
    missing : ndarray of shape (n_classes, n_features), optional
        Weight of the examples whose feature is missing; None where none is.

    Raises
    ------
    StatisticError
        If a number is below zero.

    Examples
    --------
    >>> some = Counts(np.array([2.0]), np.array([[3.0, 1.0]]))
    >>> some + some - some == some
    True
    """

    n: Floats
    s: Floats
    missing: Floats | None = None

    @staticmethod
    def zero(C: int, d: int) -> Counts:
        """Return the statistics of no examples.

        Parameters
        ----------
        C : int
            Number of classes.
        d : int
            Number of features.

        Returns
        -------
        Counts
            Zeros.
        """
        return Counts(np.zeros(C), np.zeros((C, d)))

    @property
    def seen(self) -> Floats:
        """(C, d), or (C, 1) where nothing is missing: the weight of the examples whose feature j is known."""
        n = self.n[:, None]
        return n if self.missing is None else n - self.missing

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.n + other.n, self.s + other.s, plus_missing(self.missing, other.missing))

    def __sub__(self, other: Counts) -> Counts:
        missing = less_missing(self.missing, other.missing, self.s.shape)
        return Counts(less(self.n, other.n), less(self.s, other.s), missing)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def among(self, places: NDArray[np.intp], C: int) -> Counts:
        """Return the same statistics as part of C classes; those of the others are zero.

        Parameters
        ----------
        places : ndarray of int of shape (n_classes,)
            New index of each class.
        C : int
            Number of classes.

        Returns
        -------
        Counts
            The statistics of C classes.
        """
        moved: dict[str, Any] = {name: spread(value, places, C) for name, value in self._list_named()}
        return replace(self, **moved)

    def select_classes(self, classes: NDArray[np.intp]) -> Counts:
        """Return the statistics of some classes.

        Parameters
        ----------
        classes : ndarray of int
            Indices of the classes.

        Returns
        -------
        Counts
            Their statistics.
        """
        left: dict[str, Any] = {name: None if value is None else value[classes] for name, value in self._list_named()}
        if left["missing"] is not None and not left["missing"].any():
            left["missing"] = None
        return replace(self, **left)

    def arrays(self) -> tuple[Floats, ...]:
        """Return all arrays of the statistics, for a digest.

        Returns
        -------
        tuple of ndarray
            The arrays.
        """
        return tuple(value for _, value in self._list_named() if value is not None)

    def _list_named(self) -> tuple[tuple[str, Floats | None], ...]:
        return ("n", self.n), ("s", self.s), ("missing", self.missing)


def same(one: Any, other: Any) -> bool:
    """Return whether two statistics have the same numbers."""
    mine, theirs = one.arrays(), other.arrays()
    return len(mine) == len(theirs) and all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


def spread(values: Floats | None, places: NDArray[np.intp], C: int) -> Floats | None:
    """Return row k of values (k, …) at row places[k] of C rows, zero elsewhere."""
    if values is None:
        return None
    moved = np.zeros((C, *values.shape[1:]))
    moved[places] = values
    return moved


def plus_missing(a: Floats | None, b: Floats | None) -> Floats | None:
    """Return the weights missing from both."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


def less_missing(a: Floats | None, b: Floats | None, shape: tuple[int, ...]) -> Floats | None:
    """Return what is still missing from a without b; None where nothing is, so that equal statistics look equal."""
    if b is None:
        return a
    left = less(np.zeros(shape) if a is None else a, b, "examples without {feature} in {label}")
    return left if left.any() else None


def less(learnt: Floats, forgotten: Floats, what: str | None = None) -> Floats:
    """Return learnt − forgotten, (C,) or (C, d); a `StatisticError` where that is below nothing says of `what`."""
    left: Floats = learnt - forgotten
    short = left < -ROUNDING * learnt
    if short.any():
        place = first(short)
        what = what or ("examples of {label}" if len(place) == 1 else "{feature} in {label}")
        raise StatisticError(
            f"cannot forget more than was learnt: {what}: {learnt[place]:g} learnt, "
            f"{forgotten[place]:g} to forget; forget only what was learnt, with the same label and weight",
            label=place[0],
            feature=place[1] if len(place) == 2 else None,
        )
    return np.where(left <= _NOTHING * learnt, 0.0, left)


def class_weights(y: NDArray[np.intp], weight: Floats | None, C: int) -> Floats:
    """Return n_c = Σ_{i: y_i = c} w_i, (C,)."""
    return np.bincount(y, weights=weight, minlength=C).astype(np.float64)


def sums(
    X: Rows,
    y: NDArray[np.intp],
    weight: Floats | None,
    C: int,
    expected: Callable[[float], str],
    *,
    support: Literal["finite", "nonnegative", "binary", "whole"],
    above: float | None = None,
    missing: bool = True,
) -> Counts:
    """Return n_c and s_c = Σ_{i: y_i = c} w_i x_i in one pass over the nonzeros, in the order of the rows.

    With `above` x counts as 1 where it is larger and 0 elsewhere. `support` is "finite", "nonnegative", "binary"
    or "whole"; a value outside is a `StatisticError` in the words of `expected`.
    """

    def run(X: Rows) -> tuple[Floats, Floats | None]:
        return class_sums(for_core(X), y, weight, C, support=support, above=above, missing=missing)

    try:
        s, gone = run(X)
        told_twice = gone is not None
    except OutsideSupport:
        told_twice = True
    if told_twice:  # of a place that is told twice only the sum counts: the values there, and NaN, are looked at once
        s, gone = count_or_refuse(lambda: run(as_rows(X)), expected)
    if not np.isfinite(s.sum()):
        c, j = first(~np.isfinite(s))
        raise StatisticError(
            "{feature} sums to more than a float64 holds in {label}: give it in a larger unit", feature=j, label=c
        )
    return Counts(class_weights(y, weight, C), s, gone)
