"""The pages of the API: one for each public class and function, from its docstring.

The public names are those whose docstrings `tests/docstrings.py` checks.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from functools import cache
from typing import Any

import docstrings
from page_words import words_of

RESULTS = {"en": "Results", "ko": "반환되는 객체"}


@cache
def names() -> dict[str, Any]:
    """Return the public classes and functions by the name under which they are imported."""
    return {name: value for name, value in docstrings.find_public().items() if _has_page(value)}


def _has_page(value: Any) -> bool:
    return inspect.isclass(value) or (inspect.isfunction(value) and "." not in value.__qualname__)


def pages(language: str) -> dict[str, str]:
    """Return the pages by their place: in English all of them, else the list of their names."""
    own = {f"reference/api/{name}.md": page_of(name, value) for name, value in names().items()}
    return {"reference/api/index.md": index(language), **(own if language == "en" else {})}


def page_of(name: str, value: Any) -> str:
    """Return the page of one name: how it is imported and called, and its docstring, which is read from the code."""
    module, _, short = name.rpartition(".")
    call = f"from {module} import {short}\n\n{signature(short, value)}"
    return (
        f"---\ntitle: {short}\ndescription: {summary(value)!r}\n---\n\n[API](index.md) · `{module}`\n\n# {short}\n\n"
        f"```python\n{call}\n```\n\n::: {value.__module__}.{value.__qualname__}\n"
    )


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
