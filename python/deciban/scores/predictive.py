"""The score of counts whose rates are not known but integrated out: Pólya's urn, negative binomials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import Rows, as_rows, is_sparse
from deciban.lazy import cached_property

from .affine import nonzeros
from .evidence import Floats, Score, Terms


@dataclass(frozen=True, eq=False)
class PredictiveScore(Score):
    """The exact posterior predictive of counts x, in which each draw of a feature makes the next one likelier.

        score(x)_c = prior_c + sign · { Σ_j [log (a_cj)_x_j + x_j W_cj + absent_cj] − log (total_c)_M }

    with the rising factorial (a)_x = Γ(a + x) / Γ(a) and M = Σ_j x_j. Pólya's urn (Dirichlet-multinomial) has a and
    total; negative binomials, which have no common total, W and absent. A missing feature, NaN, is left out. The cost
    is C logarithms for each draw up to 16 of a value that is not 0, and about 40 for larger counts and fractions.

    The chain rule gives each token its share of the evidence: log (a)_x is the sum over the x tokens of a feature one
    after the other, in whatever order all tokens come; of −log (total)_M, which has a term for each token, every token
    has 1/M, the mean over all orders.

    Parameters
    ----------
    prior : ndarray of shape (n_classes,)
        Log prior probabilities, in nats.
    a : ndarray of shape (n_classes, n_features)
        Pseudo-counts and counts of each feature.
    total : ndarray of shape (n_classes,), optional
        Their sum.
    W : ndarray of shape (n_classes, n_features), optional
        Weights of x, in nats.
    absent : ndarray of shape (n_classes, n_features), optional
        Evidence of each feature that is not missing, in nats.
    sign : float, default=1.0
        Sign of the evidence: −1 for the complement of a class.

    Examples
    --------
    >>> urn = PredictiveScore(np.zeros(1), np.array([[1.0, 1.0]]), np.array([2.0]))
    >>> np.exp(urn(np.array([[2, 0], [1, 1]]))).round(3).ravel().tolist()
    [0.333, 0.167]
    """

    prior: Floats
    a: Floats
    total: Floats | None = None
    W: Floats | None = None
    absent: Floats | None = None
    sign: float = 1.0

    @cached_property
    def _empty(self) -> Floats:
        """(C,) the score of a row of zeros."""
        if self.absent is None:
            return self.prior
        result: Floats = self.prior + self.sign * self.absent.sum(axis=1)
        return result

    def __call__(self, X: Any) -> Floats:
        """(N, C) scores in nats of X (N, d), dense or sparse."""
        X = as_rows(X)
        row, feature, x = _entries(X)
        score = np.tile(self._empty, (X.shape[0], 1))
        gone = np.isnan(x)
        known = ~gone if gone.any() else slice(None)
        M: Floats = np.bincount(row[known], x[known], len(score)).astype(np.float64)
        for c in range(score.shape[1]):
            parts = self._present(feature[known], x[known], c)
            added: Floats = np.bincount(row[known], parts, len(score)).astype(np.float64)
            if self.absent is not None and gone.any():
                added -= np.bincount(row[gone], self.absent[c, feature[gone]], len(score))
            if self.total is not None:
                added -= log_rising(np.broadcast_to(self.total[c], M.shape), M)
            score[:, c] += self.sign * added
        return score

    def terms(self, row: Rows, label: int, against: int) -> Terms:
        feature, x = nonzeros(row)
        if self.absent is not None:
            full = np.zeros(self.a.shape[1])
            full[feature] = x
            feature, x = np.arange(len(full)), full
        known = ~np.isnan(x)
        feature, x = feature[known], x[known]
        return Terms(feature, x, self._evidence(feature, x, label) - self._evidence(feature, x, against))

    def _evidence(self, feature: NDArray[Any], x: Floats, c: int) -> Floats:
        evidence = self._present(feature, x, c)
        if self.absent is not None:
            evidence = evidence + self.absent[c, feature]
        if self.total is not None and (M := float(x.sum())) > 0.0:
            evidence = evidence - x / M * log_rising(self.total[[c]], np.array([M]))
        return self.sign * evidence

    def _present(self, feature: NDArray[Any], x: Floats, c: int) -> Floats:
        parts = log_rising(self.a[c, feature], x)
        return parts if self.W is None else parts + x * self.W[c, feature]


def _entries(X: Any) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """Return row, feature and value of what is not 0."""
    if is_sparse(X):
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return row, X.indices, X.data.astype(np.float64)
    row, feature = np.nonzero(X)
    return row, feature, X[row, feature].astype(np.float64)


# Up to so many draws are added one by one; what is shifted up by it is where Stirling's series has all digits.
_DRAWS = 16


def log_rising(a: Floats, x: Floats) -> Floats:
    """Return log Γ(a + x) − log Γ(a), a ≥ 0 and x ≥ 0 of one shape, without the cancellation of the two.

    (0)_x is 0 for x > 0 and (0)_0 is 1.

    >>> log_rising(np.array([1.0, 1e12]), np.array([5.0, 1.0])).round(6).tolist()
    [4.787492, 27.631021]
    """
    found = np.zeros(x.shape)
    few = (x <= _DRAWS) & (x == np.floor(x))
    with np.errstate(divide="ignore"):
        for i in range(_DRAWS):
            at = np.flatnonzero(few & (x > i))
            if not len(at):
                break
            found[at] += np.log(a[at] + i)
        many = np.flatnonzero(~few)
        if len(many):
            z, t = a[many], x[many]
            shift = np.log((z[:, None] + np.arange(_DRAWS)) / ((z + t)[:, None] + np.arange(_DRAWS))).sum(axis=1)
            z = z + _DRAWS
            series = _stirling(z + t) - _stirling(z)
            found[many] = shift + (z + t - 0.5) * np.log1p(t / z) + t * (np.log(z) - 1.0) + series
    return found


def _stirling(z: Floats) -> Floats:
    """Return log Γ(z) less (z − ½) log z − z + ½ log 2π, for z ≥ 16."""
    w = 1.0 / z
    v = w * w
    series: Floats = w * (1 / 12 - v * (1 / 360 - v * (1 / 1260 - v * (1 / 1680 - v / 1188))))
    return series
