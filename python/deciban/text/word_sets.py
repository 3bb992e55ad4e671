"""Items as sets of words, as the core reads them: what a model that learns online learns from.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .settings import TextSettings


class WordSet(NamedTuple):
    """The digest of an item; when it came, in seconds since 1970, or 0; and its n distinct words, of the content and
    then of the headers, by ascending hash: little-endian hashes of 64 bits, in which of the 16 passages of the content
    each is, a bit for each and none of the headers', their names one after the other, and where each ends, in 64
    bits."""

    digest: bytes
    arrival: int
    hashes: bytes
    passages: bytes
    names: bytes
    ends: bytes


class Lesson(NamedTuple):
    """An item with the number of its class, and how often it counts."""

    words: WordSet
    label: int
    weight: float = 1.0


def word_sets(settings: TextSettings, items: Iterable[str | bytes]) -> list[WordSet]:
    """Return items as sets of words."""
    return [WordSet(*each) for each in settings.reader().word_sets(items)]
