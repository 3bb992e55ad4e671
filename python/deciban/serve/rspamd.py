"""The part of rspamd's HTTP protocol that clients of a classifier use: /checkv2, /learnspam, /learnham, /ping, /stat.

What rspamc and the plugins of mail servers read of an answer is there: the action, the score, symbols with the
strongest words in their options, and the headers that a milter adds.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ..errors import DecibanError
from ..json_text import json_line
from ..verdict import Explanation, print_name
from .api import ProblemError
from .http_app import read_body
from .keeping import KeepingFilter
from .live import Filter, LiveFilter
from .logs import RequestLog
from .markup import MARKS, format_fields
from .noted_filter import NotedFilter
from .rating import REQUIRED, Rating
from .reasons import is_sum, summarise
from .shared import Shared
from .user_filters import NamedFilters

log = logging.getLogger("deciban.serve")

_NAMED = 10  # words in the options of a symbol
_DESCRIPTIONS = {"DECIBAN_SPAM": "classified as spam", "DECIBAN_HAM": "classified as ham", "DECIBAN_UNSURE": "unsure"}


@dataclass(frozen=True)
class RspamdApp:
    """The routes of one worker; who teaches needs the `password`, where there is one, and none else may."""

    known: LiveFilter | KeepingFilter
    shared: Shared
    password: str | None = None
    allows_learning: bool = False
    users: NamedFilters | None = None

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/checkv2", self._check, methods=["POST"]),
            Route("/learnspam", partial(self._learn, True), methods=["POST"]),
            Route("/learnham", partial(self._learn, False), methods=["POST"]),
            Route("/ping", self._ping, methods=["GET"]),
            Route("/healthy", self._healthy, methods=["GET"]),
            Route("/stat", self._stat, methods=["GET"]),
        ]

    async def _check(self, request: Request) -> Response:
        began, entry = perf_counter(), RequestLog("rspamd", request.url.path)
        try:
            message = await self._read(request)
            explain = partial(NotedFilter(self._filter_for(request), entry).explain, message)
            rating, why = await asyncio.get_running_loop().run_in_executor(self.shared.slow, explain)
        except ProblemError as error:
            entry.finish(status=error.status)
            return _error(error.status, error.detail)
        except DecibanError as error:
            log.error("a message could not be classified: %s", error)
            entry.finish(status=503)
            return _error(503, str(error))
        entry.finish(status=200)
        return Response(json_line(self._result(rating, why, perf_counter() - began)), media_type="application/json")

    def _result(self, rating: Rating, why: Explanation, seconds: float) -> dict[str, Any]:
        words = [
            f"{print_name(term.feature)} {term.decibans:+.1f} dB" for term in why.terms[:_NAMED] if not is_sum(term)
        ]
        own = rating.tests[-1]
        symbols = {
            name: {
                "name": name,
                "score": rating.score if name == own else 0.0,
                "metric_score": rating.score if name == own else 0.0,
                "description": _DESCRIPTIONS.get(name, "the probability of spam"),
                **({"options": words} if name == own else {}),
            }
            for name in rating.tests
        }
        headers = _headers(format_fields(rating, summarise(why, self.known.spam)))
        return {
            "is_skipped": False,
            "score": rating.score,
            "required_score": REQUIRED,
            "action": "add header" if rating.is_spam else "no action",
            "thresholds": {"add header": REQUIRED},
            "symbols": symbols,
            "messages": {},
            "urls": [],
            "emails": [],
            "time_real": round(seconds, 6),
            "milter": {
                "remove_headers": dict.fromkeys(MARKS, 0),
                "add_headers": {name: {"value": value, "order": 0} for name, value in headers.items()},
            },
        }

    async def _learn(self, spam: bool, request: Request) -> Response:
        entry = RequestLog("rspamd", request.url.path)
        response = await self._teach(spam, request, entry)
        entry.finish(status=response.status_code)
        return response

    async def _teach(self, spam: bool, request: Request, entry: RequestLog) -> Response:
        given = request.headers.get("password", "")
        if not self.allows_learning:
            return _error(403, "learning is not enabled, start the server with --allow-tell or --token-file")
        if self.password is not None and not hmac.compare_digest(given.encode(), self.password.encode()):
            return _error(401, "expected the token of the server as the password")
        label = self.known.spam if spam else self.known.ham
        source = f"rspamd learn of {request.headers.get('user', 'nobody')[:200]}"
        try:
            known = NotedFilter(self._filter_for(request, teaches=True), entry)
            act = partial(known.learn, await self._read(request), label, source)
            outcome = await asyncio.get_running_loop().run_in_executor(self.shared.learner, act)
        except ProblemError as error:
            return _error(error.status, error.detail)
        except (DecibanError, OSError) as error:
            return _error(503, str(error))
        if outcome == "already known":
            return _error(208, f"the message was learnt as {label} already")
        return Response(b'{"success":true}', media_type="application/json")

    def _filter_for(self, request: Request, *, teaches: bool = False) -> Filter:
        """Return the filter of the recipient or the user that a request names."""
        if self.users is None:
            return self.known
        given = request.headers
        return self.users.of(given.get("deliver-to") or given.get("user"), teaches=teaches)

    async def _read(self, request: Request) -> bytes:
        message = await read_body(request, self.shared.limits.message_bytes, self.shared.limits.request_seconds)
        if not message:
            raise ProblemError(400, "Bad request", "expected a message; the body is empty")
        return message

    async def _ping(self, request: Request) -> Response:
        return PlainTextResponse("pong\r\n")

    async def _healthy(self, request: Request) -> Response:
        return Response(b'{"success":true}', media_type="application/json")

    async def _stat(self, request: Request) -> Response:
        about = {"read_only": not self.allows_learning, "version": self.known.snapshot.digest}
        return Response(json_line(about), media_type="application/json")


def _headers(fields: str) -> dict[str, str]:
    """Return the fields of a rating by name, unfolded."""
    lines = fields.replace("\n\t", " ").replace("\n ", " ").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _error(status: int, why: str) -> Response:
    return Response(json_line({"error": why}), status, media_type="application/json")
