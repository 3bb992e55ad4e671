"""Pages, read as strictly as the standard reads them."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import html5lib

VOID = {"meta", "br", "img", "link", "hr", "input"}
# Elements that load something, or that send it.
OUTWARD = {"link", "img", "iframe", "object", "embed", "base", "form", "audio", "video", "source", "foreignobject"}


class Page(HTMLParser):
    """The tags of a page, which must close as they opened; its texts by language; and its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.spoken: list[tuple[str, str]] = []
        self.attributes: list[tuple[str, str]] = []
        self.headings: list[int] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            above = self.open[-1][1] if self.open else ""
            self.open.append((tag, dict(attributes).get("lang") or above))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, text):
        tag, language = self.open[-1] if self.open else ("", "")
        if tag not in ("style", "script"):
            self.texts.append(text.strip())
            self.spoken.append((language, text.strip()))


def checked(html: str, language: str = "en") -> Page:
    """A page, which must be valid, need nothing from elsewhere, run nothing but its own script, and have one name for
    each thing."""
    html5lib.HTMLParser(strict=True).parse(html)
    page = Page(html)
    assert html.startswith("<!doctype html>")
    assert f'<html lang="{language}">' in html
    assert not OUTWARD & set(page.tags)
    addresses = re.findall(r"\w+://[^\s\"'<]*", re.sub(r'xmlns(:\w+)?="[^"]*"', "", _unspoken(html)))
    assert not addresses
    assert not re.search(r"url\((?!#)|@import", html)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert all(value.startswith("#") for name, value in page.attributes if name in ("href", "xlink:href", "src"))
    names = [value for name, value in page.attributes if name == "id"]
    assert len(names) == len(set(names))
    linked = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', html)
    pointed = [value for name, value in page.attributes if name in ("aria-labelledby", "for")]
    assert {one or other for one, other in linked} | {each for value in pointed for each in value.split()} <= set(names)
    for said in ("prefers-color-scheme: dark", "@media print", "width=device-width"):
        assert said in html
    assert page.headings[0] == 1
    assert all(after <= before + 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    _own_script(html, page)
    return page


def _unspoken(html: str) -> str:
    """The page without what a stranger's message says."""
    return re.sub(r'<div class="passage".*?</div>', "", html, flags=re.DOTALL)


def _own_script(html: str, page: Page) -> None:
    """At most one script, which the page's policy names by its hash."""
    policy = next(value for name, value in page.attributes if name == "content" and value.startswith("default-src"))
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert page.tags.count("script") == len(scripts) <= 1
    hashed = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts]
    expected = "".join(f"; script-src 'sha256-{each}'" for each in hashed)
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'{expected}"


def read(path: Path, language: str = "en") -> Page:
    """The page at a path."""
    return checked(path.read_text(encoding="utf-8"), language)
