"""Results on standard output, remarks on standard error."""

from __future__ import annotations

import json
import re
import sys
from math import isfinite
from typing import Any

from ..errors import shown

# Escaped in JSON, too: controls that a terminal obeys, and marks that turn the direction of writing.
_HARMFUL = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def json_line(value: Any) -> str:
    """`value` as JSON on one line, in the language of its texts, safe to print; null for what is not finite."""
    try:
        encoded = _ENCODER.encode(value)
    except ValueError:
        encoded = _ENCODER.encode(_finite(value))
    return _HARMFUL.sub(_escape, encoded)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _finite(value: Any) -> Any:
    """JSON has no infinity, which is the evidence against a class of which everything was forgotten."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def print_json(value: Any) -> None:
    """One result, over several lines for people."""
    sys.stdout.write(_HARMFUL.sub(_escape, json.dumps(_finite(value), ensure_ascii=False, indent=2)) + "\n")


class Remarks:
    """What is worth saying about the work, on stderr; nothing if told to be quiet."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def __call__(self, text: str) -> None:
        if not self.quiet:
            sys.stdout.flush()
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def quoted(path: str) -> str:
    """A path as one types it in a shell, when it is shown in a hint."""
    name = shown(path)
    return name if name == path and re.fullmatch(r"[\w@%+=:,./~-]+", path) else "'" + name.replace("'", "'\\''") + "'"
