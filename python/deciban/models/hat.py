"""The hat matrix, which nobody needs to form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import qr

from deciban.data.refusal import check_number
from deciban.data.rows import Rows
from deciban.data.samples import check_sample_weight
from deciban.data.validation import check_array
from deciban.losses import Floats

_EPS = float(np.finfo(np.float64).eps)


def leverages(
    X: Rows, sample_weight: ArrayLike | None = None, *, fit_intercept: bool = True, alpha: float = 0.0
) -> Floats:
    """Return h_ii (N,), how much the fit at x_i follows its own y_i: the diagonal of H with ŷ = H y.

        H = X X⁺ = Q Qᵀ,      h_ii = ‖q_i‖²,      0 ≤ h_ii ≤ 1,      Σ h_ii = rank (d + 1 with the intercept)

    by the lengths of the rows of Q of a pivoted QR factorisation of X (N, d), dense, weighted by √`sample_weight` and
    centred for the intercept, which has 1/n of its own; with `alpha` > 0 of LinearRegression(penalty="l2", alpha).
    Cost: 4·N·d². Hoaglin & Welsch, The American Statistician 32 (1978).

    >>> leverages(np.array([[0.0], [1.0], [2.0]])).round(6).tolist()
    [0.833333, 0.333333, 0.833333]
    """
    return HatMatrix.of(X, sample_weight, fit_intercept=fit_intercept, alpha=alpha).diagonal()


@dataclass(frozen=True, eq=False)
class HatMatrix:
    """The hat matrix H of least squares, with fitted values ŷ = H y and residuals y − ŷ = (I − H) y.

        H = X X⁺ = Q Qᵀ,     H² = H,     Hᵀ = H,     trace H = rank X = d + 1 with the intercept

    and the same of I − H, whose trace is N − d − 1. Only Q is kept; `matrix` computes H. With weights c and Z = √c X, H
    = √c⁻¹ Z Z⁺ √c is a projection, but symmetric only for weights that are equal; with `alpha` > 0 of ridge regression
    it shrinks, and is no projection. Hoaglin & Welsch, The American Statistician 32 (1978).

    Parameters
    ----------
    basis : ndarray of shape (n_samples, rank)
        Orthonormal columns Q.
    root : ndarray of shape (n_samples,)
        Square roots of the weights c.

    Examples
    --------
    >>> import numpy as np
    >>> hat = HatMatrix.of(np.array([[0.0], [1.0], [2.0]]))
    >>> hat.times(np.array([0.0, 1.0, 5.0])).round(6).tolist(), round(hat.trace(), 6)
    ([-0.5, 2.0, 4.5], 2.0)
    >>> H = hat.matrix()
    >>> bool(np.allclose(H @ H, H) and np.allclose(H, H.T))
    True
    """

    basis: Floats
    root: Floats

    @classmethod
    def of(
        cls, X: Rows, sample_weight: ArrayLike | None = None, *, fit_intercept: bool = True, alpha: float = 0.0
    ) -> Self:
        """Compute the hat matrix of rows by a pivoted QR factorisation, at a cost of 4·N·d².

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, dense.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; fitted values of rows of weight 0 are 0.
        fit_intercept : bool, default=True
            Whether a constant column stands beside X.
        alpha : float, default=0.0
            Strength α of `LinearRegression(penalty="l2", alpha=α)`.

        Returns
        -------
        HatMatrix
            The hat matrix.

        Raises
        ------
        ValueError
            If X is not finite, or no row has a weight.
        """
        Q, c = _basis(X, sample_weight, fit_intercept, alpha)
        return cls(Q, np.sqrt(c))

    def times(self, y: Any) -> Floats:
        """Return the fitted values ŷ = H y, at a cost of 4·N·r·K and without an N × N matrix.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.

        Returns
        -------
        ndarray of the shape of y
            Fitted values.
        """
        y = check_array(y, dtype=np.float64, ensure_2d=False)
        column = self.root if y.ndim == 1 else self.root[:, None]
        s = self.basis @ (self.basis.T @ (column * y))
        fitted: Floats = np.divide(s, column, out=np.zeros_like(s), where=column > 0.0)
        return fitted

    def residuals(self, y: Any) -> Floats:
        """Return the residuals (I − H) y.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.

        Returns
        -------
        ndarray of the shape of y
            Residuals.
        """
        y = check_array(y, dtype=np.float64, ensure_2d=False)
        left: Floats = y - self.times(y)
        return left

    def diagonal(self) -> Floats:
        """Return the leverages h_ii = ‖q_i‖².

        Returns
        -------
        ndarray of shape (n_samples,)
            Leverages, from 0 to 1.
        """
        h: Floats = np.square(self.basis).sum(axis=1)
        return h

    def trace(self) -> float:
        """Return the degrees of freedom of the fit, Σ h_ii.

        Returns
        -------
        float
            The rank, or less where a penalty shrinks.
        """
        return float(np.square(self.basis).sum())

    def matrix(self) -> Floats:
        """Return H, at a cost of 2·N²·r and N² numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            The hat matrix.
        """
        return self.times(np.eye(len(self.basis)))

    def complement(self) -> Floats:
        """Return I − H.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            The matrix of the residuals.
        """
        H: Floats = np.eye(len(self.basis)) - self.matrix()
        return H


def _basis(X: Any, sample_weight: Any, fit_intercept: bool, alpha: float) -> tuple[Floats, Floats]:
    """Return Q (N, r) and the weights (N,)."""
    X = check_array(X, dtype=np.float64)
    check_number("alpha", alpha, 0.0, "a finite number ≥ 0")
    c = check_sample_weight(sample_weight, X)
    root, n, (N, d) = np.sqrt(c)[:, None], float(c.sum()), X.shape
    if not n > 0.0:
        raise ValueError("at least one example of weight above 0 is expected; every sample_weight is 0")
    mean = c @ X / n
    Z = root * (X - mean if fit_intercept else X)
    length = np.sqrt(np.square(Z).sum(axis=0) + 0.5 * alpha)
    floor = 4.0 * _EPS * np.sqrt(np.square(Z).sum(axis=0) + n * np.square(mean))
    scale = np.where(length > floor, length, np.inf)
    ridge = np.diag(np.full(d, np.sqrt(0.5 * alpha)) / scale) if alpha else np.zeros((0, d))
    Q, T, _ = qr(np.vstack([Z / scale, ridge]), mode="economic", pivoting=True, check_finite=False)
    rank = int((np.abs(T.diagonal()) > max(N, d) * _EPS).sum())
    basis = Q[:N, :rank]
    return np.hstack([root / np.sqrt(n), basis]) if fit_intercept else basis, c
