"""deciban snapshot: keep a filter as it is, under a name."""

from __future__ import annotations

from time import localtime, strftime

import click

from ..errors import UsageError
from ..mail.snapshots import Snapshot, remove_snapshot, snapshots, take_snapshot
from ..report.progress import format_size
from . import options
from .output import print_json


@click.command("snapshot", short_help="Keep a filter under a name.")
@options.filter_file
@click.argument("name", required=False)
@click.option("--list", "listing", is_flag=True, help="List the snapshots of the filter.")
@click.option("--remove", is_flag=True, help="Remove the snapshot of this name.")
@options.as_json
@options.quiet
def command(filter_file: str, name: str | None, listing: bool, remove: bool, as_json: bool, quiet: bool) -> None:
    """Keep a copy of the filter, with all that it has learnt, for `deciban rollback`.

    NAME is the date and time in UTC unless it is given. Snapshots are files in the folder FILTER.snapshots, each the
    filter as `deciban refresh` would have made it. They stay until you remove them.
    """
    if listing:
        if name is not None or remove:
            raise UsageError("--list takes neither NAME nor --remove.")
        found = snapshots(filter_file)
        if as_json:
            print_json({"filter": filter_file, "snapshots": [_to_json(each) for each in found]})
        elif not found:
            click.echo("There are no snapshots.")
        for each in () if as_json else found:
            click.echo(f"{_when(each)}  {format_size(each.size):>8}  {each.name}")
        return
    if remove and name is None:
        raise UsageError("--remove needs the NAME of a snapshot. deciban snapshot FILTER --list shows them.")
    done = remove_snapshot(filter_file, name) if remove and name is not None else take_snapshot(filter_file, name)
    if as_json:
        print_json({"filter": filter_file, ("removed" if remove else "snapshot"): _to_json(done)})
    elif not quiet:
        click.echo(f"{'Removed' if remove else 'Kept'} snapshot {done.name}, {format_size(done.size)}.")


def _when(snapshot: Snapshot) -> str:
    return strftime("%Y-%m-%d %H:%M", localtime(snapshot.made))


def _to_json(snapshot: Snapshot) -> dict[str, object]:
    return {"name": snapshot.name, "path": snapshot.path, "made": snapshot.made, "bytes": snapshot.size}
