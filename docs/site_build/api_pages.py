"""The pages of the API: one for each public class and function, from its docstring.

The public names are those whose docstrings `tests/docstrings.py` checks. Docstrings are in English; a Korean page has
its summary, its picture and its headings in Korean.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections import defaultdict
from functools import cache
from html import escape
from typing import Any

import api_figures
import docstrings
from page_words import FOLDER as WORDS
from page_words import words_of

FOLDER = "reference/api/"
PARTS = re.compile(
    r'(.*?</h1>\n<p class="where".*?</p>\n)(<div class="highlight">.*?</div>\n)'
    r"(\s*(?:<div[^>]*>\s*)*)(<p>.*?</p>\n)(.*)",
    flags=re.DOTALL,
)
"""Of a page of a public name: its heading, how it is called, where the docstring begins, its summary and the rest."""
NARROW = 38
"""Characters of lines that have room beside a picture."""
RESULTS = {"en": "Results", "ko": "반환되는 객체"}
PART_NAMES = {
    "ko": {"Parameters": "매개변수", "Returns": "반환값", "Raises": "오류", "Attributes": "속성", "Examples": "예제"}
}
"""What the parts of a docstring are called."""
DEFAULT = {"ko": "기본값"}


@cache
def names() -> dict[str, Any]:
    """Return the public classes and functions by the name under which they are imported."""
    return {name: value for name, value in docstrings.find_public().items() if _has_page(value)}


def _has_page(value: Any) -> bool:
    return inspect.isclass(value) or (inspect.isfunction(value) and "." not in value.__qualname__)


def pages(language: str) -> dict[str, str]:
    """Return the pages by their place."""
    own = {f"{FOLDER}{name}.md": page_of(name, value, language) for name, value in names().items()}
    return {f"{FOLDER}index.md": index(language), **own}


def page_of(name: str, value: Any, language: str) -> str:
    """Return the page of one name: how it is imported and called, and its docstring, which is read from the code.

    Of another language there is only what the page is called; its content is arranged from the English one.
    """
    module, _, short = name.rpartition(".")
    head = f"---\ntitle: {short}\ndescription: {summarise(name, language)!r}\nhide: [navigation]\n---\n\n"
    if language != "en":
        return f"{head}# {short}\n"
    return (
        f"{head}# {short}\n\n[API](index.md) · `{module}`\n{{ .where data-search-exclude='' }}\n\n"
        f"```python\n{write_call(name, value)}\n```\n\n::: {value.__module__}.{value.__qualname__}\n"
    )


def write_call(name: str, value: Any) -> str:
    """Return how a name is imported and called."""
    module, _, short = name.rpartition(".")
    return f"from {module} import {short}\n\n{signature(short, value)}"


def is_of_a_name(place: str) -> bool:
    """Return whether a place is that of the page of a public name."""
    return place.startswith(FOLDER) and place.removeprefix(FOLDER).removesuffix(".md") in names()


def arrange(html: str, place: str, language: str) -> str:
    """Return the content of a page of a public name: its summary, how it is called, its picture, and its docstring.

    Other pages are returned as they are.
    """
    if not is_of_a_name(place):
        return html
    found = PARTS.fullmatch(html.replace("<pre>", "<pre data-search-exclude>"))  # a search shows sentences
    assert found is not None, place
    name = place.removeprefix(FOLDER).removesuffix(".md")
    head, call, start, first, rest = found.groups()
    shown = call + api_figures.write_figure(name, language)
    if shown != call and max(map(len, write_call(name, names()[name]).split("\n"))) <= NARROW:
        shown = f'<div class="beside">{shown}</div>\n'
    if language == "en":
        return head + start + first + shown + rest
    told = re.sub(r"`(.*?)`", r"<code>\1</code>", escape(summarise(name, language), quote=False))
    return f"{head}<p>{told}</p>\n{shown}{_name_parts(start + first + rest, language)}"


def _name_parts(html: str, language: str) -> str:
    """Return a docstring, marked as English, with headings in a language."""
    for told, known in PART_NAMES[language].items():
        html = html.replace(f">{told}:</span></p>", f' lang="{language}">{known}</span></p>')
    html = html.replace("default:\n", f'<span lang="{language}">{DEFAULT[language]}:</span>\n')
    return f'<section lang="en">\n{html}\n</section>\n'


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


def summarise(name: str, language: str) -> str:
    """Return what a name is, in a sentence: in English the first line of its docstring."""
    if language == "en":
        return (inspect.getdoc(names()[name]) or "").split("\n")[0]
    return summaries(language)[name]


@cache
def summaries(language: str) -> dict[str, str]:
    """Return a sentence for each public name."""
    return tomllib.loads((WORDS / f"summaries.{language}.toml").read_text(encoding="utf-8"))


def index(language: str) -> str:
    """Return the page that lists them all, by the module that they are imported from."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names():
        module = name.rpartition(".")[0]
        known = module in ("deciban", *(f"deciban.{package}" for package in docstrings.PACKAGES))
        groups[f"`{module}`" if known else RESULTS[language]].append(
            f"- [`{name.rpartition('.')[2]}`]({name}.md): {summarise(name, language)}"
        )
    last = RESULTS[language]
    ordered = sorted(groups, key=lambda head: (head != "`deciban`", head == last, head))
    lists = [f"## {head}\n\n" + "\n".join(sorted(groups[head], key=str.lower)) for head in ordered]
    return "\n\n".join([words_of("api", language), *lists]) + "\n"
