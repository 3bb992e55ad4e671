"""A number that says what it means, and what is asked for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp, inf, isnan
from typing import Any

import numpy as np

DELTA = 0.05
"""The probability of being wrong that a bound has where none is asked for."""


@dataclass(frozen=True)
class Statement:
    """A number that theory knows: `float()` gives it, `str()` what it means, under which conditions and by whom.

    `vacuous` says why the number says nothing, and is empty where it says something. `given` is what it was found
    from, and what was found on the way.
    """

    value: float
    meaning: str
    conditions: str = ""
    reference: str = ""
    vacuous: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        number = f"{self.value:,}" if isinstance(self.value, int) else f"{self.value:.6g}"
        more = ("vacuous: ", self.vacuous), ("if ", self.conditions), ("by ", self.reference)
        return "\n".join([f"{number}: {self.meaning}", *(f"  {word}{text}" for word, text in more if text)])

    def to_json(self) -> dict[str, Any]:
        """All of it; `vacuous` is None or says why."""
        value = self.value if isinstance(self.value, int) else float(self.value)
        return {
            **self.given,
            "value": value,
            "meaning": self.meaning,
            "conditions": self.conditions,
            "reference": self.reference,
            "vacuous": self.vacuous or None,
        }


def of_error(value: float) -> str:
    """Why a bound on an error says nothing, if so."""
    return "every error is at most 1" if value >= 1.0 else ""


def of_probability(value: float) -> str:
    """Why a bound on a probability says nothing, if so."""
    return "every probability is at most 1" if value >= 1.0 else ""


def least(holds: Callable[[int], bool], start: int = 1) -> int | float:
    """The smallest n ≥ start for which `holds`, which once true stays true; ∞ where none below 2^1000 does.

    >>> least(lambda n: n * n >= 1000)
    32
    """
    if holds(start):
        return start
    step = 1
    while not holds(start + step):
        step *= 2
        if step > 2**1000:
            return inf
    low, high = start + step // 2, start + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def exponential(log: float) -> float:
    """e^log, ∞ where that is beyond a float."""
    return exp(log) if log < 709.0 else inf


def whole(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """A whole number from `least` to `most`, or a ValueError."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be a whole number from {least}, got {value!r}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    return int(value)


def examples(name: str, value: Any, least: int = 1) -> int:
    """A number of examples that a float can hold, or a ValueError."""
    if whole(name, value, least) > 2**1000:
        raise ValueError(f"{name} must be at most 2^1000, got a number of {len(str(value))} digits")
    return int(value)


def number(value: Any) -> bool:
    """Whether it is a real number."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def between(name: str, value: Any, low: float, high: float, ends: bool = False) -> float:
    """A number between two others, which it may be where `ends`, or a ValueError."""
    inside = number(value) and not isnan(value) and (low <= value <= high if ends else low < value < high)
    if not inside:
        what = f"{'from' if ends else 'between'} {low:g} {'to' if ends else 'and'} {high:g}"
        what = f"> {low:g}" if high == inf else what
        raise ValueError(f"{name} must be a number {what}, got {value!r}")
    return float(value)


def asked(names: str, first: Any, second: Any, delta: float | None) -> tuple[str, float]:
    """Which of three is asked for, the one that is not given, and δ: 0.05 unless given or asked for.

    `names` are those of the first two, such as "n epsilon".
    """
    one, other = names.split()
    if first is None and second is None:
        raise ValueError(f"{one} or {other} must be given: of {one}, {other} and delta, the one left out is solved for")
    if first is not None and second is not None:
        if delta is not None:
            raise ValueError(f"{one}, {other} and delta are all given, and nothing is left to solve for: leave one out")
        return "delta", DELTA
    return one if first is None else other, between("delta", DELTA if delta is None else delta, 0.0, 1.0)
