"""Predictions of held-out examples, from which curves, costs and reports are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True)
class Judgements:
    """Labelled examples with the probabilities that a classifier predicted for them.

    Parameters
    ----------
    classes : tuple
        Labels of the C classes.
    y : ndarray of int of shape (n_samples,)
        True labels, as indices of `classes`.
    log_p : ndarray of shape (n_samples, n_classes)
        Predicted log probabilities log p(c | x).
    names : sequence of str, default=()
        Where each example came from.

    Raises
    ------
    ValueError
        If shapes do not fit together, or something is no log probability.

    Examples
    --------
    >>> said = Judgements(("ham", "spam"), np.array([0, 1]), np.log([[0.9, 0.1], [0.6, 0.4]]))
    >>> len(said), said.predicted.tolist(), said.errors.tolist()
    (2, [0, 0], [False, True])
    """

    classes: tuple[Any, ...]
    y: Integers
    log_p: Floats
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        N, C = len(self.y), len(self.classes)
        if C < 2 or not N or self.log_p.shape != (N, C) or len(self.names) not in (0, N):
            raise ValueError(
                f"judgements of N ≥ 1 examples of C ≥ 2 classes are expected: y (N,), log_p (N, C); "
                f"got {self.y.shape}, {self.log_p.shape}, {C} classes and {len(self.names)} names"
            )
        if not ((self.y >= 0) & (self.y < C)).all():
            raise ValueError(f"y must hold places in classes, 0 to {C - 1}")
        if not (self.log_p <= 0.0).all():
            raise ValueError("log_p must hold logarithms of probabilities, none of them NaN")

    def __len__(self) -> int:
        return len(self.y)

    @property
    def predicted(self) -> Integers:
        """(N,) the most probable class of each; of equal ones the first."""
        top: Integers = self.log_p.argmax(axis=1)
        return top

    @property
    def errors(self) -> NDArray[np.bool_]:
        """(N,) whether another class than that of the label is the most probable."""
        wrong: NDArray[np.bool_] = self.predicted != self.y
        return wrong

    def log_odds(self, positive: int) -> Floats:
        """Return the log-odds of a class, finite also where its probability rounds to 1.

        Parameters
        ----------
        positive : int
            Index of the class.

        Returns
        -------
        ndarray of shape (n_samples,)
            Log-odds log p(positive | x) − log(1 − p(positive | x)), in nats.
        """
        return log_odds(self.log_p, positive)


def log_odds(log_p: Floats, positive: int) -> Floats:
    """Return (N,) log p − log(1 − p) in nats of the class at `positive`, of log p (N, C).

    >>> log_odds(np.log([[0.1, 0.8, 0.1]]), 1).round(4).tolist()
    [1.3863]
    """
    others = np.delete(log_p, positive, axis=1)
    top = others.max(axis=1, keepdims=True)
    top[~np.isfinite(top)] = 0.0
    with np.errstate(divide="ignore", under="ignore"):
        rest: Floats = top[:, 0] + np.log(np.exp(others - top).sum(axis=1))
    odds: Floats = log_p[:, positive] - rest
    return odds
