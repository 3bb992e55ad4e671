"""Labelled items that can be read again: what models need that take more than one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from .._core import Dictionary, Reader
from ..errors import DataError
from .counting import Occurrences, counter
from .served import ServedText
from .settings import TextSettings

Read = Callable[[], Iterator[Sequence[str | bytes]]]
"""Gives items from the beginning, batch by batch, the same ones each time."""
# Bytes of an item's digest.
SIZE = 16


@dataclass(frozen=True, eq=False)
class Corpus:
    """N examples among the items that `read` gives, and their labels.

    places  (N,) which of the items they are, ascending
    y       (N,) class indices into `classes`
    keys    (N,) digests: of equal items equal ones
    weight  (N,) repetitions > 0, or None where each counts once
    """

    read: Read
    classes: tuple[Any, ...]
    places: NDArray[np.intp]
    y: NDArray[np.intp]
    keys: NDArray[np.bytes_]
    weight: NDArray[np.float64] | None = None

    @classmethod
    def of_texts(
        cls,
        texts: Sequence[str | bytes],
        reader: Reader,
        classes: Sequence[Any],
        y: ArrayLike,
        weight: ArrayLike | None = None,
    ) -> Self:
        """Every text is an example, also the same one again; texts of weight 0 are as if they were not there."""
        places, members = np.arange(len(texts)), np.asarray(y, dtype=np.intp)
        weights = None if weight is None else np.asarray(weight, dtype=np.float64)
        if weights is not None and not weights.all():
            places = np.flatnonzero(weights)
            members, weights = members[places], weights[places]
        keys = _keys(reader, [texts[i] for i in places.tolist()])
        return cls(lambda: iter([texts]), tuple(classes), places, members, keys, weights)

    @classmethod
    def of_known(cls, read: Read, reader: Reader, classes: Sequence[Any], digests: Any, members: Any) -> Self:
        """The first occurrence of each item whose digest is one of `digests` (M,), ascending, of class `members` (M,).

        Cost: one pass over the items.
        """
        keys = np.concatenate([np.empty(0, f"S{SIZE}"), *(_keys(reader, items) for items in read())])
        known, first = np.unique(keys, return_index=True)
        place = np.minimum(np.searchsorted(digests, known), len(digests) - 1)
        found = digests[place] == known
        if found.sum() != len(digests):
            raise changed()
        order = np.argsort(first[found])
        chosen, y = first[found][order], np.asarray(members, dtype=np.intp)[place[found]][order]
        return cls(read, tuple(classes), chosen, y, keys[chosen])

    def __len__(self) -> int:
        return len(self.places)

    def only(self, kept: NDArray[np.bool_]) -> Self:
        """Some of the examples."""
        weight = None if self.weight is None else self.weight[kept]
        return replace(self, places=self.places[kept], y=self.y[kept], keys=self.keys[kept], weight=weight)

    def without_empty(self) -> Self:
        """The same examples without the classes of which there are none."""
        kept = np.unique(self.y)
        classes = tuple(self.classes[c] for c in kept.tolist())
        return replace(self, classes=classes, y=np.searchsorted(kept, self.y))

    def batches(self) -> Iterator[tuple[list[str | bytes], slice]]:
        """The examples batch by batch, with where they stand; DataError if they are fewer than when first read."""
        start = given = 0
        for items in self.read():
            end = given + int(np.searchsorted(self.places[given:], start + len(items)))
            yield [items[place - start] for place in self.places[given:end].tolist()], slice(given, end)
            start, given = start + len(items), end
        if given < len(self):
            raise changed()

    def count(self, settings: TextSettings, n_jobs: int | None = None) -> Occurrences:
        """How often each word was seen in each class."""
        pass_ = counter(settings, len(self.classes), weighted=self.weight is not None, n_jobs=n_jobs)
        for items, at in self.batches():
            pass_.add(items, self.y[at].tolist(), None if self.weight is None else self.weight[at].tolist())
        return Occurrences.of(pass_)

    def rows(self, dictionary: Dictionary) -> sparse.csr_array:
        """CSR (N, d) of the examples over the features of the dictionary."""
        parts = []
        for items, _ in self.batches():
            ends, features, values = dictionary.rows(items)
            starts = np.concatenate([[0], ends])
            parts.append(sparse.csr_array((values, features, starts), shape=(len(items), len(dictionary))))
        return parts[0] if len(parts) == 1 else sparse.csr_array(sparse.vstack(parts, format="csr"))

    def order(self) -> NDArray[np.intp]:
        """(N,) an order of the examples that is the same whatever the order in which they were read."""
        weight = np.ones(len(self)) if self.weight is None else self.weight
        order: NDArray[np.intp] = np.lexsort((weight, self.y, self.keys))
        return order

    def errors(self, served: ServedText) -> float:
        """The share of the examples, by weight, that is judged wrongly."""
        wrong = np.concatenate([served.scores(items).argmax(axis=1) != self.y[at] for items, at in self.batches()])
        return float(np.average(wrong, weights=self.weight))


def changed() -> DataError:
    """What to say of files that are not what they were a moment ago."""
    return DataError(
        "Expected the same examples on every reading; they changed meanwhile. Train again once nothing writes there."
    )


def _keys(reader: Reader, items: Sequence[str | bytes]) -> NDArray[np.bytes_]:
    return np.frombuffer(b"".join(map(reader.digest, items)), dtype=f"S{SIZE}")
