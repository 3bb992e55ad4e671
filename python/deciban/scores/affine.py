"""A score that is affine in the features: what linear and discrete Bayes models compile to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban._core import scores, scores_of_counts
from deciban.data.rows import Rows, for_core, is_sparse
from deciban.lazy import cached_property

from .evidence import Floats, Score, Terms


@dataclass(frozen=True, eq=False)
class AffineScore(Score):
    """A score that is affine in the features, one column a class.

        score(x)_c = prior_c + Σ_j x_j W_jc + Σ_j absent_jc

    Every linear or discrete Bayes model compiles to this form. For a Bernoulli model W = logit φ and absent = log(1 −
    φ): an absent feature weighs absent_j, a present one W_j + absent_j = log φ_j. A feature that is missing, NaN,
    weighs nothing: neither x_j W_j nor absent_j. W and absent may be infinite: W_jc = −∞ makes x_j > 0 impossible in
    class c, W_jc = ∞ with absent_jc = −∞ makes x_j = 0 impossible there; an impossible row scores −∞. An explanation
    lists the features that are present and, where `absent` is given, the absent ones. The cost is one pass over the
    values that are not 0, C multiplications each.

    Parameters
    ----------
    W : ndarray of shape (n_features, n_classes)
        Weights, in nats.
    prior : ndarray of shape (n_classes,)
        Log prior probabilities or intercepts, in nats.
    absent : ndarray of shape (n_features, n_classes), optional
        Evidence of each feature that is not missing, in nats.

    Examples
    --------
    >>> import numpy as np
    >>> score = AffineScore(np.log([[0.8, 0.1], [0.2, 0.9]]), np.log([0.5, 0.5]))
    >>> score(np.array([[1.0, 0.0]])).round(3).tolist()
    [[-0.916, -2.996]]
    """

    W: Floats
    prior: Floats
    absent: Floats | None = None

    @cached_property
    def bias(self) -> Floats:
        """(C,) the score of the empty row: prior + Σ_j absent_j."""
        if self.absent is None:
            return self.prior
        # Rows of the transpose are contiguous, so NumPy adds them pairwise: 10^6 terms keep their digits.
        result: Floats = self.prior + self.absent.T.copy().sum(axis=1)
        return result

    def scaled(self, slope: float, offset: Sequence[float]) -> AffineScore:
        """Return the score that is a line of this one.

        Parameters
        ----------
        slope : float
            Slope > 0.
        offset : sequence of float of shape (n_classes,)
            Offset of each class, in nats.

        Returns
        -------
        AffineScore
            The score slope · score_c + offset_c.
        """
        absent = None if self.absent is None else slope * self.absent
        return AffineScore(slope * self.W, slope * self.prior + np.array(offset), absent)

    def __call__(self, X: Any) -> Floats:
        """(N, C) scores in nats of X (N, d), dense or sparse; a sparse X is never made dense."""
        X, missing = _without_missing(X)
        score = self.of_complete(X) if self._certain is None else _products(X, self._finite.W, self._finite.bias)
        if missing is not None and self.absent is not None:
            score = score - missing @ self._finite.absent
        if self._certain is not None:
            score[self._violations(X, missing) > 0.0] = -np.inf
        return score

    def of_complete(self, X: Any) -> Floats:
        """Return the scores of rows none of whose values is missing, without a look at that, for finite W.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Scores, in nats.
        """
        return _products(X, self.W, self.bias)

    def of_counts(self, X: Any) -> Floats | None:
        """Return the scores of rows of counts, which are looked at in the same pass.

        Parameters
        ----------
        X : CSR matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or None
            Scores, in nats; None where some value of X is not from 0 to 1e300, and where W is not in C order.
        """
        if not self.W.flags.c_contiguous:
            return None
        return scores_of_counts(for_core(X), self.W, np.ascontiguousarray(self.bias))

    def terms(self, row: Rows, label: int, against: int) -> Terms:
        feature, x = nonzeros(row)
        if self.absent is not None:
            x, feature = _fill(feature, x, len(self.W)), np.arange(len(self.W))
            spoken = (x != 0.0) | self.absent.any(axis=1)  # some features may have nothing to say when absent
            feature, x = feature[spoken], x[spoken]
        known = ~np.isnan(x)
        feature, x = feature[known], x[known]
        evidence = self._evidence(feature, x, label) - self._evidence(feature, x, against)
        return Terms(feature, x, evidence)

    def _evidence(self, feature: NDArray[np.intp], x: Floats, c: int) -> Floats:
        finite = self._finite
        evidence: Floats = x * finite.W[feature, c]
        if finite.absent is not None:
            evidence += finite.absent[feature, c]
        if self._certain is not None:
            present, absent = self._certain
            evidence[x * present[feature, c] + absent[feature, c] > 0.0] = -np.inf
        return evidence

    # Where a probability is 0, W and absent are infinite. They are split into a finite part and the number of
    # impossible events, which is affine in x as well: present_jc x_j + absent_jc.

    @cached_property
    def _certain(self) -> tuple[Floats, Floats] | None:
        if np.isfinite(self.W).all():
            return None
        present = np.isneginf(self.W).astype(np.float64) - np.isposinf(self.W)
        absent = np.zeros_like(self.W) if self.absent is None else np.isneginf(self.absent).astype(np.float64)
        return present, absent

    @cached_property
    def _finite(self) -> AffineScore:
        if self._certain is None:
            return self
        W = np.where(np.isfinite(self.W), self.W, 0.0)
        absent = None if self.absent is None else np.where(np.isfinite(self.absent), self.absent, 0.0)
        return AffineScore(W, self.prior, absent)

    def _violations(self, X: Any, missing: Any) -> Floats:
        assert self._certain is not None
        present, absent = self._certain
        found: Floats = X @ present + absent.sum(axis=0)
        return found if missing is None else found - missing @ absent


def _products(X: Any, W: Floats, bias: Floats) -> Floats:
    """Return X·W + bias, (N, C)."""
    if not is_sparse(X):
        dense: Floats = (W.T @ X.T).T  # class by class, as they are few, and NumPy is slow along rows so short
        dense += bias
        return dense
    return scores(for_core(X), W.T if W.flags.forc else np.ascontiguousarray(W.T), np.ascontiguousarray(bias))


def nonzeros(row: Any) -> tuple[NDArray[np.intp], Floats]:
    """Return indices (ascending) and values of the nonzero features of one dense or sparse row."""
    if hasattr(row, "tocsr"):
        row = row.tocsr()
        if not row.has_canonical_format:
            row = row.copy()
            row.sum_duplicates()
        kept = np.flatnonzero(row.data)
        return row.indices[kept].astype(np.intp), row.data[kept].astype(np.float64)
    values = np.asarray(row).reshape(-1)
    feature = np.flatnonzero(values)
    return feature, values[feature].astype(np.float64)


def _fill(feature: NDArray[np.intp], x: Floats, d: int) -> Floats:
    full = np.zeros(d)
    full[feature] = x
    return full


def _without_missing(X: Any) -> tuple[Any, Any]:
    """Return X with 0 in place of NaN, and where NaN was (1.0 there, of X's format) or None where nowhere."""
    values = X.data if hasattr(X, "tocsr") else X
    if values.dtype.kind != "f":
        return X, None
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isnan(values.sum()):  # one NaN makes the sum NaN; infinities may too, and are looked at then
            return X, None
    gone = np.isnan(values)
    if not gone.any():
        return X, None
    if values is X:
        return np.where(gone, 0.0, X), gone.astype(np.float64)
    missing = X.copy()
    missing.data = gone.astype(np.float64)
    X = X.copy()
    X.data = np.where(gone, 0.0, X.data)
    return X, missing
