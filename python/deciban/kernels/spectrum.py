"""The spectrum kernel of texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from deciban.errors import DataError
from deciban.losses import Floats

from .kernel import Kernel, check_whole


@dataclass(frozen=True)
class Spectrum(Kernel):
    """K(s, t) = Σ_u count_u(s)·count_u(t) over all strings u of `length` characters (Leslie, Eskin & Noble, PSB 2002).

    Texts count by their Unicode characters, as they come: neither case nor form is changed. With `normalized`
    K(s, t)/√(K(s, s)·K(t, t)), 0 where either text is shorter than `length`. Cost of a tile: linear in the length of
    its texts, times a logarithm, and in the pairs of texts that share a string.

    >>> Spectrum(length=2).tile(np.array(["banana"]), np.array(["ananas", "nab"]))
    array([[8., 2.]])
    """

    length: int = 3
    normalized: bool = False
    name = "spectrum"

    def __post_init__(self) -> None:
        check_whole("length", self.length)

    def tile(self, X: Any, Z: Any) -> Floats:
        """K (n, m) of texts X (n,) and Z (m,), float64."""
        counts = _counts([*X, *Z], self.length)
        left, right = counts[: len(X)], counts[len(X) :]
        K: Floats = (left @ right.T).toarray()
        if self.normalized:
            K *= _inverse(_squares(left))[:, None] * _inverse(_squares(right))[None, :]
        return K

    def diagonal(self, X: Any) -> Floats:
        """Σ_u count_u(s)² (n,) of each text, or 1 where `normalized` and not 0."""
        squares = _squares(_counts(list(X), self.length))
        return (squares > 0.0).astype(np.float64) if self.normalized else squares

    def accept(self, X: Any, width: int | None = None) -> list[str]:
        """X as a list of n texts; a DataError names the first item that is none."""
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


def _counts(texts: list[str], length: int) -> Any:
    """Counts (n, u) of the substrings of each text, CSR; a column is a substring that some text has."""
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    characters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    places = np.maximum(sizes - length + 1, 0)
    # Where each substring begins: those that would run over the end of their text are left out.
    begins = np.repeat(np.cumsum(sizes) - sizes - (np.cumsum(places) - places), places) + np.arange(places.sum())
    code = np.zeros(len(begins), dtype=np.int64)
    for k in range(length):
        # Ranks of pairs (what came before, the next character) number the substrings one character longer.
        pair = code << 21 | characters[begins + k].astype(np.int64)
        code = np.unique(pair, return_inverse=True)[1].reshape(-1)
    width = int(code.max()) + 1 if len(code) else 0
    parts = (np.ones(len(code)), code, np.concatenate([[0], np.cumsum(places)]))
    counts = sparse.csr_array(parts, shape=(len(texts), width))
    counts.sum_duplicates()
    return counts


def _squares(counts: Any) -> Floats:
    squares: Floats = np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).reshape(-1)
    return squares


def _inverse(squares: Floats) -> Floats:
    """1/√ of what is not 0, and 0."""
    return np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0.0)
