"""How text becomes features, in one value that goes into the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from .._core import Reader

Kind = Literal["text", "mail"]

MOST_WORDS = 1 << 20
"""So many distinct words are counted at most, unless one says otherwise."""


class TextColumns(NamedTuple):
    """The columns of a table that a model was trained on."""

    text: str
    label: str

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> TextColumns | None:
        """Return those that a file's header keeps; None for a model of files, or one that was fitted from Python."""
        kept = header.get("origin")
        return None if kept is None else cls(**kept)


@dataclass(frozen=True)
class TextSettings:
    """How items become features.

    kind          "text", or "mail": raw messages, whose headers, links and form speak too
    words         n-grams from words[0] to words[1] words
    max_features  the dictionary holds the so many most frequent words; None: all
    hashed_bits   None, or 2^bits buckets of the hash instead of words by name
    binary        a word counts once per item
    max_words     so many distinct words are counted at most; beyond, the rarest are dropped
    key           of the hash
    readable      whether the words of hash buckets are kept, which name them (`text.bucket_words`)
    """

    kind: Kind = "text"
    words: tuple[int, int] = (1, 1)
    max_features: int | None = 10_000
    hashed_bits: int | None = None
    binary: bool = False
    max_words: int = MOST_WORDS
    key: int = 0
    readable: bool = True

    def reader(self) -> Reader:
        """Return the core's reader with these settings."""
        return Reader(self.kind, self.words, self.key)

    def to_json(self) -> dict[str, Any]:
        """Return what a file's header keeps; whether buckets are readable, its tensors tell."""
        values = {**asdict(self), "words": list(self.words)}
        del values["readable"]
        return values

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> TextSettings:
        """Return the settings that a file's header holds."""
        return cls(**{**values, "words": tuple(values["words"])})


ALL_WORDS_OF_MAIL = TextSettings("mail", (1, 1), max_features=None, binary=True)
"""How models of mail read it unless one says otherwise."""
