"""The hard margin of a kernel: the street between the nearest points of two convex hulls.

    min ½‖w‖²   subject to   y_i (w·φ(x_i) + b) ≥ 1

The nearest points p, q of the hulls of the classes always exist: they touch where nothing separates the classes, and
else w = 2(p − q)/‖p − q‖² (Bennett & Bredensteiner 2000). They are looked for in units of the examples' own spread,
about their middle, so that neither units nor origin of the examples decide anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciban.data.devices import elsewhere, namespace, on_host, take, to_double
from deciban.data.rows import is_sparse
from deciban.errors import NotSeparableError
from deciban.inner_product import dot
from deciban.kernel_solvers.certificate import KernelProof, prove, prove_solution
from deciban.kernel_solvers.problem import Gram, KernelProblem, KernelSolution, Whole, gram_of_problem
from deciban.kernel_solvers.problem import gram_of_rows as gram_of_rows
from deciban.kernel_solvers.refinement import polish
from deciban.kernels import Linear, Precomputed
from deciban.losses import Floats
from deciban.solvers import quadratic_programme
from deciban.solvers.problem import Limits, Status

from ..kernels.items import weights

Solve = Callable[[KernelProblem, Limits, KernelSolution | None], KernelSolution]

# Hulls that are nearer than this, squared, are not told apart, unless a street between them is found.
_TOUCHING = 1e-12
# Rounds of a solver before a quadratic programme takes over, and where none can.
_ROUNDS = 30
_MORE = 300
# Most rounds of what no programme can take over.
_LAST = 10_000
# A relative gap that is as good as none, and one that proves a street.
_NONE = 1e-9
_PROVEN = 1e-6
# Sparse rows of up to so many values are moved to their middle, which makes them dense.
_DENSE = 4_000_000
# An eigenvalue of a Gram matrix below this share of the largest is rounding.
_NOTHING = 1e-14


@dataclass(frozen=True)
class Inside:
    """The `problem` of rows about their middle, or of their Gram matrix, in units in which they are 1 long on average;
    `size` is the square of the unit, and Σ β_i lift_i, or w·middle, what b lacks."""

    problem: KernelProblem
    size: float
    lift: Floats | None = None
    middle: Floats | None = None

    def own(
        self, given: KernelProblem, solution: KernelSolution, proof: KernelProof
    ) -> tuple[KernelSolution, KernelProof]:
        """Return both in the units of the examples."""
        beta = solution.beta / self.size
        shift = 0.0 if self.lift is None else dot(beta, self.lift)
        if self.middle is not None:
            held = np.flatnonzero(beta)
            shift = dot(weights(beta[None, held], take(given.X, held))[0], self.middle)
        proof = replace(
            proof,
            primal=proof.primal / self.size,
            dual=proof.dual / self.size,
            b=proof.b - shift,
            scores=proof.scores + shift,
        )
        gradient = None if solution.gradient is None else solution.gradient + shift
        return replace(solution, beta=beta, b=proof.b, gradient=gradient), proof


def solve_hard(problem: KernelProblem, limits: Limits, solve: Solve, memory: int) -> tuple[KernelSolution, KernelProof]:
    """Return the street and its proof, or raise NotSeparableError with a witness."""
    inside = _inside(problem, memory)
    solution = _solve_hulls(inside, problem, limits, solve)
    return inside.own(problem, solution, prove_solution(inside.problem, solution))


def _solve_hulls(inside: Inside, given: KernelProblem, limits: Limits, solve: Solve) -> KernelSolution:
    problem = inside.problem
    hulls, found = _nearest(problem, limits, solve)
    if not found.status.finished and (found.status is not Status.EXHAUSTED or limits.max_iter <= _ROUNDS):
        return solve(problem, limits, None)  # whoever said so learns how it ends
    K = _gram(problem)
    if K is not None:
        found = replace(found, beta=polish(hulls, K, found.beta))
    squared = float(found.beta @ prove(hulls, found.beta).scores)
    near, proof = _street(problem, found, squared)
    if proof is not None and proof.relative_gap <= _NONE:
        return near
    X = _coordinates(problem)
    if X is None:
        if not squared > _TOUCHING:
            raise _not_separable(given, found.beta)
        end = replace(limits, tol=min(limits.tol, 1e-10), max_iter=min(limits.max_iter, _LAST))
        return solve(problem, end, near if proof is not None else None)
    exact = quadratic_programme.widest_street(X, problem.t)
    known = exact is not None and exact.violation <= quadratic_programme.STREET_IS_ENOUGH
    if exact is not None and known:
        near, proof = _better(problem, near, proof, problem.t * exact.alpha)
    if proof is None or (exact is None and not proof.relative_gap <= _PROVEN) or not (known or squared > _TOUCHING):
        raise _not_separable(given, found.beta)
    proven = proof.relative_gap <= max(limits.tol, _PROVEN)
    return near if proven else replace(near, status=Status.EXHAUSTED)


def _better(
    problem: KernelProblem, near: KernelSolution, proof: KernelProof | None, beta: Floats
) -> tuple[KernelSolution, KernelProof | None]:
    """Return the street of β with its proof, if it is proven better than the other."""
    own = prove(problem, beta)
    if not np.isfinite(own.primal) or (proof is not None and not own.relative_gap < proof.relative_gap):
        return near, proof
    return replace(near, beta=beta, b=own.b, gradient=own.scores - problem.t, status=Status.CONVERGED), own


def _inside(problem: KernelProblem, memory: int) -> Inside:
    """Return the same problem about the middle of its examples; of a kernel that is not linear by its Gram matrix,
    where that fits into `memory` bytes."""
    if isinstance(problem.kernel, Linear):
        return _of_rows(problem)
    if 16 * problem.count**2 > memory:
        return Inside(problem, 1.0)
    K = gram_of_problem(problem)
    lift = K.mean(axis=1) - 0.5 * K.mean()
    K = K - lift[:, None] - lift[None, :]
    size = float(np.abs(K.diagonal()).mean()) or 1.0
    return Inside(replace(problem, kernel=_Centred(problem.kernel.mercer), X=K / size), size, lift)


def _of_rows(problem: KernelProblem) -> Inside:
    X = to_double(problem.X) if elsewhere(problem.X) else problem.X.astype(np.float64)
    middle = None
    if is_sparse(X) and X.shape[0] * X.shape[1] <= _DENSE:
        X = X.toarray()
    if is_sparse(X):
        size = float(np.square(X.data).sum()) / X.shape[0]
    else:
        xp = namespace(X)
        middle = X[0, :] + xp.mean(X - X[0, :], axis=0)
        away = X - middle
        largest = float(xp.max(xp.abs(away))) or 1.0
        size = largest**2 * float(xp.sum((away / largest) ** 2)) / X.shape[0]
        X, middle = away, on_host(middle)
    size = size or 1.0
    return Inside(replace(problem, X=X / size**0.5), size, middle=middle)


@dataclass(frozen=True)
class _Centred(Precomputed):
    """A Gram matrix that comes of a kernel."""

    valid: bool = False

    @property
    def mercer(self) -> bool:
        return self.valid


def _gram(problem: KernelProblem) -> Gram | None:
    """Return the Gram matrix that polishing asks, where it is at hand."""
    if isinstance(problem.kernel, Precomputed):
        return Whole(problem.X)
    return gram_of_rows(problem) if isinstance(problem.kernel, Linear) else None


def _is_small(problem: KernelProblem) -> bool:
    """Return whether a programme can take over."""
    return isinstance(problem.kernel, Linear | Precomputed) and quadratic_programme.suits_street(problem.X)


def _coordinates(problem: KernelProblem) -> Any:
    """Return rows (N, r) with the inner products that the kernel says, where they are few enough for a programme."""
    if not _is_small(problem):
        return None
    if isinstance(problem.kernel, Linear):
        return on_host(problem.X) if elsewhere(problem.X) else problem.X
    values, vectors = np.linalg.eigh(problem.X)
    kept = values > _NOTHING * max(float(values[-1]), 0.0)
    return vectors[:, kept] * np.sqrt(values[kept])


def _nearest(problem: KernelProblem, limits: Limits, solve: Solve) -> tuple[KernelProblem, KernelSolution]:
    up = problem.hi > 0.0
    hulls = replace(
        problem,
        t=np.zeros(problem.m),
        lo=np.where(up, 0.0, -1.0),
        hi=np.where(up, 1.0, 0.0),
        group=(~up).astype(np.int64),
        sums=np.array([1.0, -1.0]),
    )
    tol, found = 1e-6, None
    quiet = getattr(limits.callback, "quietly", None)
    limits = replace(limits, callback=quiet, max_iter=min(limits.max_iter, _ROUNDS if _is_small(problem) else _MORE))
    while True:
        found = solve(hulls, replace(limits, tol=tol), found)
        squared = float(found.beta @ prove(hulls, found.beta).scores)
        if squared > 100.0 * tol or tol <= 1e-15 or not found.status.finished:
            return hulls, found
        tol *= 1e-3


def _street(problem: KernelProblem, found: KernelSolution, squared: float) -> tuple[KernelSolution, KernelProof | None]:
    """Return the street between the nearest points, and its proof where they are apart."""
    if not squared > 0.0:
        return found, None
    beta = found.beta * (2.0 / squared)
    proof = prove(problem, beta)
    near = replace(found, beta=beta, b=proof.b, gradient=proof.scores - problem.t, status=Status.CONVERGED)
    return near, proof if np.isfinite(proof.primal) else None


def _not_separable(problem: KernelProblem, mixture: Floats) -> NotSeparableError:
    weight = np.abs(mixture)
    if problem.kernel.name == "linear":
        positive = np.where(problem.hi > 0.0, weight, 0.0)
        point = weights(positive[None, :], problem.X) if elsewhere(problem.X) else problem.X.T @ positive
        return NotSeparableError(np.asarray(point).ravel(), weight)
    kept = weight > 1e-6
    sides = [np.flatnonzero(kept & side) for side in (problem.hi <= 0.0, problem.hi > 0.0)]
    told = [", ".join(str(i) for i in side[:4]) + (", …" if len(side) > 4 else "") for side in sides]
    return NotSeparableError(None, weight, f"in the kernel's space the examples {told[0]} mix to what {told[1]} mix to")
