"""Parameters of text estimators, checked once and turned into settings."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from .settings import TextSettings


def settings_of(estimator: Any) -> TextSettings:
    """The settings that an estimator's parameters amount to; ValueError for what makes no sense."""
    words = tuple(estimator.words)
    whole = len(words) == 2 and all(isinstance(n, Integral) for n in words)
    if not whole or not 1 <= words[0] <= words[1] <= 5:
        raise ValueError(f"words=(shortest, longest) with 1 ≤ shortest ≤ longest ≤ 5 expected, got {estimator.words!r}")
    if estimator.kind not in ("text", "mail"):
        raise ValueError(f"kind must be 'text' or 'mail', got {estimator.kind!r}")
    for name, least, most in (("max_features", 1, None), ("hashed_bits", 1, 30)):
        value = getattr(estimator, name)
        if value is not None and not (
            isinstance(value, Integral) and least <= value and (most is None or value <= most)
        ):
            limit = f"from {least}" + (f" to {most}" if most else "")
            raise ValueError(f"{name} must be None or a whole number {limit}, got {value!r}")
    return TextSettings(
        kind=estimator.kind,
        words=(int(words[0]), int(words[1])),
        max_features=None if estimator.max_features is None else int(estimator.max_features),
        hashed_bits=None if estimator.hashed_bits is None else int(estimator.hashed_bits),
        binary=bool(estimator.binary),
        key=key_of(estimator.random_state),
    )


def key_of(random_state: Any) -> int:
    """The key of the hash: 0 for None, the number itself for a seed, a draw from a generator."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and 0 <= random_state < 2**64:
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    raise ValueError(f"random_state must be None, a whole number from 0, or a RandomState, got {random_state!r}")
