"""The description of the review, as OpenAPI 3.1: paths that `openapi.describe_api` has where messages may be kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .kept import LISTS
from .review import DUPLICATES, LATEST, MOST, VERDICTS

_SECURITY: list[dict[str, list[str]]] = [{"token": []}]


def describe_review(classes: Sequence[str], why: Any, terms: Any, problems: Mapping[int, Any]) -> dict[str, Any]:
    """Return the paths: `why` describes an explanation, `terms` the parameter of that name, `problems` by status."""
    message = _message(classes)
    listed = {
        "type": "object",
        "required": ["of", "count", "messages"],
        "properties": {
            "of": {"enum": [*LISTS, DUPLICATES]},
            "count": {"type": "integer", "description": "Messages of the whole list; of duplicates, groups."},
            "messages": {"type": "array", "items": message},
        },
    }
    shown = _plus(message, {"explanation": why})
    corrected = _plus(message, {"outcome": {"type": "string"}, "model": {"type": "string"}})
    number = {
        "name": "id",
        "in": "path",
        "required": True,
        "schema": {"type": "integer", "minimum": 1, "maximum": LATEST},
    }
    label = {
        "type": "object",
        "required": ["label"],
        "properties": {"label": {"enum": [*classes, None], "description": "null takes the label back."}},
        "additionalProperties": False,
    }
    body = {"required": True, "content": {"application/json": {"schema": label}}}
    common = {each: problems[each] for each in (400, 401, 403, 409, 503)}
    return {
        "/v1/review": {"get": _operation("Messages that are kept", listed, common, _parameters(classes))},
        "/v1/review/{id}": {
            "get": _operation("A message and its evidence", shown, {**common, 404: problems[404]}, [number, terms]),
            "post": {
                **_operation(
                    "Correct a message",
                    corrected,
                    {**common, **{each: problems[each] for each in (404, 408, 413, 422)}},
                    [number],
                ),
                "requestBody": body,
            },
        },
    }


def _operation(summary: str, schema: Any, problems: Mapping[int, Any], parameters: list[Any]) -> dict[str, Any]:
    ok = {"description": summary, "content": {"application/json": {"schema": schema}}}
    told = {str(status): about for status, about in problems.items()}
    return {"summary": summary, "parameters": parameters, "security": _SECURITY, "responses": {"200": ok, **told}}


def _message(classes: Sequence[str]) -> dict[str, Any]:
    number, text = {"type": "number"}, {"type": "string"}
    own = {
        "id": {"type": "integer"},
        "digest": {**text, "description": "By which the filter knows it again."},
        "arrived": {**text, "format": "date-time"},
        "times": {"type": "integer", "description": "How often it was classified."},
        "protocol": {"enum": ["http", "spamd", "rspamd", "milter"]},
        "from": text,
        "subject": text,
        "bytes": {"type": "integer"},
        "whole": {"type": "boolean", "description": "Whether all of it is kept, so that it can be learnt."},
        "score": {**number, "description": "What was said before it had a label."},
        "decibans": {**number, "description": "Evidence for spam, then."},
        "verdict": {"enum": [*VERDICTS]},
        "label": {"enum": [*classes, None], "description": "What it was learnt as."},
    }
    return {
        "type": "object",
        "required": [*own],
        "properties": {**own, "group": {"type": "integer", "description": "Of duplicates: which are alike."}},
    }


def _plus(schema: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "required": [*schema["required"], *more], "properties": {**schema["properties"], **more}}


def _parameters(classes: Sequence[str]) -> list[Any]:
    def one(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
        return {"name": name, "in": "query", "schema": schema, "description": description}

    lists = {"enum": [*LISTS, DUPLICATES], "default": LISTS[0]}
    return [
        one("of", lists, "Which messages: all, the unsure ones, those whose label is doubtful, those that are alike."),
        one("verdict", {"enum": [*VERDICTS]}, "What was said of them."),
        one("label", {"enum": ["", *classes]}, "What they were learnt as; empty for what was not."),
        one("text", {"type": "string", "maxLength": 200}, "What the sender or the subject contains."),
        one("offset", {"type": "integer", "minimum": 0, "maximum": 10**6, "default": 0}, "How many are left out."),
        one("limit", {"type": "integer", "minimum": 0, "maximum": MOST, "default": 50}, "How many there are at most."),
    ]
