"""Links: those that lead out of docs/ in the repository, and names of the API within sentences."""

from __future__ import annotations

import posixpath
import re
from functools import cache

import api_pages

OUTSIDE = {
    "../benchmarks/README.md": "benchmarks.md",
    "../benchmarks/": "benchmarks.md",
    "../deploy": "deploy.md",
    "../CONTRIBUTING.md": None,
}


def rewrite(markdown: str, source: str) -> str:
    """Return a page whose links to the benchmarks and to deploy/ lead to the pages of the site that show them."""

    def turn(match: re.Match[str]) -> str:
        target, _, anchor = match[2].partition("#")
        if target.startswith("../deploy/"):
            target, anchor = "../deploy", target.removeprefix("../deploy/").strip("/")
        place = OUTSIDE.get(target)
        return match[0] if place is None else f"{match[1]}({place}{'#' + anchor if anchor else ''})"

    return re.sub(r"(\])\(([^)\s]+)\)", turn, markdown) if "/" not in source else markdown


@cache
def _linked() -> dict[str, str]:
    return {name.rpartition(".")[2]: name for name in api_pages.names() if name.count(".") == 1}


def link_names(markdown: str, url: str, language: str) -> str:
    """Return a page on which the first mention of each public name leads to its page.

    Blocks of code, headings, links and pages of the API themselves stay as they are.
    """
    if "/api/" in url:
        return markdown
    seen: set[str] = set()
    root = posixpath.relpath("." if language == "en" else language, url or ".")

    def turn(match: re.Match[str]) -> str:
        name = _linked().get(match[1])
        if name is None or name in seen:
            return match[0]
        seen.add(name)
        return f'<a href="{root}/reference/api/{name}/"><code>{match[1]}</code></a>'

    parts = re.split(
        r"(^```.*?^```|^(?: {4}|#|\|).*?$|\[[^\]\n]*\]\([^)]*\))", markdown, flags=re.DOTALL | re.MULTILINE
    )
    return "".join(part if k % 2 else re.sub(r"`(?:deciban\.)?(\w+)`", turn, part) for k, part in enumerate(parts))
