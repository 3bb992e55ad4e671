"""deciban reset: take back what a filter was taught, by time, source or class."""

from __future__ import annotations

from datetime import datetime

import click

from .. import store
from ..data.text_layout import ONLINE
from ..errors import UsageError
from ..mail.reset import Selection, parse_moment
from ..report.progress import format_count
from . import options
from .output import print_json


@click.command("reset", short_help="Remove what was taught.")
@options.filter_file
@click.option(
    "--since", metavar="WHEN", help="Labels given since a date (2026-01-31T12:00) or an age (30m, 12h, 7d, 2w)."
)
@click.option("--source", metavar="GLOB", help="Labels of messages whose path matches this pattern.")
@click.option("--class", "label", metavar="LABEL", help="Only messages that are of this class now.")
@click.option("--dry-run", is_flag=True, help="Report what would be removed, and change nothing.")
@options.as_json
@options.quiet
def command(
    filter_file: str,
    since: str | None,
    source: str | None,
    label: str | None,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Take back labels that the filter was taught with `deciban learn`, as if they had never been given.

    Of several conditions all must hold. What the filter was trained with stays: the journal has no time or source of
    it, and `deciban forget` removes it. A message whose label is taken back has the one that it had before, if any.
    """
    if since is None and source is None and label is None:
        raise UsageError("Nothing is selected. Expected --since WHEN, --source GLOB or --class LABEL.")
    moment = None if since is None else parse_moment(since, datetime.now())
    header = store.read_header(filter_file)
    if store.of_table(header) or header["model"] != ONLINE:
        raise UsageError(
            f"{filter_file} keeps no journal of what it was taught. Expected a filter of --model online; "
            "deciban forget removes messages from others."
        )
    from .teaching import reset_filter

    found = reset_filter(filter_file, Selection(moment, source), label, dry_run)
    n = len(found.labels)
    if as_json:
        print_json({"filter": filter_file, "n": n, "taught": found.taught, "dry_run": dry_run})
    elif not quiet:
        verb = "Would take" if dry_run else "Took"
        click.echo(f"{verb} back the labels of {n:,} of {format_count(found.taught, 'message')} taught since training.")
