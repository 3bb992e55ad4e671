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

from .._core import Dictionary, Reader
from ..conventions import DECIBANS_PER_NAT
from ..data.text_layout import KERNEL, NETWORK
from ..errors import DataError
from ..judging import NAMED_ABSENT, UNSURE_BELOW, first_two, verdict_of
from ..verdict import TextExplanation, TextTerm, Threshold, Verdict
from .belief import Belief
from .bucket_words import BucketNames
from .settings import TextSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..store import Stored

# What a file keeps of the score, in the order of the fields below.
TENSORS = ("hashes", "weights", "prior", "bias", "absent", "words", "ends")
# P(|Z| ≤ z) = 0.95 for Z ~ N(0, 1): the interval of a verdict holds 95 %.
_Z = 1.959963984540054


Judged = tuple[list[float], tuple[int, int], float | None]
"""An item as the core judges it: scores (C,); the first class and the next; the variance of their log-odds, where
counts stand behind the score."""


@dataclass(frozen=True)
class ServedText:
    """score_c(item) = prior_c + Σ_j x_j W_jc + Σ_j absent_jc, compiled for speed.

    All numbers are little-endian bytes, as they lie in the file: `hashes` (K,) of 64 bits, `weights` (K, C),
    `prior` (C,), `bias` (C,) = prior + Σ absent, `absent` (K, C) or empty, of float64. `words` are the K names
    one after the other, which end at `ends` (K,); both are empty where features are hashed. `belief` is what tells
    how sure a verdict is; None where the score was not derived from counts, and then nothing tells.
    `buckets` are the names of those that speak by being absent, where they are kept.
    """

    settings: TextSettings
    classes: tuple[Any, ...]
    hashes: bytes
    weights: bytes
    prior: bytes
    bias: bytes
    belief: Belief | None = None
    absent: bytes = b""
    words: bytes = b""
    ends: bytes = b""
    n_jobs: int | None = None
    buckets: BucketNames | None = None

    @classmethod
    def from_stored(cls, stored: Stored, n_jobs: int | None = None) -> ServedText:
        """The model in a file that `store.read` has checked."""
        if stored.header["model"] == KERNEL:
            from .kernel import ServedKernelText  # here, because others load no NumPy

            return ServedKernelText.of_stored(stored, n_jobs)
        if stored.header["model"] == NETWORK:
            from .network import ServedNetworkText

            return ServedNetworkText.of_stored(stored, n_jobs)
        header, tensors = stored.header, stored.tensors
        # Where every word counted is in the dictionary, the statistics have the words already.
        stored_as = {name: f"score.{name}" if f"score.{name}" in tensors else f"state.{name}" for name in TENSORS}
        known = {name: where for name, where in stored_as.items() if where in tensors}
        parts: dict[str, Any] = {name: bytes(tensors[where].data) for name, where in known.items()}
        settings, classes = TextSettings.from_json(header["text"]), tuple(header["classes"])
        if "bayes" not in header:
            return cls(settings, classes, bias=parts["prior"], belief=None, n_jobs=n_jobs, **parts)
        total, items = bytes(tensors["score.total"].data), bytes(tensors["state.items"].data)
        told = tensors.get("score.widening")
        widening = None if told is None else tuple(array("d", bytes(told.data)))
        belief = Belief.of(header["bayes"], total, items, parts["prior"], widening)
        bits = settings.hashed_bits
        buckets = BucketNames.from_tensors(bits, tensors) if bits is not None and parts.get("absent") else None
        return cls(settings, classes, belief=belief, n_jobs=n_jobs, buckets=buckets, **parts)

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
                belief=self.belief,
                binary=self.settings.binary,
                hashed_bits=self.settings.hashed_bits,
                n_jobs=self.n_jobs,
            )
        except ValueError as error:
            raise DataError(f"The model's score is damaged: {error}. Train again.") from error

    def scores(self, items: Iterable[str | bytes]) -> NDArray[np.float64]:
        """(N, C) log joint probabilities, in nats."""
        return self.dictionary.scores(items)

    def judged(self, items: Iterable[str | bytes]) -> Sequence[Judged]:
        """Per item its scores, the first class and the next, and the variance of the log-odds between them, in nats."""
        if self.belief is not None:
            return self.dictionary.judge(items)
        return [(scores, first_two(scores), None) for scores in self.dictionary.score_lists(items)]

    def judge(
        self, items: Iterable[str | bytes], unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> list[Verdict]:
        """A verdict for each item."""
        return [self.verdict(judged, unsure_below, threshold) for judged in self.judged(items)]

    def verdict(
        self, judged: Judged, unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> Verdict:
        """The verdict that scores (C,) amount to; of equal ones the first class wins."""
        scores, pair, variance = judged
        odds = scores[pair[0]] - scores[pair[1]]
        interval = None if variance is None else _interval(odds, variance)
        return verdict_of(self.classes, scores, pair, interval, unsure_below, threshold)

    def weighed(self, item: str | bytes, pair: tuple[int, int] | None) -> Judged:
        """The item as the core judges it, of two classes if they are asked for; nothing tells the doubt of classes
        that are not the first two."""
        scores, known, variance = self.judged([item])[0]
        if pair is None:
            return scores, known, variance
        return scores, pair, variance if set(pair) == set(known) else None

    def explain(
        self,
        item: str | bytes,
        unsure_below: float = UNSURE_BELOW,
        threshold: Threshold | None = None,
        pair: tuple[int, int] | None = None,
    ) -> TextExplanation:
        """Why the item is judged so, word by word: prior + Σ terms = decibans; of the first two classes, or of `pair`,
        places among `classes`."""
        judged = self.weighed(item, pair)
        verdict = self.verdict(judged, unsure_below, threshold)
        label, against = judged[1] if threshold is None else threshold.pair(judged[0])
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
        if bits is None:
            return self.names[feature]
        bucket = array("Q", self.hashes)[feature] >> (64 - bits)
        return f"bucket {bucket}" if self.buckets is None else self.buckets[bucket]

    def by_word(self) -> NDArray[np.float64]:
        """(K, C) what each word adds to the score, in nats."""
        import numpy as np

        return np.frombuffer(self.weights, "<f8").reshape(-1, len(self.classes))

    @cached_property
    def names(self) -> list[str]:
        """Names of the dictionary's words, in its order; none for hashed features."""
        ends = array("Q", self.ends).tolist()
        try:
            return [self.words[start:end].decode() for start, end in pairwise([0, *ends])]
        except UnicodeDecodeError as error:
            raise DataError(f"The model's words are damaged: {error}. Train again.") from error


def _interval(odds: float, variance: float) -> tuple[float, float]:
    """In decibans, where 95 % of a normal about these log-odds, in nats, lie; everywhere where nothing is known."""
    half = _Z * math.sqrt(variance)
    if not (math.isfinite(odds) and math.isfinite(half)):
        return -math.inf, math.inf
    return (odds - half) * DECIBANS_PER_NAT, (odds + half) * DECIBANS_PER_NAT


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
