"""deciban explain: the evidence for a verdict, word by word."""

from __future__ import annotations

from collections.abc import Iterator

import click

from .. import store
from ..text.served import UNSURE_BELOW, ServedText
from ..verdict import TextExplanation
from . import options
from .items import batches
from .output import print_json


@click.command("explain", short_help="Why a message is judged so.")
@options.filter_file
@click.argument("file", required=False, metavar="[FILE|-]")
@options.as_json
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Name the N strongest words. Default: 16.")
@click.option("--all", "whole", is_flag=True, help="Name every word, and show the text uncut.")
@options.unsure_below
def command(
    filter_file: str, file: str | None, as_json: bool, top: int | None, whole: bool, unsure_below: float | None
) -> None:
    """Show why a message is judged so: prior and words in decibans, which add up to the verdict, and the text with
    the strongest words marked in place.

    FILE is a message or a text; `box.mbox:17` is one message of a mailbox; standard input without FILE.
    """
    served = ServedText.from_stored(store.read(filter_file))
    below = UNSURE_BELOW if unsure_below is None else unsure_below
    found = _explained(served, [] if file is None else [file], below)
    if as_json:
        objects = [{"source": name, **explanation.to_json()} for name, explanation in found]
        print_json(objects[0] if len(objects) == 1 else objects)
        return
    _show(found, None if whole else top or 16, whole)


def _explained(served: ServedText, paths: list[str], below: float) -> Iterator[tuple[str, TextExplanation]]:
    for names, items in batches(paths, served.settings):
        for name, item in zip(names, items, strict=True):
            yield name, served.explain(item, below)


def _show(found: Iterator[tuple[str, TextExplanation]], top: int | None, whole: bool) -> None:
    from rich.text import Text

    from ..report.explanation import explanation
    from ..report.terminal import console, screen, write

    on = console()
    surface = screen(on)
    for number, (name, each) in enumerate(found):
        if number:
            write([Text(surface.pick("━", "=") * surface.width, style="dim")], on)
        write(explanation(each, name, surface, top=top, whole=whole), on)
