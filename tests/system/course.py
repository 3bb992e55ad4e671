"""The course as its tests see it: its pages, its figures in a browser, and the functions of its modules."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from system.browser import open_chromium

COURSE = Path(__file__).parents[2] / "docs" / "course"
CHAPTERS = (
    "perceptron",
    "least-squares",
    "gaussians",
    "smoothing",
    "naive-bayes",
    "gradient-descent",
    "hidden-layer",
    "margins",
    "bounds",
    "bias-variance",
)
LANGUAGES = {"en": ".md", "ko": ".ko.md"}

_PAGE = """<!doctype html><html lang="{language}" data-md-color-scheme="{scheme}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>{name}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/site.css"><link rel="stylesheet" href="/course.css">
<style>html {{ font-size: 125%; color-scheme: {tone} }} body {{ margin: 12px; font: 16px sans-serif;
background: var(--md-default-bg-color); color: var(--md-typeset-color) }}
[data-md-color-scheme=default] {{ --md-default-bg-color: #fff; --md-typeset-color: #222;
--md-code-bg-color: #f5f5f5 }}
[data-md-color-scheme=slate] {{ --md-default-bg-color: #1e2129; --md-typeset-color: #e2e4e9;
--md-code-bg-color: #14171d }}
button {{ background: none; font: inherit }}</style>
<main class="md-typeset"><h1>{name}</h1>{figure}</main>{script}"""


def read_page(name: str, language: str = "en") -> str:
    """Return the Markdown of a chapter."""
    return (COURSE / f"{name}{LANGUAGES[language]}").read_text(encoding="utf-8")


def figure_of(name: str, language: str = "en") -> str:
    """Return the figure of a chapter as HTML, as Markdown would make it."""
    found = re.search(r"<figure.*?</figure>", read_page(name, language), flags=re.DOTALL)
    assert found is not None, name
    picture = r'<p><img alt="\1" src="/\2" \3></p>'
    return re.sub(r"!\[(.*?)\]\((.*?)\)\{ (.*?) \}", picture, found[0]).replace(" markdown>", ">")


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:  # the name is http.server's
        if self.path == "/site.css":
            return self._answer("text/css", (COURSE.parent / "assets" / "site.css").read_bytes())
        found = re.fullmatch(r"/page/(en|ko)/(default|slate)/([a-z-]+)", self.path)
        if found is None:
            return super().do_GET()
        language, scheme, name = found.groups()
        script = '<script type="module" src="/widgets/main.js"></script>'
        figure = figure_of(name, language) if name != "none" else ""
        tone = "dark" if scheme == "slate" else "light"
        text = _PAGE.format(
            language=language, scheme=scheme, tone=tone, name=name, figure=figure, script=script
        ).encode()
        return self._answer("text/html; charset=utf-8", text)

    def _answer(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve_course() -> Iterator[str]:
    """Serve docs/course and pages of one figure, /page/LANGUAGE/SCHEME/CHAPTER; the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(COURSE)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def call_module(page: Any, module: str, expression: str, given: Any) -> Any:
    """Return the value of an expression over a module `m` and what is `given`; numbers travel to the last bit."""
    script = f"""async (text) => {{
      const m = await import('/widgets/numbers/{module}.js');
      const given = JSON.parse(text);
      return JSON.stringify({expression});
    }}"""
    return json.loads(page.evaluate(script, json.dumps(given)))


@contextmanager
def open_modules() -> Iterator[Any]:
    """Open an empty page from which the modules of the course can be called; skips where there is no browser."""
    with open_chromium() as browser, serve_course() as address:
        page = browser.new_page()
        page.goto(f"{address}/page/en/default/none")
        yield page
