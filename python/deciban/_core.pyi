"""The compiled core. Items are str or bytes; long work lets go of the interpreter; `n_jobs` None is all cores."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray

_CountedWords: TypeAlias = tuple["Wordbook", int, float, int, NDArray[np.uint32]]
"""A book, words dropped, their occurrences, how often words were dropped, and (V,) how often they had been before each
word was first counted, or none."""

__all__ = [
    "Counter",
    "Dictionary",
    "Experts",
    "Files",
    "Grams",
    "Items",
    "KernelTiles",
    "OutsideSupport",
    "Reader",
    "Sha256",
    "SharedKernel",
    "TokenCorpus",
    "Trace",
    "WordSets",
    "Wordbook",
    "adam_step",
    "available_threads",
    "block_steps",
    "central_fourths",
    "central_norms",
    "central_products",
    "central_squares",
    "class_categories",
    "class_moments",
    "class_powers",
    "class_products",
    "class_sums",
    "combination",
    "coordinate",
    "counts_of_words",
    "crammer_singer",
    "descend",
    "digest",
    "digest_joined",
    "digest_stretches",
    "distinct",
    "dual_coordinate",
    "dual_coordinate_each",
    "finish_exactly",
    "fuse_opinions",
    "gather_lone",
    "gaussian_scores",
    "gram",
    "gram_diagonals",
    "gram_times",
    "halt_by",
    "information",
    "interior_point",
    "kernel_gram",
    "kernel_measure",
    "kernel_scores",
    "kernel_within",
    "largest",
    "limit_threads",
    "log_posterior",
    "log_table",
    "loss_along",
    "loss_conjugate",
    "loss_look",
    "loss_shift",
    "loss_table",
    "momentum_step",
    "network_steps",
    "newton",
    "newton_softmax",
    "nonzeros",
    "penalty_table",
    "perceptron",
    "repeats",
    "row_digests",
    "rows_times",
    "rows_turned_times",
    "rows_with",
    "scores",
    "scores_of_counts",
    "sizes",
    "smo",
    "smo_of_gram",
    "smo_of_rows",
    "squared_lengths",
    "student_scores",
    "sums_of_words",
    "svmlight_pairs",
    "teach_experts",
    "temperature",
    "total_of_parts",
    "weigh_rows",
]

# A matrix (N, d): a 2-D array in C order, or (data, indices, indptr, d) of a CSR.
_Matrix: TypeAlias = NDArray[Any] | tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]

@final
class Reader:
    def __new__(
        cls,
        kind: Literal["text", "mail"],
        words: tuple[int, int] = ...,
        key: int = 0,
        unit: Literal["word", "char", "char_wb"] = "word",
        stop_words: Sequence[str] = ...,
        lowercase: bool = True,
    ) -> Self: ...
    @property
    def most_bytes(self) -> int: ...
    def arrivals(self, items: Iterable[str | bytes]) -> NDArray[np.int64]: ...
    def word_sets(self, items: Iterable[str | bytes]) -> list[tuple[bytes, int, bytes, bytes, bytes, bytes]]: ...
    def is_cut(self, item: str | bytes) -> bool: ...
    def view(self, item: str | bytes) -> tuple[str, list[tuple[str, int, int]]]: ...
    def tokens(self, item: str | bytes) -> list[str]: ...
    def digest(self, item: str | bytes) -> bytes: ...
    def digests(self, items: Sequence[str | bytes]) -> bytes: ...

@final
class Files:
    def __new__(
        cls,
        paths: Sequence[str | PathLike[str]],
        mboxes: Sequence[bool],
        most_bytes: int,
        n_jobs: int | None = None,
        size: int = ...,
    ) -> Self: ...
    @property
    def gone(self) -> list[int]: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> tuple[list[int], Items]: ...

@final
class Items(Sequence[bytes]):
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, place: int, /) -> bytes: ...
    @overload
    def __getitem__(self, place: slice, /) -> list[bytes]: ...
    def sizes(self) -> list[int]: ...

@final
class Sha256:
    def __new__(cls) -> Self: ...
    def update(self, content: bytes, start: int = 0) -> None: ...
    def hexdigest(self) -> str: ...

@final
class WordSets:
    def __new__(cls, reader: Reader, classes: int, most_words: int = ..., n_jobs: int | None = None) -> Self: ...
    def add(self, items: Iterable[str | bytes], classes: Sequence[int]) -> None: ...
    def finish(
        self,
    ) -> tuple[
        _CountedWords,
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.uint16],
        NDArray[np.int64],
        NDArray[np.int64],
        bytes,
        int,
        int,
    ]: ...

@final
class Trace:
    def __new__(cls, before: float, time_limit: float = ...) -> Self: ...
    def steps(self) -> tuple[list[tuple[int, float, float, float]], bool]: ...

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
        readable: bool = False,
        n_jobs: int | None = None,
    ) -> Self: ...
    def grow(self, classes: int) -> None: ...
    def distinct(self) -> int: ...
    def add(
        self,
        items: Iterable[str | bytes],
        classes: Sequence[int],
        weights: Sequence[float] | None = None,
    ) -> None: ...
    def finish(self) -> tuple[_CountedWords, bytes, NDArray[np.uint32], NDArray[np.uint32], int, int]: ...
    def words(self) -> _CountedWords | None: ...

@final
class TokenCorpus:
    def __new__(cls, reader: Reader, memory: int = ..., n_jobs: int | None = None) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def spilled(self) -> int: ...
    def add(self, items: Iterable[str | bytes]) -> bytes: ...
    def count(
        self,
        reader: Reader,
        places: NDArray[np.int64],
        members: NDArray[np.int64],
        classes: int,
        *,
        weights: NDArray[np.float64] | None = None,
        binary: bool = False,
        hashed_bits: int | None = None,
        most_words: int = ...,
        readable: bool = False,
        named: bool = True,
    ) -> tuple[_CountedWords, _CountedWords | None, NDArray[np.uint32]]: ...

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
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def hashes(self) -> NDArray[np.uint64]: ...
    def take(self, rows: NDArray[np.int64], items: NDArray[np.float64]) -> Wordbook: ...
    def plus(self, other: Wordbook) -> Wordbook: ...
    def minus(self, other: Wordbook) -> Wordbook: ...
    def most_frequent(self, k: int) -> NDArray[np.int64]: ...
    def experts(self) -> NDArray[np.uint8]: ...
    def names(self, rows: Sequence[int]) -> list[str]: ...
    def packed_names(self, rows: NDArray[np.int64]) -> tuple[bytes, NDArray[np.uint64]]: ...
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
        belief: Any = None,
        binary: bool = False,
        hashed_bits: int | None = None,
        n_jobs: int | None = None,
    ) -> Self: ...
    def __len__(self) -> int: ...
    def scores(self, items: Iterable[str | bytes]) -> NDArray[np.float64]: ...
    def score_lists(self, items: Iterable[str | bytes]) -> list[list[float]]: ...
    def judge(self, items: Iterable[str | bytes]) -> list[tuple[list[float], tuple[int, int], float]]: ...
    def rows(
        self, items: Iterable[str | bytes]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
    def rows_of(
        self, corpus: TokenCorpus, places: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
    def passages_of(self, corpus: TokenCorpus, places: NDArray[np.int64]) -> NDArray[np.uint16]: ...
    def scores_of(self, corpus: TokenCorpus, places: NDArray[np.int64]) -> NDArray[np.float64]: ...
    def reasons(self, item: str | bytes) -> tuple[str, list[tuple[int, str, int, list[tuple[int, int]]]]]: ...

@final
class Grams:
    def __new__(
        cls, reader: Reader, items: Iterable[str | bytes], *, rows: bool = True, n_jobs: int | None = None
    ) -> Self: ...
    def __len__(self) -> int: ...
    def counts(self) -> NDArray[np.uint32]: ...
    def texts(self) -> NDArray[np.uint32]: ...
    def hashes(self) -> NDArray[np.uint64]: ...
    def keep(
        self, kept: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint64]]: ...
    def rows(self, binary: bool) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...

def weigh_rows(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    *,
    idf: NDArray[Any] | None = None,
    sublinear: bool = False,
    norm: str | None = None,
    n_jobs: int | None = None,
) -> None: ...
def rows_with(indices: NDArray[Any], data: NDArray[Any], columns: int) -> NDArray[np.float64]: ...

@final
class Experts:
    def __new__(
        cls,
        reader: Reader,
        hashes: bytes,
        *,
        weights: bytes,
        doubts: bytes,
        bias: bytes,
        fusion: Any,
        squares: bytes | None = None,
        n_jobs: int | None = None,
    ) -> Self: ...
    def __len__(self) -> int: ...
    def learn(self, examples: Sequence[tuple[bytes, bytes, int, float]]) -> None: ...
    def state(self) -> tuple[bytes, bytes, bytes, bytes]: ...
    def put(self, hashes: bytes, weights: bytes, doubts: bytes, bias: bytes, squares: bytes) -> None: ...
    def scores(self, items: Iterable[str | bytes]) -> NDArray[np.float64]: ...
    def judge(self, items: Iterable[str | bytes]) -> list[tuple[list[float], tuple[int, int], float]]: ...
    def judge_sets(self, sets: Sequence[tuple[bytes, bytes]]) -> list[tuple[list[float], tuple[int, int], float]]: ...
    def scores_of(self, corpus: TokenCorpus, places: NDArray[np.int64]) -> NDArray[np.float64]: ...
    def opinion(
        self, item: str | bytes
    ) -> tuple[list[float], list[float], list[float], list[float], list[tuple[int, float]], float]: ...
    def known(self, words: Sequence[int]) -> tuple[list[float], list[float]]: ...
    def hearers(self, names: Sequence[str]) -> list[int]: ...
    def reasons(self, item: str | bytes) -> tuple[str, list[tuple[int, str, int, list[tuple[int, int]]]]]: ...

def fuse_opinions(each: NDArray[np.float64], fusion: Any) -> NDArray[np.float64]: ...
def sums_of_words(
    ends: NDArray[np.int64], words: NDArray[np.int32], values: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.float64]: ...
def counts_of_words(
    ends: NDArray[np.int64], words: NDArray[np.int32], count: int, rows: NDArray[np.int64]
) -> NDArray[np.float64]: ...
def teach_experts(
    ends: NDArray[np.int64],
    words: NDArray[np.int32],
    expert: NDArray[np.uint8],
    experts: int,
    y: NDArray[np.int64],
    classes: int,
    lessons: Sequence[tuple[Sequence[NDArray[np.int64]], NDArray[np.int64], bool]],
    bend: float,
    weight: NDArray[np.float64] | None = None,
    passages: NDArray[np.uint16] | None = None,
    n_jobs: int | None = None,
) -> list[
    tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]
]: ...
def log_posterior(scores: Sequence[float]) -> list[float]: ...
def digest(x: NDArray[Any], *, n_jobs: int | None = None) -> bytes: ...
def digest_joined(count: int, stretches: bytes) -> bytes: ...
def digest_stretches(x: NDArray[np.float64], *, n_jobs: int | None = None) -> bytes: ...
def nonzeros(table: NDArray[Any], most: int) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int32]] | None: ...
def rows_times(
    data: NDArray[Any],
    indices: NDArray[np.int32],
    ends: NDArray[np.int32],
    places: NDArray[np.int64],
    w: NDArray[Any],
) -> NDArray[Any]: ...
def rows_turned_times(
    data: NDArray[Any],
    indices: NDArray[np.int32],
    ends: NDArray[np.int32],
    places: NDArray[np.int64],
    delta: NDArray[Any],
    columns: int,
) -> NDArray[Any]: ...
def adam_step(
    w: NDArray[Any],
    g: NDArray[Any],
    m: NDArray[Any],
    q: NDArray[Any],
    eta: float,
    scale: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    decay: float,
) -> None: ...
def network_steps(
    x: NDArray[Any],
    y: NDArray[Any],
    weight: NDArray[np.float64],
    places: NDArray[np.int64],
    batch: int,
    parameters: Sequence[NDArray[Any]],
    memory: Sequence[Sequence[NDArray[Any]]],
    names: tuple[str, str, str, str],
    descent: tuple[float, ...],
    decay: float,
    clip: float | None,
) -> tuple[float, float, float, list[float], int, bool]: ...
def momentum_step(
    w: NDArray[Any], g: NDArray[Any], v: NDArray[Any], eta: float, mu: float, decay: float, nesterov: bool
) -> None: ...
def log_table(
    s: NDArray[np.float64],
    a: NDArray[np.float64],
    l: NDArray[np.float64],
    *,
    v: NDArray[np.float64] | None = None,
    less: bool = False,
    n_jobs: int | None = None,
) -> NDArray[np.float64] | None: ...

class OutsideSupport(ValueError): ...  # noqa: N818 (it says which value was refused)

def class_sums(
    X: _Matrix,
    y: NDArray[np.intp],
    weight: NDArray[np.float64] | None,
    classes: int,
    *,
    support: Literal["finite", "nonnegative", "binary", "whole"] = "finite",
    above: float | None = None,
    missing: bool = True,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]: ...
def class_moments(
    X: _Matrix,
    y: NDArray[np.intp],
    weight: NDArray[np.float64] | None,
    classes: int,
    *,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]: ...
def total_of_parts(terms: Sequence[NDArray[np.float64]], plus: int) -> NDArray[np.float64]: ...
def class_products(
    X: Any, y: NDArray[np.int64], weight: NDArray[np.float64] | None, classes: int, pooled: bool
) -> NDArray[np.float64]: ...
def class_powers(
    X: NDArray[np.float64], y: NDArray[np.intp], weight: NDArray[np.float64] | None, classes: int, norms: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def central_squares(n: NDArray[np.float64], s: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]: ...
def central_products(
    n: NDArray[np.float64], s: NDArray[np.float64], q: NDArray[np.float64], d: int
) -> NDArray[np.float64]: ...
def central_fourths(n: NDArray[np.float64], powers: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]: ...
def central_norms(
    n: NDArray[np.float64],
    s: NDArray[np.float64],
    q: NDArray[np.float64],
    third: NDArray[np.float64],
    fourth: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def class_categories(
    X: _Matrix,
    y: NDArray[np.intp],
    weight: NDArray[np.float64] | None,
    classes: int,
    offsets: NDArray[np.intp],
    *,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]: ...
def repeats(X: _Matrix, *, n_jobs: int | None = None) -> bool: ...
def largest(X: _Matrix, *, n_jobs: int | None = None) -> NDArray[np.float64]: ...
def information(
    X: _Matrix,
    y: NDArray[np.intp],
    weight: NDArray[np.float64] | None,
    classes: int,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]: ...
def gaussian_scores(
    X: _Matrix,
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    constants: NDArray[np.float64],
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]: ...
def squared_lengths(
    X: NDArray[np.float64],
    mean: NDArray[np.float64],
    factors: NDArray[np.float64],
    farthest: NDArray[np.float64],
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]: ...
def student_scores(
    X: _Matrix,
    location: NDArray[np.float64],
    scale: NDArray[np.float64],
    freedom: NDArray[np.float64],
    constants: NDArray[np.float64],
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]: ...
def scores(
    X: _Matrix, W: NDArray[np.float64], b: NDArray[np.float64], *, n_jobs: int | None = None
) -> NDArray[np.float64]: ...
def scores_of_counts(
    X: _Matrix, W: NDArray[np.float64], b: NDArray[np.float64], *, n_jobs: int | None = None
) -> NDArray[np.float64] | None: ...
def combination(X: _Matrix, U: NDArray[np.float64], *, n_jobs: int | None = None) -> NDArray[np.float64]: ...
def gram_diagonals(X: _Matrix, H: NDArray[np.float64], *, n_jobs: int | None = None) -> NDArray[np.float64]: ...
def sizes(X: _Matrix, *, n_jobs: int | None = None) -> tuple[float, float]: ...
def gram_times(
    X: _Matrix, h: NDArray[np.float64], v: NDArray[np.float64], *, n_jobs: int | None = None
) -> NDArray[np.float64]: ...
def gram(X: _Matrix, h: NDArray[np.float64], *, n_jobs: int | None = None) -> NDArray[np.float64]: ...
def penalty_table(
    w: NDArray[np.float64], v: NDArray[np.float64], t: float, *, l1: float, l2: float, nonnegative: bool = False
) -> tuple[float, float, NDArray[np.float64]]: ...
def loss_table(
    loss: str, y: NDArray[np.float64], s: NDArray[np.float64], u: NDArray[np.float64], *, delta: float = 1.0
) -> list[NDArray[np.float64]]: ...
def loss_look(
    loss: str,
    y: NDArray[np.float64],
    c: NDArray[np.float64],
    s: NDArray[np.float64],
    *,
    delta: float = 1.0,
    n_jobs: int | None = None,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]: ...
def loss_along(
    loss: str,
    y: NDArray[np.float64],
    c: NDArray[np.float64],
    s: NDArray[np.float64],
    d: NDArray[np.float64] | None,
    t: float,
    *,
    delta: float = 1.0,
    n_jobs: int | None = None,
) -> tuple[float, float]: ...
def loss_shift(
    loss: str,
    y: NDArray[np.float64],
    c: NDArray[np.float64],
    s: NDArray[np.float64],
    *,
    delta: float = 1.0,
    n_jobs: int | None = None,
) -> float: ...
def loss_conjugate(
    loss: str,
    y: NDArray[np.float64],
    c: NDArray[np.float64],
    a: NDArray[np.float64],
    *,
    delta: float = 1.0,
    n_jobs: int | None = None,
) -> float: ...
def coordinate(
    X: _Matrix,
    y: NDArray[np.float64],
    c: NDArray[np.float64],
    loss: str,
    *,
    delta: float = 1.0,
    l1: float = 1.0,
    l2: float = 0.0,
    nonnegative: bool = False,
    intercept: bool = True,
    offset: NDArray[np.float64] | None = None,
    start: NDArray[np.float64] | None = None,
    seed: int = 0,
    tol: float = 1e-6,
    max_iter: int = 1000,
    null: float = ...,
    floor: float = 0.0,
    watch: Callable[[int, float, float], bool] | Trace | None = None,
    n_jobs: int | None = None,
) -> tuple[
    NDArray[np.float64], float, NDArray[np.float64], int, Literal["converged", "exhausted", "stopped", "interrupted"]
]: ...
def crammer_singer(
    X: _Matrix,
    y: NDArray[np.int64],
    c: NDArray[np.float64],
    w: NDArray[np.float64],
    b: NDArray[np.float64],
    a: NDArray[np.float64],
    residual: NDArray[np.float64],
    *,
    strength: float,
    constant: float,
    seed: int,
    n_jobs: int | None = None,
) -> tuple[list[NDArray[np.float64]], float, float]: ...
def newton(
    X: _Matrix,
    y: NDArray[np.float64],
    c: NDArray[np.float64],
    loss: str,
    *,
    delta: float = 1.0,
    strength: float = 1.0,
    intercept: bool = True,
    offset: NDArray[np.float64] | None = None,
    w: NDArray[np.float64] | None = None,
    b: float = 0.0,
    tol: float = 1e-6,
    max_iter: int = 1000,
    null: float = ...,
    floor: float = 0.0,
    watch: Callable[[int, float, float], bool] | Trace | None = None,
    n_jobs: int | None = None,
) -> tuple[
    NDArray[np.float64],
    float,
    NDArray[np.float64],
    int,
    Literal["converged", "exhausted", "stopped", "interrupted", "overflow"],
]: ...
def newton_softmax(
    X: _Matrix,
    y: NDArray[np.int64],
    c: NDArray[np.float64],
    classes: int,
    *,
    strength: float = 1.0,
    intercept: bool = True,
    w: NDArray[np.float64] | None = None,
    b: NDArray[np.float64] | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    null: float = ...,
    floor: float = 0.0,
    watch: Callable[[int, float, float], bool] | Trace | None = None,
    n_jobs: int | None = None,
) -> tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    int,
    Literal["converged", "exhausted", "stopped", "interrupted", "overflow"],
]: ...
def interior_point(
    X: _Matrix,
    t: NDArray[np.float64],
    lo: NDArray[np.float64],
    hi: NDArray[np.float64],
    curve: NDArray[np.float64],
    middle: NDArray[np.float64],
    *,
    away: float,
    strength: float = 1.0,
    intercept: bool = True,
    proof: Callable[[NDArray[np.float64], float, NDArray[np.float64]], bool],
    tol: float = 1e-6,
    max_iter: int = 1000,
    null: float = ...,
    floor: float = 0.0,
    watch: Callable[[int, float, float], bool] | Trace | None = None,
    n_jobs: int | None = None,
) -> tuple[
    NDArray[np.float64],
    float,
    NDArray[np.float64],
    int,
    Literal["converged", "exhausted", "stopped", "interrupted", "overflow"],
]: ...
def dual_coordinate(
    X: _Matrix,
    y: NDArray[np.float64],
    c: NDArray[np.float64],
    loss: str,
    *,
    delta: float = 1.0,
    strength: float = 1.0,
    intercept: bool = True,
    offset: NDArray[np.float64] | None = None,
    start: NDArray[np.float64] | None = None,
    seed: int = 0,
    tol: float = 1e-6,
    max_iter: int = 1000,
    null: float = ...,
    floor: float = 0.0,
    strict: bool = False,
    work: float = ...,
    watch: Callable[[int, float, float], bool] | Trace | None = None,
    n_jobs: int | None = None,
) -> tuple[
    NDArray[np.float64], float, NDArray[np.float64], int, Literal["converged", "exhausted", "stopped", "interrupted"]
]: ...
def dual_coordinate_each(
    X: _Matrix,
    targets: Sequence[NDArray[np.float64]],
    c: NDArray[np.float64],
    loss: str,
    *,
    strength: float = 1.0,
    intercept: bool = True,
    starts: Sequence[NDArray[np.float64] | None],
    seed: int = 0,
    tol: float = 1e-6,
    max_iter: int = 1000,
    null: Sequence[float],
    floor: Sequence[float],
    strict: bool = False,
    watch: Callable[[int, float, float], bool] | Trace | None = None,
    n_jobs: int | None = None,
) -> list[
    tuple[
        NDArray[np.float64],
        float,
        NDArray[np.float64],
        int,
        Literal["converged", "exhausted", "stopped", "interrupted"],
    ]
]: ...

_Weights: TypeAlias = tuple[NDArray[np.float64], float]

def distinct(
    X: _Matrix,
    y: NDArray[np.float64],
    ranked: NDArray[np.float64],
    *,
    offset: NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]: ...
def gather_lone(
    X: tuple[NDArray[Any], NDArray[Any], NDArray[Any], int],
) -> (
    tuple[
        tuple[NDArray[Any], NDArray[Any], NDArray[Any], int],
        NDArray[Any],
        NDArray[Any],
        NDArray[Any],
        NDArray[np.float64],
        NDArray[Any],
        NDArray[np.float64],
    ]
    | None
): ...
def svmlight_pairs(text: str, start: int) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None: ...
def row_digests(X: _Matrix, seed: int, *, n_jobs: int | None = None) -> NDArray[np.uint64]: ...
def perceptron(
    X: _Matrix,
    y: NDArray[np.float64],
    c: NDArray[np.float64],
    last: _Weights,
    early: _Weights,
    visits: float,
    mistakes: float,
    *,
    intercept: bool = True,
    shuffle: int | None = None,
    pocket: bool = False,
    max_iter: int = 1000,
    patience: tuple[int, int] | None = None,
    watch: Callable[[int, float, float], bool] | Trace | None = None,
    n_jobs: int | None = None,
) -> tuple[
    _Weights,
    _Weights,
    float,
    float,
    _Weights,
    int,
    float,
    Literal["converged", "exhausted", "stopped", "interrupted", "overflow"],
]: ...
def descend(
    X: _Matrix,
    y: NDArray[np.float64],
    c: NDArray[np.float64],
    loss: str,
    now: _Weights,
    total: _Weights,
    steps: float,
    squares: float,
    *,
    delta: float = 1.0,
    intercept: bool = True,
    batch: int = 1,
    rule: str = "root",
    step: float = 1.0,
    decay: float = 0.0,
    averaged: bool = False,
    l1: float = 0.0,
    l2: float = 0.0,
    radius: float = ...,
    suffered: float = 0.0,
    shuffle: int | None = None,
    n_jobs: int | None = None,
) -> tuple[_Weights, _Weights, float, float, float]: ...
def kernel_scores(
    X: _Matrix,
    Z: _Matrix,
    coefficients: NDArray[np.float64],
    kernel: str,
    parameters: Sequence[float],
    *,
    ends: Sequence[int] = ...,
    n_jobs: int | None = None,
) -> NDArray[np.float64]: ...
def kernel_gram(
    X: _Matrix,
    kernel: str,
    parameters: Sequence[float],
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]: ...
def kernel_within(
    X: _Matrix,
    coefficients: NDArray[np.float64],
    kernel: str,
    parameters: Sequence[float],
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]: ...

# t, lo, hi, group, sums, row of a kernel machine's dual.
_Machine: TypeAlias = tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.int64],
]

def smo(
    X: _Matrix,
    kernel: str,
    parameters: Sequence[float],
    parts: _Machine,
    start: NDArray[np.float64],
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    rows: int | None = None,
    memory: int = 200_000_000,
    watch: Callable[[int, float, float], bool] | Trace | None = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, str]: ...

@final
class SharedKernel:
    def __new__(
        cls,
        X: _Matrix,
        kernel: str,
        parameters: Sequence[float],
        classes: NDArray[np.int64] | None = None,
        whole: bool = False,
        memory: int = 200_000_000,
        n_jobs: int | None = None,
    ) -> Self: ...
    def solve(
        self,
        problems: Mapping[str, Any],
        *,
        tol: float = 1e-4,
        max_iter: int = 1000,
        small: tuple[int, int] = ...,
        large: tuple[int, int] | None = None,
        memory: int = 200_000_000,
        watch: Callable[[int, int, float, float], bool] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int], list[str]]: ...

def smo_of_rows(
    rows: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    scores: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    diagonal: NDArray[np.float64],
    parts: _Machine,
    start: NDArray[np.float64],
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    memory: int = 200_000_000,
    watch: Callable[[int, float, float], bool] | Trace | None = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, str]: ...
def smo_of_gram(
    K: NDArray[np.float64],
    problems: Mapping[str, Any],
    *,
    floats: bool = False,
    tol: float = 1e-4,
    max_iter: int = 1000,
    exact_below: int = 0,
    memory: int = 200_000_000,
    watch: Callable[[int, int, float, float], bool] | None = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int], list[str]]: ...
def finish_exactly(
    K: NDArray[np.float64], problems: Mapping[str, Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]: ...
def temperature(scores: NDArray[np.float64], targets: NDArray[np.float64], weight: NDArray[np.float64]) -> float: ...

@final
class KernelTiles:
    def __new__(
        cls,
        X: _Matrix,
        kernel: str,
        parameters: Sequence[float],
        memory: int = 200_000_000,
        n_jobs: int | None = None,
    ) -> Self: ...
    def within(self, rows: NDArray[np.int64]) -> NDArray[np.float32]: ...
    def combination(self, rows: NDArray[np.int64], coefficients: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def restrict(self, rows: NDArray[np.int64] | None) -> None: ...

def block_steps(
    K: NDArray[np.float32] | NDArray[np.float64],
    beta: NDArray[np.float64],
    gradient: NDArray[np.float64],
    lo: NDArray[np.float64],
    hi: NDArray[np.float64],
    ends: Sequence[int],
    eps: float,
    limit: int,
) -> tuple[NDArray[np.float64], int]: ...
def kernel_measure(
    parts: _Machine, beta: NDArray[np.float64], gradient: NDArray[np.float64]
) -> tuple[float, float, float]: ...
def available_threads() -> int: ...
def halt_by(is_due: Callable[[], bool] | None) -> Callable[[], bool] | None: ...
def limit_threads(threads: int | None) -> int | None: ...
