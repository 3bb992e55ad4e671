"""The factor of a covariance that reveals its rank: what makes features uncorrelated, each of variance 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from scipy.linalg.lapack import dpstrf, dtrtri

from .counts import Floats

# A feature of which the others leave less than this share of its variance unexplained is one of their combinations:
# in features computed in single precision the rounding alone leaves 10^−14.
_UNEXPLAINED = 1e-12


class Whitening(NamedTuple):
    """L (d, r) with L Lᵀ = S⁺ and the logarithm of the pseudo-determinant of S (d, d), of rank r.

    z = (x − mean) L has the covariance 1. Both are taken in the units in which the diagonal of S is 1, and brought
    back, so that the units of the features do not matter: S⁺ = D⁻¹ (D⁻¹ S D⁻¹)⁺ D⁻¹, D² = diag S.
    """

    L: Floats
    log_det: float

    @property
    def rank(self) -> int:
        return int(self.L.shape[1])


def whitening(S: Floats, used: NDArray[np.bool_] | None = None) -> Whitening:
    """The factor of S (d, d), symmetric and positive semidefinite, in the features `used` (d,) of variance above 0.

    A pivoted Cholesky factorisation, P S Pᵀ = G Gᵀ with G (k, r) lower trapezoidal; where r < k the QR factorisation
    G = Q T of it, so that S⁺ = Q T⁻ᵀ T⁻¹ Qᵀ. Higham, Accuracy and Stability of Numerical Algorithms, 2002,
    section 10.3. Cost: k³/3 operations, and 2 k r² more where the rank is not full.

    >>> whitening(np.array([[4.0, 2.0], [2.0, 1.0]])).rank
    1
    """
    variance = S.diagonal()
    used = variance > 0.0 if used is None else used & (variance > 0.0)
    scale = np.sqrt(variance[used])
    k = len(scale)
    if k == 0:
        return Whitening(np.zeros((len(S), 0)), 0.0)
    R = S[np.ix_(used, used)] / scale[:, None] / scale
    factor, order, rank, _ = dpstrf(R.T, tol=max(_UNEXPLAINED, 4.0 * k * np.finfo(np.float64).eps), lower=1)
    G = np.tril(factor[:, :rank])
    whitened = np.empty((k, rank))
    if rank == k:
        whitened[order - 1] = dtrtri(G, lower=1)[0].T
        log_det = 2.0 * np.log(G.diagonal()).sum()
    else:
        Q, T = qr(G, mode="economic")
        whitened[order - 1] = solve_triangular(T, Q.T).T if rank else Q
        log_det = 2.0 * np.log(np.abs(T.diagonal())).sum()
    L = np.zeros((len(S), rank))
    L[used] = whitened / scale[:, None]
    return Whitening(L, float(log_det + 2.0 * np.log(scale).sum()))
