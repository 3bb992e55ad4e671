"""Parameters of text estimators, checked once and turned into settings."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from .settings import TextSettings


def settings_of(estimator: Any) -> TextSettings:
    """The settings that an estimator's parameters amount to; ValueError for what makes no sense."""
    words: tuple[Any, ...] = tuple(estimator.words)
    whole = len(words) == 2 and all(isinstance(n, Integral) for n in words)
    if not whole or not 1 <= words[0] <= words[1] <= 5:
        raise ValueError(f"words=(shortest, longest) with 1 ≤ shortest ≤ longest ≤ 5 expected, got {estimator.words!r}")
    if estimator.kind not in ("text", "mail"):
        raise ValueError(f"kind must be 'text' or 'mail', got {estimator.kind!r}")
    features = _whole("max_features", estimator.max_features, None)
    bits = _whole("hashed_bits", estimator.hashed_bits, 30)
    return TextSettings(
        kind=estimator.kind,
        words=(int(words[0]), int(words[1])),
        max_features=features,
        hashed_bits=bits,
        binary=bool(estimator.binary),
        key=key_of(estimator.random_state),
    )


def _whole(name: str, value: Any, most: int | None) -> int | None:
    """None, or a whole number from 1."""
    if value is None:
        return None
    if isinstance(value, Integral) and 1 <= int(value) <= (most or int(value)):
        return int(value)
    limit = "from 1" + (f" to {most}" if most else "")
    raise ValueError(f"{name} must be None or a whole number {limit}, got {value!r}")


def key_of(random_state: Any) -> int:
    """The key of the hash: 0 for None, the number itself for a seed, a draw from a generator."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    raise ValueError(f"random_state must be None, a whole number from 0, or a RandomState, got {random_state!r}")
