"""The pages of the API: one for each public class and function, from its docstring.

The public names are those whose docstrings `tests/docstrings.py` checks.
"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from functools import cache
from typing import Any

import api_figures
import docstrings
from page_words import words_of

FOLDER = "reference/api/"
PARTS = re.compile(
    r"(.*?</h1>\n)(<div class=\"highlight\">.*?</div>\n)(\s*(?:<div[^>]*>\s*)*)(<p>.*?</p>\n)(.*)", flags=re.DOTALL
)
"""Of a page of a public name: its heading, how it is called, where the docstring begins, its summary and the rest."""
NARROW = 38
"""Characters of lines that have room beside a picture."""
HERE = "<!-- picture -->"
RESULTS = {"en": "Results", "ko": "반환되는 객체"}


@cache
def names() -> dict[str, Any]:
    """Return the public classes and functions by the name under which they are imported."""
    return {name: value for name, value in docstrings.find_public().items() if _has_page(value)}


def _has_page(value: Any) -> bool:
    return inspect.isclass(value) or (inspect.isfunction(value) and "." not in value.__qualname__)


def pages(language: str) -> dict[str, str]:
    """Return the pages by their place: in English all of them, else the list of their names."""
    own = {f"{FOLDER}{name}.md": page_of(name, value) for name, value in names().items()}
    return {f"{FOLDER}index.md": index(language), **(own if language == "en" else {})}


def page_of(name: str, value: Any) -> str:
    """Return the page of one name: how it is imported and called, and its docstring, which is read from the code."""
    module, _, short = name.rpartition(".")
    return (
        f"---\ntitle: {short}\ndescription: {summary(value)!r}\nhide: [navigation]\n---\n\n"
        f"[API](index.md) · `{module}`\n\n# {short}\n\n"
        f"```python\n{write_call(name, value)}\n```\n\n::: {value.__module__}.{value.__qualname__}\n"
    )


def write_call(name: str, value: Any) -> str:
    """Return how a name is imported and called."""
    module, _, short = name.rpartition(".")
    return f"from {module} import {short}\n\n{signature(short, value)}"


def add_figure(html: str, place: str, language: str) -> str:
    """Return the content of a page of a public name: its summary, how it is called, its picture, and the rest.

    Other pages are returned as they are.
    """
    name = place.removeprefix(FOLDER).removesuffix(".md")
    if not place.startswith(FOLDER) or name not in names():
        return html
    figure = api_figures.write_figure(name, language)
    if figure and max(map(len, write_call(name, names()[name]).split("\n"))) <= NARROW:
        return PARTS.sub(rf'\1\3\4<div class="beside">\2{HERE}</div>\5', html, count=1).replace(HERE, figure, 1)
    return PARTS.sub(rf"\1\3\4\2{HERE}\5", html, count=1).replace(HERE, figure, 1)


def signature(name: str, value: Any) -> str:
    """Return how it is called, a parameter a line where they are many."""
    try:
        found = inspect.signature(value)
    except ValueError:
        return name
    shown = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    short = str(found.replace(parameters=shown, return_annotation=inspect.Signature.empty))
    if getattr(value, "_is_protocol", False) or len(name + short) <= 88:
        return name if getattr(value, "_is_protocol", False) else name + short
    lines, marked = [], False
    for each in shown:
        if each.kind is each.KEYWORD_ONLY and not marked:
            lines, marked = [*lines, "*"], True
        marked = marked or each.kind is each.VAR_POSITIONAL
        lines.append(str(each))
    return f"{name}(\n" + "".join(f"    {line},\n" for line in lines) + ")"


def summary(value: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(value) or "").split("\n")[0]


def index(language: str) -> str:
    """Return the page that lists them all, by the module that they are imported from."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, value in names().items():
        module = name.rpartition(".")[0]
        known = module in ("deciban", *(f"deciban.{package}" for package in docstrings.PACKAGES))
        place = f"{name}.md" if language == "en" else f"../../../reference/api/{name}/"
        groups[f"`{module}`" if known else RESULTS[language]].append(
            f"- [`{name.rpartition('.')[2]}`]({place}): {summary(value)}"
        )
    last = RESULTS[language]
    ordered = sorted(groups, key=lambda head: (head != "`deciban`", head == last, head))
    lists = [f"## {head}\n\n" + "\n".join(sorted(groups[head], key=str.lower)) for head in ordered]
    return "\n\n".join([words_of("api", language), *lists]) + "\n"
