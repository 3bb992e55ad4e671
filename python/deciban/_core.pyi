"""The compiled core. Items are str or bytes; long work lets go of the interpreter; `n_jobs` None is all cores."""

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Literal, Self, final

import numpy as np
from numpy.typing import NDArray

@final
class Reader:
    def __new__(cls, kind: Literal["text", "mail"], words: tuple[int, int] = (1, 1), key: int = 0) -> Self: ...
    @property
    def most_bytes(self) -> int: ...
    def view(self, item: str | bytes) -> tuple[str, list[tuple[str, int, int]]]: ...
    def tokens(self, item: str | bytes) -> list[str]: ...
    def digest(self, item: str | bytes) -> bytes: ...

@final
class Files:
    def __new__(
        cls,
        paths: Sequence[str | PathLike[str]],
        mboxes: Sequence[bool],
        most_bytes: int,
        n_jobs: int | None = None,
    ) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> tuple[list[int], list[bytes]]: ...

@final
class Counter:
    def __new__(
        cls,
        reader: Reader,
        classes: int,
        *,
        binary: bool = False,
        hashed_bits: int | None = None,
        most_words: int = ...,
        once: bool = False,
        weighted: bool = False,
        n_jobs: int | None = None,
    ) -> Self: ...
    def grow(self, classes: int) -> None: ...
    def add(
        self,
        items: Iterable[str | bytes],
        classes: Sequence[int],
        weights: Sequence[float] | None = None,
    ) -> None: ...
    def finish(self) -> tuple[Wordbook, int, bytes, list[int], int, int]: ...

@final
class Wordbook:
    def __new__(
        cls,
        hashes: NDArray[np.uint64],
        counts: NDArray[np.float64],
        items: NDArray[np.float64],
        names: bytes,
        ends: NDArray[np.uint64],
    ) -> Self: ...
    @property
    def items(self) -> list[float]: ...
    def parts(
        self,
    ) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.float64], bytes, NDArray[np.uint64]]: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def plus(self, other: Wordbook, known_only: bool = False) -> Wordbook: ...
    def minus(self, other: Wordbook, known_only: bool = False) -> Wordbook: ...
    def most_frequent(self, k: int) -> NDArray[np.int64]: ...
    def names(self, rows: Sequence[int]) -> list[str]: ...
    def rows(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.float64]]: ...

@final
class Dictionary:
    def __new__(
        cls,
        reader: Reader,
        hashes: bytes,
        *,
        weights: bytes | None = None,
        bias: bytes | None = None,
        binary: bool = False,
        hashed_bits: int | None = None,
        n_jobs: int | None = None,
    ) -> Self: ...
    def __len__(self) -> int: ...
    def scores(self, items: Iterable[str | bytes]) -> NDArray[np.float64]: ...
    def score_lists(self, items: Iterable[str | bytes]) -> list[list[float]]: ...
    def rows(
        self, items: Iterable[str | bytes]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
    def reasons(self, item: str | bytes) -> tuple[str, list[tuple[int, str, int, list[tuple[int, int]]]]]: ...

def log_posterior(scores: Sequence[float]) -> list[float]: ...
