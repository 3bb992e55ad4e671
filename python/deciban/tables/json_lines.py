"""JSON lines: one object a line, each with the line it stands on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..errors import DataError

_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "true or false", type(None): "null"}


def json_objects(lines: Iterator[str], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects; blank lines are left out. Raises DataError for a line that is not an object."""
    for number, line in enumerate(lines, 1):
        if line.isspace():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(
                f"{name}, line {number}, character {error.colno}: expected a JSON object; "
                f"it is not JSON ({error.msg}). Each line must hold one whole object."
            ) from error
        except (
            ValueError,
            RecursionError,
        ) as error:  # a number of thousands of digits; thousands of brackets
            raise DataError(
                f"{name}, line {number}: expected a JSON object; it nests too deep or has too long a number. "
                "Remove the line."
            ) from error
        if not isinstance(value, dict):
            raise DataError(
                f"{name}, line {number}: expected a JSON object; came {_KINDS.get(type(value), 'a number')}. "
                'Write each row as {"text": "…", "label": "…"}.'
            )
        yield number, value
