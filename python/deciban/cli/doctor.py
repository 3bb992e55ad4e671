"""deciban doctor: the state of a filter and of its files, and what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import localtime, strftime

import click

from ..conventions import percent
from ..errors import escape
from ..mail.health import FileState, Health, examine
from ..report.progress import format_count, format_size
from . import options
from .output import print_json


@click.command("doctor", short_help="Check a filter and its files.")
@click.argument("filter_files", metavar="FILTER...", nargs=-1, required=True)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if a model file is damaged.")
@options.as_json
@click.pass_context
def command(ctx: click.Context, filter_files: tuple[str, ...], exit_code: bool, as_json: bool) -> None:
    """Check filters: their files and their rights, counts of the classes, age, messages that wait to be solved, and how
    good its verdicts were on messages that were labelled since, with what to do about each problem.

    Nothing is changed. `deciban evaluate` measures the error on messages of your choice. With --json the result of
    several filters is a list.
    """
    found = [examine(path) for path in filter_files]
    if as_json:
        told = [each.to_json() for each in found]
        print_json(told if len(told) > 1 else told[0])
    else:
        click.echo("\n\n".join("\n".join(_lines(each)) for each in found))
    if exit_code and any(each.damaged for each in found):
        ctx.exit(1)


def _lines(found: Health) -> Iterator[str]:
    for each in found.files:
        yield _of_file(each)
    if found.model:
        counts = ", ".join(f"{escape(label)} {count:,.0f}" for label, count in found.classes.items())
        known = f"{format_count(found.items, 'item')} ({counts}), {format_count(found.words, 'word')}"
        yield f"model      {found.model}, {known}"
    if found.taught is not None:
        first, last = (_when(each) for each in found.taught)
        yield f"journal    taught from {first} to {last}, {format_count(found.waiting, 'item')} not in the file yet"
    yield f"snapshots  {found.snapshots:,}"
    if found.canaries:
        yield f"canaries   {found.canaries:,}"
    if found.since is not None:
        yield f"since      {_of_verdicts(found)}"
    yield ""
    if not found.findings:
        yield "No problem was found."
    for finding in found.findings:
        yield f"! {finding.problem}"
        yield f"  → {finding.action}"


def _of_file(each: FileState) -> str:
    told = (escape(each.path), format_size(each.size), f"{each.mode:o}", _owner(each.owner), _when(each.changed))
    return f"file       {'  '.join(told)}"


def _of_verdicts(found: Health) -> str:
    since = found.since
    assert since is not None
    told = f"{format_count(since.n, 'message')} labelled, {since.errors:,} of them misclassified before"
    if found.error_interval is None:
        return f"{told}: too few for an error rate"
    low, high = found.error_interval
    promised = "" if found.promised is None else f" (calibration {found.promised:.4f})"
    return (
        f"{told} ({percent(low)} to {percent(high)}), log loss {since.log_loss:.4f} nats{promised}; "
        f"{since.certain_errors:,} of {since.certain:,} verdicts of 30 dB or more wrong"
    )


def _owner(number: int) -> str:
    if sys.platform == "win32":
        return str(number)
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _when(seconds: float) -> str:
    return strftime("%Y-%m-%d %H:%M", localtime(seconds))
