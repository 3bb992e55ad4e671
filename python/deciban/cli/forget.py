"""deciban forget: take back what was learnt, exactly as if it had never been there."""

from __future__ import annotations

from typing import Any

import click

from .. import store
from ..mail.outcomes import Outcome
from ..mail.teaching import Teaching
from . import options
from .updates import tell, update


@click.command("forget", short_help="Remove messages.")
@options.filter_file
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("--as", "label", metavar="LABEL", help="Only if they were learnt under this label; of rows, their label.")
@options.of_tables
@options.force
@options.as_json
@options.quiet
def command(
    filter_file: str, files: tuple[str, ...], label: str | None, force: bool, as_json: bool, quiet: bool, **given: Any
) -> None:
    """Take back the last label of each message of FILE…; the label it had before, if any, holds again.

    Forgetting what was just learnt gives back the same file, byte for byte.

    A model that was trained on a table takes back the rows of others. One of typed columns (naive-bayes, discriminant,
    least-squares) keeps no list of rows: their labels stand in the column that it was trained with, in --label COLUMN,
    or are all --as LABEL, and one that was never learnt is refused where its sums show that it cannot have been.
    """
    if store.of_table(store.read_header(filter_file)):
        from . import table_updates

        rows = table_updates.update(filter_file, files, "minus", label, given)
        tell(rows, {"forgotten": "Forgot {n}."}, as_json, quiet, "row", filter=filter_file, label=label)
        return
    result = update(filter_file, files, Teaching(label, forget=True, force=force), given)
    sentences: dict[Outcome, str] = {
        "forgotten": "Forgot {n}.",
        "not known": "Not known: {n}; nothing changed there.",
    }
    tell(result, sentences, as_json, quiet, filter=filter_file, label=label)
