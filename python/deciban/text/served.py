"""A text model as it judges: a dictionary of words, a weight per word and class, and nothing else.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .._core import Dictionary, Reader
from ..claims import UNBOUNDED, Claims
from ..conventions import DECIBANS_PER_NAT
from ..data.text_layout import KERNEL, NETWORK, ONLINE
from ..errors import DataError
from ..judging import NAMED_ABSENT, UNSURE_BELOW, first_two, verdict_of
from ..lazy import cached_property
from ..verdict import Explanation, Term, Threshold, Verdict
from .settings import TextSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .._core import TokenCorpus
    from ..store import Stored
    from .belief import Belief
    from .bucket_words import BucketNames

# What a file keeps of the score, in the order of the fields below.
TENSORS = ("hashes", "weights", "prior", "bias", "absent", "words", "ends")
# P(|Z| ≤ z) = 0.95 for Z ~ N(0, 1): the interval of a verdict holds 95 %.
_Z = 1.959963984540054
LARGEST = 1e100
"""Evidence, in nats, beyond which there is none that examples gave."""


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
    `buckets` are the names of those that speak by being absent, where they are kept. `claims` are what the examples
    of calibrated scores can tell.
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
    name: str = field(default="the model", compare=False)
    claims: Claims = UNBOUNDED

    @classmethod
    def from_stored(cls, stored: Stored, n_jobs: int | None = None) -> ServedText:
        """Return the model in a file that `store.read` has checked."""
        if stored.header["model"] == KERNEL:
            from .kernel import Machine  # here, because others load no NumPy

            return replace(Machine.from_stored(stored).compile(n_jobs), name=stored.name)
        if stored.header["model"] == NETWORK:
            from .network import Layers

            return replace(Layers.from_stored(stored).compile(n_jobs), name=stored.name)
        if stored.header["model"] == ONLINE:
            from .experts import ServedExperts

            return ServedExperts.from_stored(stored, n_jobs)
        header, tensors = stored.header, stored.tensors
        # Where every word counted is in the dictionary, the statistics have the words already.
        stored_as = {name: f"score.{name}" if f"score.{name}" in tensors else f"state.{name}" for name in TENSORS}
        known = {name: where for name, where in stored_as.items() if where in tensors}
        parts: dict[str, Any] = {name: bytes(tensors[where].data) for name, where in known.items()}
        settings, classes = TextSettings.from_json(header["text"]), tuple(header["classes"])
        _require_prior(stored, array("d", parts["prior"]))
        about: dict[str, Any] = {"n_jobs": n_jobs, "name": stored.name, "claims": claims_of(stored)}
        if "bayes" not in header:
            return cls(settings, classes, bias=parts["prior"], **about, **parts)
        from .belief import Belief  # here, because no other model needs these
        from .bucket_words import BucketNames

        total, items = bytes(tensors["score.total"].data), bytes(tensors["state.items"].data)
        told = tensors.get("score.widening")
        widening = None if told is None else tuple(array("d", bytes(told.data)))
        slope = header.get("calibration", {"slope": 1.0})["slope"]
        belief = Belief.of(header["bayes"], total, items, parts["prior"], widening, slope)
        bits = settings.hashed_bits
        buckets = BucketNames.from_tensors(bits, tensors) if bits is not None and parts.get("absent") else None
        return cls(settings, classes, belief=belief, buckets=buckets, **about, **parts)

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
            raise self._damaged(f"its score: {error}") from error

    def joint(self, items: Iterable[str | bytes]) -> NDArray[np.float64]:
        """Return (N, C) log joint probabilities, in nats, whatever may be claimed."""
        return self._require_finite(self.dictionary.scores(items))

    def joint_of(self, tokens: TokenCorpus, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (N, C) the same of items that have been tokenised, at these places, ascending."""
        return self._require_finite(self.dictionary.scores_of(tokens, places))

    def scores(self, items: Iterable[str | bytes]) -> NDArray[np.float64]:
        """Return (N, C) scores of which the posterior is made, in nats, as far as the examples can tell."""
        return self._claimed(self.joint(items))

    def scores_of(self, tokens: TokenCorpus, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (N, C) the same of items that have been tokenised, at these places, ascending."""
        return self._claimed(self.joint_of(tokens, places))

    def _claimed(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        from ..scores.evidence import claimed  # here, because who judges one item needs no NumPy

        return claimed(scores, self.claims)

    def _require_finite(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores (N, C), of which every item has one that is finite, and none is too large."""
        right = (abs(scores) <= LARGEST) | (scores == -math.inf)
        if not right.all() or (scores.max(axis=1, initial=-math.inf) == -math.inf).any():
            raise self._endless()
        return scores

    def _endless(self) -> DataError:
        return DataError(
            f"{self.name}: its weights add up to no finite score of an item. "
            "Train again, with an estimate that smooths."
        )

    def judged(self, items: Iterable[str | bytes]) -> Sequence[Judged]:
        """Return per item its scores, the first class and the next, and the variance of the log-odds between them, in
        nats."""
        if self.belief is not None:
            return self.dictionary.judge(items)
        return [(scores, first_two(scores), None) for scores in self.dictionary.score_lists(items)]

    def judge(
        self, items: Iterable[str | bytes], unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> list[Verdict]:
        """Return a verdict for each item."""
        return [self.verdict(judged, unsure_below, threshold) for judged in self.judged(items)]

    def verdict(
        self, judged: Judged, unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> Verdict:
        """Return the verdict that scores (C,) amount to; of equal ones the first class wins."""
        scores, pair, variance = judged
        # −∞ is the score of a class that was forgotten.
        if max(scores) == -math.inf or not all(abs(score) <= LARGEST or score == -math.inf for score in scores):
            raise self._endless()
        odds = scores[pair[0]] - scores[pair[1]]
        interval = None if variance is None else _interval(odds, variance)
        return verdict_of(self.classes, scores, pair, interval, unsure_below, threshold, self.claims)

    def weighed(self, item: str | bytes, pair: tuple[int, int] | None) -> Judged:
        """Return the item as the core judges it, of two classes if they are asked for; nothing tells the doubt of
        classes that are not the first two."""
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
    ) -> Explanation:
        """Return why the item is judged so, word by word: prior + Σ terms = decibans; of the first two classes, or of
        `pair`, places among `classes`."""
        judged = self.weighed(item, pair)
        verdict = self.verdict(judged, unsure_below, threshold)
        label, against = judged[1] if threshold is None else threshold.pair(judged[0])
        text, reasons = self.dictionary.reasons(item)
        weights = _Contrast(self.weights, len(self.classes), label, against)
        absent = _Contrast(self.absent, len(self.classes), label, against)
        terms: list[Term] = []
        present: set[int] = set()
        for feature, name, count, places in reasons:
            weight = weights[feature] * (1 if self.settings.binary else count)
            if self.settings.binary and feature in present:
                weight = 0.0  # another word in the same bucket has spoken for it
            elif feature not in present:
                weight += absent[feature]
            present.add(feature)
            terms.append(Term(name, weight * DECIBANS_PER_NAT, float(count), tuple(places)))
        terms.extend(self._absent(absent, present))
        if any(abs(term.decibans) > LARGEST for term in terms if math.isfinite(term.decibans)):
            raise self._damaged("its weights are too large")
        prior = _Contrast(self.prior, len(self.classes), label, against)[0] * DECIBANS_PER_NAT
        terms.sort(key=lambda term: (-abs(term.decibans), term.term))
        return Explanation.of_verdict(verdict, prior, tuple(terms), text).times(self._factor(judged))

    def _factor(self, judged: Judged) -> float:
        """Return what becomes of a deciban of evidence by what may be claimed."""
        return self.claims.pair(judged[0], judged[1]).factor

    def _absent(self, absent: _Contrast, present: set[int]) -> list[Term]:
        """Return what the words that are not there say: the strongest by name, the others together."""
        if not self.absent:
            return []
        missing = sorted((j for j in range(len(absent)) if j not in present), key=lambda j: (-abs(absent[j]), j))
        named, others = missing[:NAMED_ABSENT], missing[NAMED_ABSENT:]
        terms = [Term(f"no {self._name(j)}", absent[j] * DECIBANS_PER_NAT, 0.0) for j in named]
        if others:
            rest = math.fsum(absent[j] for j in others) * DECIBANS_PER_NAT
            terms.append(Term(f"({len(others):,} other absent words)", rest, 0.0))
        return terms

    def _name(self, feature: int) -> str:
        bits = self.settings.hashed_bits
        if bits is None:
            return self.names[feature]
        bucket = array("Q", self.hashes)[feature] >> (64 - bits)
        return f"bucket {bucket}" if self.buckets is None else self.buckets[bucket]

    def by_word(self) -> NDArray[np.float64]:
        """Return (K, C) what each word adds to the score, in nats."""
        import numpy as np

        return np.frombuffer(self.weights, "<f8").reshape(-1, len(self.classes))

    @cached_property
    def names(self) -> list[str]:
        """Names of the dictionary's words, in its order; none for hashed features."""
        ends = array("Q", self.ends).tolist()
        try:
            return [self.words[start:end].decode() for start, end in pairwise([0, *ends])]
        except UnicodeDecodeError as error:
            raise self._damaged(f"its words: {error}") from error

    def _damaged(self, what: str) -> DataError:
        return DataError(f"{self.name}: its model is damaged: {what}. Train again.")


def _require_prior(stored: Stored, prior: array[float]) -> None:
    """Raise DataError for a prior that is not finite, but of a class without examples, or to which none was given."""
    given = type(stored.header.get("bayes", {}).get("class_prior")) is list
    items = array("d", bytes(stored.tensors["state.items"].data))
    for value, count in zip(prior, items, strict=True):
        if not (abs(value) <= LARGEST or (value == -math.inf and "bayes" in stored.header and (given or not count))):
            raise DataError(f"{stored.name}: its model is damaged: 'score.prior' is not what counts say. Train again.")


def claims_of(stored: Stored) -> Claims:
    """Return what the examples of a model in a file can tell; of raw scores there is no end."""
    if "bayes" in stored.header and "calibration" not in stored.header:
        return UNBOUNDED
    items = array("d", bytes(stored.tensors["state.items"].data))
    if not all(0.0 <= count < math.inf for count in items):
        raise DataError(f"{stored.name}: its model is damaged: numbers of items are expected. Train again.")
    return Claims(math.fsum(items))


def _interval(odds: float, variance: float) -> tuple[float, float]:
    """Return where 95 % of a normal about these log-odds lie, in nats; everywhere where nothing is known."""
    half = _Z * math.sqrt(variance)
    if not (math.isfinite(odds) and math.isfinite(half)):
        return -math.inf, math.inf
    return odds - half, odds + half


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
