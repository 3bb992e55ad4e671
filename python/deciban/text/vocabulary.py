"""The columns of a vectoriser: words by name or buckets of a hash, and the rows of items over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import Dictionary, Grams, Reader
from .analysis import Analysis
from .bucket_words import BucketWords, distinct, join_words
from .core_rows import csr_of, most_seen
from .counting import as_list, occurrences
from .packed_names import PackedNames, objects
from .token_counts import count_tokens, fix_vocabulary
from .vectorizer_settings import VectorizerSettings

Rows: TypeAlias = sparse.csr_array


class Columns(Protocol):
    """What the columns are."""

    def __len__(self) -> int: ...

    def names(self) -> NDArray[Any]:
        """Return (d,) names."""
        ...

    def rows(self, settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> Rows:
        """Return CSR (N, d) of items that are ready for the analysis."""
        ...

    def meet(self, settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> None:
        """Count the words of items that are ready for the analysis, if they name the columns."""


def columns_of(
    settings: VectorizerSettings, analysis: Analysis, items: list[Any], vocabulary: Any, *, rows: bool
) -> tuple[Columns, Rows | None]:
    """Return the columns for these items, ready for the analysis, and their rows if they are asked for; those of the
    vocabulary, if one is given.
    """
    columns: Columns
    if settings.n_features is not None:
        columns = HashedTokens(settings.n_features)
        columns.meet(settings, analysis, items)
    elif settings.text.hashed_bits is not None:
        if analysis.reader is None:
            raise ValueError(
                "hashed_bits hashes the words of the built-in tokeniser; this one is a Python callable or pattern. "
                "Expected n_features instead."
            )
        columns = CoreColumns(None, np.empty(0, np.uint64), settings.text.hashed_bits)
        columns.meet(settings, analysis, items)
    elif vocabulary is not None:
        names = _in_order(fix_vocabulary(vocabulary))
        columns = TokenColumns(names) if analysis.reader is None else _place_names(names, settings, analysis.reader)
    elif analysis.reader is None:
        return _of_tokens(settings, analysis, items)
    else:
        return _of_words(settings, analysis.reader, items, rows=rows)
    return columns, columns.rows(settings, analysis, items) if rows else None


def documents_of(texts: Iterable[Any]) -> list[Any]:
    """Return the texts as a list; ValueError for one alone, which would be read letter by letter."""
    if isinstance(texts, (str, bytes)):
        raise ValueError("Iterable over raw text documents expected, string object received. Put the text in a list.")
    return as_list(texts)


class CoreColumns:
    """Words that the core counts, by name; or, with `bits`, 2^bits buckets of their hash.

    tokens  (d,) names, or None where features are hashed
    hashes  (k,) of the words that can occur
    places  (k,) the columns of these; None where column j is hash j
    words   the words of the buckets that were met in `fit`, where they are kept
    """

    _dictionary: Dictionary | None = None

    def __init__(
        self,
        tokens: NDArray[Any] | PackedNames | None,
        hashes: NDArray[np.uint64],
        bits: int | None,
        places: Any = None,
    ) -> None:
        self.tokens, self.hashes, self.bits, self.places = tokens, hashes, bits, places
        self.words: BucketWords | None = None

    def __len__(self) -> int:
        return len(self.tokens) if self.tokens is not None else 1 << (self.bits or 0)

    def require_shapes(self) -> None:
        """Raise ValueError for hashes and places that are no lists of one length."""
        k = 0 if self.tokens is None else len(self.hashes)
        if self.hashes.shape != (k,) or (self.places is not None and self.places.shape != (k,)):
            raise ValueError("columns of words in another shape")

    def names(self) -> NDArray[Any]:
        """Return (d,) names; of hash buckets their words, or "bucket j"."""
        if self.tokens is not None:
            return self.tokens.all if isinstance(self.tokens, PackedNames) else self.tokens
        assert self.bits is not None
        return objects(_number(len(self)) if self.words is None else self.words.names(self.bits).all())

    def meet(self, settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> None:
        """Count the words of items that are ready for the analysis: they name the buckets."""
        if not settings.text.readable or not items:
            return
        words = _count_names(settings, analysis, items)
        self.words = words if self.words is None else self.words.plus(words, settings.text.max_words)

    def rows(self, settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> Rows:
        """Return CSR (N, d) of items that are ready for the analysis."""
        if self._dictionary is None:
            assert analysis.reader is not None
            self._dictionary = Dictionary(
                analysis.reader,
                np.ascontiguousarray(self.hashes).tobytes(),
                binary=settings.text.binary,
                hashed_bits=self.bits,
                n_jobs=settings.n_jobs,
            )
        return csr_of(self._dictionary.rows(items), len(self), self.places)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_dictionary": None}


class TokenColumns:
    """Tokens that Python made, by name."""

    def __init__(self, tokens: NDArray[Any]) -> None:
        self.tokens = tokens

    def __len__(self) -> int:
        return len(self.tokens)

    def names(self) -> NDArray[Any]:
        """Return (d,) the tokens."""
        return self.tokens

    def rows(self, settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> Rows:
        """Return CSR (N, d) of items that are ready for the analysis."""
        places = {token: j for j, token in enumerate(self.tokens.tolist())}
        X, _ = count_tokens(map(analysis.tokens, items), places)
        return _presence(X) if settings.text.binary else X

    def meet(self, settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> None:
        """Do nothing: tokens are their own names."""


class HashedTokens:
    """Buckets of the hash that scikit-learn's HashingVectorizer has, in the same order."""

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.words: dict[str, int] = {}

    def __len__(self) -> int:
        return self.n_features

    def _hasher(self, *, alternate_sign: bool) -> Any:
        from sklearn.feature_extraction import FeatureHasher

        return FeatureHasher(self.n_features, input_type="string", alternate_sign=alternate_sign)

    def names(self) -> NDArray[Any]:
        """Return (d,) the words of each bucket, or "bucket j"."""
        met: dict[int, list[tuple[float, str]]] = {}
        words = sorted(self.words)
        hasher = self._hasher(alternate_sign=False)
        places = hasher.transform([word] for word in words).indices.tolist() if words else []
        for word, j in zip(words, places, strict=True):
            met.setdefault(j, []).append((self.words[word], word))
        names = _number(self.n_features)
        for j, counted in met.items():
            names[j] = join_words(j, counted)
        return objects(distinct(names))

    def meet(self, settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> None:
        """Count the words of items that are ready for the analysis: they name the buckets."""
        if not settings.text.readable or not items:
            return
        words = Counter(self.words)
        if analysis.reader is None:
            for item in items:
                with suppress(AttributeError, TypeError):  # what is no text, `transform` refuses: `fit` need not read
                    words.update(list(analysis.tokens(item)))
                words = _most_frequent(words, settings.text.max_words)
        else:
            book = _count_names(settings, analysis, items).book
            counts = map(int, book.parts()[1][:, 0].tolist())
            words.update(dict(zip(book.names(list(range(len(book)))), counts, strict=True)))
        self.words = dict(_most_frequent(words, settings.text.max_words))

    def rows(self, settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> Rows:
        """Return CSR (N, d) of items that are ready for the analysis."""
        documents = map(analysis.tokens if analysis.reader is None else analysis.reader.tokens, items)
        hasher = self._hasher(alternate_sign=settings.alternate_sign)
        X = sparse.csr_array(hasher.transform(documents)) if items else sparse.csr_array((0, self.n_features))
        X.sum_duplicates()
        return _presence(X) if settings.text.binary else X


def _count_names(settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> BucketWords:
    """Return the words of items by name."""
    assert analysis.reader is not None
    text = replace(settings.text, hashed_bits=None)
    found = occurrences(text, items, [0] * len(items), 1, n_jobs=settings.n_jobs, reader=analysis.reader)
    return BucketWords(found.book, found.dropped)


def _most_frequent(words: Counter[str], most: int) -> Counter[str]:
    """Return half of `most` words where there are more than that: the rarest, and of equal ones the last, are
    dropped."""
    if len(words) <= most:
        return words
    order = sorted(words, key=lambda word: (-words[word], word))
    return Counter({word: words[word] for word in order[: most // 2]})


def _number(d: int) -> list[str]:
    return [f"bucket {j}" for j in range(d)]


def _presence(X: Rows) -> Rows:
    X.data.fill(1.0)
    return X


def _in_order(vocabulary: dict[Any, int]) -> NDArray[Any]:
    return objects(sorted(vocabulary, key=vocabulary.__getitem__))


def _place_names(names: NDArray[Any], settings: VectorizerSettings, reader: Reader) -> CoreColumns:
    """Return the columns of a vocabulary: words that the reader never makes stay 0."""
    texts = [str(name) for name in names]
    book = occurrences(replace(settings.text, hashed_bits=None), texts, [0] * len(texts), 1, reader=reader).book
    known = dict(zip(book.names(list(range(len(book)))), range(len(book)), strict=True))
    places = np.array([j for j, text in enumerate(texts) if text in known], dtype=np.int32)
    rows = np.array([known[texts[j]] for j in places], dtype=np.int64)
    hashes = book.rows(rows)[0] if len(rows) else np.empty(0, np.uint64)
    return CoreColumns(names, hashes, None, None if len(places) == len(names) else places)


def _of_words(
    settings: VectorizerSettings, reader: Reader, items: list[Any], *, rows: bool
) -> tuple[CoreColumns, Rows | None]:
    """Return the most frequent words of the items, in the order of their names, and the rows of the items."""
    frequencies, binary = settings.frequencies, settings.text.binary
    grams = Grams(reader, items, rows=rows, n_jobs=settings.n_jobs)
    if not len(grams):
        raise ValueError("empty vocabulary; perhaps the documents only contain stop words. Expected texts with words.")

    def seen() -> NDArray[np.int64]:
        return (grams.texts() if binary else grams.counts()).astype(np.int64)

    kept = None
    if frequencies.see_texts:
        kept = frequencies.keep(len(items), grams.texts().astype(np.int64), seen)
    elif frequencies.size is not None and frequencies.size < len(grams):
        kept = most_seen(seen(), grams.hashes(), frequencies.size)
    hashes, text, ends = grams.keep(kept)
    columns = CoreColumns(PackedNames(text, ends), hashes, None)
    return columns, csr_of(grams.rows(binary), len(columns)) if rows else None


def _of_tokens(settings: VectorizerSettings, analysis: Analysis, items: list[Any]) -> tuple[TokenColumns, Rows]:
    """Return the tokens of the items that Python makes, in order, and the rows of the items."""
    X, tokens = count_tokens(map(analysis.tokens, items))
    if not tokens:
        raise ValueError("empty vocabulary; perhaps the documents only contain stop words. Expected texts with words.")
    order = np.array(sorted(range(len(tokens)), key=tokens.__getitem__))
    X, names = X[:, order], objects(tokens)[order]
    if settings.text.binary:
        X = _presence(X)
    documents = np.bincount(X.indices, minlength=X.shape[1])
    frequencies = settings.frequencies
    if frequencies.see_texts or (frequencies.size or len(names)) < len(names):
        kept = frequencies.keep(len(items), documents, lambda: np.asarray(X.sum(axis=0)).ravel())
        X, names = X[:, kept], names[kept]
    return TokenColumns(names), sparse.csr_array(X)
