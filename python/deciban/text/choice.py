"""Which model: the simplest that errs, on items held out, no more than the best by more than chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from ..certificates.bound import Bound
from ..certificates.guarantees import bound_held_out as bound_of
from ..data.folds import hold_out
from ..data.labelled import KeyedExamples
from ..data.text_layout import NAIVE_BAYES


class CandidateResult(NamedTuple):
    """A model that was tried: the share of the held-out items that it judged wrongly, and the standard error of that.

    √(error · (1 − error) / n). `seconds` are of learning and judging; `n` items were held out, `learnt` learnt.
    """

    model: str
    error: float
    standard_error: float
    seconds: float
    n: float
    learnt: float

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

    def learn(self, examples: Any, time_limit: float | None = None, n_jobs: int | None = None) -> Any:
        """Return the model of these examples, which compiles to what judges."""


C = TypeVar("C", bound=Contender)


def choose(
    corpus: KeyedExamples,
    contenders: Sequence[C],
    time_limit: float | None = None,
    n_jobs: int | None = None,
    tell: Callable[[CandidateResult], None] = lambda tried: None,
) -> tuple[C, list[CandidateResult]]:
    """Return the first of `contenders`, simplest first, whose error on a fifth of the items is within one standard
    error of the best (Breiman, Friedman, Olshen & Stone 1984, section 3.4.3), and all that were tried.

    Every class gives a fifth, and equal items stand on the same side. A model is tried if `time_limit` seconds have not
    passed when its turn comes, and its solver has what is left of them; without a limit the choice is always the same.
    Ctrl-C ends the choice.
    """
    started = perf_counter()
    held = hold_out(corpus, contenders[0].seed)
    if not held.any():
        return contenders[0], []
    inside, outside = corpus.only(~held), corpus.only(held)
    n, learnt = (float(len(part) if part.weight is None else part.weight.sum()) for part in (outside, inside))
    tried: list[CandidateResult] = []
    for each in contenders:
        begun = perf_counter()
        left = None if time_limit is None else time_limit - (begun - started)
        if tried and left is not None and left <= 0.0:
            break
        model = each.learn(inside, left if tried else None, n_jobs)
        check_uninterrupted(model)
        error = outside.errors(model.compile(n_jobs))
        spread = float(np.sqrt(error * (1.0 - error) / n))
        tried.append(CandidateResult(each.model, error, spread, perf_counter() - begun, n, learnt))
        tell(tried[-1])
    best = min(tried, key=lambda each: each.error)
    good = next(i for i, each in enumerate(tried) if each.error <= best.error + best.standard_error)
    return contenders[good], tried


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
