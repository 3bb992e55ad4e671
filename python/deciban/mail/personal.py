"""What one user has taught: a Gaussian over the weights of words, whose mean is the weights of the filter all share.

    w = w_shared + m,   m_j ~ N(0, τ²);      log-odds(x) = shared(x) + Σ_{j ∈ x} m_j / √|x|

of the second class against the first, x the words of a message. Without lessons m is zero, and nothing is added. A
lesson (x, y) moves each of its words by a gradient of its log likelihood, scaled by what is uncertain of the word:

    m_j += s_j (y − σ(z)) / √|x|,      s_j = τ² / (1 + n_j / ν),      n_j += 1

z is the log-odds before, n_j how many lessons had the word. It is a step of the extended Kalman filter for logistic
regression with a diagonal covariance and a constant information 1 / (ν τ²) per lesson and word (Opper, A Bayesian
approach to on-line learning, 1998). What was right and certain, |y − σ(z)| < `SLIGHT`, moves nothing.

Levels stand above each other: the domain of a user is to the user what the shared filter is to the domain. Each lesson
keeps the log-odds that the levels above said when it was given, so that what a user has learnt is a function of the
lessons of this user, in their order, and of nothing else: others that learn change none of it, and forgetting takes all
steps anew without the lesson.

Words are the upper 24 bits of their hashes, at most `MOST_WORDS` of a message. τ² and ν were chosen on the SpamAssassin
corpus; `benchmarks/users.py` judges them on the recipients of TREC 2007.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import lt
from typing import NamedTuple

from .stored_words import Words, pack_words, unpack_words

VARIANCE = 16.0
"""τ², in nats²."""
CONFIRMED_BY = 2.0
"""ν: lessons with a word after which its weight is half as uncertain."""
SLIGHT = 1.0 / 64.0
_MOST_COUNTED = 65_535  # lessons with a word
_SIZE = 9  # bytes of a word with its mean and its count


class PersonalLesson(NamedTuple):
    """The words of a message, the number of its class, 0 or 1, and the log-odds of class 1 by the levels above."""

    words: Words
    label: int
    odds: float


@dataclass(frozen=True)
class PersonalWeights:
    """What lessons have moved: `words` (K,) ascending, their `means` (K,) in nats, and how many lessons had them."""

    words: Words = field(default_factory=lambda: array("I"))
    means: array[float] = field(default_factory=lambda: array("f"))
    counts: array[int] = field(default_factory=lambda: array("H"))

    def terms(self, words: Words) -> list[tuple[int, float]]:
        """Return what each known word of a message adds to the log-odds of class 1, in nats, with its place there."""
        unit, own, means, size, at = _unit(words), self.words, self.means, len(self.words), 0
        found = list[tuple[int, float]]()
        for place, word in enumerate(words):
            at = bisect_left(own, word, at)
            if at == size:
                break
            if own[at] == word:
                found.append((place, unit * means[at]))
        return found

    def shift(self, words: Words) -> float:
        """Return what the words of a message add to the log-odds of class 1, in nats."""
        return math.fsum(value for _, value in self.terms(words))

    def learn(self, lessons: Iterable[PersonalLesson]) -> PersonalWeights:
        """Return the weights after further lessons."""
        steps = _Steps(self)
        for lesson in lessons:
            steps.take(lesson)
        return steps.finish()

    def to_bytes(self) -> bytes:
        """Return words, means and counts one after the other, little-endian."""
        return pack_words(self.words) + self.means.tobytes() + self.counts.tobytes()

    @classmethod
    def from_bytes(cls, stored: bytes) -> PersonalWeights:
        """Return what `to_bytes` has written; ValueError for what it cannot have."""
        n, left = divmod(len(stored), _SIZE)
        if left:
            raise ValueError(f"weights of {_SIZE} bytes a word are expected")
        words, means, counts = unpack_words(stored[: 3 * n]), array("f", stored[3 * n : 7 * n]), array("H")
        counts.frombytes(stored[7 * n :])
        if not (all(map(lt, words, words[1:])) and math.isfinite(sum(means))):
            raise ValueError("finite weights of ascending words are expected")
        return cls(words, means, counts)


class _Steps:
    """Weights while they learn. Means are rounded to single precision at each step, as they are kept."""

    def __init__(self, known: PersonalWeights) -> None:
        self.known, self.place = known, {word: at for at, word in enumerate(known.words)}
        self.means, self.counts = array("f", known.means), array("H", known.counts)

    def take(self, lesson: PersonalLesson) -> None:
        """Learn a lesson."""
        words, place, means, counts = lesson.words, self.place, self.means, self.counts
        unit = _unit(words)
        own = math.fsum(unit * means[place[word]] for word in words if word in place)
        missing = lesson.label - sigmoid(lesson.odds + own)
        if abs(missing) < SLIGHT:
            return
        for word in words:
            at = place.setdefault(word, len(means))
            if at == len(means):
                means.append(0.0)
                counts.append(0)
            n = counts[at]
            means[at] += VARIANCE / (1.0 + n / CONFIRMED_BY) * unit * missing
            counts[at] = min(n + 1, _MOST_COUNTED)

    def finish(self) -> PersonalWeights:
        """Return what is known by now."""
        words = array("I", sorted(self.place))
        order = [self.place[word] for word in words]
        return PersonalWeights(
            words, array("f", [self.means[at] for at in order]), array("H", [self.counts[at] for at in order])
        )


def sigmoid(z: float) -> float:
    """Return 1 / (1 + exp(−z))."""
    far = math.exp(-abs(z))
    return 1.0 / (1.0 + far) if z >= 0.0 else far / (1.0 + far)


def _unit(words: Sequence[int]) -> float:
    return 1.0 / math.sqrt(len(words)) if words else 0.0
