"""The problems of kernel machines that tell two classes apart, and what their solutions mean for the score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import on_host
from deciban.errors import DataError
from deciban.inner_product import dot
from deciban.kernel_solvers.certificate import KernelProof, prove_solution
from deciban.kernel_solvers.nystroem import Landmarks
from deciban.kernel_solvers.nystroem import prove_landmarks as prove_landmarks
from deciban.kernel_solvers.problem import KernelProblem, KernelSolution
from deciban.kernel_solvers.smo import Together
from deciban.kernel_solvers.smo import prove_together as prove_each
from deciban.losses import Floats
from deciban.models.zones import Zones
from deciban.solvers.problem import Limits, Status

from .hulls import Solve, solve_hard


@dataclass(frozen=True)
class Machine:
    """One solved problem of two classes: f(x) = Σ β_i K(x, x_i) + b, of examples at the places `rows`.

    `upper` (n,) are the bounds of |β|, `length` is ‖w‖; `street` (n,) are y f(x) of the examples. Over landmarks β is
    of these, and the `dual` (n,), for which the bounds are, another.
    """

    rows: NDArray[np.intp]
    beta: Floats
    b: float
    upper: Floats
    street: Floats
    length: float
    solution: KernelSolution
    proof: KernelProof
    dual: Floats | None = None

    def interrupted(self) -> Machine:
        """Return this, ended by Ctrl-C."""
        return replace(self, solution=replace(self.solution, status=Status.INTERRUPTED))

    @property
    def zones(self) -> Zones:
        """The four zones of examples (`models.zones`), by the dual and the slack."""
        a, slack = np.abs(self.beta if self.dual is None else self.dual), 1.0 - self.street
        held = (a > 0.0) & (a >= self.upper)
        wrong = held & (slack > 1.0)
        return Zones.of((a > 0.0) & ~held, held & ~wrong, wrong)


def soft_margin(rows: NDArray[np.intp], problem: KernelProblem, solution: KernelSolution) -> Machine:
    """Return the machine of a problem of classification, where f = Kβ + b itself."""
    if solution.landmarks is not None:
        return _of_landmarks(rows, problem, solution, solution.landmarks)
    return _machine(rows, problem, solution, prove_solution(problem, solution), 1.0)


def hard_margin(rows: NDArray[np.intp], problem: KernelProblem, limits: Limits, solve: Solve, memory: int) -> Machine:
    """Return the machine of a problem without errors; NotSeparableError where there is none."""
    return _machine(rows, problem, *solve_hard(problem, limits, solve, memory), 1.0)


def soft_margins(problems: Together, solutions: list[KernelSolution]) -> list[Machine]:
    """Return the machines of problems of classification that were solved together."""
    proofs = prove_each(problems, solutions)
    parts = zip(problems.parts(problems.rows), problems.parts(problems.y), problems.parts(problems.upper), strict=True)
    return [
        _of_proof(rows, y, upper, solution, proof, 1.0)
        for (rows, y, upper), solution, proof in zip(parts, solutions, proofs, strict=True)
    ]


# Duals this near to a bound, for one of 1, are at it.
_NEAR = 1e-6


def _of_landmarks(rows: NDArray[np.intp], problem: KernelProblem, solution: KernelSolution, made: Landmarks) -> Machine:
    proof = prove_landmarks(problem, solution)
    b, beta = float(proof.b[0]), made.expansion(problem.count)
    length = float(np.sqrt(max(0.0, dot(beta, proof.scores))))
    street, upper = problem.t * (proof.scores + b), problem.hi - problem.lo
    a = np.abs(solution.beta) / upper
    a = np.where(a <= _NEAR, 0.0, np.where(a >= 1.0 - _NEAR, 1.0, a))
    return Machine(rows, beta, b, upper, street, length, solution, proof, a * upper)


def nu_margin(rows: NDArray[np.intp], problem: KernelProblem, solution: KernelSolution) -> Machine:
    """Return the machine of a ν problem, divided by ρ (Chang & Lin 2001), so that its street is one unit wide to each
    side."""
    proof = prove_solution(problem, solution)
    b = proof.b
    rho = 0.5 * float(b[1] - b[0])
    if not rho > 1e-12 * float(np.abs(on_host(problem.kernel.diagonal(problem.X))).mean()):
        raise DataError(
            "the classes are not told apart by this kernel, and the ν street has no width: choose another nu or kernel"
        )
    return _machine(rows, problem, solution, proof, rho)


def _machine(
    rows: NDArray[np.intp], problem: KernelProblem, solution: KernelSolution, proof: KernelProof, rho: float
) -> Machine:
    side = np.where(problem.hi > 0.0, 1.0, -1.0)
    return _of_proof(rows, side, np.maximum(problem.hi, -problem.lo), solution, proof, rho)


def _of_proof(
    rows: NDArray[np.intp], side: Floats, upper: Floats, solution: KernelSolution, proof: KernelProof, rho: float
) -> Machine:
    b = float(proof.b.mean()) / rho
    squared = max(0.0, float(np.einsum("i,i->", solution.beta, proof.scores)))
    return Machine(
        rows,
        solution.beta / rho,
        b,
        upper / rho,
        side * (proof.scores / rho + b),
        float(np.sqrt(squared)) / rho,
        solution,
        proof,
    )


def largest_nu(y: Floats, c: Floats) -> float:
    """Return the largest ν that is feasible: 2 min(Σ₊c, Σ₋c) / Σc (Crisp & Burges 1999)."""
    up, down = float(c[y > 0.0].sum()), float(c[y < 0.0].sum())
    return 2.0 * min(up, down) / (up + down)


def check_nu(nu: Any) -> float:
    """Return ν, or a ValueError unless it is a number in (0, 1]."""
    number = isinstance(nu, int | float | np.integer | np.floating) and not isinstance(nu, bool)
    if not number or not 0.0 < nu <= 1.0:
        raise ValueError(f"nu must be a number > 0 and at most 1, got {nu!r}")
    return float(nu)
