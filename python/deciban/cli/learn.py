"""deciban learn: more examples, exactly as if they had been there from the beginning."""

from __future__ import annotations

from typing import Any

import click

from .. import store
from ..errors import escape
from ..mail.outcomes import Outcome
from . import options
from .updates import tell, update


@click.command("learn", short_help="Add messages or rows.")
@options.filter_file
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("--as", "label", metavar="LABEL", help="Label of the messages, or of all rows.")
@options.of_tables
@options.as_json
@options.quiet
def command(
    filter_file: str, files: tuple[str, ...], label: str | None, as_json: bool, quiet: bool, **given: Any
) -> None:
    """Learn each message of FILE… under a label: a message, an mbox, a Maildir, a folder; standard input without FILE.

    A message that is known under this label changes nothing; one known under another label moves here. It tells on
    verdicts at once; of the default model, the file of the filter follows when a twentieth has come, while it knows at
    most 20,000 messages, or by refresh: learn says when that is due.

    A model that was trained on a table learns the rows of others, whose labels stand in the column of that name, in
    --label COLUMN, or are all --as LABEL; `people.csv:17` is one row. One of typed columns (naive-bayes, discriminant,
    least-squares) keeps no list of rows: one that is learnt twice counts twice.
    """
    if store.of_table(store.read_header(filter_file)):
        from . import table_updates

        rows = table_updates.update(filter_file, files, "plus", label, given)
        under = "" if label is None else f" as {escape(label)}"
        tell(rows, {"learnt": f"Learnt {{n}}{under}."}, as_json, quiet, "row", filter=filter_file, label=label)
        return
    result = update(filter_file, files, label, given)
    under = "" if label is None else f" as {escape(label)}"
    sentences: dict[Outcome, str] = {
        "learnt": f"Learnt {{n}}{under}.",
        "relabelled": f"Relabelled {{n}}{under}.",
        "already known": f"Already known{under}: {{n}}; nothing changed there.",
    }
    tell(result, sentences, as_json, quiet, filter=filter_file, label=label)
