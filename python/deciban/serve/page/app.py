"""The page: who may see it, which address shows what, and what a form does.

Every page but that of the token needs a session (`session`); every form but that of the token holds its `csrf`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ...errors import DecibanError, NoInputError, StorageError, UsageError
from ...mail.canaries import CanaryError
from ..api import ProblemError
from ..http_app import HttpApp, read_body
from ..live import LiveFilter
from ..review import GoneError, Review
from .filter_pages import FilterPages
from .message_pages import MessagePages
from .rendering import HEADERS, STATIC, Page, render, static_file
from .session import COOKIE, SECONDS, Sessions
from .texts import CATALOGUES, NAMES, Texts, language_of

LANGUAGE = "deciban_language"
_FORM = 10_000  # bytes of a form
_FORM_SECONDS = 30.0
_PAUSE = 0.5  # seconds before a token that is wrong is said to be
Handler = Callable[["Visit"], Awaitable[Response]]
_KINDS: Mapping[type[DecibanError], str] = {
    CanaryError: "canary",
    StorageError: "storage",
    NoInputError: "missing",
    UsageError: "usage",
    DecibanError: "data",
}
"""What errors are called in the keys of texts: the first that fits."""


@dataclass(frozen=True)
class Visit:
    """A request by somebody who may see the page: its language, its session, and the fields of its form."""

    request: Request
    app: PageApp
    texts: Texts
    session: str = ""
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def query(self) -> Mapping[str, str]:
        """Return the parameters of the address."""
        return self.request.query_params

    @property
    def wants_part(self) -> bool:
        """Return whether the script asks, which puts a part of the page in the place of another."""
        return self.request.headers.get("x-requested-with") == "deciban"

    async def run(self, act: Callable[[], Any]) -> Any:
        """Return what is computed on another thread."""
        return await self.app.http.run(act)

    async def teach(self, act: Callable[[], Any]) -> Any:
        """Return what becomes of a lesson, one after the other."""
        return await self.app.http.teach(act)

    def render(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page."""
        return Page(self.html(template, **values), status)

    def html(self, template: str, **values: Any) -> str:
        """Return a page, or a part of it, as HTML."""
        url = self.request.url
        common = {
            "texts": self.texts,
            "languages": NAMES,
            "csrf": self.app.sessions.csrf(self.session) if self.session else "",
            "here": url.path + (f"?{url.query}" if url.query else ""),
            "path": url.path,
            "known": self.app.known,
            "message": "",
        }
        return render(template, **{**common, **values})

    @staticmethod
    def go(to: str, **query: str) -> Response:
        """Send the browser to another page."""
        return RedirectResponse(f"{to}?{urlencode(query)}" if query else to, 303)


@dataclass(frozen=True)
class PageApp:
    """The routes of the page, of one worker."""

    http: HttpApp
    known: LiveFilter
    review: Review | None
    sessions: Sessions

    def routes(self) -> list[Route]:
        """Return the routes."""
        found = [
            Route("/login", self._guard("/login", self._login, is_open=True), methods=["GET", "POST"]),
            Route("/logout", self._guard("/logout", self._logout), methods=["POST"]),
            Route("/language", self._guard("/language", self._language, is_open=True), methods=["GET"]),
            Route("/static/{file}", self._guard("/static/{file}", self._static, is_open=True), methods=["GET"]),
            Route("/", self._index, methods=["GET"]),
        ]
        messages, filter_ = MessagePages(self.review), FilterPages(self.known, self.review)
        own = [("/", messages.recent, "GET"), *messages.handlers(), *filter_.handlers()]
        self._front.append(self._guard("/", messages.recent))
        found += [Route(path, self._guard(path, act), methods=[method]) for path, act, method in own[1:]]
        return found

    _front: list[Callable[[Request], Awaitable[Response]]] = field(default_factory=list, init=False, repr=False)

    async def _index(self, request: Request) -> Response:
        """Show the page to browsers, and others what there is to ask."""
        if "text/html" in request.headers.get("accept", ""):
            return await self._front[0](request)
        return await self.http.index(request)

    def _guard(self, path: str, act: Handler, *, is_open: bool = False) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler that lets in who has a session, and shows what goes wrong as a page."""

        async def guarded(request: Request) -> Response:
            response = await answered(request)
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        async def answered(request: Request) -> Response:
            visit = self._visit(request)
            try:
                if request.method == "POST":
                    visit = replace(visit, form=await _read_form(request))
                if not visit.session and not is_open:
                    return _ask_for_token(visit)
                if visit.session and request.method == "POST" and not self._is_own_form(visit):
                    return visit.render("login.html", 403, said=visit.texts("login.ended"), to="/")
                return await act(visit)
            except GoneError:
                return visit.render("problem.html", 404, key="problem.gone", detail="")
            except DecibanError as error:
                kind = next(kind for known, kind in _KINDS.items() if isinstance(error, known))
                return visit.render("problem.html", 422, key="problem.title", kind=kind, detail=str(error))

        return self.http.guard(path, guarded, self.show_problem)

    def _visit(self, request: Request) -> Visit:
        visit, session = Visit(request, self, Texts(_language(request))), request.cookies.get(COOKIE, "")
        return replace(visit, session=session) if self.sessions.is_valid(session) else visit

    def show_problem(self, request: Request, error: ProblemError) -> Response:
        """Return the page of what cannot be served."""
        visit = self._visit(request)
        if error.status in (404, 405):
            response = visit.render("problem.html", error.status, key="problem.missing", detail="")
        else:
            kind = {503: "busy", 500: "internal"}.get(error.status, "request")
            response = visit.render("problem.html", error.status, key="problem.title", kind=kind, detail=error.detail)
        response.headers.update({**HEADERS, **error.headers})
        return response

    def _is_own_form(self, visit: Visit) -> bool:
        site = visit.request.headers.get("sec-fetch-site", "same-origin")
        return site == "same-origin" and self.sessions.is_csrf(visit.session, visit.form.get("csrf", ""))

    async def _login(self, visit: Visit) -> Response:
        to = _own_path(visit.form.get("to") or visit.query.get("to", "/"))
        if visit.request.method == "GET":
            return visit.go(to) if visit.session else visit.render("login.html", said="", to=to)
        if not self.sessions.is_token(visit.form.get("token", "")):
            await asyncio.sleep(_PAUSE)
            return visit.render("login.html", 403, said=visit.texts("login.wrong"), to=to)
        response = visit.go(to)
        is_secure = visit.request.url.scheme == "https"
        response.set_cookie(
            COOKIE, self.sessions.begin(), SECONDS, path="/", secure=is_secure, httponly=True, samesite="strict"
        )
        return response

    async def _logout(self, visit: Visit) -> Response:
        response = visit.go("/login")
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return response

    async def _language(self, visit: Visit) -> Response:
        response = visit.go(_own_path(visit.query.get("back", "/")))
        if visit.query.get("to") in CATALOGUES:
            response.set_cookie(LANGUAGE, visit.query["to"], 400 * 86400, path="/", httponly=True, samesite="strict")
        return response

    async def _static(self, visit: Visit) -> Response:
        file = visit.request.path_params["file"]
        if file not in STATIC:
            return visit.render("problem.html", 404, key="problem.missing", detail="")
        return static_file(file)


def page_routes(app: HttpApp, known: Any, review: Review | None) -> list[Route]:
    """Return the routes of the page of a filter; none where there is no token, by which people are known."""
    if app.token is None or not isinstance(known, LiveFilter):
        return []
    page = PageApp(app, known, review, Sessions(app.token))
    app.show_problem = page.show_problem
    return page.routes()


def _language(request: Request) -> str:
    return language_of(request.headers.get("accept-language", ""), request.cookies.get(LANGUAGE))


def _ask_for_token(visit: Visit) -> Response:
    url = visit.request.url
    here = url.path + (f"?{url.query}" if url.query else "")
    if visit.request.method == "POST" or visit.wants_part:
        return visit.render("login.html", 403, said=visit.texts("login.ended"), to="/")
    return visit.go(f"/login?to={quote(here, safe='/')}" if here != "/" else "/login")


async def _read_form(request: Request) -> Mapping[str, str]:
    content = await read_body(request, _FORM, _FORM_SECONDS)
    try:
        return dict(parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=50))
    except ValueError as error:
        raise ProblemError(400, "Bad request", "expected a form of at most 50 fields.") from error


def _own_path(to: str) -> str:
    """Return where a browser is sent, which is a page of ours."""
    url = URL(to)
    is_own = to.startswith("/") and not to.startswith("//") and "\\" not in to and to.isprintable()
    return to if is_own and not (url.scheme or url.netloc) else "/"
