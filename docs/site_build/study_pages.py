"""Writes docs/NAME.md and NAME.ko.md from their templates in docs/studies/ and recorded numbers; fits no model.

python docs/site_build/study_pages.py [NAME …]

A template is Markdown, and a template of Jinja: its names are the keys of benchmarks/studies/NAME.json, and what
docs/studies/NAME.py derives from them, the words of which words/studies.ko.toml has in Korean. A sentence that the
numbers could contradict stands within {% claim CONDITION %} and {% endclaim %}; a page whose claims do not all hold is
not written.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import study_filters
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Undefined, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from page_words import LANGUAGES, translate

ROOT = Path(__file__).parents[2]
if str(ROOT / "docs") not in sys.path:
    sys.path.append(str(ROOT / "docs"))  # of the package `studies`
PAGES, TEMPLATES, NUMBERS = ROOT / "docs", ROOT / "docs" / "studies", ROOT / "benchmarks" / "studies"
NAMES = tuple(sorted(path.stem for path in TEMPLATES.glob("*.md") if "." not in path.stem))
WIDTH = 118
AS_IT_IS = ("#", "|", ">", "!", "<", "    ", "```")
"""How a block begins that is not wrapped."""


@dataclass(frozen=True)
class Claim:
    """A sentence of a template, what must be so of the numbers, and what they are on the sides of its comparisons."""

    template: str
    line: int
    sentence: str
    condition: str
    holds: bool
    compared: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"docs/studies/{self.template}:{self.line}: the numbers contradict a sentence.\n"
            f"  It says: {self.sentence}\n  It needs: {self.condition}\n  It is: {'; '.join(self.compared)}"
        )


class ContradictedError(Exception):
    """A claim that the numbers do not bear out."""


class Claims(Extension):
    """The tag {% claim CONDITION %} … {% endclaim %}."""

    tags = {"claim"}  # noqa: RUF012 (as Jinja declares it)

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Give each tag its condition as a text, too, by which an error names it."""
        return re.sub(
            r"\{% claim (.*?) %\}",
            lambda found: f"{{% claim {json.dumps(' '.join(found[1].split()))}, {found[1]} %}}",
            source,
            flags=re.DOTALL,
        )

    def parse(self, parser: Parser) -> nodes.Node:
        """Read a claim; the sides of its comparisons are evaluated, too, so that an error can tell them."""
        line = next(parser.stream).lineno
        text = parser.parse_expression()
        parser.stream.expect("comma")
        condition = parser.parse_expression()
        compares = [condition] if isinstance(condition, nodes.Compare) else list(condition.find_all(nodes.Compare))
        sides = [[each.expr, *(right.expr for right in each.ops)] for each in compares]
        told = nodes.List([nodes.List([deepcopy(side) for side in each]) for each in sides])
        arguments = [nodes.Const(parser.name), nodes.Const(line), text, condition, told]
        body = parser.parse_statements(("name:endclaim",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_check", arguments), [], [], body).set_lineno(line)

    def _check(
        self, template: str, line: int, condition: str, holds: Any, sides: Any, caller: Callable[[], str]
    ) -> str:
        said = caller()
        compared = tuple(" and ".join(map(_shown, each)) for each in sides)
        claim = Claim(template, line, " ".join(said.split()), condition, bool(holds), compared)
        self.environment.checked(claim)  # type: ignore[attr-defined]
        return said


def _shown(side: Any) -> str:
    return f"{side:.6g}" if isinstance(side, float) else str(side)


def _refuse(claim: Claim) -> None:
    if not claim.holds:
        raise ContradictedError(str(claim))


def recorded(name: str) -> dict[str, Any]:
    """Return the numbers of a study, and those of the benchmarks' records that its page tells of."""
    kept: dict[str, Any] = json.loads((NUMBERS / f"{name}.json").read_text(encoding="utf-8"))
    return {**kept, **getattr(derivations(name), "records", dict)()}


def derivations(name: str) -> Any:
    """Return the module that derives what a page names, or None where the template needs none."""
    return importlib.import_module(f"studies.{name}") if (TEMPLATES / f"{name}.py").exists() else None


def page(
    name: str,
    numbers: dict[str, Any] | None = None,
    checked: Callable[[Claim], None] = _refuse,
    language: str = "en",
) -> str:
    """Return a page; by default the first claim that does not hold raises a ContradictedError."""
    numbers = recorded(name) if numbers is None else numbers
    environment: Any = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        extensions=[Claims],
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        finalize=partial(_say, language),
    )
    filters = study_filters.FILTERS | study_filters.OF_LANGUAGES.get(language, {})
    environment.filters |= {name: _of_what_is_defined(each) for name, each in filters.items()}
    environment.globals |= study_filters.FUNCTIONS
    environment.checked = checked
    derived = derivations(name)
    known = {**numbers, **(derived.derive(numbers) if derived else {})}
    template = file_of(name, language)
    title, _, text = wrapped(environment.get_template(template).render(known)).partition("\n")
    return f"{title}\n\n<!-- Written by make pages from docs/studies/{template}. -->\n{text.rstrip()}\n"


def file_of(name: str, language: str) -> str:
    """Return the name of the file of a page, and of its template, in a language."""
    return f"{name}.md" if language == "en" else f"{name}.{language}.md"


def _say(language: str, value: Any) -> Any:
    """Return what a placeholder stands for, the words of texts, and of the cells of tables, in a language."""
    if not isinstance(value, str) or isinstance(value, Undefined):
        return value
    return re.sub(r"[^|\n]+", lambda found: _say_cell(language, found[0]), value)


def _say_cell(language: str, cell: str) -> str:
    said = cell.strip(" ")
    return cell.replace(said, translate(said, language)) if said else cell


def _of_what_is_defined(function: Callable[..., str]) -> Callable[..., str]:
    """Return a filter that names what is not defined, where it would fail otherwise."""
    return lambda value, *more: function(str(value) if isinstance(value, Undefined) else value, *more)


def claims(name: str, numbers: dict[str, Any] | None = None, language: str = "en") -> list[Claim]:
    """Return the claims of a page, whether they hold or not."""
    found: list[Claim] = []
    page(name, numbers, found.append, language)
    return found


def pictures(name: str) -> dict[str, str]:
    """Return the pictures of a page that are drawn from its numbers, by the names of their files."""
    drawn: dict[str, str] = getattr(derivations(name), "draw", lambda numbers: {})(recorded(name))
    return drawn


def wrapped(text: str) -> str:
    """Return Markdown whose paragraphs and items of lists are wrapped, one empty line between blocks."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    blocks = (block for k, part in enumerate(parts) for block in ([part] if k % 2 else _blocks(part)))
    return "\n\n".join(blocks)


def _blocks(text: str) -> Iterator[str]:
    for block in re.split(r"\n{2,}", text):
        if block.strip("\n"):
            yield _wrap(block.strip("\n"))


def _wrap(block: str) -> str:
    if block.startswith(AS_IT_IS):
        return block
    return textwrap.fill(
        " ".join(re.split(r"[ \n]+", block.strip(" "))),
        WIDTH,
        subsequent_indent="  " if block.startswith("- ") else "",
        break_on_hyphens=False,
        break_long_words=False,
    )


def write(name: str) -> None:
    """Write a page in each language, and its pictures."""
    texts = {file_of(name, each): page(name, language=each) for each in LANGUAGES}
    for file, text in texts.items():
        (PAGES / file).write_text(text, encoding="utf-8")
    for file, picture in pictures(name).items():
        (PAGES / file).write_text(picture, encoding="utf-8")


def main(names: Sequence[str]) -> None:
    """Write these pages, or say which sentence the numbers contradict."""
    try:
        for name in names:
            write(name)
    except ContradictedError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:] or NAMES)
