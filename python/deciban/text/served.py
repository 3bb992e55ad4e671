"""A text model as it judges: a dictionary of words, a weight per word and class, and nothing else.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .._core import Dictionary, Reader, log_posterior
from ..conventions import DECIBANS_PER_NAT
from ..errors import DataError
from ..verdict import TextExplanation, TextTerm, Verdict
from .settings import TextSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..store import Stored

# What a file keeps of the score, in the order of the fields below.
TENSORS = ("hashes", "weights", "prior", "bias", "absent", "words", "ends")
# Below so many decibans, odds of 10 to 1, a verdict is unsure unless the caller says otherwise.
UNSURE_BELOW = 10.0
# So many absent words are named one by one; the others are summed into one term.
NAMED_ABSENT = 20


@dataclass(frozen=True)
class ServedText:
    """score_c(item) = prior_c + Σ_j x_j W_jc + Σ_j absent_jc, compiled for speed.

    All numbers are little-endian bytes, as they lie in the file: `hashes` (K,) of 64 bits, `weights` (K, C),
    `prior` (C,), `bias` (C,) = prior + Σ absent, `absent` (K, C) or empty, of float64. `words` are the K names
    one after the other, which end at `ends` (K,); both are empty where features are hashed.
    """

    settings: TextSettings
    classes: tuple[Any, ...]
    hashes: bytes
    weights: bytes
    prior: bytes
    bias: bytes
    absent: bytes = b""
    words: bytes = b""
    ends: bytes = b""
    n_jobs: int | None = None

    @classmethod
    def from_stored(cls, stored: Stored, n_jobs: int | None = None) -> ServedText:
        """The model in a file that `store.read` has checked."""
        header, tensors = stored.header, stored.tensors
        # Where every word counted is in the dictionary, the statistics have the words already.
        parts = {
            name: bytes(tensors[f"score.{name}" if f"score.{name}" in tensors else f"state.{name}"].data)
            for name in TENSORS
        }
        settings, classes = TextSettings.from_json(header["text"]), tuple(header["classes"])
        return cls(settings, classes, n_jobs=n_jobs, **parts)

    def __getstate__(self) -> dict[str, Any]:
        """The fields; what the core made of them is made again."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @cached_property
    def reader(self) -> Reader:
        """How items become tokens."""
        return self.settings.reader()

    @cached_property
    def dictionary(self) -> Dictionary:
        """The words and their weights, in the core; DataError for those of a file that do not belong together."""
        try:
            return Dictionary(
                self.reader,
                self.hashes,
                weights=self.weights,
                bias=self.bias,
                binary=self.settings.binary,
                hashed_bits=self.settings.hashed_bits,
                n_jobs=self.n_jobs,
            )
        except ValueError as error:
            raise DataError(f"The model's score is damaged: {error}. Train again.") from error

    def scores(self, items: Iterable[str | bytes]) -> NDArray[np.float64]:
        """(N, C) log joint probabilities, in nats."""
        return self.dictionary.scores(items)

    def judge(self, items: Iterable[str | bytes], unsure_below: float = UNSURE_BELOW) -> list[Verdict]:
        """A verdict for each item."""
        return [self.verdict(scores, unsure_below) for scores in self.dictionary.score_lists(items)]

    def verdict(self, scores: Sequence[float], unsure_below: float = UNSURE_BELOW) -> Verdict:
        """The verdict that scores (C,) amount to; of equal ones the first class wins."""
        label, against = self._first_two(scores)
        if label == against:
            return Verdict(self.classes[label], None, {self.classes[label]: 1.0}, 0.0, unsure=True)
        decibans = (scores[label] - scores[against]) * DECIBANS_PER_NAT
        probability = {c: math.exp(p) for c, p in zip(self.classes, log_posterior(scores), strict=True)}
        return Verdict(
            self.classes[label], self.classes[against], probability, decibans, unsure=decibans < unsure_below
        )

    def _first_two(self, scores: Sequence[float]) -> tuple[int, int]:
        order = sorted(range(len(scores)), key=lambda c: -scores[c])
        return order[0], order[1 % len(order)]  # where there is but one class it has no rival

    def explain(self, item: str | bytes, unsure_below: float = UNSURE_BELOW) -> TextExplanation:
        """Why the item is judged so, word by word: prior + Σ terms = decibans."""
        scores = self.dictionary.score_lists([item])[0]
        verdict = self.verdict(scores, unsure_below)
        label, against = self._first_two(scores)
        text, reasons = self.dictionary.reasons(item)
        weights = _Contrast(self.weights, len(self.classes), label, against)
        absent = _Contrast(self.absent, len(self.classes), label, against)
        terms: list[TextTerm] = []
        present: set[int] = set()
        for feature, name, count, places in reasons:
            weight = weights[feature] * (1 if self.settings.binary else count)
            if self.settings.binary and feature in present:
                weight = 0.0  # another word in the same bucket has spoken for it
            elif feature not in present:
                weight += absent[feature]
            present.add(feature)
            terms.append(TextTerm(name, weight * DECIBANS_PER_NAT, count, tuple(places)))
        terms.extend(self._absent(absent, present))
        prior = _Contrast(self.prior, len(self.classes), label, against)[0] * DECIBANS_PER_NAT
        terms.sort(key=lambda term: (-abs(term.decibans), term.term))
        return TextExplanation(verdict, prior, tuple(terms), text)

    def _absent(self, absent: _Contrast, present: set[int]) -> list[TextTerm]:
        """What the words that are not there say: the strongest by name, the others together."""
        if not self.absent:
            return []
        missing = sorted((j for j in range(len(absent)) if j not in present), key=lambda j: (-abs(absent[j]), j))
        named, others = missing[:NAMED_ABSENT], missing[NAMED_ABSENT:]
        terms = [TextTerm(f"no {self._name(j)}", absent[j] * DECIBANS_PER_NAT, 0, ()) for j in named]
        if others:
            rest = math.fsum(absent[j] for j in others) * DECIBANS_PER_NAT
            terms.append(TextTerm(f"({len(others):,} other absent words)", rest, 0, ()))
        return terms

    def _name(self, feature: int) -> str:
        bits = self.settings.hashed_bits
        return self.names[feature] if bits is None else f"bucket {array('Q', self.hashes)[feature] >> (64 - bits)}"

    @cached_property
    def names(self) -> list[str]:
        """Names of the dictionary's words, in its order; none for hashed features."""
        ends = array("Q", self.ends).tolist()
        try:
            return [self.words[start:end].decode() for start, end in pairwise([0, *ends])]
        except UnicodeDecodeError as error:
            raise DataError(f"The model's words are damaged: {error}. Train again.") from error


class _Contrast:
    """Per feature, the weight of one class less that of another, read from (K, C) little-endian float64."""

    def __init__(self, data: bytes, classes: int, label: int, against: int) -> None:
        self.values = array("d", data)
        self.classes, self.label, self.against = classes, label, against

    def __len__(self) -> int:
        return len(self.values) // self.classes

    def __getitem__(self, feature: int) -> float:
        if not self.values:
            return 0.0
        row = feature * self.classes
        return self.values[row + self.label] - self.values[row + self.against]
