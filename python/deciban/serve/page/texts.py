"""Texts of the page, in the language of its reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import localtime, strftime, time
from typing import Any

from ...report.progress import format_size
from .english_texts import ENGLISH
from .korean_texts import KOREAN

CATALOGUES: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "ko": KOREAN}
NAMES = {"en": "English", "ko": "한국어"}
"""What languages call themselves."""
_DAY = 86400.0


@dataclass(frozen=True)
class Texts:
    """The catalogue of one language: `texts(key, name=value, …)` is the text of that key with its values in place.

    >>> Texts("en")("message.times", n=3), Texts("ko")("message.times", n=3)
    ('3 times', '3회')
    """

    language: str = "en"

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return the text of `key`."""
        return CATALOGUES[self.language][key].format(**values)

    def known(self, kind: str, value: str) -> str:
        """Return the name of a value of a kind, as in `class.spam`; the value itself where it has no name."""
        return CATALOGUES[self.language].get(f"{kind}.{value}", value)

    def raw(self, key: str) -> str:
        """Return the text of `key` with the names of its values, which the script inserts."""
        return CATALOGUES[self.language][key]

    def size(self, count: int) -> str:
        """Return bytes as people read them."""
        return self("bytes", n=count) if count < 1000 else format_size(count)

    def day(self, seconds: float, now: float | None = None) -> str:
        """Return the day of a time as people call it."""
        today = localtime(time() if now is None else now)
        for name, shift in (("today", 0.0), ("yesterday", _DAY)):
            at = localtime((time() if now is None else now) - shift)
            if at[:3] == localtime(seconds)[:3]:
                return self(f"day.{name}")
        at = localtime(seconds)
        month = self(f"month.{at.tm_mon}")
        key = "day.date" if at.tm_year == today.tm_year else "day.year"
        return self(key, day=at.tm_mday, month=month, year=at.tm_year)

    def moment(self, seconds: float) -> str:
        """Return a day and the time of it."""
        return self("day.moment", day=self.day(seconds), time=strftime("%H:%M", localtime(seconds)))


def language_of(accepted: str, chosen: str | None = None) -> str:
    """Return the language that was chosen, else the one of ours that a browser accepts first, else English.

    >>> language_of("de, ko-KR;q=0.8, en;q=0.5"), language_of("en-GB, ko;q=0.9"), language_of("fr")
    ('ko', 'en', 'en')
    >>> language_of("ko", "en")
    'en'
    """
    if chosen is not None and chosen in CATALOGUES:
        return chosen
    wanted = []
    for place, each in enumerate(accepted.split(",")[:20]):
        tag, _, parameters = each.partition(";")
        quality = parameters.strip().removeprefix("q=") or "1"
        language = tag.strip().lower().partition("-")[0]
        if language in CATALOGUES:
            weight = (
                float(quality)
                if quality.replace(".", "", 1).isascii() and quality.replace(".", "", 1).isdigit()
                else 0.0
            )
            wanted.append((-weight, place, language))
    return min(wanted)[2] if wanted else "en"
