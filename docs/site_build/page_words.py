"""The words of the pages that are generated, in words/: Markdown and labels, in English and in Korean."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "words"
LANGUAGES = ("en", "ko")
LABELS = ("labels", "studies")
"""Files of labels: within the pictures of the API's pages, and within the tables and pictures of studies."""
NUMBER = re.compile(r"\d[\d.,]*")


def words_of(page: str, language: str) -> str:
    """Return the words of a page."""
    return (FOLDER / f"{page}{'' if language == 'en' else f'.{language}'}.md").read_text(encoding="utf-8")


def translate(label: str, language: str) -> str:
    """Return an English label in a language, with its numbers; what is no label stays as it is."""
    if language == "en":
        return label
    numbers, key = NUMBER.findall(label), NUMBER.sub("#", label)
    told = next((known[key] for known in (read_labels(each, language) for each in LABELS) if key in known), None)
    if told is None:
        return label
    left = iter(numbers)
    return re.sub(r"#(\d?)", lambda found: numbers[int(found[1]) - 1] if found[1] else next(left), told)


@cache
def read_labels(name: str, language: str) -> Mapping[str, str]:
    """Return the labels of one file by the English ones, with # for each number, or #1, #2 in another order."""
    return tomllib.loads((FOLDER / f"{name}.{language}.toml").read_text(encoding="utf-8"))
