"""One cell of a table: whether it is empty, and what it is as a label, a number, a truth value."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite
from typing import Any

import numpy as np

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_CODE = re.compile(r"[+-]?0\d+")
GONE = frozenset(("na", "n/a", "nan", "null", "none", "?"))
TRUTH = {"true": 1.0, "false": 0.0}


def text_of(value: Any) -> str:
    """Return a value as a label: whole numbers without a fraction, true and false.

    >>> text_of(2.0), text_of(True), text_of("x")
    ('2', 'true', 'x')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def plain_value(value: Any) -> Any:
    """Return bytes as text, decimals as floats, NaN as None."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Decimal):
        value = float(value)
    return None if value != value else value


def is_empty(value: Any) -> bool:
    """Return whether nothing stands there."""
    return value is None or (isinstance(value, str) and (not value or value.isspace()))


def is_number(text: str) -> bool:
    """Return whether text is a finite number, and no code with leading zeros."""
    return bool(_NUMBER.fullmatch(text)) and not _CODE.fullmatch(text) and isfinite(float(text))


def number_of(value: Any) -> float | None:
    """Return NaN for what stands for missing, None for what is no number."""
    if isinstance(value, str):
        text = value.strip()
        if text.lower() in GONE:
            return np.nan
        value = float(text) if _NUMBER.fullmatch(text) else np.inf
    try:
        return float(value) if isfinite(value) else None
    except OverflowError:
        return None


def truth_of(value: Any) -> float | None:
    """Return 1, 0, NaN for what stands for missing, None for what is no truth value."""
    text = text_of(value).strip().lower()
    return np.nan if text in GONE else {**TRUTH, "1": 1.0, "0": 0.0}.get(text)
