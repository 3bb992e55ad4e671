"""Statistics of joint Gaussians: second moments about the class means, pooled or class by class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban._core import (
    central_fourths,
    central_norms,
    central_products,
    central_squares,
    class_powers,
    class_products,
)
from deciban.data.rows import for_core
from deciban.lazy import cached_property

from ..data.refusal import count_or_refuse
from . import exact_sums
from .central_moments import Batch, CentralMoments, describe_expected, refuse_indefinite
from .counts import Floats
from .exact_sums import two_product


class PooledScatter(CentralMoments):
    """parts = (Q,): Q (L, d, d) = Σ w x xᵀ of all classes, all that a shared covariance asks of the data."""

    @classmethod
    def about(cls, n: Floats, centres: Floats, rest: Floats, scatter: Floats) -> Self:
        """Make statistics from sums about any centres (C, d): `rest` (C, d) = Σ w (x − centre_c), `scatter` (d, d) of
        the same."""
        n_by_class = np.broadcast_to(n[:, None], centres.shape)
        s = exact_sums.total([np.stack(two_product(n_by_class, centres)), exact_sums.as_sums(rest)])
        terms, d = [exact_sums.as_sums(scatter)], centres.shape[1]
        for n_c, centre, rest_c in zip(n, centres, rest, strict=True):
            column, row = np.broadcast_to(centre[:, None], (d, d)), np.broadcast_to(centre, (d, d))
            for part in two_product(np.broadcast_to(n_c * centre[:, None], (d, d)), row):
                terms.append(exact_sums.as_sums(part))
            across = np.stack(two_product(column, np.broadcast_to(rest_c, (d, d))))
            terms += [across, across.transpose(0, 2, 1)]
        Q = exact_sums.total(terms)
        return cls(exact_sums.as_sums(np.asarray(n, dtype=np.float64)), s, (Q,))

    @cached_property
    def _scatter(self) -> Floats:
        d = self.s.shape[2]
        return _central(self, d)

    def variation(self) -> Floats:
        """Return the diagonal (1, d) of W."""
        return self._scatter.diagonal(axis1=1, axis2=2)

    def scatter(self) -> Floats:
        """Return (1, d, d) W = Σ_c Σ_{i: y_i = c} w_i (x_i − mean_c)(x_i − mean_c)ᵀ."""
        return self._scatter

    def _refuse_impossible(self) -> None:
        super()._refuse_impossible()
        refuse_indefinite(self, self._scatter)

    def among(self, places: NDArray[np.intp], C: int) -> Self:
        """Return the same statistics as part of C classes: row k moves to row places[k], the others are zero."""
        return replace(super().among(places, C), parts=self.parts)

    def select_classes(self, classes: NDArray[np.intp]) -> Self:
        """Return the statistics of some classes; the others must be empty, or all go."""
        none = (np.zeros((2, *self.parts[0].shape[1:])),)
        return replace(super().select_classes(classes), parts=self.parts if self.n[classes].any() else none)

    def _by_class(self, change: Any) -> Self:
        return replace(self, w=change(self.w), s=change(self.s))


class ClassScatter(CentralMoments):
    """parts = (Q,) or (Q, third, fourth): Q (L, C, d, d) = Σ w x xᵀ and, for the Ledoit–Wolf shrinkage,
    third (L, C, d) = Σ w ‖x‖² x and fourth (L, C) = Σ w ‖x‖⁴, class by class; ‖x‖² of a row to 159 bits.
    """

    @cached_property
    def _scatter(self) -> Floats:
        d = self.s.shape[2]
        return _central(self, d)

    def variation(self) -> Floats:
        """Return the diagonals (C, d) of W."""
        return self._scatter.diagonal(axis1=1, axis2=2)

    def scatter(self) -> Floats:
        """Return (C, d, d) W = Σ w (x − mean_c)(x − mean_c)ᵀ."""
        return self._scatter

    def fourth(self) -> Floats:
        """Return (C,) Σ w ‖x − mean_c‖⁴."""
        return central_norms(*(exact_sums.flatten(each) for each in (self.w, self.s, *self.parts)))

    def _refuse_impossible(self) -> None:
        super()._refuse_impossible()
        refuse_indefinite(self, self._scatter)


class PowerSums(CentralMoments):
    """parts = (q2,) or (q2, q3, q4): q_k (L, C, d) = Σ w x_j^k, feature by feature, what a diagonal covariance asks."""

    def variation(self) -> Floats:
        """Return (C, d) Σ w (x_j − mean_cj)²."""
        shape = self.s.shape[1:]
        n = np.broadcast_to(self.w[:, :, None], (len(self.w), *shape))
        return central_squares(
            exact_sums.flatten(n), exact_sums.flatten(self.s), exact_sums.flatten(self.parts[0])
        ).reshape(shape)

    def fourth(self) -> Floats:
        """Return (C, d) Σ w (x_j − mean_cj)⁴."""
        powers = [exact_sums.flatten(each) for each in (self.s, *self.parts)]
        return central_fourths(exact_sums.flatten(self.w), powers).reshape(self.s.shape[1:])


# Less than this share of Σ w x² is what the last products, which are rounded, have left of no spread.
_NOTHING = 2.0**-130


def _central(seen: PooledScatter | ClassScatter, d: int) -> Floats:
    """Return (G, d, d) Σ w (x − mean)(x − mean)ᵀ."""
    Q = seen.parts[0].reshape(len(seen.parts[0]), -1, d, d)
    W = central_products(exact_sums.flatten(seen.w), exact_sums.flatten(seen.s), exact_sums.flatten(Q), d)
    none = np.abs(W.diagonal(axis1=1, axis2=2)) <= _NOTHING * Q[0].diagonal(axis1=1, axis2=2)
    return np.where(none[:, :, None] | none[:, None, :], 0.0, W)


def pool_scatter(batch: Batch) -> PooledScatter:
    """Return Q of all rows: some N·d² operations, five times for most float64; of CSR N·m² for m values a row, where
    few."""
    Q = _products(batch, pooled=True)
    w, s, _ = batch.sums()
    return PooledScatter(w, s, (_require_finite(batch, Q.reshape(len(Q), batch.d, batch.d)),))


def class_scatter(batch: Batch, fourth: bool) -> ClassScatter:
    """Return the same class by class; with `fourth` also what the Ledoit–Wolf shrinkage needs."""
    Q = _products(batch, pooled=False).reshape(-1, batch.C, batch.d, batch.d)
    w, s, _ = batch.sums()
    if not fourth:
        return ClassScatter(w, s, (_require_finite(batch, Q),))
    third, squares = _powers(batch, norms=True)
    third = third.reshape(len(third), batch.C, batch.d)
    return ClassScatter(w, s, tuple(_require_finite(batch, each) for each in (Q, third, squares)))


def _products(batch: Batch, pooled: bool) -> Floats:
    run = lambda: class_products(for_core(batch.X), batch.y, batch.weight, batch.C, pooled)  # noqa: E731
    return count_or_refuse(run, describe_expected)


def power_sums(batch: Batch, fourth: bool) -> PowerSums:
    """Return sums of squares and, with `fourth`, of third and fourth powers, feature by feature."""
    w, s, q = batch.sums()
    if not fourth:
        return PowerSums(w, s, (_require_finite(batch, q),))
    powers = (each.reshape(len(each), batch.C, batch.d) for each in _powers(batch, norms=False))
    return PowerSums(w, s, tuple(_require_finite(batch, each) for each in (q, *powers)))


def _powers(batch: Batch, norms: bool) -> tuple[Floats, Floats]:
    found = [class_powers(X, y, weight, batch.C, norms) for X, y, weight in batch.blocks()]
    if not found:
        size = batch.C * batch.d
        return np.zeros((2, size)), np.zeros((2, batch.C if norms else size))
    third, fourth = zip(*found, strict=True)
    return exact_sums.total(third), exact_sums.total(fourth)


def _require_finite(batch: Batch, summed: Floats) -> Floats:
    """Return the sums; where they are beyond a float64, the largest value is refused."""
    if not np.isfinite(summed).all():
        batch.refuse()
    return summed
