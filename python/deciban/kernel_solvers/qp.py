"""The textbook's quadratic programmes, solved by a general-purpose interior-point method: small N, for certainty.

`DualQP`, "dual-qp" (Cortes & Vapnik 1995), asks for β with the matrices of `KernelProblem`:

    min ½ βᵀK̃β − tᵀβ     subject to   Σ_{group g} β = sums_g,   lo ≤ β ≤ hi

`PrimalQP`, "primal-qp" (Boser, Guyon & Vapnik 1992), for the linear kernel, asks for z = (b, w, ξ) with
Q = diag(0, I_d, 0):

    min ½‖w‖² + Σ_i C_i ξ_i + Σ_g sums_g b_g     subject to   y_i (x_i·w + b) ≥ y_i t_i − ξ_i,   ξ ≥ 0

where y_i = +1 for what hi bounds and −1 for what lo bounds; where that is infinite, there is no ξ_i. β are the prices
of its rows. Solved by Clarabel: Goulart & Chen (2024), arXiv:2405.12762. What is found is within about 1e-10; which
variables are at their bounds being known then, the others are the solution of one system of equations.

Where nothing separates the classes there is no hard margin; `refute` says what shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from deciban.errors import DataError, NotSeparableError
from deciban.inner_product import dot
from deciban.losses import Floats
from deciban.solvers.quadratic_programme import Programme, minimise, status_of

from .certificate import prove
from .problem import (
    Gram,
    KernelProblem,
    KernelSolution,
    Limits,
    Status,
    Watch,
    Whole,
    as_doubles,
    gram_of_problem,
    gram_of_rows,
)
from .refinement import balance, polish

# How many variables the dual may have, and features the primal: their matrices are factorised.
LARGEST = 2000
# How many values X may have in the primal.
_VALUES = 4_000_000


@dataclass(frozen=True)
class DualQP:
    """The dual as it stands. Cost: m³ a step, of which there are ten to thirty.

    >>> from deciban.kernels import Linear
    >>> X = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
    >>> hard = KernelProblem.classification(Linear(), X, np.array([1.0, 1, 1, -1, -1]), np.full(5, np.inf))
    >>> found = DualQP().solve(hard, Limits())
    >>> abs(found.beta).round(6), (found.beta @ X).round(6), found.b.round(6)
    (array([0. , 0.8, 0. , 0.4, 0.4]), array([-0.4,  1.2]), array([-1.4]))
    """

    NAME = "dual-qp"
    EXACT = True

    def refusal(self, problem: KernelProblem) -> str | None:
        """Return what the problem lacks, or None."""
        if problem.m > LARGEST:
            return f"factorises a matrix of all variables and takes {LARGEST:,} at most; these are {problem.m:,}"
        refused = _unsolvable(problem)
        if refused is None and not problem.kernel.mercer:
            values = np.linalg.eigvalsh(gram_of_problem(problem)) if problem.count else np.zeros(1)
            if values[0] < -1e-10 * max(values[-1], 0.0):
                return (
                    "needs a positive semi-definite Gram matrix, else the programme is not convex; the smallest "
                    f"eigenvalue of this one is {values[0]:.6g}"
                )
        return refused

    def solve(
        self,
        problem: KernelProblem,
        limits: Limits,
        start: KernelSolution | Floats | None = None,
        seed: int = 0,
        memory: int = 0,
    ) -> KernelSolution:
        """Return the optimum; nothing to start from is used, and nothing is random. NotSeparableError for a hard margin
        that does not exist. Memory: some m² numbers, whatever `memory` says."""
        K = gram_of_problem(problem)
        K = K[np.ix_(problem.row, problem.row)]
        found, watch, beta = read_dual(problem, K, limits)
        if status_of(found, "DualInfeasible"):
            refute(problem, Whole(K), beta)
        return _conclude(problem, Whole(K), beta, found, watch, self.NAME)


@dataclass(frozen=True)
class PrimalQP:
    """The primal of the linear kernel as it stands. Cost: N·d² a step, of which there are ten to thirty."""

    NAME = "primal-qp"
    EXACT = True

    def refusal(self, problem: KernelProblem) -> str | None:
        """Return what the problem lacks, or None."""
        if problem.kernel.name != "linear":
            return f"needs the kernel 'linear', which has a weight for each feature; {problem.kernel.name!r} has not"
        N, d = problem.X.shape
        if d > LARGEST or N * d > _VALUES:
            return f"takes {LARGEST:,} features and {_VALUES:,} values at most; X is {N:,} × {d:,}"
        return _unsolvable(problem)

    def solve(
        self,
        problem: KernelProblem,
        limits: Limits,
        start: KernelSolution | Floats | None = None,
        seed: int = 0,
        memory: int = 0,
    ) -> KernelSolution:
        """Return the optimum; nothing to start from is used, and nothing is random. NotSeparableError for a hard margin
        that does not exist."""
        found, watch, beta = _read_primal(problem, limits)
        K = gram_of_rows(problem)
        if status_of(found, "PrimalInfeasible"):
            refute(problem, K, beta)
        return _conclude(problem, K, beta, found, watch, self.NAME)


CATALOGUE = (DualQP(), PrimalQP())


def dual_programme(problem: KernelProblem, K: Floats) -> Programme:
    """Return z = β: Q = K̃, c = −t; a row of A for each group, then one for each finite bound."""
    m, G = problem.m, len(problem.sums)
    above, below = np.isfinite(problem.hi), np.isfinite(problem.lo)
    members = sparse.csc_array((np.ones(m), (problem.group, np.arange(m))), shape=(G, m))
    one = sparse.eye_array(m, format="csr")
    A = sparse.vstack([members, one[above], -one[below]], format="csc")
    a = np.concatenate([problem.sums, problem.hi[above], -problem.lo[below]])
    return Programme(sparse.csc_array(np.triu(K)), -problem.t, A, a, G)


def primal_programme(problem: KernelProblem) -> tuple[Programme, Floats, Any]:
    """Return z = (b (G,), w (d,), ξ): Q = diag(0, I_d, 0); rows −[y_i, y_i x_i, 1] z ≤ −y_i t_i and −ξ ≤ 0. Also y and
    the variable of each row of the first kind, as many as bounds are not 0."""
    up, down = np.flatnonzero(problem.hi > 0.0), np.flatnonzero(problem.lo < 0.0)
    variable = np.concatenate([up, down])
    side = np.concatenate([np.ones(len(up)), -np.ones(len(down))])
    price = np.concatenate([problem.hi[up], -problem.lo[down]])
    count, G, d = len(variable), len(problem.sums), int(problem.X.shape[1])
    x = sparse.csr_array(as_doubles(problem.X)[problem.row[variable]]).multiply(side[:, None])
    b = sparse.csr_array((side, (np.arange(count), problem.group[variable])), shape=(count, G))
    priced = np.flatnonzero(np.isfinite(price))
    slack = sparse.csr_array((np.ones(len(priced)), (priced, np.arange(len(priced)))), shape=(count, len(priced)))
    nothing = sparse.csr_array((len(priced), G + d))
    margins = sparse.hstack([b, x, slack])
    A = -sparse.vstack([margins, sparse.hstack([nothing, sparse.eye_array(len(priced))])], format="csc")
    Q = sparse.diags_array(np.repeat([0.0, 1.0, 0.0], [G, d, len(priced)]), format="csc")
    c = np.concatenate([problem.sums, np.zeros(d), price[priced]])
    a = np.concatenate([-side * problem.t[variable], np.zeros(len(priced))])
    return Programme(Q, c, A, a, 0), side, variable


def _has_finite_bounds(problem: KernelProblem) -> bool:
    """Return whether no bound is infinite: then there is an optimum."""
    return bool(np.isfinite(problem.lo).all() and np.isfinite(problem.hi).all())


def _unsolvable(problem: KernelProblem) -> str | None:
    for g, wanted in enumerate(problem.sums):
        inside = problem.group == g
        least, most = float(problem.lo[inside].sum()), float(problem.hi[inside].sum())
        if not least - 1e-9 * abs(least) <= wanted <= most + 1e-9 * abs(most):
            reach = f"their bounds let them reach {least:g} to {most:g}"
            return f"needs coefficients of group {g} that can sum to {wanted:g}; {reach}"
    return None


def read_dual(problem: KernelProblem, K: Floats, limits: Limits) -> tuple[Any, Watch, Floats]:
    """Return β of the dual, solved for β/θ and D/ω: in units that make the numbers of no machine large or small."""
    size = float(K.diagonal().mean()) if problem.m else 0.0
    price = _largest_price(problem)
    theta = min(1.0 / size if size > 0.0 else np.inf, price)
    theta = theta if 0.0 < theta < np.inf else 1.0
    omega = theta if problem.t.any() or size <= 0.0 else theta * theta * size
    Q, c, A, a, equal = dual_programme(problem, K)
    programme = Programme(Q * (theta * theta / omega), c * (theta / omega), A, a / theta, equal)
    found, watch = minimise(programme, limits, -omega, _has_finite_bounds(problem))
    return found, watch, theta * np.array(found.x)


def _read_primal(problem: KernelProblem, limits: Limits) -> tuple[Any, Watch, Floats]:
    """Return β of the primal, solved for P/ω: they are the prices of its rows."""
    programme, side, variable = primal_programme(problem)
    price = _largest_price(problem)
    omega = price if 0.0 < price < 1.0 else 1.0
    programme = programme._replace(Q=programme.Q / omega, c=programme.c / omega)
    found, watch = minimise(programme, limits, omega, _has_finite_bounds(problem))
    prices = omega * side * np.array(found.z)[: len(variable)]
    return found, watch, np.bincount(variable, weights=prices, minlength=problem.m).astype(np.float64)


def _largest_price(problem: KernelProblem) -> float:
    """Return the largest bound, C times a weight; infinite where one is."""
    return float(max(problem.hi.max(initial=0.0), -problem.lo.min(initial=0.0)))


def _conclude(problem: KernelProblem, K: Gram, beta: Floats, found: Any, watch: Watch, name: str) -> KernelSolution:
    """Return the solution at the feasible β nearest to what was found, polished; its status is what its proof
    allows."""
    beta = balance(problem, np.nan_to_num(beta))
    if watch.status is None:
        beta = polish(problem, K, beta)
    proof = prove(problem, beta, scores=K.times(beta))
    status = watch.status or (Status.CONVERGED if proof.relative_gap <= watch.limits.tol else Status.EXHAUSTED)
    gradient = proof.scores - problem.t
    return KernelSolution(beta, proof.b, status, int(found.iterations), name, tuple(watch.trace), gradient)


# Squared distance of two mixtures, in units of the largest ‖φ(x)‖², below which they are one point.
_SAME = 1e-12


def refute(problem: KernelProblem, K: Gram, ray: Floats) -> None:
    """Raise a DataError if the direction `ray` (m,), along which D falls for ever, shows that no machine satisfies what
    infinite bounds ask: a NotSeparableError where they ask for a margin between classes. `K` is K̃.
    """
    up, down = np.maximum(ray, 0.0), np.maximum(-ray, 0.0)
    if not (up.sum() > 0.0 and down.sum() > 0.0):
        return
    signed = up / up.sum() - down / down.sum()
    if dot(signed, K.times(signed)) > _SAME * float(K.diagonal().max()):
        return
    if problem.plain:
        raise NotSeparableError(None, np.abs(signed), _describe_mixture(np.abs(signed)))
    if dot(problem.t, signed) > 0.0:
        raise DataError(
            "an infinite C asks for a score within epsilon of every target, and no function of this kernel has that. "
            "Give a finite C, which lets errors have a price, or a larger epsilon."
        )


def _describe_mixture(mixture: Floats) -> str:
    """Return which examples weigh most in a mixture (N,) ≥ 0: a hyperplane would have it on both sides (Farkas
    1902)."""
    known = np.count_nonzero(mixture > 1e-6)
    heaviest = np.sort(np.argsort(-mixture, kind="stable")[: min(6, known)])
    shown = ", ".join(str(i) for i in heaviest) + (", …" if known > 6 else "")
    return f"one mixture of examples of either class (rows {shown}) is the same point"
