"""The spectrum kernel of texts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deciban.data.refusal import check_whole
from deciban.errors import DataError
from deciban.losses import Floats

from .kernel import Kernel


@dataclass(frozen=True)
class Spectrum(Kernel):
    """The spectrum kernel of texts, K(s, t) = Σ_u count_u(s)·count_u(t) over all strings u of `length` characters.

    Texts count by their Unicode characters, as they come: neither case nor form is changed. The cost of a tile is
    linear in the length of its texts, times a logarithm, and in the pairs of texts that share a string; the counts of
    the larger side are kept for the next tile. Leslie, Eskin & Noble, PSB 2002.

    Parameters
    ----------
    length : int, default=3
        Number of characters of the strings, from 1.
    normalized : bool, default=False
        Whether to divide by √(K(s, s)·K(t, t)); the kernel is then 0 where either text is shorter than `length`.

    Examples
    --------
    >>> Spectrum(length=2).tile(np.array(["banana"]), np.array(["ananas", "nab"]))
    array([[8., 2.]])
    """

    length: int = 3
    normalized: bool = False
    name = "spectrum"

    def __post_init__(self) -> None:
        check_whole("length", self.length)

    def tile(self, X: Any, Z: Any) -> Floats:
        if len(X) > len(Z):
            return np.ascontiguousarray(self.tile(Z, X).T)
        known = _count(tuple(Z), self.length)
        few = _count_known(known.strings, list(X), self.length)
        K: Floats = (few @ known.counts.T).toarray()
        if self.normalized:
            own = _squares(_count(tuple(X), self.length).counts)
            K *= _inverse(own)[:, None] * _inverse(_squares(known.counts))[None, :]
        return K

    def diagonal(self, X: Any) -> Floats:
        squares = _squares(_count(tuple(X), self.length).counts)
        return (squares > 0.0).astype(np.float64) if self.normalized else squares

    def accept(self, X: Any, width: int | None = None) -> list[str]:
        if isinstance(X, (str, bytes)):
            raise DataError(
                f"kernel='spectrum' expects a list of texts, got one {type(X).__name__}: put it into a list"
            )
        texts = list(X)
        for i, text in enumerate(texts):
            if not isinstance(text, str):
                raise DataError(
                    f"kernel='spectrum' compares texts; item {i} is {type(text).__name__}. Give strings only"
                )
        return texts


class _Counted(NamedTuple):
    """Counts (n, u) of the substrings of n texts, CSR, and for each length up to theirs the strings that there are, as
    sorted pairs: the place of all but the last character in the table before, and the last character."""

    counts: Any
    strings: tuple[NDArray[np.int64], ...]


@lru_cache(maxsize=2)
def _count(texts: tuple[str, ...], length: int) -> _Counted:
    characters, begins, ends = _places(list(texts), length)
    code, strings = np.zeros(len(begins), dtype=np.int64), []
    for k in range(length):
        table, code = np.unique(code << 21 | characters[begins + k], return_inverse=True)
        code = code.reshape(-1)
        strings.append(table)
    return _Counted(_rows(code, ends, len(strings[-1])), tuple(strings))


def _count_known(strings: tuple[NDArray[np.int64], ...], texts: list[str], length: int) -> Any:
    """Count (n, u) the substrings that are among `strings`."""
    characters, begins, ends = _places(texts, length)
    code, known = np.zeros(len(begins), dtype=np.int64), np.ones(len(begins), dtype=bool)
    for k, table in enumerate(strings):
        pair = code << 21 | characters[begins + k]
        code = np.minimum(np.searchsorted(table, pair), len(table) - 1)
        known &= table[code] == pair if len(table) else False
    return _rows(code[known], np.concatenate([[0], np.cumsum(known)])[ends], len(strings[-1]))


def _places(texts: list[str], length: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return all characters in a row, where the substrings begin, and (n + 1,) how many there are before each text."""
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    characters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    count = np.maximum(sizes - length + 1, 0)
    ends = np.concatenate([[0], np.cumsum(count)])
    begins = np.repeat(np.cumsum(sizes) - sizes - ends[:-1], count) + np.arange(ends[-1])
    return characters.astype(np.int64), begins, ends


def _rows(code: NDArray[np.int64], ends: NDArray[np.int64], width: int) -> Any:
    counts = sparse.csr_array((np.ones(len(code)), code, ends), shape=(len(ends) - 1, width))
    counts.sum_duplicates()
    return counts


def _squares(counts: Any) -> Floats:
    squares: Floats = np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).reshape(-1)
    return squares


def _inverse(squares: Floats) -> Floats:
    """Return 1/√ of what is not 0, and 0."""
    return np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0.0)
