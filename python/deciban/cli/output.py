"""Results on standard output, remarks on standard error."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from ..errors import shown

# Escaped in JSON, too: controls that a terminal obeys, and marks that turn the direction of writing.
_HARMFUL = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": "))


def json_line(value: Any) -> str:
    """`value` as JSON on one line, in the language of its texts, safe to print."""
    return _HARMFUL.sub(_escape, _ENCODER.encode(value))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def print_json(value: Any) -> None:
    """One result, indented for people: the same data as one line."""
    sys.stdout.write(_HARMFUL.sub(_escape, json.dumps(value, ensure_ascii=False, indent=2)) + "\n")


class Remarks:
    """What is worth saying about the work, on stderr; nothing if told to be quiet."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def __call__(self, text: str) -> None:
        if not self.quiet:
            sys.stdout.flush()
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def counted(n: int, what: str, many: str | None = None) -> str:
    """`1 message`, `2,000 messages`.

    >>> counted(1, "class", "classes"), counted(2000, "message")
    ('1 class', '2,000 messages')
    """
    return f"{n:,} {what if n == 1 else many or what + 's'}"


def size_of(count: float) -> str:
    """Bytes as people read them.

    >>> size_of(512), size_of(2_500_000)
    ('512 bytes', '2.5 MB')
    """
    if count < 1000:
        return f"{int(count)} bytes"
    for unit in ("kB", "MB", "GB"):
        count /= 1000
        if count < 1000:
            break
    return f"{count:.3g} {unit}" if count < 999.5 else f"{count:,.0f} {unit}"


def quoted(path: str) -> str:
    """A path as one types it in a shell, when it is shown in a hint."""
    name = shown(path)
    return name if name == path and re.fullmatch(r"[\w@%+=:,./~-]+", path) else "'" + name.replace("'", "'\\''") + "'"
