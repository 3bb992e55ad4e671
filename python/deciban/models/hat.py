"""The hat matrix, without ever forming it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import qr
from sklearn.utils.validation import _check_sample_weight, check_array

from deciban.distributions.refusal import check_number
from deciban.losses import Floats

_EPS = float(np.finfo(np.float64).eps)


def leverages(
    X: Any, sample_weight: ArrayLike | None = None, *, fit_intercept: bool = True, alpha: float = 0.0
) -> Floats:
    """h_ii (N,), how much the fit at x_i follows its own y_i: the diagonal of H with ŷ = H y.

        H = X X⁺ = Q Qᵀ,      h_ii = ‖q_i‖²,      0 ≤ h_ii ≤ 1,      Σ h_ii = rank (d + 1 with the intercept)

    by the lengths of the rows of Q of a pivoted QR factorisation of X (N, d), dense, weighted by √`sample_weight` and
    centred for the intercept, which has 1/n of its own; with `alpha` > 0 of LinearRegression(penalty="l2", alpha).
    Cost: 4·N·d². Hoaglin & Welsch, The American Statistician 32 (1978).

    >>> leverages(np.array([[0.0], [1.0], [2.0]])).round(6).tolist()
    [0.833333, 0.333333, 0.833333]
    """
    X = check_array(X, dtype=np.float64)
    check_number("alpha", alpha, 0.0, "a finite number ≥ 0")
    c = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
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
    h: Floats = np.square(Q[:N, :rank]).sum(axis=1)
    return h + (c / n if fit_intercept else 0.0)
