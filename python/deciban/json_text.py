"""JSON as it is shown and sent: on one line, safe to print, and null for what no number is."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

# Escaped in JSON, which loses nothing by it: controls that a terminal obeys, marks that turn the direction of writing,
# and what is not seen: format characters (Unicode's category Cf), variation selectors, fillers, tags.
_HARMFUL = re.compile(
    "[\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bcaf\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False)


def json_line(value: Any) -> str:
    """Return `value` as JSON on one line, in the language of its texts, safe to print; null for what is not finite."""
    try:
        encoded = _ENCODER.encode(value)
    except ValueError:
        encoded = _ENCODER.encode(_finite(value))
    if encoded.isascii() and "\x7f" not in encoded:  # nearly all are, and it is told in a fraction of the time
        return encoded
    return _HARMFUL.sub(_escape, encoded)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def _finite(value: Any) -> Any:
    """Return the value, or null for infinity, which JSON has not: the evidence against a class that was forgotten."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def json_lines(value: Any) -> str:
    """Return `value` as JSON over several lines for people, safe to print."""
    return _HARMFUL.sub(_escape, json.dumps(_finite(value), ensure_ascii=False, indent=2))
