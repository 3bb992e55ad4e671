"""A number that says what it means, and what is asked for it; the divergence of two coins, which bounds invert."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp, inf, isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr

from ..data.refusal import check_whole

DELTA = 0.05
"""The probability of being wrong that a bound has where none is asked for."""


@dataclass(frozen=True)
class Statement:
    """A number with its meaning: `float()` returns it, `str()` adds meaning, conditions and reference.

    Parameters
    ----------
    value : float
        The number: a bound on an error, a number of examples, a probability.
    meaning : str
        What it is, in one sentence.
    conditions : str, default=""
        Under which conditions it holds.
    reference : str, default=""
        Who proved it.
    vacuous : str, default=""
        Why the number says nothing; empty where it says something.
    given : mapping of str to object, optional
        What it was computed from, with intermediate results.

    Examples
    --------
    >>> print(Statement(0.25, "the error of a coin", vacuous="nobody uses it"))
    0.25: the error of a coin
      vacuous: nobody uses it
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
        """Return the number, its texts and what it was computed from as plain Python objects.

        Returns
        -------
        dict
            The fields by their names, those of `given` among them; `vacuous` is None where the number says something.
        """
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
    """Return why a bound on an error says nothing, if so."""
    return "every error is at most 1" if value >= 1.0 else ""


def of_probability(value: float) -> str:
    """Return why a bound on a probability says nothing, if so."""
    return "every probability is at most 1" if value >= 1.0 else ""


def least(holds: Callable[[int], bool], start: int = 1) -> int | float:
    """Return the smallest n ≥ start for which `holds`, which once true stays true; ∞ where none below 2^1000 does.

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
    """Return e^log, ∞ where that is beyond a float."""
    return exp(log) if log < 709.0 else inf


def whole(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Return a whole number from `least` to `most`, or raise a ValueError."""
    number = check_whole(name, value, least)
    if most is not None and number > most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    return number


def examples(name: str, value: Any, least: int = 1) -> int:
    """Return a number of examples that a float can hold, or raise a ValueError."""
    if whole(name, value, least) > 2**1000:
        raise ValueError(f"{name} must be at most 2^1000, got a number of {len(str(value))} digits")
    return int(value)


def number(value: object) -> bool:
    """Return whether it is a real number."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def check_between(name: str, value: Any, low: float, high: float, ends: bool = False) -> float:
    """Return a number between two others, which it may be where `ends`, or raise a ValueError."""
    inside = number(value) and not isnan(value) and (low <= value <= high if ends else low < value < high)
    if not inside:
        what = f"{'from' if ends else 'between'} {low:g} {'to' if ends else 'and'} {high:g}"
        what = f"> {low:g}" if high == inf else what
        raise ValueError(f"{name} must be a number {what}, got {value!r}")
    return float(value)


def find_unknown(names: str, first: Any, second: Any, delta: float | None) -> tuple[str, float]:
    """Return the name of the one of three that is not given, and δ: 0.05 unless given or solved for.

    `names` are those of the first two, such as "n epsilon".
    """
    one, other = names.split()
    if first is None and second is None:
        raise ValueError(f"{one} or {other} must be given: of {one}, {other} and delta, the one left out is solved for")
    if first is not None and second is not None:
        if delta is not None:
            raise ValueError(f"{one}, {other} and delta are all given, and nothing is left to solve for: leave one out")
        return "delta", DELTA
    return one if first is None else other, check_between("delta", DELTA if delta is None else delta, 0.0, 1.0)


Floats = NDArray[np.float64]


def kl(q: ArrayLike, p: ArrayLike) -> Floats:
    """Return kl(q‖p) = q ln(q/p) + (1 − q) ln((1 − q)/(1 − p)) in nats, of shares q and p of any shape; at least 0.

    >>> kl([0.0, 0.3], [0.5, 0.3]).round(4).tolist()
    [0.6931, 0.0]
    """
    divergence: Floats = np.maximum(rel_entr(q, p) + rel_entr(1.0 - np.asarray(q), 1.0 - np.asarray(p)), 0.0)
    return divergence


def farthest(q: ArrayLike, nats: Any) -> Floats:
    """Return max {p ≥ q: kl(q‖p) ≤ nats}, by bisection, since kl rises in p. What is rounded makes it larger: by some
    10⁻⁸ where `nats` is as small as 10⁻¹⁶, by nothing to speak of elsewhere.

    >>> farthest([0.0, 0.1, 1.0], [0.6931471805599453, 0.0, 3.0]).round(6).tolist()
    [0.5, 0.1, 1.0]
    """
    q, nats = np.broadcast_arrays(np.asarray(q, dtype=np.float64), np.asarray(nats, dtype=np.float64))
    low, high = q.copy(), np.ones(q.shape)
    for _ in range(60):
        middle = 0.5 * (low + high)
        beyond = kl(q, middle) > nats
        high = np.where(beyond, middle, high)
        low = np.where(beyond, low, middle)
    return high
