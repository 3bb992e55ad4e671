"""deciban backup: a filter and all that belongs to it in one file."""

from __future__ import annotations

import click

from ..mail.backups import Backup, back_up
from ..report.progress import format_count
from . import options
from .output import print_json


@click.command("backup", short_help="Back up a filter with its journal, users, snapshots and messages.")
@options.filter_file
@click.argument("out")
@options.user_store
@click.option("--without-messages", is_flag=True, help="Leave out the messages that a server keeps (serve --keep).")
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
@options.as_json
@options.quiet
def command(
    filter_file: str, out: str, store: str | None, without_messages: bool, force: bool, as_json: bool, quiet: bool
) -> None:
    """Write the filter, its journal, users and snapshots, and the messages that a server keeps, to the file OUT, as
    they are at one moment.

    Servers go on meanwhile: who learns waits until the journal is copied. With messages only the owner may read OUT.
    `deciban restore` puts it all back, from whatever store into whatever store.
    """
    made = back_up(filter_file, out, store, force=force, messages=not without_messages)
    if as_json:
        print_json({"filter": filter_file, "backup": out, **describe(made)})
    elif not quiet:
        click.echo(f"Backed up {summarise(made)}: {made.size:,} bytes.")


def describe(made: Backup) -> dict[str, object]:
    """Return keys that scripts rely on."""
    return {
        "bytes": made.size,
        "users": made.users,
        "snapshots": made.snapshots,
        "messages": made.messages,
        "journal": made.has_journal,
    }


def summarise(made: Backup) -> str:
    """Return what is in a backup."""
    journal = "a filter and its journal" if made.has_journal else "a filter"
    counts = {"user": made.users, "snapshot": made.snapshots, "message": made.messages}
    return ", ".join([journal, *(format_count(n, what) for what, n in counts.items())])
