"""deciban forget: take back what was learnt, exactly as if it had never been there."""

from __future__ import annotations

import click

from ..mail.filter import Outcome
from . import options
from .updates import tell, update


@click.command("forget", short_help="Take back what was learnt.")
@options.filter_file
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("--as", "label", metavar="LABEL", help="Only if they were learnt under this label.")
@options.as_json
@options.quiet
def command(filter_file: str, files: tuple[str, ...], label: str | None, as_json: bool, quiet: bool) -> None:
    """Take back the last label of each message of FILE…; the label it had before, if any, holds again.

    Forgetting what was just learnt gives back the same file, byte for byte.
    """
    result = update(filter_file, files, lambda known, items: known.forget(items, label))
    sentences: dict[Outcome, str] = {
        "forgotten": "Forgot {n}.",
        "not known": "Not known: {n}; nothing changed there.",
    }
    tell(result, sentences, as_json, quiet, filter=filter_file, label=label)
