"""Which model: the simplest that errs, on items held out, no more than the best by more than chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..certificates.bound import Bound
from ..certificates.guarantees import held_out as bound_of
from ..data.text_layout import NAIVE_BAYES
from ..features.held_out import dealt

SIMPLEST_FIRST = (NAIVE_BAYES, "nbsvm", "logistic", "svm")
"""What is tried, in this order."""
FEWEST = 200
"""Of fewer items, a fifth says too little: naive Bayes learns them, untried."""
_PARTS = 5


class Tried(NamedTuple):
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
        """Keys that scripts rely on."""
        return self._asdict()


class Examples(Protocol):
    """Labelled items that can be dealt into parts: texts (`Corpus`), or rows of a table (`Rows`)."""

    @property
    def y(self) -> NDArray[np.intp]:
        """(N,) class indices."""

    @property
    def keys(self) -> NDArray[np.bytes_]:
        """(N,) digests: of equal items equal ones."""

    @property
    def weight(self) -> NDArray[np.float64] | None:
        """(N,) repetitions, or None where each counts once."""

    def __len__(self) -> int: ...

    def only(self, chosen: NDArray[np.bool_]) -> Self:
        """Some of the examples."""

    def order(self) -> NDArray[np.intp]:
        """(N,) an order that is the same however the items came."""

    def errors(self, served: Any) -> float:
        """The share that is judged wrongly."""


class Contender(Protocol):
    """What may be chosen: it learns examples."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def seed(self) -> int:
        """Of what is random."""

    def learn(self, examples: Any, time_limit: float | None = None, n_jobs: int | None = None) -> Any:
        """The model of these examples, which compiles to what judges."""


C = TypeVar("C", bound=Contender)


def choose(
    corpus: Examples,
    contenders: Sequence[C],
    time_limit: float | None = None,
    n_jobs: int | None = None,
    tell: Callable[[Tried], None] = lambda tried: None,
) -> tuple[C, list[Tried]]:
    """The first of `contenders`, simplest first, whose error on a fifth of the items is within one standard error of
    the best (Breiman, Friedman, Olshen & Stone 1984, section 3.4.3), and all that were tried.

    Every class gives a fifth, and equal items stand on the same side. A model is tried if `time_limit` seconds have not
    passed when its turn comes, and its solver has what is left of them; without a limit the choice is always the same.
    """
    started = perf_counter()
    held = held_out(corpus, contenders[0].seed)
    if not held.any():
        return contenders[0], []
    inside, outside = corpus.only(~held), corpus.only(held)
    n, learnt = (float(len(part) if part.weight is None else part.weight.sum()) for part in (outside, inside))
    tried: list[Tried] = []
    for each in contenders:
        begun = perf_counter()
        left = None if time_limit is None else time_limit - (begun - started)
        if tried and left is not None and left <= 0.0:
            break
        served = each.learn(inside, left if tried else None, n_jobs).compile(n_jobs)
        error = outside.errors(served)
        spread = float(np.sqrt(error * (1.0 - error) / n))
        tried.append(Tried(each.model, error, spread, perf_counter() - begun, n, learnt))
        tell(tried[-1])
    best = min(tried, key=lambda each: each.error)
    good = next(i for i, each in enumerate(tried) if each.error <= best.error + best.standard_error)
    return contenders[good], tried


def told(model: str, tried: Sequence[Tried]) -> Bound | None:
    """What the choice says of the errors of the model that was chosen; nothing where none were tried.

    max {p: P(Bin(n, p) ≤ errors) ≥ δ/M}       M models tried, each with its chance to err little by luck
    """
    for each in tried:
        if each.model == model:
            return bound_of(each.error * each.n, each.n, len(tried), each.learnt)
    return None


def held_out(corpus: Examples, seed: int) -> NDArray[np.bool_]:
    """(N,) whether an example is held out; of no class all are. It does not matter in which order they are read."""
    order = corpus.order()
    _, first, back = np.unique(corpus.keys[order], return_index=True, return_inverse=True)
    part = dealt(corpus.y[order][first], _PARTS, np.random.RandomState(seed % 2**32))
    held = np.empty(len(corpus), dtype=np.bool_)
    held[order] = (part == 0)[back]
    for c in np.unique(corpus.y):
        if held[corpus.y == c].all():
            held[corpus.y == c] = False
    return held
