"""deciban serve: a model behind mail servers and programs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from . import options
from .configuration import from_file

if TYPE_CHECKING:
    from ..serve.server_options import ServerOptions

_WORDS = "deciban.serve.words"


def _at(name: str, words: str) -> Callable[[Any], Any]:
    return click.option(f"--{name}", metavar="HOST:PORT|SOCKET", multiple=True, help=words)


def _from_score(what: str, words: str) -> Callable[[Any], Any]:
    return click.option(
        f"--milter-{what}-from", type=float, callback=options.finite, metavar="SCORE", help=f"{words} Default: none."
    )


def _limit(name: str, default: float, unit: str, words: str) -> Callable[[Any], Any]:
    kind = click.FloatRange(0.0, min_open=True) if unit == "SECONDS" else click.IntRange(1)
    return click.option(f"--{name}", type=kind, default=default, show_default=True, metavar=unit, help=words)


class _Verb(click.Command):
    """A command that notes its words, as its options are read again while it runs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_WORDS] = [*args]
        return super().parse_args(ctx, args)


@click.command(
    "serve",
    cls=_Verb,
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
@_limit("message-mb", 64, "MB", "Largest message.")
@_limit("held-mb", 512, "MB", "Most that all messages of one process hold together.")
@_limit("request-seconds", 300.0, "SECONDS", "Longest that a request may take.")
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", help="Form of what is logged.")
@click.option("--log-requests", is_flag=True, help="Log a line for each request, without its text.")
@click.option("--users", is_flag=True, help="Let each user and each domain teach a filter of its own.")
@options.user_store
@options.at_threshold
@options.quiet
@click.pass_context
def command(ctx: click.Context, /, filter_file: str, **values: Any) -> None:
    """Classify what clients send, until SIGTERM or Ctrl-C ends it; SIGHUP reads the model and --config again.

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

    With --users whoever is named by spamd's User, rspamd's Deliver-To or User, the only recipient by milter, or
    X-Deciban-User over HTTP has a filter of its own: the shared one at first, and what this user teaches beside it.
    """
    from ..serve.logs import set_up_logs
    from ..serve.server import run_server

    chosen = _options_of(**values)
    set_up_logs(chosen.level, chosen.log_format, chosen.log_requests)
    ctx.exit(run_server(filter_file, chosen, lambda: _read_again(ctx)))


def _read_again(ctx: click.Context) -> ServerOptions:
    """Return the options as they are by now, where the file of --config is another."""
    try:
        with command.make_context(ctx.info_name, [*ctx.meta[_WORDS]], parent=ctx.parent) as again:
            return _options_of(**{name: value for name, value in again.params.items() if name != "filter_file"})
    except click.ClickException as error:
        raise UsageError(error.format_message()) from error


def _options_of(
    milter_reject_from: float | None,
    milter_quarantine_from: float | None,
    allow_tell: bool,
    token_file: str | None,
    keep: float | None,
    workers: int | None,
    message_mb: int,
    held_mb: int,
    request_seconds: float,
    log_format: str,
    log_requests: bool,
    users: bool,
    store: str | None,
    threshold: options.At | None,
    positive: str | None,
    quiet: bool,
    **at: tuple[str, ...],
) -> ServerOptions:
    """Return what the options of the command ask for."""
    from ..serve.endpoints import parse_endpoint
    from ..serve.milter_answers import Policy
    from ..serve.server_options import ServerOptions, read_token
    from ..serve.shared import ServerLimits

    return ServerOptions(
        {name: [parse_endpoint(each) for each in named] for name, named in at.items()},
        allow_tell=allow_tell,
        token=None if token_file is None else read_token(token_file),
        keep=keep,
        users=users,
        store=store,
        workers=workers,
        threshold=options.decibans_at(threshold),
        positive=positive,
        policy=Policy(milter_reject_from, milter_quarantine_from),
        limits=ServerLimits(request_seconds=request_seconds, message_bytes=message_mb << 20, held_bytes=held_mb << 20),
        level=logging.WARNING if quiet else logging.INFO,
        log_format=log_format,
        log_requests=log_requests,
    )
