"""Kernels by name, with scikit-learn's names of their parameters, and gamma by rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deciban.data.devices import parts, take, to_double
from deciban.data.rows import is_sparse

from .arrays import as_reals, namespace, square_norms
from .custom import Function, Precomputed
from .dot_product import Linear, Polynomial, Tanh
from .kernel import Kernel
from .pairwise import AdditiveChiSquared, ChiSquared, Cosine, Laplacian
from .radial import RBF, Gaussian, Multiquadric, Radial, Wave
from .spectrum import Spectrum

NAMES = (
    "linear",
    "poly",
    "polynomial",
    "rbf",
    "gaussian",
    "sigmoid",
    "tanh",
    "multiquadric",
    "wave",
    "laplacian",
    "cosine",
    "chi2",
    "additive_chi2",
    "spectrum",
    "precomputed",
)
_WITHOUT_PARAMETERS: dict[str, Callable[[], Kernel]] = {
    "linear": Linear,
    "precomputed": Precomputed,
    "cosine": Cosine,
    "additive_chi2": AdditiveChiSquared,
}
_OF_RATE: dict[str, Callable[..., Kernel]] = {"rbf": RBF, "laplacian": Laplacian, "chi2": ChiSquared}
RULES = ("scale", "auto", "median")

# Rows whose distances the median is taken over.
_SAMPLE = 1000


def by_name(kernel: Any, X: Any = None, *, gamma: Any = "scale", degree: int = 3, coef0: float = 0.0) -> Kernel:
    """Return the kernel of a name, of a function, or a `Kernel` as it is.

        linear        x·z                              poly, polynomial   (gamma·x·z + coef0)^degree
        rbf           exp(−gamma·‖x − z‖²)             sigmoid, tanh      tanh(gamma·x·z + coef0)
        gaussian      sigma with 1/(2·sigma²) = gamma  multiquadric       shift = coef0
        wave          theta with 1/(2·theta²) = gamma  spectrum           length = degree
        laplacian     exp(−gamma·Σ|x − z|)             cosine             x·z / (‖x‖‖z‖)
        chi2          exp(−gamma·Σ(x − z)²/(x + z))    additive_chi2      −Σ(x − z)²/(x + z)

    Parameters
    ----------
    kernel : str, callable or Kernel
        One of these names, "precomputed", a function of two arrays of rows, or a kernel.
    X : array-like of shape (n_samples, n_features), optional
        Training rows, for a rule of `gamma`.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Inverse width > 0, or a rule: "scale" is 1/(d·var X), "auto" 1/d, "median" 1/m with m the median of ‖x − x'‖²
        over pairs. Only kernels with a gamma depend on it.
    degree : int, default=3
        Degree of the polynomial, length of the strings of "spectrum".
    coef0 : float, default=0.0
        Constant of the polynomial, sigmoid and multiquadric kernels.

    Returns
    -------
    Kernel
        The kernel.

    Raises
    ------
    ValueError
        If the name or the rule is unknown, or a number is out of its range.

    Examples
    --------
    >>> by_name("rbf", np.array([[0.0, 2.0], [2.0, 0.0]]), gamma="scale")
    RBF(gamma=0.5)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return Function(kernel)
    if not isinstance(kernel, str) or kernel not in NAMES:
        known = ", ".join(repr(name) for name in NAMES)
        raise ValueError(f"kernel must be one of {known}, a Kernel or a function of two tiles of rows, got {kernel!r}")
    if kernel in _WITHOUT_PARAMETERS:
        return _WITHOUT_PARAMETERS[kernel]()
    if kernel == "spectrum":
        return Spectrum(length=degree)
    if kernel == "multiquadric":
        return Multiquadric(shift=coef0)
    rate = gamma_of(gamma, X)
    if kernel in ("poly", "polynomial"):
        return Polynomial(scale=rate, shift=coef0, degree=degree)
    if kernel in ("sigmoid", "tanh"):
        return Tanh(scale=rate, shift=coef0)
    if kernel in _OF_RATE:
        return _OF_RATE[kernel](gamma=rate)
    width = float(np.sqrt(0.5 / rate))
    return Gaussian(sigma=width) if kernel == "gaussian" else Wave(theta=width)


def gamma_of(gamma: Any, X: Any) -> float:
    """Return the number that a value or a rule of gamma stands for.

    Parameters
    ----------
    gamma : {"scale", "auto", "median"} or float
        A number > 0, or a rule: "scale" is 1/(d·var X), "auto" 1/d, "median" 1/m with m the median of ‖x − x'‖² over
        pairs.
    X : array-like of shape (n_samples, n_features)
        Training rows.

    Returns
    -------
    float
        The number; 1 or 1/d where all of X is equal.

    Raises
    ------
    ValueError
        If it is neither a positive number nor a rule.

    Examples
    --------
    >>> gamma_of("auto", np.zeros((2, 4)))
    0.25
    """
    if isinstance(gamma, str) and gamma in RULES:
        X = as_reals(X)
        d = max(1, int(X.shape[1]))
        if gamma == "auto":
            return 1.0 / d
        spread = d * variance(X) if gamma == "scale" else median_squared_distance(X)
        return 1.0 / spread if spread > 0.0 else 1.0
    number = isinstance(gamma, (int, float, np.integer, np.floating)) and not isinstance(gamma, bool)
    if not number or not 0.0 < gamma < np.inf:
        raise ValueError(f"gamma must be a finite number > 0, 'scale', 'auto' or 'median', got {gamma!r}")
    return float(gamma)


def variance(X: Any) -> float:
    """Return the variance of all entries of X, zeros that a sparse matrix does not store included; NumPy's in float64.

    >>> variance(np.array([[0.0, 2.0]]))
    1.0
    """
    size = X.shape[0] * X.shape[1]
    if not size:
        return 0.0
    if is_sparse(X):
        values = X.data.astype(np.float64)
        mean = float(values.sum()) / size
        found = float(np.square(values - mean).sum() + (size - len(values)) * mean**2) / size
    elif isinstance(X, np.ndarray):
        mean, found = float(X.mean(dtype=np.float64)), float(X.var(dtype=np.float64))
    else:
        mean, found = _moments(X)
    # Of entries that are all equal, what rounding leaves.
    return found if found > (16.0 * float(np.finfo(np.float64).eps) * mean) ** 2 else 0.0


def _moments(X: Any) -> tuple[float, float]:
    """Return the mean and the variance of all entries of X, which is elsewhere, a few rows at a time."""
    size = X.shape[0] * X.shape[1]

    def over(of: Callable[[Any], Any]) -> float:
        each = (to_double(take(X, rows)) for rows in parts(X))
        total: float = sum(float(namespace(part).sum(of(part))) for part in each)
        return total / float(size)

    mean = over(lambda part: part)
    return mean, over(lambda part: (part - mean) ** 2)


def median_squared_distance(X: Any) -> float:
    """Return the median of ‖x − x'‖² over the pairs of up to 1,000 rows, evenly taken; their mean where it is 0.

    >>> median_squared_distance(np.array([[0.0], [1.0], [3.0]]))
    4.0
    """
    n = int(X.shape[0])
    step = max(1, -(-n // _SAMPLE))
    X = X[::step, :]
    n = int(X.shape[0])
    if n < 2:
        return 0.0
    squares, D = square_norms(X), _Distance().tile(X, X)
    xp = namespace(D)
    # Rounding makes equal rows differ by a few units in the last place of their norms.
    rounding = 8.0 * float(xp.finfo(D.dtype).eps) * float(xp.max(squares))
    entries = xp.sort(xp.reshape(xp.where(rounding < D, D, xp.zeros_like(D)), (-1,)))
    entries = entries[0] if isinstance(entries, tuple) else entries  # torch gives places besides
    # Each pair is there twice, after the n zeros of the diagonal.
    middle = n + n * (n - 1) // 2
    median = 0.5 * (float(entries[middle - 1]) + float(entries[middle]))
    return median or float(xp.sum(entries)) / (n * (n - 1))


class _Distance(Radial):
    """‖x − z‖², which is no kernel: only its tiles are of use."""

    name = "squared distance"

    @property
    def unit(self) -> float:
        return 1.0

    def finish(self, P: Any) -> Any:
        P *= -1.0
        return P
