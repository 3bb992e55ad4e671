"""What experts know of single words, read from their file when it is asked for: a message has some hundred of millions.

A row is what is known of a word: m weights of float64, its doubt, and m sums of squares of float32, little-endian. This
is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..files.regions import Region
from ..store import Stored
from .experts import ServedExperts
from .word_sets import WordSet

Bytes = bytes | bytearray | Region

_BLOCK = 512  # hashes that are read at once: a page
_ALL = 1 << 64  # hashes that there are
_NEAR = 6  # estimates of a place, each nearer than the one before, until the rest is halved
_MANY = 50
"""Whoever looks for more than one word in so many reads all of them."""


class SingleWords:
    """The words that experts in a file know: a row each, when it is asked for.

    Parameters
    ----------
    stored : Stored
        The file, as `store.Opened.view` returns it.
    n_jobs : int, optional
        Number of threads.
    """

    def __init__(self, stored: Stored, n_jobs: int | None = None) -> None:
        tensors = stored.tensors
        self._hashes: Bytes = tensors["state.hashes"].data
        self._parts: Sequence[Bytes] = [tensors[f"score.{name}"].data for name in ("weights", "doubts", "squares")]
        self.served = ServedExperts.without_words(stored, n_jobs)
        self.columns = len(self.served.fusion.intercept)
        zeros = [0.0] * self.columns
        self.unknown = struct.pack(f"<{self.columns}dd{self.columns}f", *zeros, 1.0, *zeros)
        """The row of a word that was never met."""
        self.offsets = self.served.prior + self.served.squares
        """The offsets of the experts, (E m,) of float64, and their sums of squares, (E m,) of float32."""

    def __len__(self) -> int:
        return len(self._hashes) // 8

    def rows(self, hashes: Sequence[int]) -> dict[int, bytes]:
        """Return the rows of those words, of ascending hashes, that the file knows."""
        known, parts = self._hashes, self._parts
        if _MANY * len(hashes) > len(self):
            places = _places_among(known[:], hashes)
            parts = [part[:] for part in parts]
        else:
            places = {hash_: at for hash_ in hashes if (at := _place(known, hash_)) is not None}
        return {hash_: _row(parts, at, self.columns) for hash_, at in places.items()}

    def experts(self, rows: Mapping[int, bytes], offsets: bytes) -> ServedExperts:
        """Return experts that know these words only."""
        own: dict[str, Any] = {**pack_rows(rows, offsets, self.columns)}
        return replace(self.served, **own)

    def offsets_of(self, served: ServedExperts) -> bytes:
        """Return the offsets that experts have by now, as `offsets`."""
        *_, bias, squares = served.experts.state()
        return bias + squares[len(squares) - len(bias) // 2 :]


def pack_rows(rows: Mapping[int, bytes], offsets: bytes, columns: int) -> dict[str, bytes]:
    """Return rows of words and the offsets as the fields of `ServedExperts`."""
    at, end, wide = 8 * columns, 8 * columns + 8, len(offsets) // 3 * 2
    return {
        "hashes": array("Q", rows).tobytes(),
        "weights": b"".join([row[:at] for row in rows.values()]),
        "doubts": b"".join([row[at:end] for row in rows.values()]),
        "prior": offsets[:wide],
        "squares": b"".join([*(row[end:] for row in rows.values()), offsets[wide:]]),
    }


def rows_of(served: ServedExperts, hashes: Iterable[int]) -> dict[int, bytes]:
    """Return the rows of these words by now, all of which experts of single words knew from the beginning."""
    weights, doubts, _, squares = served.experts.state()
    place = {hash_: at for at, hash_ in enumerate(array("Q", served.hashes))}
    columns = len(served.fusion.intercept)
    return {hash_: _row((weights, doubts, squares), place[hash_], columns) for hash_ in hashes}


def _row(parts: Sequence[Bytes], at: int, m: int) -> bytes:
    weights, doubts, squares = parts
    return b"".join(
        (weights[8 * m * at : 8 * m * (at + 1)], doubts[8 * at : 8 * (at + 1)], squares[4 * m * at : 4 * m * (at + 1)])
    )


def hashes_of(sets: Iterable[WordSet]) -> list[int]:
    """Return the hashes of the words of items, ascending, each once."""
    return sorted({hash_ for words in sets for hash_ in array("Q", words.hashes)})


def _places_among(known: Bytes, wanted: Sequence[int]) -> dict[int, int]:
    """Return the places of those of the wanted hashes, ascending, that are among these."""
    ascending, at, found = array("Q", bytes(known)), 0, dict[int, int]()
    for hash_ in wanted:
        at = bisect_left(ascending, hash_, at)
        if at < len(ascending) and ascending[at] == hash_:
            found[hash_] = at
    return found


def _place(known: Bytes, wanted: int) -> int | None:
    """Return the place of a hash among those of a file; None if it is not there.

    Blocks are read where it should be, as hashes lie evenly: Perl, Itai & Avni, Interpolation search, Communications of
    the ACM 21, 1978, log log n steps.
    """
    low, high = 0, len(known) // 8  # it is at `low` or behind, and before `high`
    below, above = 0, _ALL  # no hash from `low` on is less; none before `high` is `above` or more
    step = 0
    while low < high:
        share = (wanted - below) / (above - below) if step < _NEAR else 0.5
        first = min(max(low + int(share * (high - low)) - _BLOCK // 2, low), max(high - _BLOCK, low))
        block = array("Q", known[8 * first : 8 * min(first + _BLOCK, high)])
        if wanted < block[0]:
            high, above = first, block[0]
        elif wanted > block[-1]:
            low, below = first + len(block), block[-1]
        else:
            at = bisect_left(block, wanted)
            return first + at if block[at] == wanted else None
        step += 1
    return None
