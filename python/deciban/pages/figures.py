"""Figures of `deciban.report` as elements of a page, in its language."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING

from ..report.vector import inline
from .blocks import Figure
from .words import CATALOGUES, Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

_TEXT = re.compile(r"(<text\b[^>]*>)([^<]*)(</text>)")
_DRAWN = "drawn."
_LONG = 220  # characters of a caption


def figure(drawn: Drawn, key: str) -> Figure:
    """A figure whose ids begin with `key`, and which says in its label what it shows: "what: details; details"."""
    says = str(drawn.get_label())
    short, _, more = says.partition("; ") if len(says) > _LONG else (says, "", "")
    return Figure(inline(drawn, says.partition(":")[0], f"{key}-"), short, more)


def spoken(drawn: Drawn, key: str, words: Words) -> Figure:
    """A figure whose words are English, in the language of the page; `key`.says tells what it shows."""
    if words.language == "en":
        return figure(drawn, key)
    says = words(f"{key}.says")
    for axes in drawn.axes:
        axes.set_title("", loc="left")  # sentences of their own
    return Figure(translated(inline(drawn, says, f"{key}-"), words), says)


def translated(element: str, words: Words) -> str:
    """The same figure with those of its words that the catalogue knows in another language: a word that stands alone,
    or before a number or a colon.

    >>> translated('<text x="1">support vectors: 3</text>', Words("ko"))
    '<text x="1">서포트 벡터: 3</text>'
    """
    english, own = (
        {k: v for k, v in CATALOGUES[lang].items() if k.startswith(_DRAWN)} for lang in ("en", words.language)
    )
    known = {text: own[key] for key, text in english.items()}
    longest_first = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    word = re.compile(rf"(?<![\w]){'(?:' + longest_first + ')'}(?![\w])")

    def said(match: re.Match[str]) -> str:
        text = unescape(match[2])
        return match[1] + escape(word.sub(lambda found: known[found[0]], text), quote=False) + match[3]

    return _TEXT.sub(said, element)
