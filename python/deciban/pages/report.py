"""A report as one HTML page that needs nothing beside itself."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .. import __version__, store
from ..report.terminal import clean, name
from ..report.vector import COLOURS, IN_THE_DARK, lacking
from .blocks import Section, Slider
from .words import Words

if TYPE_CHECKING:
    from jinja2 import Environment

GENERATOR = f'<meta name="generator" content="deciban {__version__}">'
"""By this a page is known again before it is replaced."""


@dataclass(frozen=True)
class Report:
    """A title, what it comes down to, and sections.

    In a notebook it shows itself; `save` writes it. The page loads nothing, runs one short script, which the policy in
    its head names by its hash, and says the same without it. ImportError without Jinja2 (`deciban[report]`).

    >>> from .blocks import Facts
    >>> report = Report("m", "", [Section("facts", "Facts", [Facts([("model", "a & b")])])])
    >>> html = report.html()
    >>> "a &amp; b" in html, html == report.html()
    (True, True)
    """

    title: str
    claim: str
    sections: Sequence[Section]
    words: Words = field(default_factory=Words)

    def html(self) -> str:
        """The page."""
        made = _environment()
        script = _read("slider.js").strip() if self._moves() else ""
        return made.get_template("page.html").render(
            page=self,
            generator=GENERATOR,
            policy=_policy(script),
            colours=list(zip(COLOURS, IN_THE_DARK, strict=True)),
            styles=styles("parts.css", "page.css"),
            script=script,
            parts=made.get_template("parts.html").module,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, in one step."""
        store.replace(path, self.html().encode("utf-8", "backslashreplace"))

    def _repr_html_(self) -> str:
        """The page in a frame of its own, whose styles and script touch nothing around it."""
        style = "width: 100%; height: 42rem; border: 0"
        frame = f'<iframe title="{escape(name(self.title))}" style="{style}" sandbox="allow-scripts"'
        return f'{frame} srcdoc="{escape(self.html())}"></iframe>'

    def _moves(self) -> bool:
        return any(isinstance(block, Slider) for section in self.sections for block in section.blocks)


def _policy(script: str) -> str:
    """Nothing may be loaded, and no script run but this one."""
    allowed = "default-src 'none'; style-src 'unsafe-inline'"
    if not script:
        return allowed
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{allowed}; script-src 'sha256-{hashed}'"


def _environment() -> Environment:
    missing = lacking("jinja2")
    if missing:
        raise ImportError(f"a page needs {missing}")
    return _made()


@cache
def _made() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_read), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(line=name, lines=clean)
    return made


@cache
def _read(file: str) -> str:
    return (files(__package__) / file).read_text(encoding="utf-8")


def styles(*names: str) -> str:
    """Style sheets one after the other."""
    return "".join(map(_read, names))


def part(block: Any) -> str:
    """One block as HTML, for a page or a notebook."""
    made = _environment()
    return str(getattr(made.get_template("parts.html").module, block.part)(block))
