"""Which model: the one whose log loss, on items held out, is least but for chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..calibration.out_of_fold import OutOfFold
from ..certificates.bound import Bound
from ..certificates.guarantees import bound_held_out as bound_of
from ..data.folds import hold_out
from ..data.labelled import KeyedExamples
from ..data.text_layout import NAIVE_BAYES
from ..scores import log_posterior


class CandidateResult(NamedTuple):
    """A model that was tried: the share of the held-out items that it judged wrongly, and the standard error of that.

    √(error · (1 − error) / n). `seconds` are of learning and judging; `n` items were held out, `learnt` learnt;
    `log_loss` is the mean −log p(label) of those held out, in nats.
    """

    model: str
    error: float
    standard_error: float
    seconds: float
    n: float
    learnt: float
    log_loss: float

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return self._asdict()


class Contender(Protocol):
    """What may be chosen: it learns examples."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def seed(self) -> int:
        """Of what is random."""

    @property
    def rank(self) -> int:
        """Of models that cannot be told apart the one of the lowest rank is chosen, of these the one of least loss."""

    def is_for(self, examples: Any) -> bool:
        """Return whether it is worth a trial with such examples."""

    def learn(self, examples: Any, time_limit: float | None = None, n_jobs: int | None = None) -> Any:
        """Return the model of these examples, which compiles to what judges."""


C = TypeVar("C", bound=Contender)
Floats = NDArray[np.float64]

# One item that is held for impossible costs no more than this, in nats.
_WORST = 20.0


class Choice(NamedTuple, Generic[C]):
    """The contender that was chosen, all that were tried, and the names of those for which there was no time."""

    contender: C
    tried: list[CandidateResult]
    left_out: list[str]


def choose(
    corpus: KeyedExamples,
    contenders: Sequence[C],
    time_limit: float | None = None,
    n_jobs: int | None = None,
    tell: Callable[[CandidateResult], None] = lambda tried: None,
) -> Choice[C]:
    """Choose one of `contenders` by its log loss on a fifth of the items: the least, or of those that chance tells from
    the least, within one standard error of the difference, the one of the lowest rank.

    Log loss tells models apart that err equally often on a few hundred items, and it is what probabilities are for; the
    rule of one standard error is that of Breiman et al., Classification and Regression Trees, 1984. Every class gives a
    fifth, and equal items stand on the same side. A model is tried if `time_limit` seconds have not passed when its
    turn comes, and its solver has what is left of them; without a limit the choice is always the same. Ctrl-C ends the
    choice.
    """
    started = perf_counter()
    held = hold_out(corpus, contenders[0].seed)
    if not held.any():
        return Choice(contenders[0], [], [])
    contenders = [each for each in contenders if each.is_for(corpus)]
    inside, outside = corpus.only(~held), corpus.only(held)
    n, learnt = (float(len(part) if part.weight is None else part.weight.sum()) for part in (outside, inside))
    tried, losses = list[CandidateResult](), list[Floats]()
    for each in contenders:
        begun = perf_counter()
        left = None if time_limit is None else time_limit - (begun - started)
        if tried and left is not None and left <= 0.0:
            break
        model = each.learn(inside, left if tried else None, n_jobs)
        check_uninterrupted(model)
        wrong, loss = _judge(outside, model.compile(n_jobs))
        error, log_loss = (float(np.average(each, weights=outside.weight)) for each in (wrong, loss))
        spread = float(np.sqrt(error * (1.0 - error) / n))
        tried.append(CandidateResult(each.model, error, spread, perf_counter() - begun, n, learnt, log_loss))
        losses.append(loss)
        tell(tried[-1])
    equal = find_equally_good(np.array(losses), np.ones(len(outside)) if outside.weight is None else outside.weight)
    best = min(equal, key=lambda i: (contenders[i].rank, tried[i].log_loss))
    return Choice(contenders[best], tried, [each.model for each in contenders[len(tried) :]])


def find_equally_good(losses: Floats, weight: Floats) -> list[int]:
    """Return which models (M,) of losses (M, n) are, on average, within a standard error of the least.

    SE = √(Σ w (d − d̄)²) / Σ w       of d (n,), by how much a model loses more than the one that loses least
    """
    more = losses - losses[np.argmin(losses @ weight)]
    mean = more @ weight / weight.sum()
    return np.flatnonzero(mean <= np.sqrt(np.square(more - mean[:, None]) @ weight) / weight.sum()).tolist()


def _judge(outside: KeyedExamples, model: Any) -> tuple[NDArray[np.bool_], Floats]:
    """Return (N,) whether the model is wrong, and −log p(label), of each item.

    Models that are only tried have scores in whatever unit. Each half of the items is calibrated by the other one, as
    the model that is kept will be by folds: offsets change verdicts where classes are of unequal size.
    """
    scores, half = outside.scores(model), np.unique(outside.keys, return_inverse=True)[1].reshape(-1) % 2
    weight = np.ones(len(outside)) if outside.weight is None else outside.weight
    lines = scores.copy()
    for side in (0, 1):
        places = np.flatnonzero((half != side) & np.isfinite(scores).all(axis=1))
        known = OutOfFold(scores[places], outside.y[places], weight[places], places, half[places])
        if (line := known.scaling()) is not None:
            lines[half == side] = line(scores[half == side])
    wrong: NDArray[np.bool_] = lines.argmax(axis=1) != outside.y
    log_p = log_posterior(lines)[np.arange(len(wrong)), outside.y]
    return wrong, np.minimum(-log_p, _WORST)


def check_uninterrupted(model: Any) -> None:
    """Raise KeyboardInterrupt for a model whose fit took Ctrl-C for its own: it is not what would have been learnt."""
    if model.name != NAIVE_BAYES and model.certificate().status == "interrupted":
        raise KeyboardInterrupt


def bound_of_choice(model: str, tried: Sequence[CandidateResult]) -> Bound | None:
    """Return what the choice says of the errors of the model that was chosen; nothing where none were tried.

    max {p: P(Bin(n, p) ≤ errors) ≥ δ/M}       M models tried, each with its chance to err little by luck
    """
    for each in tried:
        if each.model == model:
            return bound_of(each.error * each.n, each.n, len(tried), each.learnt)
    return None
