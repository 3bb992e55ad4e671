"""What stands behind FILE…: items with a name each, read in batches."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .._core import Items
from ..data.capacity import require_labels
from ..errors import DataError, NoInputError, UsageError, escape, unreadable
from ..mail.reading import COUNTED, Batch, read_files
from ..mail.sources import STDIN, Source, files
from ..text.settings import TextSettings
from .output import Remarks

if TYPE_CHECKING:
    from .text_tables import TextTables


TABLES = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".parquet", ".pq")
NUMBERS = (".svm", ".svmlight", ".libsvm")
# Bytes of items that are judged together: few, so that their verdicts are written while the next are judged.
_JUDGED = 4 << 20
# Shorter items are read whole.
_LONG = 1 << 20
NUMBERED = re.compile(r"(.+):([1-9][0-9]{0,11})")


def sources_of(paths: Sequence[str], settings: TextSettings, label: str = "") -> list[Source]:
    """Return the files that `paths` name; standard input if there are none."""
    if not paths:
        if sys.stdin is not None and sys.stdin.isatty():
            what = "message" if settings.kind == "mail" else "text"
            sys.stderr.write(f"Reading a {what} from the terminal; Ctrl-D on a line of its own ends it.\n")
        paths = [STDIN]
    _refuse_tables(paths, settings)
    return files(paths, label)


def _refuse_tables(paths: Sequence[str], settings: TextSettings) -> None:
    if settings.kind == "text":
        for path in paths:
            if _table_of(path).lower().endswith(TABLES):
                raise UsageError(f"{escape(path)}: expected the column of the texts of this table. Add --text COLUMN.")


def batches(
    paths: Sequence[str],
    settings: TextSettings,
    jobs: int | None = None,
    gone: list[str] | None = None,
    tables: TextTables | None = None,
) -> Iterator[Batch]:
    """Yield the items of files, folders and mailboxes, named by path and, in a mailbox, by number: `box.mbox:17`; and
    the rows of tables, where it is known how they are read.

    A path that is not there but ends in such a number is that one message, or row. The paths of those that were moved
    away are in `gone` at the end.
    """
    if tables is None:
        yield from _of_files(paths, settings, jobs, gone)
        return
    for of_table, some in groupby(paths or [STDIN], tables.holds):
        chosen = list(some)
        yield from tables.batches(chosen) if of_table else _of_files(chosen, settings, jobs, gone)


def _of_files(
    paths: Sequence[str], settings: TextSettings, jobs: int | None, gone: list[str] | None
) -> Iterator[Batch]:
    _refuse_tables(paths, settings)
    chosen = _chosen(paths)
    if chosen is not None:
        path, number = chosen
        yield _only(path, number, settings)
        return
    sources = sources_of(paths, settings)
    empty, gone = True, [] if gone is None else gone
    for _, names, items in read_numbered(sources, settings, jobs, gone, _JUDGED):
        empty = False
        yield Batch(names, items)
    if empty and gone:
        raise unreadable(gone[0], FileNotFoundError())
    tell_gone(gone, settings, Remarks())
    if empty:
        raise DataError("Expected a message on standard input; nothing came.")


def read_named(sources: Sequence[Source], settings: TextSettings, jobs: int | None = None) -> Iterator[Batch]:
    """Return the items of sources with their names."""
    return (Batch(names, items) for _, names, items in read_numbered(sources, settings, jobs))


def tell_gone(gone: Sequence[str], settings: TextSettings, remarks: Remarks) -> None:
    """Say how many files were listed and were gone when they were to be read."""
    if gone:
        from ..report.progress import format_count

        n = format_count(len(gone), "message" if settings.kind == "mail" else "text")
        remarks(f"{n} {'was' if len(gone) == 1 else 'were'} moved away before being read, and left out.")


def read_numbered(
    sources: Sequence[Source],
    settings: TextSettings,
    jobs: int | None = None,
    gone: list[str] | None = None,
    size: int = COUNTED,
) -> Iterator[tuple[list[int], list[str], Items]]:
    """Yield the same, and the number of the source of each; the paths of those that were moved away are in `gone`."""
    mail = settings.kind == "mail"
    boxes = [mail and (source.kind == "mbox" or source.path == STDIN) for source in sources]
    seen: dict[int, int] = {}
    for numbers, items in _read_told(sources, settings, jobs, gone, size):
        if not any(boxes[i] for i in {numbers[0], numbers[-1]}):
            yield numbers, [sources[i].path for i in numbers], items
            continue
        names = []
        for i in numbers:
            number = seen[i] = seen.get(i, 0) + 1
            alone = not boxes[i] or (sources[i].path == STDIN and len(items) == 1 and number == 1)
            names.append(sources[i].path if alone else f"{sources[i].path}:{number}")
        yield numbers, names, items


def _read_told(
    sources: Sequence[Source], settings: TextSettings, jobs: int | None, gone: list[str] | None, size: int
) -> Iterator[tuple[list[int], Items]]:
    """Yield the items; says on standard error of which only the beginning is read."""
    reader = settings.reader()
    for numbers, items in read_files(sources, settings, jobs, gone, size):
        for place, size in enumerate(items.sizes()):
            if size > _LONG and reader.is_cut(items[place]):
                most = f"{reader.most_bytes >> 20} MB"
                limits = f"messages {most}, and 4 MB of decoded text" if settings.kind == "mail" else f"texts {most}"
                sys.stdout.flush()
                path = escape(sources[numbers[place]].path)
                sys.stderr.write(f"{path}: only the beginning is read: of {limits}.\n")
        yield numbers, items


def _table_of(path: str) -> str:
    """Return the file of which a path names a row, else the path."""
    chosen = _chosen([path])
    return path if chosen is None else chosen[0]


def _chosen(paths: Sequence[str]) -> tuple[str, int] | None:
    if len(paths) != 1 or os.path.lexists(paths[0]):
        return None
    match = NUMBERED.fullmatch(paths[0])
    return (match[1], int(match[2])) if match and os.path.isfile(match[1]) else None


def _only(path: str, number: int, settings: TextSettings) -> Batch:
    count = 0
    for _, items, _ in read_named(files([path]), settings):
        if number <= count + len(items):
            return Batch([f"{path}:{number}"], [items[number - count - 1]])
        count += len(items)
    raise NoInputError(f"{escape(path)}: expected a message with the number {number}; there are {count}.")


def read_labelled_rows(path: str, given: Mapping[str, Any]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield texts and labels of a table, with the columns, encoding and format that the options give."""
    from ..tables.rows import read

    kind, encoding = given["table_format"], given["encoding"]
    known, rows = set[str](), 0
    for batch in read(path, text=given["text"], label=given["label"], encoding=encoding, kind=kind):
        known.update(batch.labels or [])
        rows += len(batch.texts)
        require_labels(len(known), rows, given["label"], more=True)
        yield batch.texts, batch.labels or []
    require_labels(len(known), rows, given["label"])


def read_named_rows(path: str, given: Mapping[str, Any]) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Yield names, texts and labels of a table: `reviews.csv:17`."""
    first = 1
    for texts, labels in read_labelled_rows(path, given):
        yield [f"{path}:{row}" for row in range(first, first + len(texts))], texts, labels
        first += len(texts)


def total_size(sources: Sequence[Source]) -> int:
    """Return bytes of all files; standard input and what has gone count nothing."""
    total = 0
    for source in sources:
        try:
            total += os.stat(source.path).st_size if source.path != STDIN else 0
        except FileNotFoundError:
            continue
        except OSError as error:
            raise unreadable(source.path, error) from error
    return total
