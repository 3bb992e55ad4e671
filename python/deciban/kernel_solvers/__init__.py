"""Solvers of kernel machines: each takes a `KernelProblem` and `Limits` and returns a `KernelSolution`.

A solver is a module with a NAME, `refusal(problem)`, which says in one sentence what a problem lacks for it, and
`solve(problem, limits, start, seed, memory)`. `auto` takes the first row of `TABLE` that fits; `choose` tells which and
why. `nystroem` alone is an approximation, which `auto` takes beyond `LARGE` rows only, and the certificate says.
`dual-qp` and `primal-qp` are asked for by name: they hold the whole Gram matrix, for certainty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from deciban.data.devices import elsewhere
from deciban.kernels.evaluation import in_core
from deciban.losses import Floats
from deciban.threads import on_threads

from . import blocks, finishing, smo
from .certificate import prove
from .nystroem import Approximate
from .origin import about_the_middle
from .problem import KernelProblem, KernelSolution, Limits, Status, Step, Watch

CATALOGUE: tuple[Any, ...] = (smo, blocks)

# Up to so many variables, rows of the kernel cost less than choosing blocks.
SMALL = 4000
# From so many rows on an exact machine is minutes or hours; whoever wants it asks for "blocks".
LARGE = 200_000


@dataclass(frozen=True)
class Choice:
    """The solver that `auto` takes, and the sentence that says why."""

    name: str
    why: str


TABLE: tuple[tuple[str, str, Callable[[KernelProblem], bool]], ...] = (
    (
        blocks.NAME,
        "arrays of another library: tiles of the kernel are computed where they are",
        lambda problem: elsewhere(problem.X),
    ),
    (
        Approximate.NAME,
        f"classes of more than {LARGE:,} rows at a finite C: landmarks, an approximation whose loss is told",
        lambda problem: problem.m > LARGE and Approximate().refusal(problem) is None,
    ),
    (
        smo.NAME,
        f"at most {SMALL:,} coefficients: two at a time, rows of the kernel as they are needed",
        lambda problem: problem.m <= SMALL,
    ),
    (
        smo.NAME,
        "values of the kernel may be large: its rows are wanted in double precision",
        lambda problem: (in_core(problem.kernel) or ("",))[0] in ("linear", "polynomial", "multiquadric"),
    ),
    (blocks.NAME, "many coefficients: hundreds at a time, their kernels as matrix products", lambda _: True),
)
"""What `auto` goes through, top to bottom: a solver, why, and for which problems."""


def decision_table() -> str:
    """`TABLE` as text.

    >>> print(decision_table().splitlines()[4])
    5. blocks: many coefficients: hundreds at a time, their kernels as matrix products
    """
    return "\n".join(f"{k}. {name}: {why}" for k, (name, why, _) in enumerate(TABLE, 1))


def choose(problem: KernelProblem) -> Choice:
    """What `auto` takes for this problem."""
    return next(Choice(name, why) for name, why, suits in TABLE if suits(problem))


def by_name(name: str) -> Any:
    """The solver of that name; ValueError where there is none."""
    solvers: dict[str, Any] = {solver.NAME: solver for solver in (*CATALOGUE, Approximate())}
    if name in ("dual-qp", "primal-qp"):
        qp: Any = import_module(f"{__name__}.qp")
        return next(solver for solver in qp.CATALOGUE if name == solver.NAME)
    if name not in solvers:
        known = ", ".join(repr(each) for each in ("auto", *solvers, "dual-qp", "primal-qp"))
        raise ValueError(f"solver must be one of {known}, got {name!r}")
    return solvers[name]


@on_threads
def solve(
    problem: KernelProblem,
    limits: Limits,
    solver: Any = "auto",
    start: KernelSolution | Floats | None = None,
    seed: int = 0,
    memory: int = smo.MEMORY,
) -> KernelSolution:
    """The optimum by the solver, or that of the name; ValueError where it cannot solve the problem."""
    if isinstance(solver, str):
        solver = by_name(choose(problem).name if solver == "auto" else solver)
    refused = solver.refusal(problem)
    if refused:
        raise ValueError(f"solver {solver.NAME!r} {refused}")
    near, own = about_the_middle(problem)
    if solver not in CATALOGUE:
        apart: KernelSolution = solver.solve(near, limits, start=start, seed=seed, memory=memory)
        return own(apart)
    return own(finishing.to_the_end(solver, near, limits, start, seed, memory))


def ended(problem: KernelProblem, limits: Limits, found: KernelSolution, memory: int = smo.MEMORY) -> KernelSolution:
    """Return the optimum of a problem that `smo` was given the limits of a first try for."""
    near, own = about_the_middle(problem)
    if near is not problem:
        proof = prove(near, found.beta)
        found = replace(found, b=proof.b, gradient=proof.scores - near.t)
    return own(finishing.ended(smo, near, limits, found, memory))


__all__ = [
    "CATALOGUE",
    "TABLE",
    "Choice",
    "KernelProblem",
    "KernelSolution",
    "Limits",
    "Status",
    "Step",
    "Watch",
    "by_name",
    "choose",
    "decision_table",
    "ended",
    "solve",
]
