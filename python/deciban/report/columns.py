"""The columns of a table as they were learnt, for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .terminal import fit, grid, name

if TYPE_CHECKING:
    from ..data.columns import Columns

_PRINTED = 40  # columns


def in_words(columns: Columns) -> str:
    """Write a line a column: its name, its kind, its labels."""
    rows = [("column", "kind", "categories", "")]
    for own, kind, known in list(zip(columns.names, columns.kinds, columns.categories, strict=True))[:_PRINTED]:
        count = "" if known is None else f"{len(known):,}"
        examples = ", ".join(name(label) for label in (known or ())[:20])
        rows.append((fit(name(own), 24).rstrip(), kind, count, fit(examples, 30).rstrip()))
    more = len(columns.names) - _PRINTED
    return "\n".join(grid(rows, "llr") + ([f"and {more:,} more columns"] if more > 0 else []))
