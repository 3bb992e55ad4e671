"""A hook of MkDocs: formulas of the course, $…$ within a line and $$…$$ on lines of their own, become MathML.

In mkdocs.yml:  hooks: [docs/course/formulas.py]
"""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r"\$\$(?P<block>.+?)\$\$|(?<![A-Za-z0-9$\\])\$(?P<line>[^$\n]+?)\$(?![A-Za-z0-9])", re.DOTALL)
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_MARK = "formula-of-the-course-{}-"


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Put marks in the place of formulas, which Markdown would read as its own."""
    if not page.file.src_uri.startswith("course/"):
        return markdown
    page.course_formulas = []

    def keep(found: re.Match[str]) -> str:
        page.course_formulas.append(to_mathml(found["block"] or found["line"], bool(found["block"])))
        return _MARK.format(len(page.course_formulas) - 1)

    pieces, done = [], 0
    for code in _CODE.finditer(markdown):
        pieces += [_FORMULA.sub(keep, markdown[done : code.start()]), code.group()]
        done = code.end()
    return "".join([*pieces, _FORMULA.sub(keep, markdown[done:])])


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Put the formulas back, as MathML."""
    for k, formula in enumerate(getattr(page, "course_formulas", [])):
        html = html.replace(_MARK.format(k), formula)
    return html


def to_mathml(latex: str, is_block: bool) -> str:
    """Return a formula as MathML, for browsers and screen readers, without a script."""
    return str(convert(latex.strip(), display="block" if is_block else "inline")).replace("\n", "")
