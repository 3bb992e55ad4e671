"""deciban serve: a model behind mail servers and programs."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

import click

from . import options
from .configuration import from_file


def _at(name: str, words: str) -> Callable[[Any], Any]:
    return click.option(f"--{name}", metavar="HOST:PORT|SOCKET", multiple=True, help=words)


def _from_score(what: str, words: str) -> Callable[[Any], Any]:
    return click.option(
        f"--milter-{what}-from", type=float, callback=options.finite, metavar="SCORE", help=f"{words} Default: none."
    )


@click.command(
    "serve",
    short_help="Serve a model to mail servers and programs.",
    context_settings={"auto_envvar_prefix": "DECIBAN"},
)
@options.filter_file
@from_file
@_at("http", "Serve the HTTP API there. Default: 127.0.0.1:8155, if nothing else is served.")
@_at("spamd", "Speak the spamd protocol there, for spamc and Exim.")
@_at("rspamd", "Speak rspamd's HTTP protocol there, for rspamc and plugins.")
@_at("milter", "Speak the milter protocol there, for Postfix and Sendmail.")
@_from_score("reject", "Reject messages of so many points or more.")
@_from_score("quarantine", "Put messages of so many points or more into quarantine.")
@click.option("--allow-tell", is_flag=True, help="Let spamd and rspamd clients teach, and forget.")
@click.option("--token-file", metavar="FILE", help="File with the token of HTTP clients that teach.")
@click.option(
    "--keep",
    type=click.FloatRange(0.0, 3650.0, min_open=True),
    metavar="DAYS",
    help="Keep messages for review, so many days. Default: none.",
)
@click.option("--workers", type=click.IntRange(1, 256), metavar="N", help="Number of processes. Default: all cores.")
@options.at_threshold
@options.quiet
def command(
    filter_file: str,
    milter_reject_from: float | None,
    milter_quarantine_from: float | None,
    allow_tell: bool,
    token_file: str | None,
    keep: float | None,
    workers: int | None,
    threshold: options.At | None,
    positive: str | None,
    quiet: bool,
    **at: tuple[str, ...],
) -> None:
    """Classify what clients send, until SIGTERM or Ctrl-C ends it; SIGHUP reads the model again.

    \b
      deciban serve filter.deciban --spamd 127.0.0.1:783
      spamc -c < mail.eml                                       score and threshold: 15.0/5.0
      spamc -L spam < mail.eml                                  learn it, with --allow-tell
      deciban serve people.deciban
      curl 127.0.0.1:8155/v1/classify -H content-type:application/json -d '{"item": {"age": 52}}'

    Mail is spam from 5.0 points on, which is --threshold: 10 dB, odds of 10 to 1, unless you say otherwise; each point
    more is a factor e of the odds. By milter a message gets fields that say so, and is rejected or held only from the
    score on that you say. What others teach the model, by `deciban learn` or over a socket, is heeded within a
    second. By spamd and rspamd whoever reaches the socket may ask, and with --allow-tell teach. To teach over HTTP
    takes the token, and to ask as well, unless only this machine can reach the port.
    """
    from ..serve.endpoints import parse_endpoint
    from ..serve.milter_answers import Policy
    from ..serve.server import ServerOptions, read_token, run_server

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING if quiet else logging.INFO, format="%(message)s")
    chosen = ServerOptions(
        {name: [parse_endpoint(each) for each in named] for name, named in at.items()},
        allow_tell,
        None if token_file is None else read_token(token_file),
        workers,
        options.decibans_at(threshold),
        positive,
        Policy(milter_reject_from, milter_quarantine_from),
        keep=keep,
    )
    click.get_current_context().exit(run_server(filter_file, chosen))
