"""Conformal prediction: sets of labels that leave the true one out no more often than asked for, class by class.

    p_c(x) = (1 + #{i : y_i = c, s_c(x_i) ≤ s_c(x)}) / (n_c + 1),        s_c(x) = log p(c | x) − log(1 − p(c | x))

over n_c examples of class c that the model has not learnt. Where x is one more of that class, exchangeable with them,
P(p_c(x) ≤ α) ≤ α, whatever the model and its probabilities are worth; that is on average over the examples of the
class. Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World, 2005, section 4.5 (Mondrian); Angelopoulos &
Bates, Foundations and Trends in Machine Learning 16, 2023. To filter mail is to flag what is unlikely to be ham: at
most α of ham. With a confidence instead of on average: `thresholds.rate_threshold`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban.theory.statement import check_between

from ..certificates.intervals import Rate
from .judgements import Floats, Judgements, log_odds

Alpha = float | Mapping[Any, float]
"""For all classes, or for each by its label."""


@dataclass(frozen=True, eq=False)
class Conformal:
    """Conformal prediction sets by class, calibrated on the predictions of held-out examples.

        p_c(x) = (1 + #{i of class c: s_c(x_i) ≤ s_c(x)}) / (1 + n_c),      s_c(x) = log-odds of c

    Of an example of class c, p_c ≤ α has a probability of at most α, whatever the model, if examples are exchangeable.
    Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World (2005).

    Parameters
    ----------
    classes : tuple
        Labels of the C classes.
    scores : tuple of ndarray
        Log-odds of each class over its held-out examples (n_c,), ascending.

    Examples
    --------
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
        """Calibrate on labelled held-out examples; a class without any is in every set.

        Parameters
        ----------
        said : Judgements
            Labels and predicted log probabilities of held-out examples.

        Returns
        -------
        Conformal
            The calibrated predictor.
        """
        return cls(said.classes, tuple(np.sort(said.log_odds(c)[said.y == c]) for c in range(len(said.classes))))

    @property
    def counts(self) -> dict[Any, int]:
        """Examples of each class."""
        return {label: len(scores) for label, scores in zip(self.classes, self.scores, strict=True)}

    def p_values(self, log_p: Floats) -> Floats:
        """Return the conformal p-value of each class: small where hardly any of its examples is as unlikely.

        Parameters
        ----------
        log_p : ndarray of shape (n_samples, n_classes)
            Predicted log probabilities log p(c | x).

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The p-values.

        Raises
        ------
        ValueError
            If `log_p` has another shape, is above 0, or NaN.
        """
        given = np.asarray(log_p, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != len(self.classes) or not (given <= 0.0).all():
            raise ValueError(f"log p (N, {len(self.classes)}) is expected, none above 0 or NaN; got {given.shape}")
        columns = [
            (1 + np.searchsorted(scores, log_odds(given, c), side="right")) / (len(scores) + 1)
            for c, scores in enumerate(self.scores)
        ]
        return np.column_stack(columns)

    def sets(self, log_p: Floats, alpha: Alpha) -> NDArray[np.bool_]:
        """Return the prediction sets, with P(c not in the set | c) ≤ α, or α_c by label.

        A set may have several labels, where x could be of either, or none, where x is like none of them. A class with
        fewer than ⌈1/α⌉ − 1 examples is in every set.

        Parameters
        ----------
        log_p : ndarray of shape (n_samples, n_classes)
            Predicted log probabilities log p(c | x).
        alpha : float or mapping of label to float
            Largest probability that a set lacks the true class.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            Which labels are in the set of each example.
        """
        return self.p_values(log_p) > self._alphas(alpha)

    def flag(self, log_p: Floats, alpha: float, negative: Hashable) -> NDArray[np.bool_]:
        """Flag the examples that are too unlike a class, such as ham, to belong to it: P(flagged | negative) ≤ α.

        Parameters
        ----------
        log_p : ndarray of shape (n_samples, n_classes)
            Predicted log probabilities log p(c | x).
        alpha : float
            Largest probability that an example of the class is flagged.
        negative : label
            The class.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            Which examples are flagged.

        Raises
        ------
        ValueError
            If `negative` is none of the classes.
        """
        if negative not in self.classes:
            raise ValueError(f"negative must be one of {list(self.classes)}, got {negative!r}")
        alpha = check_between("alpha", alpha, 0.0, 1.0)
        flags: NDArray[np.bool_] = self.p_values(log_p)[:, self.classes.index(negative)] <= alpha
        return flags

    def covered(self, said: Judgements, alpha: Alpha) -> Coverage:
        """Measure the coverage and the sizes of the sets on other labelled examples.

        Parameters
        ----------
        said : Judgements
            Labels and predicted log probabilities of examples that were not used for calibration.
        alpha : float or mapping of label to float
            Largest probability that a set lacks the true class.

        Returns
        -------
        Coverage
            The share of sets without the true class, by class, and the sizes of the sets.

        Raises
        ------
        ValueError
            If the judgements are of other classes.
        """
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
        """Return (C,) the level α of each class."""
        if not isinstance(alpha, Mapping):
            return np.full(len(self.classes), check_between("alpha", alpha, 0.0, 1.0))
        if set(alpha) != set(self.classes):
            raise ValueError(f"alpha must have each of {list(self.classes)}, got {list(alpha)}")
        return np.array([check_between(f"alpha of {label!r}", alpha[label], 0.0, 1.0) for label in self.classes])


@dataclass(frozen=True)
class Coverage:
    """Coverage of conformal sets on labelled examples.

    Parameters
    ----------
    missed : dict of label to Rate
        Share of the examples of each class whose set lacks it.
    sizes : tuple of int
        Numbers of sets with 0, 1, …, C labels.

    Examples
    --------
    >>> Coverage({}, (0, 3, 1)).to_json()
    {'missed': [], 'sizes': [0, 3, 1]}
    """

    missed: dict[Any, Rate]
    sizes: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the coverage as plain Python objects.

        Returns
        -------
        dict
            The keys "missed" and "sizes".
        """
        return {
            "missed": [{"label": label, **rate.to_json()} for label, rate in self.missed.items()],
            "sizes": list(self.sizes),
        }


def examples_needed(alpha: float, beyond: int = 0) -> int:
    """Return the number of examples of a class from which it can be left out of a set: ⌈1/α⌉ − 1.

    Parameters
    ----------
    alpha : float
        Largest probability α that a set lacks the true class.
    beyond : int, default=0
        Number of examples that may be less likely than the one left out: ⌈(beyond + 1)/α⌉ − 1 examples are needed.

    Returns
    -------
    int
        Number of examples.

    Examples
    --------
    >>> examples_needed(0.001), examples_needed(0.05), examples_needed(0.05, 1)
    (999, 19, 39)
    """
    alpha, m = check_between("alpha", alpha, 0.0, 1.0), beyond + 1
    n = max(ceil(m / alpha) - 1, beyond)
    while m / (n + 1) > alpha:
        n += 1
    while n > beyond and m / n <= alpha:
        n -= 1
    return n
