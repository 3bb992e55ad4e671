"""deciban serve: a filter behind mail servers."""

from __future__ import annotations

import logging
import os
import sys

import click

from ..errors import UsageError
from . import options
from .output import Remarks


@click.command("serve", short_help="Serve a filter to mail servers.")
@options.filter_file
@click.option("--spamd", metavar="HOST:PORT|SOCKET", multiple=True, help="Speak the spamd protocol there.")
@click.option("--allow-tell", is_flag=True, help="Learn and forget messages by TELL (spamc -L).")
@click.option("--workers", type=click.IntRange(1, 256), metavar="N", help="Number of processes. Default: all cores.")
@options.at_threshold
@options.quiet
def command(
    filter_file: str,
    spamd: tuple[str, ...],
    allow_tell: bool,
    workers: int | None,
    threshold: options.At | None,
    positive: str | None,
    quiet: bool,
) -> None:
    """Classify messages that mail servers send, until SIGTERM or Ctrl-C ends it; SIGHUP reads the filter again.

    \b
      deciban serve filter.deciban --spamd 127.0.0.1:783
      spamc -c < mail.eml                                  score and threshold: 15.0/5.0
      spamc -L spam < mail.eml                             learn it, with --allow-tell

    A message is spam from 5.0 points on, which is --threshold: 10 dB, odds of 10 to 1, unless you say otherwise; each
    point more is a factor e of the odds. What others teach the filter, by `deciban learn` or by TELL, is heeded within
    a second. Whoever reaches the socket may ask, and with --allow-tell teach: nobody is asked for a password.
    """
    from ..serve.endpoints import listen, parse_endpoint
    from ..serve.live import LiveFilter
    from ..serve.spamd_connection import SpamdServer
    from ..serve.worker import StreamService, Worker
    from ..serve.workers import Workers, inherited_sockets

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING if quiet else logging.INFO, format="%(message)s")
    given = inherited_sockets()
    endpoints = [parse_endpoint(each) for each in spamd]
    if not endpoints and not given:
        raise UsageError("Expected where to listen; nothing came. Add --spamd 127.0.0.1:783.")
    known = LiveFilter(filter_file, positive, options.decibans_at(threshold))
    sockets = [listen(each) for each in endpoints] + given.get("spamd", [])
    remarks = Remarks()
    try:
        for each in endpoints:
            if not each.is_loopback:
                remarks(f"{each} can be reached from other machines: whoever reaches it may ask the filter.")
        count = workers or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if not quiet:
            where = ", ".join(map(str, endpoints)) or "sockets of systemd"
            click.echo(f"Serving {filter_file} to spamd clients at {where} with {count} processes.", err=True)
        spamd_service = StreamService(sockets, lambda shared: SpamdServer(shared, allow_tell).connect)
        status = Workers(Worker(known, [spamd_service]).serve, count).run()
    finally:
        for each in endpoints:
            if each.path and os.path.exists(each.path):
                os.unlink(each.path)
    click.get_current_context().exit(status)
