"""Results on standard output, remarks on standard error."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from ..errors import escape
from ..json_text import json_lines


def print_json(value: Any) -> None:
    """Print one result, over several lines for people."""
    sys.stdout.write(json_lines(value) + "\n")


class Remarks:
    """What is worth saying about the work, on stderr; nothing if told to be quiet."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def __call__(self, text: str) -> None:
        if not self.quiet:
            sys.stdout.flush()
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def quote(path: str) -> str:
    """Return a path as one types it in a shell, when it is shown in a hint."""
    name = escape(path)
    return name if name == path and re.fullmatch(r"[\w@%+=:,./~-]+", path) else "'" + name.replace("'", "'\\''") + "'"


def tell_written(remarks: Remarks, output: str, words: str, item: str) -> None:
    """Tell where a model was written, and what may be done with it next."""
    from ..report.progress import format_size  # here, because who only judges writes nothing

    if not os.path.isfile(output):
        remarks(f"Wrote the model to {escape(output)}.")
        return
    remarks(f"Wrote {escape(output)}, {format_size(os.stat(output).st_size)}{words}.")
    remarks(f"Next: deciban classify {quote(output)} {item}   ·   deciban inspect {quote(output)}")
