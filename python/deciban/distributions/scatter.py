"""Statistics of joint Gaussians: second moments about the class means, pooled or class by class."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from deciban.blas import add_gram

from .central_moments import CentralMoments, Parts
from .centred import Batch
from .counts import Floats


class PooledScatter(CentralMoments):
    """parts = (W,): W (d, d) = Σ_c Σ_{i: y_i = c} w_i z_i z_iᵀ, all that a shared covariance asks of the data."""

    @staticmethod
    def _moved(parts: Parts, n: Floats, shift: Floats, back: bool) -> Parts:
        move = np.sqrt(n)[:, None] * shift
        change = _symmetric(_product(move, None, np.zeros(parts[0].shape, order="F")))
        return (parts[0] - change if back else parts[0] + change,)

    def variation(self) -> Floats:
        """(1, d) the diagonal of W."""
        return self.parts[0].diagonal()[None, :]

    def scatter(self) -> Floats:
        """(1, d, d) W."""
        return self.parts[0][None]

    def _without(self, gone: NDArray[np.bool_]) -> Parts:
        return (_cleared(self.parts[0], gone[0]),)

    def _spread(self, part: Floats, places: NDArray[np.intp], C: int) -> Floats:
        return part

    def kept(self, classes: NDArray[np.intp]) -> Self:
        """The statistics of some classes; the others must be empty, or all go."""
        n = self.n[classes]
        W = self.parts[0] if n.any() else np.zeros_like(self.parts[0])
        return replace(self, n=n, s=self.s[:, classes], parts=(W,))


class ClassScatter(CentralMoments):
    """parts = (W,) or (W, third, fourth): W (C, d, d) = Σ w z zᵀ and, for the Ledoit–Wolf shrinkage,
    third (C, d) = Σ w ‖z‖² z and fourth (C,) = Σ w ‖z‖⁴, class by class.
    """

    @staticmethod
    def _moved(parts: Parts, n: Floats, shift: Floats, back: bool) -> Parts:
        moved = parts[0].copy()
        for c in np.flatnonzero((n > 0.0) & shift.any(axis=1)):
            move = np.sqrt(n[c]) * shift[c]
            moved[c] += np.outer(-move if back else move, move)
        if len(parts) == 1:
            return (moved,)
        W, sign = (moved, -1.0) if back else (parts[0], 1.0)
        square = np.square(shift).sum(axis=1)
        trace = W.trace(axis1=1, axis2=2)
        across = np.einsum("cij,cj->ci", W, shift)
        third = parts[1] + sign * (2.0 * across + (trace + n * square)[:, None] * shift)
        along = ((third if back else parts[1]) * shift).sum(axis=1)
        more = 4.0 * along + 4.0 * (across * shift).sum(axis=1) + 2.0 * square * trace + n * square**2
        return moved, third, parts[2] + sign * more

    def variation(self) -> Floats:
        """(C, d) the diagonals of W."""
        return self.parts[0].diagonal(axis1=1, axis2=2)

    def scatter(self) -> Floats:
        """(C, d, d) W."""
        return self.parts[0]

    def _without(self, gone: NDArray[np.bool_]) -> Parts:
        for W, marked in zip(self.parts[0], gone, strict=True):
            W[...] = _cleared(W, marked)
        if len(self.parts) == 1:
            return self.parts
        return self.parts[0], np.where(gone, 0.0, self.parts[1]), np.where(gone.all(axis=1), 0.0, self.parts[2])


class PowerSums(CentralMoments):
    """parts = (q2,) or (q2, q3, q4): q_k (C, d) = Σ w z_j^k, feature by feature, what a diagonal covariance asks."""

    @staticmethod
    def _moved(parts: Parts, n: Floats, shift: Floats, back: bool) -> Parts:
        sign, count = -1.0 if back else 1.0, n[:, None]
        second = parts[0] + sign * count * shift**2
        if len(parts) == 1:
            return (second,)
        q2 = second if back else parts[0]
        third = parts[1] + sign * (3.0 * shift * q2 + count * shift**3)
        q3 = third if back else parts[1]
        fourth = parts[2] + sign * (4.0 * shift * q3 + 6.0 * shift**2 * q2 + count * shift**4)
        return second, third, fourth

    def variation(self) -> Floats:
        """(C, d) Σ w z²."""
        return self.parts[0]

    def _without(self, gone: NDArray[np.bool_]) -> Parts:
        return tuple(np.where(gone, 0.0, part) for part in self.parts)


def pooled_scatter(batch: Batch) -> PooledScatter:
    """One symmetric product a block of rows: N·d² operations."""
    W, sums = np.zeros((batch.d, batch.d), order="F"), np.zeros((batch.C, batch.d))
    with np.errstate(all="ignore"):  # refused below
        for Z, member, weight in batch.blocks():
            sums += member @ Z
            W = _product(Z, weight, W)
        _refuse_infinite(batch, sums, W.diagonal())
        return PooledScatter.about(batch.n, batch.centres, sums, (_symmetric(W),))


def class_scatter(batch: Batch, fourth: bool) -> ClassScatter:
    """The same class by class; with `fourth` also what the Ledoit–Wolf shrinkage needs."""
    C, d = batch.C, batch.d
    W, sums, third, squares = np.zeros((C, d, d)), np.zeros((C, d)), np.zeros((C, d)), np.zeros(C)
    with np.errstate(all="ignore"):
        for c, Z, member, weight in batch.blocks_by_class():
            sums[c] += (member @ Z)[0]
            if fourth:
                square = np.einsum("ij,ij->i", Z, Z)
                third[c] += ((member * square) @ Z)[0]
                squares[c] += (member @ square**2)[0]
            _product(Z, weight, W[c].T)
        _refuse_infinite(batch, sums, W.diagonal(axis1=1, axis2=2), third, squares)
        for each in W:
            each[...] = _symmetric(each.T)
        return ClassScatter.about(batch.n, batch.centres, sums, (W, third, squares) if fourth else (W,))


def power_sums(batch: Batch, fourth: bool) -> PowerSums:
    """Sums of squares and, with `fourth`, of third and fourth powers, feature by feature."""
    sums = np.zeros((batch.C, batch.d))
    powers = tuple(np.zeros_like(sums) for _ in range(3 if fourth else 1))
    with np.errstate(all="ignore"):
        for Z, member, _ in batch.blocks():
            sums += member @ Z
            power = Z
            for part in powers:
                power = power * Z
                part += member @ power
        _refuse_infinite(batch, sums, *powers)
        return PowerSums.about(batch.n, batch.centres, sums, powers)


def _product(Z: Floats, weight: Floats | None, W: Floats) -> Floats:
    """W + Σ w z zᵀ in the lower triangle of W (d, d), which is overwritten, as is Z."""
    if weight is not None:
        Z *= np.sqrt(weight)[:, None]
    add_gram(W, Z)
    return W


def _symmetric(W: Floats) -> Floats:
    """The matrix of which W, in Fortran order, has the lower triangle."""
    whole: Floats = np.tril(W)
    whole += np.tril(W, -1).T
    return whole


def _cleared(W: Floats, gone: NDArray[np.bool_]) -> Floats:
    """W without the rows and columns marked."""
    return np.where(gone | gone[:, None], 0.0, W) if gone.any() else W


def _refuse_infinite(batch: Batch, *sums: Floats) -> None:
    if not all(np.isfinite(each).all() for each in sums):
        batch.refuse()
