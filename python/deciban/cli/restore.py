"""deciban restore: a filter and all that belongs to it from a backup."""

from __future__ import annotations

import click

from ..mail.backups import restore
from . import options
from .backup import describe, summarise
from .output import print_json


@click.command("restore", short_help="Restore a filter from a backup.")
@click.argument("backup")
@options.filter_file
@options.user_store
@click.option("--without-messages", is_flag=True, help="Leave the messages that a server keeps as they are.")
@click.option("--force", is_flag=True, help="Replace the filter and all that the backup has of it.")
@options.as_json
@options.quiet
def command(
    backup: str, filter_file: str, store: str | None, without_messages: bool, force: bool, as_json: bool, quiet: bool
) -> None:
    """Put what `deciban backup` has written to the file BACKUP in the place of FILTER, with journal, users, snapshots,
    and the messages that a server keeps, which stay as they are where BACKUP has none.

    All of it is checked before anything is changed. What is there already is only replaced with --force. A server that
    runs heeds it within a second.
    """
    found = restore(backup, filter_file, store, force=force, messages=not without_messages)
    if as_json:
        print_json({"filter": filter_file, "backup": backup, **describe(found)})
    elif not quiet:
        click.echo(f"Restored {summarise(found)}.")
