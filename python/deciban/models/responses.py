"""Rows with targets as regressions take them, by scikit-learn's rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from deciban.data.declared_types import Estimator
from deciban.data.devices import fetch
from deciban.data.digest import digest
from deciban.data.rows import as_rows, is_sparse
from deciban.data.samples import check_sample_weight
from deciban.errors import DataError
from deciban.lazy import cached_property
from deciban.losses import Floats

from ..data.examples import arrays_of
from ..data.numbers import linear_rows


@dataclass(frozen=True, eq=False)
class Responses:
    """X (N, d), dense in C order or CSR, Y (N, K), weight (N,) > 0; `single` where y came as (N,).

    `centre` (d + K,) and `worth` are what was taken off X and Y, and the weight of all rows, where errors that are
    correlated were whitened: there the intercept is no longer a constant column. `kind` is the type of X as it came.
    """

    X: Any
    Y: Floats
    weight: Floats
    single: bool
    centre: Floats | None = None
    worth: float = 0.0
    kind: Any = np.float64

    @cached_property
    def digest(self) -> str:
        """The name of X, Y and the weights."""
        return digest(*arrays_of(self.X), self.Y, self.weight)

    def whiten(self, covariance: Floats, intercept: bool) -> Self:
        """Return L⁻¹X, L⁻¹Y for covariance = L Lᵀ, less the part along L⁻¹1 where there is an intercept."""
        try:
            L = cholesky(covariance, lower=True)
        except LinAlgError as error:
            raise DataError(f"covariance must be symmetric and positive definite: {error}") from None
        both = np.hstack([self.X, self.Y, np.ones((len(self.Y), 1))]).astype(np.float64)
        both = solve_triangular(L, both, lower=True, check_finite=False)
        rows, one = both[:, :-1], both[:, -1]
        worth = float(one @ one)
        centre = one @ rows / worth
        if intercept:
            rows = rows - np.outer(one, centre)
        d = self.X.shape[1]
        X, Y = np.ascontiguousarray(rows[:, :d]), rows[:, d:]
        return replace(self, X=X, Y=Y, weight=np.ones(len(Y)), centre=centre, worth=worth)


def responses(
    model: Estimator, X: Any, y: Any, sample_weight: Any, covariance: Any = None, reset: bool = True
) -> tuple[Responses, Floats | None]:
    """Check examples, rows of weight 0 left out; and the covariance where it is a matrix."""
    X, y = linear_rows(
        model,
        X,
        y,
        order="C",
        reset=reset,
        multi_output=True,
        y_numeric=True,
        accept_large_sparse=True,
    )
    weight = check_sample_weight(sample_weight, X)
    Y = np.asarray(y, dtype=np.float64)
    given = Responses(as_rows(X), Y.reshape(len(Y), -1), weight, Y.ndim == 1, kind=X.dtype)
    matrix = None
    if covariance is not None:
        matrix, variance = _covariance(covariance, given.X, sample_weight)
        given = given if variance is None else replace(given, weight=weight / variance)
    counted = given.weight > 0.0
    if not counted.any():
        raise ValueError("at least one example of weight above 0 is expected; every sample_weight is 0")
    if not counted.all():
        given = replace(given, X=given.X[counted], Y=given.Y[counted], weight=given.weight[counted])
    return given, matrix


def _covariance(covariance: ArrayLike | None, X: Any, sample_weight: Any) -> tuple[Floats | None, Floats | None]:
    """Return (N, N) the matrix, or (N,) the variances."""
    values, N = np.asarray(fetch(covariance), dtype=np.float64), X.shape[0]
    if values.shape not in ((N,), (N, N)):
        raise ValueError(f"covariance must be ({N},) variances or ({N}, {N}), got the shape {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("covariance must be finite; it holds NaN or infinity")
    if values.ndim == 1:
        if not (values > 0.0).all():
            raise ValueError(f"covariance must be variances > 0, got {values.min():g}")
        return None, values
    if is_sparse(X):
        raise ValueError("a covariance (N, N) mixes the rows, so that X cannot stay sparse: give X.toarray()")
    if sample_weight is not None:
        raise ValueError("rows that a covariance (N, N) ties together cannot be repeated: leave sample_weight out")
    if not np.allclose(values, values.T, rtol=1e-10, atol=0.0):
        raise ValueError("covariance must be symmetric and positive definite: it is not symmetric")
    return values, None
