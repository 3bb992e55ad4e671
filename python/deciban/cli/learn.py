"""deciban learn: more examples, exactly as if they had been there from the beginning."""

from __future__ import annotations

import click

from ..errors import shown
from ..mail.filter import Outcome
from . import options
from .updates import tell, update


@click.command("learn", short_help="Learn messages under a label.")
@options.filter_file
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("--as", "label", required=True, metavar="LABEL", help="What the messages are.")
@options.as_json
@options.quiet
def command(filter_file: str, files: tuple[str, ...], label: str, as_json: bool, quiet: bool) -> None:
    """Learn each message of FILE… under a label: a message, an mbox, a Maildir, a folder; standard input without FILE.

    A message that is known under this label changes nothing; one known under another label moves here.
    """
    result = update(filter_file, files, lambda known, items: known.learn(items, label))
    sentences: dict[Outcome, str] = {
        "learnt": f"Learnt {{n}} as {shown(label)}.",
        "relabelled": f"Relabelled {{n}} as {shown(label)}.",
        "already known": f"Already known as {shown(label)}: {{n}}; nothing changed there.",
    }
    tell(result, sentences, as_json, quiet, filter=filter_file, label=label)
