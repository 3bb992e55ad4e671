"""The description of the HTTP API, as OpenAPI 3.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .. import __version__
from ..mail.user_names import LONGEST, PATTERN
from .api import JSON, LINES, MOST_ITEMS, TERMS
from .review_openapi import describe_review

_NUMBER = {"type": ["number", "null"]}
_DIGEST = {"type": "string", "description": "Digest of the model's file."}
_VERDICT: dict[str, Any] = {
    "label": {"description": "The class with the largest probability."},
    "against": {"description": "The runner-up."},
    "probability": {"type": "object", "additionalProperties": _NUMBER},
    "decibans": {**_NUMBER, "description": "Evidence for label against the runner-up; null where it is infinite."},
    "unsure": {"type": "boolean"},
    "interval": {"type": ["array", "null"], "items": _NUMBER, "description": "Where the log-odds lie with 95 %."},
    "spam": {"type": "boolean", "description": "Of mail: whether the score is 5.0 or more."},
    "score": {"type": "number", "description": "Of mail: 5.0 at the threshold, one more for each nat."},
}
_TERM = {
    "type": "object",
    "required": ["decibans"],
    "properties": {"term": {}, "feature": {}, "decibans": _NUMBER, "count": {"type": "integer"}, "places": {}},
}
_WHY = {
    **_VERDICT,
    "prior_decibans": _NUMBER,
    "terms": {"type": "array", "items": _TERM},
    "other_terms": {
        "type": "object",
        "required": ["count", "decibans"],
        "properties": {"count": {"type": "integer"}, "decibans": _NUMBER},
    },
    "text": {"type": "string"},
}
_BASE64 = {
    "type": "object",
    "required": ["base64"],
    "properties": {"base64": {"type": "string", "contentEncoding": "base64", "pattern": "^([A-Za-z0-9+/]{4})*$"}},
    "additionalProperties": False,
}
_CELL = {"type": ["string", "number", "boolean", "null"]}
_LARGEST = 1e300
_NUMBER_CELL = {
    "anyOf": [
        {"type": "number", "minimum": -_LARGEST, "maximum": _LARGEST},
        {"type": "null"},
        {"type": "string", "pattern": "^(-?[0-9]{1,300}([.][0-9]+)?)?$"},
    ]
}
_OUTCOME = {"outcome": {"enum": ["learnt", "already known", "relabelled", "forgotten", "not known"]}}
_PROBLEM = {
    "type": "object",
    "required": ["title", "status", "detail", "request_id"],
    "properties": {
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "request_id": {"type": "string"},
    },
}


def describe_api(
    kind: str,
    classes: Sequence[str],
    *,
    has_token: bool,
    has_users: bool = False,
    columns: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the description of the API of a model of mail, of texts or of a table with `columns`, the kind of each."""
    item = {"table": _row(columns), "mail": {"anyOf": [{"type": "string"}, _BASE64]}}.get(kind, {"type": "string"})
    body, with_lines = _body(kind, item, lines=False), _body(kind, item, lines=True)
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "deciban", "version": __version__, "description": f"A model of {kind}, served."},
        "paths": {
            "/v1/classify": _post(with_lines, "Classify items", "verdicts", _VERDICT, ["label", "decibans", "unsure"]),
            "/v1/explain": _post(
                body, "Explain verdicts", "explanations", _WHY, ["label", "decibans", "terms"], [_terms()]
            ),
            "/v1/learn": _teach(body, "Learn items", [_label(classes)]),
            "/v1/forget": _teach(body, "Forget items", []),
            **_review(kind, classes),
            "/": _get("What there is, for people", "text/plain", {"type": "string"}),
            "/v1/models": _get("The model that is served", JSON, {"type": "object", "required": ["models"]}),
            "/healthz": _get("Whether the server runs", "text/plain", {"type": "string"}),
            "/readyz": _get("Whether the model can be read", "text/plain", {"type": "string"}, 503),
            "/metrics": _get("Counters for Prometheus", "text/plain", {"type": "string"}),
            "/openapi.json": _get("This description", JSON, {"type": "object"}),
        },
        "components": {
            "schemas": {"Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}} if has_token else {},
        },
    }
    if has_users:
        for path in ("/v1/classify", "/v1/explain", "/v1/learn", "/v1/forget"):
            found["paths"][path]["post"]["parameters"] += [_user("header"), _user("query")]
        found["paths"] |= _of_users()
    return found


def _review(kind: str, classes: Sequence[str]) -> dict[str, Any]:
    if kind != "mail" or len(classes) != 2:
        return {}
    why = {"type": "object", "required": ["model", "label", "decibans", "terms"], "properties": _WHY}
    problems = {int(status): about for status, about in _problems(400, 401, 403, 404, 408, 409, 413, 422, 503).items()}
    return describe_review(classes, why, _terms(), problems)


def describe_paths(kind: str, *, has_users: bool = False) -> str:
    """Return what there is to ask, a line each, for whoever looks with a browser."""
    paths: dict[str, dict[str, Any]] = describe_api(kind, ("ham", "spam"), has_token=False, has_users=has_users)[
        "paths"
    ]
    lines = [
        f"{method.upper():4} {path:15} {about['summary']}"
        for path, methods in paths.items()
        for method, about in methods.items()
        if method != "parameters"
    ]
    example = "-H content-type:application/json -d '{\"item\": {...}}'" if kind == "table" else "--data-binary @FILE"
    return "\n".join(
        [f"deciban {__version__} serves a model of {kind}.", "", *lines, "", f"curl .../v1/classify {example}", ""]
    )


def _post(
    body: dict[str, Any],
    summary: str,
    name: str,
    members: dict[str, Any],
    required: list[str],
    parameters: list[Any] | None = None,
) -> dict[str, Any]:
    one = {"type": "object", "required": ["model", *required], "properties": {"model": _DIGEST, **members}}
    each = {"type": "object", "required": required, "properties": members}
    many = {
        "type": "object",
        "required": ["model", name],
        "properties": {"model": _DIGEST, name: {"type": "array", "items": each}},
    }
    content: dict[str, Any] = {JSON: {"schema": {"anyOf": [one, many]}}}
    if name == "verdicts":
        content[LINES] = {"schema": {"type": "string"}}
    return {
        "post": {
            "summary": summary,
            "parameters": parameters or [],
            "requestBody": body,
            "responses": {
                "200": {"description": summary, "content": content},
                **_problems(400, 401, 403, 408, 413, 415, 422, 503),
            },
        }
    }


def _teach(body: dict[str, Any], summary: str, parameters: list[Any]) -> dict[str, Any]:
    found = _post(body, summary, "outcomes", _OUTCOME, ["outcome"], parameters)
    found["post"]["security"] = [{"token": []}]
    found["post"]["responses"] |= _problems(409)
    return found


def _row(columns: Mapping[str, str]) -> dict[str, Any]:
    """Return what an object with a cell of each column is like."""
    found: dict[str, Any] = {"type": "object", "minProperties": 1}
    if columns:
        cells = {name: _NUMBER_CELL if kind in ("number", "whole") else _CELL for name, kind in columns.items()}
        found |= {"required": [*columns], "properties": cells}
    return found


def _body(kind: str, item: dict[str, Any], *, lines: bool) -> dict[str, Any]:
    items = {"type": "array", "items": item, "maxItems": MOST_ITEMS}
    content: dict[str, Any] = {
        JSON: {
            "schema": {
                "anyOf": [
                    _object("item", item),
                    _object("items", items),
                ]
            }
        }
    }
    if kind == "mail":
        content["message/rfc822"] = {"schema": {"type": "string", "format": "binary"}}
    if kind == "text":
        content["text/plain"] = {"schema": {"type": "string", "minLength": 1}}
    if lines:
        content[LINES] = {"schema": {"type": "string"}}
    return {"required": True, "content": content}


def _object(name: str, schema: Any) -> dict[str, Any]:
    return {"type": "object", "required": [name], "properties": {name: schema}, "additionalProperties": False}


def _user(place: str) -> dict[str, Any]:
    name = "X-Deciban-User" if place == "header" else "user"
    about = "Whose filter: a user, or a domain as @DOMAIN. Without one it is the filter that all share."
    schema = {"type": "string", "pattern": PATTERN, "maxLength": LONGEST}
    return {"name": name, "in": place, "required": place == "path", "schema": schema, "description": about}


def _of_users() -> dict[str, Any]:
    """Return the paths by which what is kept of users is listed, exported and deleted."""
    summary = {"type": "object", "required": ["name", "lessons", "first", "last"]}
    listed = {"type": "object", "required": ["users"], "properties": {"users": {"type": "array", "items": summary}}}
    export = {"type": "object", "required": ["user", "lessons", "weights"]}
    deleted = {"type": "object", "required": ["user", "deleted"]}
    every = _get("Users who have taught", JSON, listed, 401, 403)
    one = _get("All that is kept of a user", JSON, export, 400, 401, 403, 404, 422)
    gone = _get("Delete all that is kept of a user", JSON, deleted, 400, 401, 403, 404)
    found: dict[str, Any] = {"get": one["get"], "delete": gone["get"]}
    for each in (every["get"], *found.values()):
        each["security"] = [{"token": []}]
    path = {**_user("path"), "name": "user"}
    return {"/v1/users": every, "/v1/users/{user}": {**found, "parameters": [path]}}


def _get(summary: str, kind: str, schema: dict[str, Any], *problems: int) -> dict[str, Any]:
    ok = {"200": {"description": summary, "content": {kind: {"schema": schema}}}}
    return {"get": {"summary": summary, "responses": {**ok, **_problems(503, *problems)}}}


def _problems(*statuses: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    content = {"application/problem+json": {"schema": schema}}
    return {str(status): {"description": "A problem (RFC 9457)", "content": content} for status in statuses}


def _label(classes: Sequence[str]) -> dict[str, Any]:
    return {
        "name": "label",
        "in": "query",
        "required": True,
        "schema": {"enum": [*classes]},
        "description": "The label.",
    }


def _terms() -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 0, "maximum": 100_000, "default": TERMS}
    return {"name": "terms", "in": "query", "schema": schema, "description": "Terms that are named."}
