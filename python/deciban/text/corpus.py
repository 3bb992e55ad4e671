"""Labelled items that were read and tokenised once: every model, fold, choice and report works from their tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import Dictionary, Reader, TokenCorpus
from ..data.labelled import KeyedExamples
from .counting import Occurrences, occurrences_of, require_room_for_words
from .served import ServedText
from .settings import TextSettings

if TYPE_CHECKING:
    from scipy import sparse

MEMORY = 256 << 20
"""Bytes of tokens that are kept in memory; the others go into a temporary file without a name."""
# Bytes of an item's digest.
SIZE = 16

T = TypeVar("T")


@dataclass(frozen=True, eq=False, kw_only=True)
class Corpus(KeyedExamples):
    """Labelled examples among the items of X, tokens.

    places  (N,) which of the items they are, ascending
    named   whether the words of models that minimise get their names, without which they only classify
    times   (N,) when they came, in seconds since 1970, 0 where they do not say; None where nothing can say it
    tried   whether models are only compared by their errors, which needs no calibration
    """

    EACH = (*KeyedExamples.EACH, "places", "times")

    X: TokenCorpus
    classes: tuple[Any, ...]
    places: NDArray[np.int64]
    named: bool = True
    tried: bool = False
    times: NDArray[np.int64] | None = None

    @classmethod
    def of_texts(
        cls,
        texts: Sequence[str | bytes],
        reader: Reader,
        classes: Sequence[Any],
        y: ArrayLike,
        weight: ArrayLike | None = None,
    ) -> Self:
        """Return every text is an example, also the same one again; texts of weight 0 are as if they were not there."""
        members = np.asarray(y, dtype=np.intp)
        weights = None if weight is None else np.asarray(weight, dtype=np.float64)
        if weights is not None and not weights.all():
            kept = np.flatnonzero(weights)
            texts, members, weights = [texts[i] for i in kept.tolist()], members[kept], weights[kept]
        tokens = TokenCorpus(reader, MEMORY)
        keys = keys_of(tokens.add(texts))
        times, places = reader.arrivals(texts), np.arange(len(texts))
        return cls(X=tokens, y=members, classes=tuple(classes), weight=weights, keys=keys, places=places, times=times)

    def take(self, places: NDArray[np.intp]) -> TokenCorpus:
        return self.X  # of which `places` are some

    def without_names(self) -> Self:
        """Return the same examples, for models that only classify."""
        return replace(self, named=False)

    def to_try(self) -> Self:
        """Return the same examples, for models that are only compared by their errors."""
        return replace(self, named=False, tried=True)

    def once(self, what: str, settings: TextSettings, make: Callable[[], T]) -> T:
        """Return what is made with these settings; of a corpus to try models on, `what` was made with the last ones is
        kept, as the next model often has the same."""
        if not self.tried:
            return make()
        kept = _KEPT.setdefault(self, {})
        if kept.get(what, (None,))[0] != settings:
            kept[what] = settings, make()
        found: T = kept[what][1]
        return found

    def count(self, settings: TextSettings, named: bool = True) -> Occurrences:
        """Count how often each word was seen in each class; words have no names unless `named`, nor where models are
        only tried."""
        named = named and not self.tried
        return self.once("counts", settings, lambda: self._count(settings, named))

    def _count(self, settings: TextSettings, named: bool) -> Occurrences:
        """Count how often each word was seen in each class, in a pass over the tokens."""
        require_room_for_words(len(self.classes), settings, lambda: self._count_together(settings))
        return occurrences_of(
            *self.X.count(
                settings.reader(),
                self.places,
                self.y,
                len(self.classes),
                weights=self.weight,
                binary=settings.binary,
                hashed_bits=settings.hashed_bits,
                most_words=settings.max_words,
                readable=settings.readable and named,
                named=named,
            )
        )

    def _count_together(self, settings: TextSettings) -> int:
        """Return how many words there are."""
        (book, *_), *_ = self.X.count(
            settings.reader(),
            self.places,
            np.zeros_like(self.y),
            1,
            hashed_bits=settings.hashed_bits,
            most_words=settings.max_words,
        )
        return len(book)

    def rows(self, dictionary: Dictionary) -> sparse.csr_array:
        """Return CSR (N, d) of the examples over the features of the dictionary."""
        from scipy import sparse  # here, because who learns one message on does not need it

        ends, features, values = dictionary.rows_of(self.X, self.places)
        starts = np.concatenate([[0], ends]).astype(features.dtype if len(features) < 2**31 else np.int64)
        return sparse.csr_array((values, features, starts), shape=(len(self), len(dictionary)))

    def passages(self, dictionary: Dictionary) -> NDArray[np.uint16]:
        """Return in which passages of its content each word is, a bit for each, in the order of `rows`."""
        return dictionary.passages_of(self.X, self.places)

    def scores(self, served: ServedText) -> NDArray[np.float64]:
        """Return (N, C) log joint probabilities of the examples, in nats."""
        return served.scores_of(self.X, self.places)


_KEPT: WeakKeyDictionary[Corpus, dict[str, tuple[TextSettings, Any]]] = WeakKeyDictionary()


def widest_reader(settings: Iterable[TextSettings], longest: int = 1) -> Reader:
    """Return the reader whose tokens are those of all these settings, which differ in the lengths of n-grams only, and
    n-grams of up to `longest` words."""
    every = list(settings)
    return Reader(every[0].kind, (1, max(longest, *(each.words[1] for each in every))), every[0].key)


def keys_of(digests: bytes) -> NDArray[np.bytes_]:
    """Return (N,) digests that lie one after the other."""
    return np.frombuffer(digests, dtype=f"S{SIZE}")
