"""Discounted feedback: the scores that a calibrator remembers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .targets import Floats

# An example that counts less than this is forgotten: one in a million.
_HALVINGS = 20.0


@dataclass(frozen=True, eq=False)
class Feedback:
    """Scores (M, K) with classes y (M,) and weights (M,), in their order; `at` (M,) says how much had come with each.

    Examples held out at the fit stand at 0, all at once; those told of later one after the other, weight c as c of
    them. With a half-life of h, when T have come, the one at t counts

        2^(−(T − t)/h);   of weight c   Σ_{r<c} 2^(−(T − t + r)/h) = 2^(−(T − t)/h)·(1 − 2^(−c/h)) / (1 − 2^(−1/h))

    and all that was held out counts at most as much as a stream without an end remembers, 1/(1 − 2^(−1/h)).
    Nothing but the order matters: any split of the feedback into pieces leaves the same.

    >>> held = Feedback.start(np.array([[1.0], [-1.0]]), np.array([1, 0]), np.ones(2))
    >>> held.more(np.array([[2.0]]), np.array([1]), np.ones(1), 1.0).worth(1.0).tolist()
    [0.5, 0.5, 1.0]
    """

    scores: Floats
    y: NDArray[np.intp]
    weight: Floats
    at: Floats
    told: float = 0.0

    @classmethod
    def start(cls, scores: Floats, y: NDArray[np.intp], weight: Floats) -> Self:
        """Return the scores that were held out at the fit."""
        return cls(scores, y, weight, np.zeros(len(y)))

    def more(self, scores: Floats, y: NDArray[np.intp], weight: Floats, half_life: float | None) -> Self:
        """Return the feedback with new examples; those that no longer count are left out."""
        at = self.told + np.cumsum(weight)
        whole = replace(
            self,
            scores=np.concatenate([self.scores, scores]),
            y=np.concatenate([self.y, y]),
            weight=np.concatenate([self.weight, weight]),
            at=np.concatenate([self.at, at]),
            told=float(at[-1]) if len(at) else self.told,
        )
        if half_life is None:
            return whole
        kept = whole.at >= whole.told - _HALVINGS * half_life
        parts = {name: getattr(whole, name)[kept] for name in ("scores", "y", "weight", "at")}
        return replace(whole, **parts)

    def worth(self, half_life: float | None) -> Floats:
        """Return (M,) the present weight of each."""
        if half_life is None:
            return self.weight
        each = -np.expm1(-np.log(2.0) / half_life)
        share = -np.expm1(-np.log(2.0) * self.weight / half_life) / each
        held = self.at == 0.0
        total = float(self.weight[held].sum())
        share[held] = self.weight[held] * min(1.0, 1.0 / (each * total) if total else 1.0)
        worth: Floats = share * np.exp2((self.at - self.told) / half_life)
        return worth


class FeedbackLoss(NamedTuple):
    """The loss of feedback: its weight `n`, and the mean of −log p(true class) in nats, by the calibrator as it was
    when the examples came, and by that of the fit, frozen.

    >>> n, log_loss, frozen = FeedbackLoss().more(1.0, 0.5, 0.6).more(3.0, 0.1, 0.2)
    >>> n, round(log_loss, 9), round(frozen, 9)
    (4.0, 0.2, 0.3)
    """

    n: float = 0.0
    log_loss: float = 0.0
    frozen: float = 0.0

    def more(self, n: float, log_loss: float, frozen: float) -> FeedbackLoss:
        """Return the losses with those of examples of weight n."""
        share = n / (self.n + n)
        mean = (then + share * (now - then) for then, now in ((self.log_loss, log_loss), (self.frozen, frozen)))
        return FeedbackLoss(self.n + n, *mean)
