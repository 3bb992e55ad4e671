"""What a page says, in the language of its reader."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from .english import ENGLISH
from .korean import KOREAN

CATALOGUES: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "ko": KOREAN}
LANGUAGES = tuple(CATALOGUES)


@dataclass(frozen=True)
class Words:
    """The catalogue of one language: `words(key, name=value, …)` is the text of that key with its values in place.

    >>> Words("en")("share", some=2, all=40)
    '2 of 40'
    >>> Words("ko")("share", some=2, all=40)
    '40 중 2'
    """

    language: str = "en"

    def __post_init__(self) -> None:
        if self.language not in CATALOGUES:
            raise UsageError(f"Expected a language among {', '.join(LANGUAGES)}; came {self.language!r}.")

    def __call__(self, key: str, /, **values: Any) -> str:
        """The text of `key`."""
        return CATALOGUES[self.language][key].format(**values)

    def raw(self, key: str) -> str:
        """The text of `key` with the names of its values, which a script puts in."""
        return CATALOGUES[self.language][key]

    def known(self, kind: str, value: str) -> str:
        """What a value of a closed kind is called, as in `model.svm`; the value itself where it has no name."""
        return CATALOGUES[self.language].get(f"{kind}.{value}", value)


def words_in(language: str | None = None, environment: Mapping[str, str] = os.environ) -> Words:
    """The words of a language, or of that of the environment: Korean where its messages are Korean, else English.

    >>> words_in(None, {"LC_ALL": "", "LANG": "ko_KR.UTF-8"}).language, words_in(None, {}).language
    ('ko', 'en')
    """
    if language is not None:
        return Words(language)
    set_ = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return Words("ko" if set_.lower().startswith("ko") else "en")
