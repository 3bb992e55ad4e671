"""Conformal prediction: sets of labels that leave the true one out no more often than asked for, class by class.

    p_c(x) = (1 + #{i : y_i = c, s_c(x_i) ≤ s_c(x)}) / (n_c + 1),        s_c(x) = log p(c | x) − log(1 − p(c | x))

over n_c examples of class c that the model has not learnt. Where x is one more of that class, exchangeable with them,
P(p_c(x) ≤ α) ≤ α, whatever the model and its probabilities are worth; that is on average over the examples of the
class. Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World, 2005, section 4.5 (Mondrian); Angelopoulos &
Bates, Foundations and Trends in Machine Learning 16, 2023. To filter mail is to flag what is unlikely to be ham: at
most α of ham. With a confidence instead of on average: `thresholds.rate_threshold`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban.theory.statement import between

from ..certificates.rates import Rate
from .judgements import Floats, Judgements, log_odds

Alpha = float | Mapping[Any, float]
"""For all classes, or for each by its label."""


@dataclass(frozen=True, eq=False)
class Conformal:
    """Calibrated on what a model said of examples that it had not learnt: `scores`, of each class (n_c,) ascending.

    >>> log_p = np.log([[p, 1.0 - p] for p in (0.9, 0.8, 0.7, 0.95, 0.1, 0.3)])
    >>> known = Conformal.of(Judgements(("ham", "spam"), np.array([0, 0, 0, 0, 1, 1]), log_p))
    >>> known.p_values(np.log([[0.75, 0.25]])).tolist()
    [[0.4, 0.3333333333333333]]
    >>> known.sets(np.log([[0.75, 0.25], [0.2, 0.8]]), {"ham": 0.2, "spam": 0.35}).tolist()
    [[True, False], [False, True]]
    """

    classes: tuple[Any, ...]
    scores: tuple[Floats, ...]

    @classmethod
    def of(cls, said: Judgements) -> Self:
        """From labelled examples; a class without any is in every set."""
        return cls(said.classes, tuple(np.sort(said.log_odds(c)[said.y == c]) for c in range(len(said.classes))))

    @property
    def counts(self) -> dict[Any, int]:
        """Examples of each class."""
        return {label: len(scores) for label, scores in zip(self.classes, self.scores, strict=True)}

    def p_values(self, log_p: Floats) -> Floats:
        """(N, C) how like the examples of each class they are, of log p(c | x) (N, C): small where hardly any is so
        unlikely of its class."""
        given = np.asarray(log_p, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != len(self.classes) or not (given <= 0.0).all():
            raise ValueError(f"log p (N, {len(self.classes)}) is expected, none above 0 or NaN; got {given.shape}")
        columns = [
            (1 + np.searchsorted(scores, log_odds(given, c), side="right")) / (len(scores) + 1)
            for c, scores in enumerate(self.scores)
        ]
        return np.column_stack(columns)

    def sets(self, log_p: Floats, alpha: Alpha) -> NDArray[np.bool_]:
        """(N, C) which labels are in the set: P(c not in the set | c) ≤ α, or α_c by label.

        A set may hold several labels, where x could be of either, or none, where x is like none of them. With fewer
        than ⌈1/α⌉ − 1 examples of a class it is in every set.
        """
        return self.p_values(log_p) > self._alphas(alpha)

    def flagged(self, log_p: Floats, alpha: float, negative: Any) -> NDArray[np.bool_]:
        """(N,) which are too unlike `negative`, such as ham, to be it: P(flagged | negative) ≤ α."""
        if negative not in self.classes:
            raise ValueError(f"negative must be one of {list(self.classes)}, got {negative!r}")
        alpha = between("alpha", alpha, 0.0, 1.0)
        flags: NDArray[np.bool_] = self.p_values(log_p)[:, self.classes.index(negative)] <= alpha
        return flags

    def covered(self, said: Judgements, alpha: Alpha) -> Coverage:
        """How the sets do on other labelled examples."""
        if said.classes != self.classes:
            raise ValueError(f"judgements of the classes {list(self.classes)} are expected, got {list(said.classes)}")
        sets = self.sets(said.log_p, alpha)
        inside = sets[np.arange(len(said)), said.y]
        missed = {
            label: Rate(int((~inside[said.y == c]).sum()), int((said.y == c).sum()))
            for c, label in enumerate(self.classes)
        }
        return Coverage(missed, tuple(np.bincount(sets.sum(axis=1), minlength=len(self.classes) + 1).tolist()))

    def _alphas(self, alpha: Alpha) -> Floats:
        """(C,)."""
        if not isinstance(alpha, Mapping):
            return np.full(len(self.classes), between("alpha", alpha, 0.0, 1.0))
        if set(alpha) != set(self.classes):
            raise ValueError(f"alpha must have each of {list(self.classes)}, got {list(alpha)}")
        return np.array([between(f"alpha of {label!r}", alpha[label], 0.0, 1.0) for label in self.classes])


@dataclass(frozen=True)
class Coverage:
    """`missed`, by class how many of its examples have a set without it; `sizes` (C + 1,), how many sets have 0, 1, …
    labels."""

    missed: dict[Any, Rate]
    sizes: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "missed": [{"label": label, **rate.to_json()} for label, rate in self.missed.items()],
            "sizes": list(self.sizes),
        }


def examples_needed(alpha: float, beyond: int = 0) -> int:
    """How many examples of a class it takes before it is left out of any set: ⌈1/α⌉ − 1.

    With `beyond` > 0, before an example less likely than all but so many of them is: ⌈(beyond + 1)/α⌉ − 1.

    >>> examples_needed(0.001), examples_needed(0.05), examples_needed(0.05, 1)
    (999, 19, 39)
    """
    alpha, m = between("alpha", alpha, 0.0, 1.0), beyond + 1
    n = max(ceil(m / alpha) - 1, beyond)
    while m / (n + 1) > alpha:
        n += 1
    while n > beyond and m / n <= alpha:
        n -= 1
    return n
