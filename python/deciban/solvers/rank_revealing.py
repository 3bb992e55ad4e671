"""The triangular factor that says which columns are combinations of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from scipy.linalg.lapack import dgecon, dpstrf

from deciban.losses import Floats

_EPS = float(np.finfo(np.float64).eps)
# Below this share of its square a column of XᵀX is a combination of the others: the rounding of XᵀX leaves as much.
_UNEXPLAINED = 1e-12


@dataclass(frozen=True, eq=False)
class Factor:
    """Z = Q T Pᵀ D: orthonormal Q (N, r), `T` (r, d) upper trapezoidal, P the permutation `order`, D = diag(`scale`).

    The columns of Z D⁻¹ have length 1, so that rank is decided whatever the units of the columns. Q is not kept: what a
    solution needs of the right-hand sides t (N, K) is Qᵀt or Zᵀt.
    Golub & Van Loan, Matrix Computations, 2013, sections 5.4 and 5.5.
    """

    T: Floats
    order: NDArray[np.intp]
    scale: Floats

    @classmethod
    def of(cls, R: Floats, floor: Floats, rows: int) -> tuple[Self, Floats]:
        """The factor of R (m, d), and the (r, m) that takes what is left of t to Qᵀt.

        Cost: about 4/3·d³. Columns no longer than `floor` (d,) are rounding and count as 0; `rows` were there first.
        """
        length = np.sqrt(np.einsum("ij,ij->j", R, R))
        used = length > floor
        scale = np.where(used, length, 1.0)
        Q, T, order = qr(np.where(used, R / scale, 0.0), mode="economic", pivoting=True, check_finite=False)
        rounding = _EPS * (max(rows, R.shape[1]) + 2.0 * floor / _EPS / scale)[order[: len(T)]]
        small = np.abs(T.diagonal()) <= rounding
        rank = int(small.argmax()) if small.any() else len(small)
        return cls(T[:rank], order, scale), Q[:, :rank].T

    @classmethod
    def of_gram(cls, G: Floats, floor: Floats) -> Self:
        """The factor of G (d, d) = ZᵀZ, by Cholesky's with pivots. Cost: d³/3. Its digits are half of `of`'s."""
        square = G.diagonal()
        used = square > np.square(floor)
        scale = np.sqrt(np.where(used, square, 1.0))
        equal = np.where(used & used[:, None], G / scale / scale[:, None], 0.0)
        factor, order, rank, _ = dpstrf(equal, tol=max(_UNEXPLAINED, 4.0 * len(G) * _EPS))
        rank = int(rank) if used.any() else 0
        return cls(np.triu(factor)[:rank], order - 1, scale)

    @property
    def rank(self) -> int:
        """r."""
        return len(self.T)

    def condition(self) -> float:
        """About the condition number of the independent columns, each brought to length 1."""
        return _condition(self.T[:, : self.rank])

    def condition_as_given(self) -> float:
        """The same in the units that the columns came in: large where only their scale is at fault, too."""
        return _condition(self.T[:, : self.rank] * self.scale[self.order[: self.rank]])

    def solve(self, q: Floats) -> Floats:
        """w (d, K) of least ‖Zw − t‖ and, of these, of least length, given q (r, K) = Qᵀt."""
        r, T, scale = self.rank, self.T, self.scale[self.order][:, None]
        w = np.zeros((len(self.order), q.shape[1]))
        w[:r] = solve_triangular(T[:, :r], q, check_finite=False) if r else 0.0
        w /= scale
        if 0 < r < len(w):
            free = np.eye(len(w))[:, r:]
            free[:r] = -solve_triangular(T[:, :r], T[:, r:], check_finite=False)
            basis = qr(free / scale, mode="economic", check_finite=False)[0]
            w -= basis @ (basis.T @ w)
        result = np.empty_like(w)
        result[self.order] = w
        return result

    def solve_normal(self, z: Floats) -> Floats:
        """The same given z (d, K) = Zᵀt."""
        return self.solve(self.whitened(z))

    def whitened(self, z: Floats) -> Floats:
        """(r, K) Qᵀt given z (d, K) = Zᵀt; of columns z = x it has the lengths √(xᵀ(ZᵀZ)⁺x) where rank is full."""
        r = self.rank
        independent = self.order[:r]
        whitened: Floats = (z / self.scale[:, None])[independent]
        return solve_triangular(self.T[:, :r], whitened, trans="T", check_finite=False) if r else whitened


def _condition(T: Any) -> float:
    if not len(T):
        return 1.0
    # T is its own LU decomposition, with L = I
    reciprocal = float(dgecon(np.asfortranarray(T), float(np.abs(T).sum(axis=0).max()))[0])
    return 1.0 / reciprocal if reciprocal > 0.0 else np.inf
