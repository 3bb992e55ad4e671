"""deciban refresh: the filter's file as training would have given it, with all that it was taught since."""

from __future__ import annotations

import os

import click

from .. import store
from ..data.text_layout import ONLINE
from ..files.locks import lock
from ..mail.journal import SUFFIX, Journal
from ..report.progress import format_count
from . import options
from .output import print_json


@click.command("refresh", short_help="Bring a filter up to date.")
@options.filter_file
@options.force
@options.as_json
@options.quiet
def command(filter_file: str, force: bool, as_json: bool, quiet: bool) -> None:
    """Solve the filter with what learn has noted in its journal.

    What is learnt tells on verdicts at once, by a step for each message; when a twentieth has come since, learn solves
    a filter of at most 20,000 messages with it. This does so now, at any size: its file is then the one that training
    with all messages would have given. Run it at night where the filter is large.
    """
    header = store.read_header(filter_file)
    waiting = 0
    if not store.of_table(header) and header["model"] == ONLINE and os.path.exists(filter_file + SUFFIX):
        from ..mail.filter import solve

        with lock(filter_file), Journal.open(filter_file, write=True) as journal:
            assert journal is not None
            waiting = journal.waiting()
            solve(filter_file, journal, force=force)
    if as_json:
        print_json({"filter": filter_file, "n": waiting})
    elif not quiet:
        click.echo(f"Solved with {format_count(waiting, 'item')} more." if waiting else "There was nothing to solve.")
