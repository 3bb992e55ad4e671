"""deciban explain: the evidence for a verdict, word by word."""

from __future__ import annotations

from collections.abc import Iterator

import click

from .. import store
from ..judging import UNSURE_BELOW
from ..mail.taught import TaughtFilter, open_filter
from ..text.served import ServedText
from ..verdict import Explanation, Threshold
from . import options
from .items import batches
from .output import Remarks, print_json
from .tabular import refuse_text, tell_unseen
from .text_tables import TextTables, tables_of


@click.command("explain", short_help="Explain a verdict.")
@options.filter_file
@click.argument("file", required=False, metavar="[FILE|-]")
@options.as_json
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Show the N strongest words. Default: 16.")
@click.option("--all", "whole", is_flag=True, help="Show every word, and the whole text.")
@options.unsure_below
@options.threshold
@options.text
@options.table_format
@options.encoding
@options.verbose
@click.pass_context
def command(
    ctx: click.Context,
    filter_file: str,
    file: str | None,
    as_json: bool,
    top: int | None,
    whole: bool,
    unsure_below: float | None,
    threshold: options.At | None,
    positive: str | None,
    text: str | None,
    table_format: str | None,
    encoding: str | None,
    verbose: bool,
) -> None:
    """Show why a message is judged so: prior and words in decibans, which add up to the verdict, and the text with
    the strongest words marked in place.

    FILE is a message or a text; `box.mbox:17` is one message of a mailbox; standard input without FILE.
    Of a model that was trained on a table FILE is one, too, and `people.csv:17` one row of it.
    """
    opened, paths = ctx.with_resource(store.open_file(filter_file)), [] if file is None else [file]
    below = options.sureness(threshold, unsure_below, UNSURE_BELOW)
    if not store.of_table(opened.header):
        tables = tables_of(opened.header, {"text": text, "table_format": table_format, "encoding": encoding}, paths)
        served = open_filter(opened, filter_file)
        turns = options.turning(threshold, positive, served.classes)
        _tell(_explain(served, paths, below, turns, tables), as_json, None if whole else top or 16, whole, turns)
        return
    from ..table_models.served import ServedTable
    from .table_judging import explain_rows

    refuse_text(text)
    model = ServedTable.from_stored(opened.load(tables=True))
    turns = options.turning(threshold, positive, model.classes)
    rows = explain_rows(model, paths, table_format, encoding, below, turns)  # type: ignore[arg-type]
    _tell(rows, as_json, None if whole else top or 16, whole, turns)
    tell_unseen(model, verbose, Remarks())


def _tell(
    found: Iterator[tuple[str, Explanation]], as_json: bool, top: int | None, whole: bool, turns: Threshold | None
) -> None:
    if not as_json:
        _show(found, top, whole, turns)
        return
    objects = [{"source": name, **explanation.to_json()} for name, explanation in found]
    print_json(objects[0] if len(objects) == 1 else objects)


def _explain(
    served: ServedText | TaughtFilter,
    paths: list[str],
    below: float,
    threshold: Threshold | None,
    tables: TextTables | None,
) -> Iterator[tuple[str, Explanation]]:
    for names, items, _ in batches(paths, served.settings, tables=tables):
        for name, item in zip(names, items, strict=True):
            yield name, served.explain(item, below, threshold)


def _show(found: Iterator[tuple[str, Explanation]], top: int | None, whole: bool, turns: Threshold | None) -> None:
    from rich.text import Text

    from ..report.explanation import explanation
    from ..report.terminal import console, screen, write

    on = console()
    surface = screen(on)
    for number, (name, each) in enumerate(found):
        if number:
            write([Text(surface.pick("━", "=") * surface.width, style="dim")], on)
        write(explanation(each, name, surface, top=top, whole=whole, threshold=turns), on)
