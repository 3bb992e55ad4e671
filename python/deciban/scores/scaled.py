"""Lines of scores: what makes the scores of a model log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deciban.data.rows import Rows

from .evidence import Floats, Score, Terms


@dataclass(frozen=True, eq=False)
class ScaledScore(Score):
    """A line of another score, slope · score(x)_c + offset_c: terms and prior still sum to it.

    Parameters
    ----------
    score : Score
        The other score.
    slope : float
        Slope > 0.
    offset : ndarray of shape (n_classes,)
        Offset of each class, in nats.

    Attributes
    ----------
    prior : ndarray of shape (n_classes,)
        Score of each class without evidence, in nats.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.scores import IndependentScore
    >>> score = IndependentScore(np.zeros(2), np.array([[0.0], [1.0]]), np.ones((2, 1)), np.zeros((2, 1)))
    >>> ScaledScore(score, 0.5, np.array([0.0, 1.0]))(np.array([[0.0]])).tolist()
    [[0.0, 0.75]]
    """

    score: Score
    slope: float
    offset: Floats

    @property
    def prior(self) -> Floats:  # type: ignore[override]
        """(C,) score of each class without evidence, in nats."""
        prior: Floats = self.slope * self.score.prior + self.offset
        return prior

    def __call__(self, X: Any) -> Floats:
        """(N, C) scores in nats of X (N, d), dense or sparse."""
        found: Floats = self.slope * self.score(X) + self.offset
        return found

    def terms(self, row: Rows, label: int, against: int) -> Terms:
        found = self.score.terms(row, label, against)
        return found._replace(evidence=self.slope * found.evidence)


def scale_score(score: Score, slope: float, offset: Floats) -> Score:
    """Return a line of a score; of an affine one another affine one.

    Parameters
    ----------
    score : Score
        A score.
    slope : float
        Slope > 0.
    offset : ndarray of shape (n_classes,)
        Offset of each class, in nats.

    Returns
    -------
    Score
        The score slope · score_c + offset_c.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.scores import AffineScore
    >>> scale_score(AffineScore(np.eye(2), np.zeros(2)), 0.5, np.array([0.0, 1.0])).prior.tolist()
    [0.0, 1.0]
    """
    scaled = getattr(score, "scaled", None)
    return ScaledScore(score, slope, offset) if scaled is None else scaled(slope, offset)
