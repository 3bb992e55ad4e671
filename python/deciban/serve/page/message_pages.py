"""Pages of messages: what was classified, one message with its evidence, what is worth a look, corrections."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import Response

from ..api import ProblemError
from ..kept import Query
from ..review import COMPARED, DUPLICATES, VERDICTS, GoneError, Review
from .views import Views

if TYPE_CHECKING:
    from .app import Visit

_ROWS = 50
_OUTCOMES = ("learnt", "relabelled", "already known", "forgotten", "not known")
_GROUPS = 30
_IN_GROUP = 20
_AT_ONCE = 200
"""Messages of a group that one form teaches."""
_LISTS = ("uncertain", "mislabelled", DUPLICATES)
Handled = tuple[str, Callable[["Visit"], Awaitable[Response]], str]


@dataclass(frozen=True)
class MessagePages:
    """The pages of messages; there is no review where none are kept."""

    review: Review | None

    def handlers(self) -> list[Handled]:
        """Return what is shown at which path."""
        return [
            ("/messages/{id}", self.show, "GET"),
            ("/messages/{id}/label", self.correct, "POST"),
            ("/review", self.queue, "GET"),
            ("/review/label", self.correct_group, "POST"),
        ]

    async def recent(self, visit: Visit) -> Response:
        """Show the messages that came last."""
        if self.review is None:
            return visit.render("off.html", title="messages.title", page="messages")
        verdict, text = visit.query.get("verdict"), visit.query.get("text", "")[:200].strip()
        verdict = verdict if verdict in VERDICTS else None
        start = max(_number(visit.query.get("from", "0")), 0)
        query = Query("recent", verdict, None, None, text, start, _ROWS)
        views = Views(self.review, visit.texts)

        def look() -> dict[str, Any]:
            assert self.review is not None
            count = self.review.count(query)
            return {"days": views.days(self.review.select(query)), "count": count}

        found = await visit.run(look)
        given = {"verdict": verdict, "text": text}
        kept = {key: value for key, value in given.items() if value}

        def link(at: int) -> str:
            return f"/?{urlencode({**kept, 'from': at})}"

        return visit.render(
            "messages.html",
            views=views,
            page="messages",
            verdict=verdict,
            text=text,
            verdicts=VERDICTS,
            newer=link(max(start - _ROWS, 0)) if start else "",
            older=link(start + _ROWS) if start + _ROWS < found["count"] else "",
            **found,
        )

    async def show(self, visit: Visit) -> Response:
        """Show one message with its evidence."""
        number = _id(visit)
        found = await visit.run(partial(self._look_at, visit, number))
        outcome = visit.query.get("said", "")
        named = found["views"].class_name(visit.query.get("label", "")[:80])
        notice = visit.texts(f"outcome.{outcome}", label=named) if outcome in _OUTCOMES else ""
        return visit.render("message.html", page="messages", notice=notice, **found)

    def _look_at(self, visit: Visit, number: int) -> dict[str, Any]:
        review = self._require()
        views, each = Views(review, visit.texts), review.get(number)
        newer, older = review.kept.beside(each)
        return {
            "views": views,
            "row": views.row(each),
            "newer": newer,
            "older": older,
            "size": visit.texts.size(each.size),
            "most": visit.texts.size(review.kept.limits.message_bytes),
            **views.evidence(review.message(each)),
        }

    async def correct(self, visit: Visit) -> Response:
        """Learn a message as the form says, and show it as it is then."""
        review, number = self._require(), _id(visit)
        label: str | None = visit.form.get("label", "")
        if label not in ("", *review.known.classes):
            raise ProblemError(400, "Bad request", f"expected one of {', '.join(review.known.classes)}.")
        outcome, each = await visit.teach(partial(review.correct, number, label or None, "the page"))
        views = Views(review, visit.texts)
        named = views.class_name(label) if label else ""
        said = visit.texts(f"outcome.{outcome}", label=named)
        if not visit.wants_part:
            back = "/review" if visit.form.get("back") == "/review" else f"/messages/{number}"
            return visit.go(back, said=outcome, label=label or "")
        if visit.form.get("view") == "message":
            found = await visit.run(partial(self._look_at, visit, number))
            return visit.render("verdict.html", said=said, **found)
        row = await visit.run(partial(views.row, each))
        return visit.render("row.html", row=row, views=views, said=said)

    async def correct_group(self, visit: Visit) -> Response:
        """Learn messages that are alike, and show the groups as they are then."""
        review, label = self._require(), visit.form.get("label", "")
        numbers = [_number(each) for each in visit.form.get("messages", "").split()]
        if label not in review.known.classes or len(numbers) > _AT_ONCE:
            expected = f"one of {', '.join(review.known.classes)}, and at most {_AT_ONCE} messages"
            raise ProblemError(400, "Bad request", f"expected {expected}.")
        changed = await visit.teach(partial(review.correct_all, numbers, label, "the page"))
        return visit.go("/review", of=DUPLICATES, changed=str(changed), label=label)

    async def queue(self, visit: Visit) -> Response:
        """Show what is worth a look."""
        if self.review is None:
            return visit.render("off.html", title="review.title", page="review")
        of = visit.query.get("of", "uncertain")
        of = of if of in _LISTS else "uncertain"
        views = Views(self.review, visit.texts)
        found = await visit.run(partial(self._queue, views, of))
        changed, notice = visit.query.get("changed", ""), ""
        if changed:
            named = views.class_name(visit.query.get("label", "")[:80])
            notice = visit.texts("review.changed", n=f"{max(_number(changed), 0):,}", label=named)
        return visit.render(
            "review.html", views=views, page="review", of=of, lists=_LISTS, compared=COMPARED, notice=notice, **found
        )

    def _queue(self, views: Views, of: str) -> dict[str, Any]:
        assert self.review is not None
        groups: list[tuple[str, bool, list[int], list[Any]]] = []
        if of == DUPLICATES:
            for group in self.review.duplicates()[:_GROUPS]:
                labels = {each.label for each in group if each.label is not None}
                title = views.texts("review.group", n=f"{len(group):,}")
                whole = [each.id for each in group if self.review.kept.is_whole(each)][:_AT_ONCE]
                groups.append((title, len(labels) > 1, whole, [views.row(each) for each in group[:_IN_GROUP]]))
        elif found := self.review.select(Query(of, limit=_ROWS)):
            groups.append(("", False, [], [views.row(each) for each in found]))
        counts = {each: self.review.count(Query(each)) for each in _LISTS if each != DUPLICATES}
        return {"groups": groups, "counts": counts}

    def _require(self) -> Review:
        if self.review is None:
            raise GoneError
        return self.review


def _id(visit: Visit) -> int:
    number = _number(visit.request.path_params["id"])
    if number < 1:
        raise GoneError
    return number


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1
