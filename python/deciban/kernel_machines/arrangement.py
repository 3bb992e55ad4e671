"""Coefficients of several machines in one table, class by class as LIBSVM arranges them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import take
from deciban.kernels import Kernel
from deciban.losses import Floats
from deciban.scores import KernelScore, PairwiseScore

from ..kernels.items import Items, weights
from .margins import Machine
from .one_vs_one import pairs


@dataclass(frozen=True)
class Arrangement:
    """`support` (m,) places of the support vectors, class by class; `n_support` (C,); intercept (K,); and `dual`:

    "two"  (1, m) β, positive for the second class         "ovr"  (C, m) β of each class against the rest
    "ovo"  (C − 1, m): the machines of the vector's class against each other one, positive for the first of a pair
    """

    style: str
    support: NDArray[np.intp]
    n_support: NDArray[np.intp]
    dual: Floats
    intercept: Floats

    def score(self, kernel: Kernel, vectors: Any, scale: Any = 1.0, baseline: Floats | None = None) -> Any:
        """Return f (N, K) of all machines, each times its `scale`."""
        if self.style == "ovo" and isinstance(scale, float) and scale == 1.0:
            return PairwiseScore(kernel, vectors, self.dual, self.n_support, self.intercept, baseline)
        scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), self.intercept.shape)
        b = scale * self.intercept
        if self.style != "ovo":
            return KernelScore(kernel, vectors, np.ascontiguousarray((scale[:, None] * self.dual).T), b, baseline)
        if (scale == 1.0).all():
            return PairwiseScore(kernel, vectors, self.dual, self.n_support, b, baseline)
        dual = self.dual.copy()
        for (i, j), a in zip(pairs(len(self.n_support)), scale, strict=True):
            dual[j - 1, self._of(i)] *= a
            dual[i, self._of(j)] *= a
        return PairwiseScore(kernel, vectors, dual, self.n_support, b, baseline)

    def weights(self, vectors: Any) -> Floats:
        """Return (K, d) Σ β v of each machine."""
        if self.style != "ovo":
            return weights(self.dual, vectors)
        each = []
        for i, j in pairs(len(self.n_support)):
            own, other = self._of(i), self._of(j)
            sides = ((self.dual[j - 1, None, own], own), (self.dual[i, None, other], other))
            each.append(sum(weights(dual, take(vectors, rows)) for dual, rows in sides))
        return np.concatenate(each)

    def _of(self, c: int) -> slice:
        end = int(self.n_support[: c + 1].sum())
        return slice(end - int(self.n_support[c]), end)


def arrange(found: list[Machine], given: Items, style: str) -> Arrangement:
    """Return the machines of these examples in one table."""
    C, N = len(given.classes), len(given.y)
    full = np.zeros((1 if style == "two" else C - 1 if style == "ovo" else C, N))
    if style == "ovo":
        for (i, j), machine in zip(pairs(C), found, strict=True):
            first = given.y[machine.rows] == i
            full[j - 1, machine.rows[first]] = machine.beta[first]
            full[i, machine.rows[~first]] = machine.beta[~first]
    else:
        for k, machine in enumerate(found):
            full[k, machine.rows] = machine.beta
    support = np.flatnonzero(full.any(axis=0))
    support = support[np.argsort(given.y[support], kind="stable")]
    n_support = np.bincount(given.y[support], minlength=C)
    b = np.array([machine.b for machine in found])
    return Arrangement(style, support, n_support, np.ascontiguousarray(full[:, support]), b)
