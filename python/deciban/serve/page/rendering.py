"""Templates of the page, its files, and the headers that keep a browser from doing more than the page needs."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from ...report.terminal import clean, name

STATIC = {"page.css": "text/css; charset=utf-8", "parts.css": "text/css; charset=utf-8", "page.js": "text/javascript"}
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_SHARED = ("parts.html", "parts.css")  # with the pages that `deciban report` writes


class Page(HTMLResponse):
    """A page that no cache keeps, as it shows mail."""

    def __init__(self, content: str, status_code: int = 200) -> None:
        super().__init__(content, status_code, {"Cache-Control": "no-store"})


def static_file(file: str) -> Response:
    """Return a style sheet or the script; browsers keep it, as its address changes with it."""
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(read(file), 200, headers, STATIC[file])


def version_of(file: str) -> str:
    """Return what the address of a file ends with, so that another one has another address."""
    return sha256(read(file).encode()).hexdigest()[:12]


@cache
def read(file: str) -> str:
    """Return the text of a template or of a file."""
    if file in _SHARED:
        return (files("deciban.pages") / file).read_text(encoding="utf-8")
    folder = "static" if file in STATIC else "templates"
    return (files(__package__) / folder / file).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(read), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(line=name, lines=clean, coded=_coded)
    made.globals.update(version_of=version_of)
    return made


def _coded(text: str) -> Markup:
    """Return a text in which what stands between backticks is code."""
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))


def render(template: str, **values: Any) -> str:
    """Return a page as HTML."""
    return _environment().get_template(template).render(values)
