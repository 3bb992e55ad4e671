"""What experts learn of examples, how they differ, and how their scores become log-odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import fuse_opinions, teach_experts
from ..calibration.platt import Line, platt
from ..calibration.targets import log_loss, seldom_wrong
from ..calibration.temperature import temperature
from ..scores import log_posterior
from .encoder import WordEncoder
from .examples import Examples, Floats, Places
from .experts import Fusion
from .settings import Kind

# Each example is learnt so many times. On SpamAssassin and TREC 2007 eight times are no better.
PASSES = 4
# How many experts hear an item of a kind: of mail, one what it says and one how it came.
EXPERTS: dict[Kind, int] = {"text": 1, "mail": 2}
# β of the generalised mean, towards a class whose senders wish to be taken for another. `benchmarks/README.md` has what
# else was tried.
BEND = 0.3
# Labels of such classes. Of others, and of more than two, the experts' mean is taken.
GUARDED = frozenset({"spam", "junk", "bulk", "phishing", "scam", "malware", "fraud", "unsolicited", "스팸"})
# The first scores of so large a share of the examples know too little to calibrate by.
_EARLY = 0.1
# From so many examples it is measured how far experts that learnt other examples differ.
_ENOUGH = 60
_UNMEASURED = (1.0, 4.0)
_FLOOR = 1e-3


class Taught(NamedTuple):
    """What experts have learnt: weights (K, m), offsets (E, m), sums of squares of their gradients (K + E, m); what
    they said (N, V, m) of each example before it was learnt, and of those that were only judged: each expert, and then
    the passages where they are heard."""

    weights: Floats
    bias: Floats
    squares: NDArray[np.float32]
    first: Floats
    judged: Floats


Lesson = tuple[list[Places], Places, bool]
"""Orders of the examples that are learnt, pass after pass; the examples that are judged in the end; and whether each of
these is learnt, too, before the next."""


def hears_passages(kind: Kind) -> bool:
    """Return whether passages of items of a kind may be heard: where experts of headers and of content are."""
    return EXPERTS[kind] > 1


def _bend_of(classes: Sequence[Any]) -> float:
    """Return β: towards the one of two classes whose senders wish to be taken for another."""
    guarded = [str(label).casefold() in GUARDED for label in classes]
    if len(classes) != 2 or guarded[0] == guarded[1]:
        return 0.0
    return BEND if guarded[1] else -BEND


@dataclass(frozen=True)
class Teacher:
    """Examples that experts learn: `expert` (K,) tells whose each word is."""

    examples: Examples
    expert: NDArray[np.uint8]
    experts: int
    classes: int
    bend: float
    n_jobs: int | None

    @classmethod
    def of(cls, encoder: WordEncoder, examples: Examples, classes: int, fusion: Fusion, n_jobs: int | None) -> Teacher:
        """Return the teacher of examples whose words are those of the encoder, for experts that are heard so."""
        experts = EXPERTS[encoder.settings.kind]
        expert = encoder.book.experts() if experts > 1 else np.zeros(len(encoder.book), np.uint8)
        if fusion.bend and examples.passages is None:  # of a file of before there were any: the content is one
            examples = examples._replace(passages=(expert[examples.words] == 0).astype(np.uint16))
        return cls(examples, expert, experts, classes, fusion.bend, n_jobs)

    def teach(self) -> tuple[Taught, tuple[tuple[float, float], ...]]:
        """Return what experts learn of all examples, and (E, 2) u and v of each one's variance u + v·novelty.

        Experts that learnt one third of the examples and those that learnt another differ about the last third: of all
        examples the constant is a third of that, and novelty falls by itself.
        """
        n = len(self.examples.y)
        thirds = [np.arange(first, n, 3) for first in range(3)]
        measured = n >= _ENOUGH
        lessons = [self._lesson(np.arange(n)), *(self._lesson(each, thirds[2]) for each in thirds[:2] if measured)]
        whole, *parts = self.teach_each(lessons)
        return whole, self._spread(parts[0], parts[1], thirds) if measured else (_UNMEASURED,) * self.experts

    def teach_each(self, lessons: list[Lesson]) -> list[Taught]:
        """Return what experts learn in each of some lessons, which all begin anew."""
        found = teach_experts(
            self.examples.ends,
            self.examples.words,
            self.expert,
            self.experts,
            self.examples.y,
            self.classes,
            lessons,
            self.bend,
            self.examples.weight,
            self.examples.passages if self.bend else None,
            self.n_jobs,
        )
        return [Taught(*each) for each in found]

    def _lesson(self, order: Places, judged: Places | None = None) -> Lesson:
        """Return the passes over examples, the last as they came, and those that are judged in the end."""
        came = order[np.argsort(self.examples.times[order], kind="stable")]
        return [order] * (PASSES - 1) + [came], np.zeros(0, np.int64) if judged is None else judged, False

    def _spread(self, one: Taught, other: Taught, thirds: list[Places]) -> tuple[tuple[float, float], ...]:
        apart = one.judged[:, : self.experts] - other.judged[:, : self.experts]
        squares = 0.5 * np.square(apart - apart.mean(axis=0)).mean(axis=2)
        known = [self.examples.counts(len(self.expert), rows) for rows in thirds[:2]]
        doubts = 1.0 / (1.0 + 0.5 * (known[0] + known[1]))
        found = []
        for e in range(self.experts):
            own = self.expert == e
            new, all_ = (self.examples.sums(of_each, thirds[2]) for of_each in (own * doubts, own))
            novelty = new / np.maximum(all_, 1.0)
            u, v = _line(novelty, squares[:, e])
            found.append((u / 3.0 + _FLOOR, v))
        return tuple(found)

    def typical(self) -> tuple[float, ...]:
        """Return (E,) what a word of each expert counts on average."""
        every = np.arange(len(self.examples.y))
        lengths = [self.examples.sums(self.expert == e, every) for e in range(self.experts)]
        return tuple(float((1.0 / np.sqrt(np.maximum(length, 1.0))).sum() / max(len(length), 1)) for length in lengths)


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return u, v ≥ 0 of the line u + v x that is nearest to y."""
    spread = float(np.var(x))
    v = max(float(np.mean((x - x.mean()) * (y - y.mean()))) / spread, 0.0) if spread > 0.0 else 0.0
    u = float(y.mean() - v * x.mean())
    if u >= 0.0:
        return u, v
    return 0.0, float((x * y).sum() / np.square(x).sum())


def unheard(classes: Sequence[Any], kind: Kind) -> Fusion:
    """Return how experts are heard on items of a kind before anything is known of them."""
    experts, columns = EXPERTS[kind], 1 if len(classes) == 2 else len(classes)
    bend = _bend_of(classes) if experts > 1 else 0.0
    return Fusion(experts, bend, 1.0, (0.0,) * columns, ((0.0, 0.0),) * experts, (0.0,) * 3, ())


def calibrate(fusion: Fusion, first: Floats, y: Places, weight: Floats | None, C: int) -> tuple[Fusion, float]:
    """Return how experts are heard so that scores are log-odds, by what they said (N, V, m) of examples that they had
    not learnt, of classes y, and the mean log loss of these."""
    if not len(y):
        return fusion, float(np.log(C))
    late = slice(int(_EARLY * len(y)), None)
    z, y = fuse_opinions(np.ascontiguousarray(first[late]), fusion), y[late]
    weight = np.ones(len(z)) if weight is None else weight[late]
    if C == 2:
        line = platt(z[:, 0], y == 1, weight)
        line = replace(line, slope=max(line.slope, _FLOOR))
        doubt = _doubt(line, z[:, 0], weight)
        heard = replace(fusion, slope=line.slope, intercept=(line.offset,), doubt=doubt)
    else:
        heard = replace(fusion, slope=max(temperature(z, y, weight, seldom_wrong), _FLOOR))
    return heard, log_loss(log_posterior(_scores(heard, z)), y, weight)


def scores_of(fusion: Fusion, each: Floats) -> Floats:
    """Return (N, C) scores of what experts say (N, V, m)."""
    return _scores(fusion, fuse_opinions(np.ascontiguousarray(each), fusion))


def _scores(fusion: Fusion, z: Floats) -> Floats:
    scores: Floats = fusion.slope * z + np.array(fusion.intercept)
    return np.hstack([-0.5 * scores, 0.5 * scores]) if scores.shape[1] == 1 else scores


def _doubt(line: Line, z: Floats, weight: Floats) -> tuple[float, float, float]:
    """Return the variances of a Platt line's slope and offset, and their covariance: the inverse of the curvature."""
    p = 0.5 * (1.0 + np.tanh(0.5 * line(z)))
    w = weight * p * (1.0 - p)
    curvature = np.array([[(w * z * z).sum(), (w * z).sum()], [(w * z).sum(), w.sum()]])
    inverse = np.linalg.inv(curvature + np.diag([1.0, 0.25]))
    return float(inverse[0, 0]), float(inverse[1, 1]), float(inverse[0, 1])
