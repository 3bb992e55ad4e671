"""Features of the RBF kernel from random frequencies."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from deciban.blas import matmul
from deciban.data.declared_types import parameters
from deciban.data.devices import elsewhere, like, move, namespace
from deciban.data.refusal import check_whole
from deciban.data.rows import Rows, is_sparse
from deciban.data.transaction import all_or_nothing
from deciban.kernels import RBF, Gaussian, Kernel, Product, Radial, Sum, by_name
from deciban.kernels.items import to_learn
from deciban.losses import Floats

from .approximation import Approximation


@parameters
class RandomFourier(Approximation):
    """Approximate the RBF kernel by features of random frequencies ω.

        Φ(x) = √(2/D)·[cos ω_k·x, sin ω_k·x]      ω_k ~ N(0, 2·gamma·I), k = 1 … D/2

    E[Φ(x)·Φ(z)] = K(x, z), the standard deviation is (1 − K²)/√D whatever the data (Sutherland & Schneider, UAI 2015, §
    3.1), and Φ(x)·Φ(x) = 1. The frequencies depend on the data only by gamma: it costs less than `Nystroem` for the
    same D, and mostly is less exact. The cost is n·d·D/2 to transform; the memory besides the result is 4·d·D bytes for
    the frequencies. Rahimi & Recht, NIPS 2007, algorithm 1.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        One of "rbf", "gaussian", `RBF(gamma)` and `Gaussian(sigma)`; for others there is `Nystroem`.
    n_components : int, default=1000
        Number D of features, a cosine and a sine for each frequency; an odd number counts as one more.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Inverse width, or a rule: "scale" is 1/(d·var X), "auto" 1/d, "median" one over the median squared distance of
        two rows (`deciban.kernels.gamma_of`).
    random_state : int, RandomState instance or None, default=None
        Seed of the frequencies; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, with its parameters.
    frequencies_ : ndarray of shape (n_features, n_components / 2)
        Frequencies ω, in the precision of the training data.
    error_ : Deviation
        Deviation over the pairs of up to 256 training rows.
    says_ : str
        A sentence on the approximation.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> waves = RandomFourier(gamma=0.5, n_components=2000).fit(X)
    >>> (waves.transform(X) @ waves.transform(X).T).shape, waves.error_.largest < 0.1
    ((3, 3), True)
    """

    kernel: str | Kernel = "rbf"
    n_components: int = 1000
    _: KW_ONLY
    gamma: float | str = "scale"
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    # `by_name` asks for them; the RBF kernel has none.
    degree = 3
    coef0 = 0.0

    def fit(self, X: Rows, y: ArrayLike | None = None) -> Self:
        """Draw the frequencies.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Ignored.

        Returns
        -------
        RandomFourier
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            self._check_parameters()
            rows, _, self.kernel_ = to_learn(self, X)
            rate = 1.0 / cast(Radial, self.kernel_).unit
            pairs = (int(self.n_components) + 1) // 2
            drawn = self._random().standard_normal((rows.shape[1], pairs))
            drawn *= np.sqrt(2.0 * rate)
            self.frequencies_ = (
                like(drawn, rows, rows.dtype) if elsewhere(rows) else drawn.astype(rows.dtype, copy=False)
            )
            self._n_features_out = 2 * pairs
            self._measure(rows, np.arange(rows.shape[0]))
            self.says_ = f"{pairs:,} frequencies for {rows.shape[1]:,} features; {self.error_.says}"
        return self

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components)
        kernel = by_name(self.kernel, gamma=1.0)
        if not isinstance(kernel, (RBF, Gaussian)):
            raise ValueError(
                f"kernel must be 'rbf', 'gaussian', an RBF or a Gaussian, whose frequencies can be drawn; "
                f"{kernel.name!r} {_lacks(kernel)}. Nystroem takes any kernel"
            )

    def _tile(self, X: Any) -> Any:
        frequencies = move(self.frequencies_, X)
        if elsewhere(X):
            xp = namespace(X)
            phases = X @ xp.astype(frequencies, X.dtype)
            return xp.concat([xp.cos(phases), xp.sin(phases)], axis=1) * float(np.sqrt(2.0 / self._n_features_out))
        phases = np.asarray(X @ frequencies) if is_sparse(X) else matmul(X, frequencies)
        pairs = phases.shape[1]
        F: Floats = np.empty((phases.shape[0], 2 * pairs), phases.dtype)
        np.cos(phases, out=F[:, :pairs])
        np.sin(phases, out=F[:, pairs:])
        F *= np.sqrt(2.0 / self._n_features_out)
        return F


def _lacks(kernel: Kernel) -> str:
    """Return why no frequencies are drawn of a kernel."""
    if isinstance(kernel, Radial):
        return "has no density of frequencies for points of any dimension"
    if isinstance(kernel, (Sum, Product)):
        return "has no one density that is known here"
    return "is not shift-invariant"
