"""A server from its options: sockets, the model, worker processes; who is let in where."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from socket import socket

from ..errors import UsageError, escape, unreadable
from ..judging import UNSURE_BELOW
from .endpoints import Endpoint, listen
from .keeping import Keeper, KeepingFilter, make_keeper
from .live import Filter, LiveFilter, LiveModel
from .milter_answers import Policy
from .milter_connection import MilterServer
from .shared import ServerLimits
from .spamd_connection import SpamdServer
from .worker import Service, StreamService, Worker
from .workers import Workers, inherited_sockets

log = logging.getLogger("deciban.serve")

DEFAULT = Endpoint("127.0.0.1", 8155)
"""Where HTTP is served if nothing else is asked for."""
PROTOCOLS = ("http", "spamd", "rspamd", "milter")
_OF_HTTP = ("http", "rspamd")
_OF_MAIL = ("spamd", "rspamd", "milter")
_SHORTEST = 16  # characters of a token


@dataclass(frozen=True)
class ServerOptions:
    """What is served where: `endpoints` by protocol; `token` is what HTTP clients show; `keep` is how many days
    messages are kept for review."""

    endpoints: Mapping[str, Sequence[Endpoint]]
    allow_tell: bool = False
    token: str | None = None
    workers: int | None = None
    threshold: float = UNSURE_BELOW
    positive: str | None = None
    policy: Policy = field(default_factory=Policy)
    limits: ServerLimits = field(default_factory=ServerLimits)
    keep: float | None = None


def run_server(path: str, options: ServerOptions) -> int:
    """Serve the model in a file until a signal ends it; returns the exit status."""
    given = inherited_sockets()
    endpoints = {name: [*options.endpoints.get(name, ())] for name in PROTOCOLS}
    if not given and not any(endpoints.values()):
        endpoints["http"] = [DEFAULT]
    if any(endpoints[name] or name in given for name in _OF_HTTP):
        _require_http()
    of_mail = any(endpoints[name] or name in given for name in _OF_MAIL)
    known = LiveFilter(path, options.positive, options.threshold) if of_mail else _load(path, options)
    keeper = make_keeper(known, options.keep)
    opened: list[Endpoint] = []
    try:
        sockets: dict[str, list[socket]] = {name: [*given.get(name, ())] for name in PROTOCOLS}
        for name, wanted in endpoints.items():
            for each in wanted:
                sockets[name].append(listen(each))
                opened.append(each)
        count = options.workers or _cores()
        _log_start(path, endpoints, count, options)
        asks_always = any(not each.is_loopback for each in endpoints["http"])
        return _run(known, keeper, sockets, options, asks_always, count)
    finally:
        for each in opened:
            if each.path and os.path.exists(each.path):
                os.unlink(each.path)


def _load(path: str, options: ServerOptions) -> LiveModel:
    """Return the model in a file; ratings where it is a filter of two classes."""
    known = LiveModel(path)
    if known.kind == "mail" and len(known.classes) == 2:
        return LiveFilter(path, options.positive, options.threshold)
    return known


def _run(
    known: LiveModel,
    keeper: Keeper | None,
    sockets: Mapping[str, list[socket]],
    options: ServerOptions,
    asks_always: bool,
    count: int,
) -> int:
    services: list[Service] = []
    around = (lambda serve: serve) if keeper is None else keeper.around
    if isinstance(known, LiveFilter):
        spamd, milter = (_keeping(known, keeper, name) for name in ("spamd", "milter"))
        services = [
            StreamService(sockets["spamd"], lambda shared: SpamdServer(spamd, shared, options.allow_tell).connect),
            StreamService(sockets["milter"], lambda shared: MilterServer(milter, shared, options.policy).connect),
        ]
    if not (sockets["http"] or sockets["rspamd"]):
        return Workers(around(Worker(known, services, options.limits).serve), count).run()
    from .http_apps import HttpApps  # here, because who speaks spamd alone needs no HTTP

    apps = HttpApps(known, options.token, asks_always, options.allow_tell, keeper)
    try:
        services += apps.services(sockets)
        return Workers(around(Worker(known, services, options.limits).serve), count).run()
    finally:
        apps.metrics.remove()


def _keeping(known: LiveFilter, keeper: Keeper | None, protocol: str) -> Filter:
    return known if keeper is None else KeepingFilter(known, keeper, protocol)


def _require_http() -> None:
    """Raise UsageError where the packages of HTTP are not installed."""
    try:
        from . import http_apps  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"Expected the packages of HTTP; {error.name} is not installed. Install them: pip install 'deciban[serve]'."
        ) from error


def _log_start(path: str, endpoints: Mapping[str, Sequence[Endpoint]], count: int, options: ServerOptions) -> None:
    where = [f"{name} at {each}" for name, wanted in endpoints.items() for each in wanted]
    log.info("Serving %s: %s; %d processes.", escape(path), ", ".join(where) or "sockets of systemd", count)
    for name in _OF_MAIL:
        for each in endpoints[name]:
            if not each.is_loopback:
                log.warning("%s at %s can be reached from other machines, and asks nobody for a password.", name, each)
    if options.token is None and any(not each.is_loopback for each in endpoints["http"]):
        log.warning("HTTP can be reached from other machines: without --token-file it answers none of them.")


def read_token(path: str) -> str:
    """Return the token in a file; UsageError for one that is easily guessed."""
    try:
        with open(path, encoding="utf-8") as file:
            token = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error if isinstance(error, OSError) else OSError(str(error))) from error
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"{escape(path)}: expected a token of {_SHORTEST} or more letters, digits and signs. "
            "Make one: openssl rand -hex 16."
        )
    return token


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
