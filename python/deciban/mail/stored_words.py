"""The words of messages as users keep them: 24 bits of each hash, in three bytes.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ..text.word_sets import WordSet

Words: TypeAlias = "array[int]"
"""Words of 24 bits, ascending, each once: an array of 32 bits."""
MOST_WORDS = 4096
"""Words that are kept of a message: of more those of the smallest hashes, which are as good as drawn at random."""
_DROPPED = 40  # of the 64 bits of a hash
_SIZE = 3


def words_of(words: WordSet) -> Words:
    """Return the words of a message."""
    return array("I", sorted({hash_ >> _DROPPED for hash_ in array("Q", words.hashes)})[:MOST_WORDS])


def names_of(words: WordSet) -> dict[int, str]:
    """Return the names of the words of a message; of two with the same 24 bits, that of the first."""
    found, start = dict[int, str](), 0
    for hash_, end in zip(array("Q", words.hashes), array("Q", words.ends), strict=True):
        found.setdefault(hash_ >> _DROPPED, words.names[start:end].decode("utf-8", "replace"))
        start = end
    return found


def pack_words(words: Words) -> bytes:
    """Return words in three bytes each, little-endian."""
    wide, packed = words.tobytes(), bytearray(_SIZE * len(words))
    for k in range(_SIZE):
        packed[k::_SIZE] = wide[k::4]
    return bytes(packed)


def unpack_words(packed: bytes) -> Words:
    """Return the words that `pack_words` has packed; ValueError for what is none."""
    if len(packed) % _SIZE:
        raise ValueError(f"words of {_SIZE} bytes are expected")
    wide = bytearray(len(packed) // _SIZE * 4)
    for k in range(_SIZE):
        wide[k::4] = packed[k::_SIZE]
    return array("I", bytes(wide))
