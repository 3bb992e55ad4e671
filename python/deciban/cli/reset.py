"""deciban reset: forget what was learnt since a time, from a source, or of a class."""

from __future__ import annotations

import re
from datetime import datetime
from time import time
from typing import Any

import click

from ..errors import UsageError
from ..report.progress import format_count
from . import options
from .output import print_json

_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}


class _When(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A moment as an ISO date or time, or an age."""

    name = "when"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, float):
            return value
        age = re.fullmatch(r"([0-9]{1,6})([mhdw])", value.strip())
        try:
            return time() - int(age[1]) * _SECONDS[age[2]] if age else datetime.fromisoformat(value.strip()).timestamp()
        except (ValueError, OverflowError, OSError):
            what = "an ISO date or time, as 2026-03-01 or 2026-03-01T09:30, or an age, as 7d (m, h, d, w)"
            return self.fail(f"expected {what}; came {value!r}.", param, ctx)


@click.command("reset", short_help="Forget by time, source or class.")
@options.filter_file
@click.option("--since", type=_When(), metavar="WHEN", help="Learnt since an ISO date or time, or an age, as 7d.")
@click.option("--source", metavar="GLOB", help="Learnt from files of these names, as 'Junk/*'.")
@click.option("--class", "label", metavar="LABEL", help="Labelled so, trained messages included.")
@click.option("--automatic", is_flag=True, help="Labelled by learn --auto.")
@options.force
@click.option("--dry-run", is_flag=True, help="Only print how many match.")
@options.as_json
@options.quiet
def command(
    filter_file: str,
    since: float | None,
    source: str | None,
    label: str | None,
    automatic: bool,
    force: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Forget every label that was given since WHEN, from a source, of a class, or by the filter itself; of several
    options all must hold.

    The filter is then the same, byte for byte, as if they had never been given: a message that had another label before
    or after keeps that. Times and sources are in the journal of the filter. Of messages that were trained neither is
    known: only --class alone matches them. A reset of all messages, or of the last of a class, is refused.

    Snapshot the filter first to return to it: deciban snapshot.
    """
    if since is None and source is None and label is None and not automatic:
        raise UsageError(
            "Expected --since, --source, --class or --automatic, which say what is to be forgotten; there is none."
        )
    from ..mail.reset import Wanted, reset

    found = reset(filter_file, Wanted(since, source, label, automatic), dry_run=dry_run, force=force)
    unknown = 0 if (since is None and source is None) or automatic else found.trained
    if as_json:
        print_json({"filter": filter_file, "n": found.n, "of": found.known, "unknown": unknown, "dry_run": dry_run})
        return
    if quiet and not dry_run:
        return
    verb = "Would forget" if dry_run else "Forgot"
    click.echo(f"{verb} labels of {found.n:,} of {format_count(found.known, 'message')}.")
    if unknown and not quiet:
        click.echo(f"Trained, so with no time and no source: {format_count(unknown, 'message')}; they do not match.")
