"""Features of the RBF kernel from random frequencies."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np

from deciban.blas import matmul
from deciban.data.devices import elsewhere, like, moved, namespace
from deciban.data.rows import is_sparse
from deciban.data.transaction import all_or_nothing
from deciban.kernels import RBF, Gaussian, Kernel, Product, Radial, Sum, by_name
from deciban.kernels.items import to_learn
from deciban.kernels.kernel import check_whole
from deciban.losses import Floats

from .approximation import Approximation


class RandomFourier(Approximation):
    """Features of the RBF kernel from random frequencies ω, after Rahimi & Recht (NIPS 2007, algorithm 1).

        Φ(x) = √(2/D)·[cos ω_k·x, sin ω_k·x]      ω_k ~ N(0, 2·gamma·I), k = 1 … D/2

    E[Φ(x)·Φ(z)] = K(x, z), the standard deviation is (1 − K²)/√D whatever the data (Sutherland & Schneider, UAI 2015,
    § 3.1), and Φ(x)·Φ(x) = 1. The data are not looked at but for gamma: it costs less than `Nystroem` for the same D,
    and mostly is less exact.

    Parameters
    ----------
    kernel : "rbf", "gaussian", `RBF(gamma)` or `Gaussian(sigma)`. For others use `Nystroem`.
    n_components : D, a cosine and a sine for each frequency; an odd number counts as one more.
    gamma : a number > 0, "scale", "auto" or "median", see `deciban.kernels.gamma_of`.
    random_state : of the frequencies; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Attributes: `kernel_`, `frequencies_` (d, D/2) in the precision of the training data, `error_` (a `Deviation`, over
    the pairs of up to 256 training rows), `says_` that in a sentence, `n_features_in_`. Cost: n·d·D/2 to transform;
    memory besides the result: 4·d·D bytes for the frequencies. Errors are ValueErrors.

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> waves = RandomFourier(gamma=0.5, n_components=2000).fit(X)
    >>> (waves.transform(X) @ waves.transform(X).T).shape, waves.error_.largest < 0.1
    ((3, 3), True)
    """

    # `by_name` asks for them; the RBF kernel has none.
    degree = 3
    coef0 = 0.0

    def __init__(
        self,
        kernel: Any = "rbf",
        n_components: int = 1000,
        *,
        gamma: float | str = "scale",
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.gamma = gamma
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw frequencies for rows X (N, d), dense or CSR; y is not looked at."""
        with all_or_nothing(self):
            self._check_parameters()
            X, _, self.kernel_ = to_learn(self, X)
            rate = 1.0 / cast(Radial, self.kernel_).unit
            pairs = (int(self.n_components) + 1) // 2
            drawn = self._random().standard_normal((X.shape[1], pairs))
            drawn *= np.sqrt(2.0 * rate)
            self.frequencies_ = like(drawn, X, X.dtype) if elsewhere(X) else drawn.astype(X.dtype, copy=False)
            self._n_features_out = 2 * pairs
            self._measure(X, np.arange(X.shape[0]))
            self.says_ = f"{pairs:,} frequencies for {X.shape[1]:,} features; {self.error_.says}"
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
        frequencies = moved(self.frequencies_, X)
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
    """Why no frequencies are drawn of a kernel."""
    if isinstance(kernel, Radial):
        return "has no density of frequencies for points of any dimension"
    if isinstance(kernel, (Sum, Product)):
        return "has no one density that is known here"
    return "is not shift-invariant"
