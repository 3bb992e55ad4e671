"""The API over HTTP: routes, tokens, limits, request ids, metrics.

Loopback needs no token to classify; to learn and to forget everybody does. Neither tokens nor texts are logged.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ..json_text import json_line
from .api import LINES, TERMS, Api, Body, ProblemError, parse_json, wrong
from .logs import RequestLog
from .metrics import Metrics
from .openapi import describe_api, describe_paths
from .shared import Shared
from .user_filters import UserFilters
from .user_handlers import UserHandlers, api_for

log = logging.getLogger("deciban.serve")

_MOST_AT_ONCE = 512  # requests of one worker
_TOO_LONG = b"(a line that is too long)"
_INLINE = 1 << 16  # bytes of a body that is classified at once, where others wait for it
_ID = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
Result = TypeVar("Result")
Handler = Callable[[Request], Awaitable[Response]]
Shown = Callable[[Request, ProblemError], Response]


class Json(Response):
    """An answer as JSON, without what is no number."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        self.content = content
        return json_line(content).encode()


class Lines(Response):
    """An answer that is sent line by line while the request is still read."""

    def __init__(self, lines: AsyncIterator[str], media_type: str) -> None:
        super().__init__(media_type=media_type)
        self.lines = lines
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        with contextlib.suppress(ClientDisconnect):
            async for line in self.lines:
                await send({"type": "http.response.body", "body": line.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


@dataclass
class HttpApp:
    """The routes of one worker."""

    api: Api
    shared: Shared
    metrics: Metrics
    token: str | None = None
    asks_always: bool = False
    is_ready: Callable[[], bool] = lambda: True
    users: UserFilters | None = None
    routes: Sequence[Route] = field(default_factory=list)
    show_problem: Shown | None = None
    _running: int = 0

    def build(self) -> Starlette:
        """Return the application."""
        posts: dict[str, Handler] = {
            "/v1/classify": self._classify,
            "/v1/explain": self._explain,
            "/v1/learn": self._learn,
            "/v1/forget": self._forget,
        }
        gets: dict[str, Handler] = {
            "/": self.index,
            "/v1/models": self._models,
            "/healthz": self._healthy,
            "/readyz": self._ready,
            "/metrics": self._metrics,
            "/openapi.json": self._description,
        }
        own = [Route(path, self.guard(path, handler), methods=["POST"]) for path, handler in posts.items()]
        own += [Route(path, self.guard(path, handler), methods=["GET"]) for path, handler in gets.items()]
        if self.users is not None:
            of_users = UserHandlers(self.users, partial(self.authorise, always=True), self.run, self.teach)
            own += [Route(at, self.guard(at, each), methods=methods) for methods, at, each in of_users.table()]
        handlers: Any = {404: self._not_found, 405: self._not_allowed, 500: _failed}
        return Starlette(routes=[*self.routes, *own], exception_handlers=handlers)

    def guard(self, path: str, handler: Handler, show: Shown | None = None) -> Handler:
        """Return a handler that answers problems as such, in JSON or as they are shown, and counts and logs what it
        answered."""
        show = show or _as_json

        async def guarded(request: Request) -> Response:
            known, began = request_id(request), perf_counter()
            entry = RequestLog("http", path, known)
            if self._running >= _MOST_AT_ONCE:
                busy = ProblemError(503, "Service unavailable", "the server is busy.", Retry_After="1")
                response = show(request, busy)
            else:
                self._running += 1
                try:
                    response = await handler(request)
                except ProblemError as error:
                    response = show(request, error)
                except ClientDisconnect:
                    response = show(request, wrong("the client went away."))
                except Exception:
                    log.exception("request %s to %s failed", known, path)
                    response = show(request, ProblemError(500, "Internal error", "see the log of the server."))
                finally:
                    self._running -= 1
            response.headers["X-Request-Id"] = known
            self.metrics.count(path, response.status_code, perf_counter() - began)
            entry.size = request.scope.get("deciban.size", 0)
            entry.verdict, entry.score = _verdict_of(response)
            entry.finish(status=response.status_code)
            return response

        return guarded

    async def _classify(self, request: Request) -> Response:
        self.authorise(request, always=self.asks_always)
        if _kind_of(request) == LINES:
            return Lines(self._classify_lines(request), media_type=LINES)
        body = await self._read(request)
        return Json(await self._compute(body, partial(self._api(request).classify, body)))

    async def _classify_lines(self, request: Request) -> AsyncIterator[str]:
        """Yield a verdict a line; a line that is wrong gets a problem, and the others are answered."""
        api = self._api(request)
        async for line in _lines(request, self.shared.limits.message_bytes):
            try:
                body = Body([api.item(parse_json(line))])
                found = await self._compute(body, partial(api.classify, body))
            except ProblemError as error:
                found = error.to_json(request_id(request))
            yield json_line(found) + "\n"

    async def _explain(self, request: Request) -> Response:
        self.authorise(request, always=self.asks_always)
        terms = whole_number(request, "terms", TERMS, 100_000)
        body = await self._read(request)
        return Json(await self.run(partial(self._api(request).explain, body, terms)))

    async def _learn(self, request: Request) -> Response:
        self.authorise(request, always=True)
        body = await self._read(request)
        label, source = request.query_params.get("label"), f"HTTP request {request_id(request)}"
        return Json(await self.teach(partial(self._api(request).learn, body, label, source)))

    async def _forget(self, request: Request) -> Response:
        self.authorise(request, always=True)
        body = await self._read(request)
        return Json(await self.teach(partial(self._api(request).forget, body, f"HTTP request {request_id(request)}")))

    async def index(self, request: Request) -> Response:
        """Say what there is to ask."""
        return PlainTextResponse(describe_paths(self.api.model.kind, has_users=self.users is not None))

    async def _models(self, request: Request) -> Response:
        self.authorise(request, always=self.asks_always)
        return Json(self.api.models())

    async def _healthy(self, request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def _ready(self, request: Request) -> Response:
        if not self.is_ready():
            raise ProblemError(503, "Not ready", "the model cannot be read.", Retry_After="1")
        return PlainTextResponse("ready\n")

    async def _metrics(self, request: Request) -> Response:
        return Response(await asyncio.to_thread(self.metrics.expose), media_type=self.metrics.CONTENT_TYPE)

    async def _description(self, request: Request) -> Response:
        return JSONResponse(
            describe_api(
                self.api.model.kind,
                self.api.model.classes,
                has_token=self.token is not None,
                has_users=self.users is not None,
                columns=self.api.model.columns(),
            )
        )

    def _api(self, request: Request) -> Api:
        """Return what answers a request: for the user that it names, or for all."""
        return api_for(request, self.api, self.users)

    def authorise(self, request: Request, *, always: bool) -> None:
        """Raise ProblemError for a request without the token, where it needs one."""
        if not always:
            return
        if self.token is None:
            raise ProblemError(403, "Forbidden", "expected a server with a token for this; start it with --token-file.")
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self.token.encode()):
            raise ProblemError(
                401, "Unauthorized", "expected the token: Authorization: Bearer TOKEN.", WWW_Authenticate="Bearer"
            )

    async def _read(self, request: Request) -> Body:
        """Return the items of the body; ProblemError for one that is too long or too slow."""
        content = await read_body(request, self.shared.limits.message_bytes, self.shared.limits.request_seconds)
        request.scope["deciban.size"] = len(content)
        return self.api.read(content, _kind_of(request))

    async def _compute(self, body: Body, act: Callable[[], Result]) -> Result:
        """Classify little at once, more on another thread."""
        size = sum(len(item) if isinstance(item, str | bytes) else _INLINE for item in body.items)
        waits = self.users is not None and self.users.is_remote
        return act() if size < _INLINE and not waits else await self.run(act)

    async def _not_found(self, request: Request, error: Exception) -> Response:
        return self._show(request, ProblemError(404, "Not found", f"there is nothing at {request.url.path[:200]}."))

    async def _not_allowed(self, request: Request, error: Exception) -> Response:
        allowed = getattr(error, "headers", None) or {}
        problem = ProblemError(405, "Method not allowed", f"expected {allowed.get('Allow', 'another method')}.")
        problem.headers.update(allowed)
        return self._show(request, problem)

    def _show(self, request: Request, error: ProblemError) -> Response:
        """Show a problem of an address that nobody serves to a browser as a page, if there are pages."""
        wants_page = self.show_problem is not None and "text/html" in request.headers.get("accept", "")
        return self.show_problem(request, error) if self.show_problem and wants_page else _as_json(request, error)

    async def run(self, act: Callable[[], Result]) -> Result:
        """Return what is computed on another thread."""
        return await asyncio.get_running_loop().run_in_executor(self.shared.slow, act)

    async def teach(self, act: Callable[[], Result]) -> Result:
        """Return what becomes of a lesson, one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self.shared.learner, act)


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """Return the body of a request of at most so many bytes, which comes in so many seconds."""
    too_large = ProblemError(413, "Content too large", f"expected at most {most:,} bytes.", Connection="close")
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length) > most:
        raise too_large
    pieces, size = [], 0
    try:
        async with asyncio.timeout(seconds):
            async for piece in request.stream():
                size += len(piece)
                if size > most:
                    raise too_large
                pieces.append(piece)
    except TimeoutError as error:
        raise ProblemError(
            408, "Request timeout", f"expected the body within {seconds:g} s.", Connection="close"
        ) from error
    return b"".join(pieces)


async def _lines(request: Request, most: int) -> AsyncIterator[bytes]:
    """Yield the lines of a body as they come; blank ones are left out, and of one of more bytes than `most` is yielded
    what is no JSON."""
    left, is_long = b"", False
    async for piece in request.stream():
        *whole, left = (left + piece).split(b"\n")
        for line in whole:
            if is_long or len(line) > most:
                yield _TOO_LONG
            elif line.strip():
                yield line
            is_long = False
        if len(left) > most:
            left, is_long = b"", True
    if is_long or len(left) > most:
        yield _TOO_LONG
    elif left.strip():
        yield left


def _verdict_of(response: Response) -> tuple[str | None, float | None]:
    """Return the verdict that a response tells and its score, or what became of a lesson, where it is one of each."""
    told = response.content if isinstance(response, Json) else {}
    return told.get("label", told.get("outcome")), told.get("score")


def _kind_of(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def request_id(request: Request) -> str:
    """Return the id that a request came with, if it is one, or a new one."""
    known: str | None = request.scope.get("deciban.id")
    if known is None:
        given = request.headers.get("x-request-id", "")
        known = given if 0 < len(given) <= 100 and not given.strip(_ID) else secrets.token_hex(8)
        request.scope["deciban.id"] = known
    return known


def whole_number(request: Request, name: str, default: int, most: int) -> int:
    """Return a parameter of the query that is a whole number."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) > most:
        raise wrong(f"expected {name} to be a whole number from 0 to {most:,}; got {text[:40]!r}.")
    return int(text)


def _as_json(request: Request, error: ProblemError) -> Response:
    known = request_id(request)
    content = json_line(error.to_json(known))
    return Response(content, error.status, {**error.headers, "X-Request-Id": known}, "application/problem+json")


async def _failed(request: Request, error: Exception) -> Response:
    return _as_json(request, ProblemError(500, "Internal error", "see the log of the server."))
