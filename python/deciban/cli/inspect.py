"""deciban inspect: what a filter knows."""

from __future__ import annotations

import os

import click

from .. import store
from ..mail.ledger import Ledger
from ..mail.taught import read_solved
from ..report.inventory import Inventory, class_bits, inventory, strongest, telling
from ..report.terminal import console, screen, write
from ..text.restoring import from_stored
from . import options
from .output import print_json


@click.command("inspect", short_help="Show what a filter knows.")
@options.filter_file
@click.option(
    "--top", type=click.IntRange(min=0), default=12, metavar="N", help="Number of words per list. Default: 12."
)
@options.as_json
def command(filter_file: str, top: int, as_json: bool) -> None:
    """Show what a filter knows: its training summary, its settings, its certificate, the words with the most mutual
    information with the class, in bits, and for each class the words with the most evidence in an average item:
    decibans times frequency.
    """
    stored = read_solved(filter_file, tables=True)
    if store.of_table(stored.header):
        from ..report.table_inventory import TableInventory, table_inventory

        table = TableInventory.of(stored, filter_file, top)
        if as_json:
            print_json(table.to_json())
        else:
            on = console()
            write(table_inventory(table, screen(on)), on)
        return
    found = inventory_of(stored, filter_file, top)
    if as_json:
        print_json(found.to_json())
        return
    on = console()
    write(inventory(found, screen(on)), on)


def inventory_of(stored: store.Stored, path: str, top: int) -> Inventory:
    """Return what the filter in the file at `path` tells, with `top` words a list."""
    model, header = from_stored(stored), stored.header
    encoder = model.encoder
    _, counts, items, *_ = encoder.book.parts()
    rows, _, seen = encoder.features()
    return Inventory(
        kind=encoder.settings.kind,
        model=header["model"],
        classes={str(label): float(count) for label, count in zip(model.classes, items, strict=True)},
        words=len(encoder.book),
        dictionary=len(rows),
        occurrences=float(counts.sum()),
        dropped=encoder.dropped,
        uncounted=encoder.uncounted,
        retired=encoder.retired,
        ledger=len(Ledger.from_stored(stored)),
        settings=encoder.settings.to_json(),
        origin=header.get("origin"),
        bayes=header.get("bayes"),
        linear=header.get("linear"),
        kernel=header.get("kernel"),
        network=header.get("network"),
        bucket_words=None if encoder.words is None else encoder.words.to_json(),
        certificate=header["certificate"],
        bytes=os.path.getsize(path),
        digest=header["digest"],
        class_bits=class_bits(model),
        information=telling(model, rows, seen, top) if top else [],
        evidence=strongest(model, rows, seen, top) if top else {},
    )
