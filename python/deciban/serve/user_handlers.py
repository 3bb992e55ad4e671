"""Users over HTTP: whose filter a request is for, and the list of users, what is kept of one, and its deletion."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from ..errors import UsageError
from ..json_text import json_line
from ..mail.user_names import check_user
from .api import Api, ProblemError, answer_data_errors, wrong
from .keeping_users import RatingKeeper
from .user_filters import UserFilters

HEADER = "X-Deciban-User"
Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


def api_for(request: Request, shared: Api, users: UserFilters | None) -> Api:
    """Return the API of the filter that a request is for: that of a user whom a header or the query names."""
    name = _named(request)
    if name is None:
        return shared
    if users is None:
        raise wrong(f"expected a server that keeps users apart for {HEADER}; start it with --users.")
    known = users.of(name, teaches=True)
    keeper = shared.keeper if shared.keeper is None or known is users.shared else RatingKeeper(shared.keeper)
    return replace(shared, model=known, keeper=keeper)


def _named(request: Request) -> str | None:
    """Return the name of the user that a request names, the header first; None where it names none."""
    header, query = request.headers.get(HEADER), request.query_params.get("user")
    if header is not None:
        header = header.encode("latin-1", "replace").decode("utf-8", "replace")
    names = [_checked(name) for name in (header, query) if name is not None]
    return names[0] if names else None


def _checked(name: str) -> str:
    try:
        return check_user(name)
    except UsageError as error:
        raise wrong(str(error)) from error


@dataclass(frozen=True)
class UserHandlers:
    """The handlers: `authorise` lets in who shows the token, `read` and `write` do something on a thread."""

    users: UserFilters
    authorise: Callable[[Request], None]
    read: Callable[[Callable[[], Any]], Awaitable[Any]]
    write: Callable[[Callable[[], Any]], Awaitable[Any]]

    def table(self) -> list[tuple[list[str], str, Handler]]:
        """Return methods, path and handler of each."""
        return [(["GET"], "/v1/users", self._list), (["GET", "DELETE"], "/v1/users/{user}", self._one)]

    async def _list(self, request: Request) -> Response:
        self.authorise(request)
        known = await self.read(lambda: answer_data_errors(lambda: self.users.ask(lambda users: users.summaries())))
        return _json({"users": [each.to_json() for each in known]})

    async def _one(self, request: Request) -> Response:
        return await (self._delete if request.method == "DELETE" else self._export)(request)

    async def _export(self, request: Request) -> Response:
        self.authorise(request)
        name = _checked(request.path_params["user"])
        classes = self.users.shared.classes
        act = lambda: self.users.ask(lambda users: users.export(name, classes))  # noqa: E731
        found = await self.read(lambda: answer_data_errors(act))
        if found is None:
            raise _unknown(name)
        return _json(found)

    async def _delete(self, request: Request) -> Response:
        self.authorise(request)
        name = _checked(request.path_params["user"])
        act = lambda: self.users.tell(lambda users: users.delete(name))  # noqa: E731
        if not await self.write(lambda: answer_data_errors(act)):
            raise _unknown(name)
        return _json({"user": name, "deleted": True})


def _unknown(name: str) -> ProblemError:
    return ProblemError(404, "Not found", f"{name} has taught nothing: there is nothing to export or to delete.")


def _json(content: Any) -> Response:
    return Response(json_line(content), media_type="application/json")
