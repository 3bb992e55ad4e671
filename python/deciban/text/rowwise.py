"""Text models as they judge whose score is of the rows of texts, weighed and scaled: a machine, a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import Dictionary
from ..conventions import DECIBANS_PER_NAT
from ..errors import DataError
from ..judging import UNSURE_BELOW, first_two
from ..verdict import TextExplanation, TextTerm, Threshold
from .minimised import MinimisedText, dictionary_of, packed
from .served import Judged, ServedText
from .settings import TextSettings
from .weighting import directions, scaled

if TYPE_CHECKING:
    from ..store import Stored

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ServedRows(ServedText):
    """`weights`, `prior` and `bias` are empty: `score` judges rows of words, each times its `scale` (K,), of length 1
    where `of_length_one`."""

    scale: Floats = field(kw_only=True)
    score: Any = field(kw_only=True)
    of_length_one: bool = field(kw_only=True, default=True)

    @staticmethod
    def of_file(stored: Stored, n_jobs: int | None) -> dict[str, Any]:
        """The fields that a file that `store.read` has checked holds, but for those of the score."""
        hashes, words, ends = (bytes(stored.tensors[f"state.{part}"].data) for part in ("hashes", "words", "ends"))
        settings, classes = TextSettings.from_json(stored.header["text"]), tuple(stored.header["classes"])
        return _fields(settings, classes, hashes, words, ends, n_jobs)

    @staticmethod
    def of_model(model: MinimisedText, n_jobs: int | None) -> dict[str, Any]:
        """The fields that a model has, but for those of the score."""
        hashes, _, _, words, ends = model.book.parts()
        return _fields(model.settings, model.classes, packed(hashes), words, packed(ends), n_jobs)

    @cached_property
    def dictionary(self) -> Dictionary:
        """The words, in the core; DataError for those of a file that do not belong together."""
        try:
            return dictionary_of(self.settings, self.hashes, self.n_jobs)
        except ValueError as error:
            raise DataError(f"The model's score is damaged: {error}. Train again.") from error

    def rows(self, items: Iterable[str | bytes]) -> sparse.csr_array:
        """CSR (N, K) of items as the score sees them."""
        ends, features, values = self.dictionary.rows(items)
        starts = np.concatenate([[0], ends])
        X = sparse.csr_array((values, features, starts), shape=(len(ends), len(self.dictionary)))
        return directions(X, self.scale) if self.of_length_one else scaled(X, self.scale)

    def scores(self, items: Iterable[str | bytes]) -> Floats:
        """(N, C) log joint probabilities, in nats."""
        found: Floats = self.score(self.rows(items))
        return found

    def judged(self, items: Iterable[str | bytes]) -> Sequence[Judged]:
        """Per item its scores, and the first class and the next."""
        return [(scores, first_two(scores), None) for scores in self.scores(items).tolist()]

    def explain(
        self,
        item: str | bytes,
        unsure_below: float = UNSURE_BELOW,
        threshold: Threshold | None = None,
        pair: tuple[int, int] | None = None,
    ) -> TextExplanation:
        """Why the item is judged so, word by word: prior + Σ terms = decibans. The prior is the score of a text without
        words; what a word says, the `terms` of the score tell."""
        judged = self.weighed(item, pair)
        verdict = self.verdict(judged, unsure_below, threshold)
        label, against = judged[1] if threshold is None else threshold.pair(judged[0])
        said = self.score.terms(self.rows([item]), label, against)
        evidence = dict(zip(said.feature.tolist(), said.evidence.tolist(), strict=True))
        text, reasons = self.dictionary.reasons(item)
        shares = _shares([(feature, count) for feature, _, count, _ in reasons])
        terms = [
            TextTerm(name, share * evidence.get(feature, 0.0) * DECIBANS_PER_NAT, count, tuple(places))
            for (feature, name, count, places), share in zip(reasons, shares, strict=True)
        ]
        terms.sort(key=lambda term: (-abs(term.decibans), term.term))
        prior = float(self.score.prior[label] - self.score.prior[against]) * DECIBANS_PER_NAT
        return TextExplanation(verdict, prior, tuple(terms), text)


def _fields(
    settings: TextSettings, classes: Any, hashes: bytes, words: bytes, ends: bytes, n_jobs: Any
) -> dict[str, Any]:
    known: dict[str, Any] = {
        "settings": settings,
        "classes": classes,
        "hashes": hashes,
        "words": words,
        "ends": ends,
        "n_jobs": n_jobs,
    }
    return {**known, "weights": b"", "prior": b"", "bias": b""}


def _shares(words: Sequence[tuple[int, int]]) -> list[float]:
    """How much of what its feature says each word (feature, count) says: those in the same bucket share it by their
    counts."""
    total: dict[int, int] = {}
    for feature, count in words:
        total[feature] = total.get(feature, 0) + count
    return [count / total[feature] for feature, count in words]


# Beyond such sizes sums would leave the range of a float64.
LARGEST = 1e100


def finite(values: NDArray[Any], most: float = LARGEST) -> NDArray[Any]:
    """A copy of the numbers that a file holds; ValueError for those that nothing can be computed with."""
    if not (np.abs(values) <= most).all():
        raise ValueError("numbers that are not finite, or too large")
    return np.array(values)
