"""Tables of texts for the verbs that have a model: it knows the columns that it was trained on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import DataError, NoInputError, UsageError, escape
from ..mail.reading import Batch
from ..mail.sources import STDIN
from ..text.settings import TextColumns
from .items import NUMBERED, TABLES

_OPTIONS = {"text": "--text", "label": "--label", "table_format": "--format", "encoding": "--encoding"}


@dataclass(frozen=True)
class TextTables:
    """How the texts in tables are read: the columns, None without labels; the format and the encoding, None for what
    the names of the files and their bytes tell. Every path is a table where `always`, else those that are named so;
    `labelled` is whether an option names the column of labels."""

    text: str
    label: str | None
    table_format: Any = None
    encoding: str | None = None
    always: bool = False
    labelled: bool = False

    def holds(self, path: str) -> bool:
        """Return whether a path is a table, or a row of one."""
        return self.always or is_table(path)

    def batches(self, paths: Sequence[str], label: str | None = None) -> Iterator[Batch]:
        """Yield the rows of tables, named by table and row, with their labels if `label` names a column of them.

        `reviews.csv:17` alone is that one row.
        """
        from ..tables.rows import read

        for path in paths or [STDIN]:
            table, only = _row(path)
            rows = 0
            for batch in read(table, text=self.text, label=label, encoding=self.encoding, kind=self.table_format):
                names = [f"{table}:{row}" for row in range(rows + 1, rows + len(batch.texts) + 1)]
                rows += len(names)
                if only is None:
                    yield Batch(names, batch.texts, batch.labels)
                elif only <= rows:
                    i = only - rows - 1
                    yield Batch([names[i]], [batch.texts[i]], batch.labels and [batch.labels[i]])
                    break
            else:
                if only is not None:
                    raise NoInputError(f"{escape(table)}: expected a row with the number {only}; there are {rows:,}.")

    def options(self) -> dict[str, Any]:
        """Return the same as the options of a table with labels."""
        return {name: getattr(self, name) for name in _OPTIONS}

    def has_labels(self, path: str) -> bool:
        """Return whether a table has the column of labels."""
        from ..tables.rows import columns_in

        return self.label is not None and self.label in columns_in(_row(path)[0], self.encoding, self.table_format)

    def require_labels(self, paths: Sequence[str]) -> str:
        """Return the column of labels; UsageError if none is known, DataError for a table that does not have it."""
        if self.label is None:
            raise UsageError(
                "Expected the labels of these rows. Add --as LABEL, or --label COLUMN for the column that holds them."
            )
        for path in paths:
            if path != STDIN and not self.labelled and not self.has_labels(path):
                raise DataError(
                    f"{escape(path)}: expected a column '{escape(self.label)}' of labels, as in the table that the "
                    "model was trained on; there is none. Add --as LABEL, or --label COLUMN for another column."
                )
        return self.label


def is_table(path: str) -> bool:
    """Return whether a path is that of a table, by its name, or of a row of one."""
    return _row(path)[0].lower().endswith(TABLES)


def _row(path: str) -> tuple[str, int | None]:
    """Return the table, and the number of the row, that a path names."""
    if not os.path.lexists(path) and (match := NUMBERED.fullmatch(path)) and os.path.isfile(match[1]):
        return match[1], int(match[2])
    return path, None


def tables_of(header: Mapping[str, Any], given: Mapping[str, Any], paths: Sequence[str]) -> TextTables | None:
    """Return how a model of texts, whose file has this header, reads tables: by the columns that the options name,
    else by those that it was trained on; None where neither are known and no option asks for a table.

    UsageError for an option of tables where no path is one.
    """
    origin = TextColumns.from_header(header)
    said: dict[str, str | None] = {name: given.get(name) for name in _OPTIONS}
    named = next((name for name, value in said.items() if value is not None), "")
    always = said["text"] is not None or said["table_format"] is not None
    text = said["text"] or (origin and origin.text)
    if named and (text is None or not (always or any(map(is_table, paths)))):
        if any(map(is_table, paths)):
            raise UsageError("Expected the column of the texts of this table. Add --text COLUMN.")
        raise UsageError(
            f"Expected no {_OPTIONS[named]} with messages or texts in files; {_OPTIONS[named]} "
            f"{escape(str(said[named]))} came. Leave it out."
        )
    if text is None:
        return None
    label = said["label"] or (origin and origin.label)
    return TextTables(text, label, said["table_format"], said["encoding"], always, said["label"] is not None)


def fill_columns(header: Mapping[str, Any], given: Mapping[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """Return the options with the columns that the model was trained on, where `paths` are tables and the options name
    none, or only one."""
    origin = TextColumns.from_header(header)
    if origin is None or not (given["table_format"] or all(is_table(path) and "=" not in path for path in paths)):
        return dict(given)
    return {**given, "text": given["text"] or origin.text, "label": given["label"] or origin.label}
