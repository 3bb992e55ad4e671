"""Text models that are learnt by minimising: what they share besides what was minimised."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import Dictionary, Wordbook
from ..certificates.bound import LEAVE_ONE_OUT, Bound
from ..certificates.certificate import Certificate, fields_of
from ..certificates.guarantees import ANEW, WORDS, chosen, unfixed
from ..data.labels import storable
from ..distributions import Counts
from ..errors import DataError
from ..store import Stored, narrowest
from .bucket_words import BucketWords, dropped_in_header, settings_in
from .corpus import Corpus
from .served import ServedText
from .settings import TextSettings


class Declared(Protocol):
    """Which model, with its parameters."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def takes(self) -> tuple[str, ...]:
        """The parameters that it has."""

    def check(self) -> None:
        """ValueError for parameters that make no sense."""

    def to_json(self) -> dict[str, Any]:
        """As the file's header keeps it."""


class Words(NamedTuple):
    """Examples as rows of their words, in an order that is the same however they came: `book` counts the words by
    class, of which so many rare ones were `dropped`; `named` are those of hash buckets, where they are kept; X is CSR
    (N, K), y (N,), weight (N,) or None for 1 each."""

    book: Wordbook
    dropped: int
    named: BucketWords | None
    X: sparse.csr_array
    y: NDArray[np.intp]
    weight: NDArray[np.float64] | None

    @classmethod
    def of(cls, settings: TextSettings, corpus: Corpus, n_jobs: int | None) -> Words:
        """Cost: two passes over the items, one to count the words and one to look them up."""
        book, dropped, named = corpus.count(settings, n_jobs)
        book = _of_dictionary(book, settings)
        if not len(book):
            raise DataError("No words were found in the items: nothing to learn from.")
        order = corpus.order()
        rows = corpus.rows(dictionary_of(settings, packed(book.parts()[0]), n_jobs))[order]
        weight = None if corpus.weight is None else corpus.weight[order]
        return cls(book, dropped, named, rows, corpus.y[order], weight)


@dataclass(frozen=True, kw_only=True)
class MinimisedText:
    """A model of texts learnt from all examples at once.

    `book` counts the words of the dictionary by class, as naive Bayes would: what `inspect` tells comes from there.
    `proof` is the certificate as the file keeps it. It cannot learn on or forget: that would be another minimum, of
    examples that are no longer there.
    """

    declared: Declared
    settings: TextSettings
    classes: tuple[Any, ...]
    book: Wordbook
    proof: dict[str, Any]
    dropped: int = 0
    words: BucketWords | None = None

    @property
    def name(self) -> str:
        """The model's name, as the command knows it."""
        return self.declared.model

    def dictionary(self) -> NDArray[np.int64]:
        """Rows of the book that are features: all of them."""
        return np.arange(len(self.book), dtype=np.int64)

    def counts(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.uint64], Counts]:
        """Hashes of the given rows of the book, and how often each was seen in each class."""
        hashes, counts = self.book.rows(rows)
        return hashes, Counts(np.array(self.book.items), np.ascontiguousarray(counts.T))

    @abstractmethod
    def compile(self, n_jobs: int | None = None) -> ServedText:
        """The model as it judges."""

    def certificate(self, seconds: float = 0.0) -> Certificate:
        """What was minimised, and how close to the minimum the fit came."""
        by_label = dict(zip(map(str, self.classes), self.classes, strict=True))
        try:
            proof = fields_of(self.proof)
            counts = {by_label[label]: n for label, n in proof.pop("class_counts").items()}
            return Certificate(**proof, class_counts=counts, seconds=seconds)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DataError(f"The model's certificate is damaged: {error}. Train again.") from error

    def with_choice(self, choice: Bound | None) -> Self:
        """The same model with what the choice among several told of its errors."""
        return replace(self, proof=told(chosen(self.certificate(), choice), self.classes, by_place=False))

    # The file.

    def _header(self, section: str) -> dict[str, Any]:
        """What the file's header keeps of the model; ValueError for labels that JSON does not know."""
        return {
            "model": self.name,
            "classes": storable(self.classes),
            "text": self.settings.to_json(),
            section: self.declared.to_json(),
            "dropped": self.dropped,
            "certificate": self.proof,
            **dropped_in_header(self.words),
        }

    def _words(self) -> dict[str, NDArray[Any]]:
        """The words with their counts."""
        hashes, counts, items, words, ends = self.book.parts()
        return {
            "state.hashes": hashes,
            "state.counts": narrowest(counts),
            "state.items": items,
            "state.words": np.frombuffer(words, "u1"),
            "state.ends": ends,
            **({} if self.words is None else self.words.arrays()),
        }


def told(certificate: Certificate, classes: tuple[Any, ...], by_place: bool = True) -> dict[str, Any]:
    """The certificate of a model that knew classes by their places, as the file keeps it: of words that were read off
    the examples."""
    counts = {str(classes[c] if by_place else c): n for c, n in certificate.class_counts.items()}
    fixed = unfixed(unfixed(certificate, WORDS), ANEW, (LEAVE_ONE_OUT,))
    return replace(fixed, class_counts=counts).to_json()


def read(stored: Stored, declared: Declared) -> dict[str, Any]:
    """The fields of `MinimisedText` in a file that `store.read` has checked."""
    header = stored.header
    hashes, counts, items, words, ends = (
        stored.tensors[f"state.{part}"] for part in ("hashes", "counts", "items", "words", "ends")
    )
    try:
        seen = counts.array().astype(np.float64)
        book = Wordbook(hashes.array(), seen, items.array(), bytes(words.data), ends.array())
        declared.check()
        named = BucketWords.from_stored(stored)
    except ValueError as error:
        raise DataError(f"{stored.name}: its model is damaged: {error}. Train again.") from error
    return {
        "declared": declared,
        "settings": settings_in(header["text"], named),
        "classes": tuple(header["classes"]),
        "book": book,
        "proof": header["certificate"],
        "dropped": header["dropped"],
        "words": named,
    }


def dictionary_of(settings: TextSettings, hashes: bytes, n_jobs: int | None) -> Dictionary:
    """The words as columns, in the core."""
    return Dictionary(
        settings.reader(), hashes, binary=settings.binary, hashed_bits=settings.hashed_bits, n_jobs=n_jobs
    )


def seed_of(settings: TextSettings) -> int:
    """The seed of what is random."""
    return settings.key % 2**32


def packed(array: NDArray[Any]) -> bytes:
    """An array as it lies in the file."""
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def _of_dictionary(book: Wordbook, settings: TextSettings) -> Wordbook:
    """The words that are features: the most frequent ones, or all buckets."""
    k, seen = settings.max_features, len(book)
    if k is None or k >= seen or settings.hashed_bits:
        return book
    rows = book.most_frequent(k)
    return Wordbook(*book.rows(rows), np.array(book.items), *book.packed_names(rows))
