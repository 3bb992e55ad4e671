"""The review over HTTP: lists of messages that are kept, one of them with its evidence, and corrections.

GET   /v1/review        a list: recent, uncertain, mislabelled or duplicates
GET   /v1/review/{id}   one message, its text, and why it is rated so now
POST  /v1/review/{id}   {"label": "spam"} learns it so; {"label": null} takes the label back
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import gmtime, strftime
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..errors import DataError, DecibanError
from .api import TERMS, Api, Body, ProblemError, parse_json, wrong
from .http_app import HttpApp, Json, read_body, request_id, whole_number
from .kept import LISTS, Kept, Query
from .review import DUPLICATES, LATEST, MOST, VERDICTS, GoneError, Review

_BODY = 10_000  # bytes of a correction
_LONGEST = 200  # characters of a text that is looked for
Result = TypeVar("Result")


@dataclass(frozen=True)
class ReviewRoutes:
    """The routes of the review, of one worker; all of them need the token."""

    app: HttpApp
    review: Review | None

    def routes(self) -> list[Route]:
        """Return the routes."""
        guard = self.app.guard
        one = "/v1/review/{id}"
        return [
            Route("/v1/review", guard("/v1/review", self._select), methods=["GET"]),
            Route(one, guard(one, self._one), methods=["GET", "POST"]),
        ]

    def _require(self, request: Request) -> Review:
        self.app.authorise(request, always=True)
        if self.review is None:
            raise ProblemError(
                409,
                "No messages are kept",
                "expected a mail filter that is served with --keep DAYS; no message is kept.",
            )
        return self.review

    async def _select(self, request: Request) -> Response:
        review = self._require(request)
        query = self._query(request)
        return Json(await self.app.run(partial(checked, partial(self._list, review, query))))

    def _list(self, review: Review, query: Query) -> dict[str, Any]:
        if query.of != DUPLICATES:
            found = [self.describe(each) for each in review.select(query)]
            return {"of": query.of, "count": review.count(query), "messages": found}
        groups = review.duplicates()
        some = enumerate(groups[query.offset : query.offset + query.limit], query.offset + 1)
        found = [{**self.describe(each), "group": number} for number, group in some for each in group]
        return {"of": query.of, "count": len(groups), "messages": found}

    async def _one(self, request: Request) -> Response:
        return await (self._correct(request) if request.method == "POST" else self._show(request))

    async def _show(self, request: Request) -> Response:
        review, number = self._require(request), self._number(request)
        terms = whole_number(request, "terms", TERMS, 100_000)

        def show() -> dict[str, Any]:
            each = review.get(number)
            message = review.message(each)
            return {**self.describe(each), "explanation": Api(review.known).explain(Body([message]), terms)}

        return Json(await self.app.run(partial(checked, show)))

    async def _correct(self, request: Request) -> Response:
        review, number = self._require(request), self._number(request)
        value = parse_json(await read_body(request, _BODY, self.app.shared.limits.request_seconds))
        known = (None, *review.known.classes)
        if not isinstance(value, dict) or [*value] != ["label"] or value["label"] not in known:
            listed = ", ".join(review.known.classes)
            raise wrong(f'expected an object with one member, "label": one of {listed}, or null to forget it.')
        if not review.known.can_learn:
            raise ProblemError(
                409, "The model does not learn", f"expected a model that learns; it is {review.known.model!r}."
            )
        source = f"HTTP request {request_id(request)}"
        act = partial(checked, partial(review.correct, number, value["label"], source))
        outcome, each = await self.app.teach(act)
        return Json({"model": review.known.snapshot.digest, "outcome": outcome, **self.describe(each)})

    def _number(self, request: Request) -> int:
        text = request.path_params["id"]
        if not text.isascii() or not text.isdigit() or int(text[:30]) > LATEST:
            raise wrong(f"expected the number of a message; got {text[:40]!r}.")
        return int(text)

    def _query(self, request: Request) -> Query:
        assert self.review is not None
        given = request.query_params
        labels = ("", *self.review.known.classes)
        of = _one_of(request, "of", (*LISTS, DUPLICATES)) or "recent"
        verdict, label = _one_of(request, "verdict", VERDICTS), _one_of(request, "label", labels)
        offset, limit = whole_number(request, "offset", 0, 10**6), whole_number(request, "limit", 50, MOST)
        text = given.get("text", "")
        if len(text) > _LONGEST:
            raise wrong(f"expected a text of at most {_LONGEST} characters; got {len(text):,}.")
        return Query(of, verdict, label, None, text, offset, limit)

    def describe(self, each: Kept) -> dict[str, Any]:
        """Return a message as JSON has it."""
        assert self.review is not None
        return {
            "id": each.id,
            "digest": each.digest.hex(),
            "arrived": _time(each.arrived),
            "times": each.times,
            "protocol": each.protocol,
            "from": each.sender,
            "subject": each.subject,
            "bytes": each.size,
            "whole": self.review.kept.is_whole(each),
            "score": each.score,
            "decibans": each.decibans,
            "verdict": each.kind,
            "label": each.label,
        }


def checked(act: Callable[[], Result]) -> Result:
    """Return what is computed; a ProblemError for what is not kept, or cannot be done."""
    try:
        return act()
    except GoneError as error:
        raise ProblemError(404, "Not found", "this message is not kept, or no longer.") from error
    except DataError as error:
        raise ProblemError(422, "Unprocessable content", str(error)) from error
    except DecibanError as error:
        raise ProblemError(503, "Service unavailable", str(error), Retry_After="1") from error


def _one_of(request: Request, name: str, allowed: tuple[str, ...]) -> str | None:
    text = request.query_params.get(name)
    if text is not None and text not in allowed:
        listed = ", ".join(each or '""' for each in allowed)
        raise wrong(f"expected {name} to be one of {listed}; got {text[:40]!r}.")
    return text


def _time(seconds: float) -> str:
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))
