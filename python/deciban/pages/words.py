"""Texts of a page, in the language of its reader."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import UsageError
from ..report.figure_words import OF_MAIL
from .english import ENGLISH
from .korean import KOREAN
from .mail_words import MAIL
from .summary_words import SUMMARY, SUMMARY_OF_MAIL

CATALOGUES: Mapping[str, Mapping[str, str]] = {"en": ENGLISH | SUMMARY["en"], "ko": KOREAN | SUMMARY["ko"]}
OF_MESSAGES = {language: texts | SUMMARY_OF_MAIL[language] for language, texts in MAIL.items()}
"""What pages about mail say otherwise."""
LANGUAGES = tuple(CATALOGUES)


@dataclass(frozen=True)
class Words:
    """The catalogue of one language: `words(key, name=value, …)` is the text of that key with its values in place; of
    pages about `mail`, whose examples are messages.

    >>> Words("en")("share", some=2, all=40)
    '2 of 40'
    >>> Words("ko")("share", some=2, all=40)
    '40 중 2'
    >>> Words("en")("examples"), Words("en", mail=True)("examples")
    ('examples', 'messages')
    """

    language: str = "en"
    mail: bool = False

    def __post_init__(self) -> None:
        if self.language not in CATALOGUES:
            raise UsageError(f"Expected a language among {', '.join(LANGUAGES)}; came {self.language!r}.")

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return the text of `key`."""
        return self.raw(key).format(**values)

    def raw(self, key: str) -> str:
        """Return the text of `key` with the names of its values, which a script inserts."""
        own = OF_MESSAGES[self.language] if self.mail else {}
        return own.get(key) or CATALOGUES[self.language][key]

    @property
    def figures(self) -> str:
        """The language of figures."""
        return self.language + OF_MAIL if self.mail else self.language

    def about(self, kind: str) -> Words:
        """Return the words for examples of a kind."""
        return replace(self, mail=kind == "mail")

    def known(self, kind: str, value: str) -> str:
        """Return the name of a value of a closed kind, as in `model.svm`; the value itself where it has no name."""
        return CATALOGUES[self.language].get(f"{kind}.{value}", value)


def words_in(language: str | None = None, environment: Mapping[str, str] = os.environ) -> Words:
    """Return the words of a language, or of that of the environment: Korean where its messages are Korean, else
    English.

    >>> words_in(None, {"LC_ALL": "", "LANG": "ko_KR.UTF-8"}).language, words_in(None, {}).language
    ('ko', 'en')
    """
    if language is not None:
        return Words(language)
    set_ = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return Words("ko" if set_.lower().startswith("ko") else "en")
