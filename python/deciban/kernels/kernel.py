"""The interface of kernels; their sums and products, which are kernels again; and Mercer's condition on given data.

A sum and a product are valid where their parts are (Schur 1911).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import reduce
from operator import add, mul
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import eigh

from deciban.data.devices import elsewhere, on_host, take, to_double
from deciban.data.rows import Rows, is_sparse
from deciban.errors import DataError
from deciban.losses import Floats

from .arrays import as_reals, namespace


@dataclass(frozen=True)
class Kernel(ABC):
    """A kernel K(x, z), an inner product of two examples in some space of features.

    A machine asks for tiles: `tile(X[i], centres(X)[j])` are the values of the rows i against the rows j. For most
    kernels `centres(X)` is X itself; where X is a Gram matrix, a centre is the index of its column. A fitted machine
    keeps the centres of its support vectors: `tile(new, centres(X)[support])`. Kernels add and multiply: `K₁ + K₂`, `K₁
    * K₂`.

    Attributes
    ----------
    name : str
        Name of the kernel.

    Examples
    --------
    >>> from deciban.kernels import RBF, Linear
    >>> (RBF(0.5) + Linear()).mercer
    True
    """

    name: ClassVar[str]

    @property
    def mercer(self) -> bool:
        """Whether every Gram matrix is positive semi-definite; False where one may fail to be (Mercer 1909)."""
        return True

    @abstractmethod
    def tile(self, X: Rows, Z: Any) -> Any:
        """Return the kernel values of rows against centres, newly made, in the precision of X and Z.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows: NumPy, CSR, or an array of another library that follows the array API standard. For a precomputed
            kernel rows of the Gram matrix, for a kernel of texts a list of them.
        Z : array-like of shape (n_centres, n_features)
            Centres, as `centres` returns them.

        Returns
        -------
        array of shape (n_rows, n_centres)
            Values K(x_i, z_j), in the library of X.

        Raises
        ------
        DataError
            If a value of a function or a Gram matrix is not finite, or has another shape.
        """

    @abstractmethod
    def diagonal(self, X: Rows) -> Any:
        """Return the kernel value K(x, x) of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows; for a precomputed kernel the whole Gram matrix.

        Returns
        -------
        array of shape (n_rows,)
            Values K(x_i, x_i).
        """

    def centres(self, X: Rows) -> Any:
        """Return the training rows as the right argument of `tile`.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Training rows.

        Returns
        -------
        array-like
            X itself; for a precomputed kernel the indices of its columns.
        """
        return X

    def accept(self, X: Any, width: int | None = None) -> Any:
        """Validate rows, and return them as `tile` takes them.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows of finite numbers.
        width : int, optional
            Number of features at training, for rows to classify. Without it X is for training, and a kernel that
            depends on it is checked more closely.

        Returns
        -------
        array of shape (n_rows, n_features)
            The rows.

        Raises
        ------
        DataError
            If X is no table of finite numbers, has another width, or does not suit the kernel.
        """
        X = as_reals(X)
        if X.ndim != 2:
            raise DataError(
                f"X must be a table of rows and columns; it has {X.ndim} dimension(s). Reshape it to (n, d)"
            )
        if width is not None and X.shape[1] != width:
            raise DataError(f"X must have the {width} columns that were learnt from; it has {X.shape[1]}")
        values = X.data if is_sparse(X) else X
        xp = namespace(values)
        if not bool(xp.all(xp.isfinite(values))):
            raise DataError("X must hold finite numbers; it holds NaN or infinity. Fill or drop such rows first")
        return X

    def __add__(self, other: object) -> Kernel:

        return Sum((self, other)) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: object) -> Kernel:

        return Product((self, other)) if isinstance(other, Kernel) else NotImplemented


def check_number(name: str, value: Any, *, above: float | None = None, least: float | None = None) -> None:
    """Check that `value` is a finite number > `above` or ≥ `least`; a ValueError says what it is instead."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if above is not None and not (number and above < value < np.inf):
        raise ValueError(f"{name} must be a finite number > {above:g}, got {value!r}")
    if least is not None and not (number and least <= value < np.inf):
        raise ValueError(f"{name} must be a finite number ≥ {least:g}, got {value!r}")
    if not (number and np.isfinite(value)):
        raise ValueError(f"{name} must be a finite number, got {value!r}")


class SumKernel(Kernel):
    """A kernel that is a function of a sum over the features, K(x, z) = f(Σ_j g(x_j, z_j)): f is `finish`."""

    @staticmethod
    @abstractmethod
    def of_feature(xp: Any, x: Any, z: Any) -> Any:
        """Return g: what a feature adds to the sum.

        Parameters
        ----------
        xp : module
            Namespace of the arrays.
        x, z : array
            Values of the feature.

        Returns
        -------
        array
            What it adds, for each pair.
        """


@dataclass(frozen=True)
class Composite(Kernel):
    """Several kernels of the same rows, combined place by place."""

    kernels: tuple[Kernel, ...]
    combine: ClassVar[Any]

    def __post_init__(self) -> None:
        strangers = [each for each in self.kernels if not isinstance(each, Kernel)]
        if strangers or not self.kernels:
            raise ValueError(f"a {self.name} needs one kernel at least, and only kernels, got {self.kernels!r}")
        flat = (part.kernels if type(part) is type(self) else (part,) for part in self.kernels)
        object.__setattr__(self, "kernels", tuple(kernel for several in flat for kernel in several))
        kinds = {_kind(part) for part in self.kernels}
        if len(kinds) > 1:
            raise ValueError(
                f"the kernels of a {self.name} must read the same X; {' and '.join(sorted(kinds))} cannot be one X"
            )

    @property
    def mercer(self) -> bool:
        """Whether all parts are."""
        return all(kernel.mercer for kernel in self.kernels)

    def tile(self, X: Rows, Z: Any) -> Any:
        return reduce(type(self).combine, (kernel.tile(X, Z) for kernel in self.kernels))

    def diagonal(self, X: Rows) -> Any:
        return reduce(type(self).combine, (kernel.diagonal(X) for kernel in self.kernels))

    def centres(self, X: Rows) -> Any:
        return self.kernels[0].centres(X)

    def accept(self, X: Rows, width: int | None = None) -> Any:
        return reduce(lambda X, kernel: kernel.accept(X, width), self.kernels, X)


def _kind(kernel: Kernel) -> str:
    """Return the type of items of a kernel."""
    if isinstance(kernel, Composite):
        return _kind(kernel.kernels[0])
    return {"precomputed": "a Gram matrix", "spectrum": "texts"}.get(kernel.name, "rows of numbers")


@dataclass(frozen=True)
class Sum(Composite):
    """The sum of kernels, K(x, z) = Σ_k K_k(x, z), written `K₁ + K₂`.

    Parameters
    ----------
    kernels : tuple of Kernel
        The parts, which take the same X.

    Examples
    --------
    >>> from deciban.kernels import Linear, RBF
    >>> (Linear() + RBF()).kernels
    (Linear(), RBF(gamma=1.0))
    """

    name = "sum"
    combine = add


@dataclass(frozen=True)
class Product(Composite):
    """The product of kernels, K(x, z) = Π_k K_k(x, z), written `K₁ * K₂`.

    Parameters
    ----------
    kernels : tuple of Kernel
        The parts, which take the same X.

    Examples
    --------
    >>> from deciban.kernels import Linear, RBF
    >>> (Linear() * RBF()).mercer
    True
    """

    name = "product"
    combine = mul


# Rows beyond which a sample of them is looked at: eigenvalues cost the cube of their number.
LARGEST = 2000
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Mercer:
    """Extreme eigenvalues of a Gram matrix, and a witness where it is not positive semi-definite.

    Parameters
    ----------
    smallest : float
        Smallest eigenvalue.
    largest : float
        Largest eigenvalue.
    witness : ndarray of shape (n_samples,) or None
        A vector v of length 1 with vᵀKv < 0; None where none was found.
    rows : int
        Number of rows that were examined.
    n : int
        Number of rows of X.

    Examples
    --------
    >>> Mercer(0.0, 2.0, None, 2, 2).valid
    True
    """

    smallest: float
    largest: float
    witness: Floats | None = field(repr=False)
    rows: int
    n: int

    @property
    def valid(self) -> bool:
        """No witness was found."""
        return self.witness is None

    @property
    def says(self) -> str:
        """A sentence."""
        seen = f"the Gram matrix of these {self.n:,} examples"
        if self.rows < self.n:
            seen = f"the Gram matrix of {self.rows:,} of these {self.n:,} examples, evenly taken,"
        if self.witness is not None:
            return (
                f"{seen} is not positive semi-definite: its smallest eigenvalue is {self.smallest:.6g} "
                f"(the largest: {self.largest:.6g}), so no space of features has this kernel, and what is found is a "
                "stationary point, which need not be an optimum"
            )
        return f"{seen} is positive semi-definite up to rounding: its smallest eigenvalue is {self.smallest:.6g}"


def mercer(kernel: Kernel, X: Any, largest: int = LARGEST) -> Mercer:
    """Test whether the Gram matrix of X is positive semi-definite.

    A kernel is an inner product in some space exactly if all its Gram matrices are symmetric and positive semi-definite
    (Mercer 1909; Schölkopf & Smola 2002, proposition 2.7). One matrix can refute that, and not prove it. An eigenvalue
    counts as negative below −10⁻¹⁰ times the largest sum of a row, as values of K are rounded, too. The cost is n³.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : array-like of shape (n_samples, n_features)
        Examples, as the kernel takes them.
    largest : int, default=2000
        Largest number of rows that are all examined; of more a sample is, whose witness is one for all of them.

    Returns
    -------
    Mercer
        The extreme eigenvalues, and a witness where the smallest is negative.

    Examples
    --------
    >>> from deciban.kernels import RBF, Multiquadric
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> mercer(RBF(), X).valid, mercer(Multiquadric(), X).valid
    (True, False)
    """
    X = kernel.accept(X)
    n = len(X) if isinstance(X, list) else int(X.shape[0])
    rows = np.unique(np.linspace(0, n - 1, largest).astype(np.int64)) if n > largest else np.arange(n)
    centres = kernel.centres(X)
    taken = [X[i] for i in rows] if isinstance(X, list) else _doubles(take(X, rows))
    right = taken if centres is X else take(centres, rows)
    K = on_host(kernel.tile(taken, right))
    if not n:
        return Mercer(0.0, 0.0, None, 0, 0)
    K = 0.5 * (K + K.T)
    values = np.linalg.eigvalsh(K)
    smallest, limit = float(values[0]), -_ROUNDING * float(np.abs(K).sum(axis=1).max())
    witness = None
    if smallest < limit:
        v = eigh(K, subset_by_index=[0, 0], driver="evx")[1][:, 0]
        if float(v @ K @ v) < limit:
            witness = np.zeros(n)
            witness[rows] = v
    return Mercer(smallest, float(values[-1]), witness, len(rows), n)


def _doubles(X: Any) -> Any:
    if elsewhere(X):
        return to_double(X)
    numbers = is_sparse(X) or (isinstance(X, np.ndarray) and X.dtype != object)
    return X.astype(np.float64) if numbers else X
