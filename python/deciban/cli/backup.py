"""deciban backup: a filter and all that belongs to it in one file."""

from __future__ import annotations

import click

from ..mail.backups import Backup, back_up
from ..report.progress import format_count
from . import options
from .output import print_json


@click.command("backup", short_help="Back up a filter with its journal, users and snapshots.")
@options.filter_file
@click.argument("out")
@options.user_store
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
@options.as_json
@options.quiet
def command(filter_file: str, out: str, store: str | None, force: bool, as_json: bool, quiet: bool) -> None:
    """Write the filter, its journal, its users and its snapshots to the file OUT, as they are at one moment.

    Servers go on meanwhile: who learns waits until the journal is copied. `deciban restore` puts it all back, from
    whatever store into whatever store.
    """
    made = back_up(filter_file, out, store, force=force)
    if as_json:
        print_json({"filter": filter_file, "backup": out, **describe(made)})
    elif not quiet:
        click.echo(f"Backed up {summarise(made)}: {made.size:,} bytes.")


def describe(made: Backup) -> dict[str, object]:
    """Return keys that scripts rely on."""
    return {"bytes": made.size, "users": made.users, "snapshots": made.snapshots, "journal": made.has_journal}


def summarise(made: Backup) -> str:
    """Return what is in a backup."""
    journal = "a filter and its journal" if made.has_journal else "a filter"
    return f"{journal}, {format_count(made.users, 'user')}, {format_count(made.snapshots, 'snapshot')}"
