"""Kernel features from the values at landmarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.declared_types import parameters
from deciban.data.devices import elsewhere, fetch, like, move, on_host, take
from deciban.data.refusal import check_whole
from deciban.data.rows import Rows, is_sparse
from deciban.data.transaction import all_or_nothing
from deciban.errors import DataError
from deciban.kernels import Kernel
from deciban.kernels.items import indexable, of_gram, to_learn
from deciban.losses import Floats

from .approximation import Approximation
from .deviation import doubles


@parameters
class Nystroem(Approximation):
    """Approximate any kernel by features, from its values at m landmarks Z.

        Φ(x) = K(x, Z)·K_ZZ^(−1/2)        so that        Φ(x)·Φ(z) = K(x, Z) K_ZZ⁺ K(Z, z)

    The approximation is exact wherever one of the two is a landmark, and never larger than the kernel on the diagonal:
    what is unlike every landmark is lost. Eigenvalues of K_ZZ below rounding, m·ε·(the largest), are left out; and the
    negative ones of a function that is no kernel on the landmarks (tanh), with a note in `says_`. K^(−1/2) magnifies
    rounding, so tiles are computed in float64 even where Φ is float32. The cost is m³ to fit, n·m·(d + m) to transform;
    the memory to fit is 50 m² bytes. Williams & Seeger, NIPS 2001, § 2.

    Parameters
    ----------
    kernel : str, callable or Kernel, default="rbf"
        A name ("rbf", "linear", "poly", "sigmoid", "gaussian", "multiquadric", "wave", "laplacian", "cosine", "chi2",
        "additive_chi2"), "precomputed" for Gram matrices, "spectrum" for texts, a kernel of `deciban.kernels`, or a
        function of two arrays of rows.
    n_components : int, default=500
        Number m of landmarks, drawn from the training rows without replacement. Where there are fewer rows all of them
        are taken, and nothing is lost.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Inverse width of kernels that have a name, or a rule: "scale" is 1/(d·var X), "auto" 1/d, "median" one over the
        median squared distance of two rows.
    degree : int, default=3
        Degree of the polynomial kernel, length of the strings of "spectrum".
    coef0 : float, default=0.0
        Constant of the polynomial, sigmoid and multiquadric kernels.
    landmarks : array-like of int of shape (m,) or of shape (m, n_features), optional
        Indices of training rows, or the landmarks themselves, such as centres of clusters. By default they are drawn.
    random_state : int, RandomState instance or None, default=None
        Seed of the draw; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, with its parameters.
    landmarks_ : array-like of shape (m, n_features)
        The landmarks.
    landmark_rows_ : ndarray of int of shape (m,)
        Their indices, where they are training rows.
    whitening_ : ndarray of shape (m, m)
        The matrix K_ZZ^(−1/2).
    rank_ : int
        Rank of K_ZZ.
    error_ : Deviation
        Deviation over the pairs of up to 256 training rows that are no landmarks, where there are two.
    says_ : str
        A sentence on the approximation.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> few = Nystroem(gamma=0.5, n_components=3).fit(X)
    >>> few.transform(X).shape, few.deviation(X, [[0, 1]]).largest < 0.5
    ((4, 3), True)
    >>> Nystroem(gamma=0.5, n_components=4).fit(X).deviation(X).largest < 1e-12
    True
    """

    kernel: str | Kernel | Callable[..., Any] = "rbf"
    n_components: int = 500
    _: KW_ONLY
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    landmarks: Rows | None = None
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    def fit(self, X: Rows, y: ArrayLike | None = None) -> Self:
        """Choose landmarks among training rows, and compute the whitening.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training rows, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        y : None
            Ignored.

        Returns
        -------
        Nystroem
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            check_whole("n_components", self.n_components)
            given, _, self.kernel_ = to_learn(self, X)
            n, left, right, rows = int(given.shape[0]), *self._landmarks(given)
            self.landmarks_ = doubles(right)  # on the device, if X is on one that has double precision
            self.__dict__.pop("landmark_rows_", None)
            if rows is not None:
                self.landmark_rows_ = rows
            with np.errstate(over="ignore", invalid="ignore"):  # `inverse_root` looks at what came
                K = on_host(self.kernel_.tile(doubles(left), self.landmarks_), None)
            values = given if of_gram(self.kernel_) else K  # where they were rounded
            root = inverse_root(K, max(_precision(K), _precision(values)))
            self.whitening_, self.rank_, self._n_features_out = move(root.matrix, self.landmarks_), root.rank, len(K)
            others = np.arange(n) if rows is None else np.setdiff1d(np.arange(n), rows)
            self._measure(given, others if len(others) > 1 else np.arange(n))
            self.says_ = self._sentence(n, root)
        return self

    def _landmarks(self, X: Any) -> tuple[Any, Any, NDArray[np.intp] | None]:
        """Return landmarks as `tile` takes them on its left and on its right, and where they are training rows,
        which."""
        n, given = int(X.shape[0]), self.landmarks
        if given is None:
            m = min(int(self.n_components), n)
            rows = np.arange(n) if m == n else np.sort(self._random().choice(n, m, replace=False))
        elif (rows := on_host(given, None)).ndim != 1 or rows.dtype.kind not in "iu":
            return self._own_landmarks(X)
        outside = (rows < 0) | (rows >= n)
        if outside.any() or not len(rows):
            what = f"one of them is {int(rows[outside][0])}" if len(rows) else "there are none"
            raise DataError(f"landmarks name training rows from 0 to {n - 1}; {what}")
        return take(X, rows), take(self.kernel_.centres(X), rows), rows.astype(np.intp)

    def _own_landmarks(self, X: Any) -> tuple[Any, Any, None]:
        if of_gram(self.kernel_):
            raise DataError("landmarks of a precomputed kernel must be numbers of training rows, (m,)")
        given: Any = self.landmarks
        given = given.toarray() if is_sparse(given) and elsewhere(X) else given
        given = like(on_host(given), X) if elsewhere(X) else fetch(given)
        Z = indexable(self.kernel_.accept(given, X.shape[1] if X.ndim == 2 else None))
        if not Z.shape[0]:
            raise DataError("landmarks must be one at least; there are none")
        return Z, Z, None

    def _tile(self, X: Rows) -> Any:
        X, Z = doubles(X), self.landmarks_
        K = self.kernel_.tile(X, move(Z, X) if Z.ndim == 2 else Z)
        return K @ move(self.whitening_, K)

    def _sentence(self, n: int, root: InverseRoot) -> str:
        m = int(self.whitening_.shape[0])
        says = f"{m:,} landmarks for {n:,} rows, rank {root.rank:,}"
        if self.landmarks is None and self.n_components > n:
            says = f"all {n:,} rows are landmarks, fewer than the {self.n_components:,} asked for; rank {root.rank:,}"
        if root.smallest < -root.limit:
            says += (
                "; the kernel is not positive semi-definite on the landmarks (smallest eigenvalue "
                f"{root.smallest:.3g}): only its positive part is represented"
            )
        return f"{says}; {self.error_.says}"


class InverseRoot(NamedTuple):
    """K^(−1/2) (m, m) on the eigenvectors whose eigenvalues exceed `limit`, `rank` of them."""

    matrix: Floats
    rank: int
    smallest: float
    limit: float


def inverse_root(K: Any, precision: float) -> InverseRoot:
    """Return K^(−1/2) of a symmetric K (m, m); eigenvalues up to m·precision·(the largest) count as 0. Cost: m³.

    >>> inverse_root(np.diag([4.0, 1.0, 0.0]), 1e-16).matrix.diagonal().tolist()
    [0.5, 1.0, 0.0]
    """
    K = K.astype(np.float64)
    if not np.isfinite(K).all():
        i, j = (int(place) for place in np.argwhere(~np.isfinite(K))[0])
        raise DataError(f"the kernel of landmarks {i} and {j} is {K[i, j]:g}, too large to be counted with: scale X")
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    limit = len(K) * precision * max(0.0, float(values[-1]))
    kept = values > limit
    vectors = vectors[:, kept]
    matrix: Floats = (vectors / np.sqrt(values[kept])) @ vectors.T
    return InverseRoot(matrix, int(kept.sum()), float(values[0]), limit)


def _precision(X: Any) -> float:
    return float(np.finfo(np.float32 if str(X.dtype).endswith("float32") else np.float64).eps)
