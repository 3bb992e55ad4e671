"""Errors of distributions and of readers of files; the former with the place, which a model names for the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deciban._core import OutsideSupport
from deciban.errors import DataError


class StatisticError(DataError):
    """Statistics that no data have, or a value outside the support, with its feature and class.

    Parameters
    ----------
    text : str
        Message, which may contain {feature} and {label}.
    feature : int, optional
        Index of the feature.
    label : int, optional
        Index of the class.

    Examples
    --------
    >>> str(StatisticError("{feature} is negative", feature=0).named("age of {}".format, str))
    'age of 0 is negative'
    """

    def __init__(self, text: str, *, feature: int | None = None, label: int | None = None) -> None:
        self.text, self.feature, self.label = text, feature, label
        known = feature is not None or label is not None
        super().__init__(text.format(feature=f"feature {feature}", label=f"class {label}") if known else text)

    def named(self, features: Callable[[int], str], labels: Callable[[int], str]) -> DataError:
        """Return the same error as a plain DataError, with the names of the user in place of indices.

        Parameters
        ----------
        features : callable
            Name of the feature of an index.
        labels : callable
            Name of the class of an index.

        Returns
        -------
        DataError
            The error.
        """
        feature = "" if self.feature is None else features(self.feature)
        label = "" if self.label is None else labels(self.label)
        return DataError(self.text.format(feature=feature, label=label))

    def among(self, columns: Sequence[int] | NDArray[np.intp]) -> StatisticError:
        """Return the same error for a wider matrix.

        Parameters
        ----------
        columns : sequence of int
            Column of the wider matrix that is feature k.

        Returns
        -------
        StatisticError
            The error, with the index of the wider matrix.
        """
        feature = None if self.feature is None else int(columns[self.feature])
        return StatisticError(self.text, feature=feature, label=self.label)


def first(marked: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the place of the first True."""
    return tuple(int(k) for k in np.argwhere(marked)[0])


def refuse_infinite(W: NDArray[np.float64]) -> None:
    """Refuse weights W (D, C) of infinite evidence, as `affine` gives them for probabilities of 0 and 1."""
    infinite = ~np.isfinite(W)
    if not infinite.any():
        return
    j, c = first(infinite)
    raise StatisticError(
        f"{{feature}} is {'always' if W[j, c] > 0.0 else 'never'} present in {{label}}, so the evidence of its "
        f"{'absence' if W[j, c] > 0.0 else 'presence'} is infinite: "
        "use estimate='bayes' with alpha > 0, or leave the feature out",
        feature=j,
        label=c,
    )


T = TypeVar("T")


def count_or_refuse(run: Callable[[], T], expected: Callable[[float], str]) -> T:
    """Return what the core counts, or raise a `StatisticError` where a value is outside the support.

    `expected(value)` says what was expected instead, with {place} for the row, the feature and the value.
    """
    try:
        return run()
    except OutsideSupport as error:
        row, column, value = error.args
        text = expected(value).format(place=f"row {row}, {{feature}} is {value:g}")
        raise StatisticError(text, feature=column) from None


def check_number(name: str, value: Any, least: float, meaning: str) -> None:
    """Raise a ValueError unless `value` is a finite number ≥ least."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not least <= value < np.inf:
        raise ValueError(f"{name} must be {meaning}, got {value!r}")


def check_whole(name: str, value: Any, least: int = 1) -> int:
    """Return `value`, or raise a ValueError unless it is a whole number ≥ least."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be a whole number from {least}, got {value!r}")
    return int(value)


def check_prior(name: str, value: object) -> None:
    """Raise a ValueError unless a parameter of a prior is a finite number ≥ 0 (0: no prior, the raw ratio)."""
    check_number(name, value, 0.0, "a finite number ≥ 0")


def refuse_less(
    left: NDArray[np.float64],
    learnt: NDArray[np.float64],
    forgotten: NDArray[np.float64],
    what: str | None = None,
) -> NDArray[np.float64]:
    """Return `left` = learnt − forgotten, (L, C) or (L, C, d) in parts; a `StatisticError` where that is below
    nothing."""
    short = left[0] < 0.0
    if short.any():
        place = first(short)
        what = what or ("examples of {label}" if len(place) == 1 else "{feature} in {label}")
        raise StatisticError(
            f"cannot forget more than was learnt: {what}: {learnt[0][place]:g} learnt, "
            f"{forgotten[0][place]:g} to forget; forget only what was learnt, with the same label and weight",
            label=place[0],
            feature=place[1] if len(place) == 2 else None,
        )
    return left


def refuse_lazy(X: object) -> None:
    """Raise DataError for a frame whose rows are still to be computed."""
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):
        came = f"{type(X).__module__.partition('.')[0]}.{type(X).__name__}"
        raise DataError(f"Expected a data frame with its rows; came {came}, which is lazy: collect() it first.")


def check(right: bool, wrong: str) -> None:
    """Raise ValueError with what is wrong, unless all is right."""
    if not right:
        raise ValueError(wrong)
