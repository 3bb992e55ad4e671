"""The scores of kernel machines that tell each two of many classes apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban import _core
from deciban.data.devices import elsewhere, take
from deciban.data.rows import is_sparse, reals_for_core
from deciban.lazy import cached_property

from .evidence import Floats
from .kernel import KernelScore, parts, products_by_group


@dataclass(frozen=True, eq=False)
class PairwiseScore:
    """The scores f_ij of machines of two classes each, for class i against class j where positive.

    Pairs are in the order (0, 1), (0, 2), …, (C − 2, C − 1). A kernel value serves all machines of its class. The cost
    is N·m kernel values and N·m·(C − 1) multiplications.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    vectors : array-like of shape (n_vectors, n_features)
        Support vectors, class by class.
    dual : ndarray of shape (n_classes - 1, n_vectors)
        Coefficients of a vector of class c in the machines of c against 0, …, C − 1 without c, in this order, positive
        for the first class of the pair: the layout of LIBSVM (Chang & Lin).
    n_support : array-like of int of shape (n_classes,)
        Number of support vectors of each class.
    intercept : ndarray of shape (n_pairs,)
        Intercepts.
    baseline : ndarray of shape (n_features,), optional
        The example against which features are weighed; None for zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.kernels import Linear
    >>> score = PairwiseScore(Linear(), np.eye(2), np.array([[1.0, -1.0]]), [1, 1], np.zeros(1))
    >>> score.pair(0, 1)(np.array([[2.0, 1.0]])).tolist()
    [[0.0, 1.0]]
    """

    kernel: Any
    vectors: Any
    dual: Floats
    n_support: Any
    intercept: Floats
    baseline: Floats | None = None

    def __call__(self, X: Any, n_jobs: int | None = None) -> Floats:
        """(N, C(C−1)/2) in nats where `dual` and `intercept` are."""
        weights = self._weights
        if weights is not None and not elsewhere(X) and is_sparse(X) == is_sparse(self.vectors):
            return _core.scores(reals_for_core(X), weights, np.asarray(self.intercept, dtype=np.float64), n_jobs=n_jobs)
        C = len(self.n_support)
        first, second = _classes_of_pairs(C)
        f = np.empty((X.shape[0], len(self.intercept)))
        for part in parts(X.shape[0], C * (C - 1)):
            X_part = X if part == slice(0, X.shape[0]) else take(X, part)
            by_class = products_by_group(self.kernel, X_part, self.vectors, self.dual.T, self._ends(), n_jobs)
            np.add(self.intercept, by_class[:, first, second - 1], out=f[part])
            f[part] += by_class[:, second, first]
        return f

    def pair(self, i: int, j: int) -> KernelScore:
        """Return the machine of two classes i < j as a score of two columns: 0 for j, f_ij for i.

        Parameters
        ----------
        i : int
            Index of the first class.
        j : int
            Index of the second class.

        Returns
        -------
        KernelScore
            The score of the two classes.
        """
        own = self._own()
        of_i, of_j = range(own[i].start, own[i].stop), range(own[j].start, own[j].stop)
        places = np.array([*of_i, *of_j], dtype=np.intp)
        A = np.zeros((len(places), 2))
        A[:, 1] = np.concatenate([self.dual[j - 1, own[i]], self.dual[i, own[j]]])
        C = len(self.n_support)
        b = self.intercept[list(combinations(range(C), 2)).index((i, j))]
        return KernelScore(self.kernel, take(self.vectors, places), A, np.array([0.0, b]), self.baseline)

    @cached_property
    def _weights(self) -> Floats | None:
        """(C(C−1)/2, d) those of the linear kernel, whose machines cost less than their vectors."""
        if self.kernel.name != "linear" or elsewhere(self.vectors):
            return None
        from deciban.kernels.evaluation import linear_weights  # here, because linear scores need no kernels

        own = list(zip(self._own(), pairs_of_classes(len(self.n_support)), strict=True))
        return linear_weights(self.vectors, self.dual, own)

    def _own(self) -> list[slice]:
        return [slice(a, b) for a, b in pairwise([0, *self._ends()])]

    def _ends(self) -> list[int]:
        ends: list[int] = np.cumsum(self.n_support).tolist()
        return ends


@lru_cache(maxsize=16)
def _classes_of_pairs(C: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and the second class of each pair."""
    first, second = np.triu_indices(C, 1)
    first.flags.writeable = second.flags.writeable = False
    return first, second


@lru_cache(maxsize=16)
def pairs_of_classes(C: int) -> NDArray[np.intp]:
    """Return (C, C − 1) the places of the pairs (0, 1), (0, 2), …, (C − 2, C − 1) of each class with each other one.

    >>> pairs_of_classes(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    places: list[list[int]] = [[] for _ in range(C)]
    for k, (i, j) in enumerate(combinations(range(C), 2)):
        places[i].append(k)
        places[j].append(k)
    table = np.array(places, dtype=np.intp).reshape(C, max(C - 1, 0))
    table.flags.writeable = False
    return table
