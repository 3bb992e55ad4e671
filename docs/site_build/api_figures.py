"""The figures of the API's pages: recorded pictures, in the colours of the page and the language of its reader."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from html import escape
from pathlib import Path

from page_words import FOLDER as WORDS
from page_words import translate

from deciban.report.palette import COLOURS, INK, PAPER

FOLDER = Path(__file__).parent / "api_pictures" / "drawn"
VARIABLES = {
    INK: "currentColor",
    PAPER: "var(--md-default-bg-color)",
    **{c: f"var(--class-{k})" for k, c in enumerate(COLOURS)},
}


@cache
def find_names() -> tuple[str, ...]:
    """Return the public names that have a picture."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.svg") if not path.stem.endswith(".ko")))


def write_figure(name: str, language: str) -> str:
    """Return the figure of a public name with its caption, as HTML; nothing where it has none."""
    if name not in find_names():
        return ""
    told = re.sub(r"`(.*?)`", r"<code>\1</code>", escape(find_caption(name, language), quote=False))
    head = f'<svg role="img" aria-labelledby="picture-{name}"'
    picture = read_picture(name, language).replace("<svg", head, 1)
    caption = f'<figcaption id="picture-{name}">{told}</figcaption>'
    return f'<figure class="picture" data-search-exclude>\n{picture}{caption}\n</figure>\n'


def read_picture(name: str, language: str) -> str:
    """Return a picture with its words in a language, and the colours of the page around it."""
    own = FOLDER / f"{name}.{language}.svg"
    drawn = (own if own.exists() else FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    if language != "en" and not own.exists():
        drawn = speak(drawn, language)
    return take_colours(drawn)


def speak(drawn: str, language: str) -> str:
    """Return a picture with its labels in a language."""
    return re.sub(r"(<text [^>]*>)([^<]*)", lambda found: found[1] + _translate(found, language), drawn)


def take_colours(drawn: str) -> str:
    """Return a picture with the colours of the page around it."""
    return re.sub("|".join(VARIABLES), lambda found: VARIABLES[found[0]], drawn)


def _translate(found: re.Match[str], language: str) -> str:
    """Return the words of a label, and what is no word or a word of the examples as it is."""
    return found[2] if ' lang="' in found[1] else translate(found[2], language)


@cache
def read_captions(language: str) -> Mapping[str, str]:
    """Return the captions by the names that they are of, which may have a * for many."""
    path = WORDS / f"captions{'' if language == 'en' else f'.{language}'}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def find_caption(name: str, language: str) -> str:
    """Return what a picture shows; the longest name that fits it decides."""
    known = read_captions(language)
    return known[max((each for each in known if fnmatchcase(name, each)), key=len)]
