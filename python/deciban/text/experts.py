"""Two experts on an item and how they are heard: what a message says, and how it came. Compiled for speed.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from .._core import Experts
from ..conventions import DECIBANS_PER_NAT
from ..drift import STEADY, Drift
from ..judging import UNSURE_BELOW, first_two
from ..lazy import cached_property
from ..verdict import Explanation, Term, Threshold, Verdict
from .served import Judged, ServedText, claims_of
from .settings import TextSettings
from .word_sets import Lesson, WordSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .._core import Dictionary
    from ..store import Stored

SETTLED_AT = 0.05
"""What was learnt by a step for each item is learnt anew when it is more than so large a share of all."""
DISAGREE = "(headers and content disagree)"
"""The term that is left where experts do not say the same."""


@dataclass(frozen=True)
class Fusion:
    """How experts e on the words of an item are heard: the formulas are those of `crates/core/src/score/experts.rs`.

        z = (1/β) log mean_v exp(β z_v),      score = a z + b,      z_e = b_e + Σ_j W_j / √|x_e|

    Of two classes z are the log-odds of the second. With β = 0 it is the mean of the experts; with β > 0 the second
    class, and with β < 0 the first, needs but one voice that is for it: junk that hides its content behind good words
    does not hide how it came. The third voice is 0.2 of what the headers say and 0.8 of what the passages of the
    content say, s log mean_p exp(s z_p) with the sign s of β: one of them is enough, wherever the good words are.
    `spread` (E, 2) and `doubt` tell how uncertain the experts are, `typical` (E,) what a word counts on average.
    """

    experts: int
    bend: float
    slope: float
    intercept: tuple[float, ...]
    spread: tuple[tuple[float, float], ...]
    doubt: tuple[float, float, float]
    typical: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """Return what a file's header keeps."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Fusion:
        """Return what a file's header holds."""
        tuples = {name: tuple(values[name]) for name in ("intercept", "doubt", "typical")}
        return cls(**{**values, **tuples, "spread": tuple(map(tuple, values["spread"]))})


@dataclass(frozen=True)
class ServedExperts(ServedText):
    """`weights` (K, m), `doubts` (K,) and, as `prior`, offsets (E, m); m is 1 for two classes. `squares` ((K + E) m,)
    are sums of squares of their gradients, by which they learn on. `bias` is empty. The classes in `empty` have no
    examples, and nothing can speak for them. `drift` is what evidence counts by what was labelled since."""

    doubts: bytes = field(kw_only=True)
    squares: bytes = field(kw_only=True)
    fusion: Fusion = field(kw_only=True)
    empty: tuple[int, ...] = field(kw_only=True, default=())
    drift: Drift = field(kw_only=True, default=STEADY)

    @classmethod
    def from_stored(cls, stored: Stored, n_jobs: int | None = None) -> ServedExperts:
        """Return the model in a file that `store.read` has checked."""
        own = {name: f"state.{name}" for name in ("hashes", "words", "ends")}
        own |= {name: f"score.{name}" for name in ("weights", "prior", "doubts", "squares")}
        return cls._of(stored, n_jobs, **{name: bytes(stored.tensors[where].data) for name, where in own.items()})

    @classmethod
    def without_words(cls, stored: Stored, n_jobs: int | None = None) -> ServedExperts:
        """Return the same, but what is known of words."""
        prior, squares = (stored.tensors[f"score.{name}"].data for name in ("prior", "squares"))
        own = squares[len(squares) - len(prior) // 2 :]  # of the offsets, in half as many bytes
        return cls._of(stored, n_jobs, hashes=b"", weights=b"", prior=bytes(prior), doubts=b"", squares=bytes(own))

    @classmethod
    def _of(cls, stored: Stored, n_jobs: int | None, **parts: Any) -> ServedExperts:
        header = stored.header
        settings, fusion = TextSettings.from_json(header["text"]), Fusion.from_json(header["online"]["fusion"])
        classes = tuple(header["classes"])
        items = array("d", bytes(stored.tensors["state.items"].data))
        empty = tuple(c for c, count in enumerate(items) if not count)
        about: dict[str, Any] = {"n_jobs": n_jobs, "name": stored.name, "claims": claims_of(stored)}
        return cls(settings, classes, bias=b"", fusion=fusion, empty=empty, **about, **parts)

    @cached_property
    def experts(self) -> Experts:
        """The experts, in the core; DataError for those of a file that do not belong together."""
        try:
            return Experts(
                self.reader,
                self.hashes,
                weights=self.weights,
                doubts=self.doubts,
                bias=self.prior,
                squares=self.squares,
                fusion=self.fusion,
                n_jobs=self.n_jobs,
            )
        except ValueError as error:
            raise self._damaged(f"its score: {error}") from error

    def learn(self, lessons: Iterable[Lesson]) -> None:
        """Learn more items, at once and by a step for each: what a model of all of them says is near."""
        self.experts.learn([(each.words.hashes, each.words.passages, each.label, each.weight) for each in lessons])

    @property
    def dictionary(self) -> Dictionary:  # what is asked of it, experts answer, too
        """The words and what experts know of them."""
        return self.experts  # type: ignore[return-value]

    def judged(self, items: Iterable[str | bytes]) -> Sequence[Judged]:
        """Return per item its scores, the first class and the next, and the variance of the log-odds between them."""
        judged = self.experts.judge(items)
        return [self._without_empty(scores) for scores, *_ in judged] if self.empty else judged

    def verdict(
        self, judged: Judged, unsure_below: float = UNSURE_BELOW, threshold: Threshold | None = None
    ) -> Verdict:
        """Return the verdict that scores (C,) amount to; of equal ones the first class wins."""
        return super().verdict(self.heed(judged), unsure_below, threshold)

    def _factor(self, judged: Judged) -> float:
        return self.drift.slope * super()._factor(self.heed(judged))

    def _claimed(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return super()._claimed(self.drift.slope * scores)

    def heed(self, judged: Judged) -> Judged:
        """Return what is judged as it counts by what was labelled since."""
        if self.drift == STEADY:
            return judged
        scores, pair, variance = judged
        odds = scores[pair[0]] - scores[pair[1]]
        if variance is not None and math.isfinite(odds):
            variance = self.drift.variance(odds, variance)
        return [self.drift.slope * score for score in scores], pair, variance

    def judge_sets(self, sets: Iterable[WordSet]) -> list[Verdict]:
        """Return a verdict for each item, of which only its words are at hand."""
        return [self.verdict(each) for each in self.judged_sets(sets)]

    def word_sets(self, items: Iterable[str | bytes]) -> list[WordSet]:
        """Return items as sets of words."""
        return [WordSet(*each) for each in self.reader.word_sets(items)]

    def judged_sets(self, sets: Iterable[WordSet]) -> Sequence[Judged]:
        """Return what `judged` does, of items of which only their words are at hand."""
        judged = self.experts.judge_sets([(each.hashes, each.passages) for each in sets])
        return [self._without_empty(scores) for scores, *_ in judged] if self.empty else judged

    def _without_empty(self, scores: list[float]) -> Judged:
        known = [-math.inf if c in self.empty else score for c, score in enumerate(scores)]
        return known, first_two(known), math.inf

    def _require_finite(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        scores[:, list(self.empty)] = -math.inf
        return super()._require_finite(scores)

    def explain(
        self,
        item: str | bytes,
        unsure_below: float = UNSURE_BELOW,
        threshold: Threshold | None = None,
        pair: tuple[int, int] | None = None,
        most: int | None = None,
    ) -> Explanation:
        """Return why the item is judged so, word by word: prior + Σ terms = decibans; of more words than `most` the
        strongest, and one term, the last, for the others."""
        judged = self.weighed(item, pair)
        verdict = self.verdict(judged, unsure_below, threshold)
        label, against = judged[1] if threshold is None else threshold.pair(judged[0])
        prior, terms, text = self.evidence(item, label, against, most)
        if {label, against} & {*self.empty}:
            prior, terms = verdict.decibans, []
        return Explanation.of_verdict(verdict, prior, tuple(terms), text).times(self._factor(judged))

    def evidence(
        self, item: str | bytes, label: int, against: int, most: int | None = None
    ) -> tuple[float, list[Term], str]:
        """Return the prior and the terms of an item for one class against another, as far as the weights go, and its
        text."""
        each, per_word, shares, fused, passages, apart = self.experts.opinion(item)
        text, reasons = self.experts.reasons(item)
        unit = self.fusion.slope * DECIBANS_PER_NAT
        of = _Contrast(len(fused), label, against)
        weights, offsets = self.experts.known([word for word, _, _, _ in reasons])
        heard = self.experts.hearers([name for _, name, _, _ in reasons])
        heard_in = {word: shares[-1] * counts for word, counts in passages}
        counts = [share * each for share, each in zip(shares, per_word, strict=False)]
        values = [
            unit * (counts[e] + heard_in.get(word, 0.0)) * of(weights, i)
            for i, (e, (word, _, _, _)) in enumerate(zip(heard, reasons, strict=True))
        ]
        terms = [
            Term(reasons[i][1], values[i], float(reasons[i][2]), tuple(reasons[i][3]))
            for i in _strongest(values, [name for _, name, _, _ in reasons], most)
        ]
        if len(terms) < len(values):
            rest = math.fsum(values) - math.fsum(each.decibans for each in terms)
            summed = [Term(f"({len(values) - len(terms):,} more words)", rest, 0.0)]
        else:
            summed = []
        told = math.fsum(share * of(each, e) for e, share in enumerate(shares))
        told -= shares[-1] * of([apart], 0) if passages else 0.0
        left = unit * (of(fused, 0) - told)
        if len(shares) > 1 and self.fusion.bend and len(fused) == 1:
            terms.append(Term(DISAGREE, left, 0.0))
            left = 0.0
        terms.sort(key=lambda term: (-abs(term.decibans), term.term))
        terms += summed
        offsets += offsets[: len(fused)] * (len(shares) - self.fusion.experts)  # passages have that of the content
        said = math.fsum(share * of(offsets, e) for e, share in enumerate(shares))
        return unit * said + DECIBANS_PER_NAT * of(self.fusion.intercept, 0) + left, terms, text

    def by_word(self) -> NDArray[np.float64]:
        """Return (K, C) what each word adds to the score of an item as long as most, in nats."""
        import numpy as np

        weights = np.frombuffer(self.weights, "<f8").reshape(-1, len(self.fusion.intercept))
        heard = self.experts.hearers(self.names) if self.fusion.experts > 1 else [0] * len(self.names)
        unit = self.fusion.slope / self.fusion.experts * np.array(self.fusion.typical)[heard]
        said: NDArray[np.float64] = weights * unit[:, None]
        return np.hstack([-0.5 * said, 0.5 * said]) if said.shape[1] == 1 else said


def _strongest(values: Sequence[float], names: Sequence[str], most: int | None) -> Sequence[int]:
    """Return the places of the strongest values, so many at most; of equal ones those whose names come first."""
    if most is None or len(values) <= most:
        return range(len(values))
    return heapq.nsmallest(most, range(len(values)), key=lambda i: (-abs(values[i]), names[i]))


class _Contrast:
    """What one class has more than another, in rows of m numbers; of two classes m is 1."""

    def __init__(self, columns: int, label: int, against: int) -> None:
        self.columns, self.label, self.against = columns, label, against

    def __call__(self, values: Sequence[float], row: int) -> float:
        if self.columns == 1:
            return values[row] if self.label > self.against else -values[row]
        at = row * self.columns
        return values[at + self.label] - values[at + self.against]
