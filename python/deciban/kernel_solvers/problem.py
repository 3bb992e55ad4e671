"""What a kernel machine asks of a solver, and what it gets back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban.data.plain_state import PlainState
from deciban.kernels import Kernel
from deciban.kernels.evaluation import scores_among
from deciban.losses import Floats
from deciban.solvers.problem import Limits, Status, Step
from deciban.solvers.watch import Watch

if TYPE_CHECKING:
    from .landmarks import Landmarks

Places = NDArray[np.int64]


@dataclass(frozen=True)
class KernelProblem:
    """The dual of every kernel machine, in signed coefficients β_i = y_i α_i:

        min over β (m,)   D(β) = ½ βᵀK̃β − tᵀβ     subject to   lo_i ≤ β_i ≤ hi_i,   Σ_{i: group_i = g} β_i = sums_g

    with K̃_ij = K(x_row(i), x_row(j)). Its primal, for the scores f = K̃β of w = Σ β_i φ(x_row(i)) and one b a group:

        min over w, b    P(w, b) = ½‖w‖² + Σ_i max(hi_i r_i, lo_i r_i) + Σ_g sums_g b_g,   r_i = t_i − f_i − b_group(i)

    `X` holds N rows (dense or CSR), N texts, or the Gram matrix (N, N) for a precomputed kernel, in NumPy's memory or
    elsewhere (`devices`); everything else is NumPy's. `t`, `lo`, `hi`,
    `group` and `row` are (m,), `sums` is (G,); lo ≤ 0 ≤ hi, infinite where nothing bounds.
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
    def classification(cls, kernel: Kernel, X: Any, y: Floats, upper: Floats, n_jobs: int | None = None) -> Self:
        """Classes y (N,) of −1 and +1, 0 ≤ α_i ≤ upper_i (N,): C times the weights, or infinity for the hard margin."""
        lo, hi = np.where(y > 0.0, 0.0, -upper), np.where(y > 0.0, upper, 0.0)
        return cls(kernel, X, y.astype(np.float64), lo, hi, *_one_group(len(y)), n_jobs)

    @classmethod
    def nu_classification(
        cls, kernel: Kernel, X: Any, y: Floats, c: Floats, nu: float, n_jobs: int | None = None
    ) -> Self:
        """Classes y of −1 and +1, weights c: 0 ≤ α_i ≤ c_i, Σ α = ½ν Σc in each class, to be divided by ρ (Chang & Lin
        2001), which is half the difference of the two b."""
        group = (y < 0.0).astype(np.int64)
        half = 0.5 * nu * float(c.sum())
        lo, hi = np.where(y > 0.0, 0.0, -c), np.where(y > 0.0, c, 0.0)
        row = np.arange(len(y), dtype=np.int64)
        return cls(kernel, X, np.zeros(len(y)), lo, hi, group, np.array([half, -half]), row, n_jobs)

    @classmethod
    def one_class(cls, kernel: Kernel, X: Any, c: Floats, nu: float, n_jobs: int | None = None) -> Self:
        """One class of weights c (N,): 0 ≤ α_i ≤ c_i, Σ α = ν Σc (Schölkopf et al. 2001); b is −ρ."""
        group, _, row = _one_group(len(c))
        sums = np.array([nu * float(c.sum())])
        return cls(kernel, X, np.zeros(len(c)), np.zeros(len(c)), c.astype(np.float64), group, sums, row, n_jobs)

    @classmethod
    def regression(
        cls, kernel: Kernel, X: Any, y: Floats, upper: Floats, epsilon: float, n_jobs: int | None = None
    ) -> Self:
        """Targets y (N,), |y − s| free up to ε: two variables a row, 0 ≤ β ≤ upper and −upper ≤ β ≤ 0."""
        N, zeros = len(y), np.zeros(len(y))
        group, sums, _ = _one_group(2 * N)
        row = np.concatenate([np.arange(N), np.arange(N)])
        t = np.concatenate([y - epsilon, y + epsilon])
        lo, hi = np.concatenate([zeros, -upper]), np.concatenate([upper, zeros])
        return cls(kernel, X, t, lo, hi, group, sums, row, n_jobs)

    @classmethod
    def nu_regression(
        cls, kernel: Kernel, X: Any, y: Floats, upper: Floats, nu: float, n_jobs: int | None = None
    ) -> Self:
        """Targets y (N,), the variables of `regression` in two groups of Σ |β| = ½ν Σ upper each (Chang & Lin, Neural
        Computation 14, 2002): ε is half the difference of the two b."""
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
        """(N,) the coefficients of each row together: Σ β_i over the variables of a row."""
        return np.bincount(self.row, weights=beta, minlength=self.count).astype(np.float64)

    def with_bounds(self, lo: Floats, hi: Floats) -> Self:
        """The same machine at another C."""
        return replace(self, lo=lo, hi=hi)


def _one_group(m: int) -> tuple[Places, Floats, Places]:
    return np.zeros(m, dtype=np.int64), np.zeros(1), np.arange(m, dtype=np.int64)


@dataclass(frozen=True)
class KernelSolution(PlainState):
    """β (m,), b (G,), how the solver ended, and what it knows besides.

    `gradient` (m,) is ∂D/∂β = K̃β − t. Where there are `landmarks` the machine is made of these, an approximation, and β
    is its dual. Nobody needs to believe a solver: `certificate.prove` proves what it says.
    """

    beta: Floats
    b: Floats
    status: Status
    iterations: int
    solver: str
    trace: tuple[Step, ...] = field(default=(), repr=False)
    gradient: Floats | None = field(default=None, repr=False)
    landmarks: Landmarks | None = field(default=None, repr=False)


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
    """(m,) f = K̃β in float64. Cost: N times the number of rows with β ≠ 0."""
    return scores_of_rows(problem, problem.of_rows(beta))[problem.row]


def scores_of_rows(problem: KernelProblem, of_rows: Floats) -> Floats:
    """(N,) Σ_j K(x_i, x_j) of_rows_j in float64."""
    return scores_among(problem.kernel, problem.X, of_rows, problem.n_jobs)
