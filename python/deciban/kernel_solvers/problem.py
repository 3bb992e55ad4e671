"""What a kernel machine asks of a solver, and what it gets back; where a solver begins; and K̃ of a problem."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from deciban import _core
from deciban.data.devices import elsewhere, on_host, to_double
from deciban.data.plain_state import PlainState
from deciban.data.rows import Rows, is_sparse, reals_for_core
from deciban.errors import DataError
from deciban.kernels import Kernel
from deciban.kernels.arrays import as_reals, products, square_norms
from deciban.kernels.evaluation import in_core, rows_in_core, scores_among
from deciban.losses import Floats
from deciban.solvers.limits import Watch
from deciban.solvers.problem import Limits, Status, Step

if TYPE_CHECKING:
    from .nystroem import Landmarks


Places = NDArray[np.int64]


@dataclass(frozen=True)
class KernelProblem:
    """The dual of every kernel machine, in signed coefficients β_i = y_i α_i.

        min over β (m,)   D(β) = ½ βᵀK̃β − tᵀβ     subject to   lo_i ≤ β_i ≤ hi_i,   Σ_{i: group_i = g} β_i = sums_g

    with K̃_ij = K(x_row(i), x_row(j)). Its primal, for the scores f = K̃β of w = Σ β_i φ(x_row(i)) and one b a group:

        min over w, b    P(w, b) = ½‖w‖² + Σ_i max(hi_i r_i, lo_i r_i) + Σ_g sums_g b_g,   r_i = t_i − f_i − b_group(i)

    Parameters
    ----------
    kernel : Kernel
        The kernel K.
    X : array-like or CSR matrix of shape (n_samples, n_features)
        Rows, on any device; texts, or the Gram matrix for a precomputed kernel.
    t : ndarray of shape (n_variables,)
        Linear terms.
    lo : ndarray of shape (n_variables,)
        Lower bounds ≤ 0; −∞ for none.
    hi : ndarray of shape (n_variables,)
        Upper bounds ≥ 0; ∞ for none.
    group : ndarray of int of shape (n_variables,)
        Group of each variable.
    sums : ndarray of shape (n_groups,)
        Sum of the variables of each group.
    row : ndarray of int of shape (n_variables,)
        Row of each variable.
    n_jobs : int, optional
        Number of threads. By default all cores.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.kernels import Linear
    >>> problem = KernelProblem.regression(Linear(), np.eye(2), np.array([1.0, 2.0]), np.ones(2), 0.1)
    >>> problem.t.tolist(), problem.row.tolist()
    ([0.9, 1.9, 1.1, 2.1], [0, 1, 0, 1])
    """

    kernel: Kernel
    X: Any
    t: Floats
    lo: Floats
    hi: Floats
    group: Places
    sums: Floats
    row: Places
    n_jobs: int | None = None

    @classmethod
    def classification(cls, kernel: Kernel, X: Rows, y: Floats, upper: Floats, n_jobs: int | None = None) -> Self:
        """Make the problem of two classes, with 0 ≤ α_i ≤ upper_i.

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        y : ndarray of shape (n_samples,)
            Classes, −1 and +1.
        upper : ndarray of shape (n_samples,)
            Upper bounds: C times the weights, or infinity for the hard margin.
        n_jobs : int, optional
            Number of threads. By default all cores.

        Returns
        -------
        KernelProblem
            The problem.
        """
        lo, hi = np.where(y > 0.0, 0.0, -upper), np.where(y > 0.0, upper, 0.0)
        return cls(kernel, X, y.astype(np.float64), lo, hi, *_one_group(len(y)), n_jobs)

    @classmethod
    def nu_classification(
        cls, kernel: Kernel, X: Rows, y: Floats, c: Floats, nu: float, n_jobs: int | None = None
    ) -> Self:
        """Make the problem of two classes with ν: 0 ≤ α_i ≤ c_i, Σ α = ½ν Σc in each class.

        The solution is to be divided by ρ, half the difference of the two b. Chang & Lin (2001).

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        y : ndarray of shape (n_samples,)
            Classes, −1 and +1.
        c : ndarray of shape (n_samples,)
            Weights.
        nu : float
            Share ν.
        n_jobs : int, optional
            Number of threads. By default all cores.

        Returns
        -------
        KernelProblem
            The problem.
        """
        group = (y < 0.0).astype(np.int64)
        half = 0.5 * nu * float(c.sum())
        lo, hi = np.where(y > 0.0, 0.0, -c), np.where(y > 0.0, c, 0.0)
        row = np.arange(len(y), dtype=np.int64)
        return cls(kernel, X, np.zeros(len(y)), lo, hi, group, np.array([half, -half]), row, n_jobs)

    @classmethod
    def one_class(cls, kernel: Kernel, X: Rows, c: Floats, nu: float, n_jobs: int | None = None) -> Self:
        """Make the problem of one class: 0 ≤ α_i ≤ c_i, Σ α = ν Σc; b is −ρ.

        Schölkopf et al., Neural Computation 13 (2001).

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        c : ndarray of shape (n_samples,)
            Weights.
        nu : float
            Share ν.
        n_jobs : int, optional
            Number of threads. By default all cores.

        Returns
        -------
        KernelProblem
            The problem.
        """
        group, _, row = _one_group(len(c))
        sums = np.array([nu * float(c.sum())])
        return cls(kernel, X, np.zeros(len(c)), np.zeros(len(c)), c.astype(np.float64), group, sums, row, n_jobs)

    @classmethod
    def regression(
        cls, kernel: Kernel, X: Rows, y: Floats, upper: Floats, epsilon: float, n_jobs: int | None = None
    ) -> Self:
        """Make the problem of regression, with |y − s| free up to ε.

        There are two variables a row, 0 ≤ β ≤ upper and −upper ≤ β ≤ 0.

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        y : ndarray of shape (n_samples,)
            Targets.
        upper : ndarray of shape (n_samples,)
            Upper bounds: C times the weights.
        epsilon : float
            Half the height ε of the tube, in units of y.
        n_jobs : int, optional
            Number of threads. By default all cores.

        Returns
        -------
        KernelProblem
            The problem.
        """
        N, zeros = len(y), np.zeros(len(y))
        group, sums, _ = _one_group(2 * N)
        row = np.concatenate([np.arange(N), np.arange(N)])
        t = np.concatenate([y - epsilon, y + epsilon])
        lo, hi = np.concatenate([zeros, -upper]), np.concatenate([upper, zeros])
        return cls(kernel, X, t, lo, hi, group, sums, row, n_jobs)

    @classmethod
    def nu_regression(
        cls, kernel: Kernel, X: Rows, y: Floats, upper: Floats, nu: float, n_jobs: int | None = None
    ) -> Self:
        """Make the problem of regression with ν: the variables are in two groups of Σ |β| = ½ν Σ upper each.

        ε is half the difference of the two b. Chang & Lin, Neural Computation 14 (2002).

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        y : ndarray of shape (n_samples,)
            Targets.
        upper : ndarray of shape (n_samples,)
            Upper bounds: C times the weights.
        nu : float
            Share ν.
        n_jobs : int, optional
            Number of threads. By default all cores.

        Returns
        -------
        KernelProblem
            The problem.
        """
        N, zeros, half = len(y), np.zeros(len(y)), 0.5 * nu * float(upper.sum())
        row, group = np.tile(np.arange(N), 2), np.repeat(np.arange(2), N)
        lo, hi = np.concatenate([zeros, -upper]), np.concatenate([upper, zeros])
        return cls(kernel, X, np.tile(y, 2), lo, hi, group, np.array([half, -half]), row, n_jobs)

    @property
    def m(self) -> int:
        """How many variables there are."""
        return len(self.t)

    @property
    def count(self) -> int:
        """How many rows there are."""
        shape = getattr(self.X, "shape", None)
        return len(self.X) if shape is None else int(shape[0])

    @property
    def plain(self) -> bool:
        """Whether variables and rows are the same."""
        return self.m == self.count and bool(np.array_equal(self.row, np.arange(self.m)))

    def of_rows(self, beta: Floats) -> Floats:
        """Return the sum of the coefficients of each row.

        Parameters
        ----------
        beta : ndarray of shape (n_variables,)
            Coefficients.

        Returns
        -------
        ndarray of shape (n_samples,)
            Coefficients of rows.
        """
        return np.bincount(self.row, weights=beta, minlength=self.count).astype(np.float64)

    def with_bounds(self, lo: Floats, hi: Floats) -> Self:
        """Return the same problem with other bounds, as for another C.

        Parameters
        ----------
        lo : ndarray of shape (n_variables,)
            Lower bounds ≤ 0.
        hi : ndarray of shape (n_variables,)
            Upper bounds ≥ 0.

        Returns
        -------
        KernelProblem
            The problem.
        """
        return replace(self, lo=lo, hi=hi)


def _one_group(m: int) -> tuple[Places, Floats, Places]:
    return np.zeros(m, dtype=np.int64), np.zeros(1), np.arange(m, dtype=np.int64)


@dataclass(frozen=True)
class KernelSolution(PlainState):
    """The coefficients that a solver returns, and how it ended.

    A solver need not be trusted: the certificate proves the gap.

    Parameters
    ----------
    beta : ndarray of shape (n_variables,)
        Coefficients β.
    b : ndarray of shape (n_groups,)
        Intercepts.
    status : Status
        How the solver ended.
    iterations : int
        Number of iterations.
    solver : str
        Name of the solver.
    trace : tuple of Step, default=()
        The iterations.
    gradient : ndarray of shape (n_variables,), optional
        Gradient ∂D/∂β = K̃β − t.
    landmarks : Landmarks, optional
        Landmarks of an approximate machine, whose dual β is.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.solvers import Status
    >>> KernelSolution(np.zeros(2), np.zeros(1), Status.CONVERGED, 5, "smo").status.name
    'CONVERGED'
    """

    beta: Floats
    b: Floats
    status: Status
    iterations: int
    solver: str
    trace: tuple[Step, ...] = field(default=(), repr=False)
    gradient: Floats | None = field(default=None, repr=False)
    landmarks: Landmarks | None = field(default=None, repr=False)

    def followed_by(self, other: KernelSolution) -> KernelSolution:
        """Return the other solution, with the iterations of both.

        Parameters
        ----------
        other : KernelSolution
            What a solver made of this one.

        Returns
        -------
        KernelSolution
            The other one, after the iterations of both.
        """
        return replace(other, iterations=self.iterations + other.iterations, trace=(*self.trace, *other.trace))


__all__ = [
    "KernelProblem",
    "KernelSolution",
    "Limits",
    "Places",
    "Status",
    "Step",
    "Watch",
    "scores_of_rows",
    "scores_within",
]


def scores_within(problem: KernelProblem, beta: Floats) -> Floats:
    """Return (m,) f = K̃β in float64. Cost: N times the number of rows with β ≠ 0."""
    return scores_of_rows(problem, problem.of_rows(beta))[problem.row]


def scores_of_rows(problem: KernelProblem, of_rows: Floats) -> Floats:
    """Return (N,) Σ_j K(x_i, x_j) of_rows_j in float64."""
    return scores_among(problem.kernel, problem.X, of_rows, problem.n_jobs)


def feasible_start(problem: KernelProblem, start: KernelSolution | Floats | None = None) -> Floats:
    """Return β (m,) within its bounds and with the sums of its groups, near `start`, or from zero; ValueError where
    there is none.

    What is missing from a sum is taken from the variables in order, each as far as its bounds allow: the start of
    LIBSVM (Chang & Lin 2011, §4.2.4) from zero. What a smaller C cut off is spread in proportion.
    """
    if start is None and not problem.sums.any():
        return np.zeros(problem.m)
    given = None if start is None else start.beta if isinstance(start, KernelSolution) else start
    beta = np.zeros(problem.m) if given is None else np.clip(given, problem.lo, problem.hi)
    for g, wanted in enumerate(problem.sums):
        own = np.flatnonzero(problem.group == g)
        beta[own] = adjust_sum(beta[own], problem.lo[own], problem.hi[own], float(wanted))
    return beta


def adjust_sum(beta: Floats, lo: Floats, hi: Floats, wanted: float) -> Floats:
    """Return β near the given one, lo ≤ β ≤ hi, that sums to what is wanted; ValueError where there is none."""
    missing = wanted - float(beta.sum())
    if beta.any() and missing:
        # The side that has too much shrinks as a whole.
        side = beta > 0.0 if missing < 0.0 else beta < 0.0
        there = float(np.abs(beta[side]).sum())
        beta[side] *= max(0.0, 1.0 - abs(missing) / there) if there else 1.0
        missing = wanted - float(beta.sum())
    room = np.clip((hi if missing > 0.0 else lo) - beta, -abs(missing), abs(missing))
    before = np.cumsum(np.abs(room)) - np.abs(room)
    beta = beta + np.sign(missing) * np.clip(abs(missing) - before, 0.0, np.abs(room))
    left = abs(wanted - float(beta.sum()))
    if left > 1e-9 * max(1.0, abs(wanted)):
        raise ValueError(
            f"the coefficients of a group cannot sum to {wanted:.6g} within their bounds: nu is too large for these "
            f"weights or classes. Lower nu"
        )
    return np.clip(beta, lo, hi)


class Gram(Protocol):
    """A symmetric matrix K (m, m)."""

    def times(self, beta: Floats) -> Floats:
        """Return Kβ (m,)."""

    def block(self, places: NDArray[np.intp]) -> Floats:
        """Return K (k, k) of some places (k,)."""

    def diagonal(self) -> Floats:
        """Return (m,)."""


@dataclass(frozen=True)
class Whole:
    """K as it is."""

    K: Floats

    def times(self, beta: Floats) -> Floats:
        """Return Kβ. Cost: m²."""
        f: Floats = self.K @ beta
        return f

    def block(self, places: NDArray[np.intp]) -> Floats:
        """Return K of some places."""
        return self.K[np.ix_(places, places)]

    def diagonal(self) -> Floats:
        """Return the diagonal of K."""
        return self.K.diagonal()


@dataclass(frozen=True)
class OfRows:
    """K = X Xᵀ of rows X (m, d), dense or CSR: the linear kernel without its m² values."""

    X: Any

    def times(self, beta: Floats) -> Floats:
        """Return X(Xᵀβ). Cost: two passes over X."""
        f: Floats = self.X @ (self.X.T @ beta)
        return f

    def block(self, places: NDArray[np.intp]) -> Floats:
        """Return inner products of some rows."""
        X = self.X[places]
        K: Floats = products(X, X)
        return K

    def diagonal(self) -> Floats:
        """Return ‖x‖²."""
        squares: Floats = square_norms(self.X)
        return squares


def gram_of_rows(problem: KernelProblem) -> OfRows:
    """Return K̃ of a problem of the linear kernel."""
    return OfRows(as_doubles(problem.X)[problem.row])


def gram_of_problem(problem: KernelProblem) -> Floats:
    """Return K (N, N) of the rows, float64, symmetric to the last bit; a DataError where it is not finite."""
    X = to_double(problem.X) if elsewhere(problem.X) else as_doubles(problem.X)
    known = in_core(problem.kernel) if rows_in_core(X) else None
    if known:
        K = _core.kernel_gram(reals_for_core(X), *known, n_jobs=problem.n_jobs)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            K = on_host(problem.kernel.tile(X, problem.kernel.centres(X)))
    if not np.isfinite(K).all():
        raise DataError(
            f"the values of {problem.kernel} left the range of a float64: scale the columns down, or choose smaller "
            "parameters"
        )
    symmetric: Floats = K if known else 0.5 * (K + K.T)
    return symmetric


def as_doubles(X: Rows) -> Any:
    """Return rows of numbers in float64 on the host, texts as they are."""
    if elsewhere(X):
        return on_host(X)
    if is_sparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind != "O"):
        return as_reals(X).astype(np.float64)
    return X
