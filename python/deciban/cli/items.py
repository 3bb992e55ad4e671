"""What stands behind FILE…: items with a name each, read in batches."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import DataError, NoInputError, UsageError, shown, unreadable
from ..mail.reading import read_files
from ..mail.sources import STDIN, Source, files
from ..text.settings import TextSettings

Batch = tuple[list[str], list[bytes]]
"""Names, and as many items."""

TABLES = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".parquet", ".pq")
NUMBERS = (".svm", ".svmlight", ".libsvm")
NUMBERED = re.compile(r"(.+):([1-9][0-9]{0,11})")


def sources_of(paths: Sequence[str], settings: TextSettings, label: str = "") -> list[Source]:
    """The files that `paths` name; standard input if there are none."""
    if not paths:
        if sys.stdin is not None and sys.stdin.isatty():
            what = "message" if settings.kind == "mail" else "text"
            sys.stderr.write(f"Reading a {what} from the terminal; Ctrl-D on a line of its own ends it.\n")
        paths = [STDIN]
    if settings.kind == "text":
        for path in paths:
            if path.lower().endswith(TABLES):
                raise UsageError(f"{shown(path)}: expected the column of the texts of this table. Add --text COLUMN.")
    return files(paths, label)


def batches(paths: Sequence[str], settings: TextSettings, jobs: int | None = None) -> Iterator[Batch]:
    """The items of files, folders and mailboxes, named by path and, in a mailbox, by number: `box.mbox:17`.

    A path that is not there but ends in such a number is that one message.
    """
    chosen = _chosen(paths)
    if chosen is not None:
        path, number = chosen
        names, items = _only(path, number, settings)
        yield names, items
        return
    sources = sources_of(paths, settings)
    empty = True
    for names, items in named(sources, settings, jobs):
        empty = False
        yield names, items
    if empty:
        raise DataError("Expected a message on standard input; nothing came.")


def named(sources: Sequence[Source], settings: TextSettings, jobs: int | None = None) -> Iterator[Batch]:
    """The items of sources with their names."""
    return ((names, items) for _, names, items in numbered(sources, settings, jobs))


def naming(
    sources: Sequence[Source], settings: TextSettings, jobs: int | None = None
) -> Callable[[], Iterator[tuple[list[str], list[bytes]]]]:
    """The same, from the beginning each time."""
    return lambda: named(sources, settings, jobs)


def numbered(
    sources: Sequence[Source], settings: TextSettings, jobs: int | None = None
) -> Iterator[tuple[list[int], list[str], list[bytes]]]:
    """The same, and the number of the source of each."""
    mail = settings.kind == "mail"
    boxes = [mail and (source.kind == "mbox" or source.path == STDIN) for source in sources]
    seen: dict[int, int] = {}
    for numbers, items in read_files(sources, settings, jobs):
        if not any(boxes[i] for i in {numbers[0], numbers[-1]}):
            yield numbers, [sources[i].path for i in numbers], items
            continue
        names = []
        for i in numbers:
            number = seen[i] = seen.get(i, 0) + 1
            alone = not boxes[i] or (sources[i].path == STDIN and len(items) == 1 and number == 1)
            names.append(sources[i].path if alone else f"{sources[i].path}:{number}")
        yield numbers, names, items


def _chosen(paths: Sequence[str]) -> tuple[str, int] | None:
    if len(paths) != 1 or os.path.lexists(paths[0]):
        return None
    match = NUMBERED.fullmatch(paths[0])
    return (match[1], int(match[2])) if match and os.path.isfile(match[1]) else None


def _only(path: str, number: int, settings: TextSettings) -> Batch:
    count = 0
    for _, items in named(files([path]), settings):
        if number <= count + len(items):
            return [f"{path}:{number}"], [items[number - count - 1]]
        count += len(items)
    raise NoInputError(f"{shown(path)}: expected a message with the number {number}; there are {count}.")


def table_batches(
    paths: Sequence[str], text: str, table_format: str | None, encoding: str | None
) -> Iterator[tuple[list[str], list[str]]]:
    """The texts of tables, named by table and row: `reviews.csv:17`."""
    from ..tables.rows import read

    for path in paths or [STDIN]:
        for batch in read(path, text=text, label=None, encoding=encoding, kind=table_format):  # type: ignore[arg-type]
            first = batch.first_row
            yield [f"{path}:{row}" for row in range(first, first + len(batch.texts))], batch.texts


def labelled_rows(path: str, given: Mapping[str, Any]) -> Iterator[tuple[list[str], list[str]]]:
    """Texts and labels of a table, with the columns, encoding and format that the options give."""
    from ..tables.rows import read

    kind, encoding = given["table_format"], given["encoding"]
    for batch in read(path, text=given["text"], label=given["label"], encoding=encoding, kind=kind):
        yield batch.texts, batch.labels or []


def total_size(sources: Sequence[Source]) -> int:
    """Bytes of all files; standard input and what has gone count nothing."""
    total = 0
    for source in sources:
        try:
            total += os.stat(source.path).st_size if source.path != STDIN else 0
        except FileNotFoundError:
            continue
        except OSError as error:
            raise unreadable(source.path, error) from error
    return total
