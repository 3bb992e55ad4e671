"""deciban learn: more examples, exactly as if they had been there from the beginning."""

from __future__ import annotations

from typing import Any

import click

from .. import store
from ..errors import UsageError, escape
from ..mail.autolearning import LEAST
from ..mail.outcomes import Outcome
from ..mail.teaching import Teaching
from . import options
from .updates import tell, update


@click.command("learn", short_help="Add messages or rows.")
@options.filter_file
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("--as", "label", metavar="LABEL", help="Label of the messages, or of all rows.")
@options.of_tables
@click.option("--auto", is_flag=True, help="Each message under its own verdict, where that is certain.")
@click.option(
    "--at-least",
    type=click.FloatRange(min=10.0),
    callback=options.finite,
    metavar="DECIBANS",
    help="Of --auto: verdicts with less evidence teach nothing. Default: 30.",
)
@options.force
@options.as_json
@options.quiet
def command(
    filter_file: str,
    files: tuple[str, ...],
    label: str | None,
    auto: bool,
    at_least: float | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Learn each message of FILE… under a label: a message, an mbox, a Maildir, a folder; standard input without FILE.

    A message that is known under this label changes nothing; one known under another label moves here. It tells on
    verdicts at once; of the default model, the file of the filter follows when a twentieth has come, while it knows at
    most 20,000 messages, or by refresh: learn says when that is due.

    With --auto the filter learns messages by itself, never from its doubt: those whose verdict claims 30 decibans or
    more, is not unsure, and is of a class that has at most twice the messages of the rarest, half of them labelled by
    you. What it learnt so is forgotten by `deciban reset --automatic`.

    Where a canary (`deciban canary`) would get another verdict, nothing is learnt.

    A model that was trained on a table learns the rows of others, whose labels stand in the column of that name, in
    --label COLUMN, or are all --as LABEL; `people.csv:17` is one row. One of typed columns (naive-bayes, discriminant,
    least-squares) keeps no list of rows: one that is learnt twice counts twice.
    """
    if auto and label is not None:
        raise UsageError("Expected --as LABEL or --auto; both came. Leave one out.")
    if at_least is not None and not auto:
        raise UsageError("Expected --at-least with --auto; it came without. Leave it out.")
    if store.of_table(store.read_header(filter_file)):
        if auto:
            raise UsageError("Expected a mail filter for --auto; this is a model of a table. Learn rows with labels.")
        from . import table_updates

        rows = table_updates.update(filter_file, files, "plus", label, given)
        under = "" if label is None else f" as {escape(label)}"
        tell(rows, {"learnt": f"Learnt {{n}}{under}."}, as_json, quiet, "row", filter=filter_file, label=label)
        return
    least = (LEAST if at_least is None else at_least) if auto else None
    result = update(filter_file, files, Teaching(label, least=least, force=force), given)
    under = "" if label is None else f" as {escape(label)}"
    sentences: dict[Outcome, str] = {
        "learnt": f"Learnt {{n}}{under}.",
        "relabelled": f"Relabelled {{n}}{under}.",
        "already known": f"Already known{under}: {{n}}; nothing changed there.",
        "unsure": "Not certain: {n}; nothing was learnt of that.",
        "held back": "Held back: {n}, to keep the balance of the classes and of labels that you gave.",
    }
    tell(result, sentences, as_json, quiet, filter=filter_file, label=label)
