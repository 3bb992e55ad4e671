"""How distributions say no: with the place, so that a model can name it in the user's own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deciban._core import OutsideSupport
from deciban.errors import DataError


class StatisticError(DataError):
    """A refusal that knows its place, so that a model can say it again with the user's own names.

    `text` may contain {feature} and {label}, whose indices are `feature` and `label`.
    """

    def __init__(self, text: str, *, feature: int | None = None, label: int | None = None) -> None:
        self.text, self.feature, self.label = text, feature, label
        known = feature is not None or label is not None
        super().__init__(text.format(feature=f"feature {feature}", label=f"class {label}") if known else text)

    def named(self, features: Callable[[int], str], labels: Callable[[int], str]) -> DataError:
        """The same refusal as a plain DataError, with `features(j)` and `labels(c)` in place of numbers."""
        feature = "" if self.feature is None else features(self.feature)
        label = "" if self.label is None else labels(self.label)
        return DataError(self.text.format(feature=feature, label=label))

    def among(self, columns: Sequence[int] | NDArray[np.intp]) -> StatisticError:
        """The same refusal where feature k is column columns[k] of a wider matrix."""
        feature = None if self.feature is None else int(columns[self.feature])
        return StatisticError(self.text, feature=feature, label=self.label)


def first(marked: NDArray[np.bool_]) -> tuple[int, ...]:
    """The place of the first True."""
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


def counted(run: Callable[[], T], expected: Callable[[float], str]) -> T:
    """What the core counts, or a `StatisticError` where a value is outside the support.

    `expected(value)` says what was expected instead, with {place} for the row, the feature and the value.
    """
    try:
        return run()
    except OutsideSupport as error:
        row, column, value = error.args
        text = expected(value).format(place=f"row {row}, {{feature}} is {value:g}")
        raise StatisticError(text, feature=column) from None


def check_number(name: str, value: Any, least: float, meaning: str) -> None:
    """ValueError unless `value` is a finite number ≥ least."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not least <= value < np.inf:
        raise ValueError(f"{name} must be {meaning}, got {value!r}")


def check_prior(name: str, value: Any) -> None:
    """A parameter of a prior is a finite number ≥ 0 (0: no prior, the raw ratio)."""
    check_number(name, value, 0.0, "a finite number ≥ 0")


def refuse_less(
    left: NDArray[np.float64],
    learnt: NDArray[np.float64],
    forgotten: NDArray[np.float64],
    what: str | None = None,
) -> NDArray[np.float64]:
    """`left` = learnt − forgotten, (L, C) or (L, C, d) in parts; a `StatisticError` where that is below nothing."""
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
