"""Text models as they judge whose score is of the rows of texts, weighed and scaled: a machine, a network. What a
word of a machine says is the mean of what it adds to an empty text and of what the item loses without it, see
`KernelScore.terms`; of a network its gradients, integrated on the way from an empty text, see `NetworkScore.terms`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import Dictionary
from ..conventions import DECIBANS_PER_NAT
from ..judging import UNSURE_BELOW, first_two
from ..lazy import cached_property
from ..scores import KernelScore, Score
from ..verdict import Explanation, Term, Threshold
from .encoder import WordEncoder, dictionary_of, pack
from .served import Judged, ServedText
from .weighting import directions, scale_words

if TYPE_CHECKING:
    from .._core import TokenCorpus

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ServedRows(ServedText):
    """`weights`, `prior` and `bias` are empty: `score` judges rows of words, each times its `scale` (K,), of length 1
    where `of_length_one`."""

    scale: Floats = field(kw_only=True)
    score: Score = field(kw_only=True)
    of_length_one: bool = field(kw_only=True, default=True)

    @classmethod
    def of(cls, encoder: WordEncoder, score: Score, classes: tuple[Any, ...], n_jobs: int | None) -> Self:
        """Return the model of words that the encoder scales and the score judges."""
        assert encoder.scale is not None
        hashes, _, _, words, ends = encoder.book.parts()
        return cls(
            encoder.settings,
            classes,
            hashes=pack(hashes),
            weights=b"",
            prior=b"",
            bias=b"",
            words=words,
            ends=pack(ends),
            n_jobs=n_jobs,
            claims=encoder.claims,
            scale=encoder.scale,
            score=score,
            of_length_one=encoder.of_length_one,
        )

    @cached_property
    def dictionary(self) -> Dictionary:
        """The words, in the core; DataError for those of a file that do not belong together."""
        try:
            return dictionary_of(self.settings, self.hashes, self.n_jobs)
        except ValueError as error:
            raise self._damaged(f"its score: {error}") from error

    def rows(self, items: Iterable[str | bytes]) -> sparse.csr_array:
        """Return CSR (N, K) of items as the score sees them."""
        return self._rescale(*self.dictionary.rows(items))

    def _rescale(self, ends: Any, features: Any, values: Any) -> sparse.csr_array:
        starts = np.concatenate([[0], ends])
        X = sparse.csr_array((values, features, starts), shape=(len(ends), len(self.dictionary)))
        return directions(X, self.scale) if self.of_length_one else scale_words(X, self.scale)

    def joint(self, items: Iterable[str | bytes]) -> Floats:
        """Return (N, C) log joint probabilities, in nats, whatever may be claimed."""
        return self.of_rows(self.rows(items))

    def joint_of(self, tokens: TokenCorpus, places: NDArray[np.int64]) -> Floats:
        """Return (N, C) the same of items that have been tokenised, at these places, ascending."""
        return self.of_rows(self._rescale(*self.dictionary.rows_of(tokens, places)))

    def of_rows(self, rows: sparse.csr_array) -> Floats:
        """Return (N, C) the same of rows of words as the score sees them."""
        found: Floats = self.score(rows, self.n_jobs) if isinstance(self.score, KernelScore) else self.score(rows)
        return found

    def by_word(self) -> Floats:
        """Return (K, C) what each word adds to a text of nothing else, as heavy as a machine meets it on average, in
        nats."""
        if isinstance(self.score, KernelScore):
            return self.score.alone()
        one: Any = sparse.eye_array(len(self.scale), format="csr")
        found: Floats = self.score(one if self.of_length_one else scale_words(one, self.scale)) - self.score.prior
        return found

    def judged(self, items: Iterable[str | bytes]) -> Sequence[Judged]:
        """Return per item its scores, and the first class and the next."""
        return [(scores, first_two(scores), None) for scores in self.joint(items).tolist()]

    def explain(
        self,
        item: str | bytes,
        unsure_below: float = UNSURE_BELOW,
        threshold: Threshold | None = None,
        pair: tuple[int, int] | None = None,
    ) -> Explanation:
        """Return why the item is judged so, word by word: prior + Σ terms = decibans. The prior is the score of a text
        without words; what a word says, the `terms` of the score tell."""
        judged = self.weighed(item, pair)
        verdict = self.verdict(judged, unsure_below, threshold)
        label, against = judged[1] if threshold is None else threshold.pair(judged[0])
        said = self.score.terms(self.rows([item]), label, against)
        evidence = dict(zip(said.feature.tolist(), said.evidence.tolist(), strict=True))
        text, reasons = self.dictionary.reasons(item)
        shares = _shares([(feature, count) for feature, _, count, _ in reasons])
        terms = [
            Term(name, share * evidence.get(feature, 0.0) * DECIBANS_PER_NAT, float(count), tuple(places))
            for (feature, name, count, places), share in zip(reasons, shares, strict=True)
        ]
        terms.sort(key=lambda term: (-abs(term.decibans), term.term))
        prior = float(self.score.prior[label] - self.score.prior[against]) * DECIBANS_PER_NAT
        return Explanation.of_verdict(verdict, prior, tuple(terms), text).times(self._factor(judged))


def _shares(words: Sequence[tuple[int, int]]) -> list[float]:
    """Return how much of what its feature says each word (feature, count) says: those in the same bucket share it by
    their counts."""
    total: dict[int, int] = {}
    for feature, count in words:
        total[feature] = total.get(feature, 0) + count
    return [count / total[feature] for feature, count in words]
