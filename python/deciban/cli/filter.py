"""deciban filter: a message comes in, and goes out with what the filter says of it in its header."""

from __future__ import annotations

import sys

import click

from ..errors import DecibanError, escape
from . import options
from .output import Remarks


@click.command("filter", short_help="Mark a message, for procmail and maildrop.")
@options.filter_file
@options.at_threshold
@options.quiet
def command(filter_file: str, threshold: options.At | None, positive: str | None, quiet: bool) -> None:
    """Read a message from standard input and write it to standard output with the fields X-Spam-Flag, X-Spam-Status,
    X-Spam-Score, X-Spam-Level and X-Deciban-Reason.

    \b
      :0fw                                            in ~/.procmailrc
      | deciban filter filter.deciban
      xfilter "deciban filter filter.deciban"         in ~/.mailfilter

    Such fields that came with it are removed. Where the filter cannot be read, or anything else is wrong, the message
    comes out as it came, and standard error says why: no mail is lost. `deciban serve` and spamc do the same without
    starting Python for each message.
    """
    message = sys.stdin.buffer.read()
    marked = message
    try:
        from ..serve.live import LiveFilter
        from ..serve.markup import mark_message
        from ..serve.reasons import summarise

        known = LiveFilter(filter_file, positive, options.decibans_at(threshold))
        rating, why = known.explain(message)
        marked = mark_message(message, rating, summarise(why, known.spam))
    except Exception as error:
        if not quiet:
            own = "" if isinstance(error, DecibanError) else f"an error of the program, {type(error).__name__}: "
            Remarks()(f"The message was left as it came: {own}{escape(str(error))}")
    sys.stdout.buffer.write(marked)
    sys.stdout.buffer.flush()
