"""deciban classify: a verdict for every message."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from .. import store
from ..errors import UsageError, escape
from ..json_text import json_line
from ..judging import UNSURE_BELOW
from ..mail.reading import Batch
from ..mail.taught import open_filter
from ..threads import effective_threads
from ..verdict import Threshold, Verdict
from . import options
from .ahead import ahead
from .items import batches
from .output import Remarks
from .tabular import refuse_text, tell_unseen
from .text_tables import tables_of
from .verdict_files import digest_of, write_verdicts


@click.command("classify", short_help="Classify messages.")
@options.filter_file
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("-o", "--output", metavar="FOLDER", help="Write the verdicts of each FILE as JSON lines to FOLDER.")
@options.as_json
@click.option("--jsonl", is_flag=True, help="Print one JSON object a line, as they come.")
@click.option("--exit-code", is_flag=True, help="Exit with 0 for ham (the first class), 1 for spam, 2 if unsure.")
@options.unsure_below
@options.threshold
@options.text
@options.table_format
@options.encoding
@options.jobs
@options.verbose
@click.pass_context
def command(
    ctx: click.Context,
    filter_file: str,
    files: tuple[str, ...],
    output: str | None,
    as_json: bool,
    jsonl: bool,
    exit_code: bool,
    unsure_below: float | None,
    threshold: options.At | None,
    positive: str | None,
    text: str | None,
    table_format: str | None,
    encoding: str | None,
    jobs: int | None,
    verbose: bool,
) -> None:
    """Judge each message of FILE…: a message, an mbox, a Maildir or a folder; standard input without FILE.

    \b
    One line each:  label  probability  decibans  interval  source       "spam?" is an unsure spam
    --threshold:    label or "unsure"  probability of what is looked for  its decibans, below or above the threshold  …
    The interval holds the log-odds, in decibans, with a probability of 95 % given how little was learnt (naive Bayes).
    Each row of a table (CSV, TSV, JSON lines, Parquet) is judged by a model that was trained on one, which finds its
    columns by name, or by a column of texts, --text COLUMN; `people.csv:17` is one row.
    With --output each FILE has its verdicts in FOLDER/FILE.jsonl, written in one step; those that are there already are
    kept, so that what was interrupted goes on. Long files are judged side by side, in --jobs processes.
    `deciban threshold` finds the --threshold that keeps false positives below a rate, or that costs demand.
    """
    opened = ctx.with_resource(store.open_file(filter_file))
    served: Any
    read: Callable[[Sequence[str]], Iterator[tuple[list[str], Any] | Batch]]
    typed = store.of_table(opened.header)
    if typed:
        from ..table_models.served import ServedTable
        from .table_judging import row_batches

        refuse_text(text)
        served = ServedTable.from_stored(opened.load(tables=True))
        read = lambda some: row_batches(some, table_format, encoding)  # type: ignore[arg-type]  # noqa: E731
    else:
        given = {"text": text, "table_format": table_format, "encoding": encoding}
        tables = tables_of(opened.header, given, files)
        served = open_filter(opened, filter_file, jobs)
        read = lambda some: batches(some, served.settings, jobs, tables=tables)  # noqa: E731
    codes = _exit_codes(served.classes) if exit_code else {}
    below = options.sureness(threshold, unsure_below, UNSURE_BELOW)
    turns = options.turning(threshold, positive, served.classes)

    def judge(some: Sequence[str]) -> Iterator[Judged]:
        return ahead((names, served.judge(items, below, turns)) for names, items, *_ in read(some))

    if output is not None:
        if as_json or jsonl or exit_code:
            raise UsageError(
                "Expected --output alone: it writes JSON lines, and leaves --json, --jsonl, --exit-code out."
            )
        about = {"model": digest_of(filter_file), "unsure_below": below, "threshold": repr(turns), "text": text}
        lines = lambda path: _lines(_json)(judge([path]))  # noqa: E731
        ctx.exit(write_verdicts(output, files, about, lines, Remarks(), effective_threads(jobs)))
    judged = judge(files)
    form = _array if as_json and not jsonl else _lines(_json if jsonl else plain(served.classes, turns))
    worst = _write(judged, form, codes)
    if typed:
        tell_unseen(served, verbose, Remarks())
    if exit_code:
        ctx.exit(worst)


Judged = tuple[list[str], list[Verdict]]


def _write(judged: Iterator[Judged], form: Callable[[Iterator[Judged]], Iterator[str]], codes: dict[Any, int]) -> int:
    """Print all verdicts; gives the exit code of the worst: spam before unsure before ham."""
    found: set[int] = set()

    def watched() -> Iterator[Judged]:
        for names, verdicts in judged:
            if codes:
                found.update(2 if verdict.unsure else codes[verdict.label] for verdict in verdicts)
            yield names, verdicts

    for piece in form(watched()):
        sys.stdout.write(piece)
    return next((code for code in (1, 2) if code in found), 0)


def _exit_codes(classes: Sequence[Any]) -> dict[Any, int]:
    if len(classes) != 2:
        raise UsageError(
            f"Expected a filter of two classes for --exit-code; this one has {len(classes)}. "
            "Read the label from --json instead."
        )
    spam = "spam" if "spam" in classes else classes[1]
    return {label: int(label == spam) for label in classes}


def _lines(line: Callable[[str, Verdict], str]) -> Callable[[Iterator[Judged]], Iterator[str]]:
    def form(judged: Iterator[Judged]) -> Iterator[str]:
        for names, verdicts in judged:
            yield "".join(map(line, names, verdicts))

    return form


def _json(name: str, verdict: Verdict) -> str:
    return json_line({"source": name, **verdict.to_json()}) + "\n"


def _array(judged: Iterator[Judged]) -> Iterator[str]:
    """Yield one object if there is one item, else an array."""
    objects = (_json(*pair)[:-1] for names, verdicts in judged for pair in zip(names, verdicts, strict=True))
    first = next(objects, None)
    second = next(objects, None)
    if first is None:
        yield "[]\n"
    elif second is None:
        yield first + "\n"
    else:
        yield f"[{first},\n {second}"
        for other in objects:
            yield f",\n {other}"
        yield "]\n"


def plain(classes: Sequence[Any], threshold: Threshold | None = None) -> Callable[[str, Verdict], str]:
    """Return how a verdict stands on one line: label, probability, decibans, their interval, source.

    Under a threshold the label may not be the most probable one: probability and decibans are those of the class that
    is looked for, beside the threshold.
    """
    labels = {label: escape(str(label)) for label in classes}
    if threshold is not None:
        return _by_threshold(labels, classes[threshold.positive], threshold)
    width = max(map(_cells, labels.values())) + 1
    sure = {label: name + " " * (width - _cells(name)) for label, name in labels.items()}
    unsure = {label: name + "?" + " " * (width - _cells(name) - 1) for label, name in labels.items()}

    def line(name: str, verdict: Verdict) -> str:
        label = (unsure if verdict.unsure else sure)[verdict.label]
        weight = f"{verdict.decibans:8.1f} dB{between(verdict.interval)}"
        return f"{label} {share(verdict.probability[verdict.label])} {weight} {escape(name)}\n"

    return line


def _by_threshold(labels: dict[Any, str], positive: Any, threshold: Threshold) -> Callable[[str, Verdict], str]:
    width = max(map(_cells, (*labels.values(), "unsure")))

    def line(name: str, verdict: Verdict) -> str:
        own = verdict.towards(positive)
        told = "unsure" if verdict.unsure else labels[verdict.label]
        weight = f"{own.decibans:8.1f} {threshold.beside(own.decibans)}{between(own.interval)}"
        padded = told + " " * (width - _cells(told))
        return f"{padded}  {labels[positive]} {share(own.probability[positive])} {weight} {escape(name)}\n"

    return line


def between(interval: tuple[float, float] | None) -> str:
    """Return an interval in decibans, in columns; nothing where there is none.

    >>> between((-3.2, 12.9)), between(None)
    ('      -3 to +13   ', '')
    """
    return "" if interval is None else f" {interval[0]:+7.0f} to {interval[1]:<+6.0f}"


def share(probability: float) -> str:
    """Return a probability in seven characters that calls nothing certain which is not.

    >>> share(0.5), share(0.9999999)
    (' 0.5000', '>0.9999')
    """
    return f" {probability:.4f}" if probability < 0.99995 else ">0.9999"


def _cells(text: str) -> int:
    """Return columns of a terminal; Hangul and Han take two."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
