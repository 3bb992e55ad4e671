"""What least squares needs of the data: the scatter of features and targets, and which columns are combinations."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import qr
from scipy.linalg.lapack import dgecon, dpstrf, dtrtrs

from deciban.blas import gram
from deciban.data.rows import Rows, is_sparse
from deciban.distributions.central_moments import Batch
from deciban.distributions.scatter import PooledScatter, pool_scatter
from deciban.losses import Floats

# A column whose spread is below this share of its length is constant but for the rounding of its values.
LAST_BITS = 4.0 * float(np.finfo(np.float64).eps)
# Where the spread of a column is at least this share of its square, no more than four digits go with its mean.
_SPREAD = 1e-4


@dataclass(frozen=True, eq=False)
class Normal:
    """The normal equations G w = z and what surrounds them, centred where there is an intercept.

    G (d, d) = ZᵀZ, z (d, K) = Zᵀt, tt (K,) = Σ t²; `mean` (d + K,) of features and targets, 0 without intercept; n the
    weight of all rows; `floor` (d,) the length of a column that is nothing but rounding.
    """

    G: Floats
    z: Floats
    tt: Floats
    mean: Floats
    n: float
    floor: Floats

    def intercept(self, w: Floats) -> Floats:
        """Return b (K,) for w (d, K)."""
        d = len(self.G)
        b: Floats = self.mean[d:] - self.mean[:d] @ w
        return b


def joint_scatter(X: Any, Y: Floats, weight: Floats | None) -> PooledScatter:
    """Return the statistic of (x, y): n, Σ w (x, y) and the scatter about the mean, of X (N, d) dense or CSR and Y (N,
    K).

    Dense: N·(d + K)² operations; CSR: N·m² for m values a row.
    """
    y, weight = np.zeros(len(Y), dtype=np.intp), _unless_ones(weight)
    if not is_sparse(X):
        rows = np.hstack([X, Y]) if len(Y) else np.zeros((0, X.shape[1] + Y.shape[1]))
        return pool_scatter(Batch(rows, y, weight, 1))
    return pool_scatter(Batch(_once(sparse.hstack([X, Y], format="csr")), y, weight, 1))


def class_scatter(X: Rows, y: NDArray[np.intp], weight: Floats, C: int) -> PooledScatter:
    """Return the statistic of X by classes y (N,): n (C,), sums (C, d) and the scatter within the classes, pooled."""
    return pool_scatter(Batch(_once(X) if is_sparse(X) else X, y, _unless_ones(weight), C))


def _unless_ones(weight: Floats | None) -> Floats | None:
    """Return the weights, or None where each is 1: products of rows with themselves are a third of the work."""
    return None if weight is None or (weight == 1.0).all() else weight


def _once(X: Any) -> Any:
    """Return CSR with each place stored once, in order."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


@dataclass(frozen=True, eq=False)
class RoundedSums:
    """Σ c (1, x, y)(1, x, y)ᵀ of rows in float64, as far as least squares needs it: n, G (d, d) = Σ c x xᵀ, Σ c x (d,),
    Σ c y (K,), Σ c x yᵀ (d, K) and Σ c y² (K,)."""

    n: float
    G: Floats
    x: Floats
    y: Floats
    xy: Floats
    yy: Floats

    @classmethod
    def of(cls, X: Floats, Y: Floats, c: Floats) -> Self:
        """Return the sums of X (N, d), Y (N, K) and weights c (N,). Cost: N·d²/2 operations."""
        both = X.T @ np.column_stack([c[:, None] * Y, c])
        return cls(float(c.sum()), gram(X, _unless_ones(c)), both[:, -1], c @ Y, both[:, :-1], c @ np.square(Y))

    def less(self, other: Self) -> Self:
        """Return the sums of what is left without some rows."""
        each = (getattr(self, name.name) - getattr(other, name.name) for name in fields(self))
        return type(self)(*each)

    def normal(self, intercept: bool) -> Normal | None:
        """Return the normal equations; None where a column has too few digits left when its mean is taken off."""
        mean = np.concatenate([self.x, self.y]) / self.n if intercept else np.zeros(len(self.x) + len(self.y))
        d, square = len(self.x), self.G.diagonal()
        off = self.n * np.outer(mean[:d], mean)
        if not (square * (1.0 - _SPREAD) > off.diagonal()).all():
            return None
        left = self.yy - self.n * np.square(mean[d:])
        return Normal(self.G - off[:, :d], self.xy - off[:, d:], left, mean, self.n, LAST_BITS * np.sqrt(square))


def equations_of_rows(X: Any, Y: Floats, c: Floats, intercept: bool) -> Normal:
    """Make the normal equations from the rows, X (N, d) dense or CSR, Y (N, K), c (N,): good for a start that residuals
    correct.

    Dense: N·d²/2 operations in float64, where every column has digits enough left when its mean is taken off; else from
    sums to the last bit, which are several times as much.
    """
    quick = None if is_sparse(X) else RoundedSums.of(X, Y, c).normal(intercept)
    if quick is None and not is_sparse(X):  # a column lies far from 0
        shift = X.mean(axis=0, dtype=np.float64)
        near = RoundedSums.of(X - shift, Y, c).normal(intercept)
        if near is not None:
            mean = near.mean + np.append(shift, np.zeros(Y.shape[1]))
            floor = LAST_BITS * np.sqrt(near.G.diagonal() + near.n * np.square(mean[: X.shape[1]]))
            quick = replace(near, mean=mean, floor=floor)
    return normal_equations(joint_scatter(X, Y, c), X.shape[1], intercept) if quick is None else quick


def normal_equations(seen: PooledScatter, d: int, intercept: bool) -> Normal:
    """Make the normal equations from the statistic of d features and the targets after them."""
    return _normal(float(seen.n[0]), seen.mean()[0], seen.scatter()[0], d, intercept)


def class_normal_equations(seen: PooledScatter, T: Floats, intercept: bool) -> Normal:
    """Make those of examples whose targets are the same in all of a class, T_c (K,), from the statistic of the features
    by classes: the scatter within the classes, and of their means about the mean of all."""
    n, apart = seen.n, seen.from_centre
    total = float(n.sum())
    middle = n @ T / total
    both = np.hstack([apart, T - middle])
    W = both.T @ (n[:, None] * both)
    d = apart.shape[1]
    W[:d, :d] += seen.scatter()[0]
    return _normal(total, np.concatenate([seen.centre, middle]), W, d, intercept)


def _normal(n: float, mean: Floats, W: Floats, d: int, intercept: bool) -> Normal:
    length = np.sqrt(W.diagonal() + n * np.square(mean))[:d]
    if not intercept:
        W, mean = W + n * np.outer(mean, mean), np.zeros_like(mean)
    floor = LAST_BITS * length
    return Normal(W[:d, :d], W[:d, d:], W.diagonal()[d:], mean, n, floor)


def as_matrix(rows: Any) -> Any:
    """Return X as SciPy or NumPy has it, from what the core takes."""
    if not isinstance(rows, tuple):
        return rows
    data, indices, indptr, d = rows
    return sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, d))


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
        """Return the factor of R (m, d), and the (r, m) that takes what is left of t to Qᵀt.

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
        """Return the factor of G (d, d) = ZᵀZ, by Cholesky's with pivots. Cost: d³/3. Its digits are half of `of`'s."""
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
        """Estimate the condition number of the independent columns, each brought to length 1."""
        return _condition(self.T[:, : self.rank])

    def condition_as_given(self) -> float:
        """Return the same in the units that the columns came in: large where only their scale is at fault, too."""
        return _condition(self.T[:, : self.rank] * self.scale[self.order[: self.rank]])

    def solve(self, q: Floats) -> Floats:
        """Return w (d, K) of least ‖Zw − t‖ and, of these, of least length, given q (r, K) = Qᵀt."""
        r, T, scale = self.rank, self.T, self.scale[self.order][:, None]
        w = np.zeros((len(self.order), q.shape[1]))
        w[:r] = dtrtrs(T[:, :r], q)[0] if r else 0.0
        w /= scale
        if 0 < r < len(w):
            free = np.eye(len(w))[:, r:]
            free[:r] = -dtrtrs(T[:, :r], T[:, r:])[0]
            basis = qr(free / scale, mode="economic", check_finite=False)[0]
            w -= basis @ (basis.T @ w)
        result = np.empty_like(w)
        result[self.order] = w
        return result

    def solve_normal(self, z: Floats) -> Floats:
        """Return the same given z (d, K) = Zᵀt."""
        return self.solve(self.whiten(z))

    def whiten(self, z: Floats) -> Floats:
        """Return (r, K) Qᵀt given z (d, K) = Zᵀt; of columns z = x it has the lengths √(xᵀ(ZᵀZ)⁺x) where rank is
        full."""
        r = self.rank
        independent = self.order[:r]
        whitened: Floats = (z / self.scale[:, None])[independent]
        return dtrtrs(self.T[:, :r], whitened, trans=1)[0] if r else whitened


def _condition(T: Any) -> float:
    if not len(T):
        return 1.0
    # T is its own LU decomposition, with L = I
    reciprocal = float(dgecon(np.asfortranarray(T), float(np.abs(T).sum(axis=0).max()))[0])
    return 1.0 / reciprocal if reciprocal > 0.0 else np.inf
