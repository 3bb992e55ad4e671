"""The HTTP API without HTTP: bodies in, objects out, problems as RFC 9457 describes them.

a message or a text        the body itself, of any type but the two below; the answer is one object
application/json           {"item": …} or {"items": [ … ]}; of a table an item is an object with its columns, else
                           a string, or {"base64": "…"} for bytes
application/x-ndjson       an item a line, an answer a line
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import DataError, DecibanError
from ..verdict import Explanation, Verdict
from .keeping import Notes
from .live import Item, LiveFilter, LiveModel

JSON, LINES = "application/json", "application/x-ndjson"
MOST_ITEMS = 10_000
TERMS = 50
"""Terms of an explanation that are named, unless more are asked for; the others are summed."""


class ProblemError(Exception):
    """What a client is answered that cannot be served: a status, what is wrong, and in detail."""

    def __init__(self, status: int, title: str, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.status, self.title, self.detail = status, title, detail
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def to_json(self, request_id: str) -> dict[str, Any]:
        """Return the members of a problem."""
        return {"title": self.title, "status": self.status, "detail": self.detail, "request_id": request_id}


def wrong(detail: str) -> ProblemError:
    """Return the problem of a request that is not as expected."""
    return ProblemError(400, "Bad request", detail)


@dataclass(frozen=True)
class Body:
    """The items of a request: the only one where it `is_single`."""

    items: list[Any]
    is_single: bool = True


@dataclass(frozen=True)
class Api:
    """What is asked of a model over HTTP."""

    model: LiveModel
    keeper: Notes | None = None

    def classify(self, body: Body) -> dict[str, Any]:
        """Return a verdict, or one for each item."""
        verdicts = self._of_all(body.items, self.model.judge, self.model.judge_rows)
        told = [self._verdict(item, each) for item, each in zip(body.items, verdicts, strict=True)]
        return self._answer(body, "verdicts", told)

    def explain(self, body: Body, terms: int = TERMS) -> dict[str, Any]:
        """Return the evidence, or that for each item, of which so many terms are named."""

        def of_items(items: Sequence[Item]) -> list[Explanation]:
            return [self.model.explain_item(item) for item in items]

        reasons = self._of_all(body.items, of_items, self.model.explain_rows)
        told = [self._reason(item, each, terms) for item, each in zip(body.items, reasons, strict=True)]
        return self._answer(body, "explanations", told)

    def learn(self, body: Body, label: str | None, source: str) -> dict[str, Any]:
        """Learn the items under a label."""
        self._require_learning()
        if label not in self.model.classes:
            known = ", ".join(self.model.classes)
            raise wrong(f"expected the label to learn, ?label=LABEL, one of {known}; got {label!r}.")
        assert label is not None
        outcomes = answer_data_errors(lambda: self.model.teach(body.items, label, source))
        self._keep_label(body.items, label)
        return self._answer(body, "outcomes", [{"outcome": each} for each in outcomes])

    def forget(self, body: Body, source: str) -> dict[str, Any]:
        """Forget the items."""
        self._require_learning()
        outcomes = answer_data_errors(lambda: self.model.unteach(body.items, source))
        self._keep_label(body.items, None)
        return self._answer(body, "outcomes", [{"outcome": each} for each in outcomes])

    def _keep_label(self, items: list[Any], label: str | None) -> None:
        if self.keeper is not None:
            for item in items:
                self.keeper.label(_as_bytes(item), label)

    def models(self) -> dict[str, Any]:
        """Return what is served."""
        model = self.model
        about = {"kind": model.kind, "model": model.model, "classes": model.classes, "learns": model.can_learn}
        return {"models": [{"digest": model.snapshot.digest, **about}]}

    def _of_all(self, items: list[Any], of_items: Callable[..., Any], of_rows: Callable[..., Any]) -> list[Any]:
        return list(
            answer_data_errors(lambda: (of_rows if self.model.kind == "table" else of_items)(items) if items else [])
        )

    def _require_learning(self) -> None:
        if not self.model.can_learn:
            raise ProblemError(
                409, "The model does not learn", f"expected a model that learns; it is {self.model.model!r}."
            )

    def _answer(self, body: Body, name: str, told: list[dict[str, Any]]) -> dict[str, Any]:
        digest = {"model": self.model.snapshot.digest}
        return {**digest, **told[0]} if body.is_single else {**digest, name: told}

    def _verdict(self, item: Any, verdict: Verdict) -> dict[str, Any]:
        """Return a verdict; of mail with its score."""
        known = self.model
        if not isinstance(known, LiveFilter):
            return verdict.to_json()
        message = _as_bytes(item)
        rating = known.rating_of(message, verdict)
        if self.keeper is not None:
            self.keeper.note(message, rating, "http")
        return {**verdict.to_json(), "spam": rating.is_spam, "score": rating.score}

    def _reason(self, item: Any, why: Explanation, terms: int) -> dict[str, Any]:
        found = self._verdict(item, why.as_verdict()) | why.to_json()
        others = why.terms[terms:]
        found["terms"] = found["terms"][:terms]
        found["other_terms"] = {"count": len(others), "decibans": sum(each.decibans for each in others)}
        return found

    def read(self, content: bytes, kind: str) -> Body:
        """Return the items of a body of a type; ProblemError for what are none."""
        if not content:
            raise wrong("expected a body; it is empty.")
        if kind != JSON:
            if self.model.kind == "table":
                raise ProblemError(415, "Unsupported media type", f"expected rows as {JSON} or {LINES}; got {kind!r}.")
            return Body([content if self.model.kind == "mail" else self._text(content)])
        value = parse_json(content)
        if not isinstance(value, dict) or [*value] not in (["item"], ["items"]):
            raise wrong('expected an object with one member, "item" or "items".')
        items = value["items"] if "items" in value else [value["item"]]
        if not isinstance(items, list) or len(items) > MOST_ITEMS:
            raise wrong(f'expected "items" to be an array of at most {MOST_ITEMS:,}.')
        return Body([self.item(each) for each in items], "item" in value)

    def item(self, value: Any) -> Any:
        """Return an item of JSON as the model reads it."""
        if self.model.kind == "table":
            if not isinstance(value, dict) or not value:
                raise wrong("expected a row as an object with its columns.")
            return value
        if isinstance(value, dict) and [*value] == ["base64"] and isinstance(value["base64"], str):
            try:
                content = base64.b64decode(value["base64"], validate=True)
            except (binascii.Error, ValueError) as error:
                raise wrong(f"expected base64: {error}.") from error
            return content if self.model.kind == "mail" else self._text(content)
        if not isinstance(value, str):
            raise wrong('expected an item as a string or as {"base64": "…"}.')
        return _as_bytes(value) if self.model.kind == "mail" else value

    def _text(self, content: bytes) -> str:
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise wrong(f"expected a text in UTF-8: byte {error.start} is not.") from error


def parse_json(content: bytes) -> Any:
    """Return what JSON says; ProblemError for what is none, or nests too deep."""
    try:
        return json.loads(content, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise wrong("expected JSON that nests less deep.") from error
    except ValueError as error:
        raise wrong(f"expected JSON: {error}.") from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _as_bytes(item: Any) -> bytes:
    return item.encode("utf-8", "surrogatepass") if isinstance(item, str) else bytes(item)


def answer_data_errors(act: Callable[[], Any]) -> Any:
    """Return what is computed; a ProblemError for what is wrong with the items."""
    try:
        return act()
    except DataError as error:
        raise ProblemError(422, "Unprocessable content", str(error)) from error
    except DecibanError as error:
        raise ProblemError(503, "Service unavailable", str(error), Retry_After="1") from error
