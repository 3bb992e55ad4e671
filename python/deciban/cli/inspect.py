"""deciban inspect: what a filter knows."""

from __future__ import annotations

import click

from .. import store
from ..mail.taught import read_solved
from ..report.filter_inventory import inventory_of
from ..report.inventory import inventory
from ..report.terminal import console, screen, write
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
