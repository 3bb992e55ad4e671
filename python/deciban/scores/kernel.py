"""The score of a kernel machine: similarities to the support vectors, weighed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.data.devices import elsewhere, move, on_host, to_double
from deciban.data.plain_state import PlainState
from deciban.data.rows import Rows, is_sparse
from deciban.lazy import cached_property

from . import additive, radial
from .affine import nonzeros
from .evidence import Floats, Score, Terms

# Numbers in a tile of similarities.
_TILE = 2**22


@dataclass(frozen=True, eq=False)
class KernelScore(PlainState, Score):
    """A score that is affine in the kernel values of m support vectors v_i, one column a class.

        score(x)_c = intercept_c + Σ_i A_ic K(x, v_i)

    It is evaluated in tiles, so that memory does not grow with the number of rows, on the device of the rows or else of
    the vectors. The cost is N·m kernel values and N·m·C multiplications. With f the difference of the two scores, b the
    baseline, and x_(j ← b_j) the row with its feature j as there, an explanation has

        evidence_j = ½ [f(b_(j ← x_j)) − f(b)] + ½ [f(x) − f(x_(j ← b_j))] + rest · |…| / Σ |…|,

    the mean of the gain of j when it comes first and when it comes last; `rest` is what the sum lacks of f(x) − f(b),
    shared in proportion. For kernels that are linear or a sum over features this is exact and the rest is 0; where
    features act in pairs, it is Shapley's value (1953); elsewhere an approximation of it. Texts and rows of a Gram
    matrix have the evidence of each support vector instead. The cost of an explanation is 2·m kernel values a feature,
    each of them of one operation where the kernel is a function of a sum over the features, else of d.

    Parameters
    ----------
    kernel : Kernel
        The kernel K.
    vectors : array-like of shape (n_vectors, n_features)
        Support vectors, dense or CSR; m texts, or m indices of columns of a Gram matrix.
    A : ndarray of shape (n_vectors, n_classes)
        Coefficients, in nats.
    intercept : ndarray of shape (n_classes,)
        Intercepts, in nats.
    baseline : ndarray of shape (n_features,), optional
        The example against which features are weighed; None for zeros. `prior` is the score there.

    Examples
    --------
    >>> from deciban.kernels import Linear
    >>> score = KernelScore(Linear(), np.eye(2), np.array([[0.0, 1.0], [0.0, -2.0]]), np.array([0.0, 0.5]))
    >>> score(np.array([[1.0, 1.0]])).tolist(), score.terms(np.array([1.0, 1.0]), 1, 0).evidence.tolist()
    ([[0.0, -0.5]], [1.0, -2.0])
    """

    kernel: Any
    vectors: Any
    A: Floats
    intercept: Floats
    baseline: Floats | None = None

    def __call__(self, X: Any, n_jobs: int | None = None) -> Floats:
        """(N, C) scores in nats of N items."""
        return products(self.kernel, X, self.vectors, self.A, n_jobs) + self.intercept

    @cached_property
    def prior(self) -> Floats:
        """(C,) the score of the baseline; of texts and other items without features, the intercept."""
        if not self._has_features:
            return self.intercept
        start = np.zeros((1, self.vectors.shape[1])) if self.baseline is None else self.baseline[None, :]
        prior: Floats = self(_like(start, self.vectors))[0]
        return prior

    @property
    def _has_features(self) -> bool:
        return bool(self.vectors.ndim == 2)

    def of_two(self) -> KernelScore:
        """Return a score of one column, for the second class, as one of two classes.

        Returns
        -------
        KernelScore
            The score, 0 for the first class.
        """
        A, b = np.hstack([np.zeros_like(self.A), self.A]), np.array([0.0, self.intercept[0]])
        return KernelScore(self.kernel, self.vectors, A, b, self.baseline)

    def by_vector(self, row: Rows, label: int, against: int) -> Terms:
        """Return the exact evidence of each support vector, A_i K(x, v_i).

        Parameters
        ----------
        row : array-like or CSR matrix of shape (n_features,) or (1, n_features)
            One example.
        label : int
            Index of the class that the evidence is for.
        against : int
            Index of the class that it is against.

        Returns
        -------
        Terms
            Evidence in nats: `feature` is the index of the vector, `x` the kernel value.
        """
        row, vectors = _one(row), self.vectors
        if elsewhere(vectors):
            row, vectors = to_double(move(row, vectors)), to_double(vectors)
        similar = on_host(self.kernel.tile(row, vectors))[0]
        a = self.A[:, label] - self.A[:, against]
        return Terms(np.arange(len(a)), similar, a * similar)

    def terms(self, row: Rows, label: int, against: int) -> Terms:
        row = _one(row)
        if not self._has_features:
            return self.by_vector(row, label, against)
        a = self.A[:, label] - self.A[:, against]
        feature, x, evidence = self._shares(row, a)
        start = self.prior - self.intercept
        gap = float(self._f(_one(row), a)[0] - (start[label] - start[against]))
        return Terms(feature, x, _complete(evidence, gap))

    def _f(self, X: Any, a: Floats) -> Floats:
        return products(self.kernel, X, self.vectors, a[:, None])[:, 0]

    def _shares(self, row: Any, a: Floats) -> tuple[Any, Floats, Floats]:
        """Return the features that differ from the baseline, their values, and the mean of first and last."""
        if self.baseline is None:
            feature, x = nonzeros(row)
        else:
            full = np.asarray(row, dtype=np.float64).reshape(-1)
            feature = np.flatnonzero(full != self.baseline)
            x = full[feature]
        if self.baseline is None and radial.suits(self.kernel, self.vectors, x):
            return feature, x, self._of_sparse(_one(row), feature, x, a)
        start = np.zeros(len(feature)) if self.baseline is None else self.baseline[feature]
        if additive.suits(self.kernel, self.vectors):
            columns = self._columns if is_sparse(self.vectors) else self.vectors
            return feature, x, additive.first_and_last(self.kernel, columns, feature, start, x, self.baseline, a)
        end = self._f(_one(row), a)[0]
        begin = self._f(self._rows(feature, start[None, :]), a)[0]
        evidence = np.empty(len(feature))
        for part in parts(len(feature), len(feature) if is_sparse(self.vectors) else self.vectors.shape[1]):
            m = part.stop - part.start
            place = np.arange(m), np.arange(part.start, part.stop)
            first, last = np.tile(start, (m, 1)), np.tile(x, (m, 1))
            first[place], last[place] = x[part], start[part]
            come = self._f(self._rows(feature, first), a) - begin
            gone = end - self._f(self._rows(feature, last), a)
            evidence[part] = 0.5 * (come + gone)
        return feature, x, evidence

    def _of_sparse(self, row: Any, feature: Any, x: Floats, a: Floats) -> Floats:
        """Return the same of an RBF machine of sparse vectors, without its rows."""
        weight, empty = (a * self.kernel.tile(_like(each, self.vectors), self.vectors)[0] for each in (row, 0.0 * row))
        first, last = radial.first_and_last(self.kernel.gamma, self._columns, feature, x, weight, empty)
        return 0.5 * (first - float(empty.sum()) + float(weight.sum()) - last)

    @cached_property
    def _columns(self) -> Any:
        return self.vectors.tocsc()

    def alone(self) -> Floats:
        """Return the evidence of each feature alone, added to the empty example, as large as on average.

        It is for an RBF machine whose vectors are sparse.

        Returns
        -------
        ndarray of shape (n_features, n_classes)
            Evidence, in nats.
        """
        return radial.alone(self.kernel.gamma, self._columns, self.A)

    def _rows(self, feature: Any, values: Floats) -> Any:
        """Return rows that are the baseline but for the given features."""
        d = self.vectors.shape[1]
        if is_sparse(self.vectors):
            from scipy import sparse

            m, k = values.shape
            parts = values.reshape(-1), np.tile(feature, m), np.arange(m + 1) * k
            rows = sparse.csr_array(parts, shape=(m, d))
            rows.eliminate_zeros()
            return rows
        full = np.zeros((len(values), d)) if self.baseline is None else np.tile(self.baseline, (len(values), 1))
        full[:, feature] = values
        return full


def products(kernel: Any, X: Any, vectors: Any, A: Floats, n_jobs: int | None = None) -> Floats:
    """Return (N, C) K(X, vectors) A in float64, in tiles."""
    from deciban.kernels.evaluation import scores  # here, because linear scores need no kernels

    if not vectors.shape[0]:
        return np.zeros((X.shape[0], A.shape[1]))
    return scores(kernel, *_alike(X, vectors), A, n_jobs)


def products_by_group(
    kernel: Any, X: Any, vectors: Any, A: Floats, ends: Sequence[int], n_jobs: int | None = None
) -> Floats:
    """Return (N, G, C) the same products of each group of vectors, which end at `ends`, by itself."""
    from deciban.kernels.evaluation import scores_by_group

    return scores_by_group(kernel, *_alike(X, vectors), A, ends, n_jobs)


def _alike(X: Any, vectors: Any) -> tuple[Any, Any]:
    """Return rows and vectors both dense or both sparse."""
    if vectors.ndim == 2 and is_sparse(X) != is_sparse(vectors) and not (elsewhere(X) or elsewhere(vectors)):
        from scipy import sparse

        return tuple(each if is_sparse(each) else sparse.csr_array(each) for each in (X, vectors))
    return X, vectors


def parts(n: int, width: int) -> Iterator[slice]:
    """Return n rows, as many at a time as a tile of that width holds."""
    rows = max(1, _TILE // max(1, width))
    return (slice(i, min(n, i + rows)) for i in range(0, n, rows))


def _one(row: Any) -> Any:
    if elsewhere(row):
        row = on_host(row, None)
    return row if is_sparse(row) or row.dtype == object else row.reshape(1, -1)


def _like(rows: Any, vectors: Any) -> Any:
    if not is_sparse(vectors) or is_sparse(rows):
        return rows
    from scipy import sparse

    return sparse.csr_array(rows)


def _complete(evidence: Floats, total: float) -> Floats:
    """Return the evidence with what it lacks of the total shared in proportion; in equal parts where there is none."""
    rest = total - float(evidence.sum())
    weight = np.abs(evidence)
    if not weight.sum() > 0.0:
        weight = np.ones(len(evidence))
    return evidence + rest * weight / max(1.0 if not len(evidence) else weight.sum(), np.finfo(float).tiny)
