"""deciban rollback: put a snapshot in the place of a filter."""

from __future__ import annotations

import click

from ..mail.snapshots import roll_back
from . import options
from .output import print_json, quote


@click.command("rollback", short_help="Return to a snapshot.")
@options.filter_file
@click.argument("name")
@options.force
@options.as_json
@options.quiet
def command(filter_file: str, name: str, force: bool, as_json: bool, quiet: bool) -> None:
    """Return the filter to the snapshot NAME, as if nothing had been learnt or forgotten since.

    What it replaces becomes a snapshot of its own, "replaced-" and the time, so that a rollback can be undone.
    """
    found, replaced = roll_back(filter_file, name, force=force)
    kept = None if replaced is None else replaced.name
    if as_json:
        print_json({"filter": filter_file, "name": found.name, "made": found.made, "replaced": kept})
    elif not quiet:
        undo = "Nothing was replaced." if kept is None else f"Undo: deciban rollback {quote(filter_file)} {kept}"
        click.echo(f"Returned to snapshot {found.name}. {undo}")
