"""A server from its options: sockets, the model, worker processes; who is let in where."""

from __future__ import annotations

import itertools
import logging
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from socket import socket

from ..errors import DecibanError, UsageError, escape
from ..mail.sql_stores import store_at
from ..mail.users import users_beside
from .endpoints import Endpoint, leave, listen
from .keeping import Keeper, make_keeper
from .keeping_users import keep_of_all
from .live import LiveFilter, LiveModel
from .milter_connection import MilterServer
from .server_options import ServerOptions
from .spamd_connection import SpamdServer
from .user_filters import UserFilters
from .worker import Service, StreamService, Worker
from .workers import Workers, inherited_sockets

log = logging.getLogger("deciban.serve")

DEFAULT = Endpoint("127.0.0.1", 8155)
"""Where HTTP is served if nothing else is asked for."""
PROTOCOLS = ("http", "spamd", "rspamd", "milter")
_OF_HTTP = ("http", "rspamd")
_OF_MAIL = ("spamd", "rspamd", "milter")

Read = Callable[[], ServerOptions]


def run_server(path: str, options: ServerOptions, read: Read) -> int:
    """Serve the model in a file until a signal ends it; returns the exit status.

    Parameters
    ----------
    path : str
        Name of the file.
    options : ServerOptions
        What is asked for.
    read : callable
        Returns the options as they are by now, at SIGHUP.
    """
    given = inherited_sockets()
    endpoints = {name: [*options.endpoints.get(name, ())] for name in PROTOCOLS}
    if not given and not any(endpoints.values()):
        endpoints["http"] = [DEFAULT]
    served = [name for name in PROTOCOLS if endpoints[name] or name in given]
    options.require_protocols(served)
    if {*served} & {*_OF_HTTP}:
        _require_http()
    of_mail = bool({*served} & {*_OF_MAIL})
    known = LiveFilter(path, options.positive, options.threshold) if of_mail else _load(path, options)
    keeper = make_keeper(known, options.keep)
    users = _user_filters(known, options)
    sockets: dict[str, list[socket]] = {name: [*given.get(name, ())] for name in PROTOCOLS}
    try:
        for name, wanted in endpoints.items():
            for each in wanted:
                sockets[name].append(listen(each))
        count = options.workers or _cores()
        _log_start(path, endpoints, count, options)
        asks_always = any(not each.is_loopback for each in endpoints["http"])
        return _run(known, keeper, users, sockets, options, asks_always, count, read)
    finally:
        for opened in itertools.chain(*sockets.values()):
            opened.close()
        for each in itertools.chain(*endpoints.values()):
            leave(each)  # each, as a signal may have come between the bind and the note of it


def _load(path: str, options: ServerOptions) -> LiveModel:
    """Return the model in a file; ratings where it is a filter of two classes."""
    known = LiveModel(path)
    if known.kind == "mail" and len(known.classes) == 2:
        return LiveFilter(path, options.positive, options.threshold)
    return known


def _run(
    known: LiveModel,
    keeper: Keeper | None,
    users: UserFilters | None,
    sockets: Mapping[str, list[socket]],
    options: ServerOptions,
    asks_always: bool,
    count: int,
    read: Read,
) -> int:
    services: list[Service] = []
    if isinstance(known, LiveFilter):
        spamd, of_spamd = keep_of_all(known, users, keeper, "spamd")
        milter, of_milter = keep_of_all(known, users, keeper, "milter")
        services = [
            StreamService(
                sockets["spamd"], lambda shared, by: SpamdServer(spamd, shared, by.allow_tell, of_spamd).connect
            ),
            StreamService(
                sockets["milter"], lambda shared, by: MilterServer(milter, shared, by.policy, of_milter).connect
            ),
        ]
    served = [name for name in sockets if sockets[name]]
    worker = Worker(known, services, options)
    serve = worker.serve if keeper is None else keeper.around(worker.serve)
    workers = Workers(serve, count, lambda: _read_again(worker, read, served))
    if not (sockets["http"] or sockets["rspamd"]):
        return workers.run()
    from .http_apps import HttpApps  # here, because who speaks spamd alone needs no HTTP

    apps = HttpApps(known, asks_always, keeper, users)
    try:
        services += apps.services(sockets)
        return workers.run()
    finally:
        apps.metrics.remove()


def _user_filters(known: LiveModel, options: ServerOptions) -> UserFilters | None:
    """Return the filters of users, where they are asked for and the store can be reached."""
    if not options.users:
        if options.store is not None:
            raise UsageError("Expected --users with --store, which is where users are kept. Add it, or leave both out.")
        return None
    if not isinstance(known, LiveFilter):
        raise UsageError(f"{escape(known.path)}: expected a mail filter of two classes for --users.")
    found = UserFilters(known, store_at(options.store, users_beside(known.path), known.path))
    found.check()
    return found


def _read_again(worker: Worker, read: Read, served: Sequence[str]) -> bytes | None:
    """Change the options of workers that start from now on, and return those that others are told; None where what was
    read is wrong, and stays out."""
    try:
        asked = read()
        asked.require_protocols(served)
    except DecibanError as error:
        log.error("The options were not read again, and those that were read stay: %s", error)
        return None
    options, fixed = worker.options.change_to(asked)
    if fixed:
        log.warning("A change of these options takes a restart: %s.", ", ".join(fixed))
    worker.change(options)
    log.info("The options were read again.")
    return pickle.dumps(options)


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


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
